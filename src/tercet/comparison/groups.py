"""Which systems cannot be told apart, in a sentence and as lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tercet.markup import MOST_NAMED, Sentence, listed

from .scores import ScoreTable
from .sections import Section


def groups_section(table: ScoreTable) -> Section:
    """Return the groups of systems, the best first; a sentence says them of three systems or more."""
    rows = [table.rows[place] for place in table.order if table.rows[place].group is not None]
    groups = [[row.system for row in members] for _, members in groupby(rows, lambda row: row.group)]
    title = "Groups that the test tells apart"
    return Section("groups", title, [_sentence(groups)] if len(rows) > 2 else [], None, groups)


def _sentence(groups: Sequence[Sequence[str]]) -> Sentence:
    if len(groups) == 1:
        return ("One group: nowhere in the ranking are all systems above significantly better than all below.",)
    sentence = [f"{len(groups)} groups that the test tells apart: "]
    for place, group in enumerate(groups):
        last = "." if place == len(groups) - 1 else "; "
        parts = listed(group)
        if len(group) > MOST_NAMED:
            # It stands in the order of the table: its first and its last are enough.
            parts = ("", group[0], " to ", group[-1], f" ({len(group)} systems)")
        sentence[-1] += parts[0]
        sentence += parts[1:-1]
        sentence.append(parts[-1] + last)
    return tuple(sentence)
