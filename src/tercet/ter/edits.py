"""Edits and shifts that turn texts into their references."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged
from tercet.engine.chosen import engine

Documents = NDArray[np.int64]


def edit_counts(tokens: Ragged, texts: Documents, references: Documents, n_types: int) -> NDArray[np.int64]:
    """Return how many edits turn each text into its reference, shape (g,)."""
    return engine.edits(tokens.values, tokens.offsets, texts, references, n_types)
