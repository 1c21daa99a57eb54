"""Scores of pairs of a prediction and a reference, and how those of several references become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import first_greatest

from .counts import PairCounts

Array = NDArray[np.float64]


def pair_scores(counts: PairCounts, beta: float, epsilon: float = 0.0, alpha: float | None = None) -> Array:
    """Return precision, recall and F of pairs, shape (m, 3); a text or reference without tokens scores 0.

    `epsilon` is added to F's denominator. With `alpha`, F is P R / ((1 - alpha) P + alpha R) instead.
    """
    precision = counts.hits / np.where(counts.text_totals > 0, counts.text_totals, 1)
    recall = counts.hits / np.where(counts.reference_totals > 0, counts.reference_totals, 1)
    return measures(precision, recall, counts.root, beta, epsilon, alpha)


def measures(
    precision: Array, recall: Array, root: float, beta: float, epsilon: float = 0.0, alpha: float | None = None
) -> Array:  # fmt: skip
    """Return precision and recall, their roots if `root` is not 1, and their F, shape (m, 3)."""
    if root != 1:
        precision, recall = precision ** (1 / root), recall ** (1 / root)
    weight = beta * beta
    mixed = recall + weight * precision + epsilon
    if alpha is not None:
        weight, mixed = 0.0, (1 - alpha) * precision + alpha * recall
    f = np.where(mixed > 0, (1 + weight) * precision * recall / np.where(mixed > 0, mixed, 1), 0.0)
    return np.stack([precision, recall, f], axis=1)


def combined(scores: Array, starts: NDArray[np.int64], counts: NDArray[np.int64], rule: str) -> Array:
    """Make one triple of the triples of an item's references.

    ``best`` takes the reference with the greatest F, the first on ties. ``average`` is the mean of all.
    ``jackknife`` is the mean over every choice of all references but one of the best among them (Lin 2004): the
    best one in all choices but that without it, where the second best takes its place.
    """
    if rule == "average":
        return np.add.reduceat(scores, starts, axis=0) / counts[:, None]
    first = first_greatest(scores[:, 2], starts)
    best = scores[first]
    if rule == "best":
        return best
    others = scores[:, 2].copy()
    others[first] = -1.0
    second = scores[first_greatest(others, starts)]
    mean = ((counts - 1)[:, None] * best + second) / counts[:, None]
    return np.where(counts[:, None] > 1, mean, best)
