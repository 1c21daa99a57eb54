"""Bounds of a loss: Tango's interval, Johnson's t, and what a few units that differ exclude."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import beta, norm, t

from tercet.statistics.noninferiority import (
    effective_number,
    greatest_loss,
    johnson,
    one_more_unit,
    skewness,
    units_of_three,
)
from tercet.statistics.tango import tango


def _score(only_first, only_second, n, difference):
    """Return Tango's statistic, with the likeliest shares found by a search."""
    alike = n - only_first - only_second

    def unlikely(second):
        terms = zip(
            (only_first, only_second, alike), (second + difference, second, 1 - 2 * second - difference), strict=True
        )
        return -sum(count * math.log(max(share, 1e-300)) for count, share in terms if count)

    bounds = (max(0, -difference), (1 - difference) / 2)
    second = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    variance = n * (2 * second + difference - difference**2)
    return (only_first - only_second - n * difference) / math.sqrt(variance)


@pytest.mark.parametrize(
    ("only_first", "only_second", "n"),
    [(5, 2, 40), (2, 5, 40), (0, 3, 10), (3, 0, 10), (12, 12, 30), (1, 0, 200), (60, 20, 100), (7, 0, 7)],
)
def test_tangos_interval_is_where_the_score_test_does_not_reject(only_first, only_second, n):
    interval = tango(only_first, only_second, n, 0.9)
    estimate, z = (only_first - only_second) / n, norm.ppf(0.95)
    if only_first < n:
        high = brentq(lambda d: _score(only_first, only_second, n, d) + z, estimate + 1e-9, 1 - 1e-9)
        assert interval.high == pytest.approx(high, abs=1e-6)
    else:
        assert interval.high == 1
    low = brentq(lambda d: _score(only_first, only_second, n, d) - z, -1 + 1e-9, estimate - 1e-9)
    assert interval.low == pytest.approx(low, abs=1e-6)
    mirrored = tango(only_second, only_first, n, 0.9)
    assert (mirrored.low, mirrored.high) == (-interval.high, -interval.low)


def test_where_no_answer_differs_tangos_interval_has_a_width():
    z = norm.ppf(0.95)
    for n in (5, 100, 10**6):
        assert tango(0, 0, n, 0.9).high == pytest.approx(z * z / (n + z * z), rel=1e-6)


def test_tangos_interval_holds_its_level_by_enumeration():
    """Of losses alone, with the margin as their share: the probability to pass, in all."""
    for n, share in ((100, 0.05), (100, 0.02), (50, 0.1), (200, 0.05)):
        losses = np.arange(n + 1)
        passes = [tango(int(count), 0, n, 0.9).high <= share for count in losses]
        weights = [math.comb(n, int(count)) * share**count * (1 - share) ** (n - count) for count in losses]
        assert sum(weight for weight, is_passed in zip(weights, passes, strict=True) if is_passed) < 0.06


def test_without_skew_johnsons_bound_is_students():
    for losses in (np.arange(20.0), -np.random.default_rng(1).lognormal(size=30)):
        n = len(losses)
        expected = losses.mean() + t.ppf(0.95, n - 1) * losses.std(ddof=1) / math.sqrt(n)
        assert johnson(losses, 0.05) == pytest.approx(expected)


def test_johnsons_bound_solves_halls_equation():
    losses = np.random.default_rng(2).lognormal(size=40)
    deviation = losses.std(ddof=1)
    skew = ((losses - losses.mean()) ** 3).mean() / deviation**3
    assert skewness(losses) == pytest.approx(skew)
    a = skew / (3 * math.sqrt(40))
    root = brentq(lambda x: x + a * x**2 + a**2 * x**3 / 3 + skew / (6 * math.sqrt(40)) + t.ppf(0.95, 39), -50, 0)
    assert johnson(losses, 0.05) == pytest.approx(losses.mean() - root * deviation / math.sqrt(40))
    assert johnson(losses, 0.05) > losses.mean() + t.ppf(0.95, 39) * deviation / math.sqrt(40)


@pytest.mark.parametrize(("d", "n"), [(0, 5), (0, 60), (1, 20), (3, 50), (14, 200), (20, 20)])
def test_if_units_lose_all_or_nothing_the_bound_is_that_of_clopper_and_pearson(d, n):
    losses = np.zeros(n)
    losses[:d] = 7
    bound = one_more_unit(losses, losses > 0, 7, alpha=0.05, seed=1)
    expected = 7 * beta.ppf(0.95, d + 1, n - d) if d < n else 7
    assert bound == pytest.approx(expected, rel=0.02)


def test_the_bound_of_few_units_is_the_quantile_over_uniform_order_statistics():
    """As Learned-Miller and Thomas define it."""
    random = np.random.default_rng(3)
    losses = random.normal(1, 2, 12)
    uniform = np.sort(random.random((40_000, 12)), axis=1)
    spacing = np.diff(np.append(np.sort(losses), 9))
    expected = np.quantile(9 - uniform @ spacing, 0.95)
    assert one_more_unit(losses, losses != 0, 9, alpha=0.05, seed=1) == pytest.approx(expected, rel=0.02)


def test_few_units_or_rare_losses_count_what_was_not_seen():
    random = np.random.default_rng(4)
    ordinary = random.normal(0, 1, 60)
    some = np.ones(60, bool)
    assert greatest_loss(ordinary, some, 100, alpha=0.05, seed=1) == (johnson(ordinary, 0.05), "Johnson")
    few = np.arange(60) < 14
    bound = greatest_loss(np.where(few, 1.0, 0), few, 100, alpha=0.05, seed=1)
    assert (bound.method, bound.value > 3) == ("Learned-Miller and Thomas", True)
    # one great loss, beside many small ones
    bound = greatest_loss(np.append(ordinary, 90), np.append(some, True), 100, alpha=0.05, seed=1)
    assert bound.method == "Learned-Miller and Thomas"
    assert effective_number(np.append(ordinary, 90)) < 4
    assert effective_number(np.full(9, 2.5)) == pytest.approx(9)
    assert effective_number(np.zeros(9)) == 0
    assert greatest_loss(ordinary, some, 100, alpha=0.05, seed=1) == greatest_loss(
        ordinary, some, 100, alpha=0.05, seed=2
    )


def test_a_few_great_losses_count_what_was_not_seen_and_a_few_great_gains_do_not():
    """Of 100 units that all differ, which are enough: it is the skewness that decides."""
    losses = np.array([1.0] * 95 + [8.0] * 5)
    differs = np.ones(100, bool)
    assert effective_number(losses) > 40
    assert greatest_loss(losses, differs, 100, alpha=0.05, seed=1).method == "Learned-Miller and Thomas"
    assert greatest_loss(-losses, differs, 100, alpha=0.05, seed=1).method == "Johnson"


def test_the_units_of_the_rule_of_three_are_the_fewest_that_do():
    for margin in (0.5, 5, 30):
        n = units_of_three(margin, 100, 0.05)
        nothing = np.zeros(n)
        assert one_more_unit(nothing, nothing > 0, 100, alpha=0.05, seed=1) <= margin
        assert one_more_unit(nothing[1:], nothing[1:] > 0, 100, alpha=0.05, seed=1) > margin
    assert units_of_three(5, 5, 0.05) is None
    assert units_of_three(5, math.inf, 0.05) is None
