"""The rows of a score's table: each system's value, its tests against the baseline and the best, its rank."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.bootstrap import ConfidenceInterval, apart
from tercet.statistics.families import PairTests
from tercet.statistics.groups import ranks
from tercet.tables import number_or_none

from .scores import Comparison, SystemScore, some_best


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
    for place, system in enumerate(names):
        value = float(values[place])
        # Systems may tie for the best; NaN equals nothing, so that it is never the best.
        is_best = any_best and not apart(value, float(values[best]))
        pvalue_against_best = number_or_none(adjusted[place, best])
        as_good: bool | None = None
        if is_best:
            as_good = True
        elif any_best and can_tell and pvalue_against_best is not None:
            as_good = pvalue_against_best >= comparison.alpha
        is_baseline = place == baseline
        counts = (None, None, None) if is_baseline else _counts(parts[place], parts[baseline], higher_is_better)
        wins, ties, losses = counts
        rank = system_ranks[place] if comparison.test is not None and can_tell else None
        rows.append(
            SystemScore(
                system=system,
                value=value,
                low=bounds[place].low,
                high=bounds[place].high,
                difference=None if is_baseline else value - float(values[baseline]),
                difference_low=None if is_baseline else bounds_of_differences[place].low,
                difference_high=None if is_baseline else bounds_of_differences[place].high,
                pvalue=None if is_baseline else number_or_none(unadjusted[place, baseline]),
                adjusted_pvalue=None if is_baseline else number_or_none(adjusted[place, baseline]),
                wins=wins,
                ties=ties,
                losses=losses,
                best=is_best,
                as_good=as_good,
                rank=None if rank is None else (rank.low, rank.high),
                group=None if rank is None else rank.group,
                digits=digits,
            )
        )
    return rows, adjusted


def _best(values: NDArray[np.float64], higher_is_better: bool) -> int:
    """Return the place of the best value: NaN is none, unless all are."""
    worst = -np.inf if higher_is_better else np.inf
    comparable = np.where(np.isnan(values), worst, values)
    return int(comparable.argmax() if higher_is_better else comparable.argmin())


def _counts(
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
