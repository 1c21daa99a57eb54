"""How many n-grams of a text stand in its references, clipped (Papineni et al. 2002, section 2.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .ngram_kernels import fill_clipped_matches
from .pairs import pair_matches


def clipped_matches(
    tokens: Ragged, texts: NDArray[np.int64], first_reference: NDArray[np.int64], max_order: int, n_types: int
) -> NDArray[np.int64]:
    """Count the n-grams of each text that its group of references covers.

    Parameters
    ----------
    tokens : Ragged of int32
        Token ids of all documents.
    texts : ndarray of int64, shape (g,)
        For each group, the document that is scored.
    first_reference : ndarray of int64, shape (g + 1,)
        Group i has the documents ``first_reference[i]`` to ``first_reference[i + 1]`` as references. An n-gram
        counts at most as often as in the reference that has it most often.
    max_order : int
        Longest n-gram.
    n_types : int
        All ids are smaller than it.

    Returns
    -------
    ndarray of int64, shape (g, max_order)
        Clipped counts of the orders 1 to `max_order`.

    Notes
    -----
    With one reference, as :func:`.pairs.pair_matches`. With several, time is linear in the tokens times `max_order`
    (times the references, for short texts); memory is 16 bytes per type and what the longest group needs.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 0, 0, 1, 0, 1], np.int32), np.array([0, 4, 6]))
    >>> clipped_matches(documents, np.array([0]), np.array([1, 2]), 2, 2).tolist()
    [[2, 1]]
    """
    counts = np.zeros((len(texts), max_order), np.int64)
    firsts, lasts = first_reference[:-1], first_reference[1:]
    one, several = lasts - firsts == 1, np.flatnonzero(lasts - firsts > 1)
    if one.any():
        counts[one] = pair_matches(tokens, texts[one], firsts[one], n_types, max_order=max_order).ngrams
    if len(several):
        fill_clipped_matches(tokens.values, tokens.offsets, texts, firsts, lasts, several, n_types, counts)
    return counts
