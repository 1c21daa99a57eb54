"""Which segment is explained where none is named: the one that tells the systems apart best, or scores worst."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.wording.decimals import digits_of_scale
from tercet.errors import InputError
from tercet.test_sets.test_set import TestSet

#: Scores nearer than this are equal, as those of sums in another order.
_SAME = 1e-9


class MostApart(NamedTuple):
    """The segment that tells the systems apart best, counted from 1."""

    segment: int
    n_pairs: int
    #: How many pairs of systems score differently, and how far apart two are on average.
    n_apart: int
    distance: float

    def why(self, metric: Metric) -> str:
        """Return why it was chosen, by the main score of a metric."""
        title = metric.score_title(metric.primary)
        mean = f"{self.distance:.{digits_of_scale(metric.scale)}f}"
        if self.n_pairs == 1:
            return f"in which the two systems differ most by {title}: {mean}"
        pairs = f"{self.n_apart:,} of {self.n_pairs:,} pairs score differently"
        if self.n_apart == self.n_pairs:
            pairs = "no two score the same"
        apart_by = f"the scores of any two are {mean} apart on average"
        return f"which tells the systems apart best by {title}: {pairs}; {apart_by}"


class WorstScored(NamedTuple):
    """The segment that scores worst, counted from 1, and how many score as it does."""

    segment: int
    n_alike: int

    def why(self, metric: Metric) -> str:
        """Return why it was chosen, by the main score of a metric."""
        title = metric.score_title(metric.primary)
        if self.n_alike > 1:
            return f"the first of {self.n_alike:,} with the worst {title}"
        return f"the worst by {title}"


def segment_that_says_most(test_set: TestSet, scores: NDArray[np.float64], metric: Metric) -> MostApart | WorstScored:
    """Return the segment that can be explained and says most, by the scores of each system, a row each."""
    values = scores
    if metric.takes_references:
        has_references = np.array([bool(texts) for texts in test_set.references])
        values = np.where(has_references, scores, np.nan)
    if np.isnan(values).any(axis=0).all():
        raise InputError(f"{test_set.name} has no segment with a score of all systems; choose one with --segment.")
    return _most_apart(values) or _worst_scored(values, metric.higher_is_better)


def _most_apart(values: NDArray[np.float64]) -> MostApart | None:
    """Return the segment in which most pairs of systems score differently; of several, by the most.

    None where no segment tells any two systems apart.
    """
    ordered = np.sort(values, axis=0)
    n_systems, n_segments = values.shape
    n_apart = np.zeros(n_segments)
    distance = np.zeros(n_segments)
    with np.errstate(invalid="ignore"):
        for lag in range(1, n_systems):
            differences = ordered[lag:] - ordered[:-lag]
            n_apart += (differences > _SAME).sum(axis=0)
            distance += differences.sum(axis=0)
    n_apart[~np.isfinite(distance)] = 0
    if not n_apart.any():
        return None
    index = int(np.argmax(np.where(n_apart == n_apart.max(), distance, -np.inf)))
    n_pairs = math.comb(n_systems, 2)
    return MostApart(index + 1, n_pairs, int(n_apart[index]), float(distance[index]) / n_pairs)


def _worst_scored(values: NDArray[np.float64], higher_is_better: bool) -> WorstScored:
    """Return the segment that scores worst."""
    means = values.mean(axis=0)
    worst = np.nanmin(means) if higher_is_better else np.nanmax(means)
    alike = np.flatnonzero(means == worst)
    return WorstScored(int(alike[0]) + 1, len(alike))
