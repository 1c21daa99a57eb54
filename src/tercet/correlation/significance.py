"""Whether one metric agrees with the grades better than another by more than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from tercet.statistics.distributions import t_tail

from .exchanges import MetricTests, accuracy_tests, exchange_tests, standardized
from .figures import FIGURES, value_of
from .samples import Array, GradedOutputs, Sample


def name_of_test(figure: str) -> str:
    """Return the name of a figure's test: what it exchanges between two metrics."""
    if FIGURES[figure].test is accuracy_tests:
        return "permutation test: the metrics' outcomes are exchanged, pair of systems by pair"
    return "permutation test (PERM-BOTH): the metrics' standardized scores are exchanged, output by output"


def pvalues_between(
    figure: str, outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int
) -> Array:
    """Return one-sided p-values, shape (k, k): the row's metric agrees better than the column's; 1 on the diagonal.

    They are for a direction that was chosen without these data; else :func:`metric_tests` has two-sided ones.
    """
    return metric_tests(figure, outputs, epsilons, n_resamples, seed).better


def metric_tests(
    figure: str, outputs: GradedOutputs, epsilons: Sequence[float], n_resamples: int, seed: int
) -> MetricTests:
    """Test each two metrics, all by the same exchanges.

    `epsilons` are the metrics' thresholds of ties, which no resample calibrates again. p is the share of resamples
    with at least the observed difference, which counts as one of them. What is exchanged of an item is exchanged for
    all items of its cluster.
    """
    test = FIGURES[figure].test
    if test is not None:
        return test(outputs, epsilons, n_resamples, seed)
    values = np.array([standardized(scores) for scores in outputs.metrics])
    return exchange_tests(one_by_one(figure, outputs.human), values, outputs.cluster_of_item, n_resamples, seed)


def one_by_one(figure: str, human: Array) -> Callable[[Array], Array]:
    """Return a function from several scores to the figure of each; takes seconds for a pair of metrics."""
    function = FIGURES[figure].function
    return lambda scores: np.array([function(Sample.whole(human, metric))[0] for metric in scores])


def williams_between(figure: str, outputs: GradedOutputs) -> Array:
    """Return one-sided p of Williams' test that the row's metric agrees better than the column's, shape (k, k).

    NaN unless the figure is Pearson's r, and for outputs in clusters: the test is for independent ones.
    """
    human = outputs.human
    metrics = outputs.metrics
    k = len(metrics)
    pvalues = np.full((k, k), np.nan)
    if figure == "pooled.pearson" and outputs.clusters is None:
        n_points = int((~np.isnan(human)).sum())
    elif figure == "system.pearson":
        n_points = len(human)
    else:
        return pvalues
    np.fill_diagonal(pvalues, 1.0)
    coefficients = [value_of(figure, human, metric).value for metric in metrics]
    for row, column in permutations(range(k), 2):
        between = value_of(figure, metrics[column], metrics[row]).value
        pvalues[row, column] = williams(coefficients[column], coefficients[row], between, n_points)
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


def significance_clusters(values: Sequence[float], pvalues: Array, alpha: float) -> list[int]:
    """Return the significance cluster of each metric, from 1, as in the WMT metrics tasks.

    From the best down, a cluster begins at the first metric that is significantly worse than all of the previous one.
    """
    order = sorted(range(len(values)), key=lambda index: (-np.nan_to_num(values[index], nan=-np.inf), index))
    numbers = [0] * len(values)
    number = 0
    members: list[int] = []
    for index in order:
        # of no members, too: the best begins the first cluster
        if all(pvalues[member, index] < alpha for member in members):
            members = []
            number += 1
        members.append(index)
        numbers[index] = number
    return numbers
