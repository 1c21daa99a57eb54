"""Accuracy on rare and frequent words: F by how often they occur in the references (compare-mt)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet.engine.counting import overlaps
from tercet.engine.ragged import first_greatest
from tercet.explanation.levels import tally

from .words import Array, Words, shared_counts

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
    occurrences = np.bincount(keys % words.n_types, counts, minlength=words.n_types).astype(np.int64)
    # the bucket of each word; 0 for words that occur in no reference
    buckets = np.searchsorted(_EDGES, occurrences, "right")
    n_buckets = len(_EDGES) + 1
    n_types = np.bincount(buckets, minlength=n_buckets)
    buckets_with_words = [bucket for bucket in range(1, n_buckets) if n_types[bucket]]

    def in_buckets(word_tally: tuple[Array, Array]) -> Array:
        """Return how many words of a tally are in each bucket."""
        keys, counts = word_tally
        return np.bincount(buckets[keys % words.n_types], counts, minlength=n_buckets).astype(np.int64)

    values = {}
    unknown = {}
    for system in words.systems:
        predictions, references = _with_best_references(words, words.rows(system))
        prediction_tally = tally(words.tokens, predictions, words.owners, words.n_types)
        reference_tally = tally(words.tokens, references, words.owners, words.n_types)
        matches = in_buckets(shared_counts(prediction_tally, reference_tally))
        predicted = in_buckets(prediction_tally)
        expected = in_buckets(reference_tally)
        with np.errstate(invalid="ignore"):
            values[system] = (200.0 * matches / (predicted + expected))[buckets_with_words].tolist()
        unknown[system] = 100.0 * float(predicted[0]) / max(1, int(predicted.sum()))
    return Frequencies(
        labels=[_label(bucket) for bucket in buckets_with_words],
        n_types=n_types[buckets_with_words].tolist(),
        values=values,
        unknown=unknown,
    )


def _with_best_references(words: Words, predictions: Array) -> tuple[Array, Array]:
    """Return the predictions of segments with references, and the row of a reference for each of them."""
    references = words.references
    segments = words.owners[references]
    paired_predictions = predictions[segments]
    shared, either = overlaps(words.tokens, paired_predictions, references, words.n_types, multiset=True)
    starts = np.flatnonzero(np.diff(segments, prepend=-1))
    # F: the lengths of both texts add up to what they share and what either has
    best = first_greatest(2 * shared / np.maximum(shared + either, 1), starts)
    return paired_predictions[best], references[best]


def _label(bucket: int) -> str:
    low = _EDGES[bucket - 1]
    if bucket == len(_EDGES):
        return f"{low:,}+"
    high = _EDGES[bucket] - 1
    return str(low) if low == high else f"{low}–{high}"
