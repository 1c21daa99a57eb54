"""``--fail-under``: thresholds, so that a command fails if a system became worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tercet.base.metric import Metric
from tercet.comparison.metric_specs import label, label_of, split_metric
from tercet.comparison.scores import Comparison, ScoreTable
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.metrics.column import Column
from tercet.tables import decimals


class Threshold(NamedTuple):
    """The name of a score, or of a metric for its primary score, and the worst value allowed."""

    name: str
    value: float


class _Score(NamedTuple):
    """A score of a metric with options, and whether it is the metric's primary one."""

    metric: str
    name: str
    is_primary: bool


def read_thresholds(threshold_texts: Sequence[str] | None, metrics: Iterable[Metric]) -> list[Threshold]:
    """Return the thresholds given as ``METRIC=VALUE``; unknown names are refused."""
    thresholds = []
    for text in threshold_texts or ():
        name, _, value = text.rpartition("=")
        try:
            threshold = Threshold(name.strip(), float(value))
        except ValueError:
            threshold = Threshold("", math.nan)
        if not threshold.name or not math.isfinite(threshold.value):
            raise OptionError(f"--fail-under takes METRIC=VALUE, such as bleu=30. Got {shorten(text)} instead.")
        thresholds.append(threshold)
    scores = [
        _Score(label_of(metric), name, name == metric.primary) for metric in metrics for name in metric.score_names
    ]
    for name, _ in thresholds:
        if not _meant(name, scores):
            score_names = dict.fromkeys(score.name for score in scores)
            raise OptionError(
                f"--fail-under: no score is called {shorten(name)} with these metrics. "
                f"{did_you_mean(name, score_names)}"
            )
    return thresholds


def failures(thresholds: Iterable[Threshold], comparisons: Iterable[Comparison]) -> list[str]:
    """Return a line for each score of a system that is worse than its threshold."""
    lines = []
    for comparison in comparisons:
        scores = [_Score(table.metric, table.name, table.name == table.scorer.primary) for table in comparison.tables]
        labels = comparison.score_labels()
        for threshold in thresholds:
            for index in _meant(threshold.name, scores):
                for system, why in _worse(comparison.tables[index], threshold.value):
                    name = f"{comparison.test_set.name}: the system {shorten(system)}"
                    lines.append(f"{name}: {labels[index]} is {why}")
    return lines


def _worse(table: ScoreTable, limit: float) -> Iterable[tuple[str, str]]:
    """Yield the systems beyond a limit, and by how much; NaN counts as beyond."""
    side = "below" if table.higher_is_better else "above"
    if isinstance(table.scorer, Column) and table.scorer.scale == 100 and 0 < limit <= 1:
        raise OptionError(
            f"--fail-under {table.name}={limit:g}: {table.name} is in percent here, as all its numbers are 0 or 1. "
            f"Give {table.name}={100 * limit:g}."
        )
    for row in table.rows:
        if math.isnan(row.value):
            yield row.system, f"NaN, not a number: expected {limit:g} or {'more' if side == 'below' else 'less'}."
        elif not (row.value >= limit if table.higher_is_better else row.value <= limit):
            gap = abs(row.value - limit)
            apart = f"{gap:.{row.digits}f}" if gap >= 0.5 / 10**row.digits else f"{gap:.1g}"
            yield row.system, f"{decimals(row.value, row.digits)}, {side} {limit:g} by {apart}."


def _meant(name: str, scores: Sequence[_Score]) -> list[int]:
    """Return the scores with this name, or the primary ones of a metric with this name."""
    named_scores = [
        index for index, score in enumerate(scores) if name in (score.name, f"{score.metric} {score.name}")
    ]
    try:
        # A short name becomes the name that tables have.
        cls, options = split_metric(name)
        metric = label(cls.name, options)
    except OptionError:
        # It is no metric: the name of a score, or a typo.
        metric = name
    return named_scores or [
        index
        for index, score in enumerate(scores)
        if score.is_primary and metric in (score.metric, score.metric.partition(":")[0])
    ]
