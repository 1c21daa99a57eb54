"""Correlations of the systems of each item, then their mean over items; and counts of pairs of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .weighted import Array, centred, kendall_of_sums, pearson_of_sums, weighted_mean

#: Numbers of one step over items.
_CELLS = 2_000_000

#: What gives a figure of each item (columns), for each resample of systems (rows).
Block = Callable[[Array, Array, Array], Array]


def pearson(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the mean over items of Pearson's r of their systems; items with a constant side are left out.

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
    Source: scipy.stats.pearsonr of each item; the mean of mt-metrics-eval's ``average_by="item"``.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> pearson(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.924])
    """
    return weighted_mean(by_item(pearson_block, human, metric, systems), items)


def spearman(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the mean over items of Spearman's rho of their systems.

    Parameters and result are those of :func:`pearson`; source: scipy.stats.spearmanr of each item.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> spearman(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.933])
    """
    return weighted_mean(by_item(spearman_block, human, metric, systems), items)


def kendall_b(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the mean over items of Kendall's tau-b of their systems.

    Parameters and result are those of :func:`pearson`; source: scipy.stats.kendalltau of each item.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> kendall_b(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.9082])
    """
    return weighted_mean(by_item(kendall_b_block, human, metric, systems), items)


def kendall_c(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the mean over items of Kendall's tau-c of their systems.

    Parameters and result are those of :func:`pearson`; source: scipy.stats.kendalltau(variant="c") of each item.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> kendall_c(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.9444])
    """
    return weighted_mean(by_item(kendall_c_block, human, metric, systems), items)


def acc23(human: Array, metric: Array, systems: Array, items: Array, epsilon: float = 0.0) -> Array:
    """Return the pairwise accuracy with ties: pairs of systems ordered alike or tied in both, mean over items.

    Parameters
    ----------
    human, metric, systems, items
        As of :func:`pearson`.
    epsilon : float
        Differences of the metric of at most this much are ties.

    Returns
    -------
    ndarray, shape (B,)

    Notes
    -----
    Source: Deutsch et al. 2023, section 5. A pair of copies of one system, in a resample of systems, is no pair.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> once = np.ones((1, 3)), np.ones((1, 2))
    >>> acc23(human, metric, *once).round(4), acc23(human, metric, *once, epsilon=1.0).round(4)
    (array([0.8333]), array([0.5]))
    """
    return weighted_mean(by_item(partial(acc23_block, epsilon=epsilon), human, metric, systems), items)


def tau23(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return acc23 on the scale from -1 to 1: agreements less disagreements, of all pairs (Deutsch et al. 2023)."""
    return 2 * acc23(human, metric, systems, items) - 1


def difference_pearson(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Pearson's r of the differences of both orders of each two systems of an item, pooled over items.

    Parameters and result are those of :func:`pearson`; source: the WMT25 metrics task ("pairwise difference
    Pearson").

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> difference_pearson(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.9232])
    """
    n_rows = max(len(systems), len(items))
    sums = np.zeros((3, n_rows))
    for part in _blocks(human.shape[1], len(human), len(systems)):
        x, y = pair_differences(human[:, part]), pair_differences(metric[:, part])
        one, other = np.triu_indices(len(human), 1)
        of_pairs = systems[:, one] * systems[:, other]
        for row, product in enumerate((x * x, y * y, x * y)):
            sums[row] += (of_pairs @ np.nan_to_num(product) * items[:, part]).sum(1)
    nothing = np.zeros(n_rows)  # both orders of each pair: their mean is 0
    return pearson_of_sums(np.ones(n_rows), nothing, nothing, *sums)


def darr(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the tau of preferences: pairs with different grades ordered alike, less the others, by all of them.

    Parameters and result are those of :func:`pearson`. Pairs are pooled over items; a tie of the metric counts
    against it. Source: the WMT metrics tasks of 2014 to 2020 ("DARR").

    Examples
    --------
    >>> human, metric = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]), np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
    >>> darr(human, metric, np.ones((1, 2)), np.ones((1, 3))).round(4)
    array([0.3333])
    """
    sums = np.zeros((2, max(len(systems), len(items))))
    one, other = np.triu_indices(len(human), 1)
    of_pairs = systems[:, one] * systems[:, other]
    for part in _blocks(human.shape[1], len(human), len(systems)):
        x, y = np.sign(pair_differences(human[:, part])), np.sign(pair_differences(metric[:, part]))
        graded = np.nan_to_num(x) != 0
        for row, each in enumerate((graded & (x == y), graded)):
            sums[row] += (of_pairs @ each.astype(np.float64) * items[:, part]).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * sums[0] / sums[1] - 1, np.float64)


def pair_differences(values: Array) -> Array:
    """Return the first less the second of each two systems on each item, shape (p, m); pairs in the order of a table.

    Examples
    --------
    >>> pair_differences(np.array([[1.0], [2.0], [4.0]])).ravel()
    array([-1., -3., -2.])
    """
    one, other = np.triu_indices(len(values), 1)
    return np.asarray(values[one] - values[other], np.float64)


def agreements(human: Array, metric: Array, epsilon: float) -> tuple[Array, Array]:
    """Return whether metric and grades order each pair of systems of each item alike, and whether it is graded.

    Both have the shape (p, m) of :func:`pair_differences`, of 0 and 1.
    """
    x, y = pair_differences(human), pair_differences(metric)
    there = ~np.isnan(x)
    alike = np.sign(x) == np.where(np.abs(y) <= epsilon, 0.0, np.sign(y))
    return (alike & there).astype(np.float64), there.astype(np.float64)


def by_item(block: Block, human: Array, metric: Array, systems: Array) -> Array:
    """Return what a function gives for each resample of systems and each item, shape (B or 1, m).

    Parameters
    ----------
    block : callable
        One of the functions below, which take all items at once; here they get as many as fit in memory.
    human, metric, systems
        As of :func:`pearson`.
    """
    parts = [
        block(human[:, part], metric[:, part], systems) for part in _blocks(human.shape[1], len(human), len(systems))
    ]
    return np.concatenate(parts, axis=1)


def _blocks(n_items: int, n_systems: int, n_rows: int) -> Iterator[slice]:
    """Yield parts of the items such that a number for each resample or system, and each system, fits in memory."""
    step = max(1, _CELLS // max(1, n_systems * max(n_systems, n_rows)))
    for start in range(0, n_items, step):
        yield slice(start, start + step)


def pearson_block(human: Array, metric: Array, systems: Array) -> Array:
    """Return Pearson's r of each item."""
    x, y = centred(human, 0), centred(metric, 0)
    there = (~np.isnan(human)).astype(np.float64)
    return pearson_of_sums(*(systems @ each for each in (there, x, y, x * x, y * y, x * y)))


def spearman_block(human: Array, metric: Array, systems: Array) -> Array:
    """Return Spearman's rho of each item."""
    there = ~np.isnan(human)
    n = systems @ there.astype(np.float64)
    places = []
    for values in (human, metric):
        lower = (values[None] < values[:, None]).astype(np.float64)  # (i, j, item): j is lower than i
        equal = (values[None] == values[:, None]).astype(np.float64)
        below = np.einsum("bj,ijc->bic", systems, lower)
        level = np.einsum("bj,ijc->bic", systems, equal)
        places.append(np.where(there, below + (level + 1) / 2 - (n[:, None] + 1) / 2, 0.0))
    x, y = places
    sums = [np.einsum("bi,bic,bic->bc", systems, one, other) for one, other in ((x, x), (y, y), (x, y))]
    return pearson_of_sums(n, np.zeros_like(n), np.zeros_like(n), *sums)


def kendall_b_block(human: Array, metric: Array, systems: Array) -> Array:
    """Return Kendall's tau-b of each item."""
    return _kendall_block("b", human, metric, systems)


def kendall_c_block(human: Array, metric: Array, systems: Array) -> Array:
    """Return Kendall's tau-c of each item."""
    return _kendall_block("c", human, metric, systems)


def acc23_block(human: Array, metric: Array, systems: Array, epsilon: float = 0.0) -> Array:
    """Return the pairwise accuracy with ties of each item."""
    one, other = np.triu_indices(len(human), 1)
    of_pairs = systems[:, one] * systems[:, other]
    outcomes, there = agreements(human, metric, epsilon)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((of_pairs @ outcomes) / (of_pairs @ there), np.float64)


def _kendall_block(kind: str, human: Array, metric: Array, systems: Array) -> Array:
    one, other = np.triu_indices(len(human), 1)
    of_pairs = systems[:, one] * systems[:, other]
    x, y = (np.sign(np.nan_to_num(pair_differences(values))) for values in (human, metric))
    n = systems @ (~np.isnan(human)).astype(np.float64)
    classes = np.minimum(_classes(human, systems), _classes(metric, systems)) if kind == "c" else n
    return kendall_of_sums(kind, of_pairs @ (x * y), of_pairs @ (x * x), of_pairs @ (y * y), n, classes)


def _classes(values: Array, systems: Array) -> Array:
    """Return how many different values each item has in each resample, shape (B, m)."""
    drawn = (systems > 0).astype(np.float64)
    found = np.zeros((len(systems), values.shape[1]))
    for index in range(len(values)):
        before: NDArray[np.bool_] = drawn[:, :index] @ (values[:index] == values[index]).astype(np.float64) > 0
        found += drawn[:, index, None] * (~before & ~np.isnan(values[index]))
    return found
