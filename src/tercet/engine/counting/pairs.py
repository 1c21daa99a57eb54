"""What texts share with one reference each: clipped n-grams and the longest common subsequence, counted together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged


class PairMatches(NamedTuple):
    """What g pairs share."""

    #: Clipped matches of the orders from 1 on. (ndarray of int64, shape (g, max_order))
    ngrams: NDArray[np.int64]
    #: Length of the longest common subsequence, where it was asked for; else 0. (ndarray of int64, shape (g,))
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
    """Count what each text shares with its reference; see :func:`tercet.engine.plain_counts.pair_matches`."""
    return PairMatches(
        *engine.pair_matches(
            tokens.values, tokens.offsets, texts, references, n_types, max_order, with_lcs, most_by_places
        )
    )  # fmt: skip
