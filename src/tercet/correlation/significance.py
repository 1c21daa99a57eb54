"""Whether one metric agrees with the grades better than another by more than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.clusters import Clusters
from tercet.statistics.distributions import t_tail
from tercet.statistics.draws import ROUNDING
from tercet.statistics.families import family_test_of_blocks, of_pairs
from tercet.statistics.progress import counted

from .coefficients import centred, pearson_of_sums
from .figures import FIGURES, value_of
from .pairs import agreements
from .samples import Array, Numbers, Sample
from .soft_accuracy import p_of_pairs

#: Numbers of one step over draws; and of one that goes through them several times, in a processor's cache.
_CELLS, _NEAR_CELLS = 2_000_000, 1 << 17

#: From so many cells on, of pairs of systems and items, those with the same outcomes are counted; and the outcomes of
#: so many metrics, with the share of the cell, fit in a number.
_MANY_CELLS, _MOST_BITS = 100_000, 40

#: Figures that are tested by exchanging outcomes of pairs of systems.
_OF_PAIRS = ("item.acc23", "item.tau23", "item.acc_eq")


def test_name(figure: str) -> str:
    """Return the name of a figure's test: what it exchanges between two metrics."""
    if figure in _OF_PAIRS:
        return "permutation test: the metrics' outcomes are exchanged, pair of systems by pair"
    return "permutation test (PERM-BOTH): the metrics' standardized scores are exchanged, output by output"


class MetricTests(NamedTuple):
    """P of each two metrics from the same draws, shape (k, k); 1 on the diagonal, NaN where a figure is undefined.

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


def pvalues_between(
    figure: str,
    human: Array,
    metrics: Array,
    epsilons: Sequence[float],
    n_resamples: int,
    seed: int,
    clusters: Numbers | None = None,
) -> Array:
    """Return one-sided p-values, shape (k, k): the row's metric agrees better than the column's; 1 on the diagonal.

    They are for a direction that was chosen without these data; else :func:`metric_tests` has two-sided ones.
    """
    return metric_tests(figure, human, metrics, epsilons, n_resamples, seed, clusters).better


def metric_tests(
    figure: str,
    human: Array,
    metrics: Array,
    epsilons: Sequence[float],
    n_resamples: int,
    seed: int,
    clusters: Numbers | None = None,
) -> MetricTests:
    """Test each two metrics, all by the same exchanges.

    `metrics` are scores (k, n, m), `epsilons` their thresholds of ties, which no draw calibrates again. p is the
    share of draws with at least the observed difference, which counts as a draw. What is exchanged of an item is
    exchanged for all items of its cluster.
    """
    clusters = np.arange(human.shape[1]) if clusters is None else clusters
    if figure == "pooled.pearson":
        return _exchanged_sums(human, metrics, n_resamples, seed, clusters)
    if figure in _OF_PAIRS:
        return _exchanged_pairs(human, metrics, epsilons, n_resamples, seed, clusters)
    values = np.array([_standardized(scores) for scores in metrics])
    if figure == "system.pairwise_accuracy":
        return exchanged(_pairwise_accuracy(human), np.nan_to_num(values), n_resamples, seed, clusters)
    if figure == "system.spa":
        return exchanged(_soft_accuracy(human), np.nan_to_num(values), n_resamples, seed, clusters)
    return exchanged(one_by_one(figure, human), values, n_resamples, seed, clusters)


def exchanged(
    figure: Callable[[Array], Array], values: Array, n_resamples: int, seed: int, clusters: Numbers | None = None
) -> MetricTests:
    """Test any figure of scores (b, n, m) by exchanging each two metrics' output by output (PERM-BOTH).

    Source: Deutsch et al. 2021. Each draw computes the figure of both metrics.
    """
    n_systems, n_items = values.shape[1:]
    clusters = np.arange(n_items) if clusters is None else clusters
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


def one_by_one(figure: str, human: Array) -> Callable[[Array], Array]:
    """Return a function from several scores to the figure of each; takes seconds for a pair of metrics."""
    function = FIGURES[figure].function
    return lambda scores: np.array([function(Sample.whole(human, metric))[0] for metric in scores])


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
    of_grades = p_of_pairs(np.nan_to_num(_standardized(human)), is_graded)
    return lambda scores: np.asarray(1 - np.abs(p_of_pairs(scores, is_graded) - of_grades).mean(-1), np.float64)


def _exchanged_sums(human: Array, metrics: Array, n_resamples: int, seed: int, clusters: Numbers) -> MetricTests:
    """Test pooled Pearson's r as :func:`exchanged` does: a draw is three sums, all draws a product of matrices."""
    is_graded = ~np.isnan(human)
    g = _standardized(human)[is_graded]
    values = np.array([_standardized(metric)[is_graded] for metric in metrics])
    # what an exchange moves: scores, their squares, and their products with grades, of each metric
    parts = np.concatenate([values, values**2, values * g]).T
    systems, items = np.nonzero(is_graded)
    parts = Clusters.of(systems * human.shape[1] + clusters[items], len(g)).sums(parts)
    # the sums of all, shape (3, k)
    sums = np.stack([values.sum(1), (values**2).sum(1), values @ g])

    def r(x: Array, xx: Array, xy: Array) -> Array:
        n, y, yy = (np.broadcast_to(total, x.shape) for total in (float(len(g)), g.sum(), (g * g).sum()))
        return pearson_of_sums(n, x, y, xx, yy, xy)

    def differences(mask: Array, first: Numbers, second: Numbers) -> Array:
        moved = (mask @ parts).T.reshape(3, len(metrics), -1)
        changes = moved[:, second] - moved[:, first]
        # What an exchange adds to the sums of the first metric, it takes from those of the second.
        of_first = r(*(sums[:, first, None] + changes))
        of_second = r(*(sums[:, second, None] - changes))
        return of_second - of_first

    return _tests_of_pairs(differences, r(*sums), np.ones(len(parts), np.int64), n_resamples, seed)


def _exchanged_pairs(
    human: Array, metrics: Array, epsilons: Sequence[float], n_resamples: int, seed: int, clusters: Numbers
) -> MetricTests:
    """Test the accuracy with ties by exchanging outcomes pair of systems by pair (PairwisePermutationSigDiff)."""
    pairs = zip(metrics, epsilons, strict=True)
    outcomes = np.array([agreements(human, metric, epsilon)[0] for metric, epsilon in pairs])
    _, is_graded = agreements(human, human, 0.0)
    count = is_graded.sum(0)
    # An item counts as much as any other, however many pairs it has: the figure is the mean over items.
    shares = is_graded / np.maximum(count, 1) / max(1, int((count > 0).sum()))
    if int(clusters.max()) + 1 == len(clusters) and shares.size > _MANY_CELLS and len(metrics) <= _MOST_BITS:
        values, n_cells = _alike_cells(outcomes, shares)
    else:
        by_item = shares * outcomes
        values = Clusters(clusters, "").sums(by_item.transpose(2, 0, 1).reshape(len(clusters), -1))
        values = values.reshape(-1, len(metrics), len(shares)).transpose(1, 2, 0).reshape(len(metrics), -1)
        n_cells = np.ones(values.shape[1], np.int64)

    def differences(n_exchanged: Array, first: Numbers, second: Numbers) -> Array:
        of_metrics = values @ (n_cells - 2 * n_exchanged).T
        return np.asarray(of_metrics[second] - of_metrics[first], np.float64)

    return _tests_of_pairs(differences, values @ n_cells, n_cells, n_resamples, seed)


def _alike_cells(outcomes: NDArray[np.bool_], shares: Array) -> tuple[Array, Numbers]:
    """Return the values (k, g) of the cells that differ, and how many cells have each.

    `outcomes`, shape (k, pairs, m), say what is alike. How many of the cells with the same outcomes are exchanged is
    all that a draw of them says.
    """
    bits = 2 ** np.arange(len(outcomes))
    different_shares, share_of_cell = np.unique(shares, return_inverse=True)
    codes = share_of_cell.reshape(shares.shape).astype(np.int64) << len(outcomes)
    for bit, of_metric in zip(bits.tolist(), outcomes, strict=True):
        codes += bit * of_metric.astype(np.int64)
    different_codes, n_cells = np.unique(codes, return_counts=True)
    are_alike = (different_codes[None] & bits[:, None]) > 0
    return are_alike * different_shares[different_codes >> len(outcomes)], n_cells


def williams_between(figure: str, human: Array, metrics: Array, clusters: Numbers | None = None) -> Array:
    """Return one-sided p of Williams' test that the row's metric agrees better than the column's, shape (k, k).

    NaN unless the figure is Pearson's r, and for outputs in clusters: the test is for independent ones.
    """
    k = len(metrics)
    pvalues = np.full((k, k), np.nan)
    if figure not in ("pooled.pearson", "system.pearson"):
        return pvalues
    if figure == "pooled.pearson" and clusters is not None:
        return pvalues
    n = int((~np.isnan(human)).sum()) if figure == "pooled.pearson" else len(human)
    coefficients = [value_of(figure, human, metric)[0] for metric in metrics]
    for row, column in product(range(k), repeat=2):
        between = value_of(figure, metrics[column], metrics[row])[0]
        pvalues[row, column] = williams(coefficients[column], coefficients[row], between, n) if row != column else 1.0
    return pvalues


def williams(r_one: float, r_other: float, r_between: float, n: int) -> float:
    """Return p that the second of two dependent Pearson correlations is no greater; NaN with fewer than 4 points.

    Source: Williams 1959; Steiger 1980; Graham and Baldwin 2014.
    """
    if n < 4 or math.isnan(r_one + r_other + r_between):
        return math.nan
    # Metrics that are the same but for a scale leave nothing to test: t would divide by 0.
    if r_between >= 1 - 1e-12:
        return 0.5 if math.isclose(r_one, r_other, abs_tol=1e-12) else float(r_other < r_one)
    k = 1 - r_one**2 - r_other**2 - r_between**2 + 2 * r_one * r_other * r_between
    middle = ((r_one + r_other) / 2) ** 2
    below = 2 * max(k, 0.0) * (n - 1) / (n - 3) + middle * (1 - r_between) ** 3
    t = (r_other - r_one) * math.sqrt((n - 1) * (1 + r_between) / below)
    return t_tail(t, n - 3)


def clusters(values: Sequence[float], pvalues: Array, alpha: float) -> list[int]:
    """Return the significance cluster of each metric, from 1, as in the WMT metrics tasks.

    From the best down, a cluster begins at the first metric that is significantly worse than all of the previous one.
    """
    order = sorted(range(len(values)), key=lambda index: (-np.nan_to_num(values[index], nan=-np.inf), index))
    numbers = [0] * len(values)
    number = 1
    members = order[:1]
    for index in order:
        if index not in members and all(pvalues[member, index] < alpha for member in members):
            members = []
            number += 1
        if index not in members:
            members.append(index)
        numbers[index] = number
    return numbers


def tosses(n_coins: Numbers, n_resamples: int, seed: int) -> Iterator[Array]:
    """Yield how many of so many coins show heads, for each number of coins, in chunks of draws, shape (b, n)."""
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


def _standardized(values: Array) -> Array:
    shifted = centred(values)
    spread = math.sqrt(float((shifted**2).sum()) / max(1, int((~np.isnan(values)).sum())))
    return np.where(np.isnan(values), np.nan, shifted / (spread or 1.0))


def _tests_of_pairs(
    differences: Callable[[Array, Numbers, Numbers], Array],
    observed: Array,
    n_cells: Numbers,
    n_resamples: int,
    seed: int,
    step: int = _CELLS,
) -> MetricTests:
    """Return p of each two metrics from draws that all pairs share.

    `differences` takes how many of each kind of cell are exchanged, shape (b, kinds), and the metrics of each pair,
    and returns how much more the second agrees than the first, shape (pairs, b). `observed` are the figures (k,),
    `n_cells` the cells of each kind, `step` the most draws at a time.
    """
    n_metrics = len(observed)
    first, second = np.triu_indices(n_metrics, 1)
    step = max(1, min(step, _CELLS // max(1, len(first))))
    # a difference that is smaller by rounding alone counts as one of the observed size
    slack = ROUNDING * np.maximum(np.abs(observed[first]), np.abs(observed[second]))
    delta = observed[second] - observed[first]
    # the observed difference is one of those under the null hypothesis
    n_up = np.ones(len(first))
    n_down = np.ones(len(first))

    def blocks() -> Iterator[dict[str, Array]]:
        chunks = tosses(n_cells, n_resamples, seed)
        parts = (chunk[start : start + step] for chunk in chunks for start in range(0, len(chunk), step))
        for part in counted(parts, "testing", "permutations", n_resamples):
            block = differences(part, first, second)
            n_up[:] += np.count_nonzero(block >= (delta - slack)[:, None], axis=1)
            n_down[:] += np.count_nonzero(block <= (delta + slack)[:, None], axis=1)
            yield {"": block}

    family = family_test_of_blocks(blocks(), n_resamples, {"": observed[first]}, {"": observed[second]})[""]
    is_unknown = np.isnan(delta)
    better = np.ones((n_metrics, n_metrics))
    better[second, first] = np.where(is_unknown, np.nan, n_up / (n_resamples + 1))
    better[first, second] = np.where(is_unknown, np.nan, n_down / (n_resamples + 1))
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return MetricTests(better, *of_pairs(pairs, family, n_metrics))
