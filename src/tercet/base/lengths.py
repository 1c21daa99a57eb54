"""Lengths of references from token ids; the brevity penalty of many texts (BLEU's is in `engine/plain_bleu.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import TokenBatch


def reference_lengths(tokens: TokenBatch) -> NDArray[np.float64]:
    """Return the closest (of two equally close ones the shorter), shortest and average length, shape (n_items, 3).

    An item without reference gets the length of its prediction, and so no penalty.
    """
    lengths, counts = tokens.tokens.lengths, tokens.reference_counts
    prediction_lengths, lengths_of_references = lengths[: tokens.n_items], lengths[tokens.pairs[1]]
    rules = np.repeat(prediction_lengths[:, None], 3, axis=1).astype(np.float64)
    has_references = counts > 0
    if has_references.any():
        starts = tokens.pair_offsets[:-1][has_references]
        # the least (distance, length) of each item, as one integer of two halves: of equally close ones the shorter
        distance = np.abs(lengths_of_references - np.repeat(prediction_lengths, counts))
        rules[has_references, 0] = np.minimum.reduceat((distance << 32) | lengths_of_references, starts) & 0xFFFFFFFF
        rules[has_references, 1] = np.minimum.reduceat(lengths_of_references, starts)
        rules[has_references, 2] = np.add.reduceat(lengths_of_references, starts) / counts[has_references]
    return rules


def brevity_penalty(length: NDArray[Any], reference_length: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratio = reference_length / np.maximum(length, 1.0)
    penalty = np.where(length > 0, np.exp(1 - np.maximum(ratio, 1.0)), 0.0)
    return np.where(length < reference_length, penalty, 1.0)
