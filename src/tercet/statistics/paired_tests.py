"""Paired tests of two systems on the same texts, from their rows alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .adjusted_p import FamilyResult, NullDistribution, family_test
from .draws import all_masks, n_exchanges
from .kinds_of_tests import BOOTSTRAP, PERMUTATION, TestKind
from .null_differences import (
    NullDifferences,
    Pair,
    Pairs,
    check_alike_systems,
    exchanged_differences,
    null_differences,
)
from .rounding import rounding

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats

_ALL_RESAMPLES = slice(None)


@dataclass(frozen=True, slots=True, eq=False)
class PairedTestResult:
    """The result of a paired test."""

    statistic: float  # score of the second system minus that of the first
    pvalue: float  # two-sided, from 1 / (n_resamples + 1) to 1
    null_distribution: NDArray[np.float64]  # the absolute differences under the null hypothesis


def paired_bootstrap_test(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Pairs = ((0, 1),),
    *,
    n_resamples: int = 1000,
    seed: int = 12345,
) -> Iterator[dict[str, PairedTestResult]]:
    """Yield, for pairs of systems, the test of each score on the same resampled segments (Koehn 2004).

    The statistic is that of sacrebleu's ``--paired-bs`` and of Moses: by how much the size of the resampled
    difference exceeds its mean. For clear differences that is one tail only, so p comes out at about half of that of
    :func:`paired_permutation_test`, which is the better choice where p is reported. Systems are resampled once,
    before the first pair is asked for.
    """
    return _test_pairs(metric, systems, pairs, BOOTSTRAP, n_resamples=n_resamples, seed=seed)


def paired_permutation_test(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Pairs = ((0, 1),),
    *,
    n_resamples: int = 10_000,
    seed: int = 12345,
) -> Iterator[dict[str, PairedTestResult]]:
    """Yield, for pairs of systems, the test that exchanges their outputs segment by segment (Noreen 1989).

    The tosses and p are those of sacrebleu's ``--paired-ar``, but for ties: a difference of the observed size counts
    here, so that a system tested against itself has p = 1. Time: resamples times segments times columns, for each
    system; memory: resamples times columns, for each system.
    """
    return _test_pairs(metric, systems, pairs, PERMUTATION, n_resamples=n_resamples, seed=seed)


def _test_pairs(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, test: TestKind, *, n_resamples: int, seed: int
) -> Iterator[dict[str, PairedTestResult]]:
    """Return the results of pairs of systems, which are resampled here, before the first pair is asked for."""
    differences = null_differences(test, metric, systems, n_resamples=n_resamples, seed=seed)
    return _results_of_pairs(metric, systems, pairs, differences, is_centred=test.is_centred)


def _results_of_pairs(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Iterable[Pair],
    differences: NullDifferences,
    *,
    is_centred: bool,
) -> Iterator[dict[str, PairedTestResult]]:
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    for pair in pairs:
        first, second = pair
        result = {}
        for name, differences_of_score in differences([pair], _ALL_RESAMPLES).items():
            (differences_of_pair,) = differences_of_score
            distribution = np.abs(differences_of_pair)
            if is_centred:
                distribution -= distribution.mean()
            first_score = float(observed[first][name])
            second_score = float(observed[second][name])
            # a difference that is smaller by rounding alone counts as one of the observed size
            slack = rounding(len(systems[0])) * max(abs(first_score), abs(second_score))
            difference = second_score - first_score
            pvalue = pvalue_of(distribution, abs(difference), slack, n_units=len(systems[0]))
            result[name] = PairedTestResult(statistic=difference, pvalue=pvalue, null_distribution=distribution)
        yield result


def pvalue_of(null_distribution: NDArray[np.float64], size: float, slack: float, n_units: int) -> float:
    """Return the share of null differences that are at least of a size, less the slack; NaN of one that is NaN."""
    if math.isnan(size):
        return math.nan
    n_as_large = int((null_distribution >= size - slack).sum())
    if n_units == 1:  # no test, as all resamples are equal
        n_as_large = len(null_distribution)
    # the observed arrangement is one of those under the null hypothesis: p is never 0
    return (n_as_large + 1) / (len(null_distribution) + 1)


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
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    scores = {name: np.array([float(of_system[name]) for of_system in observed]) for name in observed[0]}
    return strata_test([Stratum(metric, systems, 1.0, seed)], scores, pairs, test, n_resamples=n_resamples)


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
    if n_units > 1:
        return results
    # No test, as all resamples are equal.
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
    n_all = None
    if test.exchanges:
        n_all = n_exchanges(sum(stratum.n_units for stratum in strata), n_resamples)
    differences_of_strata = []
    if n_all is None:
        for stratum in strata:
            differences_of_strata.append(
                null_differences(test, stratum.metric, stratum.systems, n_resamples=n_resamples, seed=stratum.seed)
            )
    else:
        differences_of_strata = _all_exchanges(strata, n_all)

    def differences(some_pairs: Pairs, resamples: slice) -> Scores:
        total: dict[str, NDArray[np.float64]] = {}
        for stratum, differences_of_stratum in zip(strata, differences_of_strata, strict=True):
            for name, of_score in differences_of_stratum(some_pairs, resamples).items():
                part = of_score
                if stratum.weight != 1:
                    part = stratum.weight * of_score
                total[name] = total[name] + part if name in total else part
        return total

    return NullDistribution(pairs, n_all or n_resamples, differences, is_complete=n_all is not None)


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
