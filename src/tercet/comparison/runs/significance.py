"""Runs of a system, such as seeds: several outputs for the same texts, whose spread is a part of the uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.run_scores import AgainstBaseline, ScoresOverRuns, SystemOverRuns
from tercet.statistics.estimates import Estimate, Variance, difference, mean_of_runs, pooled_variance
from tercet.statistics.holm import adjusted_by_holm
from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.p_tables import PTables
from tercet.statistics.ranks import Rank, ranks
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
    estimates = estimates_over_runs(design.runs, table, resampled)
    lone = systems_with_one_run(design)
    if len(lone) == len(estimates.systems):
        return None
    tests = _p_tables(estimates, table.n_units)
    return ScoresOverRuns(
        baseline=design.system_of_baseline,
        is_pooled=bool(lone) and estimates.spread.pooled is not None,
        systems=_systems_over_runs(design, table, estimates, tests),
        adjusted_pvalues=tests.adjusted,
    )


def systems_with_one_run(design: Design) -> list[str]:
    """Return the systems whose spread over runs no runs of theirs say."""
    return [system for system, outputs in design.runs.items() if len(outputs) == 1]


def _p_tables(estimates: EstimatesOfSystems, n_units: int) -> PTables:
    """Return p of each pair of systems, alone and adjusted for all pairs."""
    systems = list(estimates.systems.values())
    pvalues = np.ones((len(systems), len(systems)))
    for (i, first), (j, second) in combinations(enumerate(systems), 2):
        pvalues[i, j] = pvalues[j, i] = estimates.spread.pvalue_of(first, second, n_units)
    return adjusted_by_holm(pvalues)


def _systems_over_runs(
    design: Design, table: ScoreTable, estimates: EstimatesOfSystems, tests: PTables
) -> list[SystemOverRuns]:
    systems, spread = estimates
    level = design.confidence_level
    values = {row.system: row.value for row in table.rows}
    values_of_systems = [estimate.value for estimate in systems.values()]
    ranks_of_systems = _ranks(values_of_systems, tests.adjusted, design.alpha, table.higher_is_better)
    baseline = design.system_of_baseline
    column = list(systems).index(baseline)
    means = []
    for index, (system, estimate) in enumerate(systems.items()):
        bounds = spread.interval_of(estimate, level, table.scorer)
        rank = ranks_of_systems[index]
        against = pvalue = adjusted_pvalue = None
        if system != baseline:
            against = spread.against_baseline(systems[baseline], estimate, level)
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


class SpreadOfRuns(NamedTuple):
    """How much the runs of systems with one vary: as those of the others do, if there are enough."""

    pooled: Variance | None

    def is_known(self, first: Estimate, second: Estimate) -> bool:
        """Return whether the spread of both systems over their runs is known, or taken to be that of others."""
        return self.pooled is not None or min(len(first.runs), len(second.runs)) > 1

    def interval_of(self, estimate: Estimate, level: float, metric: Metric) -> ConfidenceInterval:
        """Return an interval of Student's t within what a score can be, as those of resamples are."""
        low, high = estimate.interval(level, self.pooled)
        # Some shares, such as rescaled or negative similarities, are below 0.
        if metric.unit is not None and estimate.resampled.min() >= 0:
            low = max(low, 0.0)
        if metric.unit == "share" and estimate.resampled.max() <= metric.scale:
            high = min(high, float(metric.scale))
        return ConfidenceInterval(low, high)

    def pvalue_of(self, first: Estimate, second: Estimate, n_units: int) -> float:
        """Return p of two systems; NaN where the spread over units or over runs is unknown."""
        if n_units < 2 or not self.is_known(first, second):
            return math.nan
        return difference(first, second, self.pooled).pvalue()

    def against_baseline(self, baseline: Estimate, system: Estimate, level: float) -> AgainstBaseline:
        """Return the difference from the baseline, half of its interval, and the figures of its test."""
        found = difference(baseline, system, self.pooled)
        if not self.is_known(baseline, system):
            return AgainstBaseline(found.value, margin=None, t=None, freedom=None)
        margin = found.interval(level).high - found.value
        return AgainstBaseline(
            difference=found.value,
            margin=number_or_none(margin),
            t=number_or_none(found.t),
            freedom=number_or_none(found.variance.freedom),
        )


class EstimatesOfSystems(NamedTuple):
    """The mean score of each system over its runs, and how much these vary."""

    systems: dict[str, Estimate]
    spread: SpreadOfRuns


def estimates_over_runs(
    members_of: Mapping[str, Sequence[str]], table: ScoreTable, resampled: Sequence[NDArray[np.float64]]
) -> EstimatesOfSystems:
    """Return the mean score of each system's runs, by resamples of that of each output."""
    outputs = {}
    for row, draws in zip(table.rows, resampled, strict=True):
        outputs[row.system] = Estimate(row.value, draws, table.n_units)
    return estimates_of_systems(members_of, outputs)


def estimates_of_systems(
    members_of: Mapping[str, Sequence[str]], outputs: Mapping[str, Estimate]
) -> EstimatesOfSystems:
    """Return the mean score of each system's runs by the score of each output."""
    systems = {}
    for system, names in members_of.items():
        runs = [outputs[name] for name in names]
        systems[system] = mean_of_runs(runs) if len(runs) > 1 else runs[0]
    pooled = pooled_variance(list(systems.values()))
    if pooled is not None and pooled.freedom < _LEAST_FREEDOM:
        pooled = None
    return EstimatesOfSystems(systems, SpreadOfRuns(pooled))


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
