"""How a plan reads texts, and what it returns: the same of both engines."""

from __future__ import annotations

from typing import NamedTuple


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


class Scored(NamedTuple):
    """What a plan made of texts."""

    #: As they were counted, but for their case: other threads may change the original lists meanwhile.
    predictions: list[str]
    references: list[str]
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
    scores_of_items: list[list[float]] | None
    #: Whether all texts are of ASCII without marks.
    plain: bool
    #: As :func:`.plain_text.letters` counts them in the references; None unless they are counted.
    letters: tuple[int, int, int, int] | None
