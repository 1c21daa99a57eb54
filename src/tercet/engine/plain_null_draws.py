"""Differences of pairs of systems in draws of a null hypothesis: outputs exchanged, and how many are as large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


def exchange(
    sums: Array, totals: Array, exchanged: Array, columns: Numbers, pairs: Numbers, start: int, stop: int
) -> None:
    """Write the sums of both sides of pairs of systems when, in some of the draws, their outputs are exchanged.

    Parameters
    ----------
    sums : ndarray, shape (k, 2, n_pairs * n_draws)
        What is written: by column the sums of the first systems, and of the second ones; pair by pair.
    totals : ndarray, shape (n_systems, k)
        The sums of all segments.
    exchanged : ndarray, shape (n_systems, v, B)
        Those of the segments that a draw exchanges, in the columns that are written.
    columns : ndarray of int, shape (v,)
        Which these are: the others are left as they are.
    pairs : ndarray of int, shape (n_pairs, 2)
    start, stop : int
        From which of the B draws on, and up to which.
    """
    firsts = pairs[:, 0]
    seconds = pairs[:, 1]
    for index, column in enumerate(columns.tolist()):
        given_by_first = exchanged[firsts, index, start:stop]
        given_by_second = exchanged[seconds, index, start:stop]
        sums[column, 0] = (totals[firsts, column, None] - given_by_first + given_by_second).ravel()
        sums[column, 1] = (totals[seconds, column, None] - given_by_second + given_by_first).ravel()


def count_as_large(
    differences: Array,
    order: Numbers,
    centre: Array,
    scale: Array,
    least: Array,
    is_constant: NDArray[np.uint8],
    n_alone: Numbers,
    n_largest: Numbers,
) -> None:
    """Add to counts of draws: where the size of a comparison's null difference is as large as the observed one.

    Parameters
    ----------
    differences : ndarray, shape (n, b)
        Of comparisons, in b draws.
    order : ndarray of int
        Comparisons, from the smallest by their scale to the largest.
    centre, scale : ndarray, shape (n,)
        What is taken off a size, and what it is then divided by.
    least : ndarray, shape (n,)
        From which size on a null difference counts.
    is_constant : ndarray of uint8, shape (n,)
        Which null differences are all the same, so that they have no scale: they are none of the largest.
    n_alone : ndarray of int, shape (n,)
        Counts of each comparison by itself, which are added to.
    n_largest : ndarray of int, shape (n,)
        Counts of the largest, by scale, of a comparison and of those before it in the order; likewise.
    """
    largest = np.full(differences.shape[1], -np.inf)
    for row in order.tolist():
        sizes = np.abs(differences[row]) - centre[row]
        n_alone[row] += np.count_nonzero(sizes >= least[row])
        if not is_constant[row]:
            # NaN is never greater.
            np.fmax(sizes / scale[row], largest, out=largest)
            n_largest[row] += np.count_nonzero(largest >= least[row] / scale[row])
