"""Figures of pairs of systems: which of two outputs is better, and which differences of a metric are ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .correlations import pearson_of_sums
from .sample import Array, Sample, pair_differences, pair_weights

_Integers = NDArray[np.int64]


def accuracy(human: Array, metric: Array, systems: Array, epsilon: float = 0.0) -> Array:
    """Return, of each column, the share of pairs ordered alike or tied in both; a metric ties up to epsilon.

    Source: Deutsch et al. 2023, section 5; of means without ties, Kocmi et al. 2021.
    """
    of_pairs = pair_weights(systems)
    outcomes, there = agreements(human, metric, epsilon)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((of_pairs @ outcomes) / (of_pairs @ there), np.float64)


def agreements(human: Array, metric: Array, epsilon: float) -> tuple[Array, Array]:
    """Return whether each pair of systems is ordered alike, and whether it is graded: 0 or 1, shape (pairs, m)."""
    x, y = pair_differences(human), pair_differences(metric)
    there = ~np.isnan(x)
    alike = np.sign(x) == np.where(np.abs(y) <= epsilon, 0.0, np.sign(y))
    return (alike & there).astype(np.float64), there.astype(np.float64)


def difference_pearson(sample: Sample) -> Array:
    """Return Pearson's r of the differences of both orders of each pair, pooled over items ("pdp" of WMT25)."""

    def squares_and_products(x: Array, y: Array) -> list[Array]:
        return [np.nan_to_num(each) for each in (x * x, y * y, x * y)]

    sums = sample.pair_sums(squares_and_products)
    zero = np.zeros(sums.shape[1])  # the mean of both orders of a pair
    return pearson_of_sums(zero + 1, zero, zero, *sums)


def darr(sample: Sample) -> Array:
    """Return (concordant - discordant) / all pairs with different grades; a tie of the metric is discordant.

    Pairs are pooled over items. Source: the WMT metrics tasks of 2014 to 2020.
    """

    def alike_and_graded(x: Array, y: Array) -> list[Array]:
        graded = np.nan_to_num(x) != 0
        return [(graded & (np.sign(x) == np.sign(y))).astype(np.float64), graded.astype(np.float64)]

    alike, graded = sample.pair_sums(alike_and_graded)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * alike / graded - 1, np.float64)


def calibrate(human: Array, metric: Array) -> tuple[float, float]:
    """Return acc*eq, the greatest mean accuracy that a threshold of ties gives, and the first such threshold.

    Source: Deutsch et al. 2023. Thresholds are 0 and all differences of the metric: one sort, then a running sum of
    what each changes when it becomes a tie, added in the order of mt-metrics-eval, so that of thresholds that are
    equally good but for rounding it is the same one. For p pairs, p log p steps and memory for p.
    """
    x, y = pair_differences(human).T, pair_differences(metric).T  # item by item
    there = ~np.isnan(x)
    if not there.any():
        return float("nan"), 0.0
    item = np.nonzero(there)[0].astype(np.int64)
    tied, alike = (x == 0)[there], (np.sign(x) == np.sign(y))[there]
    count = there.sum(1)
    agreed = np.bincount(item, alike, minlength=len(count)).astype(np.int64)
    graded = count > 0
    start = sum((agreed[graded] / count[graded]).tolist())
    size = np.abs(y[there])
    order = np.argsort(size, kind="stable")
    of_item, n_pairs = item[order], count[item[order]]
    change = tied[order].astype(np.int64) - alike[order]
    after = _running_sums(change, of_item) + agreed[of_item]
    steps = np.empty(2 * len(order) + 1)
    steps[0], steps[1::2], steps[2::2] = start, -((after - change) / n_pairs), after / n_pairs
    totals = np.cumsum(steps)[2::2]
    size = size[order]
    last = np.append(size[1:] != size[:-1], True)  # all pairs with one difference become ties together
    thresholds, totals = size[last], totals[last]
    if thresholds[0] != 0:
        thresholds, totals = np.append(0.0, thresholds), np.append(start, totals)
    values = totals / int(graded.sum())
    best = int(np.argmax(values))
    return float(values[best]), float(thresholds[best])


def without_noise(scores: Array) -> Array:
    """Return the scores, those that agree to 12 significant digits replaced by the smallest of them."""
    values, places = np.unique(scores, return_inverse=True)
    if not len(values):
        return scores
    apart = ~(np.diff(values) <= 1e-12 * np.maximum(np.abs(values[1:]), np.abs(values[:-1])))
    first = np.flatnonzero(np.append(True, apart))
    group = np.append(0, np.cumsum(apart))
    return np.asarray(values[first[group]][places].reshape(scores.shape), np.float64)


def _running_sums(change: _Integers, group: _Integers) -> _Integers:
    """Return the sum, within each group, of the changes up to each one."""
    small = group.astype(np.min_scalar_type(int(group.max(initial=0))))  # two bytes are sorted by their digits
    order = np.argsort(small, kind="stable")
    sums = np.cumsum(change[order])
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    before = np.append(0, sums)[starts]
    found = np.empty_like(sums)
    found[order] = sums - np.repeat(before, counts)
    return found
