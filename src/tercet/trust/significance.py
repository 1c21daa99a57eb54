"""Whether one metric agrees with the grades better than another by more than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.resampling.bootstrap import ROUNDING

from .soft import p_of_pairs
from .weighted import Array, centred, pearson_of_sums
from .within import agreements

#: Numbers of one step over draws.
_CELLS = 2_000_000
#: And of one that goes through them several times, in a processor's cache.
_NEAR_CELLS = 1 << 17

_Figure = Callable[[Array, Array, Array, Array], Array]


def permuted_pearson(human: Array, metrics: Array, n_resamples: int, seed: int) -> Array:
    """Test pooled Pearson's r of each two metrics by exchanging their scores output by output (PERM-BOTH).

    Parameters
    ----------
    human : ndarray, shape (n, m)
        Of each system and item; NaN where there is no grade.
    metrics : ndarray, shape (k, n, m)
        NaN at the same places.
    n_resamples, seed : int

    Returns
    -------
    ndarray, shape (k, k)
        In row a and column b, p that b correlates no better than a: the share of draws whose difference is at least
        the observed one, which counts as a draw. 1 on the diagonal.

    Notes
    -----
    Source: Deutsch et al. 2021. Scores are standardized first. A draw is three sums, so all draws are a product of
    matrices: time and memory are linear in outputs.
    """
    there = ~np.isnan(human)
    g, values = _standardized(human)[there], np.array([_standardized(each)[there] for each in metrics])
    pairs = [np.triu_indices(len(metrics), 1)[side] for side in (0, 1)]
    shift = values[pairs[1]] - values[pairs[0]]
    squares = values[pairs[1]] ** 2 - values[pairs[0]] ** 2
    parts = np.concatenate([shift, squares, shift * g]).T
    changes = np.concatenate([mask @ parts for mask in tosses(len(g), n_resamples, seed)])
    sums = np.stack([values.sum(1), (values**2).sum(1), values @ g])  # (3, k)
    dx, dxx, dxy = np.split(changes, 3, axis=1)  # (draws, pairs) each

    def r(x: Array, xx: Array, xy: Array) -> Array:
        n, y, yy = (np.broadcast_to(each, x.shape) for each in (float(len(g)), g.sum(), (g * g).sum()))
        return pearson_of_sums(n, x, y, xx, yy, xy)

    one, other = (sums[:, None, pairs[side]] for side in (0, 1))
    null = r(other[0] - dx, other[1] - dxx, other[2] - dxy) - r(one[0] + dx, one[1] + dxx, one[2] + dxy)
    observed = r(*sums)
    return _matrix(len(metrics), null.T, observed)


def permuted_pairs(human: Array, metrics: Array, epsilons: Sequence[float], n_resamples: int, seed: int) -> Array:
    """Test the accuracy with ties of each two metrics by exchanging their outcomes pair of systems by pair.

    Parameters
    ----------
    human, metrics, n_resamples, seed
        As of :func:`permuted_pearson`.
    epsilons : sequence of float
        The threshold of ties of each metric, which no draw calibrates again.

    Returns
    -------
    ndarray, shape (k, k)
        As of :func:`permuted_pearson`.

    Notes
    -----
    Source: Deutsch et al. 2023; mt-metrics-eval's PairwisePermutationSigDiff.
    """
    _, there = agreements(human, human, 0.0)
    count = there.sum(0)
    shares = there / np.maximum(count, 1) / max(1, int((count > 0).sum()))
    pairs = zip(metrics, epsilons, strict=True)
    values = np.array([(shares * agreements(human, metric, epsilon)[0]).ravel() for metric, epsilon in pairs])
    one, other = np.triu_indices(len(metrics), 1)
    differences = (values[other] - values[one]).T
    null = np.concatenate([(1 - 2 * mask) @ differences for mask in tosses(len(differences), n_resamples, seed)])
    return _matrix(len(metrics), null.T, values.sum(1))


def permuted_systems(human: Array, metrics: Array, n_resamples: int, seed: int) -> Array:
    """Test pairwise accuracy of each two metrics by exchanging scores output by output.

    Parameters
    ----------
    human, metrics, n_resamples, seed
        As of :func:`permuted_pearson`.

    Returns
    -------
    ndarray, shape (k, k)
        As of :func:`permuted_pearson`.
    """
    count = np.maximum((~np.isnan(human)).sum(1), 1)
    one, other = np.triu_indices(len(human), 1)

    def accuracy(values: Array) -> Array:
        """Return the share of pairs of systems in the order of the grades, of each draw, shape (b, n, m)."""
        return np.asarray((orders(values) == wanted).mean(1), np.float64)

    def orders(values: Array) -> Array:
        of_systems = values.sum(2) / count
        return np.asarray(np.sign(np.round(of_systems[:, one] - of_systems[:, other], 12)), np.float64)

    wanted = orders(np.nan_to_num(human)[None])
    values = np.array([np.nan_to_num(_standardized(each)) for each in metrics])
    observed = accuracy(values)
    pairs = list(zip(*np.triu_indices(len(metrics), 1), strict=True))
    null: list[list[Array]] = [[] for _ in pairs]
    for mask in tosses(human.size, n_resamples, seed):
        masks = mask.reshape(-1, *human.shape)
        for found, (first, second) in zip(null, pairs, strict=True):
            shift = masks * (values[second] - values[first])
            found.append(accuracy(values[second] - shift) - accuracy(values[first] + shift))
    return _matrix(len(metrics), np.array([np.concatenate(each) for each in null]), observed)


def permuted_soft(human: Array, metrics: Array, n_resamples: int, seed: int) -> Array:
    """Test soft pairwise accuracy of each two metrics by exchanging scores output by output.

    Parameters
    ----------
    human, metrics, n_resamples, seed
        As of :func:`permuted_pearson`.

    Returns
    -------
    ndarray, shape (k, k)
        As of :func:`permuted_pearson`.

    Notes
    -----
    In every draw, p of two systems comes from the normal distribution. Time grows with the draws, the items, the
    square of the systems and the square of the metrics.
    """
    there = ~np.isnan(human)
    known: Array = np.asarray(there[:1] if there.all() else there, np.float64)
    grades, *values = (np.nan_to_num(_standardized(each)) for each in (human, *metrics))
    wanted = p_of_pairs(grades, known)

    def accuracy(scores: Array) -> Array:
        return np.asarray(1 - np.abs(p_of_pairs(scores, known) - wanted).mean(-1), np.float64)

    observed = np.array([accuracy(each) for each in values])
    pairs = list(zip(*np.triu_indices(len(values), 1), strict=True))
    null = np.empty((len(pairs), n_resamples))
    draw, step = 0, max(1, _NEAR_CELLS // human.size)
    for mask in tosses(human.size, n_resamples, seed):
        for start in range(0, len(mask), step):
            masks = mask[start : start + step].reshape(-1, *human.shape)
            for place, (one, other) in enumerate(pairs):
                shift = masks * (values[other] - values[one])
                delta = accuracy(values[other] - shift) - accuracy(values[one] + shift)
                null[place, draw : draw + len(masks)] = delta
            draw += len(masks)
    return _matrix(len(values), null, observed)


def permuted(figure: _Figure, human: Array, metrics: Array, n_resamples: int, seed: int) -> Array:
    """Test any figure of each two metrics by exchanging their scores output by output (PERM-BOTH).

    Parameters
    ----------
    figure : callable
        Of this room: from grades, scores and weights to values.
    human, metrics, n_resamples, seed
        As of :func:`permuted_pearson`.

    Returns
    -------
    ndarray, shape (k, k)
        As of :func:`permuted_pearson`.

    Notes
    -----
    Source: Deutsch et al. 2021. Each draw computes the figure of both metrics: seconds for a pair of metrics.
    """
    once = np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))
    values = np.array([_standardized(each) for each in metrics])
    observed = np.array([figure(human, each, *once)[0] for each in values])
    pairs = list(zip(*np.triu_indices(len(metrics), 1), strict=True))
    null = np.empty((len(pairs), n_resamples))
    draw = 0
    for masks in tosses(human.size, n_resamples, seed):
        for mask in masks.reshape(-1, *human.shape):
            for place, (one, other) in enumerate(pairs):
                shift = mask * (values[other] - values[one])
                first, second = values[one] + shift, values[other] - shift
                null[place, draw] = figure(human, second, *once)[0] - figure(human, first, *once)[0]
            draw += 1
    return _matrix(len(metrics), null, observed)


def clusters(values: Sequence[float], pvalues: Array, alpha: float) -> list[int]:
    """Return the cluster of each metric, from 1: those of one cluster cannot be told apart from its best.

    Parameters
    ----------
    values : sequence of float
        The figure of each metric.
    pvalues : ndarray, shape (k, k)
        In row a and column b, p that b is no better than a.
    alpha : float

    Returns
    -------
    list of int

    Notes
    -----
    Source: the WMT metrics tasks. From the best down, a cluster begins at the first metric that is significantly
    worse than every one of the cluster before.

    Examples
    --------
    >>> p = np.array([[1, 0.2, 0.01], [0.8, 1, 0.03], [0.99, 0.97, 1]])
    >>> clusters([0.1, 0.2, 0.3], p, 0.05)
    [2, 2, 1]
    """
    order = sorted(range(len(values)), key=lambda index: (-np.nan_to_num(values[index], nan=-np.inf), index))
    found, members, number = [0] * len(values), order[:1], 1
    for index in order:
        if index not in members and all(pvalues[index, each] < alpha for each in members):
            members, number = [], number + 1
        if index not in members:
            members.append(index)
        found[index] = number
    return found


def tosses(n: int, n_resamples: int, seed: int) -> Iterator[Array]:
    """Yield tosses of a coin, 0 or 1, for each of n places, in chunks of draws, shape (b, n)."""
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // max(1, n))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        yield rng.integers(2, size=(size, n), dtype=np.int8).astype(np.float64)


def _standardized(values: Array) -> Array:
    shifted = centred(values)
    spread = math.sqrt(float((shifted**2).sum()) / max(1, int((~np.isnan(values)).sum())))
    return np.where(np.isnan(values), np.nan, shifted / (spread or 1.0))


def _matrix(k: int, null: Array, observed: Array) -> Array:
    """Return p of both directions of each pair, from draws of the second less the first, shape (pairs, draws)."""
    found = np.ones((k, k))
    for place, (one, other) in enumerate(zip(*np.triu_indices(k, 1), strict=True)):
        delta = observed[other] - observed[one]
        if math.isnan(delta):
            found[one, other] = found[other, one] = np.nan
            continue
        draws: NDArray[np.float64] = null[place]
        slack = ROUNDING * max(abs(observed[one]), abs(observed[other]))
        found[one, other] = ((draws >= delta - slack).sum() + 1) / (len(draws) + 1)
        found[other, one] = ((draws <= delta + slack).sum() + 1) / (len(draws) + 1)
    return found
