"""Levels of one-sided tests that have bounds of their own, made together: the gate's, without a margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def step_down_levels(
    statistics: Sequence[float],
    replicates: Array | None,
    is_rejected: Callable[[int, float], bool],
    alpha: float,
) -> list[float]:
    """Return the level of each of several one-sided tests made together, so that any rejects falsely in alpha.

    It is the step-down method of Westfall and Young (1993; algorithm 2.8, of the least p), for tests that have bounds
    of their own: from the largest statistic on, the tests that are left have the level that the least p of any of
    them is below in a share alpha of the resamples, where the p of a replicate is the share of replicates as large as
    it; once a test does not reject, all that are left keep its level. No level is above alpha, nor below alpha over
    the number of tests.

    Parameters
    ----------
    statistics : sequence of float, length k
        In units of their standard errors; greater ones speak against the null hypothesis.
    replicates : ndarray, shape (k, B), or None
        Of what each statistic is of, around whatever it is, in resamples that all tests share. None if they share
        none: the levels are then those of Holm (1979).
    is_rejected : callable
        Takes the number of a test, and a level.
    alpha : float

    Examples
    --------
    >>> step_down_levels([3.0, 1.0], None, lambda number, level: number == 0, 0.05)
    [0.025, 0.05]
    """
    levels = [alpha] * len(statistics)
    pvalues = None if replicates is None else _shares_as_large(replicates)
    left = sorted(range(len(statistics)), key=lambda number: -statistics[number])
    while left:
        level = alpha / len(left)
        if pvalues is not None:
            # In each resample, the least p of the tests that are left.
            least_p = np.sort(pvalues[left].min(axis=0))
            n_allowed = math.floor(alpha * len(least_p))
            if n_allowed:
                level = max(level, float(least_p[n_allowed - 1]))
            level = min(level, alpha)
        for number in left:
            levels[number] = level
        if not is_rejected(left[0], level):
            break
        left = left[1:]
    return levels


def _shares_as_large(replicates: Array) -> Array:
    """Return for each replicate the share of its row's replicates that are as large, shape (k, B)."""
    shares = np.empty(replicates.shape)
    n_resamples = replicates.shape[1]
    for row, replicates_of_test in enumerate(replicates):
        shares[row] = 1 - np.searchsorted(np.sort(replicates_of_test), replicates_of_test) / n_resamples
    return shares
