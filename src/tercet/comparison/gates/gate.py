"""Whether systems are worse than the baseline, or may be worse by more than a margin: a gate for changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.result import Comparison
from tercet.comparison.runs.means import table_of_means
from tercet.comparison.runs.significance import estimates_over_runs
from tercet.comparison.values.scores import ScoreTable, row_of
from tercet.errors import warn
from tercet.metrics.column import Column
from tercet.statistics.estimates import Difference, Estimate, difference
from tercet.statistics.resampled_scores import N_RESAMPLES, bootstrap_scores
from tercet.statistics.rounding import apart
from tercet.statistics.step_down_levels import step_down_levels
from tercet.table_formats import decimals

from .checks import check_below_scale, check_within, is_share
from .loss_in_words import Loss, ScoreInWords, Units
from .loss_intervals import LossInterval, PairOfOutputs


class Question(NamedTuple):
    """By how much the systems of a comparison may be worse in a score: in its unit; 0 for not significantly."""

    comparison: Comparison
    table: ScoreTable
    margin: float


def losses(comparison: Comparison, table: ScoreTable, margin: float = 0.0) -> list[Loss]:
    """Return the loss of each system against the baseline in one score; see :func:`losses_of_all`."""
    return [loss for _, loss in losses_of_all([Question(comparison, table, margin)])]


def losses_of_all(questions: Sequence[Question]) -> list[tuple[Comparison, Loss]]:
    """Return the loss of each system against the baseline in each score; where outputs are runs, over them.

    The test is of non-inferiority: of whether the loss is at most the margin, which is in the unit of the score. The
    interval of scores that are 0 or 1 is that of Tango (1998). Of other scores each end is the bound of
    :func:`~tercet.statistics.noninferiority.greatest_loss`, of the loss and of the gain: Johnson's t of the units'
    losses, or that of Learned-Miller and Thomas where few units differ; it is at least as wide as Student's t, by the
    variance of 1,000 paired bootstrap resamples. Without a margin, the lower end, which then decides, is Student's.
    Over runs both ends are Welch's t.

    With a margin, a gate that fails if any system fails passes a bad one with a probability of at most alpha,
    however many there are (intersection-union: Berger 1982, Technometrics 24, 295-300), so nothing is adjusted.
    Without one, several losses are tested together, so that any fails by chance with a probability of about alpha:
    their levels are those of :func:`~tercet.statistics.step_down_levels.step_down_levels`.
    """
    tests: list[_Test] = []
    for question in questions:
        tests.extend(_tests_of_systems(question))
    family = [test for test in tests if test.is_decided_with_others]
    level_of = dict(zip(family, _levels(family), strict=True))
    losses_found = []
    for test in tests:
        comparison = test.question.comparison
        if test in level_of:
            losses_found.append((comparison, test.loss(level_of[test], n_tests=len(family))))
        else:
            losses_found.append((comparison, test.loss(comparison.alpha)))
    return losses_found


def warn_of_limit(table: ScoreTable, limit: float, subject: str) -> None:
    """Warn of a limit that seems to be a share of 1 where the score is in percent: nothing would be below it.

    The warning begins with `subject`, the limit as the user gives it.
    """
    in_percent = table.scorer.unit is not None and table.scorer.scale == 100
    if in_percent and table.higher_is_better and 0 < limit < 1 and all(row.value > 1 for row in table.rows):
        warn(f"{subject}: {table.title} is in percent, from 0 to 100. Did you mean {100 * limit:g}?")


def _levels(family: Sequence[_Test]) -> list[float]:
    """Return the levels of tests that are decided together."""
    if not family:
        return []
    draws = None
    # Welch's tests share no draws.
    if all(test.pair is not None for test in family):
        draws = np.array([test.draws for test in family])

    def finds_loss(number: int, level: float) -> bool:
        return family[number].interval(level).low > 0

    # Where comparisons have several, the chance that any fails is that of the least.
    alpha = min(test.question.comparison.alpha for test in family)
    return step_down_levels([test.t for test in family], draws, finds_loss, alpha)


def _tests_of_systems(question: Question) -> Iterator[_Test]:
    """Yield the test of each system against the baseline."""
    comparison, table, margin = question
    if margin:
        subject = f"The margin of {margin:g}"
        check_within(table, margin, subject)
        check_below_scale(table, margin, subject)
    units = dict(zip(comparison.test_set.systems, comparison.units_of(table), strict=True))
    draws = bootstrap_scores(table.scorer, list(units.values()), N_RESAMPLES, comparison.seed)
    runs = comparison.runs or {row.system: [row.system] for row in table.rows}
    systems, spread = estimates_over_runs(runs, table, [scores[table.name] for scores in draws])
    name = comparison.design.system_of_baseline
    baseline = systems.pop(name)
    if margin and is_share(table):
        _warn_of_wide_margin(table, margin, baseline.value)
    for system, estimate in systems.items():
        apart_by = difference(estimate, baseline, spread.pooled)
        pair = None
        if comparison.joins_runs:
            has_enough = spread.is_known(estimate, baseline)
        else:
            # Of the exchanges of n units, one favours the baseline in all.
            has_enough = 2.0**-table.n_units < comparison.alpha
            pair = PairOfOutputs(
                table=table,
                baseline=units[runs[name][0]],
                system=units[runs[system][0]],
                difference=apart_by,
                margin=margin,
                seed=comparison.seed,
            )
        yield _Test(
            question=question,
            baseline=name,
            system=system,
            baseline_estimate=baseline,
            system_estimate=estimate,
            difference=apart_by,
            pair=pair,
            has_enough=has_enough,
        )


def _warn_of_wide_margin(table: ScoreTable, margin: float, value: float) -> None:
    """Warn of a margin of all that the baseline, which has this value of a share, can lose, or more."""
    most = value if table.higher_is_better else float(table.scorer.scale) - value
    if margin >= most:
        loss = decimals(most, table.digits)
        warn(
            f"The margin of {margin:g} is all that can be lost, or more: {table.title} can become worse by {loss} "
            "at most."
        )


def _is_too_much(low: float, high: float, margin: float) -> bool:
    """Return whether a loss fails: it may be above the margin, or without one, it is not by chance."""
    end = high if margin else low
    # An end is NaN where there are too few units to test: that fails, too, as most may have gone missing.
    return math.isnan(end) or end > margin


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """The test of a system against the baseline, whose level depends on how many others are made with it."""

    question: Question
    baseline: str
    system: str
    baseline_estimate: Estimate
    system_estimate: Estimate
    difference: Difference
    #: Of outputs; None of systems with runs.
    pair: PairOfOutputs | None
    #: Whether there are units, or runs, enough for a test.
    has_enough: bool
    #: Those that were found, by their level: each may take millions of draws.
    intervals: dict[float, LossInterval] = field(default_factory=dict)

    @property
    def is_decided_with_others(self) -> bool:
        """Whether it shares alpha with others: without a margin, any of several fails by chance."""
        return not self.question.margin and self.has_enough and not math.isnan(self.value)

    @property
    def sign(self) -> int:
        """1 where a lower score is a loss, else -1."""
        return 1 if self.question.table.higher_is_better else -1

    @property
    def draws(self) -> NDArray[np.float64]:
        """The loss in resamples."""
        return self.sign * (self.baseline_estimate.resampled - self.system_estimate.resampled)

    @property
    def value(self) -> float:
        """The loss."""
        # -0.0 + 0.0 is 0.0: no loss has no sign.
        return self.sign * apart(self.baseline_estimate.value, self.system_estimate.value) + 0.0

    @property
    def t(self) -> float:
        """The loss in units of its standard error; infinite of one that does not vary."""
        if self.difference.standard_error > 0:
            return self.value / self.difference.standard_error
        if not self.value:
            return 0.0
        return math.copysign(math.inf, self.value)

    def interval(self, level: float) -> LossInterval:
        """Return the interval of the loss whose ends are one-sided tests of this level."""
        if level not in self.intervals:
            self.intervals[level] = self._interval(level)
        return self.intervals[level]

    def _interval(self, level: float) -> LossInterval:
        if self.pair is not None:
            return self.pair.interval(level)
        table = self.question.table
        # As of the value, 0.0 makes 0.0 of -0.0.
        low, high = sorted(self.sign * bound + 0.0 for bound in self.difference.interval(1 - 2 * level))
        if table.scorer.unit == "share":
            # No more can be lost, or gained, than there is.
            scale = float(table.scorer.scale)
            low = max(low, -scale)
            high = min(high, scale)
        return LossInterval(low, high, "Welch", "Welch", table.n_units)

    def loss(self, level: float, n_tests: int = 1) -> Loss:
        """Return what was found by a one-sided test of this level."""
        comparison, table, margin = self.question
        interval = self.interval(level)
        low = high = math.nan
        if self.has_enough:
            low = interval.low
            high = interval.high
        is_column = isinstance(table.scorer, Column)
        score = ScoreInWords(
            title=table.title,
            digits=table.digits,
            is_percent=is_column and table.scorer.scale == 100,
            higher_is_better=table.higher_is_better,
            is_given=is_column,
        )
        return Loss(
            system=self.system,
            baseline=self.baseline,
            score=score,
            value=self.value,
            low=low,
            high=high,
            level=1 - 2 * level,
            margin=margin,
            failed=_is_too_much(low, high, margin),
            method=interval.method,
            method_of_low=interval.method_of_low,
            units=Units(table.n_units, interval.n_different, interval.needed, comparison.unit),
            n_tests=n_tests,
            is_told_apart=_is_told_apart(comparison, table, self.system),
        )


def _is_told_apart(comparison: Comparison, table: ScoreTable, system: str) -> bool | None:
    """Return whether the comparison's own test tells a system, or the means over its runs, from the baseline.

    None where it did not test them.
    """
    if table.too_few is not None:
        return False
    name = system
    tested = table
    if comparison.joins_runs:
        tested = table_of_means(table, comparison.alpha)
    elif comparison.runs:
        (name,) = comparison.runs[system]
    p = row_of(tested, name).adjusted_pvalue
    return None if p is None else p < comparison.alpha
