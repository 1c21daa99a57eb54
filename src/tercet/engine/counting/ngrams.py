"""How many n-grams of a text occur in its references, clipped (Papineni et al. 2002, section 2.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged

Documents = NDArray[np.int64]


def clipped_matches(
    tokens: Ragged, texts: Documents, firsts: Documents, lasts: Documents, max_order: int, n_types: int
) -> Documents:
    """Count the n-grams of each text that its references cover: the documents `firsts` to `lasts`."""
    return engine.clipped_matches(tokens.values, tokens.offsets, texts, firsts, lasts, n_types, max_order)
