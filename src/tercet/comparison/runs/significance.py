"""Runs of a system, such as seeds: several outputs for the same texts, whose spread is a part of the uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.run_scores import AgainstBaseline, ScoresOverRuns, SystemOverRuns
from tercet.statistics.estimates import Estimate, Variance, difference, mean_of_runs, pooled_variance
from tercet.statistics.families import PairTests
from tercet.statistics.groups import Rank, ranks
from tercet.statistics.holm import adjusted_by_holm
from tercet.statistics.intervals import ConfidenceInterval
from tercet.table_formats import number_or_none

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.values.design import Design
    from tercet.comparison.values.scores import ScoreTable


#: The least degrees of freedom of a spread that is taken to be that of systems with one run: with 1, the test rejects
#: twice as often as alpha says.
_LEAST_FREEDOM = 2


def scores_over_runs(
    design: Design, table: ScoreTable, resampled: Sequence[NDArray[np.float64]]
) -> ScoresOverRuns | None:
    """Return the systems' mean scores over their runs, and tests between them; None where each has one run.

    `resampled` are paired resamples of the score of each output.
    """
    systems, known = estimates_over_runs(design.runs, table, resampled)
    lone = systems_with_one_run(design)
    if len(lone) == len(systems):
        return None
    tests = _pair_tests(list(systems.values()), known, table.n_units)
    return ScoresOverRuns(
        baseline=design.system_of_baseline,
        is_pooled=bool(lone) and known is not None,
        systems=_systems_over_runs(design, table, systems, known, tests),
        adjusted_pvalues=tests.adjusted,
    )


def systems_with_one_run(design: Design) -> list[str]:
    """Return the systems whose spread over runs no runs of theirs say."""
    return [system for system, outputs in design.runs.items() if len(outputs) == 1]


def _pair_tests(systems: Sequence[Estimate], known: Variance | None, n_units: int) -> PairTests:
    """Return p of each pair of systems, alone and adjusted for all pairs."""
    pvalues = np.ones((len(systems), len(systems)))
    for (i, first), (j, second) in combinations(enumerate(systems), 2):
        pvalues[i, j] = pvalues[j, i] = pvalue_of(first, second, known, n_units)
    return adjusted_by_holm(pvalues)


def _systems_over_runs(
    design: Design, table: ScoreTable, systems: Mapping[str, Estimate], known: Variance | None, tests: PairTests
) -> list[SystemOverRuns]:
    level = design.confidence_level
    values = {row.system: row.value for row in table.rows}
    values_of_systems = [estimate.value for estimate in systems.values()]
    ranks_of_systems = _ranks(values_of_systems, tests.adjusted, design.alpha, table.higher_is_better)
    baseline = design.system_of_baseline
    column = list(systems).index(baseline)
    means = []
    for index, (system, estimate) in enumerate(systems.items()):
        bounds = interval_of(estimate, known, level, table.scorer)
        rank = ranks_of_systems[index]
        against = pvalue = adjusted_pvalue = None
        if system != baseline:
            against = against_baseline(systems[baseline], estimate, known, level)
            pvalue = number_or_none(tests.pvalues[index, column])
            adjusted_pvalue = number_or_none(tests.adjusted[index, column])
        means.append(
            SystemOverRuns(
                system=system,
                runs={name: values[name] for name in design.runs[system]},
                value=estimate.value,
                spread=spread_of(estimate),
                low=bounds.low,
                high=bounds.high,
                against=against,
                pvalue=pvalue,
                adjusted_pvalue=adjusted_pvalue,
                rank=None if rank is None else (rank.low, rank.high),
                group=None if rank is None else rank.group,
            )
        )
    return means


def spread_of(estimate: Estimate) -> float | None:
    """Return the standard deviation of a system's runs; None of one run."""
    return float(np.std(estimate.runs, ddof=1)) if estimate.runs else None


def estimates_over_runs(
    members_of: Mapping[str, Sequence[str]], table: ScoreTable, resampled: Sequence[NDArray[np.float64]]
) -> tuple[dict[str, Estimate], Variance | None]:
    """Return the mean score of each system's runs, and the spread of a system with one: None if too few say it."""
    outputs = {}
    for row, draws in zip(table.rows, resampled, strict=True):
        outputs[row.system] = Estimate(row.value, draws, table.n_units)
    return estimates_of_systems(members_of, outputs)


def estimates_of_systems(
    members_of: Mapping[str, Sequence[str]], outputs: Mapping[str, Estimate]
) -> tuple[dict[str, Estimate], Variance | None]:
    """Return the mean score of each system's runs by the score of each output, and the spread as above."""
    systems = {}
    for system, names in members_of.items():
        runs = [outputs[name] for name in names]
        systems[system] = mean_of_runs(runs) if len(runs) > 1 else runs[0]
    pooled = pooled_variance(list(systems.values()))
    if pooled is not None and pooled.freedom < _LEAST_FREEDOM:
        pooled = None
    return systems, pooled


def _ranks(
    values: Sequence[float], pvalues: NDArray[np.float64], alpha: float, higher_is_better: bool
) -> list[Rank | None]:
    """Return the rank of each system among those that were tested against any; None for the rest."""
    # On the diagonal p is 1.
    tested = [index for index in range(len(values)) if np.isfinite(np.delete(pvalues[index], index)).any()]
    tested_values = [values[index] for index in tested]
    ranks_of_tested = ranks(tested_values, pvalues[np.ix_(tested, tested)], alpha, higher_is_better)
    rank_of: list[Rank | None] = [None] * len(values)
    for index, rank in zip(tested, ranks_of_tested, strict=True):
        rank_of[index] = rank
    return rank_of


def interval_of(estimate: Estimate, known: Variance | None, level: float, metric: Metric) -> ConfidenceInterval:
    """Return an interval of Student's t within what a score can be, as those of resamples are."""
    low, high = estimate.interval(level, known)
    # Some shares, such as rescaled or negative similarities, are below 0.
    if metric.unit is not None and estimate.resampled.min() >= 0:
        low = max(low, 0.0)
    if metric.unit == "share" and estimate.resampled.max() <= metric.scale:
        high = min(high, float(metric.scale))
    return ConfidenceInterval(low, high)


def pvalue_of(first: Estimate, second: Estimate, known: Variance | None, n_units: int) -> float:
    """Return p of two systems; NaN where the spread over units or over runs is unknown."""
    if n_units < 2 or not has_spread(first, second, known):
        return math.nan
    return difference(first, second, known).pvalue()


def has_spread(first: Estimate, second: Estimate, known: Variance | None) -> bool:
    """Return whether the spread of both systems over their runs is known, or taken to be that of others."""
    return known is not None or min(len(first.runs), len(second.runs)) > 1


def against_baseline(baseline: Estimate, system: Estimate, known: Variance | None, level: float) -> AgainstBaseline:
    """Return the difference from the baseline, half of its interval, and the figures of its test."""
    apart = difference(baseline, system, known)
    if not has_spread(baseline, system, known):
        return AgainstBaseline(apart.value, margin=None, t=None, freedom=None)
    margin = apart.interval(level).high - apart.value
    return AgainstBaseline(
        difference=apart.value,
        margin=number_or_none(margin),
        t=number_or_none(apart.t),
        freedom=number_or_none(apart.variance.freedom),
    )
