"""What a comparison compares, and how it tests: all of it but what it finds.

What users may ask, and its checks, are in `comparison/inputs/settings.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from tercet.statistics.inference import Inference, inference
from tercet.statistics.intervals import BootstrapResult, bootstraps
from tercet.statistics.stats import Formula, SegmentStats
from tercet.test_sets.test_set import TestSet

from .scores import ScoreTable

if TYPE_CHECKING:
    from .slices import Slices


class Design(NamedTuple):
    """What is compared, and how: a :class:`Comparison` has what was found besides."""

    test_set: TestSet
    #: Of outputs that are runs, one of the system that the others are tested against.
    baseline: str
    test: str | None
    #: Of the paired test, if there is one.
    n_resamples: int | None
    confidence_level: float
    alpha: float
    seed: int
    #: Kind of the intervals of scores; None without.
    interval: str | None
    adjust: str
    #: The outputs that are runs of each system; empty where each output is a system.
    runs: dict[str, list[str]]
    slices: list[Slices]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.test_set.systems)

    @property
    def has_others(self) -> bool:
        """Whether there is another system to compare the baseline with."""
        return len(self.test_set.systems) > 1

    @property
    def n_pairs(self) -> int:
        """How many pairs of systems there are."""
        return comb(len(self.systems), 2)

    @property
    def baseline_index(self) -> int:
        """Which of the systems is the baseline."""
        return self.systems.index(self.baseline)

    @property
    def joins_runs(self) -> bool:
        """Whether any outputs are runs of one system; then none of them is the best."""
        return 0 < len(self.runs) < len(self.test_set.systems)

    @property
    def system_of_baseline(self) -> str:
        """The system of which the baseline is a run; the baseline itself where each output is a system."""
        return next((system for system, outputs in self.runs.items() if self.baseline in outputs), self.baseline)

    @property
    def unit(self) -> str:
        """What is resampled, ``segment`` or ``cluster``."""
        return unit_of(self.test_set)

    @property
    def inference(self) -> Inference:
        """How scores are inferred, but for those that are 0 or 1."""
        return inference(self.test, self.adjust, self.interval)

    def inference_of(self, table: ScoreTable) -> Inference:
        """Return how a table's score is inferred: its test, how p are adjusted, and its intervals."""
        return self.inference.of_shares() if table.is_exact else self.inference

    @property
    def p_label(self) -> str:
        """The header of p in narrow tables: with two systems there is one pair, and nothing to adjust."""
        return "adj. p" if len(self.test_set.systems) > 2 else "p"

    def intervals(self, metric: Formula, units: Sequence[SegmentStats]) -> list[dict[str, BootstrapResult]]:
        """Return the intervals of every score of each system, from the rows of what is resampled."""
        return bootstraps(metric, units, confidence_level=self.confidence_level, method=self.interval, seed=self.seed)


def unit_of(test_set: TestSet) -> str:
    """Return what is resampled of a test set, and counted: ``segment`` or ``cluster``."""
    return "segment" if test_set.clusters is None else "cluster"
