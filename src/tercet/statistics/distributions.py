"""Student's t, the normal and the binomial distribution: shares, quantiles, degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence


def normal_quantile(share: float) -> float:
    """Return the number below which a share of the standard normal distribution lies."""
    # It imports fractions and decimal, which few calls need.
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def normal_share(deviate: float) -> float:
    """Return the share of the standard normal distribution below a number."""
    return math.erfc(-deviate / math.sqrt(2)) / 2


def t_tail(t: float, freedom: float) -> float:
    """Return the share of Student's t distribution above t, by Abramowitz and Stegun 1964, 26.7.1."""
    if t == 0:
        return 0.5
    if t * t < 1e-4 * freedom:
        # The share within -t and t: 1 less the first argument below would lose its digits.
        tail = 1 - incomplete_beta(t * t / (freedom + t * t), 0.5, freedom / 2)
    else:
        tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return tail / 2 if t > 0 else 1 - tail / 2


def t_quantile(share: float, freedom: float) -> float:
    """Return the number below which a share of Student's t distribution lies; freedom may be infinite."""
    if math.isinf(freedom):
        return normal_quantile(share)
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    low = 0.0
    high = 1.0
    while t_tail(high, freedom) > 1 - share:
        low = high
        high *= 2
    # bisection until no number lies between the two
    while low < (middle := (low + high) / 2) < high:
        if t_tail(middle, freedom) > 1 - share:
            low = middle
        else:
            high = middle
    return low


def welch_freedom(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of independent variances, not all 0 (Welch and Satterthwaite, 1946)."""
    # Squares of very small or large variances are no floats; a power of two changes no digit.
    _, exponent = math.frexp(max(variances))
    scaled = [math.ldexp(variance, -exponent) for variance in variances]
    shares = [variance**2 / freedom for variance, freedom in zip(scaled, freedoms, strict=True)]
    return math.fsum(scaled) ** 2 / math.fsum(shares)


def binomial_tail(most: int, n: int) -> float:
    """Return the probability that a fair coin falls on heads at most so many times in n."""
    return 1.0 if most >= n else incomplete_beta(0.5, n - most, most + 1)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function, from its continued fraction (DLMF 8.17.22)."""
    if not 0 < x < 1:
        return float(x > 0)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    # The fraction converges fast on this side; on the other, the function is 1 minus itself with a and b exchanged.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    # Instead of a denominator of 0.
    tiny = 1e-300
    c = 1.0
    d = 1 / max(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    # it takes about as many steps as the square root of the greater parameter
    for step in range(1, 100_000):
        for factor in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            d = 1 / ((1 + factor * d) or tiny)
            c = (1 + factor / c) or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return fraction
