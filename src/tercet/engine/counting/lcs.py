"""Longest common subsequences of texts of several lines: their union."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged


def union_lcs_hits(
    tokens: Ragged,
    lines: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    n_types: int,
    left: Ragged | None = None,
) -> NDArray[np.int64]:
    """Return the clipped hits of the union LCS; see :func:`tercet.engine.plain_subsequences.union_lcs_hits`.

    `lines` is as of :class:`tercet.engine.ragged.TokenBatch`. A token is hit at most as often as both documents have
    it in `left`, by default `tokens`. Memory: 16 bytes per type, and what :func:`way_back_bytes` says of the longest
    pair.
    """
    left = tokens if left is None else left
    return engine.union_lcs_hits(
        tokens.values, tokens.offsets, lines.values, lines.offsets, texts, references, n_types, left.values,
        left.offsets,
    )  # fmt: skip


def way_back_bytes(
    tokens: Ragged, lines: Ragged, texts: NDArray[np.int64], references: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the memory that the way back through the table of each pair takes, which finds the places of matches.

    A bit for each token of the text and each token of the longest line of the reference.
    """
    memory: NDArray[np.int64] = 8 * tokens.lengths[texts] * ((longest_lines(lines)[references] + 63) >> 6)
    return memory


def longest_lines(lines: Ragged) -> NDArray[np.int64]:
    """Return the tokens of the longest line of each document."""
    longest = np.zeros(len(lines.lengths), np.int64)
    np.maximum.at(longest, np.repeat(np.arange(len(longest)), lines.lengths), np.diff(lines.values))
    return longest
