"""Figures of pairs of systems: which of two outputs is better, and which differences of a metric are ties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .coefficients import pearson_of_sums
from .samples import Array, Sample, column_chunks, pair_differences, pair_weights

_Booleans = NDArray[np.bool_]


def accuracy(human: Array, metric: Array, systems: Array, epsilon: float = 0.0) -> Array:
    """Return, of each column, the share of pairs ordered alike or tied in both; a metric ties up to epsilon.

    Source: Deutsch et al. 2023, section 5; of means without ties, Kocmi et al. 2021.
    """
    of_pairs = pair_weights(systems)
    outcomes, is_graded = agreements(human, metric, epsilon)
    with np.errstate(invalid="ignore", divide="ignore"):
        n_alike = of_pairs @ outcomes.astype(np.float64)
        return np.asarray(n_alike / (of_pairs @ is_graded.astype(np.float64)), np.float64)


def agreements(human: Array, metric: Array, epsilon: float) -> tuple[_Booleans, _Booleans]:
    """Return whether each pair of systems is ordered alike, and whether it is graded, shape (pairs, m)."""
    x = pair_differences(human)
    y = pair_differences(metric)
    is_graded = ~np.isnan(x)
    alike = np.sign(x) == np.where(np.abs(y) <= epsilon, 0.0, np.sign(y))
    return alike & is_graded, is_graded


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
    x = np.nan_to_num(x)
    y = np.nan_to_num(y)
    return [x * x, y * y, x * y]


def _alike_and_graded(x: Array, y: Array) -> list[Array]:
    graded = np.nan_to_num(x) != 0
    return [(graded & (np.sign(x) == np.sign(y))).astype(np.float64), graded.astype(np.float64)]


def calibrate(human: Array, metric: Array) -> tuple[float, float]:
    """Return acc*eq, the greatest mean accuracy that a threshold of ties gives, and the first such threshold.

    Source: Deutsch et al. 2023. Thresholds are 0 and all differences of the metric: one sort, then a running sum of
    what each changes when it becomes a tie, added in the order of mt-metrics-eval, so that of thresholds that are
    equally good but for rounding it is the same one. For p pairs, p log p steps and memory for p.
    """
    parts = column_chunks(human.shape[1], len(human), 1)
    of_parts = [_ties_of_items(human[:, part], metric[:, part]) for part in parts]
    share_of_item, size, moves = map(np.concatenate, zip(*of_parts, strict=True))
    del of_parts
    if not len(size):
        return float("nan"), 0.0
    # Each item's pairs are in order, so that a stable sort has only to merge them.
    order = np.argsort(size, kind="stable")
    size = size[order]
    steps = moves.take(order, axis=0).ravel()
    start = sum(share_of_item.tolist())
    steps[0] += start
    totals = np.cumsum(steps, out=steps)[1::2]
    # All pairs with the same difference become ties together: the sum counts after the last of them.
    last = np.append(size[1:] != size[:-1], True)
    thresholds = size[last]
    totals = totals[last]
    # The threshold 0 always counts, even if no difference is 0.
    if thresholds[0] != 0:
        thresholds = np.append(0.0, thresholds)
        totals = np.append(start, totals)
    values = totals / len(share_of_item)
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


class _Ties(NamedTuple):
    """What thresholds change in some items."""

    #: The share of agreeing pairs of each item that has graded ones, without a threshold.
    shares: Array
    #: The difference of the metric of each graded pair; of each item from the smallest to the largest.
    sizes: Array
    #: What the pair, when it becomes a tie, takes away, its item's share, and what it adds, the new share.
    moves: Array


def _ties_of_items(human: Array, metric: Array) -> _Ties:
    """Return what thresholds change in items, of which some may have no graded pair."""
    # transposed, so that pairs follow one another item by item
    x = np.ascontiguousarray(pair_differences(human).T)
    y = np.ascontiguousarray(pair_differences(metric).T)
    is_graded = ~np.isnan(x)
    alike = np.sign(x) == np.sign(y)
    agreed = alike.sum(1, keepdims=True)
    count = is_graded.sum(1, keepdims=True)
    size = np.abs(y)
    order = np.argsort(size, axis=1, kind="stable")
    change = np.take_along_axis((x == 0).astype(np.int64) - alike, order, axis=1)
    after = agreed + np.cumsum(change, axis=1)
    shares = after / np.maximum(count, 1)
    shares_before = (after - change) / np.maximum(count, 1)
    is_counted = np.take_along_axis(is_graded, order, axis=1)
    moves = np.column_stack([-shares_before[is_counted], shares[is_counted]])
    sizes = np.take_along_axis(size, order, axis=1)[is_counted]
    has_pairs = count > 0
    return _Ties(agreed[has_pairs] / count[has_pairs], sizes, moves)
