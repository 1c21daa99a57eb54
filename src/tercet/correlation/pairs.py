"""Figures of pairs of systems: which of two outputs is better, and which differences of a metric are ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .coefficients import pearson_of_sums
from .samples import Array, Sample, pair_differences, pair_weights

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
    x = pair_differences(human)
    y = pair_differences(metric)
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
    x = pair_differences(human).T
    y = pair_differences(metric).T
    is_graded = ~np.isnan(x)
    if not is_graded.any():
        return float("nan"), 0.0
    item = np.nonzero(is_graded)[0].astype(np.int64)
    tied = (x == 0)[is_graded]
    alike = (np.sign(x) == np.sign(y))[is_graded]
    count = is_graded.sum(1)
    agreed = np.bincount(item, alike, minlength=len(count)).astype(np.int64)
    graded = count > 0
    start = sum((agreed[graded] / count[graded]).tolist())
    size = np.abs(y[is_graded])
    order = np.argsort(size, kind="stable")
    of_item = item[order]
    n_pairs = count[item[order]]
    change = tied[order].astype(np.int64) - alike[order]
    after = _running_sums(change, of_item) + agreed[of_item]
    # A pair that becomes a tie takes its item's share of agreeing pairs away, and then adds the new share.
    steps = np.empty(2 * len(order) + 1)
    steps[0] = start
    steps[1::2] = -((after - change) / n_pairs)
    steps[2::2] = after / n_pairs
    totals = np.cumsum(steps)[2::2]
    size = size[order]
    # All pairs with the same difference become ties together: the sum counts after the last of them.
    last = np.append(size[1:] != size[:-1], True)
    thresholds = size[last]
    totals = totals[last]
    # The threshold 0 always counts, even if no difference is 0.
    if thresholds[0] != 0:
        thresholds = np.append(0.0, thresholds)
        totals = np.append(start, totals)
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
