"""Pairs of systems that are tested, each with the differences that its p is counted in."""

from typing import NamedTuple

import numpy as np

from tercet.statistics.null_differences import null_differences
from tercet.statistics.paired_tests import all_pairs_test


class TestedPair(NamedTuple):
    """The test of a score of two systems."""

    statistic: float
    pvalue: float
    null_distribution: np.ndarray


def pairs_tested(test, metric, systems, pairs=((0, 1),), *, n_resamples=1000, seed=12345):
    """Return for each pair of systems, by score, its difference, p, and the sizes of null differences by chance."""
    families = all_pairs_test(metric, systems, pairs, test, n_resamples=n_resamples, seed=seed)
    differences = null_differences(test, metric, systems, n_resamples=n_resamples, seed=seed)(pairs, slice(None))
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    tested = []
    for number, (first, second) in enumerate(pairs):
        of_pair = {}
        for name, family in families.items():
            sizes = np.abs(differences[name][number])
            if test.is_centred:
                sizes = sizes - sizes.mean()
            statistic = float(observed[second][name]) - float(observed[first][name])
            of_pair[name] = TestedPair(statistic, float(family.pvalues[number]), sizes)
        tested.append(of_pair)
    return tested
