"""Tango's interval of the difference of two shares of right answers to the same items."""

from __future__ import annotations

import math

from .distributions import normal_quantile
from .intervals import ConfidenceInterval


def tango(only_first: int, only_second: int, n: int, level: float) -> ConfidenceInterval:
    """Return the score interval of the difference of two shares of the same n items, first less second.

    It has the differences that a score test does not reject (Tango 1998, Statistics in Medicine 17, 891-908,
    section 3), and a width where no item differs.

    Parameters
    ----------
    only_first, only_second : int
        Items that one of the two alone has right.
    n : int
        All items.
    level : float
        Of the interval, two-sided.

    Examples
    --------
    >>> low, high = tango(5, 2, 40, 0.9)
    >>> print(f"{low:.4f} to {high:.4f}")
    -0.0390 to 0.1964
    """
    z = normal_quantile((1 + level) / 2)
    low = -_greatest_share(only_second, only_first, n, z)
    return ConfidenceInterval(low + 0.0, _greatest_share(only_first, only_second, n, z))


def _greatest_share(only_first: int, only_second: int, n: int, z: float) -> float:
    """Return the greatest difference of two paired shares that the score test does not reject."""
    low = (only_first - only_second) / n
    high = 1.0
    if only_first == n:
        return high
    # bisection until no number lies between the two
    while low < (middle := (low + high) / 2) < high:
        gap = only_first - only_second - n * middle
        variance = n * (2 * _share_of_second(only_first, only_second, n, middle) + middle * (1 - middle))
        if gap * gap <= z * z * variance:
            low = middle
        else:
            high = middle
    return low


def _share_of_second(only_first: int, only_second: int, n: int, difference: float) -> float:
    """Return the likeliest share of items that the second alone has right, given the difference of the shares."""
    # the greater root of 2 n x² + b x + c
    b = (2 * n - only_first + only_second) * difference - only_first - only_second
    c = -only_second * difference * (1 - difference)
    root = math.sqrt(max(b * b - 8 * n * c, 0.0))
    if b > 0:
        # the difference of the two would lose its digits
        return -2 * c / (root + b)
    return (root - b) / (4 * n)
