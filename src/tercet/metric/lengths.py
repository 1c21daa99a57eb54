"""The reference length of a prediction, and the brevity penalty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import TokenBatch
from tercet.statistics.either import Either, exp, where


def reference_lengths(tokens: TokenBatch) -> NDArray[np.float64]:
    """Return the closest (of two equally close ones the shorter), shortest and average length, shape (n_items, 3).

    An item without reference gets the length of its prediction, and so no penalty.
    """
    lengths, counts = tokens.tokens.lengths, tokens.reference_counts
    own, references = lengths[: tokens.n_items], lengths[tokens.pairs[1]]
    rules = np.repeat(own[:, None], 3, axis=1).astype(np.float64)
    filled = counts > 0
    if filled.any():
        starts = tokens.pair_offsets[:-1][filled]
        distance = np.abs(references - np.repeat(own, counts))
        rules[filled, 0] = np.minimum.reduceat((distance << 32) | references, starts) & 0xFFFFFFFF
        rules[filled, 1] = np.minimum.reduceat(references, starts)
        rules[filled, 2] = np.add.reduceat(references, starts) / counts[filled]
    return rules


def brevity_penalty(length: Either, reference_length: Either) -> Either:
    """Return 1 for predictions as long as their references, else exp(1 - reference / prediction length)."""
    shorter = length < reference_length
    if isinstance(shorter, bool) and not shorter:
        return 1.0
    ratio = reference_length / where(length > 1.0, length, 1.0)
    penalty = where(length > 0, exp(1 - where(ratio > 1.0, ratio, 1.0)), 0.0)
    return where(shorter, penalty, 1.0)
