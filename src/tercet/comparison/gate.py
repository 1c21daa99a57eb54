"""Whether systems are worse than the baseline, or may be worse by more than a margin: a gate for changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import warn
from tercet.metrics.column import Column
from tercet.statistics.distributions import normal_quantile
from tercet.statistics.draws import N_RESAMPLES, apart, bootstrap_scores
from tercet.statistics.estimates import Difference, Estimate, difference
from tercet.statistics.families import step_down_levels
from tercet.statistics.noninferiority import greatest_loss, tango, units_of_three
from tercet.statistics.power import units_needed
from tercet.statistics.stats import SegmentStats
from tercet.tables import decimals

from .decimals import in_two_digits
from .given_scores import check_below_scale, check_within, is_share
from .power import POWER
from .result import Comparison
from .run_means import table_of_means
from .runs import estimates_over_runs
from .scores import ScoreTable

#: Of fewer units than these, of which none differs, one in twenty others may yet lose all (the rule of three).
_FEW = 60


class ScoreInWords(NamedTuple):
    """How a score is called, as ROUGE-L, and how its differences are read."""

    title: str
    #: With how many decimals people read it.
    digits: int = 2
    #: Whether it is a share of right answers, in points.
    is_percent: bool = False
    higher_is_better: bool = True
    #: Whether the numbers of segments were given, and not computed from texts.
    is_given: bool = False


class Units(NamedTuple):
    """What a loss was tested on."""

    number: int
    #: How many of them differ; of runs, all.
    n_different: int
    #: About how many show that an equal system is within the margin (80 % power), if there are fewer.
    needed: int | None = None
    #: ``segment`` or ``cluster``.
    unit: str = "segment"


@dataclass(frozen=True, slots=True)
class Loss:
    """By how much a system is worse than the baseline, and whether that is too much.

    Attributes
    ----------
    system, baseline : str
    score : ScoreInWords
    value : float
        In the unit of the score; negative for a gain.
    low, high : float
        Of its interval, each end of which is a one-sided test.
    level : float
        Of the interval: 1 - 2 alpha, or more where several losses are tested together.
    margin : float
        The greatest loss allowed: the interval must not end above it. If it is 0, the interval must not begin above
        it: the system must not be significantly worse.
    failed : bool
    method : {"Tango", "Johnson", "Learned-Miller and Thomas", "Welch"}
        How the upper end was found; see :func:`losses_of_all`.
    units : Units
    n_tests : int
        How many losses share alpha, as they are tested together without a margin.
    is_told_apart : bool
        Whether the comparison's own test, whose p tables show, finds the difference significant.
    """

    system: str
    baseline: str
    score: ScoreInWords
    value: float
    low: float
    high: float
    level: float
    margin: float
    failed: bool
    method: str
    units: Units
    n_tests: int = 1
    is_told_apart: bool = False

    def __str__(self) -> str:
        """Return the finding as a sentence, without names of systems."""
        if math.isnan(self.value):
            return "a score is NaN, not a number."
        if not self.units.n_different:
            return self._of_none()
        if math.isnan(self.low):
            few = "runs" if self.method == "Welch" and self.units.number > 1 else f"{self.units.unit}s"
            return f"{self._distance()}; not tested, as there are too few {few}."
        if not self.margin:
            return self._without_margin()
        limit = f"the margin of {self.margin:g}"
        if not self.failed:
            if self.low >= -self.margin:
                return f"{self._distance()}; equal within ±{self.margin:g} (two one-sided tests; {self._interval()})."
            return f"{self._distance()}; a loss of more than {limit} is excluded (one-sided; {self._interval()})."
        if self.low > self.margin:
            return f"{self._distance()}, by more than {limit} (one-sided; {self._interval()})."
        verdict = f"the margin is {self.margin:g}; too uncertain to pass"
        return f"{self._distance()}; {verdict} (one-sided; {self._interval()}).{self._units_needed()}"

    def _of_none(self) -> str:
        """Return the finding where no unit differs."""
        # A cluster is of several texts.
        kind = self.units.unit
        if self.units.unit == "segment":
            kind = "number" if self.score.is_given else "text"
        none = f"no {kind} differs; of {self.units.number:,}, that excludes"
        if math.isnan(self.high):
            return f"{none} little. Not tested, as there are too few {self.units.unit}s.{self._units_needed()}"
        margin = f"; the margin is {self.margin:g}" if self.margin else ""
        reason = f"(one-sided; {self._interval()}){margin}.{self._units_needed()}"
        if self.failed or (not self.margin and self.units.number < _FEW):
            return f"{none} little: a loss of up to {self._amount(self.high)} is possible {reason}"
        return f"{none} a loss of more than {self._amount(self.high)} {reason}"

    def _without_margin(self) -> str:
        """Return whether the system is significantly worse."""
        test = f"(one-sided; {self._interval()}).{self._adjustment()}"
        if self.failed or self.high < 0:
            return f"{self._distance(is_significant=True)} {test}"
        possible = f"a loss of up to {self._number(self.high)} is not excluded"
        return f"{self._distance()}{self._limit()}{possible} {test}"

    def _limit(self) -> str:
        """Return what stands between a difference that is not significant here and the loss that is possible."""
        if not self.value:
            return "; "
        # The table beside it says that the difference is significant, by a test of other assumptions.
        if not self.is_told_apart:
            return ", not significantly; "
        if self.method == "Learned-Miller and Thomas" and self.units.number < _FEW:
            return f"; the gate's bound allows for losses that so few {self.units.unit}s do not show: "
        return "; by the gate's own bound "

    def _adjustment(self) -> str:
        """Return that the level is that of several tests."""
        return f" Adjusted for {self.n_tests:,} tests." if self.n_tests > 1 else ""

    def _distance(self, *, is_significant: bool = False) -> str:
        """Return how far the scores are apart, in words."""
        amount = self._amount(abs(self.value))
        significantly = ", significantly" if is_significant else ""
        if self.value > 0:
            return f"{amount} worse{significantly}"
        if not self.value:
            return f"the same {self.score.title}{significantly}"
        if self.score.higher_is_better:
            return f"scores {amount} higher{significantly}"
        if is_significant:
            return f"scores {amount} lower, which is significantly better"
        return f"scores {amount} lower, which is better"

    def _units_needed(self) -> str:
        """Return how many units the margin needs; "" where there are so many."""
        if self.units.needed is None:
            return ""
        return f" About {in_two_digits(self.units.needed)} {self.units.unit}s would be needed."

    def _interval(self) -> str:
        bounds = f"{self._number(self.low)} to {self._number(self.high)}"
        return f"{100 * self.level:.3g} % interval of the loss: {bounds}"

    def _amount(self, value: float) -> str:
        unit = "points of " if self.score.is_percent else ""
        return f"{self._number(value)} {unit}{self.score.title}"

    def _number(self, value: float) -> str:
        if not value or math.isnan(value) or abs(value) >= 10.0**-self.score.digits:
            return decimals(value, self.score.digits)
        return f"{value:.2g}"


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
    their levels are those of :func:`~tercet.statistics.families.step_down_levels`.
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
        check_within(table, margin, "The margin of")
        check_below_scale(table, margin, "The margin of ")
    units = dict(zip(comparison.test_set.systems, comparison.units_of(table), strict=True))
    draws = bootstrap_scores(table.scorer, list(units.values()), N_RESAMPLES, comparison.seed)
    runs = comparison.runs or {row.system: [row.system] for row in table.rows}
    systems, spread = estimates_over_runs(runs, table, [scores[table.name] for scores in draws])
    name = next(system for system, outputs in runs.items() if comparison.baseline in outputs)
    baseline = systems.pop(name)
    if margin and is_share(table):
        _warn_of_wide_margin(table, margin, baseline.value)
    for system, estimate in systems.items():
        apart_by = difference(estimate, baseline, spread)
        pair = None
        if comparison.joins_runs:
            has_enough = spread is not None or min(len(estimate.runs), len(baseline.runs)) > 1
        else:
            # Of the exchanges of n units, one favours the baseline in all.
            has_enough = 2.0**-table.n_units < comparison.alpha
            pair = _Pair(
                table=table,
                baseline=units[runs[name][0]],
                system=units[runs[system][0]],
                difference=apart_by,
                margin=margin,
                seed=comparison.seed,
            )
        yield _Test(question, name, system, baseline, estimate, apart_by, pair, has_enough)


def warn_of_limit(table: ScoreTable, limit: float, how: str) -> None:
    """Warn of a limit that seems to be a share of 1 where the score is in percent: nothing would be below it."""
    in_percent = table.scorer.unit is not None and table.scorer.scale == 100
    if in_percent and table.higher_is_better and 0 < limit < 1 and all(row.value > 1 for row in table.rows):
        warn(f"{how}: {table.title} is in percent, from 0 to 100. Did you mean {100 * limit:g}?")


def _warn_of_wide_margin(table: ScoreTable, margin: float, value: float) -> None:
    """Warn of a margin that is more than the baseline, which has this value of a share, can lose."""
    most = value if table.higher_is_better else float(table.scorer.scale) - value
    if margin >= most:
        loss = decimals(most, table.digits)
        warn(f"The margin of {margin:g} is more than can be lost: {table.title} can become worse by {loss} at most.")


def _is_too_much(low: float, high: float, margin: float) -> bool:
    """Return whether a loss fails; what too few units can test fails, too: most may have gone missing."""
    if margin:
        return not high <= margin
    return not low <= 0


class _LossInterval(NamedTuple):
    """The interval of a loss, how it was found, how many units differ, and how many would show a margin."""

    low: float
    high: float
    method: str
    n_different: int
    needed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """The test of a system against the baseline, whose level depends on how many others are made with it."""

    question: Question
    baseline: str
    system: str
    of_baseline: Estimate
    of_system: Estimate
    difference: Difference
    #: Of outputs; None of systems with runs.
    pair: _Pair | None
    #: Whether there are units, or runs, enough for a test.
    has_enough: bool

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
        return self.sign * (self.of_baseline.resampled - self.of_system.resampled)

    @property
    def value(self) -> float:
        """The loss."""
        # -0.0 + 0.0 is 0.0: no loss has no sign.
        return self.sign * apart(self.of_baseline.value, self.of_system.value) + 0.0

    @property
    def t(self) -> float:
        """The loss in units of its standard error; infinite of one that does not vary."""
        if self.difference.standard_error > 0:
            return self.value / self.difference.standard_error
        if not self.value:
            return 0.0
        return math.copysign(math.inf, self.value)

    def interval(self, level: float) -> _LossInterval:
        """Return the interval of the loss whose ends are one-sided tests of this level."""
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
        return _LossInterval(low, high, "Welch", table.n_units)

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
            units=Units(table.n_units, interval.n_different, interval.needed, comparison.unit),
            n_tests=n_tests,
            is_told_apart=_is_told_apart(comparison, table, self.system),
        )


def _is_told_apart(comparison: Comparison, table: ScoreTable, system: str) -> bool:
    """Return whether the comparison's own test tells a system, or the means over its runs, from the baseline."""
    if table.too_few is not None:
        return False
    name = system
    rows = table.rows
    if comparison.joins_runs:
        rows = table_of_means(table, comparison.alpha).rows
    elif comparison.runs:
        (name,) = comparison.runs[system]
    (row,) = (row for row in rows if row.system == name)
    return row.adjusted_pvalue is not None and row.adjusted_pvalue < comparison.alpha


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """The rows of the baseline and of a system, and how far they are apart."""

    table: ScoreTable
    baseline: SegmentStats
    system: SegmentStats
    difference: Difference
    margin: float
    seed: int

    def interval(self, alpha: float) -> _LossInterval:
        """Return the interval of the loss, of level 1 - 2 alpha."""
        differs = (self.baseline.rows != self.system.rows).any(axis=1)
        if self.table.is_exact:
            interval = self._of_shares(alpha, int(differs.sum()))
        else:
            parts = self._losses()
            if not np.isfinite(parts).all():
                return _LossInterval(math.nan, math.nan, "Johnson", int(differs.sum()))
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

    def _of_shares(self, alpha: float, n_different: int) -> _LossInterval:
        """Return Tango's interval: with a width where no answer differs, too."""
        better = self.baseline.column("value")
        worse = self.system.column("value")
        if not self.table.higher_is_better:
            better, worse = worse, better
        bounds = tango(int((better > worse).sum()), int((worse > better).sum()), len(better), 1 - 2 * alpha)
        scale = self.table.scorer.scale
        # Of how many answers, none of which differs, the interval is within the margin.
        needed = None
        share = self.margin / scale
        if share:
            needed = math.ceil(normal_quantile(1 - alpha) ** 2 * (1 - share) / share)
        return _LossInterval(scale * bounds.low, scale * bounds.high, "Tango", n_different, needed)

    def _losses(self) -> NDArray[np.float64]:
        """Return the loss of each unit: of a score that is no mean, its part in that of all (jackknife)."""
        sign = 1 if self.table.higher_is_better else -1
        losses: NDArray[np.float64] = sign * (self._parts(self.baseline) - self._parts(self.system))
        return losses

    def _parts(self, stats: SegmentStats) -> NDArray[np.float64]:
        """Return numbers whose mean is the score, and which for a mean are those of the units."""
        scorer = self.table.scorer
        name = self.table.name
        score = float(scorer.finalize(scorer.corpus_totals(stats))[name])
        if len(stats) < 2:
            return np.array([score])
        without_each = np.asarray(scorer.finalize(stats.total() - stats.rows)[name], np.float64)
        parts: NDArray[np.float64] = score + (len(stats) - 1) * (without_each.mean() - without_each)
        return parts

    def _exceed_rounding(self, parts: NDArray[np.float64]) -> bool:
        """Return whether units differ in this score by more than rounding, where their rows differ."""
        size = max(abs(row.value) for row in self.table.rows)
        # each part is a difference of two scores, times the number of units
        rounding = 16 * float(np.finfo(np.float64).eps) * len(parts) * size
        return bool(np.abs(parts).max() > rounding)

    def _of_parts(self, parts: NDArray[np.float64], differs: NDArray[np.bool_], alpha: float) -> _LossInterval:
        """Return the interval of the loss; what is needed is what its method needs for the margin."""
        n_different = int(differs.sum())
        if len(parts) < 2:
            return _LossInterval(math.nan, math.nan, "Johnson", n_different)
        sign = 1 if self.table.higher_is_better else -1
        # As of the value, 0.0 makes 0.0 of -0.0.
        low, high = sorted(sign * bound + 0.0 for bound in self.difference.interval(1 - 2 * alpha))
        largest = self._largest(parts)
        of_loss = greatest_loss(parts, differs, largest, alpha=alpha, seed=self.seed)
        needed = None
        if self.margin:
            of_gain = greatest_loss(-parts, differs, largest, alpha=alpha, seed=self.seed)
            low = min(low, -of_gain.value)
            if of_loss.method != "Johnson":
                needed = units_of_three(self.margin, largest, alpha)
        return _LossInterval(low, max(high, of_loss.value), of_loss.method, n_different, needed)

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
