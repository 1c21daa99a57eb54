"""The words of a test set as integers, and how many match the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.items import read_texts
from tercet.corpus.letters import count_letters
from tercet.corpus.tokenizers import tokenize
from tercet.engine.ragged import Ragged, ranges

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus

Array = NDArray[np.int64]


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

    def length_ratio(self, system: str) -> tuple[int, float]:
        """Return the number of words in a system's predictions, and their ratio to the references'.

        Of several references the mean length counts; segments without a reference, only in the first number. NaN
        without any word in the references.
        """
        lengths = self.tokens.lengths
        own = lengths[self.rows(system)]
        given = np.bincount(self.owners[self.references], minlength=self.n_segments)
        sums = np.bincount(self.owners[self.references], lengths[self.references], minlength=self.n_segments)
        expected = (sums / np.maximum(given, 1)).sum()
        return int(own.sum()), float(own[given > 0].sum() / expected) if expected else float("nan")

    def read(self, words: Sequence[int]) -> str:
        """Return words joined by spaces; without spaces in scripts without them, except next to a to z."""
        spelled = self.spelled()
        read = ""
        for each in (spelled[word] for word in words):
            close = self.unit == "characters" and not (each[0].isascii() or read[-1:].isascii())
            read += each if close or not read else f" {each}"
        return read


def read_words(corpus: Corpus, systems: Sequence[str]) -> Words:
    """Split all texts of a corpus; time is linear in their bytes."""
    n = corpus.n_segments
    tokens, spelled = tokenize(corpus, "unicode")
    segments = np.repeat(np.arange(n), np.diff(corpus.reference_offsets))
    letters = count_letters(corpus if len(segments) else read_texts([]).with_texts(corpus.texts))
    unit = "characters" if letters.mostly_without_blanks else "words"
    owners = np.append(np.tile(np.arange(n), len(systems)), segments)
    return Words(list(systems), unit, tokens.tokens, tokens.n_types, cache(spelled), owners, n)


def tally(units: Ragged, rows: Array, owners: Array, n_types: int) -> tuple[Array, Array]:
    """Return how often each unit occurs in each segment: keys (segment times `n_types` plus unit) and counts.

    For a segment with several rows, such as references, the highest count of a row.
    """
    lengths = units.lengths[rows]
    values = units.values[ranges(units.offsets[:-1][rows], lengths)].astype(np.int64)
    keys, counts = np.unique(np.repeat(np.arange(len(rows)), lengths) * n_types + values, return_counts=True)
    of_segments = owners[rows][keys // n_types] * n_types + keys % n_types
    if len(np.unique(owners[rows])) == len(rows):
        return of_segments, counts
    merged, places = np.unique(of_segments, return_inverse=True)
    most = np.zeros(len(merged), np.int64)
    np.maximum.at(most, places, counts)
    return merged, most


def matched(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the keys that two tallies share, and the lower count of each."""
    keys, mine, theirs = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return keys, np.minimum(one[1][mine], other[1][theirs])
