"""Holm's method: p of several tests, adjusted for their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .p_tables import PTables


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), which controls the family-wise error rate."""
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    adjusted = [0.0] * len(pvalues)
    greatest = 0.0
    for rank, index in enumerate(order):
        n_left = len(pvalues) - rank
        p = min(1.0, n_left * pvalues[index])
        greatest = max(greatest, p)  # never below that of a smaller p
        adjusted[index] = greatest
    return adjusted


def adjusted_by_holm(pvalues: NDArray[np.float64]) -> PTables:
    """Return p of each pair of systems, shape (s, s), and what :func:`holm` makes of them; NaN is no test."""
    is_known = np.triu(~np.isnan(pvalues), 1)
    adjusted = np.where(np.isnan(pvalues), np.nan, 1.0)
    # Each pair counts once: only the upper triangle is adjusted, and then mirrored, over the ones of the lower one.
    adjusted[is_known] = holm(pvalues[is_known].tolist())
    return PTables(pvalues, np.minimum(adjusted, adjusted.T))
