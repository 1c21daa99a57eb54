"""How much two documents have in common as sets or multisets of units, and n-grams as such units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged, ranges

from .overlap_kernels import fill_multiset_overlaps, fill_set_overlaps, number_ngrams_of_all

Sizes = NDArray[np.int64]


def ngram_ids(tokens: Ragged, order: int, n_types: int) -> tuple[Ragged, int]:
    """Return the n-grams of every document as ids, and how many different ones there are.

    Parameters
    ----------
    tokens : Ragged of int32
        Token ids of all documents.
    order : int
        A document of fewer tokens has no n-gram.
    n_types : int
        All ids are smaller than it.

    Notes
    -----
    Time is linear in the tokens times `order`; memory: 40 bytes a token.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 0, 1, 2, 0, 1], np.int32), np.array([0, 4, 5, 7]))
    >>> ids, n_types = ngram_ids(documents, 2, 3)
    >>> ids.lists(), n_types
    ([[0, 1, 0], [], [0]], 2)
    """
    if order == 1:
        return tokens, n_types
    numbers = tokens.values.astype(np.int64)
    capacity = 1 << max(4, (2 * len(numbers)).bit_length())
    for each in range(2, order + 1):
        keys, values = np.zeros(capacity, np.uint64), np.empty(capacity, np.int64)
        n_types = int(number_ngrams_of_all(tokens.values, tokens.offsets, each, numbers, keys, values))
    lengths = np.maximum(tokens.lengths - order + 1, 0)
    return Ragged(numbers[ranges(tokens.offsets[:-1], lengths)], np.append(0, np.cumsum(lengths))), n_types


def overlaps(units: Ragged, texts: Sizes, references: Sizes, n_types: int, multiset: bool) -> tuple[Sizes, Sizes]:
    """Return the sizes of the intersection and of the union of each pair of documents.

    Parameters
    ----------
    units : Ragged of int
        Ids of the units of all documents.
    texts, references : ndarray of int64, shape (m,)
        The two documents of each pair.
    n_types : int
        All ids are smaller than it.
    multiset : bool
        Count each unit as often as it stands there: sums of the smaller and of the greater number.

    Returns
    -------
    shared, either : ndarray of int64, shape (m,)

    Notes
    -----
    Time is linear in the units of the pairs; memory: 8 bytes a type.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 0, 1, 0, 2], np.int32), np.array([0, 3, 5]))
    >>> pair = np.array([0]), np.array([1])
    >>> [[sizes.tolist() for sizes in overlaps(documents, *pair, 3, multiset)] for multiset in (False, True)]
    [[[1], [3]], [[1], [4]]]
    """
    shared, either = np.empty(len(texts), np.int64), np.empty(len(texts), np.int64)
    if multiset:
        room = np.zeros(n_types, np.int64)
        fill_multiset_overlaps(units.values, units.offsets, texts, references, room, shared, either)
    else:
        seen = np.full(n_types, -1, np.int64)
        fill_set_overlaps(units.values, units.offsets, texts, references, seen, shared, either)
    return shared, either
