"""What texts share with one reference each: clipped n-grams and the longest common subsequence, counted together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .lcs_kernels import fill_lcs_lengths
from .ngram_kernels import fill_clipped_matches
from .pair_kernels import MOST_TOKENS, fill_longer_pairs, fill_short_pairs

#: Beyond so many tokens, sets of places are too many to keep for the longest common subsequence.
_MOST_FOR_LCS = 4096


class PairMatches(NamedTuple):
    """What g pairs share.

    Attributes
    ----------
    ngrams : ndarray of int64, shape (g, max_order)
        Clipped matches of the orders from 1 on.
    common : ndarray of int64, shape (g,)
        Length of the longest common subsequence, where it was asked for; else 0.
    """

    ngrams: NDArray[np.int64]
    common: NDArray[np.int64]


def pair_matches(
    tokens: Ragged,
    texts: NDArray[np.int64],
    references: NDArray[np.int64],
    n_types: int,
    *,
    max_order: int = 0,
    with_lcs: bool = False,
    most_by_places: int = 512,
) -> PairMatches:
    """Count what each text shares with its reference.

    Parameters
    ----------
    tokens : Ragged of int32
        Token ids of all documents.
    texts, references : ndarray of int64, shape (g,)
        The two documents of each pair.
    n_types : int
        All ids are smaller than it.
    max_order : int
        Longest n-gram.
    with_lcs : bool
        Find the length of the longest common subsequence, too.
    most_by_places : int
        Beyond so many tokens, n-grams are counted faster by hashing: where few types make up the texts, it is fewer.

    Returns
    -------
    PairMatches

    Notes
    -----
    Time per pair: tokens of the text times tokens of the reference / 64 (n-grams beyond some hundreds of tokens:
    linear in them). Memory: 16 bytes a type, 50 bytes a token of the longest text, and a bit for each of its tokens
    and each of the reference's (n-grams: at most 64 KiB; longest common subsequence: 4 MiB).

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 2, 3, 0, 2, 1, 3], np.int32), np.array([0, 4, 8]))
    >>> pair_matches(documents, np.array([0]), np.array([1]), 4, max_order=2, with_lcs=True)
    PairMatches(ngrams=array([[4, 0]]), common=array([3]))
    """
    ngrams, common = np.zeros((len(texts), max_order), np.int64), np.zeros(len(texts), np.int64)
    longest = np.maximum(tokens.lengths[texts], tokens.lengths[references])
    unsigned = tokens.values.view(np.uint32), *(each.view(np.uint64) for each in (tokens.offsets, texts, references))

    def in_rows(least: int, most: int, order: int) -> None:
        chosen = np.flatnonzero((longest > least) & (longest <= most))
        fill = fill_short_pairs if most <= MOST_TOKENS else fill_longer_pairs
        if len(chosen):
            fill(*unsigned, chosen, order, with_lcs, n_types, ngrams, common)

    in_rows(-1, MOST_TOKENS, max_order)
    in_rows(MOST_TOKENS, most_by_places, max_order)
    if with_lcs:
        in_rows(most_by_places, _MOST_FOR_LCS, 0)
        very_long = np.flatnonzero(longest > _MOST_FOR_LCS)
        if len(very_long):
            fill_lcs_lengths(tokens.values, tokens.offsets, texts, references, very_long, n_types, common)
    long = np.flatnonzero(longest > most_by_places)
    if len(long) and max_order:
        fill_clipped_matches(
            tokens.values, tokens.offsets, texts, references, references + 1, long, n_types, ngrams
        )  # fmt: skip
    return PairMatches(ngrams, common)
