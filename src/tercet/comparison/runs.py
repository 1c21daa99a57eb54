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
from tercet.markup import MOST_NAMED, Sentence, joined, listed
from tercet.statistics.bootstrap import ConfidenceInterval
from tercet.statistics.estimates import Difference, Estimate, Variance, difference, over_runs, pooled_variance
from tercet.statistics.families import adjusted_by_holm
from tercet.statistics.groups import Rank, ranks
from tercet.tables import Column, Table, decimals, number_or_none, pvalue_text

from .sections import Section

if TYPE_CHECKING:
    from .scores import Comparison, ScoreTable

#: The test of systems with several runs.
TEST = "Welch's t over units and runs"

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
    system_of = _named(systems, runs) if isinstance(runs, Mapping) else _matched(systems, runs)
    members_of: dict[str, list[str]] = {}
    for output in systems:
        system = system_of.get(output, output)
        if output in system_of and system in systems and system_of.get(system) != system:
            raise OptionError(f"runs: {shorten(system)} is the name of a system and of an output: rename one.")
        members_of.setdefault(system, []).append(output)
    return members_of


def _named(systems: Sequence[str], runs: Mapping[str, Any]) -> dict[str, str]:
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


def _matched(systems: Sequence[str], runs: Any) -> dict[str, str]:
    try:
        pattern = re.compile(runs)
    except (TypeError, re.error) as error:
        raise OptionError(
            f"runs must be a regular expression such as 'tuned-(\\d+)'. Got {shorten(runs)}: {error}."
        ) from None
    if not pattern.groups:
        raise OptionError(f"runs: {shorten(runs)} has no group that is the run, as in 'tuned-(\\d+)'.")
    matches = {
        output: match
        for output in systems
        if (match := pattern.fullmatch(output)) and match[pattern.groups] is not None
    }
    system_of = {output: _stem(match) for output, match in matches.items()}
    if not system_of:
        names = joined([*map(shorten, systems)], MOST_NAMED)
        raise OptionError(f"runs: {shorten(runs)} matches no system: {names}.")
    nameless = next((output for output, system in system_of.items() if not system), None)
    if nameless is not None:
        raise OptionError(
            f"runs: without its run, {shorten(nameless)} has no name: rename it, or give a mapping in Python."
        )
    first_of: dict[str, str] = {}
    for output, system in system_of.items():
        first = first_of.setdefault(system, output)
        if _parts(matches[first]) != _parts(matches[output]):
            differing = f"{_parts(matches[first])} and {_parts(matches[output])}"
            raise OptionError(
                f"runs: {shorten(first)} and {shorten(output)} would both be runs of {shorten(system)}, but their "
                f"groups differ: {differing}. Rename one, or give a mapping in Python."
            )
    return system_of


def _parts(match: re.Match[str]) -> tuple[str, ...]:
    """Return the parts of a system's name: the groups before the run."""
    return tuple(filter(None, match.groups()[:-1]))


def _stem(match: re.Match[str]) -> str:
    """Return the name of a system from that of its output."""
    if parts := _parts(match):
        return "-".join(parts)
    start, end = match.span(match.re.groups)
    separators = "-_./: "
    head, tail = match.string[:start].rstrip(separators), match.string[end:]
    return head + tail if head else tail.lstrip(separators)


def first_output(baseline: str | None, members_of: Mapping[str, Sequence[str]]) -> str | None:
    """Return the output that stands for a baseline, which may be called by the name of a system."""
    return members_of[baseline][0] if isinstance(baseline, str) and baseline in members_of else baseline


def runs_section(
    comparison: Comparison, table: ScoreTable, resampled: Sequence[NDArray[np.float64]], n_units: int
) -> Section:
    """Return the systems' mean scores over their runs, and whether they differ by more than segments and runs do.

    `resampled` are paired resamples of the score of each output.
    """
    higher, level = table.higher_is_better, comparison.confidence_level
    systems, known = estimates_over_runs(comparison.runs, table, resampled)
    values = {row.system: row.value for row in table.rows}
    baseline = next(system for system, names in comparison.runs.items() if comparison.baseline in names)
    lone = [system for system, estimate in systems.items() if len(estimate.runs) < 2]
    names = list(systems)
    if len(lone) == len(names):
        value: dict[str, Any] = {"test": None, "baseline": baseline, "pooled": False, "systems": []}
        sentence = ("One run each: the spread between runs is not in these p-values.",)
        return Section("runs", _TITLE, [sentence], None, value)
    pvalues = np.ones((len(names), len(names)))
    for (i, first), (j, second) in combinations(enumerate(names), 2):
        is_untested = n_units < 2 or (known is None and (first in lone or second in lone))
        p = math.nan if is_untested else difference(systems[first], systems[second], known).pvalue()
        pvalues[i, j] = pvalues[j, i] = p
    adjusted_pvalues = adjusted_by_holm(pvalues).adjusted
    places = _ranks([estimate.value for estimate in systems.values()], adjusted_pvalues, comparison.alpha, higher)
    column = names.index(baseline)
    rows = []
    for place, (system, estimate) in enumerate(systems.items()):
        bounds, rank = _possible(estimate.interval(level, known), estimate, table), places[place]
        row: dict[str, Any] = {
            "system": system,
            "runs": {name: values[name] for name in comparison.runs[system]},
            "value": estimate.value,
            "spread": float(np.std(estimate.runs, ddof=1)) if estimate.runs else None,
            "low": bounds.low,
            "high": bounds.high,
            **_against(systems[baseline], estimate, known, level),
            "pvalue": number_or_none(pvalues[place, column]),
            "adjusted_pvalue": number_or_none(adjusted_pvalues[place, column]),
            "rank": None if rank is None else [rank.low, rank.high],
            "group": None if rank is None else rank.group,
        }
        if system == baseline:
            row |= dict.fromkeys(("difference", "margin", "t", "freedom", "pvalue", "adjusted_pvalue"))
        rows.append(row)
    uses_pooled = bool(lone) and known is not None
    unit = "segments" if comparison.test_set.clusters is None else "clusters"
    value = {"test": TEST, "baseline": baseline, "pooled": uses_pooled, "systems": rows}
    sentences = [
        *_sentences(rows, baseline, table, comparison.alpha, unit, lone, known),
        *_members_sentences(comparison.runs),
    ]
    return Section("runs", _TITLE, sentences, _table(rows, table, comparison), value)


def estimates_over_runs(
    members_of: Mapping[str, Sequence[str]], table: ScoreTable, resampled: Sequence[NDArray[np.float64]]
) -> tuple[dict[str, Estimate], Variance | None]:
    """Return the mean score of each system's runs, and the spread of a system with one: None if too few say it."""
    outputs = {
        row.system: Estimate(row.value, draws, table.n_units)
        for row, draws in zip(table.rows, resampled, strict=True)
    }
    systems = {
        system: over_runs([outputs[name] for name in names]) if len(names) > 1 else outputs[names[0]]
        for system, names in members_of.items()
    }
    pooled = pooled_variance(list(systems.values()))
    return systems, pooled if pooled is not None and pooled.freedom >= _LEAST_FREEDOM else None


def _ranks(
    values: Sequence[float], pvalues: NDArray[np.float64], alpha: float, higher_is_better: bool
) -> list[Rank | None]:
    """Return the rank of each system among those that were tested against any; None for the rest."""
    # On the diagonal p is 1.
    tested = [place for place in range(len(values)) if np.isfinite(np.delete(pvalues[place], place)).any()]
    places = dict(
        zip(
            tested,
            ranks([values[place] for place in tested], pvalues[np.ix_(tested, tested)], alpha, higher_is_better),
            strict=True,
        )
    )
    return [places.get(place) for place in range(len(values))]


def _possible(bounds: ConfidenceInterval, estimate: Estimate, table: ScoreTable) -> ConfidenceInterval:
    """Return an interval of Student's t within what a score can be, as those of resamples are."""
    (low, high), scale = bounds, table.scorer.scale
    # Some shares, such as rescaled or negative similarities, are below 0.
    if table.scorer.unit is not None and estimate.resampled.min() >= 0:
        low = max(low, 0.0)
    if table.scorer.unit == "share" and estimate.resampled.max() <= scale:
        high = min(high, float(scale))
    return ConfidenceInterval(low, high)


def _against(baseline: Estimate, system: Estimate, known: Variance | None, level: float) -> dict[str, Any]:
    """Return the difference from the baseline, half of its interval, and the figures of its test."""
    result: Difference = difference(baseline, system, known)
    is_tested = known is not None or min(len(baseline.runs), len(system.runs)) > 1
    margin = result.interval(level).high - result.value if is_tested else math.nan
    return {
        "difference": result.value,
        "margin": number_or_none(margin),
        "t": number_or_none(result.t if is_tested else math.nan),
        "freedom": number_or_none(result.variance.freedom if is_tested else math.nan),
    }


def _n_runs(row: Mapping[str, Any]) -> str:
    n = len(row["runs"])
    return f"{n:,} run{'s' * (n != 1)}"


def _sentences(
    rows: Sequence[Mapping[str, Any]],
    baseline: str,
    table: ScoreTable,
    alpha: float,
    unit: str,
    lone: Sequence[str],
    known: Variance | None,
) -> list[Sentence]:
    """Return a sentence for each system, where they are few, and what was taken for granted."""
    shown = partial(decimals, digits=table.rows[0].digits)
    compared = [row for row in rows if row["system"] != baseline]
    of_baseline = next(_n_runs(row) for row in rows if row["system"] == baseline)
    p_name = "p" if len(rows) == 2 else "adjusted p"
    sentences: list[Sentence] = []
    for row in compared if len(compared) <= MOST_NAMED else []:
        p, apart = row["adjusted_pvalue"], shown(row["difference"], signed=True)
        if p is None:
            verdict = _untested(row, baseline, unit, lone if known is None else ())
        elif p >= alpha:
            verdict = f"not distinguishable from the noise of {unit} and runs ({p_name} {pvalue_text(p)})."
        else:
            better = "better" if (row["difference"] > 0) == table.higher_is_better else "worse"
            verdict = f"{better} by more than the noise of {unit} and runs ({p_name} {pvalue_text(p)})."
        margin = "" if row["margin"] is None else f" ± {shown(row['margin'])}"
        text = f" ({_n_runs(row)}): {apart}{margin} {table.title} against "
        sentences.append(("", row["system"], text, baseline, f" ({of_baseline}): {verdict}"))
    if lone:
        *head, last = listed(lone) if len(lone) <= MOST_NAMED else (f"{len(lone):,} systems",)
        verb, pronoun = ("has", "its") if len(lone) == 1 else ("have", "their")
        if known is None:
            note = f" {verb} one run: a test needs 3 runs of one system, or 2 runs of two systems."
        else:
            note = f" {verb} one run: {pronoun} spread is taken to be that of the other systems' runs."
        sentences.append((*head, last + note))
    return sentences


def _untested(row: Mapping[str, Any], baseline: str, unit: str, lone: Sequence[str]) -> str:
    """Return why a system was not tested against the baseline, where `lone` are those whose spread is unknown."""
    if math.isnan(row["difference"]):
        return "not tested, as a score is NaN."
    if baseline in lone or row["system"] in lone:
        return "not tested, as the spread between runs is unknown."
    if math.isnan(row["low"]):
        return f"not tested, as there is one {unit.removesuffix('s')}."
    return f"not tested, as the difference varies neither over {unit} nor over runs."


def _members_sentences(members_of: Mapping[str, Sequence[str]]) -> list[Sentence]:
    """Return which outputs are the runs of which system, of systems with several."""
    several = {system: outputs for system, outputs in members_of.items() if len(outputs) > 1}
    parts = ["Runs: "]
    for system, outputs in list(several.items())[:MOST_NAMED]:
        parts += [system, " is ", *listed(outputs, MOST_NAMED)[1:]]
        parts[-1] += "; "
    more = len(several) - MOST_NAMED
    parts[-1] = f"{parts[-1]}and so on for {more:,} more." if more > 0 else f"{parts[-1].removesuffix('; ')}."
    return [tuple(parts)]


def _table(rows: Sequence[Mapping[str, Any]], table: ScoreTable, comparison: Comparison) -> Table:
    several, shown = len(rows) > 2, partial(decimals, digits=table.rows[0].digits)
    columns = [
        Column("system", "name"),
        Column("runs"),
        Column(table.name, after="" if table.higher_is_better else " ↓"),
        Column("spread"),
        Column(f"{100 * comparison.confidence_level:g} %"),
        Column("difference", "difference"),
        Column("±"),
        Column("adj. p" if several else "p"),
        *([Column("rank")] if several else []),
    ]
    cells: list[list[Any]] = []
    for row in rows:
        p, rank = row["adjusted_pvalue"], row["rank"]
        cells.append(
            [
                row["system"],
                f"{len(row['runs']):,}",
                shown(row["value"]),
                "" if row["spread"] is None else shown(row["spread"]),
                f"{shown(row['low'])} – {shown(row['high'])}",
                "" if row["difference"] is None else shown(row["difference"], signed=True),
                "" if row["margin"] is None else shown(row["margin"]),
                "" if p is None else pvalue_text(p),
            ]
        )
        if several:
            cells[-1].append("" if rank is None else "–".join(map(str, dict.fromkeys(rank))))
    return Table("", columns, cells)
