"""How a plan reads texts, and what it returns: the same of both engines.

A plan is what a metric asks of the engine, put together once; then one call of it scores lists of texts. Those of
plain Python are in `plain_plan.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol


class TextPlan(Protocol):
    """A plan of either engine."""

    def score(self, predictions: Any, references: Any, each: bool = False) -> Scored | None:
        """Return what it makes of lists of texts, with `each` also of every item; None for what it cannot read."""


class TextRules(NamedTuple):
    """How a plan reads texts, whatever it counts in them. The compiled plan takes them in this order."""

    #: Items of a call.
    most_items: int
    #: Characters of ASCII that are looked for: `Scored.ascii_without_marks` says whether there is none.
    marks: bytes
    lowercase: bool = False
    #: Whether the letters of the references are counted.
    count_letters: bool = False
    #: Whether each reference must be a string: lists of references are left to the long road, without being read.
    only_strings: bool = False
    #: Texts of ASCII without marks can be odd only if there are so many items, or so many references of one.
    fewest_odd_items: int = 0
    fewest_odd_references: int = 0
    #: Columns in which a sum of 0 may be worth a warning: the result of the plan then asks for a look.
    watched: slice = slice(0)


class Entry(NamedTuple):
    """A key of a result, and what its value is."""

    name: str
    #: What the value is, with `first` and `last` as numbers of scores or of columns:
    #:
    #: - "score": the score `first`
    #: - "scores": a list of those from `first` to before `last`
    #: - "sum": the sum of the column `first`
    #: - "count": that sum as a whole number
    #: - "ratio": the sum of the column `first` divided by that of `last`; 0 where this is 0
    #: - "given": `first` itself, whatever it is
    kind: Literal["score", "scores", "sum", "count", "ratio", "given"]
    first: Any
    last: int = 0


@dataclass(slots=True)
class SumsAndScores:
    """The sums of rows, and what the formula makes of them."""

    sums: list[float]
    scores: list[float]

    def enter(self, entries: dict[str, Any], wanted: list[Entry]) -> None:
        """Enter the keys of a result that are wanted."""
        for name, kind, first, last in wanted:
            if kind == "score":
                entries[name] = self.scores[first]
            elif kind == "scores":
                entries[name] = self.scores[first:last]
            elif kind == "sum":
                entries[name] = self.sums[first]
            elif kind == "count":
                entries[name] = int(self.sums[first])
            elif kind == "ratio":
                divisor = self.sums[last]
                entries[name] = self.sums[first] / divisor if divisor else 0.0
            else:
                entries[name] = first


@dataclass(slots=True, kw_only=True)
class Scored(SumsAndScores):
    """What a plan made of texts."""

    #: All texts, the predictions first, as they were counted, but for their case: other threads may change the
    #: original lists meanwhile. None where they are no longer needed.
    texts: list[str] | None
    #: How many of them are predictions.
    n: int
    #: Where the references of each item begin, and the end; None where each has one.
    ends: list[int] | None
    #: How many references an item has, the fewest and the most.
    fewest: int
    most: int
    #: What the formula makes of the row of each item, a list for each score; None unless that was asked for.
    scores_of_items: list[list[Any]] | None
    #: Whether no text has a mark or a character beyond ASCII.
    ascii_without_marks: bool
    #: Whether there may be something to warn of: the texts may be odd, or a watched sum is 0.
    needs_look: bool
    #: As :func:`.plain_text.letters` counts them in the references; None where the rules do not count them, or where
    #: nothing can be odd about the texts.
    letters: tuple[int, int, int, int] | None

    @property
    def predictions(self) -> list[str]:
        """The predictions."""
        assert self.texts is not None
        return self.texts[: self.n]

    @property
    def references(self) -> list[str]:
        """The references of all items."""
        assert self.texts is not None
        return self.texts[self.n :]
