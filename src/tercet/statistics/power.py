"""How small a difference so many segments can show, and how many segments a difference needs.

How much the difference of two systems varies is told by a :class:`PairVariation`; the functions below it compute from
that how many units a test needs: a permutation test, or McNemar's exact test of two shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .distributions import normal_quantile, t_quantile
from .rounding import ROUNDING
from .stats import SegmentStats, differ

#: Where fewer units differ, the test finds less than the formula promises.
FEWEST_DIFFERENT = 15

#: A difference smaller than this share of what a unit varies by needs more units than can be counted.
_SMALLEST_SHARE = 1e-9
#: From how many units on the normal distribution stands for Student's t.
MANY = 30
#: From how many items that only one of two systems has right on the normal distribution stands for McNemar's test.
_MANY_DISCORDANT = 3000
#: The least level that the binomial distribution is computed for.
_LEAST_LEVEL = 1e-300


@dataclass(frozen=True, slots=True)
class PairVariation:
    """How much the difference of two systems varies, and what that says of differences and numbers of units.

    Attributes
    ----------
    error : float
        The standard error of the difference, by paired resamples.
    n_units : int
        Of how many segments, or clusters.
    scale : float or None
        Of items that score 0 or this much, which McNemar's exact test compares; None for other scores.
    discordant : float
        The share of items that only one of the two systems has right.
    """

    error: float
    n_units: int
    scale: float | None = None
    discordant: float = 0.0

    def smallest(self, **settings: Any) -> float | None:
        """Return the smallest difference that the units show; settings are alpha, power and number of pairs."""
        if self.scale is None:
            return smallest_difference(self.error, self.n_units, **settings)
        difference = smallest_share_difference(self.discordant, self.n_units, **settings)
        return None if difference is None else self.scale * difference

    def needed(self, difference: float, **settings: Any) -> int | None:
        """Return how many units show a difference."""
        if self.scale is None:
            return units_needed(difference, self.error, self.n_units, **settings)
        return share_items_needed(difference / self.scale, self.discordant, **settings)


class SystemDraws(NamedTuple):
    """The units of a system, and its score in resamples of them, which those of other systems share."""

    units: SegmentStats
    resampled: NDArray[np.float64]


def pair_variation(
    first: SystemDraws, second: SystemDraws, exact_scale: float | None, *, fewest_different: int = FEWEST_DIFFERENT
) -> PairVariation | None:
    """Return how much the difference of two systems varies; None where they differ in few units, or by rounding."""
    n_units = len(first.units)
    n_different = int(differ(first.units, second.units).sum())
    if n_different < fewest_different:
        return None
    error = paired_error(first.resampled, second.resampled)
    if error is None:
        return None
    return PairVariation(error, n_units, exact_scale, n_different / n_units)


def paired_error(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    """Return the standard error of the difference of two scores by their paired resamples; None of rounding alone."""
    error = float(np.std(first - second, ddof=1))
    if error <= ROUNDING * float(np.abs(second).max()):
        return None
    return error


def smallest_difference(
    standard_error: float, n_units: int, *, alpha: float, power: float, n_pairs: int = 1
) -> float | None:
    """Return the true difference that a two-sided permutation test finds with this probability: the power.

    The standard error is that of the difference of two scores under paired resampling of the units. Of several pairs,
    alpha is divided by their number, as in the first step of Holm's method; where they are adjusted by the step-down
    maximum, which finds more, the power is a little higher than promised. None where nothing varies, or where so few
    units can show no difference.
    """
    if n_units < 2 or not standard_error > 0 or n_units < _least_units(alpha / n_pairs):
        return None
    spread = _deviation_of_unit(standard_error, n_units)
    return _errors_needed(n_units, alpha / n_pairs, power) * spread / math.sqrt(n_units)


def units_needed(
    difference: float, standard_error: float, n_units: int, *, alpha: float, power: float, n_pairs: int = 1
) -> int | None:
    """Return how many units, alike those whose standard error is given, show a difference with this probability.

    The level of several pairs is that of :func:`smallest_difference`. None where nothing varies, or where no number
    of units that could be written shows it.
    """
    if n_units < 2 or not standard_error > 0:
        return None
    spread = _deviation_of_unit(standard_error, n_units)
    if abs(difference) < _SMALLEST_SHARE * spread:
        return None
    ratio = spread / abs(difference)
    least = _least_units(alpha / n_pairs)
    needed = max(least, math.ceil((_errors_needed(MANY, alpha / n_pairs, power) * ratio) ** 2))
    # So few are tested with Student's t, which asks for more of them.
    for n_few in range(needed, MANY):
        if _errors_needed(n_few, alpha / n_pairs, power) * ratio <= math.sqrt(n_few):
            return n_few
    return max(needed, MANY)


def smallest_share_difference(
    discordant: float, n_items: int, *, alpha: float, power: float, n_pairs: int = 1
) -> float | None:
    """Return the true difference of two shares that McNemar's exact test finds with this probability.

    `discordant` is the share of items that only one of the two systems has right; of a larger difference, that is the
    difference. The level of several pairs is that of :func:`smallest_difference`. None where so few items can show no
    difference.
    """
    level = max(alpha / n_pairs, _LEAST_LEVEL)
    if n_items < _least_units(level):
        return None
    errors = _errors_needed(MANY, level, power)
    # The variance of an item's difference is the discordant share less the square of the difference.
    low = errors * math.sqrt(discordant / (n_items + errors**2))
    if discordant * n_items > _MANY_DISCORDANT:
        return low
    high = min(2 * low, 1.0)
    if high == 0:
        high = 1 / n_items
    while high < 1 and share_power(high, discordant, n_items, alpha=level) < power:
        low = high
        high = min(2 * high, 1.0)
    if share_power(low, discordant, n_items, alpha=level) >= power:
        low = 0.0
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        if share_power(middle, discordant, n_items, alpha=level) < power:
            low = middle
        else:
            high = middle
    return high


def share_items_needed(
    difference: float, discordant: float, *, alpha: float, power: float, n_pairs: int = 1
) -> int | None:
    """Return how many items show a difference of two shares to McNemar's exact test with this probability.

    `discordant` and the level are those of :func:`smallest_share_difference`. The power can go down a little from one
    number of items to the next, as the test is discrete: this number reaches it, and one less does not. None where no
    number of items that could be written shows it.
    """
    level = max(alpha / n_pairs, _LEAST_LEVEL)
    discordant = max(discordant, difference)
    if difference <= _SMALLEST_SHARE * math.sqrt(discordant):
        return None
    errors = _errors_needed(MANY, level, power)
    by_normal = math.ceil(errors**2 * (discordant - difference**2) / difference**2)
    if by_normal * discordant > _MANY_DISCORDANT:
        return by_normal
    low = _least_units(level) - 1
    high = max(by_normal, low + 1)
    while share_power(difference, discordant, high, alpha=level) < power:
        low = high
        high = math.ceil(1.1 * high)
    while high - low > 1:
        middle = (low + high) // 2
        if share_power(difference, discordant, middle, alpha=level) < power:
            low = middle
        else:
            high = middle
    return high


def share_power(difference: float, discordant: float, n_items: int, *, alpha: float) -> float:
    """Return with which probability McNemar's exact two-sided test finds that the better of two shares is higher.

    Summed over how many of the items only one of the two has right (Duffy 1984, *Biometrics* 40, 1005-1015).
    """
    discordant = max(discordant, difference)
    if discordant == 0:
        return 0.0
    # Of the items that only one has right, the share that the better system has.
    better = (1 + difference / discordant) / 2
    if discordant >= 1:
        return float(_power_by_discordant(better, alpha, n_items)[n_items])
    expected = n_items * discordant
    most = min(n_items, math.ceil(expected + 10 * math.sqrt(expected) + 10))
    counts = np.arange(1, most + 1)
    steps = np.log((n_items - counts + 1) / counts) + math.log(discordant) - math.log1p(-discordant)
    log_of_none = n_items * math.log1p(-discordant)
    probabilities = np.exp(np.concatenate([[log_of_none], log_of_none + np.cumsum(steps)]))
    return float(probabilities @ _power_by_discordant(better, alpha, most))


def _power_by_discordant(better: float, alpha: float, most: int) -> NDArray[np.float64]:
    """Return the power where 0, 1 ... items are discordant, of which a share is expected to be the better system's.

    The test finds the better system where the other one has at most so many of them, the critical number, that a fair
    coin would fall so rarely.
    """
    power = np.zeros(most + 1)
    least = _least_units(alpha)
    # How often the other system has a discordant item: where both are as good, and as expected.
    fair = _BinomialTail(0.5, least)
    expected = _BinomialTail(1 - better, least)
    for n in range(least, most + 1):
        if n > least:
            fair.add_trial()
            expected.add_trial()
        if 2 * (fair.probability + fair.next_point()) < alpha:
            # The critical number may be one greater.
            fair.add_success()
            expected.add_success()
        power[n] = expected.probability
    return power


class _BinomialTail:
    """With which probability at most k of n trials succeed: k = 0 at first, then step by step."""

    def __init__(self, share: float, n: int) -> None:
        self._share = share
        self._n = n
        self._k = 0
        #: Of exactly k.
        self._point = (1 - share) ** n
        self.probability = self._point

    def add_trial(self) -> None:
        """Make it at most k of n + 1: not where k of n succeed, and the further one too."""
        self.probability -= self._share * self._point
        self._n += 1
        self._point *= (1 - self._share) * self._n / (self._n - self._k)

    def next_point(self) -> float:
        """Return the probability of exactly k + 1."""
        odds = self._share / (1 - self._share)
        return self._point * odds * (self._n - self._k) / (self._k + 1)

    def add_success(self) -> None:
        """Make it at most k + 1."""
        self._point = self.next_point()
        self._k += 1
        self.probability += self._point


def _least_units(level: float) -> int:
    """Return how many units can show a difference, at least: of 2ⁿ permutations, two are as large as any."""
    return max(2, math.floor(1 - math.log2(level)) + 1)


def _deviation_of_unit(standard_error: float, n_units: int) -> float:
    """Return the standard deviation of a unit's part in the difference; resamples of few units vary too little."""
    if n_units >= MANY:
        return standard_error * math.sqrt(n_units)
    return standard_error * math.sqrt(n_units * n_units / (n_units - 1))


def _errors_needed(n_units: int, alpha: float, power: float) -> float:
    """Return how many standard errors a difference must be, to be found with this probability."""
    if n_units >= MANY:
        # The greatest number below 1, where alpha is smaller than what floats can take from 1.
        level = min(1 - alpha / 2, 1 - 2**-53)
        return normal_quantile(level) + normal_quantile(power)
    # Few permutations have few p: the test rejects at the largest one below alpha.
    n_below = math.ceil(alpha * 2.0 ** (n_units - 1)) - 1
    level = n_below / 2.0 ** (n_units - 1)
    errors = t_quantile(1 - level / 2, n_units - 1) + t_quantile(power, n_units - 1)
    if n_below == 1:
        # Only where all units favour one system: each does so with the n-th root of the power.
        return max(errors, math.sqrt(n_units) * normal_quantile(power ** (1 / n_units)))
    return errors
