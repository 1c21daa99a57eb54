"""Runs of a system, such as seeds: several outputs for the same texts, whose spread is a part of the uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.run_scores import AgainstBaseline, ScoresOverRuns, SystemOverRuns
from tercet.comparison.values.sections import Section
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, listed
from tercet.statistics.estimates import Estimate, Variance, difference, over_runs, pooled_variance
from tercet.statistics.families import PairTests
from tercet.statistics.groups import Rank, ranks
from tercet.statistics.holm import adjusted_by_holm
from tercet.statistics.intervals import ConfidenceInterval
from tercet.table_formats import Column, Table, decimals, number_or_none, pvalue_text

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.values.design import Design
    from tercet.comparison.values.scores import ScoreTable

_TITLE = "Systems over their runs"

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
    lone = _systems_with_one_run(design)
    if len(lone) == len(systems):
        return None
    tests = _pair_tests(list(systems.values()), known, table.n_units)
    return ScoresOverRuns(
        baseline=design.system_of_baseline,
        is_pooled=bool(lone) and known is not None,
        systems=_systems_over_runs(design, table, systems, known, tests),
        adjusted_pvalues=tests.adjusted,
    )


def runs_section(design: Design, table: ScoreTable) -> Section:
    """Return the systems' mean scores over their runs, and whether they differ by more than segments and runs do."""
    over_runs = table.over_runs
    if over_runs is None:
        untested: dict[str, Any] = {
            "test": None,
            "baseline": design.system_of_baseline,
            "pooled": False,
            "systems": [],
        }
        sentence = ("One run each: the spread between runs is not in these p-values.",)
        return Section("runs", _TITLE, [sentence], None, untested)
    sentences = [*_sentences(design, over_runs), _which_are_runs(design.runs)]
    shown = _table_of_runs(over_runs.systems, table, design.confidence_level)
    return Section("runs", _TITLE, sentences, shown, over_runs.to_dict())


def _systems_with_one_run(design: Design) -> list[str]:
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
    over_runs = []
    for index, (system, estimate) in enumerate(systems.items()):
        bounds = interval_of(estimate, known, level, table.scorer)
        rank = ranks_of_systems[index]
        against = pvalue = adjusted_pvalue = None
        if system != baseline:
            against = against_baseline(systems[baseline], estimate, known, level)
            pvalue = number_or_none(tests.pvalues[index, column])
            adjusted_pvalue = number_or_none(tests.adjusted[index, column])
        over_runs.append(
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
    return over_runs


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
        systems[system] = over_runs(runs) if len(runs) > 1 else runs[0]
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


def _sentences(design: Design, over_runs: ScoresOverRuns) -> list[Sentence]:
    """Return which systems were not tested, where they are few, and what was taken for granted."""
    baseline = over_runs.baseline
    lone = _systems_with_one_run(design)
    of_unknown_spread = [] if over_runs.is_pooled else lone
    sentences: list[Sentence] = []
    if len(over_runs.systems) <= MOST_NAMED + 1:
        for system in over_runs.systems:
            if system.against is None or system.adjusted_pvalue is not None:
                continue
            is_known = baseline not in of_unknown_spread and system.system not in of_unknown_spread
            reason = why_untested(system.against, system.low, design.unit, knows_spread=is_known)
            sentences.append((Name(system.system), " against ", Name(baseline), f": not tested, as {reason}."))
    if lone:
        systems = listed(lone) if len(lone) <= MOST_NAMED else (f"{len(lone):,} systems",)
        verb, pronoun = ("has", "its") if len(lone) == 1 else ("have", "their")
        note = f" {verb} one run: a test needs 3 runs of one system, or 2 runs of two systems."
        if over_runs.is_pooled:
            note = f" {verb} one run: {pronoun} spread is taken to be that of the other systems' runs."
        sentences.append((*systems, note))
    return sentences


def why_untested(against: AgainstBaseline, low: float, unit: str, *, knows_spread: bool) -> str:
    """Return why a system was not tested against the baseline; `low` is the lower end of its own interval."""
    if math.isnan(against.difference):
        return "a score is NaN"
    if not knows_spread:
        return "the spread between runs is unknown"
    if math.isnan(low):
        return f"there is one {unit}"
    return f"the difference varies neither over {unit}s nor over runs"


def _which_are_runs(members_of: Mapping[str, Sequence[str]]) -> Sentence:
    """Return which outputs are the runs of which system, of systems with several."""
    several = {system: outputs for system, outputs in members_of.items() if len(outputs) > 1}
    parts = ["Runs: "]
    for number, (system, outputs) in enumerate(list(several.items())[:MOST_NAMED]):
        if number:
            parts.append("; ")
        parts += [Name(system), " is ", *listed(outputs, MOST_NAMED)]
    n_more = len(several) - MOST_NAMED
    parts.append(f"; and so on for {n_more:,} more." if n_more > 0 else ".")
    return tuple(parts)


def _table_of_runs(systems: Sequence[SystemOverRuns], table: ScoreTable, level: float) -> Table:
    has_ranks = len(systems) > 2
    shown = partial(decimals, digits=table.digits)
    columns = [
        Column("system", "name"),
        Column("runs", leaves=1),
        Column(table.name, after=table.arrow),
        Column("spread", leaves=3),
        Column(f"{100 * level:g} %", leaves=2),
        Column("difference", "difference"),
        Column("±", leaves=4),
        Column("adj. p" if has_ranks else "p"),
    ]
    if has_ranks:
        columns.append(Column("rank", leaves=5))
    cells: list[list[Any]] = []
    for system in systems:
        spread = difference = margin = p = ""
        if system.spread is not None:
            spread = shown(system.spread)
        # The baseline has none of these.
        if system.against is not None:
            difference = shown(system.against.difference, signed=True)
            if system.against.margin is not None:
                margin = shown(system.against.margin)
        if system.adjusted_pvalue is not None:
            p = pvalue_text(system.adjusted_pvalue)
        interval = f"{shown(system.low)} – {shown(system.high)}"
        n_runs = f"{len(system.runs):,}"
        cells.append([system.system, n_runs, shown(system.value), spread, interval, difference, margin, p])
        if has_ranks:
            # The best and the worst rank, once where they are the same.
            ends = dict.fromkeys(system.rank or ())
            cells[-1].append("–".join(map(str, ends)))
    return Table("", columns, cells)
