"""Which reference length a prediction is measured by, and the penalty for being shorter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def reference_lengths(lengths: NDArray[np.int64], reference_offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the closest (of two equally close ones the shorter), shortest and average length, shape (n, 3).

    An item without reference gets the length of its prediction: no penalty comes of what nobody wrote.
    """
    n = len(reference_offsets) - 1
    own, references = lengths[:n], lengths[n:]
    rules = np.repeat(own[:, None], 3, axis=1).astype(np.float64)
    counts = np.diff(reference_offsets)
    filled = counts > 0
    if filled.any():
        starts = reference_offsets[:-1][filled]
        distance = np.abs(references - np.repeat(own, counts))
        rules[filled, 0] = np.minimum.reduceat((distance << 32) | references, starts) & 0xFFFFFFFF
        rules[filled, 1] = np.minimum.reduceat(references, starts)
        rules[filled, 2] = np.add.reduceat(references, starts) / counts[filled]
    return rules


def brevity_penalty(length: Array, reference_length: Array) -> Array:
    """Return 1 for predictions as long as their references, else exp(1 - reference / prediction length)."""
    ratio = reference_length / np.maximum(length, 1.0)
    shorter = np.where(length > 0, np.exp(1 - np.maximum(ratio, 1.0)), 0.0)
    return np.where(length < reference_length, shorter, 1.0)
