"""What the explanations of all metrics can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .parts import Heading, Part
from .words_html import page_html


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

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        fields: Any = self
        return asdict(fields)

    def to_html(self, scale: float = 1) -> str:
        """Return a fragment of HTML: the texts with their matches coloured, and the numbers; 100 is for percent."""
        return page_html(self.title.text(scale), [part.html(scale) for part in self.parts()], self.signature)

    def _repr_html_(self) -> str:
        return self.to_html()
