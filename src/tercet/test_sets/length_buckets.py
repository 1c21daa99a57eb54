"""Segments in groups by their length: of the reference, or else of the source."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.items import read_items
from tercet.corpus.letters import count_letters

from .test_set import TestSet

_MOST_BUCKETS = 5
#: Of a bucket, if there are several.
_LEAST_SEGMENTS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Segments grouped by the length of their references or sources; one without such a text is in no bucket."""

    #: Words, or characters for scripts without blanks.
    unit: str
    #: The least and the greatest length of each bucket.
    labels: list[str]
    #: The segments of each bucket.
    members: list[NDArray[np.int64]]
    #: The reference, or the source.
    of: str
    #: By segment.
    lengths: dict[int, int]

    @property
    def called(self) -> str:
        """What a page calls the lengths: words are counted in another way where it is about words."""
        return "length" if self.unit == "words" else self.unit


def buckets_of(test_set: TestSet, scored: Sequence[int]) -> Buckets | None:
    """Return the buckets of a test set: by its references, or else by its source; None without either."""
    with_reference = [index for index in scored if test_set.references[index]]
    if with_reference:
        return make_buckets(test_set.references, with_reference)
    if test_set.source is None:
        return None
    sources = [[text] for text in test_set.source]
    return make_buckets(sources, scored, "source")


def make_buckets(references: Sequence[Sequence[str]], scored: Sequence[int], of: str = "reference") -> Buckets:
    """Put segments with references into at most five buckets of about as many; of several the mean length counts."""
    texts = [list(references[index]) for index in scored]
    letters = count_letters(read_items([""] * len(texts), texts)) if texts else None
    by_characters = letters is not None and letters.mostly_without_blanks
    size = _count_characters if by_characters else _count_words
    mean_lengths = []
    for segment_references in texts:
        total = sum(map(size, segment_references))
        mean_lengths.append(round(total / len(segment_references)))
    lengths = np.array(mean_lengths, np.int64)
    number = min(_MOST_BUCKETS, max(1, len(lengths) // _LEAST_SEGMENTS))
    shares = np.arange(1, number) / number
    edges = np.unique(np.quantile(lengths, shares, method="lower")) if len(shares) else np.empty(0)
    # A length that is an edge belongs below it.
    buckets = np.searchsorted(edges, lengths)
    members = []
    labels = []
    for bucket in np.unique(buckets):
        inside = np.flatnonzero(buckets == bucket)
        low = int(lengths[inside].min())
        high = int(lengths[inside].max())
        members.append(np.asarray(scored, np.int64)[inside])
        labels.append(str(low) if low == high else f"{low}–{high}")
    return Buckets(
        unit="characters" if by_characters else "words",
        labels=labels,
        members=members,
        of=of,
        lengths=dict(zip(scored, lengths.tolist(), strict=True)),
    )


def _count_words(text: str) -> int:
    return len(text.split())


def _count_characters(text: str) -> int:
    # Marks (M), such as accents and vowel signs, belong to the letter before them.
    return sum(not letter.isspace() and unicodedata.category(letter)[0] != "M" for letter in text)
