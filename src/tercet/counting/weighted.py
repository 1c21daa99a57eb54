"""Longest common subsequences with weights for runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .weighted_kernels import fill_weighted_lcs_hits


class Row(NamedTuple):
    """A row of the textbook's table, for lines of up to s - 2 tokens.

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


def weighted_lcs_hits(
    tokens: Ragged,
    lines: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_types: int,
) -> NDArray[np.float64]:
    """Return the weighted hits of the union of weighted LCS (Lin 2004, section 4; ROUGE-W of ROUGE-1.5.5).

    Parameters
    ----------
    tokens, lines, texts, references, n_types
        As for :func:`.lcs.union_lcs_hits`.
    weights : ndarray of float64
        ``weights[k]`` is the worth of a run of k hits; as long as the longest line of a reference, and one more.

    Returns
    -------
    ndarray of float64, shape (g,)

    Notes
    -----
    Time per pair: the matches of tokens, and tokens of the text times tokens of the reference / 64, line by line.
    Memory: 8 bytes per type, and what :func:`.lcs.way_back_bytes` says of the longest pair.
    """
    hits = np.zeros(len(texts), np.float64)
    longest = int(np.diff(lines.values).max(initial=0))
    unsigned = (each.view(np.uint64) for each in (tokens.offsets, lines.values, lines.offsets, texts, references))
    fill_weighted_lcs_hits(
        tokens.values.view(np.uint32), *unsigned, weights, n_types, _room(longest),
        np.empty((longest + 1) * ((longest >> 6) + 1), np.uint64), np.empty(longest + 1, np.uint64), hits,
    )  # fmt: skip
    return hits


def _room(longest: int) -> Row:
    size = longest + 2
    worth, found, above = np.zeros((3, size))
    run, found_run, following, marked = np.zeros((4, size), np.uint32)
    changes, row_of_run = np.zeros((longest >> 6) + 1, np.uint64), np.zeros(size, np.int64)
    dips = np.zeros((2, size), np.uint32)
    return Row(changes, worth, run, row_of_run, found, above, found_run, dips, following, marked)
