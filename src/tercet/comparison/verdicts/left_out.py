"""How many segments are compared, where some are left out because systems lack them or their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from tercet.comparison.result import Comparison
from tercet.comparison.values.scores import ScoreTable
from tercet.files.join import LACKING
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, joined
from tercet.test_sets.test_set import TestSet


def what_is_left_out(comparison: Comparison, names: Mapping[str, str]) -> list[Sentence]:
    """Return how many segments are compared, where some are left out because systems lack them or their numbers.

    Scores are named where more are left out of some than of others.
    """
    titles_by_gaps: dict[_LeftOut, list[str]] = {}
    for table, title in zip(comparison.tables, comparison.titles(), strict=True):
        titles_by_gaps.setdefault(_left_out(comparison.test_set, table), []).append(title)
    sentences = []
    for left_out, titles in titles_by_gaps.items():
        if left_out.lacking:
            scores = joined(titles, MOST_NAMED) if len(titles_by_gaps) > 1 else ""
            sentences.append(_only_compared(comparison.test_set, left_out, scores, names))
    return sentences


class _LeftOut(NamedTuple):
    """How many segments are compared by a score, and how many each system lacks that lacks any."""

    n_compared: int
    lacking: tuple[tuple[str, int], ...]


def _left_out(test_set: TestSet, table: ScoreTable) -> _LeftOut:
    """Return what a score leaves out."""
    lacking: Counter[str] = Counter()
    if test_set.n_expected > test_set.n_segments:
        lacking.update({system: counts.get(LACKING, 0) for system, counts in test_set.lost.items()})
    if isinstance(table.scorer, Column):
        for system, stats in table.stats.items():
            has_no_number = (stats.column("items") == 0) & (stats.column("missing") > 0)
            lacking[system] += int(has_no_number.sum())
    # Also left out are those that the metric skips, such as ones without a reference.
    n_compared = table.n_scored(test_set.n_segments)
    return _LeftOut(n_compared, tuple((system, count) for system, count in lacking.items() if count))


def _only_compared(test_set: TestSet, left_out: _LeftOut, scores: str, names: Mapping[str, str]) -> Sentence:
    """Return how many segments are compared, by the scores that are named, and which systems lack others."""
    only = f"By {scores}, only" if scores else "Only"
    first = f"{only} {left_out.n_compared:,} of {test_set.n_expected:,} segments are compared: "
    lacking = left_out.lacking
    if len(lacking) > MOST_NAMED:
        return (f"{first}{len(lacking)} systems lack others.",)
    parts: list[str] = [first]
    for number, (system, count) in enumerate(lacking, 1):
        if number > 1:
            parts.append(" and " if number == len(lacking) else ", ")
        parts += [Name(names.get(system, system)), f" lacks {count:,}"]
    return (*parts, ".")
