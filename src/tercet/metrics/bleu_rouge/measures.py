"""F of BLEU's precision and ROUGE's recall, for any number of corpora at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ratio(hits: NDArray[Any], totals: NDArray[Any]) -> Array:
    """Return hits divided by totals; 0 where the total is 0."""
    shares: Array = hits / np.where(totals > 0, totals, 1.0)
    return shares


def f_beta(precision: Array, recall: Array, beta: float) -> Array:
    """Return the weighted harmonic mean; 0 where both are 0."""
    weight = beta * beta
    mixed = weight * precision + recall
    return np.where(mixed > 0, (1 + weight) * precision * recall / np.where(mixed > 0, mixed, 1.0), 0.0)


def geometric_mean(values: Array, known: NDArray[np.bool_]) -> Array:
    """Return the geometric mean of the known values over the last axis; 0 if one of them is 0, or none is known."""
    zero = (known & (values <= 0)).any(axis=-1) | ~known.any(axis=-1)
    logs = np.where(known & (values > 0), np.log(np.where(values > 0, values, 1.0)), 0.0)
    return np.where(zero, 0.0, np.exp(logs.sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)))


def arithmetic_mean(values: Array, known: NDArray[np.bool_]) -> Array:
    """Return the mean of the known values over the last axis; 0 where none is known."""
    mean: Array = np.where(known, values, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    return mean
