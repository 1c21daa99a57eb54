"""How far a score would move on another sample of the same kind of texts, and whether two systems differ.

Everything is computed from the rows of statistics: no text is tokenized twice. Names are those of ``scipy.stats``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.core.scorer import Scorer, Scores
from tercet.core.stats import SegmentStats
from tercet.errors import InputError, MergeError, OptionError, shorten

from .draws import bootstrap_weights, shuffle_masks

_NORMAL = NormalDist()
_ROUNDING = 1e-12  # what differs by less, relative to the score, is equal


class ConfidenceInterval(NamedTuple):
    """Bounds of a score."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult:
    """What a bootstrap says of a score.

    Attributes
    ----------
    confidence_interval : (low, high)
    bootstrap_distribution : ndarray, shape (n_resamples,)
    standard_error : float
        Standard deviation of the distribution.
    """

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: NDArray[np.float64]
    standard_error: float


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


def bootstrap_scores(scorer: Scorer[Any], stats: SegmentStats, n_resamples: int, seed: int) -> Scores:
    """Return the scores of `n_resamples` corpora drawn from the segments with replacement.

    Parameters
    ----------
    scorer : Scorer
    stats : SegmentStats
        Rows of n segments.
    n_resamples : int
        How many corpora.
    seed : int
        The same seed gives the same scores.

    Returns
    -------
    dict of str to ndarray, shape (n_resamples,)
    """
    scorer.check_resampling()
    totals = np.concatenate([stats.resample(weights) for weights in bootstrap_weights(len(stats), n_resamples, seed)])
    return _scores(scorer, totals)


def _scores(scorer: Scorer[Any], totals: NDArray[np.float64]) -> Scores:
    scores = scorer.finalize(totals)
    return {name: scores[name] for name in scorer.score_names}


def bootstrap(
    scorer: Scorer[Any],
    stats: SegmentStats,
    *,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    method: str = "percentile",
    seed: int = 12345,
) -> dict[str, BootstrapResult]:
    """Return intervals of every score by resampling the segments.

    Parameters
    ----------
    scorer : Scorer
    stats : SegmentStats
        Rows of n segments.
    n_resamples : int
    confidence_level : float
        Between 0 and 1.
    method : {"percentile", "BCa"}
        Quantiles of the resampled scores, or those corrected for bias and skewness.
    seed : int
        The same seed gives the same interval.

    Returns
    -------
    dict of str to BootstrapResult

    Raises
    ------
    OptionError
        For another method, and for a score that cannot be resampled.

    Notes
    -----
    Source: Efron and Tibshirani 1993, sections 13.3 and 14.3; equal to ``scipy.stats.bootstrap`` for the same
    resamples. Time: resamples times segments times columns.

    Examples
    --------
    >>> from tercet.api import make_scorer, segment_stats
    >>> scorer = make_scorer("rouge_nlws", {"rouge_types": ["rouge1"]})
    >>> stats = segment_stats(scorer, ["a b", "a c", "x"], ["a b", "a b", "a b"])
    >>> low, high = bootstrap(scorer, stats)["rouge1"].confidence_interval
    >>> round(low, 2), round(high, 2)
    (0.0, 1.0)
    """
    if method not in ("percentile", "BCa"):
        raise OptionError(f"The method must be 'percentile' or 'BCa'. Got {shorten(method)} instead.")
    if n_resamples < 1 or seed < 0 or not 0 < confidence_level < 1:
        raise OptionError(
            "There must be at least one resample, a seed that is not negative, and a confidence level between 0 and "
            f"1. Got {n_resamples}, {seed} and {confidence_level} instead."
        )
    tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    results = {}
    jackknife = _scores(scorer, stats.total() - stats.rows) if method == "BCa" else {}
    observed = {name: float(value) for name, value in _scores(scorer, scorer.corpus_totals(stats)).items()}
    for name, distribution in bootstrap_scores(scorer, stats, n_resamples, seed).items():
        levels = tails
        if method == "BCa":
            levels = _bca_levels(tails, distribution, observed[name], jackknife[name])
        bounds = np.quantile(distribution, levels)
        bounds[np.abs(bounds - observed[name]) <= _ROUNDING * abs(observed[name])] = observed[name]
        low, high = bounds.tolist()
        error = float(np.std(distribution, ddof=1)) if n_resamples > 1 else 0.0
        results[name] = BootstrapResult(ConfidenceInterval(low, high), distribution, error)
    return results


def _bca_levels(
    tails: NDArray[np.float64],
    distribution: NDArray[np.float64],
    observed: float,
    jackknife: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the quantiles to take instead of the tails (Efron and Tibshirani 1993, equations 14.10 to 14.15)."""
    slack = _ROUNDING * abs(observed)
    below = ((distribution < observed - slack).mean() + (distribution <= observed + slack).mean()) / 2
    differences = jackknife.mean() - jackknife
    spread = 6 * (differences**2).sum() ** 1.5
    if not 0 < below < 1 or spread == 0:  # all resamples on one side, or all alike: nothing to correct by
        return tails
    bias, acceleration = _NORMAL.inv_cdf(float(below)), float((differences**3).sum() / spread)
    shifted = [bias + _NORMAL.inv_cdf(tail) for tail in tails.tolist()]
    return np.array([_NORMAL.cdf(bias + each / (1 - acceleration * each)) for each in shifted])


Pairs = Sequence[tuple[int, int]]


def paired_bootstrap_test(
    scorer: Scorer[Any],
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
    resampled = [bootstrap_scores(scorer, stats, n_resamples, seed) for stats in systems]

    def null(first: int, second: int) -> Scores:
        sizes = {name: np.abs(scores - resampled[first][name]) for name, scores in resampled[second].items()}
        return {name: size - size.mean() for name, size in sizes.items()}

    return _test(scorer, systems, pairs, null)


def paired_permutation_test(
    scorer: Scorer[Any],
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
    start = 0
    for mask in shuffle_masks(len(systems[0]), n_resamples, seed):
        for each, stats in zip(chosen, systems, strict=True):
            each[start : start + len(mask)] = stats.resample(mask)
        start += len(mask)
    totals = [stats.total() for stats in systems]

    def null(first: int, second: int) -> Scores:
        one = _scores(scorer, chosen[first] + (totals[second] - chosen[second]))
        other = _scores(scorer, chosen[second] + (totals[first] - chosen[first]))
        return {name: np.abs(scores - other[name]) for name, scores in one.items()}

    return _test(scorer, systems, pairs, null)


def _test(
    scorer: Scorer[Any], systems: Sequence[SegmentStats], pairs: Pairs, null: Callable[[int, int], Scores]
) -> Iterator[dict[str, PairedTestResult]]:
    observed = [_scores(scorer, scorer.corpus_totals(stats)) for stats in systems]
    for first, second in pairs:
        result = {}
        for name, distribution in null(first, second).items():
            one, other = float(observed[first][name]), float(observed[second][name])
            slack = _ROUNDING * max(abs(one), abs(other))
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
