"""The letters in a corpus's references, which show whether a tokenizer would drop or not split them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

from tercet.engine.chosen import engine

from .corpus import Corpus
from .intern import bytes_of


@dataclass(slots=True)
class LetterCounts:
    """Letters of the references of a corpus; counts of parts add up to those of the whole."""

    ascii: int  # letters a to z, which ROUGE's tokenizer keeps
    other: int  # letters and marks of other scripts (and letters with accents), which it drops
    # of scripts that are written without blanks between words (Chinese, Japanese, Thai ...)
    without_blanks: int
    lost: int  # references with letters of which ROUGE's tokenizer keeps none
    references: int  # all references

    def __add__(self, other: LetterCounts) -> LetterCounts:
        return LetterCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def mostly_dropped(self) -> bool:
        """Whether ROUGE's tokenizer would drop more than half of the letters."""
        return self.other > self.ascii

    @property
    def mostly_without_blanks(self) -> bool:
        """Whether more than half of the letters are of scripts written without blanks."""
        return 2 * self.without_blanks > self.ascii + self.other


def count_letters(batch: Corpus) -> LetterCounts:
    """Count the letters of all references of a batch; time is linear in the bytes.

    Predictions are left out, so that two systems on one test set are split alike.
    """
    strings = batch.strings
    references: Any = batch.references if strings is None else strings[1]
    try:
        found = engine.letters(bytes_of(references) if strings is None else references)
        return LetterCounts(*found, len(references))
    except ValueError:
        _ = batch.texts  # its error names the item
        raise
