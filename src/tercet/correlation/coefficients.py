"""Pearson's r, Spearman's rho and Kendall's tau, of weighted points and of the columns of tables.

Of points, as in scipy.stats: a long vector, in n log n steps. Of columns: several systems for each of many items, by
comparing all pairs. All are NaN if a side is constant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

from .influences import kendall_influences, spearman_influences
from .samples import Array, Key, PointWeights, pair_differences, pair_weights

_Ranks = NDArray[np.int64]

#: Values of a side that are counted in each resample.
_FEW_VALUES = 256

#: A side whose values differ by no more than this share of their size is constant: the rest is rounding.
_NEARLY = 1e-13


def points_pearson(x: Array, y: Array, weights: PointWeights) -> Array:
    """Return Pearson's r of points; time and memory are linear."""
    x = centred(x)
    y = centred(y)
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return pearson_of_sums(*weights.totals(columns).T)


def points_spearman(x: Array, y: Array, weights: PointWeights) -> Array:
    """Return Spearman's rho of points: Pearson's r of mean ranks."""
    if weights.are_of_many_items:
        influences = weights.of_outputs(Key("spearman"), lambda: spearman_influences(x, y).of_items(weights))
        n, *products = influences.in_resamples(weights)
        rho = pearson_of_sums(n, np.zeros_like(n), np.zeros_like(n), *products)
        return np.where(_n_drawn_classes(_sides_by_rank(x, y, weights), weights) > 1, rho, np.nan)
    sides = [_dense_ranks(x), _dense_ranks(y)]
    coefficients = []
    for chunk in weights:
        n = chunk.sum(1)
        centred_ranks = []
        for side in sides:
            # Points of one value share the mean of the ranks that they take among all points.
            sums = _sums_by_rank(chunk, side)
            midranks = np.cumsum(sums, axis=1) - sums + (sums + 1) / 2
            centred_ranks.append((midranks - (n[:, None] + 1) / 2)[:, side.ranks])
        coefficients.append(_pearson_of_centred("bi,bi,bi->b", chunk, n, *centred_ranks))
    return np.concatenate(coefficients)


def columns_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Return Pearson's r of each column."""
    is_graded = (~np.isnan(x)).astype(np.float64)
    x = centred(x, 0)
    y = centred(y, 0)
    return pearson_of_sums(*(weights @ terms for terms in (is_graded, x, y, x * x, y * y, x * y)))


def columns_spearman(x: Array, y: Array, weights: Array) -> Array:
    """Return Spearman's rho of each column."""
    is_graded = ~np.isnan(x)
    n = weights @ is_graded.astype(np.float64)
    centred_ranks = []
    for values in (x, y):
        # (i, j, column): whether system j is below system i, or has the same value
        lower = (values[None] < values[:, None]).astype(np.float64)
        equal = (values[None] == values[:, None]).astype(np.float64)
        below = np.einsum("bj,ijc->bic", weights, lower)
        tied = np.einsum("bj,ijc->bic", weights, equal)
        centred_ranks.append(np.where(is_graded, below + (tied + 1) / 2 - (n[:, None] + 1) / 2, 0.0))
    return _pearson_of_centred("bi,bic,bic->bc", weights, n, *centred_ranks)


def centred(values: Array, axis: int | None = None) -> Array:
    """Return values minus their mean: exactly 0 if they are equal up to rounding. NaN becomes 0."""
    is_number = ~np.isnan(values)
    filled = np.where(is_number, values, 0.0)
    count = np.maximum(is_number.sum(axis, keepdims=True), 1)
    deviations = np.where(is_number, filled - filled.sum(axis, keepdims=True) / count, 0.0)
    largest = np.abs(filled).max(axis, keepdims=True, initial=0.0)
    is_constant = np.abs(deviations).max(axis, keepdims=True, initial=0.0) <= _NEARLY * largest
    return np.where(is_constant, 0.0, deviations)


def pearson_of_sums(n: Array, x: Array, y: Array, xx: Array, yy: Array, xy: Array) -> Array:
    """Return Pearson's r from the sums of the weights, and of the weighted values, squares and products."""
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x = xx - x * x / n
        spread_y = yy - y * y / n
        constant = (spread_x <= _NEARLY * xx) | (spread_y <= _NEARLY * yy)
        r = (xy - x * y / n) / np.sqrt(spread_x * spread_y)
        return np.where(constant, np.nan, np.clip(r, -1.0, 1.0))


def _pearson_of_centred(axes: str, weights: Array, n: Array, x: Array, y: Array) -> Array:
    sums = [np.einsum(axes, weights, left, right) for left, right in ((x, x), (y, y), (x, y))]
    return pearson_of_sums(n, np.zeros_like(n), np.zeros_like(n), *sums)


def points_kendall(kind: str, x: Array, y: Array, weights: PointWeights) -> Array:
    """Return Kendall's tau-b of points, or tau-c, of Stuart: for sides with different numbers of distinct values."""
    # Both are made of the same sums.
    sums = weights.of_resamples(Key("kendall"), lambda: _kendall_sums(x, y, weights))
    return _kendall_of_sums(kind, sums)


def _kendall_sums(x: Array, y: Array, weights: PointWeights) -> _KendallSums:
    # Tau is symmetric: which side is x, and which is y, says nothing here.
    few, many = _sides_by_rank(x, y, weights)
    if weights.are_of_many_items:
        influences = weights.of_outputs(
            Key("kendall"), lambda: kendall_influences(many.ranks, few.ranks).of_items(weights)
        )
        n, concordance, tied_many, tied_few = influences.in_resamples(weights)
        classes = _n_drawn_classes(_Sides(few, many), weights)
        # A resample in which a side is constant has no pair that it tells apart.
        untied_many = np.where(classes > 1, (n * n - tied_many) / 2, 0.0)
        untied_few = np.where(classes > 1, (n * n - tied_few) / 2, 0.0)
        return _KendallSums(concordance, untied_many, untied_few, n, classes)
    order = np.argsort(many.ranks, kind="stable")
    starts = np.append(np.searchsorted(many.ranks[order], np.arange(many.n_ranks)), len(many.ranks))
    ranks = few.ranks[order] + 1
    chunks = []
    for chunk in weights:
        concordance = engine.order_sums(starts, ranks, few.n_ranks, np.ascontiguousarray(chunk[:, order]))
        n = chunk.sum(1)
        weights_of_many = _sums_by_rank(chunk, many)
        weights_of_few = _sums_by_rank(chunk, few)
        untied_many = _untied(n, weights_of_many)
        untied_few = _untied(n, weights_of_few)
        classes = np.minimum((weights_of_many > 0).sum(1), (weights_of_few > 0).sum(1)).astype(np.float64)
        chunks.append((concordance, untied_many, untied_few, n, classes))
    return _KendallSums(*(np.concatenate(terms) for terms in zip(*chunks, strict=True)))


def _untied(n: Array, rank_weights: Array) -> Array:
    """Return how many pairs of n points have different ranks; `rank_weights` are (B, n_ranks)."""
    return np.asarray((n * n - (rank_weights * rank_weights).sum(1)) / 2, np.float64)


class _Side(NamedTuple):
    """The grades or the scores of points: the dense rank of each, from 0."""

    ranks: _Ranks
    n_ranks: int


class _Sides(NamedTuple):
    """The side that has fewer different values, and the other."""

    few: _Side
    many: _Side


def _sides_by_rank(x: Array, y: Array, weights: PointWeights) -> _Sides:
    """Return the side that has fewer different values, and the other.

    Both coefficients are symmetric, and the engine looks up ranks of the first: fast where there are few of them.
    """

    def sides() -> _Sides:
        return _Sides(*sorted((_dense_ranks(x), _dense_ranks(y)), key=lambda side: side.n_ranks))

    return weights.of_outputs(Key("ranks"), sides)


def _n_drawn_classes(sides: _Sides, weights: PointWeights) -> Array:
    """Return how many different values each resample has of the side that has fewer of them."""
    n_drawn_of_few = _n_drawn_values("few", sides.few, weights)
    return np.minimum(n_drawn_of_few, _n_drawn_values("many", sides.many, weights))


def _n_drawn_values(name: str, side: _Side, weights: PointWeights) -> Array:
    """Return how many of the values of a side each resample has; where they are many, all, as few of them lack."""
    if side.n_ranks > _FEW_VALUES:
        return np.full(len(weights.item_weights), float(side.n_ranks))
    numbers = weights.of_outputs(Key("values", name), lambda: weights.numbers_of_items(side.ranks, side.n_ranks))
    return np.asarray((weights.item_weights @ numbers > 0).sum(1), np.float64)


def columns_kendall(kind: str, x: Array, y: Array, weights: Array) -> Array:
    """Return Kendall's tau-b or tau-c of each column."""
    of_pairs = pair_weights(weights)
    signs_x = np.sign(np.nan_to_num(pair_differences(x)))
    signs_y = np.sign(np.nan_to_num(pair_differences(y)))
    n = weights @ (~np.isnan(x)).astype(np.float64)
    classes = np.minimum(_n_different(x, weights), _n_different(y, weights)) if kind == "c" else n
    sums = _KendallSums(
        concordance=of_pairs @ (signs_x * signs_y),
        untied_x=of_pairs @ (signs_x * signs_x),
        untied_y=of_pairs @ (signs_y * signs_y),
        n=n,
        classes=classes,
    )
    return _kendall_of_sums(kind, sums)


class _KendallSums(NamedTuple):
    """What tau is made of, in each resample."""

    concordance: Array  # concordant minus discordant pairs
    untied_x: Array  # pairs
    untied_y: Array
    n: Array  # points
    classes: Array  # different values, of the side that has fewer


def _kendall_of_sums(kind: str, sums: _KendallSums) -> Array:
    concordance, untied_x, untied_y, n, classes = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "b":
            return np.where((untied_x > 0) & (untied_y > 0), concordance / np.sqrt(untied_x * untied_y), np.nan)
        return np.where(classes > 1, 2 * concordance * classes / (n * n * (classes - 1)), np.nan)


def _n_different(values: Array, weights: Array) -> Array:
    """Return the number of distinct values with weight in each column, shape (B, c)."""
    has_weight = (weights > 0).astype(np.float64)
    counts = np.zeros((len(weights), values.shape[1]))
    for index in range(len(values)):
        is_equal = (values[:index] == values[index]).astype(np.float64)
        is_repeated: NDArray[np.bool_] = has_weight[:, :index] @ is_equal > 0
        counts += has_weight[:, index, None] * (~is_repeated & ~np.isnan(values[index]))
    return counts


def _dense_ranks(values: Array) -> _Side:
    """Return the dense ranks of values."""
    different, ranks = np.unique(values, return_inverse=True)
    return _Side(ranks.reshape(values.shape).astype(np.int64), len(different))


def _sums_by_rank(weights: Array, side: _Side) -> Array:
    """Return the weight of each rank, shape (B, n_ranks), of weights of points, shape (B, N)."""
    order = np.argsort(side.ranks, kind="stable")
    if side.n_ranks == len(side.ranks):  # every point has a rank of its own
        return weights[:, order]
    starts = np.searchsorted(side.ranks[order], np.arange(side.n_ranks))
    sums: Any = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray(sums, np.float64)
