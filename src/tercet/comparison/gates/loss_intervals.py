"""The interval of a loss between two outputs, by the units of both: each end is a one-sided test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.notes.smallest_differences import POWER
from tercet.comparison.values.scores import ScoreTable
from tercet.statistics.distributions import normal_quantile
from tercet.statistics.estimates import Difference
from tercet.statistics.noninferiority import greatest_loss, units_of_three
from tercet.statistics.power import units_needed
from tercet.statistics.stats import SegmentStats, differ
from tercet.statistics.tango import tango


class LossInterval(NamedTuple):
    """The interval of a loss, how its ends were found, how many units differ, and how many would show a margin."""

    low: float
    high: float
    #: Of the upper end.
    method: str
    method_of_low: str
    n_different: int
    needed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PairOfOutputs:
    """The rows of the baseline and of a system, and how far they are apart."""

    table: ScoreTable
    baseline: SegmentStats
    system: SegmentStats
    difference: Difference
    margin: float
    seed: int

    def interval(self, alpha: float) -> LossInterval:
        """Return the interval of the loss, of level 1 - 2 alpha."""
        differs = differ(self.baseline, self.system)
        if self.table.is_exact:
            interval = self._of_shares(alpha, int(differs.sum()))
        else:
            parts = self._losses()
            if not np.isfinite(parts).all():
                return LossInterval(math.nan, math.nan, "Johnson", "Johnson", int(differs.sum()))
            if not self._exceed_rounding(parts):
                differs = np.zeros(len(parts), bool)
            interval = self._of_parts(parts, differs, alpha)
        n_units = self.difference.n_units
        error = self.difference.standard_error
        by_variance = units_needed(self.margin, error, n_units, alpha=2 * alpha, power=POWER)
        most = max(by_variance or 0, interval.needed or 0)
        if not self.margin or most <= n_units:
            return interval._replace(needed=None)
        return interval._replace(needed=most)

    def _of_shares(self, alpha: float, n_different: int) -> LossInterval:
        """Return Tango's interval: with a width where no answer differs, too."""
        of_baseline = self.baseline.column("value")
        of_system = self.system.column("value")
        n_higher = int((of_system > of_baseline).sum())
        n_lower = int((of_system < of_baseline).sum())
        if self.table.higher_is_better:
            bounds = tango(n_lower, n_higher, len(of_system), 1 - 2 * alpha)
        else:
            bounds = tango(n_higher, n_lower, len(of_system), 1 - 2 * alpha)
        scale = self.table.scorer.scale
        # Of how many answers, none of which differs, the interval is within the margin.
        needed = None
        share = self.margin / scale
        if share:
            needed = math.ceil(normal_quantile(1 - alpha) ** 2 * (1 - share) / share)
        return LossInterval(scale * bounds.low, scale * bounds.high, "Tango", "Tango", n_different, needed)

    def _losses(self) -> NDArray[np.float64]:
        """Return the loss of each unit: of a score that is no mean, its part in that of all (jackknife)."""
        sign = 1 if self.table.higher_is_better else -1
        losses: NDArray[np.float64] = sign * (self._pseudo_values(self.baseline) - self._pseudo_values(self.system))
        return losses

    def _pseudo_values(self, stats: SegmentStats) -> NDArray[np.float64]:
        """Return numbers whose mean is the score, and which for a mean are those of the units."""
        scorer = self.table.scorer
        score = float(scorer.finalize(scorer.corpus_totals(stats))[self.table.name])
        if len(stats) < 2:
            return np.array([score])
        without_each = self.table.scores_without_each(stats)
        parts: NDArray[np.float64] = score + (len(stats) - 1) * (without_each.mean() - without_each)
        return parts

    def _exceed_rounding(self, parts: NDArray[np.float64]) -> bool:
        """Return whether units differ in this score by more than rounding, where their rows differ."""
        # The scores of both outputs are finite, as their parts are; another system's may be NaN.
        size = max((abs(row.value) for row in self.table.rows if math.isfinite(row.value)), default=0.0)
        # Each part is a difference of two scores, times the number of units; a score is off by some units in the last
        # place.
        rounding = 16 * float(np.finfo(np.float64).eps) * len(parts) * size
        return bool(np.abs(parts).max() > rounding)

    def _of_parts(self, parts: NDArray[np.float64], differs: NDArray[np.bool_], alpha: float) -> LossInterval:
        """Return the interval of the loss; what is needed is what its method needs for the margin."""
        n_different = int(differs.sum())
        if len(parts) < 2:
            return LossInterval(math.nan, math.nan, "Johnson", "Johnson", n_different)
        sign = 1 if self.table.higher_is_better else -1
        # As of the value, 0.0 makes 0.0 of -0.0.
        low, high = sorted(sign * bound + 0.0 for bound in self.difference.interval(1 - 2 * alpha))
        largest = self._largest(parts)
        loss_bound = greatest_loss(parts, differs, largest, alpha=alpha, seed=self.seed)
        needed = None
        method_of_low = "Student"
        if self.margin:
            gain_bound = greatest_loss(-parts, differs, largest, alpha=alpha, seed=self.seed)
            low = min(low, -gain_bound.value)
            method_of_low = gain_bound.method
            if loss_bound.method != "Johnson":
                needed = units_of_three(self.margin, largest, alpha)
        return LossInterval(low, max(high, loss_bound.value), loss_bound.method, method_of_low, n_different, needed)

    def _largest(self, parts: NDArray[np.float64]) -> float:
        """Return what a unit can lose at most: the range of the score; where it has none, the range of its values.

        Of a score that is no share, a unit may lose more than any that was seen: twice as much is allowed for.
        """
        scorer = self.table.scorer
        ends = [0.0]
        for scores in self.table.segments.values():
            ends += [value for value in scores if value is not None and math.isfinite(value)]
        if scorer.unit is not None:
            ends.append(float(scorer.scale))
        most = float(np.abs(parts).max())
        range_of_values = max(ends) - min(ends)
        allowed = most if scorer.unit == "share" else 2 * most
        largest = max(range_of_values, allowed)
        if largest == 0:
            # nothing is known of a score that was never but 0
            return math.inf
        return largest
