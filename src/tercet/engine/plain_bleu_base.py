"""What both formulas of BLEU read, in plain Python: the columns of a row, and the brevity penalty."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

#: Columns of a row of :func:`.plain_bleu.bleu_rows`: the number of references, the tokens of the prediction and of
#: the closest reference, the first matches.
REFERENCES = 3
LENGTH = 4
CLOSEST = 5
FIRST_MATCH = 8


def brevity_penalty(length: float, reference_length: float) -> float:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length > 0 else 0.0


def brevity_penalties(lengths: Array, reference_lengths: Array) -> Array:
    """Return :func:`brevity_penalty` of many texts, as NumPy takes the power, for BLEU-ROUGE and rewards."""
    # Both values of `where` are computed: a length of 0 must not be a divisor.
    ratios = reference_lengths / np.maximum(lengths, 1.0)
    penalties = np.where(lengths > 0, np.exp(1 - np.maximum(ratios, 1.0)), 0.0)
    return np.where(lengths < reference_lengths, penalties, 1.0)
