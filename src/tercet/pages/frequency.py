"""Accuracy on rare and frequent words: F by frequency in the references (compare-mt)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet.engine.counting import overlaps
from tercet.engine.ragged import first_greatest

from .words import Array, Words, matched, tally

#: The least frequency of each bucket.
_EDGES = (1, 2, 3, 4, 5, 10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Frequencies:
    """F of words by how often they occur in the references."""

    labels: list[str]
    n_types: list[int]  # different words of each bucket
    values: dict[str, list[float]]  # F of each bucket by system, in percent; NaN without such words
    unknown: dict[str, float]  # words that occur in no reference by system, in percent


def word_frequencies(words: Words) -> Frequencies:
    """Return the F of each system for words of each frequency.

    A word occurs as often as in the references; where a segment has several, as in the one that has it most often. A
    prediction is compared with the reference that shares most words with it (by F). In a bucket, F is twice the words
    that match over the words of the predictions and of those references.
    """
    keys, counts = tally(words.tokens, words.references, words.owners, words.n_types)
    often = np.bincount(keys % words.n_types, counts, minlength=words.n_types).astype(np.int64)
    buckets = np.searchsorted(_EDGES, often, "right")  # 0: in no reference
    kinds = np.bincount(buckets, minlength=len(_EDGES) + 1)
    shown = [place for place in range(1, len(_EDGES) + 1) if kinds[place]]
    values, unknown = {}, {}
    for system in words.systems:
        sums = np.zeros((3, len(_EDGES) + 1), np.int64)  # matches, words of the system, words of the references
        predictions, references = _held_against(words, words.rows(system))
        mine, theirs = (tally(words.tokens, rows, words.owners, words.n_types) for rows in (predictions, references))
        for row, (keys, counts) in zip(sums, (matched(mine, theirs), mine, theirs), strict=True):
            row += np.bincount(buckets[keys % words.n_types], counts, minlength=len(row)).astype(np.int64)
        with np.errstate(invalid="ignore"):
            values[system] = (200.0 * sums[0] / (sums[1] + sums[2]))[shown].tolist()
        unknown[system] = 100.0 * float(sums[1][0]) / max(1, int(sums[1].sum()))
    return Frequencies([_label(place) for place in shown], [int(kinds[place]) for place in shown], values, unknown)


def _held_against(words: Words, predictions: Array) -> tuple[Array, Array]:
    """Return the predictions of segments with references, and the row of a reference for each of them."""
    references = words.references
    segments = words.owners[references]
    own = predictions[segments]
    shared, either = overlaps(words.tokens, own, references, words.n_types, multiset=True)
    starts = np.flatnonzero(np.diff(segments, prepend=-1))
    best = first_greatest(2 * shared / np.maximum(shared + either, 1), starts)
    return own[best], references[best]


def _label(place: int) -> str:
    low = _EDGES[place - 1]
    if place == len(_EDGES):
        return f"{low:,}+"
    high = _EDGES[place] - 1
    return str(low) if low == high else f"{low}–{high}"
