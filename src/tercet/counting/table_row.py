"""A row of the textbook's table of longest common subsequences, kept as the places where it changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Row(NamedTuple):
    """The row, for lines of up to s - 2 tokens, and what the next one is made of.

    Attributes
    ----------
    changes : ndarray of uint64, shape (s / 64,)
        A bit for each place at which the row changes.
    worth, run, row_of_run : ndarray of float64, uint32 and int64, shape (s,)
        At these places the worth; where a match was, how many stand in a row, and in which row of the table that was.
    found, above, found_run : ndarray of float64, float64 and uint32, shape (s,)
        Of the matches of the next row, the worth, that of the cell above, and how many stand in a row.
    dips : ndarray of uint32, shape (2, s)
        The matches that are worth no more than their left neighbours, of the row and of the one above.
    following, marked : ndarray of uint32, shape (s,)
        The next place of the same token; and the places of the line that are hit.
    """

    changes: NDArray[np.uint64]
    worth: NDArray[np.float64]
    run: NDArray[np.uint32]
    row_of_run: NDArray[np.int64]
    found: NDArray[np.float64]
    above: NDArray[np.float64]
    found_run: NDArray[np.uint32]
    dips: NDArray[np.uint32]
    following: NDArray[np.uint32]
    marked: NDArray[np.uint32]


def empty_row(longest: int) -> Row:
    """Return room for lines of up to `longest` tokens."""
    size = longest + 2
    worth, found, above = np.zeros((3, size))
    run, found_run, following, marked = np.zeros((4, size), np.uint32)
    changes, row_of_run = np.zeros((longest >> 6) + 1, np.uint64), np.zeros(size, np.int64)
    dips = np.zeros((2, size), np.uint32)
    return Row(changes, worth, run, row_of_run, found, above, found_run, dips, following, marked)
