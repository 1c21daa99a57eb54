"""Pearson's r, Spearman's rho and Kendall's tau, of weighted points and of the columns of tables.

Of points, as in scipy.stats: a long vector, in n log n steps. Of columns: several systems for each of many items, by
comparing all pairs. All are NaN if a side is constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

from .sample import Array, pair_differences, pair_weights

_Ranks = NDArray[np.int64]

#: Relative differences below this are rounding: such a side is constant.
_NEARLY = 1e-13


def points_pearson(x: Array, y: Array, weights: Iterator[Array]) -> Array:
    """Return Pearson's r of points; time and memory are linear."""
    x, y = centred(x), centred(y)
    sums = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return pearson_of_sums(*np.concatenate([each @ sums for each in weights]).T)


def points_spearman(x: Array, y: Array, weights: Iterator[Array]) -> Array:
    """Return Spearman's rho of points: Pearson's r of mean ranks."""
    sides = [_dense_ranks(x), _dense_ranks(y)]
    found = []
    for each in weights:
        n, places = each.sum(1), []
        for ranks, n_ranks in sides:
            sums = _sums_by_rank(each, ranks, n_ranks)
            midranks = np.cumsum(sums, axis=1) - sums + (sums + 1) / 2
            places.append((midranks - (n[:, None] + 1) / 2)[:, ranks])
        found.append(_pearson_of_centred("bi,bi,bi->b", each, n, *places))
    return np.concatenate(found)


def columns_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Return Pearson's r of each column."""
    there = (~np.isnan(x)).astype(np.float64)
    x, y = centred(x, 0), centred(y, 0)
    return pearson_of_sums(*(weights @ each for each in (there, x, y, x * x, y * y, x * y)))


def columns_spearman(x: Array, y: Array, weights: Array) -> Array:
    """Return Spearman's rho of each column."""
    there = ~np.isnan(x)
    n = weights @ there.astype(np.float64)
    places = []
    for values in (x, y):
        lower = (values[None] < values[:, None]).astype(np.float64)  # (i, j, column): j is lower than i
        equal = (values[None] == values[:, None]).astype(np.float64)
        below = np.einsum("bj,ijc->bic", weights, lower)
        level = np.einsum("bj,ijc->bic", weights, equal)
        places.append(np.where(there, below + (level + 1) / 2 - (n[:, None] + 1) / 2, 0.0))
    return _pearson_of_centred("bi,bic,bic->bc", weights, n, *places)


def centred(values: Array, axis: int | None = None) -> Array:
    """Return values minus their mean: exactly 0 if they are equal up to rounding. NaN becomes 0."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    count = np.maximum(there.sum(axis, keepdims=True), 1)
    found = np.where(there, filled - filled.sum(axis, keepdims=True) / count, 0.0)
    largest = np.abs(filled).max(axis, keepdims=True, initial=0.0)
    flat = np.abs(found).max(axis, keepdims=True, initial=0.0) <= _NEARLY * largest
    return np.where(flat, 0.0, found)


def pearson_of_sums(n: Array, x: Array, y: Array, xx: Array, yy: Array, xy: Array) -> Array:
    """Return Pearson's r from the sums of the weights, and of the weighted values, squares and products."""
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = xx - x * x / n, yy - y * y / n
        constant = (spread_x <= _NEARLY * xx) | (spread_y <= _NEARLY * yy)
        found = (xy - x * y / n) / np.sqrt(spread_x * spread_y)
        return np.where(constant, np.nan, np.clip(found, -1.0, 1.0))


def _pearson_of_centred(axes: str, weights: Array, n: Array, x: Array, y: Array) -> Array:
    sums = [np.einsum(axes, weights, one, other) for one, other in ((x, x), (y, y), (x, y))]
    return pearson_of_sums(n, np.zeros_like(n), np.zeros_like(n), *sums)


def points_kendall(kind: str, x: Array, y: Array, weights: Iterator[Array]) -> Array:
    """Return Kendall's tau-b of points, or tau-c, of Stuart: for sides with different numbers of distinct values."""
    # tau is symmetric, and looking up is fast where few ranks are
    (y_ranks, n_y), (x_ranks, n_x) = sorted((_dense_ranks(x), _dense_ranks(y)), key=lambda side: side[1])
    order = np.argsort(x_ranks, kind="stable")
    starts = np.append(np.searchsorted(x_ranks[order], np.arange(n_x)), len(x_ranks))
    ranks = y_ranks[order] + 1
    found = []
    for each in weights:
        sums = engine.order_sums(starts, ranks, n_y, np.ascontiguousarray(each[:, order]))
        n = each.sum(1)
        of_x, of_y = _sums_by_rank(each, x_ranks, n_x), _sums_by_rank(each, y_ranks, n_y)
        untied_x, untied_y = ((n * n - (of * of).sum(1)) / 2 for of in (of_x, of_y))
        classes = np.minimum((of_x > 0).sum(1), (of_y > 0).sum(1))
        found.append(_kendall_of_sums(kind, sums, untied_x, untied_y, n, classes.astype(np.float64)))
    return np.concatenate(found)


def columns_kendall(kind: str, x: Array, y: Array, weights: Array) -> Array:
    """Return Kendall's tau-b or tau-c of each column."""
    of_pairs = pair_weights(weights)
    up, right = (np.sign(np.nan_to_num(pair_differences(values))) for values in (x, y))
    n = weights @ (~np.isnan(x)).astype(np.float64)
    classes = np.minimum(_n_different(x, weights), _n_different(y, weights)) if kind == "c" else n
    order, of_x, of_y = (of_pairs @ each for each in (up * right, up * up, right * right))
    return _kendall_of_sums(kind, order, of_x, of_y, n, classes)


def _kendall_of_sums(kind: str, order: Array, untied_x: Array, untied_y: Array, n: Array, classes: Array) -> Array:
    """Return tau from concordant minus discordant pairs, pairs untied in x and in y, and the number of values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "b":
            return np.where((untied_x > 0) & (untied_y > 0), order / np.sqrt(untied_x * untied_y), np.nan)
        return np.where(classes > 1, 2 * order * classes / (n * n * (classes - 1)), np.nan)


def _n_different(values: Array, weights: Array) -> Array:
    """Return the number of distinct values with weight in each column, shape (B, c)."""
    drawn = (weights > 0).astype(np.float64)
    found = np.zeros((len(weights), values.shape[1]))
    for index in range(len(values)):
        before: NDArray[np.bool_] = drawn[:, :index] @ (values[:index] == values[index]).astype(np.float64) > 0
        found += drawn[:, index, None] * (~before & ~np.isnan(values[index]))
    return found


def _dense_ranks(values: Array) -> tuple[_Ranks, int]:
    """Return the dense rank of each value from 0, and the number of ranks."""
    different, ranks = np.unique(values, return_inverse=True)
    return ranks.reshape(values.shape).astype(np.int64), len(different)


def _sums_by_rank(weights: Array, ranks: _Ranks, n_ranks: int) -> Array:
    """Return the weight of each rank, shape (B, n_ranks), of weights of points, shape (B, N)."""
    order = np.argsort(ranks, kind="stable")
    if n_ranks == len(ranks):  # each point has its own
        return weights[:, order]
    starts = np.searchsorted(ranks[order], np.arange(n_ranks))
    found: Any = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray(found, np.float64)
