"""P of each pair of systems, as tables of all systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .adjusted_p import FamilyResult

Array = NDArray[np.float64]


class PTables(NamedTuple):
    """P of each pair of systems, shape (s, s): alone, and adjusted for all pairs.

    On the diagonal it is 1; NaN is no test.
    """

    pvalues: Array
    adjusted: Array


def p_tables(pairs: Sequence[tuple[int, int]], result: FamilyResult, n_systems: int) -> PTables:
    """Return the p of pairs of systems as tables of all systems."""
    return PTables(
        pvalues=_symmetric_table(pairs, result.pvalues, n_systems),
        adjusted=_symmetric_table(pairs, result.adjusted, n_systems),
    )


def no_p(n_systems: int) -> PTables:
    """Return p where there is no test: NaN for each pair of systems."""
    unknown = np.full((n_systems, n_systems), np.nan)
    return PTables(unknown, unknown)


def _symmetric_table(pairs: Sequence[tuple[int, int]], pvalues: Array, n_systems: int) -> Array:
    table = np.ones((n_systems, n_systems))
    for (first, second), p in zip(pairs, pvalues.tolist(), strict=True):
        table[first, second] = p
        table[second, first] = p
    return table
