"""What counts as a tie: the calibrated threshold of differences, and scores that differ by rounding only."""

from __future__ import annotations

from typing import Any

import numpy as np

from .weighted import Array
from .within import pair_differences

_Integers = np.ndarray[Any, np.dtype[np.int64]]


def calibrate(human: Array, metric: Array) -> tuple[float, float]:
    """Return the best accuracy with ties that a threshold gives, and the threshold.

    Parameters
    ----------
    human, metric : ndarray, shape (n, m)
        Of each system and item; NaN in both where there is no grade.

    Returns
    -------
    accuracy : float
        acc*eq: the greatest mean over items of :func:`~.within.acc23`. NaN without a graded pair.
    epsilon : float
        0 or one of the differences; the first that gives this accuracy.

    Notes
    -----
    Source: Deutsch et al. 2023. One sort of the differences of all pairs, then a running sum of what each of them
    changes when it becomes a tie. The sum adds in the order of mt-metrics-eval: of several thresholds that are
    equally good but for rounding, it is the same one. Time goes with p log p for p pairs within items, memory with p.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0], [1.0, 3.0]])
    >>> calibrate(human, np.array([[0.5, 0.25], [0.75, 0.875]]))
    (1.0, 0.25)
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
    after = _running(change, of_item) + agreed[of_item]
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
    """Return the scores, those that agree to 12 significant digits replaced by the smallest of them.

    Examples
    --------
    >>> without_noise(np.array([0.3, 0.1 + 0.2, 0.3000001]))
    array([0.3      , 0.3      , 0.3000001])
    """
    values, places = np.unique(scores, return_inverse=True)
    if not len(values):
        return scores
    apart = ~(np.diff(values) <= 1e-12 * np.maximum(np.abs(values[1:]), np.abs(values[:-1])))
    first = np.flatnonzero(np.append(True, apart))
    group = np.append(0, np.cumsum(apart))
    return np.asarray(values[first[group]][places].reshape(scores.shape), np.float64)


def _running(change: _Integers, group: _Integers) -> _Integers:
    """Return the sum, within each group, of the changes up to each one."""
    small = group.astype(
        np.min_scalar_type(int(group.max(initial=0)))
    )  # of two bytes they are sorted by their digits
    order = np.argsort(small, kind="stable")
    sums = np.cumsum(change[order])
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    before = np.append(0, sums)[starts]
    found = np.empty_like(sums)
    found[order] = sums - np.repeat(before, counts)
    return found
