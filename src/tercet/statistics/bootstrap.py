"""Bootstrap intervals from the rows alone; names are those of scipy.stats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import OptionError, shorten

from .resampled import resampled_totals

if TYPE_CHECKING:
    from tercet.metric.scorer import Scorer, Scores

    from .stats import SegmentStats

_NORMAL = NormalDist()
ROUNDING = 1e-12  # smaller relative differences are ties


class ConfidenceInterval(NamedTuple):
    """Bounds of a score."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult:
    """Interval, scores of all resamples, shape (n_resamples,), and their standard deviation."""

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: NDArray[np.float64]
    standard_error: float


def bootstrap_scores(scorer: Scorer, systems: Sequence[SegmentStats], n_resamples: int, seed: int) -> list[Scores]:
    """Return the scores of corpora resampled with replacement, the same for each system."""
    scorer.check_resampling()
    totals = resampled_totals([stats.rows for stats in systems], n_resamples, seed)
    return [scorer.scores_of(each) for each in totals]


def bootstrap(scorer: Scorer, stats: SegmentStats, **settings: Any) -> dict[str, BootstrapResult]:
    """Return intervals of every score; settings are those of :func:`bootstraps`."""
    [result] = bootstraps(scorer, [stats], **settings)
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
    """Return intervals of every score of each system, from rows of the same n segments.

    "percentile" takes quantiles of the resampled scores, "BCa" corrects them for bias and skewness (Efron and
    Tibshirani 1993, sections 13.3 and 14.3): equal to ``scipy.stats.bootstrap`` for the same resamples.
    """
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
    jackknife = scorer.scores_of(stats.total() - stats.rows) if method == "BCa" else {}
    observed = {name: float(value) for name, value in scorer.scores_of(scorer.corpus_totals(stats)).items()}
    for name, distribution in resampled.items():
        levels = _bca_levels(tails, distribution, observed[name], jackknife[name]) if jackknife else tails
        bounds = np.quantile(distribution, levels)
        bounds[np.abs(bounds - observed[name]) <= ROUNDING * abs(observed[name])] = observed[name]
        low, high = bounds.tolist()
        error = float(np.std(distribution, ddof=1)) if len(distribution) > 1 else 0.0
        results[name] = BootstrapResult(ConfidenceInterval(low, high), distribution, error)
    return results


def _bca_levels(
    tails: NDArray[np.float64], distribution: NDArray[np.float64], observed: float, jackknife: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the quantiles to take instead of the tails (Efron and Tibshirani 1993, equations 14.10 to 14.15)."""
    slack = ROUNDING * abs(observed)
    below = ((distribution < observed - slack).mean() + (distribution <= observed + slack).mean()) / 2
    differences = jackknife.mean() - jackknife
    spread = 6 * (differences**2).sum() ** 1.5
    if not 0 < below < 1 or spread == 0:  # all resamples on one side, or all equal: no correction
        return tails
    bias, acceleration = _NORMAL.inv_cdf(float(below)), float((differences**3).sum() / spread)
    shifted = [bias + _NORMAL.inv_cdf(tail) for tail in tails.tolist()]
    return np.array([_NORMAL.cdf(bias + each / (1 - acceleration * each)) for each in shifted])
