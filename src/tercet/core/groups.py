"""Arithmetic over rows of different lengths that lie one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``start, start + 1, ...`` of every start, as many as its length, one after the other.

    Examples
    --------
    >>> ranges(np.array([10, 0]), np.array([2, 3])).tolist()
    [10, 11, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return places


def first_greatest(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first greatest value of each group; groups follow each other from `starts` on.

    Examples
    --------
    >>> first_greatest(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0, 3])).tolist()
    [1, 3]
    """
    if len(starts) == len(values):
        return np.arange(len(values))
    sizes = np.diff(np.append(starts, len(values)))
    group = np.repeat(np.arange(len(starts)), sizes)
    greatest = np.flatnonzero(values == np.maximum.reduceat(values, starts)[group])
    _, first = np.unique(group[greatest], return_index=True)
    return greatest[first]
