"""What a text repeats of itself: its n-grams that occur more than once, where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.parts import Heading, Line, Part, Sentence, Share, Table, orders_legend
from tercet.metric.drawing.places import Word

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Repeated:
    """An n-gram that a text has more than once.

    Attributes
    ----------
    text : str
        Its tokens, joined by blanks.
    count : int
        How often it occurs.
    """

    text: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Repetitions(Explanation):
    """What one text repeats of itself.

    Attributes
    ----------
    prediction : list of Word
        The tokens; the level of each is the longest n-gram through it that the text has more than once.
    repeated : list of Repeated
        These n-grams, the longest first, then those that occur most often.
    scores : dict of str to float
        Of a set of this text alone: ``distinct_1`` and so on, ``mattr``, ``rep_1`` and so on.
    signature : str
    """

    prediction: list[Word]
    repeated: list[Repeated]
    scores: dict[str, float]
    signature: str

    @property
    def title(self) -> Heading:
        """What it is."""
        return Heading("What the text repeats of itself", {})

    def parts(self) -> list[Part]:
        """Return the text in colour, its scores, and a table of what it repeats."""
        rows = [(each.text, each.count) for each in self.repeated]
        return [
            orders_legend(sum(name.startswith("rep_") for name in self.scores)),
            Sentence("Diversity is that of a set of texts; of one text, what it repeats is shown."),
            Line("text", self.prediction, "repeated {}-gram"),
            Table("", ("measure", "score"), [(name, Share(score)) for name, score in self.scores.items()]),
            *([Table("repeated", ("tokens", "times"), rows)] if rows else []),
        ]
