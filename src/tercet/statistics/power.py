"""How small a difference so many segments can show, and how many segments a difference needs."""

from __future__ import annotations

import math

from .distributions import normal_quantile, t_quantile

#: A difference smaller than this share of what a unit varies by needs more units than can be counted.
_SMALLEST_SHARE = 1e-9
#: From how many units on the normal distribution stands for Student's t.
MANY = 30


def smallest_difference(
    standard_error: float, n_units: int, *, alpha: float, power: float, n_pairs: int = 1
) -> float | None:
    """Return the true difference that a two-sided test finds with this probability: the power.

    The standard error is that of the difference of two scores under paired resampling of the units. Of several pairs,
    alpha is divided by their number, as in the first step of Holm's method. None where nothing varies.
    """
    if n_units < 2 or not standard_error > 0:
        return None
    spread = _spread(standard_error, n_units)
    return _quantiles(n_units, alpha / n_pairs, power) * spread / math.sqrt(n_units)


def units_needed(
    difference: float, standard_error: float, n_units: int, *, alpha: float, power: float, n_pairs: int = 1
) -> int | None:
    """Return how many units, alike those whose standard error is given, show a difference with this probability.

    None where nothing varies, or where no number of units that could be written shows it.
    """
    if n_units < 2 or not standard_error > 0:
        return None
    spread = _spread(standard_error, n_units)
    if abs(difference) < _SMALLEST_SHARE * spread:
        return None
    ratio = spread / abs(difference)
    # Of the 2ⁿ permutations of n units, two differ by as much as the systems do: with fewer, nothing is significant.
    least = math.floor(1 - math.log2(alpha / n_pairs)) + 1
    needed = max(least, math.ceil((_quantiles(MANY, alpha / n_pairs, power) * ratio) ** 2))
    # So few are tested with Student's t, which asks for more of them.
    for n_few in range(max(needed, 2), MANY):
        if _quantiles(n_few, alpha / n_pairs, power) * ratio <= math.sqrt(n_few):
            return n_few
    return max(needed, MANY)


def _spread(standard_error: float, n_units: int) -> float:
    """Return the standard deviation of a unit's part in the difference; resamples of few units vary too little."""
    return standard_error * math.sqrt(n_units if n_units >= MANY else n_units * n_units / (n_units - 1))


def _quantiles(n_units: int, alpha: float, power: float) -> float:
    # the greatest number below 1, where alpha is smaller than what floats can take from 1
    level = min(1 - alpha / 2, 1 - 2**-53)
    if n_units >= MANY:
        return normal_quantile(level) + normal_quantile(power)
    return t_quantile(level, n_units - 1) + t_quantile(power, n_units - 1)
