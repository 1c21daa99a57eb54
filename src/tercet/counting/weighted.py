"""Longest common subsequences with weights for runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .lcs import longest_lines
from .table_row import empty_row
from .weighted_kernels import fill_weighted_lcs_hits


def weighted_lcs_hits(
    tokens: Ragged,
    lines: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_types: int,
    left: Ragged | None = None,
) -> NDArray[np.float64]:
    """Return the weighted hits of the union of weighted LCS (Lin 2004, section 4; ROUGE-W of ROUGE-1.5.5).

    Parameters
    ----------
    tokens, lines, texts, references, n_types, left
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
    longest = longest_lines(lines)
    rows, words = longest[texts] + 1, (longest[references] >> 6) + 1
    unsigned = (each.view(np.uint64) for each in (lines.values, lines.offsets, texts, references))
    left = tokens if left is None else left
    fill_weighted_lcs_hits(
        tokens.values.view(np.uint32), *unsigned, left.values.view(np.uint32), left.offsets.view(np.uint64), weights,
        n_types, tuple(empty_row(int(longest.max(initial=0)))),
        np.empty((rows * words).max(initial=1), np.uint64), np.empty(rows.max(initial=1), np.uint64), hits,
    )  # fmt: skip
    return hits
