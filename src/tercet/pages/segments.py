"""The segments of a report: where two systems differ most, and one segment under all systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from .matches import Colours, Text, plain

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable

T = TypeVar("T")

_PAIRS = 3  # of systems
_EACH_WAY = 5
#: References of a segment that are shown.
MOST_REFERENCES = 8


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a system for a segment."""

    system: str
    score: float | None  # None if left out
    text: Text


@dataclass(frozen=True, slots=True)
class Example:
    """A segment with outputs."""

    number: int  # from 1
    source: Text | None
    references: list[Text]
    more_references: int  # not shown
    outputs: list[Output]


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """The baseline and a system beside it, and where they differ most."""

    one: str
    other: str
    groups: list[tuple[str, list[T]]]  # the system that scores or matches more, and where, greatest difference first


def compared_pairs(comparison: Comparison, table: ScoreTable) -> list[tuple[str, str]]:
    """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
    others = [row for row in table.rows if row.difference is not None]
    others.sort(key=lambda row: (not row.best, -abs(row.difference or 0.0)))
    return [(comparison.baseline, row.system) for row in others[:_PAIRS]]


def which_pairs(table: ScoreTable) -> str:
    """Return which pairs of systems are shown, and why these."""
    others = len(table.rows) - 1
    if others < 2:
        return ""
    best_is_baseline = next(row.best for row in table.rows if row.difference is None)
    also = "" if best_is_baseline else "with the best system, and "
    shown = f"the baseline {also}with those whose {table.title} differs most from its"
    if others <= _PAIRS:
        return "Each other system is shown beside the baseline."
    return f"Shown: {shown} ({_PAIRS} of {others} pairs); the list of segments below has every pair."


class Segments:
    """Chooses the segments of a score and colours the outputs."""

    def __init__(self, comparison: Comparison, table: ScoreTable) -> None:
        self.comparison, self.table = comparison, table
        self.colours = Colours(table)
        self.legend = self.colours.legend

    def pairs(self) -> list[Pair[Example]]:
        """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
        return [self._pair(*each) for each in compared_pairs(self.comparison, self.table)]

    def spread(self) -> Example | None:
        """Return the segment whose scores lie furthest apart, with every system, best first."""
        systems = list(self.table.segments)
        columns = zip(*self.table.segments.values(), strict=True)
        known = ([score for score in scores if score is not None] for scores in columns)
        spreads = [(max(own) - min(own), -index) for index, own in enumerate(known) if own]
        if len(systems) < 3 or not spreads or max(spreads)[0] <= 0:
            return None  # of two systems the segments above show the same
        index = -max(spreads)[1]
        best = next((row.value for row in self.table.rows if row.best), 0.0)  # none: all scores are 0
        sign = -1 if best >= max(row.value for row in self.table.rows) else 1
        ordered = sorted(systems, key=lambda name: sign * (self.table.segments[name][index] or 0.0))
        return self._example(index, ordered)

    def _pair(self, one: str, other: str) -> Pair[Example]:
        mine, theirs = self.table.segments[one], self.table.segments[other]
        both = enumerate(zip(mine, theirs, strict=True))
        differences = [(b - a, index) for index, (a, b) in both if a is not None and b is not None]
        up = sorted((pair for pair in differences if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))
        down = sorted(pair for pair in differences if pair[0] < 0)
        groups = [(system, found[:_EACH_WAY]) for system, found in ((other, up), (one, down)) if found]
        shown = [(system, [self._example(index, (one, other)) for _, index in found]) for system, found in groups]
        return Pair(one, other, shown)

    def _example(self, index: int, systems: Sequence[str]) -> Example:
        test_set, scores = self.comparison.test_set, self.table.segments
        references = test_set.references[index]
        texts = {name: self.colours.of(test_set.systems[name][index], references) for name in systems}
        source = None if test_set.source is None else plain(test_set.source[index])
        shown, more = references[:MOST_REFERENCES], max(0, len(references) - MOST_REFERENCES)
        outputs = [Output(name, scores[name][index], text) for name, text in texts.items()]
        return Example(index + 1, source, list(map(plain, shown)), more, outputs)
