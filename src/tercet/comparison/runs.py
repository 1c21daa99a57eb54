"""Runs of a system, such as seeds: several outputs for the same texts, whose spread is a part of the uncertainty."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.checks import has_entries
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, joined, listed
from tercet.statistics.draws import ConfidenceInterval
from tercet.statistics.estimates import Difference, Estimate, Variance, difference, over_runs, pooled_variance
from tercet.statistics.families import PairTests, adjusted_by_holm
from tercet.statistics.groups import Rank, ranks
from tercet.statistics.inference import WELCH
from tercet.tables import Column, Table, decimals, number_or_none, pvalue_text

from .run_readings import check_reading, parts_of, read
from .sections import Section

if TYPE_CHECKING:
    from tercet.base.metric import Metric

    from .design import Design
    from .scores import ScoreTable

#: The test of systems with several runs.
TEST = WELCH.title

_TITLE = "Systems over their runs"

#: The least degrees of freedom of a spread that is taken to be that of systems with one run: with 1, the test rejects
#: twice as often as alpha says.
_LEAST_FREEDOM = 2


def members(systems: Sequence[str], runs: Any) -> dict[str, list[str]]:
    """Return the outputs that are runs of each system, by its name, in the order of the outputs.

    `runs` is a mapping of them, or a regular expression for the whole name of an output. Its last group is the run,
    the groups before it are the system's name, and without these, what remains of the output's name. An output that
    does not match, or that the mapping does not name, is a system with one run.
    """
    if isinstance(runs, Mapping):
        system_of = _systems_of_mapping(systems, runs)
    else:
        system_of = _systems_of_pattern(systems, runs)
    members_of: dict[str, list[str]] = {}
    for output in systems:
        system = system_of.get(output, output)
        if output in system_of and system in systems and system_of.get(system) != system:
            raise OptionError(f"runs: {shorten(system)} is the name of a system and of an output: rename one.")
        members_of.setdefault(system, []).append(output)
    return members_of


def _systems_of_mapping(systems: Sequence[str], runs: Mapping[str, Any]) -> dict[str, str]:
    system_of: dict[str, str] = {}
    for system, outputs in runs.items():
        if not isinstance(system, str) or isinstance(outputs, str) or not has_entries(outputs):
            raise OptionError(
                "runs must name the outputs of each system, as {'tuned': ['tuned-1', 'tuned-2']}. "
                f"Got {shorten(outputs)} for {shorten(system)}."
            )
        for output in outputs:
            if output not in systems:
                raise OptionError(f"runs: there is no system {shorten(output)}. {did_you_mean(output, systems)}")
            if output in system_of:
                raise OptionError(f"runs: {shorten(output)} is named twice.")
            system_of[output] = system
    return system_of


def _systems_of_pattern(systems: Sequence[str], runs: Any) -> dict[str, str]:
    try:
        pattern = re.compile(runs)
    except (TypeError, re.error) as error:
        raise OptionError(
            f"runs must be a regular expression such as 'tuned-(\\d+)'. Got {shorten(runs)}: {error}."
        ) from None
    if not pattern.groups:
        raise OptionError(f"runs: {shorten(runs)} has no group that is the run, as in 'tuned-(\\d+)'.")
    reading, matches = read(pattern, systems)
    system_of = reading.system_of
    if not system_of:
        names = joined(list(map(shorten, systems)), MOST_NAMED)
        raise OptionError(f"runs: {shorten(runs)} matches no system: {names}.")
    nameless = next((output for output, system in system_of.items() if not system), None)
    if nameless is not None:
        raise OptionError(
            f"runs: without its run, {shorten(nameless)} has no name: rename it, or give a mapping in Python."
        )
    first_of: dict[str, str] = {}
    for output, system in system_of.items():
        first = first_of.setdefault(system, output)
        if parts_of(matches[first]) != parts_of(matches[output]):
            differing = f"{parts_of(matches[first])} and {parts_of(matches[output])}"
            raise OptionError(
                f"runs: {shorten(first)} and {shorten(output)} would both be runs of {shorten(system)}, but their "
                f"groups differ: {differing}. Rename one, or give a mapping in Python."
            )
    check_reading(pattern.pattern, reading)
    return system_of


def first_output(baseline: str | None, members_of: Mapping[str, Sequence[str]]) -> str | None:
    """Return the output that stands for a baseline, which may be called by the name of a system."""
    return members_of[baseline][0] if isinstance(baseline, str) and baseline in members_of else baseline


def runs_section(design: Design, table: ScoreTable, resampled: Sequence[NDArray[np.float64]]) -> Section:
    """Return the systems' mean scores over their runs, and whether they differ by more than segments and runs do.

    `resampled` are paired resamples of the score of each output.
    """
    systems, known = estimates_over_runs(design.runs, table, resampled)
    baseline = design.system_of_baseline
    lone = [system for system, estimate in systems.items() if len(estimate.runs) < 2]
    if len(lone) == len(systems):
        untested: dict[str, Any] = {"test": None, "baseline": baseline, "pooled": False, "systems": []}
        sentence = ("One run each: the spread between runs is not in these p-values.",)
        return Section("runs", _TITLE, [sentence], None, untested)
    tests = _pair_tests(list(systems.values()), known, table.n_units)
    rows = _rows(design, table, systems, known, tests)
    value = {
        "test": TEST,
        "baseline": baseline,
        "pooled": bool(lone) and known is not None,
        "systems": rows,
        "adjusted_pvalues": tests.adjusted.tolist(),
    }
    sentences = [
        *_sentences(rows, baseline, f"{design.unit}s", lone, known),
        *_members_sentences(design.runs),
    ]
    return Section("runs", _TITLE, sentences, _table_of_runs(rows, table, design.confidence_level), value)


def _pair_tests(systems: Sequence[Estimate], known: Variance | None, n_units: int) -> PairTests:
    """Return p of each pair of systems, alone and adjusted for all pairs."""
    pvalues = np.ones((len(systems), len(systems)))
    for (i, first), (j, second) in combinations(enumerate(systems), 2):
        pvalues[i, j] = pvalues[j, i] = pvalue_of(first, second, known, n_units)
    return adjusted_by_holm(pvalues)


def _rows(
    design: Design, table: ScoreTable, systems: Mapping[str, Estimate], known: Variance | None, tests: PairTests
) -> list[dict[str, Any]]:
    """Return what is known of each system, by the names of the JSON."""
    level = design.confidence_level
    values = {row.system: row.value for row in table.rows}
    values_of_systems = [estimate.value for estimate in systems.values()]
    ranks_of_systems = _ranks(values_of_systems, tests.adjusted, design.alpha, table.higher_is_better)
    baseline = design.system_of_baseline
    column = list(systems).index(baseline)
    rows = []
    for index, (system, estimate) in enumerate(systems.items()):
        bounds = interval_of(estimate, known, level, table.scorer)
        rank = ranks_of_systems[index]
        row: dict[str, Any] = {
            "system": system,
            "runs": {name: values[name] for name in design.runs[system]},
            "value": estimate.value,
            "spread": spread_of(estimate),
            "low": bounds.low,
            "high": bounds.high,
            **against(systems[baseline], estimate, known, level),
            "pvalue": number_or_none(tests.pvalues[index, column]),
            "adjusted_pvalue": number_or_none(tests.adjusted[index, column]),
            "rank": None if rank is None else [rank.low, rank.high],
            "group": None if rank is None else rank.group,
        }
        if system == baseline:
            row |= dict.fromkeys(("difference", "margin", "t", "freedom", "pvalue", "adjusted_pvalue"))
        rows.append(row)
    return rows


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
    if n_units < 2 or not _has_spread(first, second, known):
        return math.nan
    return difference(first, second, known).pvalue()


def _has_spread(first: Estimate, second: Estimate, known: Variance | None) -> bool:
    """Return whether the spread of both systems over their runs is known, or taken to be that of others."""
    return known is not None or min(len(first.runs), len(second.runs)) > 1


def against(baseline: Estimate, system: Estimate, known: Variance | None, level: float) -> dict[str, Any]:
    """Return the difference from the baseline, half of its interval, and the figures of its test."""
    result: Difference = difference(baseline, system, known)
    margin = t = freedom = math.nan
    if _has_spread(baseline, system, known):
        margin = result.interval(level).high - result.value
        t = result.t
        freedom = result.variance.freedom
    return {
        "difference": result.value,
        "margin": number_or_none(margin),
        "t": number_or_none(t),
        "freedom": number_or_none(freedom),
    }


def _sentences(
    rows: Sequence[Mapping[str, Any]],
    baseline: str,
    unit: str,
    lone: Sequence[str],
    known: Variance | None,
) -> list[Sentence]:
    """Return which systems were not tested, where they are few, and what was taken for granted."""
    compared = [row for row in rows if row["system"] != baseline]
    sentences: list[Sentence] = []
    if len(compared) <= MOST_NAMED:
        for row in compared:
            if row["adjusted_pvalue"] is None:
                reason = why_untested(row, baseline, unit, lone if known is None else ())
                sentences.append((Name(row["system"]), " against ", Name(baseline), f": not tested, as {reason}."))
    if lone:
        systems = listed(lone) if len(lone) <= MOST_NAMED else (f"{len(lone):,} systems",)
        verb, pronoun = ("has", "its") if len(lone) == 1 else ("have", "their")
        if known is None:
            note = f" {verb} one run: a test needs 3 runs of one system, or 2 runs of two systems."
        else:
            note = f" {verb} one run: {pronoun} spread is taken to be that of the other systems' runs."
        sentences.append((*systems, note))
    return sentences


def why_untested(row: Mapping[str, Any], baseline: str, unit: str, lone: Sequence[str]) -> str:
    """Return why a system was not tested against the baseline, where `lone` are those whose spread is unknown."""
    if math.isnan(row["difference"]):
        return "a score is NaN"
    if baseline in lone or row["system"] in lone:
        return "the spread between runs is unknown"
    if row["low"] is None or math.isnan(row["low"]):
        return f"there is one {unit.removesuffix('s')}"
    return f"the difference varies neither over {unit} nor over runs"


def _members_sentences(members_of: Mapping[str, Sequence[str]]) -> list[Sentence]:
    """Return which outputs are the runs of which system, of systems with several."""
    several = {system: outputs for system, outputs in members_of.items() if len(outputs) > 1}
    parts = ["Runs: "]
    for number, (system, outputs) in enumerate(list(several.items())[:MOST_NAMED]):
        if number:
            parts.append("; ")
        parts += [Name(system), " is ", *listed(outputs, MOST_NAMED)]
    n_more = len(several) - MOST_NAMED
    parts.append(f"; and so on for {n_more:,} more." if n_more > 0 else ".")
    return [tuple(parts)]


def _table_of_runs(rows: Sequence[Mapping[str, Any]], table: ScoreTable, level: float) -> Table:
    has_ranks = len(rows) > 2
    shown = partial(decimals, digits=table.digits)
    columns = [
        Column("system", "name"),
        Column("runs", leaves=1),
        Column(table.name, after="" if table.higher_is_better else " ↓"),
        Column("spread", leaves=3),
        Column(f"{100 * level:g} %", leaves=2),
        Column("difference", "difference"),
        Column("±", leaves=4),
        Column("adj. p" if has_ranks else "p"),
    ]
    if has_ranks:
        columns.append(Column("rank", leaves=5))
    cells: list[list[Any]] = []
    for row in rows:
        spread = difference = margin = p = ""
        if row["spread"] is not None:
            spread = shown(row["spread"])
        # The baseline's row has none of these.
        if row["difference"] is not None:
            difference = shown(row["difference"], signed=True)
        if row["margin"] is not None:
            margin = shown(row["margin"])
        if row["adjusted_pvalue"] is not None:
            p = pvalue_text(row["adjusted_pvalue"])
        interval = f"{shown(row['low'])} – {shown(row['high'])}"
        n_runs = f"{len(row['runs']):,}"
        cells.append([row["system"], n_runs, shown(row["value"]), spread, interval, difference, margin, p])
        if has_ranks:
            # The best and the worst rank, once where they are the same.
            ends = dict.fromkeys(row["rank"] or ())
            cells[-1].append("–".join(map(str, ends)))
    return Table("", columns, cells)
