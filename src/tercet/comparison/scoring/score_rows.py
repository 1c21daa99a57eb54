"""The rows of a score's table: each system's value, its tests against the baseline and the best, its rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import Counts, DifferenceFromBaseline, Standing, SystemScore, standings
from tercet.statistics.inference import Inference
from tercet.statistics.intervals import BootstrapResult, ConfidenceInterval
from tercet.statistics.p_tables import PTables
from tercet.statistics.ranks import ranks
from tercet.statistics.rounding import ROUNDING, apart
from tercet.statistics.stats import SegmentStats
from tercet.table_formats import number_or_none


class Bounds(NamedTuple):
    """The intervals of a score of each system, and of its differences from the baseline."""

    of_scores: list[ConfidenceInterval]
    of_differences: list[ConfidenceInterval]


class Measured(NamedTuple):
    """One score as it was measured: each list has an entry for each system."""

    values: NDArray[np.float64]
    bounds: Bounds
    tests: PTables
    #: The scores of what wins and losses count.
    counted_scores: Sequence[Sequence[float | None]]
    higher_is_better: bool
    digits: int


def score_rows(design: Design, score: Measured, *, can_tell: bool) -> tuple[list[SystemScore], NDArray[np.float64]]:
    """Return a row for each system, and the adjusted p of each pair.

    Where the test could tell no two systems apart, there are no ranks, and none is said to be as good as the best.
    """
    values = score.values.tolist()
    is_unknown = np.isnan(score.values)
    # A score that is NaN cannot be tested.
    has_no_test = is_unknown[:, None] | is_unknown
    tests = PTables(
        np.where(has_no_test, np.nan, score.tests.pvalues), np.where(has_no_test, np.nan, score.tests.adjusted)
    )
    compared = standings(
        values, tests.adjusted, alpha=design.alpha, higher_is_better=score.higher_is_better, can_tell=can_tell
    )
    if design.joins_runs:
        # None of several outputs of one system is the best.
        compared = [Standing(False, None)] * len(values)
    system_ranks = ranks(values, tests.adjusted, design.alpha, score.higher_is_better)
    rows = []
    for index, (system, value) in enumerate(zip(design.systems, values, strict=True)):
        rank = system_ranks[index] if design.test is not None and can_tell else None
        rows.append(
            SystemScore(
                system=system,
                value=value,
                low=score.bounds.of_scores[index].low,
                high=score.bounds.of_scores[index].high,
                against=_against_baseline(score, tests, index, design.baseline_index),
                best=compared[index].is_best,
                as_good=compared[index].as_good,
                rank=None if rank is None else (rank.low, rank.high),
                group=None if rank is None else rank.group,
                digits=score.digits,
            )
        )
    return rows, tests.adjusted


def _against_baseline(score: Measured, tests: PTables, index: int, baseline: int) -> DifferenceFromBaseline | None:
    """Return how far a system's score is from the baseline's; None of the baseline itself."""
    if index == baseline:
        return None
    return DifferenceFromBaseline(
        value=apart(float(score.values[index]), float(score.values[baseline])),
        interval=score.bounds.of_differences[index],
        pvalue=number_or_none(tests.pvalues[index, baseline]),
        adjusted_pvalue=number_or_none(tests.adjusted[index, baseline]),
        counts=_counts(score.counted_scores[index], score.counted_scores[baseline], score.higher_is_better),
    )


def bounds_of_systems(
    design: Design,
    metric: Metric,
    scored: Sequence[SegmentStats],
    intervals: Sequence[BootstrapResult],
    inference: Inference,
) -> Bounds:
    """Return the intervals of a score of all systems, and those of their differences from the baseline.

    They are exact ones of the segments that were scored, where these score 0 or 1, or else those by resamples.
    """
    baseline = design.baseline_index
    if inference.has_exact_intervals:
        # Here, as most scores are no shares.
        from .shares import share_difference_interval, share_interval

        level = design.confidence_level
        score_intervals = [share_interval(metric, stats, level) for stats in scored]
        return Bounds(
            score_intervals, [share_difference_interval(metric, scored[baseline], stats, level) for stats in scored]
        )
    differences = [interval.less(intervals[baseline]) for interval in intervals]
    return Bounds(
        [interval.confidence_interval for interval in intervals],
        [difference.confidence_interval for difference in differences],
    )


def _counts(
    scores: Sequence[float | None], baseline_scores: Sequence[float | None], higher_is_better: bool
) -> Counts:
    """Return on how many segments, or clusters, a system is better than, as good as, and worse than the baseline."""
    # None, of a segment that was left out, becomes NaN, which can be compared with nothing.
    values = np.array(scores, np.float64)
    baseline_values = np.array(baseline_scores, np.float64)
    # As `apart` has it; np.isclose would import numpy.ma (30 ms).
    size = np.maximum(np.abs(values), np.abs(baseline_values))
    with np.errstate(invalid="ignore"):
        is_close = np.abs(values - baseline_values) <= ROUNDING * size
    # Of infinite numbers, only those that are equal are close.
    is_tie = (values == baseline_values) | (is_close & np.isfinite(size))
    n_higher = int(((values > baseline_values) & ~is_tie).sum())
    n_lower = int(((values < baseline_values) & ~is_tie).sum())
    wins, losses = (n_higher, n_lower) if higher_is_better else (n_lower, n_higher)
    return Counts(wins, int(is_tie.sum()), losses)
