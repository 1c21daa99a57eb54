"""Paired tests of two systems on the same texts, from their rows alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.errors import InputError, MergeError

from .draws import all_masks, n_exchanges, shuffle_masks
from .families import FamilyResult, NullDistribution, family_test
from .progress import count_on_bar
from .resampled_scores import bootstrap_scores
from .rounding import rounding
from .side_by_side import shared_columns, side_by_side

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats

Pair = tuple[int, int]
Pairs = Sequence[Pair]

#: Each score's differences of pairs of systems, second less first, in a slice of the resamples of a null hypothesis:
#: shape (pairs, b).
NullDifferences = Callable[[Pairs, slice], "Scores"]

_ALL_RESAMPLES = slice(None)
#: Most sums of either side that are made scores together: they stay in the processor's cache.
_MOST_SUMS = 1 << 12


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
    return _test_pairs(metric, systems, pairs, "bootstrap", n_resamples=n_resamples, seed=seed)


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
    return _test_pairs(metric, systems, pairs, "permutation", n_resamples=n_resamples, seed=seed)


def bootstrap_differences(
    metric: Formula, systems: Sequence[SegmentStats], *, n_resamples: int, seed: int
) -> NullDifferences:
    """Return the differences of pairs of systems on the same resampled segments; systems are resampled here."""
    _check_alike(systems)
    scores_of_systems = bootstrap_scores(metric, systems, n_resamples, seed)

    def differences(pairs: Pairs, resamples: slice) -> Scores:
        by_score: dict[str, NDArray[np.float64]] = {}
        for name in scores_of_systems[0]:
            of_pairs = []
            for first, second in pairs:
                first_scores = scores_of_systems[first][name][resamples]
                of_pairs.append(scores_of_systems[second][name][resamples] - first_scores)
            by_score[name] = np.array(of_pairs)
        return by_score

    return differences


def permutation_differences(
    metric: Formula, systems: Sequence[SegmentStats], *, n_resamples: int, seed: int
) -> NullDifferences:
    """Return the differences of pairs of systems when outputs are exchanged at random, alike for each pair."""
    _check_alike(systems)
    metric.check_call(resampled=True)
    masks = shuffle_masks(len(systems[0]), n_resamples, seed)
    return exchanged_differences(
        metric, systems, count_on_bar(masks, "resampling", "resamples", n_resamples), n_resamples
    )


def exchanged_differences(
    metric: Formula, systems: Sequence[SegmentStats], masks: Iterable[NDArray[np.float64]], n_resamples: int
) -> NullDifferences:
    """Return the differences of pairs of systems when the outputs are exchanged where a mask is 1.

    Outputs are exchanged here: the sums of the segments to exchange are those of all pairs. `masks` are chunks of
    shape (b, n).
    """
    totals = np.array([stats.total() for stats in systems])
    # columns of the references alone are the same for both systems, so exchanging changes nothing
    varying = np.flatnonzero(~shared_columns([stats.rows for stats in systems]))
    # by system and column
    exchanged_sums = np.empty((len(systems), len(varying), n_resamples))
    tables = side_by_side([np.ascontiguousarray(stats.rows[:, varying]) for stats in systems])
    start = 0
    for mask in masks:
        for members, table in tables:
            n_members = exchanged_sums[members].shape[0]
            sums = (mask @ table).reshape(len(mask), n_members, len(varying))
            exchanged_sums[members, :, start : start + len(mask)] = sums.transpose(1, 2, 0)
        start += len(mask)

    def differences(pairs: Pairs, resamples: slice) -> Scores:
        first_resample, end, _ = resamples.indices(n_resamples)
        size = end - first_resample
        numbers = np.array(pairs, np.int64).reshape(-1, 2)
        n_together = max(1, _MOST_SUMS // max(1, size))
        # By column and side; columns that do not vary have the sums of all segments.
        sums = np.empty((totals.shape[1], 2, 0))
        by_score: dict[str, NDArray[np.float64]] = {}
        for start in range(0, len(numbers), n_together):
            some_pairs = numbers[start : start + n_together]
            n_sums = len(some_pairs) * size
            if sums.shape[2] != n_sums:
                sums = np.empty((totals.shape[1], 2, n_sums))
                sums[:] = totals[0][:, None, None]
            engine.exchange(sums, totals, exchanged_sums, varying, some_pairs, first_resample, end)
            for name, scores in metric.finalize(sums.reshape(len(sums), -1).T).items():
                if name not in by_score:
                    by_score[name] = np.empty((len(numbers), size))
                to = by_score[name][start : start + len(some_pairs)].reshape(-1)
                np.subtract(scores[n_sums:], scores[:n_sums], out=to)
        return by_score

    return differences


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


class Resampling(NamedTuple):
    """How a test resamples differences under its null hypothesis."""

    differences: Callable[..., NullDifferences]
    #: Whether the size of a null difference is by how much it exceeds the mean of all, as in Koehn's test.
    centred: bool

    def sizes(self, null_differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sizes that observed ones are compared with."""
        sizes: NDArray[np.float64] = np.abs(null_differences)
        if self.centred:
            sizes -= sizes.mean()
        return sizes


#: By the name of the test.
RESAMPLINGS = {
    "permutation": Resampling(permutation_differences, centred=False),
    "bootstrap": Resampling(bootstrap_differences, centred=True),
}


def all_pairs_test(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, test: str, *, n_resamples: int, seed: int
) -> dict[str, FamilyResult]:
    """Return p of pairs of systems for each score: alone, and adjusted for all of them by the step-down maximum.

    Pairs with a score that is NaN have no p, and are not adjusted for. Where units are so few that they can be
    exchanged in no more ways than there are resamples, p of the permutation test is exact.
    """
    null = null_distribution_of_strata([Stratum(metric, systems, 1.0, seed)], pairs, test, n_resamples=n_resamples)
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    scores = {name: np.array([float(of_system[name]) for of_system in observed]) for name in observed[0]}
    return pvalues_of_pairs(null, test, scores, len(systems[0]))


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


def null_distribution_of_strata(
    strata: Sequence[Stratum], pairs: Pairs, test: str, *, n_resamples: int
) -> NullDistribution:
    """Return the differences of pairs of systems under the null hypothesis: weighted sums of those of strata."""
    n_all = None
    if test == "permutation":
        n_all = n_exchanges(sum(stratum.n_units for stratum in strata), n_resamples)
    differences_of_strata = []
    if n_all is None:
        resampling = RESAMPLINGS[test]
        for stratum in strata:
            differences_of_strata.append(
                resampling.differences(stratum.metric, stratum.systems, n_resamples=n_resamples, seed=stratum.seed)
            )
    else:
        differences_of_strata = _all_exchanges(strata, n_all)

    def differences(some_pairs: Pairs, resamples: slice) -> Scores:
        total: dict[str, NDArray[np.float64]] = {}
        for stratum, differences_of_stratum in zip(strata, differences_of_strata, strict=True):
            for name, null_differences in differences_of_stratum(some_pairs, resamples).items():
                part = null_differences
                if stratum.weight != 1:
                    part = stratum.weight * null_differences
                total[name] = total[name] + part if name in total else part
        return total

    return NullDistribution(pairs, n_all or n_resamples, differences, is_complete=n_all is not None)


def _all_exchanges(strata: Sequence[Stratum], n_all: int) -> list[NullDifferences]:
    """Return the differences in each stratum when the units of all strata are exchanged in every way."""
    n_units = sum(stratum.n_units for stratum in strata)
    differences = []
    start = 0
    for stratum in strata:
        _check_alike(stratum.systems)
        stratum.metric.check_call(resampled=True)
        masks = _masks_of_units(all_masks(n_units), slice(start, start + stratum.n_units))
        differences.append(exchanged_differences(stratum.metric, stratum.systems, masks, n_all))
        start += stratum.n_units
    return differences


def _masks_of_units(masks: Iterable[NDArray[np.float64]], units: slice) -> Iterator[NDArray[np.float64]]:
    for mask in masks:
        yield np.ascontiguousarray(mask[:, units])


def pvalues_of_pairs(null: NullDistribution, test: str, scores: Scores, n_units: int) -> dict[str, FamilyResult]:
    """Return p of pairs of systems from their null distribution, and the scores of the systems."""
    firsts, seconds = np.array(null.comparisons, np.int64).reshape(-1, 2).T
    first_scores = {name: system_scores[firsts] for name, system_scores in scores.items()}
    second_scores = {name: system_scores[seconds] for name, system_scores in scores.items()}
    results = family_test(
        null, first_scores, second_scores, centred=RESAMPLINGS[test].centred, slack=rounding(n_units)
    )
    if n_units > 1:
        return results
    # No test, as all resamples are equal.
    untested = {}
    for name, result in results.items():
        untested[name] = FamilyResult(
            pvalues=np.where(np.isnan(result.pvalues), result.pvalues, 1.0),
            adjusted=np.where(np.isnan(result.adjusted), result.adjusted, 1.0),
        )
    return untested


def _test_pairs(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, test: str, *, n_resamples: int, seed: int
) -> Iterator[dict[str, PairedTestResult]]:
    # Systems are resampled here, before the first pair is asked for.
    resampling = RESAMPLINGS[test]
    differences = resampling.differences(metric, systems, n_resamples=n_resamples, seed=seed)
    return _results_of_pairs(metric, systems, pairs, differences, resampling)


def _results_of_pairs(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Iterable[Pair],
    differences: NullDifferences,
    resampling: Resampling,
) -> Iterator[dict[str, PairedTestResult]]:
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    for pair in pairs:
        first, second = pair
        result = {}
        for name, differences_of_score in differences([pair], _ALL_RESAMPLES).items():
            (null_differences,) = differences_of_score
            distribution = resampling.sizes(null_differences)
            first_score = float(observed[first][name])
            second_score = float(observed[second][name])
            # a difference that is smaller by rounding alone counts as one of the observed size
            slack = rounding(len(systems[0])) * max(abs(first_score), abs(second_score))
            difference = second_score - first_score
            pvalue = pvalue_of(distribution, abs(difference), slack, n_units=len(systems[0]))
            result[name] = PairedTestResult(statistic=difference, pvalue=pvalue, null_distribution=distribution)
        yield result


def _check_alike(systems: Sequence[SegmentStats]) -> None:
    first_system, *further_systems = systems
    for stats in further_systems:
        if stats.signature != first_system.signature:
            raise MergeError(f"Systems must be scored alike, got {first_system.signature} and {stats.signature}.")
        if len(stats) != len(first_system):
            raise InputError(f"Systems must have the same segments, got {len(first_system)} and {len(stats)}.")
