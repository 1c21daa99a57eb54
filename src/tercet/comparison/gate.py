"""Whether systems are worse than the baseline, or may be worse by more than a margin: a gate for changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tercet.errors import warn
from tercet.statistics.bootstrap import N_RESAMPLES, ConfidenceInterval, bootstrap_scores
from tercet.statistics.distributions import paired_shares
from tercet.statistics.estimates import Difference, difference
from tercet.statistics.power import units_needed
from tercet.tables import decimals

from .columns import check_within
from .power import POWER, rounded
from .runs import estimates_over_runs
from .scores import Comparison, ScoreTable


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
            return f"{apart}; not tested, as there are too few {self.unit}s or runs."
        bounds = f"{100 * self.level:g} % interval of the loss: {self._number(self.low)} to {self._number(self.high)}"
        if not self.margin:
            verdict = ", significantly" if self.failed else ", not significantly" if self.value > 0 else ""
            return f"{apart}{verdict} (one-sided; {bounds})."
        limit = f"the margin of {self.margin:g}"
        if not self.failed:
            within = f", by less than {limit}" if self.value > 0 else ""
            return f"{apart}{within} ({bounds})."
        if self.low > self.margin:
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
    interval is Student's t, by the variance of 1,000 paired bootstrap resamples, and that of runs; of scores that are
    0 or 1, that of Agresti and Min (2005). Each system is tested by itself: nothing is adjusted for their number.
    """
    if margin:
        check_within(table, margin, "The margin of")
    draws = bootstrap_scores(table.scorer, comparison.units_of(table), N_RESAMPLES, comparison.seed)
    runs = comparison.runs or {row.system: [row.system] for row in table.rows}
    systems, spread = estimates_over_runs(runs, table, [scores[table.name] for scores in draws])
    name = next(system for system, outputs in runs.items() if comparison.baseline in outputs)
    baseline, sign = systems.pop(name), 1 if table.higher_is_better else -1
    for system, estimate in systems.items():
        apart, level = difference(estimate, baseline, spread), 1 - 2 * comparison.alpha
        bounds = apart.interval(level)
        if table.is_exact and not comparison.joins_runs:
            bounds = _of_shares(comparison, table, name, system, level)
        low, high = sorted(sign * bound + 0.0 for bound in bounds)
        if comparison.joins_runs:
            is_known = spread is not None or min(len(estimate.runs), len(baseline.runs)) > 1
        else:
            # Of the exchanges of n units, one favours the baseline in all.
            is_known = 2.0**-table.n_units < comparison.alpha
        if not is_known:
            low = high = math.nan
        yield Loss(
            system=system,
            baseline=name,
            score=table.title,
            value=sign * apart.value + 0.0,
            low=low,
            high=high,
            level=level,
            margin=margin,
            failed=_is_too_much(sign * apart.value, low, high, margin),
            needed=None if comparison.joins_runs else _needed(apart, margin, comparison.alpha),
            unit="segment" if comparison.test_set.clusters is None else "cluster",
            digits=table.rows[0].digits,
        )


def warn_of_limit(table: ScoreTable, limit: float, how: str) -> None:
    """Warn of a limit that seems to be a share of 1 where the score is in percent: nothing would be below it."""
    in_percent = table.scorer.unit is not None and table.scorer.scale == 100
    if in_percent and table.higher_is_better and 0 < limit < 1 and all(row.value > 1 for row in table.rows):
        warn(f"{how}: {table.title} is in percent, from 0 to 100. Did you mean {100 * limit:g}?")


def _is_too_much(value: float, low: float, high: float, margin: float) -> bool:
    """Return whether a loss fails: what is not tested fails unless it is a gain, and no margin is to be shown."""
    if margin:
        return not high <= margin
    return not value <= 0 if math.isnan(low) else low > 0


def _of_shares(
    comparison: Comparison, table: ScoreTable, baseline: str, system: str, level: float
) -> ConfidenceInterval:
    """Return the interval of the baseline's share less the system's: with a width where no answer differs, too."""
    units = dict(zip(comparison.test_set.systems, comparison.units_of(table), strict=True))
    right = units[baseline].column("value"), units[system].column("value")
    only_baseline, only_system = (int((one > other).sum()) for one, other in (right, right[::-1]))
    bounds = paired_shares(only_baseline, only_system, table.n_units, level)
    return ConfidenceInterval(table.scorer.scale * bounds.low, table.scorer.scale * bounds.high)


def _needed(apart: Difference, margin: float, alpha: float) -> int | None:
    """Return how many units a one-sided test of the margin needs, if more."""
    if not margin:
        return None
    needed = units_needed(margin, apart.standard_error, apart.n_units, alpha=2 * alpha, power=POWER)
    return needed if needed is not None and needed > apart.n_units else None
