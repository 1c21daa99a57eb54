"""How a plan reads texts, and what it returns: the same of both engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class TextRules(NamedTuple):
    """How a plan reads texts, whatever it counts in them."""

    #: Items of a call.
    most_items: int
    #: Characters of ASCII that are looked for: where there is none, and no character beyond ASCII, texts are `plain`.
    marks: bytes
    lowercase: bool = False
    #: Whether the letters of the references are counted.
    count_letters: bool = False
    #: Whether references in lists are left to the metric's other way, without being read.
    one_each: bool = False
    #: Nothing can be odd about `plain` texts of fewer items than this, each with fewer references than that.
    odd_items: int = 0
    odd_references: int = 0
    #: Columns in which a sum of 0 may be worth a warning.
    watched: slice = slice(0)


class SumsAndScores(NamedTuple):
    """The sums of rows, and what the formula makes of them."""

    sums: list[float]
    scores: list[float]


@dataclass(slots=True)
class Scored:
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
    #: The sums of the rows.
    sums: list[float]
    #: What the formula makes of the sums.
    scores: list[float]
    #: What it makes of the row of each item, a list for each score; None unless that was asked for.
    scores_of_items: list[list[Any]] | None
    #: Whether all texts are of ASCII without marks.
    plain: bool
    #: Whether nothing can be odd about the texts, and no watched sum is 0: then there is nothing to warn of.
    usual: bool
    #: As :func:`.plain_text.letters` counts them in the references; None unless they are counted, and of usual texts.
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
