"""Scores of systems with several runs as values: the means over runs, and what was tested between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.intervals import ConfidenceInterval
from tercet.statistics.kinds_of_tests import WELCH


class AgainstBaseline(NamedTuple):
    """A system's difference from the baseline over their runs, and the figures of its test, None where unknown."""

    difference: float
    #: Half of the interval of the difference.
    margin: float | None
    t: float | None
    freedom: float | None

    @property
    def bounds(self) -> ConfidenceInterval:
        """The interval of the difference; NaN where it is unknown."""
        margin = math.nan if self.margin is None else self.margin
        return ConfidenceInterval(self.difference - margin, self.difference + margin)


class RunsInSlice(NamedTuple):
    """What a slice says of a system with runs besides its score. The fields are names of the JSON."""

    runs: dict[str, float]
    spread: float | None
    t: float | None
    freedom: float | None


@dataclass(frozen=True, slots=True)
class SystemOverRuns:
    """A system's mean score over its runs.

    Attributes
    ----------
    system : str
    runs : dict of str to float
        The score of each run, by the name of the output.
    value : float
    spread : float or None
        The standard deviation of the runs; None of one run.
    low, high : float
        The interval of the mean.
    against : AgainstBaseline or None
        None for the baseline itself.
    pvalue, adjusted_pvalue : float or None
        Of the test against the baseline.
    rank : (int, int) or None
        None of a system that was tested against no other.
    group : int or None
    """

    system: str
    runs: dict[str, float]
    value: float
    spread: float | None
    low: float
    high: float
    against: AgainstBaseline | None
    pvalue: float | None
    adjusted_pvalue: float | None
    rank: tuple[int, int] | None
    group: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python."""
        figures = dict.fromkeys(AgainstBaseline._fields) if self.against is None else self.against._asdict()
        return {
            "system": self.system,
            "runs": self.runs,
            "value": self.value,
            "spread": self.spread,
            "low": self.low,
            "high": self.high,
            **figures,
            "pvalue": self.pvalue,
            "adjusted_pvalue": self.adjusted_pvalue,
            "rank": None if self.rank is None else list(self.rank),
            "group": self.group,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ScoresOverRuns:
    """A score of all systems over their runs.

    Attributes
    ----------
    baseline : str
        The system of which the baseline is a run.
    is_pooled : bool
        Whether the spread of systems with one run is taken to be that of the others.
    systems : list of SystemOverRuns
    adjusted_pvalues : ndarray, shape (s, s)
        Of each pair of systems; 1 on the diagonal, NaN of a pair that was not tested.
    """

    baseline: str
    is_pooled: bool
    systems: list[SystemOverRuns]
    adjusted_pvalues: NDArray[np.float64]

    @property
    def tests_baseline(self) -> bool:
        """Whether any system was tested against the baseline."""
        return any(system.pvalue is not None for system in self.systems)

    @property
    def tests_any(self) -> bool:
        """Whether any two systems were tested: the spread of their runs may be unknown."""
        is_pair = ~np.eye(len(self.systems), dtype=bool)
        return bool(np.isfinite(self.adjusted_pvalues[is_pair]).any())

    def to_dict(self) -> dict[str, Any]:
        """Return the systems and tests as plain Python."""
        return {
            "test": WELCH.title,
            "baseline": self.baseline,
            "pooled": self.is_pooled,
            "systems": [system.to_dict() for system in self.systems],
            "adjusted_pvalues": self.adjusted_pvalues.tolist(),
        }
