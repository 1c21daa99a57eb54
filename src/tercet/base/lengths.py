"""The brevity penalty of many texts (BLEU's is in `engine/plain_bleu.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def brevity_penalty(length: NDArray[Any], reference_length: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratio = reference_length / np.maximum(length, 1.0)
    penalty = np.where(length > 0, np.exp(1 - np.maximum(ratio, 1.0)), 0.0)
    return np.where(length < reference_length, penalty, 1.0)
