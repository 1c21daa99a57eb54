"""Tests of metrics by exchanges between two of them: of scores, or of the outcomes of pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.adjusted_p import family_test_of_blocks
from tercet.statistics.clusters import Clusters
from tercet.statistics.p_tables import p_tables
from tercet.statistics.progress import count_on_bar
from tercet.statistics.rounding import ROUNDING

from .coefficients import centred, pearson_of_sums
from .pairs import agreements
from .samples import Array, GradedOutputs, Numbers
from .soft_accuracy import p_of_pairs

#: Numbers of one step over resamples.
_CELLS = 2_000_000
#: Of one that goes through them several times, in a processor's cache.
_NEAR_CELLS = 1 << 17

#: From so many cells on, of pairs of systems and items, those with the same outcomes are counted.
_MANY_CELLS = 100_000
#: The outcomes of so many metrics, with the share of the cell, fit in a number.
_MOST_BITS = 40


class MetricTests(NamedTuple):
    """P of each two metrics from the same resamples, shape (k, k); 1 on the diagonal, NaN where it is undefined.

    Attributes
    ----------
    better : ndarray
        One-sided, as of mt-metrics-eval: that the metric of the row agrees better than that of the column.
    two_sided : ndarray
        That the two agree equally well, whichever of them the data favour.
    adjusted : ndarray
        The two-sided p, adjusted for all pairs of metrics by the step-down maximum (Romano and Wolf 2005).
    """

    better: Array
    two_sided: Array
    adjusted: Array


def exchange_tests(
    figure: Callable[[Array], Array], values: Array, clusters: Numbers, n_resamples: int, seed: int
) -> MetricTests:
    """Test any figure of scores (b, n, m) by exchanging each two metrics' output by output (PERM-BOTH).

    Source: Deutsch et al. 2021. Each resample computes the figure of both metrics.
    """
    n_systems, n_items = values.shape[1:]
    n_clusters = int(clusters.max()) + 1
    step = max(1, _NEAR_CELLS // (n_systems * n_items))

    def differences(mask: Array, first: Numbers, second: Numbers) -> Array:
        masks = mask.reshape(-1, n_systems, n_clusters)
        if n_clusters != n_items:
            masks = masks[:, :, clusters]
        of_pairs = np.empty((len(first), len(masks)))
        for pair, (first_metric, second_metric) in enumerate(zip(first, second, strict=True)):
            shift = masks * (values[second_metric] - values[first_metric])
            of_pairs[pair] = figure(values[second_metric] - shift) - figure(values[first_metric] + shift)
        return of_pairs

    n_cells = np.ones(n_systems * n_clusters, np.int64)
    return _tests_of_pairs(differences, figure(values), n_cells, n_resamples, seed, step)


def pairwise_accuracy_tests(
    outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int
) -> MetricTests:
    """Make :func:`exchange_tests` of the system-level pairwise accuracy."""
    figure = _pairwise_accuracy(outputs.human)
    return exchange_tests(figure, _scores_or_zero(outputs), outputs.cluster_of_item, n_resamples, seed)


def soft_accuracy_tests(
    outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int
) -> MetricTests:
    """Make :func:`exchange_tests` of SPA."""
    figure = _soft_accuracy(outputs.human)
    return exchange_tests(figure, _scores_or_zero(outputs), outputs.cluster_of_item, n_resamples, seed)


def pearson_tests(outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int) -> MetricTests:
    """Make :func:`exchange_tests` of pooled Pearson's r: a resample is three sums, all of them a matrix product."""
    human = outputs.human
    is_graded = ~np.isnan(human)
    grades = standardized(human)[is_graded]
    values = np.array([standardized(metric)[is_graded] for metric in outputs.metrics])
    # what an exchange moves: scores, their squares, and their products with grades, of each metric
    terms = np.concatenate([values, values**2, values * grades]).T
    systems, items = np.nonzero(is_graded)
    cluster_of_output = systems * human.shape[1] + outputs.cluster_of_item[items]
    parts = Clusters.of(cluster_of_output, len(grades)).sums(terms)
    # the sums of all, shape (3, k)
    sums = np.stack([values.sum(1), (values**2).sum(1), values @ grades])

    def r(x: Array, xx: Array, xy: Array) -> Array:
        n = np.broadcast_to(float(len(grades)), x.shape)
        y = np.broadcast_to(grades.sum(), x.shape)
        yy = np.broadcast_to((grades * grades).sum(), x.shape)
        return pearson_of_sums(n, x, y, xx, yy, xy)

    def differences(mask: Array, first: Numbers, second: Numbers) -> Array:
        moved = (mask @ parts).T.reshape(3, len(values), -1)
        changes = moved[:, second] - moved[:, first]
        # What an exchange adds to the sums of the first metric, it takes from those of the second.
        of_first = r(*(sums[:, first, None] + changes))
        of_second = r(*(sums[:, second, None] - changes))
        return of_second - of_first

    return _tests_of_pairs(differences, r(*sums), np.ones(len(parts), np.int64), n_resamples, seed)


def accuracy_tests(outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int) -> MetricTests:
    """Test the accuracy with ties by exchanging outcomes pair of systems by pair (PairwisePermutationSigDiff)."""
    human = outputs.human
    clusters = outputs.cluster_of_item
    n_metrics = len(outputs.metrics)
    outcomes_of_metrics = []
    for metric, epsilon in zip(outputs.metrics, epsilons, strict=True):
        is_alike, _ = agreements(human, metric, epsilon)
        outcomes_of_metrics.append(is_alike)
    outcomes = np.array(outcomes_of_metrics)
    _, is_graded = agreements(human, human, 0.0)
    count = is_graded.sum(0)
    # An item counts as much as any other, however many pairs it has: the figure is the mean over items.
    shares = is_graded / np.maximum(count, 1) / max(1, int((count > 0).sum()))
    if int(clusters.max()) + 1 == len(clusters) and shares.size > _MANY_CELLS and n_metrics <= _MOST_BITS:
        values, n_cells = _alike_cells(outcomes, shares)
    else:
        by_item = (shares * outcomes).transpose(2, 0, 1).reshape(len(clusters), -1)
        by_cluster = Clusters(clusters, "").sums(by_item).reshape(-1, n_metrics, len(shares))
        values = by_cluster.transpose(1, 2, 0).reshape(n_metrics, -1)
        n_cells = np.ones(values.shape[1], np.int64)

    def differences(n_exchanged: Array, first: Numbers, second: Numbers) -> Array:
        of_metrics = values @ (n_cells - 2 * n_exchanged).T
        return np.asarray(of_metrics[second] - of_metrics[first], np.float64)

    return _tests_of_pairs(differences, values @ n_cells, n_cells, n_resamples, seed)


def standardized(values: Array) -> Array:
    """Return scores (n, m) with a mean of 0 and a deviation of 1; NaN stays."""
    shifted = centred(values)
    spread = math.sqrt(float((shifted**2).sum()) / max(1, int((~np.isnan(values)).sum())))
    return np.where(np.isnan(values), np.nan, shifted / (spread or 1.0))


def toss_coins(n_coins: Numbers, n_resamples: int, seed: int) -> Iterator[Array]:
    """Yield how many of so many coins show heads, for each number of coins, in chunks of resamples, shape (b, n)."""
    rng = np.random.default_rng(seed)
    n = len(n_coins)
    step = max(1, _CELLS // max(1, n))
    are_single = bool((n_coins == 1).all())
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        if are_single:
            yield rng.integers(2, size=(size, n), dtype=np.int8).astype(np.float64)
        else:
            yield rng.binomial(n_coins, 0.5, size=(size, n)).astype(np.float64)


def _scores_or_zero(outputs: GradedOutputs) -> Array:
    """Return the standardized scores of each metric, 0 where an output has no grade."""
    return np.nan_to_num([standardized(scores) for scores in outputs.metrics])


def _pairwise_accuracy(human: Array) -> Callable[[Array], Array]:
    count = np.maximum((~np.isnan(human)).sum(1), 1)
    first, second = np.triu_indices(len(human), 1)

    def orders(values: Array) -> Array:
        of_systems = values.sum(2) / count
        # rounded, so that means that differ by a rounding error tie
        return np.asarray(np.sign(np.round(of_systems[:, first] - of_systems[:, second], 12)), np.float64)

    of_grades = orders(np.nan_to_num(human)[None])
    return lambda scores: np.asarray((orders(scores) == of_grades).mean(1), np.float64)


def _soft_accuracy(human: Array) -> Callable[[Array], Array]:
    """Return SPA with p of two systems from the normal distribution; time grows with the square of the systems."""
    has_grade = ~np.isnan(human)
    # Where all outputs are graded, one row stands for those of all systems.
    if has_grade.all():
        has_grade = has_grade[:1]
    is_graded: Array = np.asarray(has_grade, np.float64)
    of_grades = p_of_pairs(np.nan_to_num(standardized(human)), is_graded)
    return lambda scores: np.asarray(1 - np.abs(p_of_pairs(scores, is_graded) - of_grades).mean(-1), np.float64)


def _alike_cells(outcomes: NDArray[np.bool_], shares: Array) -> tuple[Array, Numbers]:
    """Return the values (k, g) of the cells that differ, and how many cells have each.

    `outcomes`, shape (k, pairs, m), say what is alike. How many of the cells with the same outcomes are exchanged is
    all that a resample of them says.
    """
    bits = 2 ** np.arange(len(outcomes))
    different_shares, share_of_cell = np.unique(shares, return_inverse=True)
    codes = share_of_cell.reshape(shares.shape).astype(np.int64) << len(outcomes)
    for bit, of_metric in zip(bits.tolist(), outcomes, strict=True):
        codes += bit * of_metric.astype(np.int64)
    different_codes, n_cells = np.unique(codes, return_counts=True)
    are_alike = (different_codes[None] & bits[:, None]) > 0
    return are_alike * different_shares[different_codes >> len(outcomes)], n_cells


#: The only score of a family of tests, which may be of several.
_FIGURE = "figure"


class _Tails:
    """How many resamples have at least the observed difference of two metrics, upwards and downwards."""

    def __init__(self, first: Array, second: Array) -> None:
        self._difference = second - first
        # A difference that is smaller by rounding alone counts as one of the observed size.
        self._slack = ROUNDING * np.maximum(np.abs(first), np.abs(second))
        # The observed difference is one of those under the null hypothesis.
        self._n_resamples = 1
        self.n_up = np.ones(len(first))
        self.n_down = np.ones(len(first))

    def count(self, block: Array) -> None:
        """Count the differences of further resamples, shape (pairs, b)."""
        self._n_resamples += block.shape[1]
        self.n_up += np.count_nonzero(block >= (self._difference - self._slack)[:, None], axis=1)
        self.n_down += np.count_nonzero(block <= (self._difference + self._slack)[:, None], axis=1)

    def p(self, n: Array) -> Array:
        """Return the share of resamples that so many are; NaN where the difference is undefined."""
        return np.where(np.isnan(self._difference), np.nan, n / self._n_resamples)


def _tests_of_pairs(
    differences: Callable[[Array, Numbers, Numbers], Array],
    observed: Array,
    n_cells: Numbers,
    n_resamples: int,
    seed: int,
    most_at_once: int = _CELLS,
) -> MetricTests:
    """Return p of each two metrics from resamples that all pairs share.

    `differences` takes how many of each kind of cell are exchanged, shape (b, kinds), and the metrics of each pair,
    and returns how much more the second agrees than the first, shape (pairs, b). `observed` are the figures (k,),
    `n_cells` the cells of each kind, `most_at_once` the most resamples at a time.
    """
    n_metrics = len(observed)
    first, second = np.triu_indices(n_metrics, 1)
    step = max(1, min(most_at_once, _CELLS // max(1, len(first))))
    tails = _Tails(observed[first], observed[second])

    def blocks() -> Iterator[dict[str, Array]]:
        chunks = toss_coins(n_cells, n_resamples, seed)
        parts = (chunk[start : start + step] for chunk in chunks for start in range(0, len(chunk), step))
        for part in count_on_bar(parts, "testing", "permutations", n_resamples):
            block = differences(part, first, second)
            tails.count(block)
            yield {_FIGURE: block}

    families = family_test_of_blocks(blocks(), n_resamples, {_FIGURE: observed[first]}, {_FIGURE: observed[second]})
    family = families[_FIGURE]
    better = np.ones((n_metrics, n_metrics))
    better[second, first] = tails.p(tails.n_up)
    better[first, second] = tails.p(tails.n_down)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return MetricTests(better, *p_tables(pairs, family, n_metrics))
