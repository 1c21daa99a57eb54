"""Which systems cannot be told apart, in a sentence and as lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.values.sections import Section
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, listed


def groups_section(table: ScoreTable) -> Section:
    """Return the groups of systems, the best first; a sentence says them of three systems or more."""
    best_first = [table.rows[index] for index in table.order]
    rows = [row for row in best_first if row.group is not None]
    groups = []
    for _, members in groupby(rows, lambda row: row.group):
        groups.append([row.system for row in members])
    sentences = []
    if len(rows) > 2:
        sentences.append(_sentence(groups))
    return Section("groups", "Groups that the test tells apart", sentences, None, groups)


def _sentence(groups: Sequence[Sequence[str]]) -> Sentence:
    if len(groups) == 1:
        return ("One group: the test does not split the ranking anywhere.",)
    parts = [f"{len(groups)} groups that the test tells apart: "]
    for number, group in enumerate(groups, 1):
        if len(group) > MOST_NAMED:
            # It stands in the order of the table: its first and its last are enough.
            parts += [Name(group[0]), " to ", Name(group[-1]), f" ({len(group)} systems)"]
        else:
            parts += listed(group)
        parts.append("." if number == len(groups) else "; ")
    return tuple(parts)
