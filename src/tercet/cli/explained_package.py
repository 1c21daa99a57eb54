"""Why another package gives another score, as ``tercet explain --against`` shows it: tables, sentences, or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.markup import escape
from rich.table import Table

from tercet.names_as_shown import one_cell, visible
from tercet.registry import metric_class

if TYPE_CHECKING:
    from tercet.comparison.packages.package_differences import Difference, Rule

#: Characters that the words of a table and a column of scores need: how many scores stand side by side.
_WORDS_WIDTH = 44
_SCORE_WIDTH = 17

#: Scores of two packages nearer than this are equal, as those of sums in another order.
_SAME = 1e-6


class SystemDifference(NamedTuple):
    """Why the other package gives a system another score."""

    test_set: str
    system: str
    difference: Difference


def to_json(differences: Sequence[SystemDifference]) -> str:
    """Return explanations as a JSON list, an object for each system of each test set."""
    from tercet.table_formats import finite_or_none

    rows = []
    for of_system in differences:
        difference = of_system.difference
        row: dict[str, Any] = {
            "test_set": of_system.test_set,
            "system": of_system.system,
            **asdict(difference),
            "same": difference.same,
        }
        for rule_fields, rule in zip(row["rules"], difference.rules, strict=True):
            rule_fields |= {"change": rule.change, "has_effect": rule.has_effect}
        rows.append(row)
    return json.dumps(finite_or_none(rows), ensure_ascii=False, indent=2, default=str, allow_nan=False)


def to_text(differences: Sequence[SystemDifference], width: int, *, colour: bool) -> str:
    """Return explanations for a terminal, one below the other."""
    from tercet.table_formats import to_terminal

    parts: list[Any] = []
    for of_system in differences:
        title = f"{of_system.test_set}: {of_system.system}"
        parts += _parts_of(of_system.difference, title, width)
    return to_terminal(parts, width, colour)


def _parts_of(difference: Difference, title: str, width: int) -> Iterator[Any]:
    """Yield an explanation: both numbers, the rules between them, and the segments that differ most."""
    lower = " (lower is better)"
    if metric_class(difference.metric).higher_is_better:
        lower = ""
    heading = one_cell(f"{title}: {difference.metric} against {difference.against}{lower}")
    # As many scores beside each other as the terminal has room for.
    at_once = max(1, (width - _WORDS_WIDTH) // _SCORE_WIDTH)
    for start in range(0, len(difference.names), at_once):
        yield _chain_table(difference, difference.names[start : start + at_once], heading)
    yield from map(visible, _sentences_on(difference))
    if difference.largest_gaps:
        yield _gaps_table(difference)


def _chain_table(difference: Difference, names: Sequence[str], heading: str) -> Table:
    """Return the chain from ours to theirs, one row per rule."""
    table = Table(title=escape(heading), box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("rule", overflow="fold")
    table.add_column("ours → theirs", overflow="fold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("ours", "", *_score_cells(difference.ours, names), style="bold")
    for rule in difference.rules:
        values = escape(visible(f"{rule.from_value} → {rule.to_value}"))
        rule_in_words = f"{escape(rule.name)}\n[dim]{escape(rule.description)}[/]"
        changes = ["no effect here"]
        if rule.has_effect:
            changes = [_signed_change(rule, name) for name in names]
        table.add_row(rule_in_words, values, *changes)
    table.add_row(f"compat={difference.against}", "", *_score_cells(difference.equal_to, names), style="bold")
    if difference.theirs is not None:
        table.add_row(f"{difference.against} itself", "", *_score_cells(difference.theirs, names), style="bold")
    return table


def _sentences_on(difference: Difference) -> list[str]:
    """Return sentences on the scores of both, in the order in which they are read."""
    lines = []
    if difference.same:
        ours = "score of the corpus equals that"
        if len(difference.names) > 1:
            ours = "scores of the corpus equal those"
        equal_to = f"compat={difference.against}"
        if _equals_package(difference):
            equal_to = difference.against
        lines.append(f"Our {ours} of {equal_to}.")
    else:
        for name in difference.names:
            rule = difference.decisive(name)
            if rule is not None:
                lines.append(f"{name} changes most with {rule.name}: {rule.description}.")
    if difference.unavailable:
        missing = "Not all of it"
        if difference.theirs is None:
            missing = "Not called"
        lines.append(f"{missing}: {difference.unavailable}.")
    lines += [f"Note: {note.rstrip('.')}." for note in difference.notes]
    lines.append(f"{difference.n_segments_differ} of {difference.n_segments} segments differ.")
    return lines


def _equals_package(difference: Difference) -> bool:
    """Return whether the other package was called, and gave our scores."""
    theirs = difference.theirs
    if theirs is None:
        return False
    return all(abs(difference.ours[name] - theirs.get(name, math.inf)) <= _SAME for name in difference.names)


def _gaps_table(difference: Difference) -> Table:
    """Return a table of the items that differ most, each with its most different score."""
    table = Table(title="Segments that differ most", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("segment", justify="right")
    table.add_column("score")
    table.add_column("ours", justify="right")
    table.add_column("theirs", justify="right")
    for gap in difference.largest_gaps:
        name = max(gap.ours, key=lambda name: abs(gap.ours[name] - gap.theirs[name]))
        table.add_row(str(gap.index + 1), name, f"{gap.ours[name]:.4f}", f"{gap.theirs[name]:.4f}")
    return table


def _score_cells(scores: Mapping[str, float], names: Sequence[str]) -> list[str]:
    cells = []
    for name in names:
        cell = "–"
        if name in scores:
            cell = f"{scores[name]:.4f}"
        cells.append(cell)
    return cells


def _signed_change(rule: Rule, name: str) -> str:
    change = rule.change[name]
    # Smaller changes would be 0 with four decimals.
    if abs(change) >= 5e-5:
        return f"{change:+.4f}"
    if abs(change) < 1e-9:
        return "0"
    return f"{change:+.0e}"
