"""The words of a test set as integers, and how many match the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.items import read_texts
from tercet.corpus.letters import count_letters
from tercet.corpus.tokenizers import tokenize
from tercet.engine.ragged import Ragged

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus

Array = NDArray[np.int64]


class Length(NamedTuple):
    """The number of words in a system's predictions, and their ratio to those of the references."""

    n_words: int
    ratio: float


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Words of a corpus: letters and digits of any script; scripts without blanks character by character."""

    systems: list[str]
    unit: str  # unit of most: words, or characters
    tokens: Ragged  # predictions system by system, then all references
    n_types: int  # the word ids are below this
    spelled: Callable[[], list[str]] = field(repr=False)  # returns the distinct words, by id
    owners: Array  # the segment of each row
    n_segments: int

    def rows(self, system: str) -> Array:
        """Return the rows of a system's predictions."""
        return np.arange(self.n_segments) + self.systems.index(system) * self.n_segments

    @property
    def references(self) -> Array:
        """The rows of the references."""
        return np.arange(len(self.systems) * self.n_segments, len(self.owners))

    def length(self, system: str) -> Length:
        """Return how long a system's predictions are.

        Of several references the mean length counts; segments without a reference, only in the number of words. The
        ratio is NaN without any word in the references.
        """
        lengths = self.tokens.lengths
        prediction_lengths = lengths[self.rows(system)]
        n_references = np.bincount(self.owners[self.references], minlength=self.n_segments)
        sums = np.bincount(self.owners[self.references], lengths[self.references], minlength=self.n_segments)
        expected = (sums / np.maximum(n_references, 1)).sum()
        n_words = int(prediction_lengths.sum())
        if not expected:
            return Length(n_words, float("nan"))
        return Length(n_words, float(prediction_lengths[n_references > 0].sum() / expected))

    def read(self, words: Sequence[int]) -> str:
        """Return words joined by spaces; without spaces in scripts without them, except next to a to z."""
        spelled = self.spelled()
        text = ""
        for word in words:
            spelling = spelled[word]
            is_close = self.unit == "characters" and not (spelling[0].isascii() or text[-1:].isascii())
            if text and not is_close:
                text += " "
            text += spelling
        return text


def read_words(corpus: Corpus, systems: Sequence[str]) -> Words:
    """Split all texts of a corpus; time is linear in their bytes."""
    n = corpus.n_segments
    tokens, spelled = tokenize(corpus, "unicode")
    segments = np.repeat(np.arange(n), np.diff(corpus.reference_offsets))
    counted = corpus
    if not len(segments):
        # without references, the words of the predictions
        counted = read_texts([]).with_texts(corpus.texts)
    letters = count_letters(counted)
    owners = np.append(np.tile(np.arange(n), len(systems)), segments)
    return Words(
        systems=list(systems),
        unit="characters" if letters.mostly_without_blanks else "words",
        tokens=tokens.tokens,
        n_types=tokens.n_types,
        spelled=cache(spelled),
        owners=owners,
        n_segments=n,
    )


def shared_counts(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the keys that two tallies share, and the lower count of each."""
    first_keys, first_counts = first
    second_keys, second_counts = second
    keys, in_first, in_second = np.intersect1d(first_keys, second_keys, assume_unique=True, return_indices=True)
    return keys, np.minimum(first_counts[in_first], second_counts[in_second])
