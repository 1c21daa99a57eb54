"""Skip-bigrams that two texts share (Lin 2004, section 5): pairs of tokens in their order, a gap between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged


def skip_bigram_total(lengths: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    """Return how many skip-bigrams texts of these lengths have; a negative gap stands for any."""
    reach = np.maximum(lengths - 1, 0) if gap < 0 else np.minimum(gap + 1, np.maximum(lengths - 1, 0))
    total: NDArray[np.int64] = reach * lengths - reach * (reach + 1) // 2
    return total


def skip_bigram_matches(
    tokens: Ragged, texts: NDArray[np.int64], references: NDArray[np.int64], gap: int, n_types: int
) -> NDArray[np.int64]:
    """Count the skip-bigrams that each text shares with its reference, clipped.

    Between the two tokens of one are at most `gap` others, any number where it is negative; see
    :func:`tercet.engine.plain_counts.skip_bigram_matches`.
    """
    return engine.skip_bigram_matches(tokens.values, tokens.offsets, texts, references, n_types, gap)
