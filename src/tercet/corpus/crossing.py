"""Hypotheses and references that all meet: each different text once, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .corpus import Corpus
from .items import read_texts

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crossing:
    """The different texts, and which of them each hypothesis and each reference is."""

    batch: Corpus  # the texts, in the place of predictions
    hypotheses: Places
    references: Places

    @classmethod
    def of(cls, hypotheses: list[str], references: list[str]) -> Crossing:
        """Return a crossing of texts that are checked."""
        place = {text: number for number, text in enumerate(dict.fromkeys([*hypotheses, *references]))}
        sides = (np.array([place[text] for text in side], np.int64) for side in (hypotheses, references))
        return cls(read_texts(list(place)), *sides)

    @property
    def strings(self) -> list[str]:
        """The different texts."""
        assert self.batch.strings is not None
        return self.batch.strings[0]

    @property
    def texts(self) -> Any:
        """The same in Arrow's memory."""
        return self.batch.texts

    def name_of(self, text: int) -> str:
        """Return what messages call a text."""
        of_hypotheses = np.flatnonzero(self.hypotheses == text)
        if len(of_hypotheses):
            return f"item {of_hypotheses[0]} of hypotheses"
        return f"item {np.flatnonzero(self.references == text)[0]} of references"
