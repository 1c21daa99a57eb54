"""Whether systems are worse than the baseline, or may be worse by more than a margin: a gate for changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tercet.statistics.bootstrap import bootstrap_scores
from tercet.statistics.estimates import Difference, difference
from tercet.statistics.power import units_needed
from tercet.tables import decimals

from .power import POWER, rounded
from .runs import estimates_over_runs
from .scores import Comparison, ScoreTable

#: Of the bootstrap, as many as intervals have.
_N_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Loss:
    """By how much a system is worse than the baseline, and whether that is too much.

    Attributes
    ----------
    system, baseline, score : str
        The score as people call it, such as ROUGE-L.
    value : float
        In the unit of the score; negative for a gain.
    low, high : float
        Of its interval. Its level is 1 - 2 alpha, so that each end is a one-sided test with alpha.
    level : float
        Of the interval.
    margin : float
        The greatest loss allowed: the interval must not end above it. If it is 0, the interval must not begin above
        it: the system must not be significantly worse.
    failed : bool
    needed : int or None
        About how many segments, or clusters, show that an equal system is within the margin (80 % power), if there
        are fewer.
    unit : {"segment", "cluster"}
    digits : int
        With how many decimals people read it.
    """

    system: str
    baseline: str
    score: str
    value: float
    low: float
    high: float
    level: float
    margin: float
    failed: bool
    needed: int | None = None
    unit: str = "segment"
    digits: int = 2

    def __str__(self) -> str:
        """Return the finding as a sentence, without names of systems."""
        if math.isnan(self.value):
            return "a score is NaN, not a number."
        worse = "worse" if self.value > 0 else "better"
        apart = f"{self._number(abs(self.value))} {self.score} {worse}" if self.value else f"as good in {self.score}"
        if math.isnan(self.low):
            return f"{apart}; there are too few {self.unit}s or runs to say more."
        bounds = f"{100 * self.level:g} % interval of the loss: {self._number(self.low)} to {self._number(self.high)}"
        if not self.margin:
            verdict = ", significantly" if self.failed else ", not significantly" if self.value > 0 else ""
            return f"{apart}{verdict} ({bounds})."
        limit = f"the margin of {self.margin:g}"
        if not self.failed:
            within = f", by less than {limit}" if self.value > 0 else ""
            return f"{apart}{within} ({bounds})."
        if self.value > self.margin:
            return f"{apart}, by more than {limit} ({bounds})."
        few = ""
        if self.needed is not None:
            few = f" To show that an equal system is within it takes about {rounded(self.needed)} {self.unit}s."
        return f"{apart}, but perhaps worse by more than {limit} ({bounds}).{few}"

    def _number(self, value: float) -> str:
        return decimals(value, self.digits)


def losses(comparison: Comparison, table: ScoreTable, margin: float = 0.0) -> Iterator[Loss]:
    """Yield the loss of each system against the baseline; where outputs are runs, over them.

    The test is of non-inferiority: of whether the loss is at most the margin, which is in the unit of the score. The
    interval is Student's t, by the variance of 1,000 paired bootstrap resamples, and that of runs.
    """
    draws = bootstrap_scores(table.scorer, comparison.units_of(table), _N_RESAMPLES, comparison.seed)
    runs = comparison.runs or {row.system: [row.system] for row in table.rows}
    systems, spread = estimates_over_runs(runs, table, [scores[table.name] for scores in draws])
    name = next(system for system, outputs in runs.items() if comparison.baseline in outputs)
    baseline, sign = systems.pop(name), 1 if table.higher_is_better else -1
    for system, estimate in systems.items():
        apart = difference(estimate, baseline, spread)
        low, high = sorted(sign * bound for bound in apart.interval(1 - 2 * comparison.alpha))
        if comparison.joins_runs and spread is None and min(len(estimate.runs), len(baseline.runs)) < 2:
            low = high = math.nan
        yield Loss(
            system=system,
            baseline=name,
            score=table.title,
            value=sign * apart.value,
            low=low,
            high=high,
            level=1 - 2 * comparison.alpha,
            margin=margin,
            failed=not high <= margin if margin else low > 0 or math.isnan(apart.value),
            needed=_needed(apart, margin, comparison.alpha),
            unit="segment" if comparison.test_set.clusters is None else "cluster",
            digits=table.rows[0].digits,
        )


def _needed(apart: Difference, margin: float, alpha: float) -> int | None:
    """Return how many units a one-sided test of the margin needs, if more; the noise of runs is not in it."""
    if not margin:
        return None
    needed = units_needed(margin, apart.standard_error, apart.n_units, alpha=2 * alpha, power=POWER)
    return needed if needed is not None and needed > apart.n_units else None
