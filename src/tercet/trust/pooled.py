"""Correlations of all graded outputs in one heap, whatever their system and item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tercet.engine.chosen import engine

from .weighted import (
    Array,
    centred,
    dense_ranks,
    kendall_of_sums,
    midranks_of,
    pearson_of_sums,
    sums_by_rank,
)

#: Numbers of one step over resamples.
_CELLS = 4_000_000


def pearson(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Pearson's r of the pooled scores.

    Parameters
    ----------
    human, metric : ndarray, shape (n, m)
        Of each system and item; NaN in both where there is no grade.
    systems, items : ndarray, shapes (B or 1, n) and (B or 1, m)
        How often each system and each item counts, in each resample.

    Returns
    -------
    ndarray, shape (B,)

    Notes
    -----
    Source: as scipy.stats.pearsonr. Time and memory are linear in outputs.

    Examples
    --------
    >>> once = np.ones((1, 2))
    >>> pearson(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 5.0]]), once, once).round(4)
    array([0.9827])
    """
    there = ~np.isnan(human)
    x, y = centred(human[there]), centred(metric[there])
    sums = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    parts = [weights @ sums for weights in _weights(there, systems, items)]
    return pearson_of_sums(*np.concatenate(parts).T)


def spearman(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Spearman's rho of the pooled scores: Pearson's r of mean ranks.

    Parameters and result are those of :func:`pearson`; source: as scipy.stats.spearmanr. Time goes with n log n.

    Examples
    --------
    >>> once = np.ones((1, 2))
    >>> spearman(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 9.0], [3.0, 5.0]]), once, once).round(4)
    array([0.4])
    """
    there = ~np.isnan(human)
    sides = [dense_ranks(human[there]), dense_ranks(metric[there])]
    found = []
    for weights in _weights(there, systems, items):
        n = weights.sum(1)
        places = []
        for ranks, n_ranks in sides:
            midranks = midranks_of(sums_by_rank(weights, ranks, n_ranks)) - (n[:, None] + 1) / 2
            places.append(midranks[:, ranks])
        x, y = places
        nothing = np.zeros_like(n)  # ranks are centred
        sums = [np.einsum("bi,bi,bi->b", weights, one, other) for one, other in ((x, x), (y, y), (x, y))]
        found.append(pearson_of_sums(n, nothing, nothing, *sums))
    return np.concatenate(found)


def kendall_b(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Kendall's tau-b of the pooled scores.

    Parameters and result are those of :func:`pearson`; source: as scipy.stats.kendalltau. Time goes with n log n.

    Examples
    --------
    >>> once = np.ones((1, 2))
    >>> kendall_b(np.array([[1.0, 1.0], [3.0, 4.0]]), np.array([[1.0, 9.0], [3.0, 5.0]]), once, once).round(4)
    array([0.1826])
    """
    return _kendall("b", human, metric, systems, items)


def kendall_c(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Kendall's tau-c, of Stuart, of the pooled scores: for sides with different numbers of values.

    Parameters and result are those of :func:`pearson`; source: as scipy.stats.kendalltau(variant="c").

    Examples
    --------
    >>> once = np.ones((1, 2))
    >>> kendall_c(np.array([[1.0, 1.0], [3.0, 4.0]]), np.array([[1.0, 9.0], [3.0, 5.0]]), once, once).round(4)
    array([0.1875])
    """
    return _kendall("c", human, metric, systems, items)


def _kendall(kind: str, human: Array, metric: Array, systems: Array, items: Array) -> Array:
    there = ~np.isnan(human)
    sides = dense_ranks(human[there]), dense_ranks(metric[there])
    # tau is symmetric, and looking up is fast where few ranks are
    (y, n_y), (x, n_x) = sorted(sides, key=lambda side: side[1])
    order = np.argsort(x, kind="stable")
    starts = np.append(np.searchsorted(x[order], np.arange(n_x)), len(x))
    ranks = y[order] + 1
    found = []
    for weights in _weights(there, systems, items):
        sums = engine.order_sums(starts, ranks, n_y, np.ascontiguousarray(weights[:, order]))
        n = weights.sum(1)
        of_x, of_y = sums_by_rank(weights, x, n_x), sums_by_rank(weights, y, n_y)
        untied_x, untied_y = ((n * n - (of * of).sum(1)) / 2 for of in (of_x, of_y))
        classes = np.minimum((of_x > 0).sum(1), (of_y > 0).sum(1))
        found.append(kendall_of_sums(kind, sums, untied_x, untied_y, n, classes.astype(np.float64)))
    return np.concatenate(found)


def _weights(there: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], systems: Array, items: Array) -> Iterator[Array]:
    """Yield how often each graded output counts, in chunks of resamples, shape (b, N)."""
    rows, columns = np.nonzero(there)
    total = max(len(systems), len(items))
    step = max(1, _CELLS // max(1, len(rows)))
    for start in range(0, total, step):
        part = slice(start, start + step)
        of_systems = systems[part] if len(systems) > 1 else systems
        of_items = items[part] if len(items) > 1 else items
        once = len(of_systems) == 1 and (of_systems == 1).all()
        yield of_items[:, columns] if once else of_systems[:, rows] * of_items[:, columns]
