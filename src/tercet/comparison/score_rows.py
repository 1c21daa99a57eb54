"""The rows of a score's table: each system's value, its tests against the baseline and the best, its rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.statistics.draws import ConfidenceInterval, apart
from tercet.statistics.families import PairTests
from tercet.statistics.groups import ranks
from tercet.statistics.inference import Inference
from tercet.statistics.intervals import BootstrapResult
from tercet.statistics.stats import SegmentStats
from tercet.tables import number_or_none

from .given_scores import share_difference_interval, share_interval
from .result import Comparison
from .scores import SystemScore, some_best

#: What a row says of the system and the baseline; None in the row of the baseline itself.
_AGAINST_BASELINE = (
    "difference",
    "difference_low",
    "difference_high",
    "pvalue",
    "adjusted_pvalue",
    "wins",
    "ties",
    "losses",
)


def score_rows(
    comparison: Comparison,
    values: NDArray[np.float64],
    bounds: Sequence[ConfidenceInterval],
    bounds_of_differences: Sequence[ConfidenceInterval],
    tests: PairTests,
    parts: Sequence[Sequence[float | None]],
    *,
    higher_is_better: bool,
    digits: int,
    can_tell: bool = True,
) -> tuple[list[SystemScore], NDArray[np.float64]]:
    """Return a row for each system of a comparison, and the adjusted p of each pair.

    Intervals are those of the scores, and of their differences from the baseline. `parts` are the scores of each
    system on what wins and losses count. Where the test could tell no two systems apart (`can_tell`), there are no
    ranks, and none is said to be as good as the best.
    """
    names = list(comparison.test_set.systems)
    baseline = names.index(comparison.baseline)
    is_unknown = np.isnan(values)
    # A score that is NaN cannot be tested.
    has_no_test = is_unknown[:, None] | is_unknown
    unadjusted = np.where(has_no_test, np.nan, tests.pvalues)
    adjusted = np.where(has_no_test, np.nan, tests.adjusted)
    best = _best(values, higher_is_better)
    any_best = not comparison.joins_runs and some_best(values.tolist(), higher_is_better)
    system_ranks = ranks(values.tolist(), adjusted, comparison.alpha, higher_is_better)
    rows = []
    for index, system in enumerate(names):
        value = float(values[index])
        # Systems may tie for the best; NaN equals nothing, so that it is never the best.
        is_best = any_best and not apart(value, float(values[best]))
        pvalue_against_best = number_or_none(adjusted[index, best])
        as_good: bool | None = None
        if is_best:
            as_good = True
        elif any_best and can_tell and pvalue_against_best is not None:
            as_good = pvalue_against_best >= comparison.alpha
        against_baseline: dict[str, Any] = dict.fromkeys(_AGAINST_BASELINE)
        if index != baseline:
            wins, ties, losses = _wins_ties_losses(parts[index], parts[baseline], higher_is_better)
            against_baseline = {
                "difference": value - float(values[baseline]),
                "difference_low": bounds_of_differences[index].low,
                "difference_high": bounds_of_differences[index].high,
                "pvalue": number_or_none(unadjusted[index, baseline]),
                "adjusted_pvalue": number_or_none(adjusted[index, baseline]),
                "wins": wins,
                "ties": ties,
                "losses": losses,
            }
        rank = system_ranks[index] if comparison.test is not None and can_tell else None
        rows.append(
            SystemScore(
                system=system,
                value=value,
                low=bounds[index].low,
                high=bounds[index].high,
                **against_baseline,
                best=is_best,
                as_good=as_good,
                rank=None if rank is None else (rank.low, rank.high),
                group=None if rank is None else rank.group,
                digits=digits,
            )
        )
    return rows, adjusted


def bounds_of_systems(
    comparison: Comparison,
    metric: Metric,
    scored: Sequence[SegmentStats],
    intervals: Sequence[BootstrapResult],
    inference: Inference,
) -> tuple[list[ConfidenceInterval], list[ConfidenceInterval]]:
    """Return the intervals of a score of all systems, and those of their differences from the baseline.

    They are exact ones of the segments that were scored, where these score 0 or 1, or else those by resamples.
    """
    baseline = list(comparison.test_set.systems).index(comparison.baseline)
    if inference.has_exact_intervals:
        level = comparison.confidence_level
        bounds = [share_interval(metric, stats, level) for stats in scored]
        bounds_of_differences = [
            share_difference_interval(metric, scored[baseline], stats, level) for stats in scored
        ]
    else:
        differences = [interval.less(intervals[baseline]) for interval in intervals]
        bounds = [interval.confidence_interval for interval in intervals]
        bounds_of_differences = [difference.confidence_interval for difference in differences]
    return bounds, bounds_of_differences


def _best(values: NDArray[np.float64], higher_is_better: bool) -> int:
    """Return the index of the best value: NaN is none, unless all are."""
    worst = -np.inf if higher_is_better else np.inf
    comparable = np.where(np.isnan(values), worst, values)
    return int(comparable.argmax() if higher_is_better else comparable.argmin())


def _wins_ties_losses(
    scores: Sequence[float | None], baseline_scores: Sequence[float | None], higher_is_better: bool
) -> tuple[int, int, int]:
    """Return on how many segments, or clusters, a system is better than, as good as, and worse than the baseline."""
    wins = ties = losses = 0
    for score, baseline_score in zip(scores, baseline_scores, strict=True):
        # None is a segment that was left out, and NaN can be compared with nothing.
        if score is None or baseline_score is None or math.isnan(score) or math.isnan(baseline_score):
            continue
        if score == baseline_score:
            ties += 1
        elif (score > baseline_score) == higher_is_better:
            wins += 1
        else:
            losses += 1
    return wins, ties, losses
