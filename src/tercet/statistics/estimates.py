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

from .distributions import t_quantile, t_tail
from .draws import ConfidenceInterval, rounding


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
        parts = [_of_units(self.resampled, self.n_units, self.shared)]
        if len(self.runs) > 1:
            parts.append(_of_runs(self))
        elif pooled is not None:
            parts.append(pooled)
        return _interval(self.value, _total(parts, rounding(self.n_units) * abs(self.value)), level)


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
        return self.value / math.sqrt(self.variance.value) if self.variance.value > 0 else math.nan

    def pvalue(self) -> float:
        """Return the two-sided p of Welch's t test; 1 if the scores are equal, NaN if nothing varies."""
        if self.value == 0:
            return 1.0
        return math.nan if math.isnan(self.t) else 2 * t_tail(abs(self.t), self.variance.freedom)

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the interval of the difference, of Student's t."""
        return _interval(self.value, self.variance, level)


def over_runs(parts: Sequence[Estimate]) -> Estimate:
    """Return the mean score of a system's runs on the same units."""
    values = tuple(part.value for part in parts)
    n_units = parts[0].n_units
    draws = np.array([part.resampled for part in parts])
    resampled = draws.mean(axis=0)
    # what is of one run alone: the spread between runs has this noise too
    noise = math.fsum(_of_units(row, n_units).value for row in draws - resampled) / max(1, len(parts) - 1)
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
    Where one of the two has a single run, the variance between runs is `pooled`, of other systems; without it, there
    is only that of units.
    """
    draws = second.resampled - first.resampled
    n_units = first.n_units
    if min(len(first.runs), len(second.runs)) > 1:
        parts = [_of_units(draws, n_units, first.shared + second.shared), _of_runs(first), _of_runs(second)]
    else:
        parts = [_of_units(draws, n_units)]
        if pooled is not None:
            shares = 1 / max(1, len(first.runs)) + 1 / max(1, len(second.runs))
            parts.append(Variance(pooled.value * shares, pooled.freedom))
    slack = rounding(n_units) * max(abs(first.value), abs(second.value))
    variance = _total(parts, slack)
    return Difference(second.value - first.value, standard_error(draws), n_units, variance)


def standard_error(draws: NDArray[np.float64]) -> float:
    """Return the standard deviation of resamples; 0 of a single one."""
    return float(np.std(draws, ddof=1)) if len(draws) > 1 else 0.0


def _of_units(draws: NDArray[np.float64], n_units: int, less: float = 0.0) -> Variance:
    """Return the variance of resamples, unbiased for means: draws from n units have (n - 1) / n of it; NaN of one."""
    if n_units < 2:
        return Variance(math.nan, 1)
    return Variance(max(standard_error(draws) ** 2 * n_units / (n_units - 1) - less, 0.0), n_units - 1)


def _of_runs(system: Estimate) -> Variance:
    return Variance(float(np.var(system.runs, ddof=1)) / len(system.runs), len(system.runs) - 1)


def _total(parts: Sequence[Variance], slack: float) -> Variance:
    """Return the sum of independent variances, with the degrees of freedom of Welch and Satterthwaite (1946).

    It is 0 where scores differ by rounding alone: by no more than the slack.
    """
    value = math.fsum(part.value for part in parts)
    if math.sqrt(value) <= slack:
        return Variance(0.0, math.inf)
    return Variance(value, value**2 / math.fsum(part.value**2 / part.freedom for part in parts))


def _interval(value: float, variance: Variance, level: float) -> ConfidenceInterval:
    margin = t_quantile((1 + level) / 2, variance.freedom) * math.sqrt(variance.value)
    return ConfidenceInterval(value - margin, value + margin)
