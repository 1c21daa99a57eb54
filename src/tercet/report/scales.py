"""The scales of charts: where values stand, and round values for the labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .rendering import minus

#: Share of a scale's width left free at both ends, so that no mark is cut.
_MARGIN = 0.06
#: Digits of the labels of a scale: so many at least, and as many as a number has for sure at most.
_LEAST_DIGITS = 6
_MOST_DIGITS = 15


def bounds(values: Iterable[float], *, share: float = _MARGIN) -> tuple[float, float]:
    """Return where a scale of these values begins and ends; a share of it is free at both ends."""
    finite = [value for value in values if math.isfinite(value)]
    low = min(finite, default=0.0)
    high = max(finite, default=1.0)
    margin = share * (high - low)
    if margin == 0:
        # all values are the same: the scale must not be empty
        margin = share * max(abs(high), 1.0)
    return low - margin, high + margin


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from `start` to `stop` for the values from `low` to `high`: in percent of a width, or in pixels."""

    low: float
    high: float
    start: float = 0.0
    stop: float = 100.0

    def position(self, value: float) -> float:
        """Return where a value stands, NaN nowhere; what is beyond an end stands at that end."""
        # in this order of arguments, NaN stays NaN
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.start + (self.stop - self.start) * share

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return round values, at most one more than `most`: where each stands, and its label."""
        values = _round_values(self.low, self.high, most)
        digits = _digits_of(values)
        return [(self.position(value), minus(f"{value:.{digits}g}")) for value in values]


def better_right(low_and_high: tuple[float, float], *, lower_is_better: bool) -> Scale:
    """Return the scale of a width on which better values stand further right."""
    if lower_is_better:
        return Scale(*low_and_high, 100.0, 0.0)
    return Scale(*low_and_high)


def _round_values(low: float, high: float, most: int) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten between two numbers: at least two."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = [factor * power for factor in (1, 2, 5, 10, 20)]
    number = 0
    while steps[number] * most < high - low:
        number += 1
    values = _multiples(steps[number], low, high)
    # a step that is wide enough may have one multiple only
    while len(values) < 2 and number > 0:
        number -= 1
        values = _multiples(steps[number], low, high)
    return values


def _digits_of(values: Sequence[float]) -> int:
    """Return how many digits the labels of values at equal steps need: six, or more where the steps are small."""
    step = values[1] - values[0]
    if step <= 0:
        return _LEAST_DIGITS
    greatest = max(abs(values[0]), abs(values[-1]))
    needed = math.floor(math.log10(greatest)) - math.floor(math.log10(step)) + 1
    return min(max(needed, _LEAST_DIGITS), _MOST_DIGITS)


def _multiples(step: float, low: float, high: float) -> list[float]:
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
