"""The segments of a report: where two systems differ most, and one segment under all systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from .matches import Colours, Text, plain

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable

    from .lengths import Buckets

T = TypeVar("T")

_PAIRS = 3  # of systems
_EACH_WAY = 5
_MOST_REFERENCES = 8
#: Segments to browse, at most, and characters of their texts, about.
_BROWSED, _CHARACTERS = 200, 250_000


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
    length: int | None = None  # of the reference or the source, where it is known


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """The baseline and a system beside it, and where they differ most."""

    one: str
    other: str
    groups: list[tuple[str, list[T]]]  # the system that scores or matches more, and where, greatest difference first


@dataclass(frozen=True, slots=True)
class Browse:
    """Segments to browse: those whose scores differ most first; for one system, the worst first."""

    examples: list[Example]
    n_segments: int  # that have a score of every system
    systems: list[str]  # whose outputs are shown
    score: str
    legend: Sequence[str]
    unit: str  # what lengths count, and of what; empty where they are not known
    of: str


def compared_pairs(comparison: Comparison, table: ScoreTable) -> list[tuple[str, str]]:
    """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
    others = [row for row in table.rows if row.difference is not None]
    others.sort(key=lambda row: (not row.best, -abs(row.difference or 0.0)))
    return [(comparison.baseline, row.system) for row in others[:_PAIRS]]


class Segments:
    """Chooses the segments of a score and colours the outputs."""

    def __init__(self, comparison: Comparison, table: ScoreTable) -> None:
        self.comparison, self.table = comparison, table
        self._colours = Colours(table)
        self.legend = self._colours.legend

    def pairs(self) -> list[Pair[Example]]:
        """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
        return [self._pair(*each) for each in compared_pairs(self.comparison, self.table)]

    def browse(self, systems: Sequence[str], scored: Sequence[int], buckets: Buckets | None) -> Browse:
        """Return as many of the segments that are scored for every system as a page holds."""
        scores = np.array([[self.table.segments[name][index] for index in scored] for name in systems], np.float64)
        alone = -scores[0] if self.table.higher_is_better else scores[0]
        order = np.ptp(scores, axis=0) if len(systems) > 1 else alone
        examples: list[Example] = []
        characters = 0
        for place in np.argsort(-order, kind="stable")[:_BROWSED].tolist():
            example = self._example(scored[place], systems)
            characters += _characters(example)
            if examples and characters > _CHARACTERS:
                break
            examples.append(replace(example, length=None if buckets is None else buckets.lengths[scored[place]]))
        unit, of = ("", "") if buckets is None else (buckets.unit, buckets.of)
        return Browse(examples, len(scored), list(systems), self.table.name, self.legend, unit, of)

    def spread(self) -> Example | None:
        """Return the segment whose scores lie furthest apart, with every system, best first."""
        systems = list(self.table.segments)
        columns = zip(*self.table.segments.values(), strict=True)
        known = ([score for score in scores if score is not None] for scores in columns)
        spreads = [(max(own) - min(own), -index) for index, own in enumerate(known) if own]
        if len(systems) < 3 or not spreads or max(spreads)[0] <= 0:
            return None  # of two systems the segments above show the same
        index = -max(spreads)[1]
        best = next(row.value for row in self.table.rows if row.best)
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
        texts = {name: self._colours.of(test_set.systems[name][index], references) for name in systems}
        source = None if test_set.source is None else plain(test_set.source[index])
        shown, more = references[:_MOST_REFERENCES], max(0, len(references) - _MOST_REFERENCES)
        outputs = [Output(name, scores[name][index], text) for name, text in texts.items()]
        return Example(index + 1, source, list(map(plain, shown)), more, outputs)


def _characters(example: Example) -> int:
    texts = [*filter(None, [example.source]), *example.references, *(output.text for output in example.outputs)]
    return sum(len(part) for text in texts for _, part in text.pieces)
