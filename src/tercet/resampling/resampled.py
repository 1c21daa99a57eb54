"""Sums of rows that are drawn with replacement, for several systems from the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.display.progress import bar_of

from .draws import drawn

#: Segments that are multiplied at a time: their rows and counts stay in the processor's cache.
_BLOCK = 1 << 13
#: Resamples that are multiplied at a time, and the most counts held.
_RESAMPLES, _COUNTS = 64, 1 << 24

Array = NDArray[np.float64]


def resampled_totals(systems: Sequence[Array], n_resamples: int, seed: int) -> list[Array]:
    """Return the sums of the rows of each system, drawn with replacement.

    Parameters
    ----------
    systems : sequence of ndarray, shape (n, k)
        Rows of the same n segments.
    n_resamples : int
    seed : int
        The draws are those of :func:`.draws.bootstrap_weights`.

    Returns
    -------
    list of ndarray, shape (n_resamples, k)

    Notes
    -----
    Time: resamples times segments, once for the draws, and times the columns that are not the same in every row, for
    each system. Memory: these columns, and about 36 MB (or 2 bytes a segment).

    Examples
    --------
    >>> [totals] = resampled_totals([np.array([[1.0, 2.0], [1.0, 5.0]])], 4, seed=1)
    >>> totals.tolist()
    [[2.0, 7.0], [2.0, 10.0], [2.0, 4.0], [2.0, 10.0]]
    """
    n = len(systems[0])
    rng = np.random.default_rng(seed)
    constant = [(rows == rows[0]).all(axis=0) for rows in systems]
    varying = [np.ascontiguousarray(rows[:, ~same]) for rows, same in zip(systems, constant, strict=True)]
    totals = [np.repeat(rows[:1] * n, n_resamples, axis=0) for rows in systems]
    several = max(1, min(_RESAMPLES, _COUNTS // n, n_resamples))
    with bar_of("resampling", "resample", n_resamples) as bar:
        for first in range(0, n_resamples, several):
            size = min(several, n_resamples - first)
            counts = drawn(rng, size, n)
            sums = [np.zeros((size, rows.shape[1])) for rows in varying]
            for start in range(0, n, _BLOCK):
                weights = counts[:, start : start + _BLOCK].astype(np.float64)
                for total, rows in zip(sums, varying, strict=True):
                    total += weights @ rows[start : start + _BLOCK]
            for total, same, sum_ in zip(totals, constant, sums, strict=True):
                total[first : first + size, ~same] = sum_
            if bar is not None:
                bar.update(size)
    return totals
