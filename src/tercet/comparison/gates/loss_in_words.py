"""By how much a system is worse than the baseline, and what a gate says of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from tercet.comparison.wording.decimals import in_two_digits
from tercet.table_formats import decimals

#: What people call the methods by which the ends of an interval are found.
_METHODS = {
    "Student": "Student's t",
    "Johnson": "Johnson's t",
    "Welch": "Welch's t",
    "Tango": "Tango's interval",
    "Learned-Miller and Thomas": "the bound of Learned-Miller and Thomas",
}
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
        How the upper end was found; see :func:`~tercet.comparison.gates.gate.losses_of_all`.
    method_of_low : {"Tango", "Student", "Johnson", "Learned-Miller and Thomas", "Welch"}
        How the lower end was found, which decides without a margin.
    units : Units
    n_tests : int
        How many losses share alpha, as they are tested together without a margin.
    is_told_apart : bool or None
        Whether the comparison's own test, whose p tables show, finds the difference significant; None without one.
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
    method_of_low: str
    units: Units
    n_tests: int = 1
    is_told_apart: bool | None = None

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
        by = ""
        if self.is_told_apart is False:
            # The table beside it says that the difference is not significant.
            by = " by the gate's own test"
        significantly = f", significantly{by}" if is_significant else ""
        if self.value > 0:
            return f"{amount} worse{significantly}"
        if not self.value:
            return f"the same {self.score.title}{significantly}"
        if self.score.higher_is_better:
            return f"scores {amount} higher{significantly}"
        if is_significant:
            return f"scores {amount} lower, which is significantly better{by}"
        return f"scores {amount} lower, which is better"

    def _units_needed(self) -> str:
        """Return how many units the margin needs; "" where there are so many."""
        if self.units.needed is None:
            return ""
        return f" About {in_two_digits(self.units.needed)} {self.units.unit}s would be needed."

    def _interval(self) -> str:
        by_low = ""
        # A gate with a margin and one without have other intervals of the same loss.
        if self.method_of_low != self.method:
            by_low = f" by {_METHODS[self.method_of_low]}"
        bounds = f"{self._number(self.low)}{by_low} to {self._number(self.high)} by {_METHODS[self.method]}"
        return f"{100 * self.level:.3g} % interval of the loss: {bounds}"

    def _amount(self, value: float) -> str:
        unit = "points of " if self.score.is_percent else ""
        return f"{self._number(value)} {unit}{self.score.title}"

    def _number(self, value: float) -> str:
        if not value or math.isnan(value) or abs(value) >= 10.0**-self.score.digits:
            return decimals(value, self.score.digits)
        return f"{value:.2g}"
