"""Paired tests of two systems on the same texts, from their rows alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, MergeError

from .bootstrap import ROUNDING, bootstrap_scores, shared_columns, shuffle_masks, side_by_side
from .progress import counted

if TYPE_CHECKING:
    from .stats import Formula, Scores, SegmentStats

Pairs = Sequence[tuple[int, int]]


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
    return _test(metric, systems, pairs, "bootstrap", n_resamples=n_resamples, seed=seed)


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
    return _test(metric, systems, pairs, "permutation", n_resamples=n_resamples, seed=seed)


def resampled_differences(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, *, n_resamples: int, seed: int
) -> Iterator[Scores]:
    """Yield, for pairs of systems, each score's differences, second less first, on the same resampled segments.

    Systems are resampled once, before the first pair is asked for.
    """
    _check_alike(systems)
    resampled = bootstrap_scores(metric, systems, n_resamples, seed)

    def differences(first: int, second: int) -> Scores:
        return {name: scores - resampled[first][name] for name, scores in resampled[second].items()}

    return starmap(differences, pairs)


def permuted_differences(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, *, n_resamples: int, seed: int
) -> Iterator[Scores]:
    """Yield, for pairs of systems, each score's differences, second less first, when outputs are exchanged.

    Outputs are exchanged once, before the first pair is asked for; the tosses are the same for each pair.
    """
    _check_alike(systems)
    metric.check_call(resampled=True)
    totals = [stats.total() for stats in systems]
    # columns of the references alone are the same for both systems, so exchanging changes nothing
    varying = np.flatnonzero(~shared_columns([stats.rows for stats in systems])).tolist()
    # the sums of the segments to exchange, of each system; in Fortran's order, as they are read by columns
    tossed = [np.empty((n_resamples, len(varying)), order="F") for _ in systems]
    tables = side_by_side([np.ascontiguousarray(stats.rows[:, varying]) for stats in systems])
    masks = shuffle_masks(len(systems[0]), n_resamples, seed)
    start = 0
    for mask in counted(masks, "resampling", "resamples", n_resamples):
        for members, table in tables:
            sums = np.split(mask @ table, len(systems[members]), axis=1)
            for tossed_sums, system_sums in zip(tossed[members], sums, strict=True):
                tossed_sums[start : start + len(mask)] = system_sums
        start += len(mask)
    # one table for each side, written anew for each pair: columns that do not vary stay as they are
    exchanged = [np.full((n_resamples, len(totals[0])), totals[0], order="F") for _ in range(2)]

    def differences(first: int, second: int) -> Scores:
        for place, column in enumerate(varying):  # one by one, as columns stay in the processor's cache
            of_first, of_second = tossed[first][:, place], tossed[second][:, place]
            for sums, system, lost, gained in (
                (exchanged[0], second, of_second, of_first),
                (exchanged[1], first, of_first, of_second),
            ):
                np.subtract(totals[system][column], lost, out=sums[:, column])
                sums[:, column] += gained
        second_scores, first_scores = map(metric.finalize, exchanged)
        return {name: scores - first_scores[name] for name, scores in second_scores.items()}

    return starmap(differences, pairs)


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), which controls the family-wise error rate."""
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    adjusted, greatest = [0.0] * len(pvalues), 0.0
    for rank, index in enumerate(order):
        greatest = max(greatest, min(1.0, (len(pvalues) - rank) * pvalues[index]))
        adjusted[index] = greatest
    return adjusted


def adjusted(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p of each pair of systems, shape (s, s), adjusted for their number by :func:`holm`; NaN is no test."""
    is_known = np.triu(~np.isnan(pvalues), 1)
    adjusted_pvalues = np.where(np.isnan(pvalues), np.nan, 1.0)
    # Each pair counts once: only the upper triangle is adjusted, and then mirrored.
    adjusted_pvalues[is_known] = holm(pvalues[is_known].tolist())
    return np.minimum(adjusted_pvalues, adjusted_pvalues.T)


def pvalue_of(null_distribution: NDArray[np.float64], size: float, slack: float, n_units: int) -> float:
    """Return the share of differences under the null hypothesis that are at least of a size, less the slack."""
    count = int((null_distribution >= size - slack).sum())
    if n_units == 1:  # no test, as all resamples are equal
        count = len(null_distribution)
    # the observed arrangement is one of those under the null hypothesis: p is never 0
    return (count + 1) / (len(null_distribution) + 1)


class Null(NamedTuple):
    """The null hypothesis of a test: differences of resamples, and the sizes that observed ones are compared with."""

    differences: Callable[..., Iterator[Scores]]
    sizes: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _above_mean(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    sizes = np.abs(differences)
    above: NDArray[np.float64] = sizes - sizes.mean()
    return above


NULLS = {
    "permutation": Null(permuted_differences, np.abs),
    "bootstrap": Null(resampled_differences, _above_mean),
}


def _test(
    metric: Formula, systems: Sequence[SegmentStats], pairs: Pairs, test: str, *, n_resamples: int, seed: int
) -> Iterator[dict[str, PairedTestResult]]:
    # Systems are resampled here, before the first pair is asked for.
    nulls = NULLS[test].differences(metric, systems, pairs, n_resamples=n_resamples, seed=seed)
    return _results(metric, systems, pairs, nulls, NULLS[test].sizes)


def _results(
    metric: Formula,
    systems: Sequence[SegmentStats],
    pairs: Pairs,
    nulls: Iterable[Scores],
    sizes: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Iterator[dict[str, PairedTestResult]]:
    observed = [metric.finalize(metric.corpus_totals(stats)) for stats in systems]
    for (first, second), null in zip(pairs, nulls, strict=True):
        result = {}
        for name, differences in null.items():
            distribution = sizes(differences)
            first_score, second_score = float(observed[first][name]), float(observed[second][name])
            # a difference that is smaller by rounding alone counts as one of the observed size
            slack = ROUNDING * max(abs(first_score), abs(second_score))
            pvalue = pvalue_of(distribution, abs(second_score - first_score), slack, len(systems[0]))
            result[name] = PairedTestResult(second_score - first_score, pvalue, distribution)
        yield result


def _check_alike(systems: Sequence[SegmentStats]) -> None:
    first, *further = systems
    for stats in further:
        if stats.signature != first.signature:
            raise MergeError(f"Systems must be scored alike, got {first.signature} and {stats.signature}.")
        if len(stats) != len(first):
            raise InputError(f"Systems must have the same segments, got {len(first)} and {len(stats)}.")


#: The tests by their names.
TESTS: dict[str, Callable[..., Iterator[dict[str, PairedTestResult]]]] = {
    "permutation": paired_permutation_test,
    "bootstrap": paired_bootstrap_test,
}
