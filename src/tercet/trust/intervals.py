"""Bootstrap intervals of figures: over items, over systems, or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tercet.resampling.draws import bootstrap_weights

from .figures import resampled
from .weighted import Array

#: What is drawn anew, and what an interval then says.
UNITS: Mapping[str, str] = {
    "items": "other items for the same systems",
    "systems": "other systems on the same items",
    "both": "other items and other systems",
}


def draws(n_systems: int, n_items: int, unit: str, n_resamples: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield how often each system and item is drawn, in chunks of resamples: shapes (b or 1, n) and (b or 1, m).

    Parameters
    ----------
    n_systems, n_items : int
    unit : {"items", "systems", "both"}
    n_resamples, seed : int
        The same seed gives the same items, whether or not systems are drawn too.

    Examples
    --------
    >>> [(systems.shape, items.shape) for systems, items in draws(2, 3, "items", 10, 1)]
    [((1, 2), (10, 3))]
    """
    of_systems = np.ones((1, n_systems))
    if unit != "items":
        tables = bootstrap_weights(n_systems, n_resamples, seed + 1)
        of_systems = np.concatenate(list(tables))
    if unit == "systems":
        yield of_systems, np.ones((1, n_items))
        return
    start = 0
    for items in bootstrap_weights(n_items, n_resamples, seed):
        stop = start + len(items)
        yield of_systems[start:stop] if unit == "both" else of_systems, items
        start = stop


def distributions(
    names: Mapping[str, list[tuple[float, float]]],
    human: Array,
    metrics: Array,
    unit: str,
    n_resamples: int,
    seed: int,
) -> dict[str, Array]:
    """Return the figures of all metrics in all resamples, which are the same for all of them.

    Parameters
    ----------
    names : mapping
        For each figure its value and threshold of each metric.
    human : ndarray, shape (n, m)
    metrics : ndarray, shape (k, n, m)
    unit, n_resamples, seed
        As of :func:`draws`.

    Returns
    -------
    dict of str to ndarray, shape (k, B)
    """
    parts: dict[str, list[Array]] = {name: [] for name in names}
    for systems, items in draws(human.shape[0], human.shape[1], unit, n_resamples, seed):
        for name, found in names.items():
            rows = [
                resampled(name, human, metric, systems, items, each)
                for metric, each in zip(metrics, found, strict=True)
            ]
            parts[name].append(np.array(rows))
    return {name: np.concatenate(each, axis=1) for name, each in parts.items()}


def percentile_interval(draws: Array, value: float, confidence_level: float) -> tuple[float, float]:
    """Return the percentile interval, which holds the value itself; NaN where no resample has the figure.

    Examples
    --------
    >>> percentile_interval(np.array([0.1, 0.2, 0.3, np.nan]), 0.25, 0.5)
    (0.15000000000000002, 0.25)
    """
    known = draws[~np.isnan(draws)]
    if not len(known) or np.isnan(value):
        return float("nan"), float("nan")
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(min(low, value)), float(max(high, value))
