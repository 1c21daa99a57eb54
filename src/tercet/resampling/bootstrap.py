"""How far a score would move on another sample of the same kind of texts.

Everything is computed from the rows of statistics: no text is tokenized twice. Names are those of ``scipy.stats``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.core.scorer import Scorer, Scores
from tercet.core.stats import SegmentStats
from tercet.errors import OptionError, shorten

from .resampled import resampled_totals

_NORMAL = NormalDist()
ROUNDING = 1e-12  # what differs by less, relative to the score, is equal


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


def bootstrap_scores(scorer: Scorer, systems: Sequence[SegmentStats], n_resamples: int, seed: int) -> list[Scores]:
    """Return the scores of `n_resamples` corpora drawn from the segments with replacement.

    Parameters
    ----------
    scorer : Scorer
    systems : sequence of SegmentStats
        Rows of the same n segments; the same are drawn for each system.
    n_resamples : int
        How many corpora.
    seed : int
        The same seed gives the same scores.

    Returns
    -------
    list of dict of str to ndarray, shape (n_resamples,)
    """
    scorer.check_resampling()
    totals = resampled_totals([stats.rows for stats in systems], n_resamples, seed)
    return [named_scores(scorer, each) for each in totals]


def named_scores(scorer: Scorer, totals: NDArray[np.float64]) -> Scores:
    """Return what `finalize` gives without its parts that are no scores."""
    scores = scorer.finalize(totals)
    return {name: scores[name] for name in scorer.score_names}


def bootstrap(
    scorer: Scorer,
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
    >>> from tercet.api import make_scorer
    >>> from tercet.scoring import segment_stats
    >>> scorer = make_scorer("rouge_nlws", {"rouge_types": ["rouge1"]})
    >>> stats = segment_stats(scorer, ["a b", "a c", "x"], ["a b", "a b", "a b"])
    >>> low, high = bootstrap(scorer, stats)["rouge1"].confidence_interval
    >>> round(low, 2), round(high, 2)
    (0.0, 1.0)
    """
    [result] = bootstraps(
        scorer, [stats], n_resamples=n_resamples, confidence_level=confidence_level, method=method, seed=seed
    )
    return result


def bootstraps(
    scorer: Scorer,
    systems: Sequence[SegmentStats],
    *,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    method: str = "percentile",
    seed: int = 12345,
) -> list[dict[str, BootstrapResult]]:
    """Return what :func:`bootstrap` gives of each system, from rows of the same n segments, which are drawn once."""
    if method not in ("percentile", "BCa"):
        raise OptionError(f"The method must be 'percentile' or 'BCa'. Got {shorten(method)} instead.")
    if n_resamples < 1 or seed < 0 or not 0 < confidence_level < 1:
        raise OptionError(
            "There must be at least one resample, a seed that is not negative, and a confidence level between 0 and "
            f"1. Got {n_resamples}, {seed} and {confidence_level} instead."
        )
    tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    resampled = bootstrap_scores(scorer, systems, n_resamples, seed)
    return [_of_system(scorer, *each, tails, method) for each in zip(systems, resampled, strict=True)]


def _of_system(
    scorer: Scorer, stats: SegmentStats, resampled: Scores, tails: NDArray[np.float64], method: str
) -> dict[str, BootstrapResult]:
    results = {}
    jackknife = named_scores(scorer, stats.total() - stats.rows) if method == "BCa" else {}
    observed = {name: float(value) for name, value in named_scores(scorer, scorer.corpus_totals(stats)).items()}
    for name, distribution in resampled.items():
        levels = tails
        if method == "BCa":
            levels = _bca_levels(tails, distribution, observed[name], jackknife[name])
        bounds = np.quantile(distribution, levels)
        bounds[np.abs(bounds - observed[name]) <= ROUNDING * abs(observed[name])] = observed[name]
        low, high = bounds.tolist()
        error = float(np.std(distribution, ddof=1)) if len(distribution) > 1 else 0.0
        results[name] = BootstrapResult(ConfidenceInterval(low, high), distribution, error)
    return results


def _bca_levels(
    tails: NDArray[np.float64],
    distribution: NDArray[np.float64],
    observed: float,
    jackknife: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the quantiles to take instead of the tails (Efron and Tibshirani 1993, equations 14.10 to 14.15)."""
    slack = ROUNDING * abs(observed)
    below = ((distribution < observed - slack).mean() + (distribution <= observed + slack).mean()) / 2
    differences = jackknife.mean() - jackknife
    spread = 6 * (differences**2).sum() ** 1.5
    if not 0 < below < 1 or spread == 0:  # all resamples on one side, or all alike: nothing to correct by
        return tails
    bias, acceleration = _NORMAL.inv_cdf(float(below)), float((differences**3).sum() / spread)
    shifted = [bias + _NORMAL.inv_cdf(tail) for tail in tails.tolist()]
    return np.array([_NORMAL.cdf(bias + each / (1 - acceleration * each)) for each in shifted])
