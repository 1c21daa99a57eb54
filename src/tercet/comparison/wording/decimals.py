"""With how many decimals people read scores, differences and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from tercet.base.metric import Metric
from tercet.table_formats import decimals

NumberT = TypeVar("NumberT", int, float)


def digits_of(metric: Metric, values: Iterable[float | None]) -> int:
    """Return with how many decimals people read scores: two, or four of scores that are no percents and small."""
    small = all(value is None or math.isnan(value) or abs(value) < 10 for value in values)
    return digits_of_scale(metric.scale) if small else 2


def digits_of_scale(scale: float) -> int:
    """Return with how many decimals people read shares of 1, or percents."""
    return 4 if scale == 1 else 2


def figures(difference: float, digits: int) -> str:
    """Return a difference with the decimals of the score, or two digits where that is 0."""
    return decimals(difference, digits) if difference >= 10.0**-digits else f"{difference:.2g}"


def percent(share: float) -> str:
    """Return a share of 1, such as a level, in percent."""
    return f"{100 * share:g} %"


def in_two_digits(count: int) -> str:
    """Return a number with two digits: more would promise too much."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // unit) * unit:,}"


def between(numbers: Collection[NumberT], as_text: Callable[[NumberT], str]) -> str:
    """Return the least and greatest of some numbers as texts, or one text where these are equal."""
    least = as_text(min(numbers))
    greatest = as_text(max(numbers))
    return least if least == greatest else f"{least} to {greatest}"
