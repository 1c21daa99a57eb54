"""McNemar's test of two systems whose answers are right or wrong, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .adjusted_p import FamilyResult
from .distributions import binomial_tail
from .holm import holm

if TYPE_CHECKING:
    from .null_differences import Pairs
    from .stats import Formula, SegmentStats


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p of McNemar's test: of items that only one of two systems got right (1947)."""
    n = only_first + only_second
    return min(1.0, 2 * binomial_tail(min(only_first, only_second), n))


def mcnemar_of_pairs(metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs) -> dict[str, FamilyResult]:
    """Return exact p of pairs of systems whose numbers are 0 or 1, alone and adjusted by Holm."""
    right: NDArray[np.float64] = np.array([stats.column("value") for stats in systems])
    # how many segments the system of the row has right, and that of the column wrong
    alone = right @ (1 - right).T
    pvalues = []
    for first, second in pairs:
        pvalues.append(mcnemar(int(alone[first, second]), int(alone[second, first])))
    result = FamilyResult(np.array(pvalues), np.array(holm(pvalues)))
    scores = metric.finalize(metric.corpus_totals(systems[0]))
    return dict.fromkeys(scores, result)
