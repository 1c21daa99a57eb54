"""Skip-bigrams that two texts share (Lin 2004, section 5): pairs of tokens in their order, a gap between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .skipgram_kernels import MOST_TOKENS_IN_TABLE, fill_by_rows, fill_by_table


def skip_bigram_total(lengths: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    """Return how many skip-bigrams texts of these lengths have; a negative gap stands for any.

    Examples
    --------
    >>> skip_bigram_total(np.array([0, 1, 4, 7]), 4).tolist(), skip_bigram_total(np.array([4]), 0).tolist()
    ([0, 0, 6, 20], [3])
    """
    reach = np.maximum(lengths - 1, 0) if gap < 0 else np.minimum(gap + 1, np.maximum(lengths - 1, 0))
    total: NDArray[np.int64] = reach * lengths - reach * (reach + 1) // 2
    return total


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
    Time per pair: tokens times (gap + 1); with any gap, tokens times the different tokens that both texts have.
    Memory: 8 bytes per type, and a few times the tokens of the longest text. Where
    both texts have up to 200 tokens, the pairs of any gap are counted one by one.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 2, 3, 0, 3, 2, 1], np.int32), np.array([0, 4, 8]))
    >>> skip_bigram_matches(documents, np.array([0]), np.array([1]), -1, 4).tolist()
    [3]
    """
    matches = np.zeros(len(texts), np.int64)
    of_texts, of_references = tokens.lengths[texts], tokens.lengths[references]
    far = gap < 0 or gap > MOST_TOKENS_IN_TABLE  # then each token has the whole text for partners
    in_table = (np.maximum if far else np.minimum)(of_texts, of_references) <= MOST_TOKENS_IN_TABLE
    short, long = np.flatnonzero(in_table), np.flatnonzero(~in_table)
    if len(short):
        unsigned = (each.view(np.uint64) for each in (tokens.offsets, texts, references))
        fill_by_table(tokens.values.view(np.uint32), *unsigned, short, gap, n_types, matches)
    if len(long):
        fill_by_rows(tokens.values, tokens.offsets, texts, references, long, gap, n_types, matches)
    return matches
