"""Drop-in for ``rouge_score.scoring``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tercet.statistics.resampled_scores import resampled_totals


class Score(NamedTuple):
    """Precision, recall and F of a type of ROUGE."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """Bounds of a confidence interval, and the score between them."""

    low: Any
    mid: Any
    high: Any


class BaseScorer(ABC):
    """Base class of scorers."""

    @abstractmethod
    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction by their type."""


class BootstrapAggregator:
    """Bootstrap intervals of the means of scores.

    Parameters
    ----------
    confidence_interval : float
        Level of the interval, from 0 to 1.
    n_samples : int
        Number of resamples.
    seed : int
        Seed of the resamples: the same scores give the same interval. NumPy's global seed, from which the original
        draws, has no effect here.

    Examples
    --------
    >>> aggregator = BootstrapAggregator()
    >>> for f in (0.25, 0.5, 0.75):
    ...     aggregator.add_scores({"rouge1": Score(f, f, f)})
    >>> aggregator.aggregate()["rouge1"].mid.fmeasure
    0.5
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000, *, seed: int = 12345) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError("confidence_interval must be in range [0, 1]")
        if n_samples <= 0:
            raise ValueError("n_samples must be positive")
        self._confidence_interval = confidence_interval
        self._n_samples = n_samples
        self._seed = seed
        self._scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Mapping[str, Any]) -> None:
        """Add the scores of one prediction: named tuples of numbers, or numbers, by their type."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return the interval of each type; its `mid` is the median of the resampled means."""
        tail = (1 - self._confidence_interval) / 2
        levels = np.array([tail, 0.5, 1 - tail])
        result = {}
        for name, scores in self._scores.items():
            table = np.array(scores, np.float64).reshape(len(scores), -1)
            (totals,) = resampled_totals([table], self._n_samples, self._seed)
            bounds = np.quantile(totals / len(table), levels, axis=0)
            # Named tuples stay what they are, and numbers become plain floats.
            kind = type(scores[0]) if isinstance(scores[0], tuple) else float
            low, middle, high = [kind(*bound) for bound in bounds.tolist()]
            result[name] = AggregateScore(low, middle, high)
        return result
