"""How many n-grams of a text stand in its references, clipped (Papineni et al. 2002, section 2.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged
from tercet.engine.chosen import engine


def clipped_matches(
    tokens: Ragged, texts: NDArray[np.int64], first_reference: NDArray[np.int64], max_order: int, n_types: int
) -> NDArray[np.int64]:
    """Count the n-grams of each text that its group of references covers.

    Group i has the documents ``first_reference[i]`` to ``first_reference[i + 1]`` as references; see
    :func:`tercet.engine.plain_counts.clipped_matches`.
    """
    firsts, lasts = first_reference[:-1], first_reference[1:]
    return engine.clipped_matches(tokens.values, tokens.offsets, texts, firsts, lasts, n_types, max_order)
