"""Kernel: skip-bigrams that two texts share (Lin 2004, section 5).

A skip-bigram is a pair of tokens in their order with at most `gap` tokens between them. The tables of all pairs
would take the square of the vocabulary; taken one left token at a time they take a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import kernel
from .tokenizers import Ragged


def skip_bigram_total(lengths: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    """Return how many skip-bigrams texts of these lengths have; a negative gap stands for any.

    Examples
    --------
    >>> skip_bigram_total(np.array([0, 1, 4, 7]), 4).tolist(), skip_bigram_total(np.array([4]), 0).tolist()
    ([0, 0, 6, 20], [3])
    """
    reach = np.maximum(lengths - 1, 0) if gap < 0 else np.minimum(gap + 1, np.maximum(lengths - 1, 0))
    return reach * lengths - reach * (reach + 1) // 2


def skip_bigram_matches(
    tokens: Ragged, texts: NDArray[np.int64], references: NDArray[np.int64], gap: int, n_types: int
) -> NDArray[np.int64]:
    """Count the skip-bigrams that each text shares with its reference, clipped.

    Parameters
    ----------
    tokens : Ragged of int32
        Token ids of all documents.
    texts, references : ndarray of int64, shape (g,)
        The two documents of each pair.
    gap : int
        Most tokens between the two of a pair; negative for any number.
    n_types : int
        All ids are smaller than it.

    Returns
    -------
    ndarray of int64, shape (g,)

    Notes
    -----
    Time a pair: tokens times (gap + 1); with any gap, tokens times the different tokens that both texts have.
    Memory: 4 bytes a type, and a few times the tokens of the longest text.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 2, 3, 0, 3, 2, 1], np.int32), np.array([0, 4, 8]))
    >>> skip_bigram_matches(documents, np.array([0]), np.array([1]), -1, 4).tolist()
    [3]
    """
    matches = np.zeros(len(texts), np.int64)
    _skip_bigram_matches(tokens.values, tokens.offsets, texts, references, gap, n_types, matches)
    return matches


@kernel
def _skip_bigram_matches(ids, offsets, texts, references, gap, n_types, matches):  # type: ignore[no-untyped-def]
    """Fill `matches`, shape (g,); see :func:`skip_bigram_matches`."""
    longest = 1
    for pair in range(len(texts)):
        longest = max(longest, offsets[texts[pair] + 1] - offsets[texts[pair]])
        longest = max(longest, offsets[references[pair] + 1] - offsets[references[pair]])
    local = np.full(n_types, -1, np.int32)
    sides = np.empty((2, longest), np.int32)  # local ids of the text and of the reference, -1 if not in both
    following = np.empty((2, longest), np.int64)  # the next position of the same token
    heads = np.empty((2, longest), np.int64)  # the first position of each token
    row = np.zeros((2, longest), np.int64)  # of the present left token: how often with each right one
    size = np.empty(2, np.int64)
    for pair in range(len(texts)):
        text, reference = offsets[texts[pair]], offsets[references[pair]]
        size[0] = offsets[texts[pair] + 1] - text
        size[1] = offsets[references[pair] + 1] - reference
        for i in range(size[1]):
            local[ids[reference + i]] = -2
        n_common = 0
        for i in range(size[0]):
            token = ids[text + i]
            if local[token] == -2:
                local[token] = n_common
                n_common += 1
            sides[0, i] = local[token]
        for i in range(size[1]):
            sides[1, i] = max(local[ids[reference + i]], -1)
        for i in range(size[1]):
            local[ids[reference + i]] = -1
        for side in range(2):
            for token in range(n_common):
                heads[side, token] = -1
            for i in range(size[side] - 1, -1, -1):
                token = sides[side, i]
                if token >= 0:
                    following[side, i] = heads[side, token]
                    heads[side, token] = i
        total = 0
        for left in range(n_common):
            for side in range(2):
                i = heads[side, left]
                if gap < 0:
                    before = 0
                    for j in range(i, size[side]):
                        right = sides[side, j]
                        if right >= 0:
                            row[side, right] += before
                            if right == left:
                                before += 1
                    continue
                while i >= 0:
                    for j in range(i + 1, min(size[side], i + gap + 2)):
                        if sides[side, j] >= 0:
                            row[side, sides[side, j]] += 1
                    i = following[side, i]
            for right in range(n_common):
                total += min(row[0, right], row[1, right])
                row[0, right] = 0
                row[1, right] = 0
        matches[pair] = total
