"""Figures of whole systems: correlations of their mean scores, and which of each two is better."""

from __future__ import annotations

import numpy as np

from . import within
from .soft import shares_above
from .weighted import Array

#: Of the reference implementation of soft pairwise accuracy.
_PERMUTATIONS, _SEED = 1_000, 4
#: Resamples of systems and of items that are combined in one step; those that belong together are kept.
_STEP = 32


def means(values: Array, items: Array) -> Array:
    """Return the mean score of each system over what is graded, shape (B, n)."""
    filled, there = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        if len(items) == 1:  # sums as numpy's mean makes them: systems are tied, or not, as they are there
            return np.asarray(((filled * items).sum(1) / (there * items).sum(1))[None], np.float64)
        return np.asarray((items @ filled.T) / (items @ there.T), np.float64)


def pearson(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Pearson's r of the systems' mean scores.

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
    Source: scipy.stats.pearsonr of the means.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> pearson(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.982])
    """
    return _of_means(within.pearson_block, human, metric, systems, items)


def spearman(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Spearman's rho of the systems' mean scores; as :func:`pearson`, source scipy.stats.spearmanr."""
    return _of_means(within.spearman_block, human, metric, systems, items)


def kendall_b(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Kendall's tau-b of the systems' mean scores; as :func:`pearson`, source scipy.stats.kendalltau."""
    return _of_means(within.kendall_b_block, human, metric, systems, items)


def kendall_c(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return Kendall's tau-c of the systems' mean scores; as :func:`pearson`, source scipy.stats.kendalltau."""
    return _of_means(within.kendall_c_block, human, metric, systems, items)


def pairwise_accuracy(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return the share of pairs of systems that metric and grades put in the same order, by their means.

    Parameters and result are those of :func:`pearson`; source: Kocmi et al. 2021.

    Examples
    --------
    >>> human, metric = np.array([[1.0, 2.0], [3.0, 4.0], [3.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]])
    >>> pairwise_accuracy(human, metric, np.ones((1, 3)), np.ones((1, 2))).round(4)
    array([0.6667])
    """
    return _of_means(within.acc23_block, human, metric, systems, items)


def soft_pairwise_accuracy(human: Array, metric: Array) -> float:
    """Return SPA: 1 less the mean difference of p, of the grades and of the metric, that one system is better.

    Notes
    -----
    Source: Thompson et al. 2024 (WMT24, WMT25); 1,000 sign flips of the items, sums in single precision. So where
    sums tie but for rounding, p depends on the processor by some thousandths, here and in mt-metrics-eval alike.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0, 1.0], [3.0, 4.0, 5.0]])
    >>> soft_pairwise_accuracy(human, human), round(soft_pairwise_accuracy(human, -human), 3)
    (1.0, 0.122)
    """
    return float(1 - np.abs(better_p(human) - better_p(metric)).mean())


def better_p(values: Array) -> Array:
    """Return p that the first of each two systems is no better than the second, by sign flips of the items.

    Parameters
    ----------
    values : ndarray, shape (n, m)
        An item on which one of two systems has no grade does not count for them.

    Returns
    -------
    ndarray, shape (p,)
        In the order of :func:`tercet.trust.within.pair_differences`.
    """
    tosses = np.random.default_rng(_SEED).random((_PERMUTATIONS, values.shape[1]), dtype=np.float32)
    signs = 2 * np.rint(tosses) - 1
    one, other = np.triu_indices(len(values), 1)
    if not np.isnan(values).any():
        single = values.astype(np.float32)
        sums, flipped = single.sum(1), signs @ single.T
        observed, null = sums[one] - sums[other], flipped[:, one] - flipped[:, other]
    else:
        single = np.nan_to_num(within.pair_differences(values)).astype(np.float32)
        observed, null = single.sum(1), signs @ single.T
    return np.asarray((null >= observed).mean(0), np.float64)


def soft_pairwise_accuracy_resampled(human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return SPA of resamples, with the normal distribution in the place of the sign flips' own.

    Parameters and result are those of :func:`pearson`.
    """
    p = [_normal_p(within.pair_differences(values), items) for values in (human, metric)]
    one, other = np.triu_indices(len(human), 1)
    of_pairs = systems[:, one] * systems[:, other]
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - (of_pairs * np.abs(p[0] - p[1])).sum(1) / of_pairs.sum(1), np.float64)


def _normal_p(differences: Array, items: Array) -> Array:
    """Return p of sign flips of differences by the normal distribution, shape (B, p); 1 of no differences."""
    filled = np.nan_to_num(differences)
    sums, squares = items @ filled.T, items @ (filled * filled).T
    known = squares > 1e-12
    return np.where(known, shares_above(sums / np.sqrt(np.where(known, squares, 1.0))), 1.0)


def _of_means(block: within.Block, human: Array, metric: Array, systems: Array, items: Array) -> Array:
    """Return a figure of the systems' means; what resamples of items give counts as so many items."""
    x, y = means(human, items).T, means(metric, items).T
    if len(items) == 1 or len(systems) == 1:
        return within.by_item(block, x, y, systems).ravel()
    parts = [slice(start, start + _STEP) for start in range(0, len(items), _STEP)]
    return np.concatenate([np.diag(block(x[:, part], y[:, part], systems[part])) for part in parts])
