"""How much two documents have in common as sets or multisets of units, and n-grams as such units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged

Sizes = NDArray[np.int64]


def ngram_ids(tokens: Ragged, order: int, n_types: int) -> tuple[Ragged, int]:
    """Return the n-grams of every document as ids, and how many different ones there are.

    A document of fewer than `order` tokens has no n-gram.
    """
    if order == 1:
        return tokens, n_types
    values, offsets, n_types = engine.ngram_ids(tokens.values, tokens.offsets, n_types, order)
    return Ragged(values, offsets), n_types


def overlaps(units: Ragged, texts: Sizes, references: Sizes, n_types: int, multiset: bool) -> tuple[Sizes, Sizes]:
    """Return the sizes of intersection and union of each pair; see :func:`tercet.engine.plain_counts.overlaps`."""
    return engine.overlaps(units.values, units.offsets, texts, references, n_types, multiset)
