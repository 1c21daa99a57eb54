"""How far a score would move on another sample of the same kind of texts (Koehn 2004)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .resample_kernels import fill_counts
from .scorer import Scorer, Scores
from .stats import SegmentStats

_CHUNK_CELLS = 1_000_000


def bootstrap_weights(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw segments with replacement and yield how often each was drawn, in chunks of shape (b, n).

    The draws are those of sacrebleu: ``default_rng(seed).choice(n, (B, n))``. Memory: two chunks of at most
    1,000,000 cells (or one row).
    """
    rng = np.random.default_rng(seed)
    chunk = max(1, _CHUNK_CELLS // n_segments)
    dtype = np.int32 if n_segments <= 2**31 else np.int64  # the same draws in half the memory
    for start in range(0, n_resamples, chunk):
        size = min(chunk, n_resamples - start)
        counts = np.zeros((size, n_segments))
        fill_counts(rng.integers(0, n_segments, (size, n_segments), dtype=dtype), counts)
        yield counts


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
    totals = np.concatenate([stats.resample(weights) for weights in bootstrap_weights(len(stats), n_resamples, seed)])
    scores = scorer.finalize(totals)
    return {name: scores[name] for name in scorer.score_names}


def percentile_intervals(
    scorer: Scorer[Any], stats: SegmentStats, confidence_level: float, n_resamples: int, seed: int
) -> dict[str, list[float]]:
    """Return percentile bootstrap intervals of every score.

    Parameters
    ----------
    confidence_level : float
        Such as 0.95: the bounds are then the quantiles 0.025 and 0.975 of the resampled scores.

    Returns
    -------
    dict of str to [low, high]

    Notes
    -----
    Source: Efron and Tibshirani 1993, section 13.3. Time: resamples times segments times columns.
    """
    tail = (1 - confidence_level) / 2
    resampled = bootstrap_scores(scorer, stats, n_resamples, seed)
    return {
        name: [float(bound) for bound in np.quantile(scores, [tail, 1 - tail])] for name, scores in resampled.items()
    }
