"""Correlations of points that count several times: what a figure and its resamples have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: What is smaller than this, beside the greatest value, is rounding: a side that differs by less is constant.
_NEARLY = 1e-13


def centred(values: Array, axis: int | None = None) -> Array:
    """Return values less their mean; where they are all the same, but for rounding, exactly 0. NaN becomes 0.

    Examples
    --------
    >>> centred(np.array([0.1, 0.1, 0.1])), centred(np.array([1.0, np.nan, 3.0]))
    (array([0., 0., 0.]), array([-1.,  0.,  1.]))
    """
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    count = np.maximum(there.sum(axis, keepdims=True), 1)
    found = np.where(there, filled - filled.sum(axis, keepdims=True) / count, 0.0)
    largest = np.abs(filled).max(axis, keepdims=True, initial=0.0)
    flat = np.abs(found).max(axis, keepdims=True, initial=0.0) <= _NEARLY * largest
    return np.where(flat, 0.0, found)


def pearson_of_sums(n: Array, x: Array, y: Array, xx: Array, yy: Array, xy: Array) -> Array:
    """Return Pearson's r from weighted sums of points; NaN where a side is constant.

    Parameters
    ----------
    n, x, y, xx, yy, xy : ndarray, any equal shapes
        Sums of the weights, and of the weighted values, squares and products.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = xx - x * x / n, yy - y * y / n
        constant = (spread_x <= _NEARLY * xx) | (spread_y <= _NEARLY * yy)
        found = (xy - x * y / n) / np.sqrt(spread_x * spread_y)
        return np.where(constant, np.nan, np.clip(found, -1.0, 1.0))


def kendall_of_sums(kind: str, order: Array, untied_x: Array, untied_y: Array, n: Array, classes: Array) -> Array:
    """Return Kendall's tau-b or tau-c; NaN where a side is constant.

    Parameters
    ----------
    kind : {"b", "c"}
    order, untied_x, untied_y : ndarray
        Weights of the concordant less the discordant pairs, and of the pairs not tied in x, and in y.
    n, classes : ndarray
        Sum of the weights; the smaller number of different values of both sides.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "b":
            return np.where((untied_x > 0) & (untied_y > 0), order / np.sqrt(untied_x * untied_y), np.nan)
        return np.where(classes > 1, 2 * order * classes / (n * n * (classes - 1)), np.nan)


def dense_ranks(values: Array) -> tuple[NDArray[np.int64], int]:
    """Return the rank of each value from 0, the same for equal ones, and how many different ones there are.

    Examples
    --------
    >>> dense_ranks(np.array([5.0, 1.0, 5.0]))
    (array([1, 0, 1]), 2)
    """
    different, ranks = np.unique(values, return_inverse=True)
    return ranks.reshape(values.shape).astype(np.int64), len(different)


def sums_by_rank(weights: Array, ranks: NDArray[np.int64], n_ranks: int) -> Array:
    """Return the weight of each rank, shape (B, n_ranks), of weights of points, shape (B, n)."""
    order = np.argsort(ranks, kind="stable")
    if n_ranks == len(ranks):  # each point has its own
        return weights[:, order]
    starts = np.searchsorted(ranks[order], np.arange(n_ranks))
    found: Any = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray(found, np.float64)


def midranks_of(sums: Array) -> Array:
    """Return the mean place of each rank among points that count several times, shape (B, n_ranks).

    Examples
    --------
    >>> midranks_of(np.array([[1.0, 2.0]]))
    array([[1. , 2.5]])
    """
    return np.cumsum(sums, axis=1) - sums + (sums + 1) / 2


def weighted_mean(values: Array, weights: Array) -> Array:
    """Return the mean over the last axis of what is not NaN; NaN where nothing is left."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = (np.where(there, values, 0.0) * weights).sum(-1) / (there * weights).sum(-1)
    return np.asarray(total, np.float64)
