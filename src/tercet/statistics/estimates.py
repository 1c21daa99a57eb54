"""Scores with their uncertainty: of the units that are resampled, and over the runs of a system.

A unit is a row: a segment, or a cluster of segments. The runs of a system, such as seeds, are outputs for the same
texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .distributions import t_quantile, t_tail, welch_freedom
from .intervals import ConfidenceInterval
from .resampled_scores import standard_error
from .rounding import rounding


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A score with its resamples, which are paired with those of other systems on the same units.

    Attributes
    ----------
    value : float
    resampled : ndarray of float, shape (n_resamples,)
    n_units : int
    runs : tuple of float
        The score of each run; empty for a single output.
    shared : float
        Of the variance over units, the part that the variance between runs has too: the noise of units within a run.
    """

    value: float
    resampled: NDArray[np.float64]
    n_units: int
    runs: tuple[float, ...] = ()
    shared: float = 0.0

    def interval(self, level: float, pooled: Variance | None = None) -> ConfidenceInterval:
        """Return the interval of the score over units and runs, of Student's t."""
        parts = [_variance_over_units(self.resampled, self.n_units, self.shared)]
        if len(self.runs) > 1:
            parts.append(_variance_over_runs(self))
        elif pooled is not None:
            parts.append(pooled)
        variance = _sum_of_variances(parts, slack=rounding(self.n_units) * abs(self.value))
        return _t_interval(self.value, variance, level)


class Variance(NamedTuple):
    """An estimated variance and its degrees of freedom."""

    value: float
    freedom: float


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Second less first, with the variance of both parts, units and runs.

    Attributes
    ----------
    value : float
    standard_error : float
        Of units alone, with the runs as they are.
    n_units : int
    variance : Variance
        Of units and runs together, with the degrees of freedom of Welch and Satterthwaite.
    """

    value: float
    standard_error: float
    n_units: int
    variance: Variance

    @property
    def t(self) -> float:
        """The difference in units of its standard error; NaN where nothing varies."""
        if self.variance.value > 0:
            return self.value / math.sqrt(self.variance.value)
        return math.nan

    def pvalue(self) -> float:
        """Return the two-sided p of Welch's t test; 1 if the scores are equal, NaN if nothing varies."""
        if self.value == 0:
            return 1.0
        if math.isnan(self.t):
            return math.nan
        return 2 * t_tail(abs(self.t), self.variance.freedom)

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the interval of the difference, of Student's t."""
        return _t_interval(self.value, self.variance, level)


def mean_of_runs(parts: Sequence[Estimate]) -> Estimate:
    """Return the mean score of a system's runs on the same units."""
    values = tuple(part.value for part in parts)
    n_units = parts[0].n_units
    replicates = np.array([part.resampled for part in parts])
    resampled = replicates.mean(axis=0)
    # what is of one run alone: the spread between runs has this noise too
    noises = [_variance_over_units(of_run, n_units).value for of_run in replicates - resampled]
    noise = math.fsum(noises) / max(1, len(parts) - 1)
    return Estimate(math.fsum(values) / len(values), resampled, n_units, values, noise / len(parts))


def pooled_variance(systems: Sequence[Estimate]) -> Variance | None:
    """Return the variance between runs, pooled over the systems with several; None where there is none."""
    several = [system for system in systems if len(system.runs) > 1]
    if not several:
        return None
    freedom = sum(len(system.runs) - 1 for system in several)
    squares = math.fsum((len(system.runs) - 1) * float(np.var(system.runs, ddof=1)) for system in several)
    return Variance(squares / freedom, freedom)


def difference(first: Estimate, second: Estimate, pooled: Variance | None = None) -> Difference:
    """Return the difference of two systems' scores, second less first.

    The variance is the sum of that under resampling of units, with the runs as they are, and of that between the runs
    of each system over their number (Welch's t); the noise of units within a run is part of both and is counted once.
    Where one of the two has a single run, the variance between runs is `pooled`, of all systems with several; without
    it, there is only that of units.
    """
    replicates = second.resampled - first.resampled
    n_units = first.n_units
    if min(len(first.runs), len(second.runs)) > 1:
        over_units = _variance_over_units(replicates, n_units, first.shared + second.shared)
        parts = [over_units, _variance_over_runs(first), _variance_over_runs(second)]
    else:
        parts = [_variance_over_units(replicates, n_units)]
        if pooled is not None:
            # The noise within runs is counted twice here: of the single run it is not known. The other system's could
            # be taken off, but of one run against three, equal systems differ in six or seven of 100 tests as it is.
            shares = 1 / max(1, len(first.runs)) + 1 / max(1, len(second.runs))
            parts.append(Variance(pooled.value * shares, pooled.freedom))
    variance = _sum_of_variances(parts, slack=rounding(n_units) * max(abs(first.value), abs(second.value)))
    return Difference(second.value - first.value, standard_error(replicates), n_units, variance)


def _variance_over_units(replicates: NDArray[np.float64], n_units: int, shared: float = 0.0) -> Variance:
    """Return the variance of a score over units, less a shared part; NaN of one unit.

    It is unbiased for means: resamples of n units have (n - 1) / n of it.
    """
    if n_units < 2:
        return Variance(math.nan, 1)
    variance = standard_error(replicates) ** 2 * n_units / (n_units - 1)
    return Variance(max(variance - shared, 0.0), n_units - 1)


def _variance_over_runs(system: Estimate) -> Variance:
    """Return the variance of the mean of a system's runs."""
    return Variance(float(np.var(system.runs, ddof=1)) / len(system.runs), len(system.runs) - 1)


def _sum_of_variances(parts: Sequence[Variance], slack: float) -> Variance:
    """Return the sum of independent variances, with the degrees of freedom of Welch and Satterthwaite (1946).

    It is 0 where scores differ by rounding alone: by no more than the slack.
    """
    value = math.fsum(part.value for part in parts)
    if math.sqrt(value) <= slack:
        return Variance(0.0, math.inf)
    return Variance(value, welch_freedom([part.value for part in parts], [part.freedom for part in parts]))


def _t_interval(value: float, variance: Variance, level: float) -> ConfidenceInterval:
    margin = t_quantile((1 + level) / 2, variance.freedom) * math.sqrt(variance.value)
    return ConfidenceInterval(value - margin, value + margin)
