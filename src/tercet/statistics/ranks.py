"""Ranks of systems, with their ranges, as in WMT's tables: which ones a test tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Rank(NamedTuple):
    """The ranks that a system may have, from 1, and its group, from 1: the group of the best."""

    low: int
    high: int
    group: int


def best_first(values: Sequence[float], higher_is_better: bool) -> list[int]:
    """Return the indices of values, the best first, NaN last, ties as they are."""

    def distance_from_best(index: int) -> float:
        value = values[index]
        if np.isnan(value):
            return np.inf
        return -value if higher_is_better else value

    return sorted(range(len(values)), key=distance_from_best)


def ranks(
    values: Sequence[float], pvalues: NDArray[np.float64], alpha: float, higher_is_better: bool
) -> list[Rank | None]:
    """Return the rank of each system; None where the score is NaN.

    A rank begins at 1 + how many systems are significantly better (adjusted p below alpha, shape (s, s)), and ends at
    the number of systems less how many are significantly worse. A group ends where every system down to it is
    significantly better than every one below.
    """
    order = [system for system in best_first(values, higher_is_better) if not np.isnan(values[system])]
    # Where p is below alpha, whichever stands first is better: equal scores have p = 1.
    is_better = np.triu(pvalues[np.ix_(order, order)] < alpha, 1)
    n_better = is_better.sum(axis=0).tolist()
    n_worse = is_better.sum(axis=1).tolist()
    system_ranks: list[Rank | None] = [None] * len(values)
    group = 1
    for n_above, system in enumerate(order):
        if n_above and is_better[:n_above, n_above:].all():
            group += 1
        system_ranks[system] = Rank(1 + n_better[n_above], len(order) - n_worse[n_above], group)
    return system_ranks
