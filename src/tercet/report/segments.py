"""The segments that a page shows of each metric: where two systems differ most, and one under all systems."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from .coloured_texts import Colours, Text, more_references_of, references_of, source_of

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

T = TypeVar("T")

_PAIRS = 3  # of systems
_EACH_WAY = 5


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

    baseline: str
    system: str
    groups: dict[str, list[T]]  # by the system that scores or matches more: where, greatest difference first


@dataclass(frozen=True, slots=True)
class Examples:
    """The segments that are shown of a metric, by its primary score."""

    legend: Sequence[str]  # what the colours of the texts say; empty for texts without colours
    pairs: list[Pair[Example]]
    which_pairs: str
    spread: Example | None


def compared_pairs(comparison: Comparison, table: ScoreTable) -> list[tuple[str, str]]:
    """Return the baseline beside the best system, and beside those whose scores differ most from its score."""

    def best_first(row: SystemScore) -> tuple[bool, float]:
        # NaN has no place in an order.
        difference = 0.0 if row.difference is None or math.isnan(row.difference) else row.difference
        return not row.best, -abs(difference)

    # only the baseline has no difference to itself
    rows = [row for row in table.rows if row.difference is not None]
    return [(comparison.baseline, row.system) for row in sorted(rows, key=best_first)[:_PAIRS]]


def which_pairs(table: ScoreTable) -> str:
    """Return which pairs of systems are shown, and why these."""
    n_others = len(table.rows) - 1
    if n_others < 2:
        return ""
    if n_others <= _PAIRS:
        return "Each other system is shown beside the baseline."
    pairs = f"the baseline with those whose {table.title} differs most from its"
    if any(row.best and row.difference is not None for row in table.rows):
        pairs = f"the baseline with the best system, and with those whose {table.title} differs most from its"
    return f"Shown: {pairs} ({_PAIRS} of {n_others} pairs); the list of segments below has every pair."


@dataclass(frozen=True, slots=True)
class Telling:
    """The segment on which the better of two systems gains most, to stand beside the verdict."""

    better: str
    other: str
    example: Example

    @property
    def outputs(self) -> list[Output]:
        """The output of the better system, and that of the other."""
        first, second = self.example.outputs
        if first.system == self.better:
            return [first, second]
        return [second, first]


def telling(table: ScoreTable, pairs: Sequence[Pair[Example]]) -> Telling | None:
    """Return the segment that shows best how the first pair of systems differs; None where neither is better."""
    if not pairs:
        return None
    pair = pairs[0]
    values = {row.system: row.value for row in table.rows}
    if values[pair.baseline] > values[pair.system]:
        higher = pair.baseline
        lower = pair.system
    elif values[pair.baseline] < values[pair.system]:
        higher = pair.system
        lower = pair.baseline
    else:
        return None
    # Groups are of the system with the higher score, also where lower is better: there it is the one that loses.
    if higher not in pair.groups:
        return None
    example = pair.groups[higher][0]
    if table.higher_is_better:
        return Telling(better=higher, other=lower, example=example)
    return Telling(better=lower, other=higher, example=example)


class Segments:
    """Chooses the segments of a score and colours the outputs."""

    def __init__(self, comparison: Comparison, table: ScoreTable) -> None:
        self.comparison = comparison
        self.table = table
        self.colours = Colours(table)
        self.legend = self.colours.legend

    def pairs(self) -> list[Pair[Example]]:
        """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
        return [self._pair(baseline, system) for baseline, system in compared_pairs(self.comparison, self.table)]

    def spread(self) -> Example | None:
        """Return the segment whose scores lie furthest apart, with every system: best first, without a score last."""
        # of two systems, the segments of their pair show the same
        if len(self.table.segments) < 3:
            return None
        widest = _with_widest_spread(self.table)
        if widest is None:
            return None
        score_of = {}
        without_score = []
        for system, scores in self.table.segments.items():
            score = scores[widest]
            if score is None:
                without_score.append(system)
            else:
                score_of[system] = score
        best_first = sorted(score_of, key=score_of.__getitem__, reverse=self.table.higher_is_better)
        systems = [*best_first, *without_score]
        self.colour(systems, [widest])
        return self._example(widest, systems)

    def colour(self, systems: Iterable[str], indices: Collection[int]) -> None:
        """Find the matches of all these outputs in one go."""
        test_set = self.comparison.test_set
        outputs = []
        for name in systems:
            texts = test_set.systems[name]
            outputs += [(texts[index], test_set.references[index]) for index in indices]
        self.colours.read(outputs)

    def _pair(self, baseline: str, system: str) -> Pair[Example]:
        scores = zip(self.table.segments[baseline], self.table.segments[system], strict=True)
        gains: dict[int, float] = {}
        losses: dict[int, float] = {}
        for index, (score_of_baseline, score) in enumerate(scores):
            if score_of_baseline is None or score is None:
                continue
            if score > score_of_baseline:
                gains[index] = score - score_of_baseline
            elif score < score_of_baseline:
                losses[index] = score_of_baseline - score
        greatest_gains = _greatest(gains)
        greatest_losses = _greatest(losses)
        self.colour((baseline, system), [*greatest_gains, *greatest_losses])
        groups = {}
        for name, segments in ((system, greatest_gains), (baseline, greatest_losses)):
            if segments:
                groups[name] = [self._example(index, (baseline, system)) for index in segments]
        return Pair(baseline, system, groups)

    def _example(self, index: int, systems: Sequence[str]) -> Example:
        test_set = self.comparison.test_set
        outputs = []
        for name in systems:
            text = self.colours.text(test_set.systems[name][index], test_set.references[index])
            outputs.append(Output(name, self.table.segments[name][index], text))
        return Example(
            number=index + 1,
            source=source_of(test_set, index),
            references=references_of(test_set, index),
            more_references=more_references_of(test_set, index),
            outputs=outputs,
        )


def _with_widest_spread(table: ScoreTable) -> int | None:
    """Return the segment whose scores lie furthest apart, the first of several; None where all are the same."""
    widest = None
    widest_spread = 0.0
    for index, scores_or_none in enumerate(zip(*table.segments.values(), strict=True)):
        scores = [score for score in scores_or_none if score is not None]
        if scores and max(scores) - min(scores) > widest_spread:
            widest = index
            widest_spread = max(scores) - min(scores)
    return widest


def _greatest(difference_of: Mapping[int, float]) -> list[int]:
    """Return the segments with the greatest differences, of equal ones the first."""
    return sorted(difference_of, key=difference_of.__getitem__, reverse=True)[:_EACH_WAY]
