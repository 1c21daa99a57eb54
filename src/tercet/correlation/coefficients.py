"""The figures of agreement between metrics and grades, by name, and their bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.statistics.bootstrap import bootstrap_weights
from tercet.statistics.progress import bar_of

from .influences import kendall_influences, spearman_influences
from .samples import (
    Array,
    Numbers,
    OfColumns,
    OfPoints,
    Once,
    PointWeights,
    Sample,
    pair_differences,
    pair_weights,
)

# Pearson's r, Spearman's rho and Kendall's tau, of weighted points and of the columns of tables.
#
# Of points, as in scipy.stats: a long vector, in n log n steps. Of columns: several systems for each of many items,
# by comparing all pairs. All are NaN if a side is constant.

_Ranks = NDArray[np.int64]

#: Values of a side that are counted in each resample.
_FEW_VALUES = 256

#: A side whose values differ by no more than this share of their size is constant: the rest is rounding.
_NEARLY = 1e-13


def points_pearson(x: Array, y: Array, weights: PointWeights) -> Array:
    """Return Pearson's r of points; time and memory are linear."""
    x, y = centred(x), centred(y)
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return pearson_of_sums(*weights.totals(columns).T)


def points_spearman(x: Array, y: Array, weights: PointWeights) -> Array:
    """Return Spearman's rho of points: Pearson's r of mean ranks."""
    if weights.are_of_many_items:
        influences = weights.of_points("spearman", lambda: spearman_influences(x, y).of_items(weights))
        n, *products = influences.in_resamples(weights)
        return pearson_of_sums(n, np.zeros_like(n), np.zeros_like(n), *products)
    sides = [_dense_ranks(x), _dense_ranks(y)]
    coefficients = []
    for chunk in weights:
        n, centred_ranks = chunk.sum(1), []
        for ranks, n_ranks in sides:
            # Points of one value share the mean of the ranks that they take among all points.
            sums = _sums_by_rank(chunk, ranks, n_ranks)
            midranks = np.cumsum(sums, axis=1) - sums + (sums + 1) / 2
            centred_ranks.append((midranks - (n[:, None] + 1) / 2)[:, ranks])
        coefficients.append(_pearson_of_centred("bi,bi,bi->b", chunk, n, *centred_ranks))
    return np.concatenate(coefficients)


def columns_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Return Pearson's r of each column."""
    is_graded = (~np.isnan(x)).astype(np.float64)
    x, y = centred(x, 0), centred(y, 0)
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
    sums = weights.of_draws("kendall", lambda: _kendall_sums(x, y, weights))
    return _kendall_of_sums(kind, sums)


def _kendall_sums(x: Array, y: Array, weights: PointWeights) -> _KendallSums:
    # tau is symmetric, and the engine looks up ranks of y: fast where there are few of them.
    (y_ranks, n_y), (x_ranks, n_x) = sorted((_dense_ranks(x), _dense_ranks(y)), key=lambda side: side[1])
    if weights.are_of_many_items:
        influences = weights.of_points("kendall", lambda: kendall_influences(x_ranks, y_ranks).of_items(weights))
        n, concordance, tied_x, tied_y = influences.in_resamples(weights)
        classes = np.minimum(_n_drawn_values("x", x_ranks, n_x, weights), _n_drawn_values("y", y_ranks, n_y, weights))
        return _KendallSums(concordance, (n * n - tied_x) / 2, (n * n - tied_y) / 2, n, classes)
    order = np.argsort(x_ranks, kind="stable")
    starts = np.append(np.searchsorted(x_ranks[order], np.arange(n_x)), len(x_ranks))
    ranks = y_ranks[order] + 1
    chunks = []
    for chunk in weights:
        concordance = engine.order_sums(starts, ranks, n_y, np.ascontiguousarray(chunk[:, order]))
        n = chunk.sum(1)
        weights_of_x, weights_of_y = _sums_by_rank(chunk, x_ranks, n_x), _sums_by_rank(chunk, y_ranks, n_y)
        untied_x, untied_y = (
            (n * n - (rank_weights * rank_weights).sum(1)) / 2 for rank_weights in (weights_of_x, weights_of_y)
        )
        classes = np.minimum((weights_of_x > 0).sum(1), (weights_of_y > 0).sum(1)).astype(np.float64)
        chunks.append((concordance, untied_x, untied_y, n, classes))
    return _KendallSums(*(np.concatenate(terms) for terms in zip(*chunks, strict=True)))


def _n_drawn_values(side: str, ranks: _Ranks, n_ranks: int, weights: PointWeights) -> Array:
    """Return how many of the values of a side each resample has; where they are many, all, as few of them lack."""
    if n_ranks > _FEW_VALUES:
        return np.full(len(weights.items), float(n_ranks))
    numbers = weights.of_points(f"values of {side}", lambda: weights.numbers_of_items(ranks, n_ranks))
    return np.asarray((weights.items @ numbers > 0).sum(1), np.float64)


def columns_kendall(kind: str, x: Array, y: Array, weights: Array) -> Array:
    """Return Kendall's tau-b or tau-c of each column."""
    of_pairs = pair_weights(weights)
    signs_x, signs_y = (np.sign(np.nan_to_num(pair_differences(values))) for values in (x, y))
    n = weights @ (~np.isnan(x)).astype(np.float64)
    classes = np.minimum(_n_different(x, weights), _n_different(y, weights)) if kind == "c" else n
    concordance, untied_x, untied_y = (
        of_pairs @ terms for terms in (signs_x * signs_y, signs_x * signs_x, signs_y * signs_y)
    )
    return _kendall_of_sums(kind, _KendallSums(concordance, untied_x, untied_y, n, classes))


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


def _dense_ranks(values: Array) -> tuple[_Ranks, int]:
    """Return the dense rank of each value from 0, and the number of ranks."""
    different, ranks = np.unique(values, return_inverse=True)
    return ranks.reshape(values.shape).astype(np.int64), len(different)


def _sums_by_rank(weights: Array, ranks: _Ranks, n_ranks: int) -> Array:
    """Return the weight of each rank, shape (B, n_ranks), of weights of points, shape (B, N)."""
    order = np.argsort(ranks, kind="stable")
    if n_ranks == len(ranks):  # every point has a rank of its own
        return weights[:, order]
    starts = np.searchsorted(ranks[order], np.arange(n_ranks))
    sums: Any = np.add.reduceat(weights[:, order], starts, axis=1)
    return np.asarray(sums, np.float64)


# Figures of pairs of systems: which of two outputs is better, and which differences of a metric are ties.

_Integers = NDArray[np.int64]


def accuracy(human: Array, metric: Array, systems: Array, epsilon: float = 0.0) -> Array:
    """Return, of each column, the share of pairs ordered alike or tied in both; a metric ties up to epsilon.

    Source: Deutsch et al. 2023, section 5; of means without ties, Kocmi et al. 2021.
    """
    of_pairs = pair_weights(systems)
    outcomes, is_graded = agreements(human, metric, epsilon)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((of_pairs @ outcomes) / (of_pairs @ is_graded), np.float64)


def agreements(human: Array, metric: Array, epsilon: float) -> tuple[Array, Array]:
    """Return whether each pair of systems is ordered alike, and whether it is graded: 0 or 1, shape (pairs, m)."""
    x, y = pair_differences(human), pair_differences(metric)
    is_graded = ~np.isnan(x)
    alike = np.sign(x) == np.where(np.abs(y) <= epsilon, 0.0, np.sign(y))
    return (alike & is_graded).astype(np.float64), is_graded.astype(np.float64)


def difference_pearson(sample: Sample) -> Array:
    """Return Pearson's r of the differences of both orders of each pair, pooled over items ("pdp" of WMT25)."""
    sums = sample.pair_sums(_squares_and_products)
    # Both orders of a pair cancel out: the mean of all differences is 0, whatever their number, here set to 1.
    zero = np.zeros(sums.shape[1])
    return pearson_of_sums(zero + 1, zero, zero, *sums)


def darr(sample: Sample) -> Array:
    """Return (concordant - discordant) / all pairs with different grades; a tie of the metric is discordant.

    Pairs are pooled over items. Source: the WMT metrics tasks of 2014 to 2020.
    """
    alike, graded = sample.pair_sums(_alike_and_graded)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * alike / graded - 1, np.float64)


# Functions of the module: their sums over the pairs of an item are computed once for all resamples.
def _squares_and_products(x: Array, y: Array) -> list[Array]:
    return [np.nan_to_num(terms) for terms in (x * x, y * y, x * y)]


def _alike_and_graded(x: Array, y: Array) -> list[Array]:
    graded = np.nan_to_num(x) != 0
    return [(graded & (np.sign(x) == np.sign(y))).astype(np.float64), graded.astype(np.float64)]


def calibrate(human: Array, metric: Array) -> tuple[float, float]:
    """Return acc*eq, the greatest mean accuracy that a threshold of ties gives, and the first such threshold.

    Source: Deutsch et al. 2023. Thresholds are 0 and all differences of the metric: one sort, then a running sum of
    what each changes when it becomes a tie, added in the order of mt-metrics-eval, so that of thresholds that are
    equally good but for rounding it is the same one. For p pairs, p log p steps and memory for p.
    """
    # transposed, so that pairs follow one another item by item
    x, y = pair_differences(human).T, pair_differences(metric).T
    is_graded = ~np.isnan(x)
    if not is_graded.any():
        return float("nan"), 0.0
    item = np.nonzero(is_graded)[0].astype(np.int64)
    tied, alike = (x == 0)[is_graded], (np.sign(x) == np.sign(y))[is_graded]
    count = is_graded.sum(1)
    agreed = np.bincount(item, alike, minlength=len(count)).astype(np.int64)
    graded = count > 0
    start = sum((agreed[graded] / count[graded]).tolist())
    size = np.abs(y[is_graded])
    order = np.argsort(size, kind="stable")
    of_item, n_pairs = item[order], count[item[order]]
    change = tied[order].astype(np.int64) - alike[order]
    after = _running_sums(change, of_item) + agreed[of_item]
    # A pair that becomes a tie takes its item's share of agreeing pairs away, and then adds the new share.
    steps = np.empty(2 * len(order) + 1)
    steps[0], steps[1::2], steps[2::2] = start, -((after - change) / n_pairs), after / n_pairs
    totals = np.cumsum(steps)[2::2]
    size = size[order]
    # All pairs with the same difference become ties together: the sum counts after the last of them.
    last = np.append(size[1:] != size[:-1], True)
    thresholds, totals = size[last], totals[last]
    # The threshold 0 always counts, even if no difference is 0.
    if thresholds[0] != 0:
        thresholds, totals = np.append(0.0, thresholds), np.append(start, totals)
    values = totals / int(graded.sum())
    best = int(np.argmax(values))
    return float(values[best]), float(thresholds[best])


def without_noise(scores: Array) -> Array:
    """Return the scores, those that agree to 12 significant digits replaced by the smallest of them."""
    values, rank_of_score = np.unique(scores, return_inverse=True)
    if not len(values):
        return scores
    # "not at most" instead of "more than", so that NaN is apart from every number
    apart = ~(np.diff(values) <= 1e-12 * np.maximum(np.abs(values[1:]), np.abs(values[:-1])))
    first = np.flatnonzero(np.append(True, apart))
    group = np.append(0, np.cumsum(apart))
    return np.asarray(values[first[group]][rank_of_score].reshape(scores.shape), np.float64)


def _running_sums(change: _Integers, group: _Integers) -> _Integers:
    """Return the sum, within each group, of the changes up to each one."""
    # numpy sorts integers of up to two bytes by their digits (a radix sort), longer ones by comparing them
    small = group.astype(np.min_scalar_type(int(group.max(initial=0))))
    order = np.argsort(small, kind="stable")
    sums = np.cumsum(change[order])
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    before = np.append(0, sums)[starts]
    sums_up_to_each = np.empty_like(sums)
    sums_up_to_each[order] = sums - np.repeat(before, counts)
    return sums_up_to_each


# Soft pairwise accuracy: how close a metric's p-values between systems are to those of the grades.

#: As in the reference implementation.
_PERMUTATIONS, _SEED = 1_000, 4
#: Squared differences below this share of their terms are rounding.
_NEARLY_EQUAL = 1e-12


def soft_pairwise_accuracy(human: Array, metric: Array) -> float:
    """Return 1 minus the mean difference of both p-values over all pairs of systems.

    Source: Thompson et al. 2024 (WMT24, WMT25); 1,000 sign flips of the items, sums in single precision. So where
    sums tie but for rounding, p depends on the processor by some thousandths, here and in mt-metrics-eval alike.
    """
    return float(1 - np.abs(_flipped_p(human) - _flipped_p(metric)).mean())


def resampled_soft_accuracy(sample: Sample) -> Array:
    """Return the same for resamples, with the normal distribution instead of sign flips."""
    of_grades = sample.of_grades("p", lambda: _normal_p(pair_differences(sample.human), sample.items))
    of_scores = _normal_p(pair_differences(sample.metric), sample.items)
    of_pairs = pair_weights(sample.systems)
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - (of_pairs * np.abs(of_grades - of_scores)).sum(1) / of_pairs.sum(1), np.float64)


def p_of_pairs(values: Array, is_graded: Array) -> Array:
    """Return p of each pair of systems, by the normal distribution of their differences, shape (..., pairs).

    `values` (..., n, m) are 0 where an output is not graded, and `known` (n, m), or (1, m) where all are, is 1 where
    it is. Of systems i and j the sum of the differences, and of their squares, are ``sums[i, j] - sums[j, i]`` and
    ``squares[i, j] + squares[j, i] - 2 products[i, j]``: three products of matrices, n n m steps.
    """
    products = values @ values.swapaxes(-1, -2)
    sums, squares = (np.broadcast_to(terms @ is_graded.T, products.shape) for terms in (values, values * values))
    first, second = np.triu_indices(values.shape[-2], 1)
    size = squares[..., first, second] + squares[..., second, first]
    square = size - 2 * products[..., first, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (sums[..., first, second] - sums[..., second, first]) / np.sqrt(square)
    return shares_above(np.where(square > _NEARLY_EQUAL * size, z, -np.inf))


def shares_above(z: Array) -> Array:
    """Return the share of the normal distribution above z, to 1.5e-7 (Abramowitz and Stegun 1964, 26.2.19)."""
    x = np.abs(z)
    series = 1 + x * (
        0.0498673470
        + x * (0.0211410061 + x * (0.0032776263 + x * (0.0000380036 + x * (0.0000488906 + x * 0.0000053830))))
    )
    # The formula takes the 16th power: four squarings.
    for _ in range(4):
        series *= series
    tail = 0.5 / series
    return np.where(z > 0, tail, 1 - tail)


def _flipped_p(values: Array) -> Array:
    """Return p of each pair of systems by sign flips of the items that both have."""
    tosses = np.random.default_rng(_SEED).random((_PERMUTATIONS, values.shape[1]), dtype=np.float32)
    signs = 2 * np.rint(tosses) - 1
    first, second = np.triu_indices(len(values), 1)
    # Where every output is graded, a pair's sums are differences of its systems' sums; elsewhere only the items that
    # both systems have may count.
    if not np.isnan(values).any():
        single = values.astype(np.float32)
        sums, flipped = single.sum(1), signs @ single.T
        observed, null = sums[first] - sums[second], flipped[:, first] - flipped[:, second]
    else:
        single = np.nan_to_num(pair_differences(values)).astype(np.float32)
        observed, null = single.sum(1), signs @ single.T
    return np.asarray((null >= observed).mean(0), np.float64)


def _normal_p(differences: Array, items: Array) -> Array:
    """Return p of differences of resampled items by the normal distribution, shape (B, pairs); 1 if all are 0."""
    filled = np.nan_to_num(differences)
    sums, squares = items @ filled.T, items @ (filled * filled).T
    differ = squares > 1e-12
    return np.where(differ, shares_above(sums / np.sqrt(np.where(differ, squares, 1.0))), 1.0)


#: The most weights of items that are held.
_WEIGHTS_AT_ONCE = 4_000_000

#: The resampled unit, and what the interval then holds for.
UNITS: Mapping[str, str] = {
    "items": "for other items and the same systems",
    "systems": "for other systems and the same items",
    "both": "for other items and other systems",
}


@dataclass(frozen=True, slots=True)
class FigureValue:
    """A figure of a metric.

    Attributes
    ----------
    value : float
    low, high : float
        Bootstrap interval; NaN where fewer than five units are resampled.
    epsilon : float
        Differences of the metric's scores, in their own unit, of at most this much count as ties; 0 but for
        ``item.acc_eq``.
    n : int
        Number of outputs, items or systems behind it. Items with a constant side have no correlation.
    """

    value: float
    low: float
    high: float
    epsilon: float
    n: int


class Figure(NamedTuple):
    """A figure of a sample."""

    function: Callable[[Sample], Array]
    least_systems: int
    #: What it is called in a sentence.
    title: str
    #: What it is.
    about: str
    #: Its least value; the greatest is 1.
    least: int = 0
    #: Whether it is about 0 for scores that are unrelated to the grades.
    is_correlation: bool = False
    #: Of one item, where it may be undefined.
    of_item: OfColumns | None = None

    @property
    def definition(self) -> str:
        """Name, meaning and range."""
        unrelated = ", 0 if unrelated" if self.is_correlation else ""
        return f"{self.title}: {self.about}; from {self.least} to 1{unrelated}"


def _pooled(figure: OfPoints, title: str) -> Figure:
    return Figure(
        lambda sample: sample.pooled(figure),
        least_systems=1,
        title=f"pooled {title}",
        about="over all outputs, whatever their system and item",
        least=-1,
        is_correlation=True,
    )


def _of_items(figure: OfColumns, title: str, least_systems: int) -> Figure:
    return Figure(
        lambda sample: sample.within(figure),
        least_systems=least_systems,
        title=f"item-level {title}",
        about="among the systems of each item, averaged over items",
        least=-1,
        is_correlation=True,
        of_item=figure,
    )


def _of_systems(figure: OfColumns, title: str) -> Figure:
    return Figure(
        lambda sample: sample.between(figure),
        least_systems=3,
        title=f"system-level {title}",
        about="between the systems' mean scores and mean grades",
        least=-1,
        is_correlation=True,
    )


def _accuracy(sample: Sample, epsilon: float = 0.0) -> Array:
    return sample.within(_accuracy_up_to(epsilon))


@lru_cache(256)  # the same function each time: its values by item are computed once for all resamples
def _accuracy_up_to(epsilon: float) -> OfColumns:
    return partial(accuracy, epsilon=epsilon)


#: What the accuracy with ties is.
_ACCURACY = "share of pairs of systems that scores and grades rank the same way or both tie, averaged over items"

FIGURES: Mapping[str, Figure] = {
    "pooled.pearson": _pooled(points_pearson, "Pearson's r"),
    "pooled.spearman": _pooled(points_spearman, "Spearman's rho"),
    "pooled.kendall_b": _pooled(partial(points_kendall, "b"), "Kendall's tau-b"),
    "pooled.kendall_c": _pooled(partial(points_kendall, "c"), "Kendall's tau-c"),
    "item.pearson": _of_items(columns_pearson, "Pearson's r", 3),
    "item.spearman": _of_items(columns_spearman, "Spearman's rho", 3),
    "item.kendall_b": _of_items(partial(columns_kendall, "b"), "Kendall's tau-b", 2),
    "item.kendall_c": _of_items(partial(columns_kendall, "c"), "Kendall's tau-c", 2),
    "item.acc23": Figure(_accuracy, least_systems=2, title="pairwise accuracy with ties", about=_ACCURACY),
    "item.tau23": Figure(
        lambda sample: 2 * _accuracy(sample) - 1,
        least_systems=2,
        title="rescaled pairwise accuracy",
        about="2 * item.acc23 - 1",
        least=-1,
    ),
    "item.acc_eq": Figure(
        _accuracy,
        least_systems=2,
        title="tie-calibrated pairwise accuracy",
        about=f"{_ACCURACY}, where differences of scores up to a threshold count as ties: the threshold that gives "
        "the highest accuracy (Deutsch et al. 2023)",
    ),
    "item.pdp": Figure(
        difference_pearson,
        least_systems=2,
        title="pairwise-difference Pearson's r",
        about="between differences of scores and of grades of two systems on an item, over all items",
        least=-1,
        is_correlation=True,
    ),
    "item.darr": Figure(
        darr,
        least_systems=2,
        title="Kendall-like tau (DARR)",
        about="(concordant - discordant) / all pairs of an item with different grades; ties of scores are discordant",
        least=-1,
    ),
    "system.pearson": _of_systems(columns_pearson, "Pearson's r"),
    "system.spearman": _of_systems(columns_spearman, "Spearman's rho"),
    "system.kendall_b": _of_systems(partial(columns_kendall, "b"), "Kendall's tau-b"),
    "system.kendall_c": _of_systems(partial(columns_kendall, "c"), "Kendall's tau-c"),
    "system.pairwise_accuracy": Figure(
        lambda sample: sample.between(accuracy),
        least_systems=2,
        title="system-level pairwise accuracy",
        about="share of pairs of systems that mean scores and mean grades rank the same way (Kocmi et al. 2021)",
    ),
    "system.spa": Figure(
        resampled_soft_accuracy,
        least_systems=2,
        title="soft pairwise accuracy",
        about="1 minus the mean difference of two p-values over pairs of systems: that one is better by the scores, "
        "and by the grades (Thompson et al. 2024)",
    ),
}


def figures_for(n_systems: int) -> list[str]:
    """Return the figures that are defined for n systems."""
    return [name for name, figure in FIGURES.items() if n_systems >= figure.least_systems]


def value_of(name: str, human: Array, metric: Array) -> tuple[float, float]:
    """Return a figure and its threshold of ties: 0 except for ``item.acc_eq``."""
    return value_in(name, Sample.whole(human, metric))


def value_in(name: str, whole: Sample) -> tuple[float, float]:
    """Return the same of a sample in which everything counts once."""
    if name == "item.acc_eq":
        return calibrate(whole.human, whole.metric)
    if name == "system.spa":
        return soft_pairwise_accuracy(whole.human, whole.metric), 0.0
    return float(FIGURES[name].function(whole)[0]), 0.0


def points_of(name: str, whole: Sample) -> int:
    """Return the number of outputs, items (without a constant side) or systems behind a figure."""
    is_graded = ~np.isnan(whole.human)
    level = name.partition(".")[0]
    of_item = FIGURES[name].of_item
    if level == "pooled":
        return int(is_graded.sum())
    if level == "system":
        return int(is_graded.any(axis=1).sum())
    if of_item is None:
        return int((is_graded.sum(0) > 1).sum())
    return int((~np.isnan(whole.by_item(of_item))).sum())


def resampled(name: str, sample: Sample, point_estimate: tuple[float, float]) -> Array:
    """Return a figure of resamples, shape (B,), all with the threshold of ties of the `point_estimate`.

    SPA of resamples is by the normal distribution; it is shifted to match the point estimate.
    """
    value, epsilon = point_estimate
    if name == "item.acc_eq":
        return _accuracy(sample, epsilon)
    function = FIGURES[name].function
    values = function(sample)
    if name == "system.spa" and not math.isnan(value):
        values = np.clip(values + value - function(Sample.whole(sample.human, sample.metric)), 0.0, 1.0)
    return values


def draws(
    n_systems: int, n_items: int, unit: str, n_resamples: int, seed: int, clusters: Numbers | None = None
) -> Iterator[tuple[Array, Array]]:
    """Yield how often each system and item is drawn, in chunks of resamples: shapes (b or 1, n) and (b or 1, m).

    The same seed gives the same items, whether or not systems are drawn too. Items of a cluster are drawn together.
    """
    of_systems = np.ones((1, n_systems))
    if unit != "items":
        of_systems = np.concatenate(list(bootstrap_weights(n_systems, n_resamples, seed + 1)))
    if unit == "systems":
        yield of_systems, np.ones((1, n_items))
        return
    n_units = n_items if clusters is None else int(clusters.max()) + 1
    start = 0
    for units in _gathered(bootstrap_weights(n_units, n_resamples, seed), n_items):
        items = units if clusters is None else units[:, clusters]
        stop = start + len(items)
        yield of_systems[start:stop] if unit == "both" else of_systems, items
        start = stop


def _gathered(chunks: Iterator[Array], n_items: int) -> Iterator[Array]:
    """Yield weights of more resamples at a time: for each chunk of them all figures of all metrics begin anew."""
    parts: list[Array] = []
    n_resamples = 0
    for chunk in chunks:
        parts.append(chunk)
        n_resamples += len(chunk)
        if (n_resamples + len(chunk)) * n_items > _WEIGHTS_AT_ONCE:
            yield np.concatenate(parts)
            parts = []
            n_resamples = 0
    if parts:
        yield np.concatenate(parts)


def distributions(
    point_estimates: Mapping[str, list[tuple[float, float]]],
    wholes: Sequence[Sample],
    unit: str,
    n_resamples: int,
    seed: int,
    clusters: Numbers | None = None,
) -> dict[str, Array]:
    """Return figures of all metrics in the same resamples, by name, shape (k, B).

    `wholes` are the outputs of each metric, `point_estimates`, by name, the value and the threshold of ties of each.
    """
    n_systems, n_items = wholes[0].human.shape
    parts: dict[str, list[Array]] = {name: [] for name in point_estimates}
    with bar_of("intervals", "resampled figures", n_resamples * len(point_estimates) * len(wholes)) as bar:
        for system_weights, item_weights in draws(n_systems, n_items, unit, n_resamples, seed, clusters):
            of_grades = Once()
            samples = [
                whole.resampled(system_weights, item_weights, of_grades, has_single_items=clusters is None)
                for whole in wholes
            ]
            for name, estimates in point_estimates.items():
                rows = []
                for sample, estimate in zip(samples, estimates, strict=True):
                    rows.append(resampled(name, sample, estimate))
                    if bar is not None:
                        bar.update(len(rows[-1]))
                parts[name].append(np.array(rows))
    return {name: np.concatenate(chunks, axis=1) for name, chunks in parts.items()}


def percentile_interval(draws: Array, value: float, confidence_level: float) -> tuple[float, float]:
    """Return the percentile interval, widened to hold the value; NaN if no resample has the figure."""
    defined = draws[~np.isnan(draws)]
    if not len(defined) or np.isnan(value):
        return float("nan"), float("nan")
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(min(low, value)), float(max(high, value))
