"""Groups of systems that a test tells apart, and ranks with ranges, as in WMT's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Rank(NamedTuple):
    """The places that a system may have, from 1, and its group, from 1: the group of the best."""

    low: int
    high: int
    group: int


def best_first(values: Sequence[float], higher_is_better: bool) -> list[int]:
    """Return the places of values, the best first, NaN last, ties as they are."""
    keys = [np.inf if np.isnan(value) else -value if higher_is_better else value for value in values]
    return sorted(range(len(values)), key=keys.__getitem__)


def ranks(
    values: Sequence[float], pvalues: NDArray[np.float64], alpha: float, higher_is_better: bool
) -> list[Rank | None]:
    """Return the rank of each system; None where the score is NaN.

    A rank begins at 1 + how many systems are significantly better (adjusted p below alpha, shape (s, s)), and ends at
    the number of systems less how many are significantly worse. A group ends where every system down to it is
    significantly better than every one below.
    """
    order = [place for place in best_first(values, higher_is_better) if not np.isnan(values[place])]
    # Where p is below alpha, whichever stands first is better: equal scores have p = 1.
    is_better = np.triu(pvalues[np.ix_(order, order)] < alpha, 1)
    n_better, n_worse = is_better.sum(axis=0).tolist(), is_better.sum(axis=1).tolist()
    system_ranks: list[Rank | None] = [None] * len(values)
    group = 1
    for place, system in enumerate(order):
        if place and is_better[:place, place:].all():
            group += 1
        system_ranks[system] = Rank(1 + n_better[place], len(order) - n_worse[place], group)
    return system_ranks
