"""The brevity penalty of arrays, for BLEU-ROUGE and rewards. BLEU itself has that of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def brevity_penalty(length: NDArray[Any], reference_length: NDArray[Any]) -> NDArray[np.float64]:
    """Return the brevity penalties of many texts: 1 where one is as long as its reference, else exp(1 - ratio)."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratio = reference_length / np.maximum(length, 1.0)
    penalty = np.where(length > 0, np.exp(1 - np.maximum(ratio, 1.0)), 0.0)
    return np.where(length < reference_length, penalty, 1.0)
