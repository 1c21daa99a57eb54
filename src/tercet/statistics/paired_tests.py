"""Paired tests of two systems on the same texts, from their rows alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .adjusted_p import FamilyResult, NullDistribution, family_test, family_test_of_blocks
from .draws import all_masks
from .kinds_of_tests import PERMUTATION, TestKind
from .null_differences import (
    NullDifferences,
    Pairs,
    check_alike_systems,
    exchanged_differences,
    null_differences,
)
from .rounding import rounding

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats


class PairedTestResult(NamedTuple):
    """The permutation test of a score of two systems."""

    #: Score of the second system less that of the first.
    statistic: float
    #: Two-sided.
    pvalue: float
    #: The sizes of the differences under the null hypothesis.
    null_distribution: NDArray[np.float64]


def permutation_test(
    metric: Formula, systems: Sequence[SegmentStats], *, n_resamples: int, seed: int
) -> dict[str, PairedTestResult]:
    """Return the test of each score of two systems, with what its p is counted in; p is that of all_pairs_test."""
    pairs = [(0, 1)]
    strata = [Stratum(metric, systems, 1.0, seed)]
    null = null_distribution_of_strata(strata, pairs, PERMUTATION, n_resamples=n_resamples)
    differences = null.differences(pairs, slice(None))
    first, second = (_scores_of_each(metric, [stats]) for stats in systems)
    n_units = len(systems[0])
    families = family_test_of_blocks(
        [differences], null.n_resamples, first, second, slack=rounding(n_units), is_complete=null.is_complete
    )
    if n_units == 1:
        families = _without_test(families)
    results = {}
    for name, family in families.items():
        statistic = float(second[name][0]) - float(first[name][0])
        results[name] = PairedTestResult(statistic, float(family.pvalues[0]), np.abs(differences[name][0]))
    return results


def pvalue_beyond_resamples(result: PairedTestResult, n_units: int) -> float:
    """Return p of a permutation test, also where it is smaller than the resamples can show.

    Where no null difference is as large as the observed one, p is at most 1 / (n_resamples + 1). It is also at most
    2 exp(-z² / 2), where z is the difference divided by the root mean square of the null differences: exchanging
    outputs gives each unit's difference a random sign (Hoeffding 1963, theorem 2). That bound is exact for means,
    whose null differences are such sums, and to first order for other formulas of sums. The smaller of both holds
    each level: one above 1 / (n_resamples + 1) as the resamples alone do, one below it as the bound does.
    """
    least_of_resamples = 1 / (len(result.null_distribution) + 1)
    # NaN, of a score that is NaN, is not greater.
    if math.isnan(result.pvalue) or result.pvalue > least_of_resamples:
        return result.pvalue
    mean_square = float(np.mean(np.square(result.null_distribution)))
    bound = 2 * math.exp(-(result.statistic**2) / (2 * mean_square))
    return max(least_pvalue(n_units), min(least_of_resamples, bound))


def least_pvalue(n_units: int) -> float:
    """Return the least p that so many units can have: of their 2ⁿ permutations, two are as large as any."""
    # Not 0, however many there are.
    return 2.0 ** -min(n_units - 1, 1000)


def all_pairs_test(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Pairs,
    test: TestKind,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, FamilyResult]:
    """Return p of pairs of systems for each score: alone, and adjusted for all of them by the step-down maximum.

    Pairs with a score that is NaN have no p, and are not adjusted for. Where units are so few that they can be
    exchanged in no more ways than there are resamples, p of the permutation test is exact.
    """
    scores = _scores_of_each(metric, systems)
    return strata_test([Stratum(metric, systems, 1.0, seed)], scores, pairs, test, n_resamples=n_resamples)


def _scores_of_each(metric: Formula, systems: Sequence[SegmentStats]) -> Scores:
    """Return each score of all systems."""
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    return {name: np.array([float(of_system[name]) for of_system in observed]) for name in observed[0]}


class Stratum(NamedTuple):
    """A set of units that is resampled by itself."""

    metric: Formula
    #: The rows of each system.
    systems: Sequence[SegmentStats]
    #: By which its scores count in those over all strata.
    weight: float
    seed: int

    @property
    def n_units(self) -> int:
        """How many units it has, of each system."""
        return len(self.systems[0])


def strata_test(
    strata: Sequence[Stratum], scores: Scores, pairs: Pairs, test: TestKind, *, n_resamples: int
) -> dict[str, FamilyResult]:
    """Return p of pairs of systems, as :func:`all_pairs_test` does, of weighted sums of the scores in strata.

    `scores` are these sums: of each score, the numbers of all systems.
    """
    null = null_distribution_of_strata(strata, pairs, test, n_resamples=n_resamples)
    firsts, seconds = np.array(pairs, np.int64).reshape(-1, 2).T
    first_scores = {name: system_scores[firsts] for name, system_scores in scores.items()}
    second_scores = {name: system_scores[seconds] for name, system_scores in scores.items()}
    n_units = sum(stratum.n_units for stratum in strata)
    results = family_test(null, first_scores, second_scores, centred=test.is_centred, slack=rounding(n_units))
    if n_units == 1:
        return _without_test(results)
    return results


def _without_test(results: dict[str, FamilyResult]) -> dict[str, FamilyResult]:
    """Return p of 1 for each comparison that has one: of a single unit all resamples are equal."""
    without_test = {}
    for name, result in results.items():
        without_test[name] = FamilyResult(
            pvalues=np.where(np.isnan(result.pvalues), result.pvalues, 1.0),
            adjusted=np.where(np.isnan(result.adjusted), result.adjusted, 1.0),
        )
    return without_test


def null_distribution_of_strata(
    strata: Sequence[Stratum], pairs: Pairs, test: TestKind, *, n_resamples: int
) -> NullDistribution:
    """Return the differences of pairs of systems under the null hypothesis: weighted sums of those of strata."""
    resamples = test.resamples(sum(stratum.n_units for stratum in strata), n_resamples)
    differences_of_strata = []
    if resamples.are_all:
        differences_of_strata = _all_exchanges(strata, resamples.number)
    else:
        for stratum in strata:
            differences_of_strata.append(
                null_differences(test, stratum.metric, stratum.systems, n_resamples=n_resamples, seed=stratum.seed)
            )

    def differences(some_pairs: Pairs, some_resamples: slice) -> Scores:
        total: dict[str, NDArray[np.float64]] = {}
        for stratum, differences_of_stratum in zip(strata, differences_of_strata, strict=True):
            for name, of_score in differences_of_stratum(some_pairs, some_resamples).items():
                part = of_score
                if stratum.weight != 1:
                    part = stratum.weight * of_score
                total[name] = total[name] + part if name in total else part
        return total

    return NullDistribution(pairs, resamples.number, differences, is_complete=resamples.are_all)


def _all_exchanges(strata: Sequence[Stratum], n_all: int) -> list[NullDifferences]:
    """Return the differences in each stratum when the units of all strata are exchanged in every way."""
    n_units = sum(stratum.n_units for stratum in strata)
    differences = []
    start = 0
    for stratum in strata:
        check_alike_systems(stratum.systems)
        stratum.metric.check_call(resampled=True)
        masks = _masks_of_units(all_masks(n_units), slice(start, start + stratum.n_units))
        differences.append(exchanged_differences(stratum.metric, stratum.systems, masks, n_all))
        start += stratum.n_units
    return differences


def _masks_of_units(masks: Iterable[NDArray[np.float64]], units: slice) -> Iterator[NDArray[np.float64]]:
    """Yield the masks of some units."""
    for mask in masks:
        yield np.ascontiguousarray(mask[:, units])
