"""F of the precision of BLEU and the recall of ROUGE, of any number of corpora at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ratio(hits: NDArray[Any], totals: NDArray[Any]) -> Array:
    """Return the shares, 0 where there is nothing to hit."""
    shares: Array = hits / np.where(totals > 0, totals, 1.0)
    return shares


def f_beta(precision: Array, recall: Array, beta: float) -> Array:
    """Return the weighted harmonic mean; 0 where both are 0.

    Examples
    --------
    >>> f_beta(np.array(1.0), np.array(6 / 7), 1.0).round(4).item()
    0.9231
    """
    weight = beta * beta
    mixed = weight * precision + recall
    return np.where(mixed > 0, (1 + weight) * precision * recall / np.where(mixed > 0, mixed, 1.0), 0.0)


def geometric_mean(values: Array, known: NDArray[np.bool_]) -> Array:
    """Return the geometric mean over the last axis of what is known; 0 where a known value is, or none is known."""
    zero = (known & (values <= 0)).any(axis=-1) | ~known.any(axis=-1)
    logs = np.where(known & (values > 0), np.log(np.where(values > 0, values, 1.0)), 0.0)
    return np.where(zero, 0.0, np.exp(logs.sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)))


def arithmetic_mean(values: Array, known: NDArray[np.bool_]) -> Array:
    """Return the mean over the last axis of what is known; 0 where nothing is."""
    mean: Array = np.where(known, values, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    return mean
