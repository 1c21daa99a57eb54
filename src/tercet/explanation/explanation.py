"""What the explanations of all metrics can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.reading import read_batch

from .html import page_html
from .matches import Word
from .parts import Heading, Part, orders_legend

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus


class Explanation:
    """Why a prediction has its score: a dataclass that notebooks show as its HTML."""

    __slots__ = ()

    signature: str

    @property
    @abstractmethod
    def title(self) -> Heading:
        """The score, and the numbers that it is made of."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return the texts in tokens and the numbers, as a page or a terminal draws them."""

    @property
    def summary(self) -> str:
        """What the score is made of, on one line; "" where the title and the first sentence say it."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        instance: Any = self  # for type checkers: this class is no dataclass, but every subclass is
        return asdict(instance)

    def to_html(self, scale: float = 1) -> str:
        """Return a fragment of HTML: the texts with their matches coloured, and the numbers; 100 is for percent."""
        return page_html(self.title.text_of_page(scale), [part.html(scale) for part in self.parts()], self.signature)

    def _repr_html_(self) -> str:
        return self.to_html()


# How the tokens of an output that match are found for a report, and the meaning of the colours.

#: Levels of the n-grams of tokens, and of characters: beyond the fourth they share a colour.
NGRAM_LEVELS = tuple(orders_legend(5).names)
CHARACTER_LEVELS = tuple(orders_legend(5, characters=True).names)
#: The one level of tokens that match or do not.
MATCH_LEVELS = ("match",)


@dataclass(frozen=True, slots=True)
class Matched:
    """How the tokens that match are found, for one score of a metric."""

    levels: tuple[str, ...]  # meaning of the levels, from 1 on
    find: Callable[[Corpus], list[list[Word]]]  # the tokens of each output; every item has a reference

    def words(self, batch: Corpus) -> list[list[Word]]:
        """Return the tokens of each output of one system; without a reference nothing matches."""
        if batch.missing:
            references = [texts or [""] for texts in batch.reference_lists()]
            batch = read_batch(batch.predictions.to_pylist(), references)
        return self.find(batch)
