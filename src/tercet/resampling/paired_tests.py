"""Whether two systems differ on the same texts.

Everything is computed from the rows of statistics: no text is tokenized twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.core.scorer import Scorer, Scores
from tercet.core.stats import SegmentStats
from tercet.display.progress import bar_of
from tercet.errors import InputError, MergeError

from .bootstrap import ROUNDING, bootstrap_scores, named_scores
from .draws import shuffle_masks
from .resampled import side_by_side

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class PairedTestResult:
    """What a paired test says of two systems on the same texts.

    Attributes
    ----------
    statistic : float
        Score of the second system less that of the first.
    pvalue : float
        How often chance alone would give a difference of this size, from 1 / (n_resamples + 1) to 1; two-sided.
    null_distribution : ndarray, shape (n_resamples,)
        The sizes of differences that chance gave.
    """

    statistic: float
    pvalue: float
    null_distribution: NDArray[np.float64]


def paired_bootstrap_test(
    scorer: Scorer,
    systems: Sequence[SegmentStats],
    pairs: Pairs = ((0, 1),),
    *,
    n_resamples: int = 1000,
    seed: int = 12345,
) -> Iterator[dict[str, PairedTestResult]]:
    """Test pairs of systems by scoring them on the same resampled segments (Koehn 2004).

    The statistic is that of sacrebleu's ``--paired-bs`` and of Moses: by how much the size of the resampled
    difference exceeds its mean. For clear differences that is one tail only, so p comes out at about half of that of
    :func:`paired_permutation_test`, which is the better choice where p is reported.

    Parameters
    ----------
    scorer : Scorer
    systems : sequence of SegmentStats
        Rows of the same n segments.
    pairs : sequence of (int, int)
        Which systems to test against each other.
    n_resamples, seed : int

    Returns
    -------
    iterator of dict of str to PairedTestResult
        For each pair, each score. Systems are resampled once, before the first pair is asked for.

    Raises
    ------
    MergeError
        When the rows were made with different options.
    InputError
        When the systems have different numbers of segments.
    OptionError
        For a score that cannot be resampled.
    """
    _check_alike(systems)
    resampled = bootstrap_scores(scorer, systems, n_resamples, seed)

    def null(first: int, second: int) -> Scores:
        sizes = {name: np.abs(scores - resampled[first][name]) for name, scores in resampled[second].items()}
        return {name: size - size.mean() for name, size in sizes.items()}

    return _test(scorer, systems, pairs, null)


def paired_permutation_test(
    scorer: Scorer,
    systems: Sequence[SegmentStats],
    pairs: Pairs = ((0, 1),),
    *,
    n_resamples: int = 10_000,
    seed: int = 12345,
) -> Iterator[dict[str, PairedTestResult]]:
    """Test pairs of systems by exchanging their outputs segment by segment (approximate randomization).

    The tosses and p are those of sacrebleu's ``--paired-ar``, but for ties: a difference of the observed size counts
    here, so that a system tested against itself has p = 1.

    Parameters, results and errors are those of :func:`paired_bootstrap_test`.

    Notes
    -----
    Source: Noreen 1989; Riezler and Maxwell 2005. Time: resamples times segments times columns, for each system;
    memory: resamples times columns, for each system.
    """
    _check_alike(systems)
    scorer.check_resampling()
    chosen = [np.empty((n_resamples, len(stats.columns)), order="F") for stats in systems]  # scored by columns
    tables, start = side_by_side([stats.rows for stats in systems]), 0
    with bar_of("resampling", "resample", n_resamples) as bar:
        for mask in shuffle_masks(len(systems[0]), n_resamples, seed):
            for which, table in tables:
                sums = np.split(mask @ table, len(systems[which]), axis=1)
                for each, own in zip(chosen[which], sums, strict=True):
                    each[start : start + len(mask)] = own
            start += len(mask)
            if bar is not None:
                bar.update(len(mask))
    totals = [stats.total() for stats in systems]

    def null(first: int, second: int) -> Scores:
        one, other = (named_scores(scorer, exchanged(*pair)) for pair in ((first, second), (second, first)))
        return {name: np.abs(scores - other[name]) for name, scores in one.items()}

    def exchanged(own: int, other: int) -> NDArray[np.float64]:
        rest = totals[other] - chosen[other]
        rest += chosen[own]  # in place: there may be tens of thousands of pairs
        return rest

    return _test(scorer, systems, pairs, null)


def _test(
    scorer: Scorer, systems: Sequence[SegmentStats], pairs: Pairs, null: Callable[[int, int], Scores]
) -> Iterator[dict[str, PairedTestResult]]:
    observed = [named_scores(scorer, scorer.corpus_totals(stats)) for stats in systems]
    for first, second in pairs:
        result = {}
        for name, distribution in null(first, second).items():
            one, other = float(observed[first][name]), float(observed[second][name])
            slack = ROUNDING * max(abs(one), abs(other))
            count = int((distribution >= abs(other - one) - slack).sum())
            if np.ptp(distribution) <= slack:  # resamples that are all alike, as of one segment, tell nothing
                count = len(distribution)
            result[name] = PairedTestResult(other - one, (count + 1) / (len(distribution) + 1), distribution)
        yield result


def _check_alike(systems: Sequence[SegmentStats]) -> None:
    for other in systems[1:]:
        if other.signature != systems[0].signature:
            raise MergeError(f"Systems must be scored alike, got {systems[0].signature} and {other.signature}.")
        if len(other) != len(systems[0]):
            raise InputError(f"Systems must have the same segments, got {len(systems[0])} and {len(other)}.")


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979): those below a level hold together at that level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    adjusted = [0.0] * len(pvalues)
    greatest = 0.0
    for rank, index in enumerate(order):
        greatest = max(greatest, min(1.0, (len(pvalues) - rank) * pvalues[index]))
        adjusted[index] = greatest
    return adjusted
