"""Williams' test of two correlations that share a side."""

from __future__ import annotations

import math


def williams(r_one: float, r_other: float, r_between: float, n: int) -> float:
    """Return p that the second of two dependent Pearson correlations is no greater than the first.

    Parameters
    ----------
    r_one, r_other : float
        Of the grades with each of both metrics.
    r_between : float
        Of both metrics.
    n : int
        Points.

    Returns
    -------
    float
        One-sided; NaN with fewer than four points.

    Notes
    -----
    Source: Williams 1959; Steiger 1980; Graham and Baldwin 2014.

    Examples
    --------
    >>> round(williams(0.5, 0.7, 0.6, 50), 4)
    0.0192
    """
    if n < 4 or math.isnan(r_one + r_other + r_between):
        return math.nan
    if r_between >= 1 - 1e-12:
        return 0.5 if math.isclose(r_one, r_other, abs_tol=1e-12) else float(r_other < r_one)
    k = 1 - r_one**2 - r_other**2 - r_between**2 + 2 * r_one * r_other * r_between
    middle = ((r_one + r_other) / 2) ** 2
    below = 2 * max(k, 0.0) * (n - 1) / (n - 3) + middle * (1 - r_between) ** 3
    t = (r_other - r_one) * math.sqrt((n - 1) * (1 + r_between) / below)
    return t_tail(t, n - 3)


def t_tail(t: float, freedom: int) -> float:
    """Return the share of Student's t distribution above t.

    Notes
    -----
    Source: the incomplete beta function, by Lentz's continued fraction (DLMF 8.17.22).

    Examples
    --------
    >>> round(t_tail(2.0, 10), 6), t_tail(0.0, 3)
    (0.036694, 0.5)
    """
    x, a, b = freedom / (freedom + t * t), freedom / 2, 0.5
    if t == 0:
        return 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    inner = x < (a + 1) / (a + b + 2)
    tail = front * _fraction(x, a, b) / a if inner else 1 - front * _fraction(1 - x, b, a) / b
    return tail / 2 if t > 0 else 1 - tail / 2


def _fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    found = d
    for step in range(1, 300):
        for factor in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            d, c = 1 / ((1 + factor * d) or tiny), (1 + factor / c) or tiny
            found *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return found
