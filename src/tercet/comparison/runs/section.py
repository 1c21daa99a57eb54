"""What is said of systems with several runs: their means and spread in a table, and why some were not tested."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tercet.comparison.values.run_scores import AgainstBaseline, ScoresOverRuns, SystemOverRuns
from tercet.comparison.values.scores import places_of
from tercet.comparison.values.sections import Section
from tercet.comparison.wording.decimals import percent
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, listed
from tercet.table_formats import Column, LeftOut, Table, decimals, interval_text, pvalue_text

from .significance import systems_with_one_run

if TYPE_CHECKING:
    from tercet.comparison.values.design import Design
    from tercet.comparison.values.scores import ScoreTable

_TITLE = "Systems over their runs"


def runs_section(design: Design, table: ScoreTable) -> Section:
    """Return the systems' mean scores over their runs, and whether they differ by more than segments and runs do."""
    means = table.over_runs
    if means is None:
        untested: dict[str, Any] = {
            "test": None,
            "baseline": design.system_of_baseline,
            "pooled": False,
            "systems": [],
        }
        sentence = ("One run each: the spread between runs is not in these p-values.",)
        return Section("runs", _TITLE, [sentence], None, untested)
    sentences = [*_sentences(design, means), _which_are_runs(design.runs)]
    shown = _table_of_runs(means.systems, table, design.confidence_level)
    return Section("runs", _TITLE, sentences, shown, means.to_dict())


def _sentences(design: Design, means: ScoresOverRuns) -> list[Sentence]:
    """Return which systems were not tested, where they are few, and what was taken for granted."""
    baseline = means.baseline
    lone = systems_with_one_run(design)
    without_spread = [] if means.is_pooled else lone
    sentences: list[Sentence] = []
    if len(means.systems) <= MOST_NAMED + 1:
        for system in means.systems:
            if system.against is None or system.adjusted_pvalue is not None:
                continue
            is_known = baseline not in without_spread and system.system not in without_spread
            reason = why_untested(system.against, system.low, design.unit, knows_spread=is_known)
            sentences.append((Name(system.system), " against ", Name(baseline), f": not tested, as {reason}."))
    if lone:
        systems = listed(lone) if len(lone) <= MOST_NAMED else (f"{len(lone):,} systems",)
        verb, pronoun = ("has", "its") if len(lone) == 1 else ("have", "their")
        note = f" {verb} one run: a test needs 3 runs of one system, or 2 runs of two systems."
        if means.is_pooled:
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
        Column("runs", leaves=LeftOut.COUNTS),
        Column(table.name, after=table.arrow),
        Column("spread", leaves=LeftOut.SIZES),
        Column(percent(level), leaves=LeftOut.INTERVALS),
        Column("difference", "difference"),
        Column("±", leaves=LeftOut.MARGINS),
        Column("adj. p" if has_ranks else "p"),
    ]
    if has_ranks:
        columns.append(Column("rank", leaves=LeftOut.RANKS))
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
        interval = interval_text(system.low, system.high, table.digits)
        n_runs = f"{len(system.runs):,}"
        cells.append([system.system, n_runs, shown(system.value), spread, interval, difference, margin, p])
        if has_ranks:
            cells[-1].append(places_of(system.rank))
    return Table("", columns, cells)
