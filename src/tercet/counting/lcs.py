"""Longest common subsequences of texts of several lines: their union."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .lcs_kernels import fill_union_lcs_hits


def union_lcs_hits(
    tokens: Ragged,
    lines: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    n_types: int,
    left: Ragged | None = None,
) -> NDArray[np.int64]:
    """Return the clipped hits of the union LCS (Lin 2004, section 3.2; ROUGE-Lsum, ROUGE-1.5.5's ROUGE-L).

    A token of a reference line is hit when the longest common subsequence with any line of the text goes
    through it; hits count as long as the text has that token left. Where several subsequences are longest, the
    one of rouge_score and ROUGE-1.5.5 is taken: from the ends, a match first, else back in the text only if that
    alone keeps the length, else back in the reference.

    Parameters
    ----------
    tokens, lines : Ragged
        See :class:`tercet.columns.ragged.TokenBatch`.
    texts, references : ndarray of int64, shape (g,)
        The two documents of each pair.
    n_types : int
        All ids are smaller than it.
    left : Ragged, optional
        A token is hit at most as often as both documents have it here; the documents themselves by default.

    Returns
    -------
    ndarray of int64, shape (g,)

    Notes
    -----
    Time per pair: tokens of the text times words of 64 tokens of each reference line. Memory: 16 bytes per type, and
    what :func:`way_back_bytes` says of the longest pair.
    """
    hits = np.zeros(len(texts), np.int64)
    left = tokens if left is None else left
    carries = np.empty(tokens.lengths[texts].max(initial=0), np.uint64)
    fill_union_lcs_hits(
        tokens.values, tokens.offsets, lines.values, lines.offsets, texts, references, n_types,
        left.values, left.offsets, _way_back(tokens, lines, texts, references), carries, _marks(lines), hits,
    )  # fmt: skip
    return hits


def way_back_bytes(
    tokens: Ragged, lines: Ragged, texts: NDArray[np.int64], references: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the memory that the way back through the table of each pair takes, which finds the places of matches.

    A bit for each token of the text and each token of the longest line of the reference.

    Parameters
    ----------
    tokens, lines, texts, references
        As for :func:`union_lcs_hits`.

    Returns
    -------
    ndarray of int64, shape (g,)

    Examples
    --------
    >>> documents = Ragged(np.zeros(230, np.int32), np.array([0, 100, 230]))
    >>> lines = Ragged(np.array([0, 100, 200, 230]), np.array([0, 1, 3]))
    >>> way_back_bytes(documents, lines, np.array([0]), np.array([1])).tolist()
    [1600]
    """
    memory: NDArray[np.int64] = 8 * tokens.lengths[texts] * ((longest_lines(lines)[references] + 63) >> 6)
    return memory


def longest_lines(lines: Ragged) -> NDArray[np.int64]:
    """Return the tokens of the longest line of each document.

    Examples
    --------
    >>> longest_lines(Ragged(np.array([0, 100, 200, 230]), np.array([0, 1, 3, 3]))).tolist()
    [100, 100, 0]
    """
    longest = np.zeros(len(lines.lengths), np.int64)
    np.maximum.at(longest, np.repeat(np.arange(len(longest)), lines.lengths), np.diff(lines.values))
    return longest


def _way_back(
    tokens: Ragged, lines: Ragged, texts: NDArray[np.int64], references: NDArray[np.int64]
) -> NDArray[np.uint64]:
    return np.empty(way_back_bytes(tokens, lines, texts, references).max(initial=0) // 8, np.uint64)


def _marks(lines: Ragged) -> NDArray[np.int64]:
    return np.empty(np.diff(lines.values).max(initial=0), np.int64)
