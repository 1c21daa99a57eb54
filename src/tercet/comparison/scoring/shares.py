"""Intervals of shares: of means of numbers that are 0 or 1, and of their differences."""

from __future__ import annotations

from tercet.base.metric import Metric
from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.stats import SegmentStats
from tercet.statistics.tango import tango
from tercet.statistics.wilson import wilson


def share_interval(metric: Metric, stats: SegmentStats, level: float) -> ConfidenceInterval:
    """Return Wilson's interval of the mean of numbers that are 0 or 1."""
    low, high = wilson(float(stats.column("value").sum()), len(stats), level)
    return ConfidenceInterval(metric.scale * low, metric.scale * high)


def share_difference_interval(
    metric: Metric, baseline: SegmentStats, stats: SegmentStats, level: float
) -> ConfidenceInterval:
    """Return Tango's interval of a mean of numbers that are 0 or 1, less that of the baseline."""
    right = stats.column("value")
    right_of_baseline = baseline.column("value")
    only_here = int((right > right_of_baseline).sum())
    only_baseline = int((right < right_of_baseline).sum())
    low, high = tango(only_here, only_baseline, len(right), level)
    return ConfidenceInterval(metric.scale * low, metric.scale * high)
