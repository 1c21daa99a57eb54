"""Warnings about a ranking: too few graded items, metrics without a significant difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from .result import DimensionTable
from .sample import Array

#: Items below which intervals and tests are too narrow to rely on.
_RELIABLE = 30
#: Power for which the number of items is estimated.
_POWER = 0.8
#: Items beyond which no number is given.
_MOST = 1_000_000


def ranking_warnings(
    table: DimensionTable, drawn: Array, titles: Mapping[str, str], alpha: float, n_clusters: int | None = None
) -> list[str]:
    """Return warnings; `drawn` (k, B) holds the ranking figure of each metric in each resample."""
    found = []
    n_units, units = (
        (table.n_items, "graded items") if n_clusters is None else (n_clusters, "clusters of graded items")
    )
    if n_units < _RELIABLE:
        found.append(f"Only {n_units} {units}: too few for reliable intervals and tests.")
    first, *others = table.ranked() or [""]
    unclear = next((each for each in others if not table.significance(first, each, alpha)), None)
    if unclear is None:
        return found
    places, both = list(table.figures), f"{titles[first]} and {titles[unclear]}"
    difference = table.figures[first][table.rank_by].value - table.figures[unclear][table.rank_by].value
    n_needed = items_needed(difference, drawn[places.index(first)] - drawn[places.index(unclear)], n_units, alpha)
    if n_needed is None or n_needed == n_units:  # enough for one test, if not for all pairs
        return found
    return [
        *found,
        f"Detecting a difference as small as that between {both} in {table.rank_by} takes about {n_needed:,} "
        f"{units}; there are {n_units:,} ({100 * _POWER:.0f} % power, by resampling).",
    ]


def items_needed(difference: float, drawn: Array, n_items: int, alpha: float) -> int | None:
    """Return how many items a one-sided test needs to find a difference; None for none, or more than a million.

    `drawn` is the difference in resamples of the items. Its standard error shrinks with the root of the number of
    items, and must equal the difference over the sum of the normal quantiles of 1 - alpha and of the power.
    """
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or math.isnan(difference) or abs(difference) < 1e-12:
        return None
    quantiles = NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(_POWER)
    needed = n_items * (quantiles * float(known.std()) / abs(difference)) ** 2
    return None if needed > _MOST else max(n_items, math.ceil(needed))
