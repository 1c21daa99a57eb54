"""Tails, quantiles, McNemar's test and Wilson's interval are those of scipy.stats."""

import math

import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tercet.statistics.distributions import (
    binomial_tail,
    incomplete_beta,
    normal_quantile,
    t_quantile,
    t_tail,
    welch_freedom,
)
from tercet.statistics.mcnemar import mcnemar
from tercet.statistics.wilson import wilson

FREEDOMS = st.one_of(st.integers(1, 5000), st.floats(1, 1e4))
COUNTS = st.tuples(st.integers(0, 400), st.integers(0, 400))


@given(st.floats(0, 1), st.floats(0.5, 300), st.floats(0.5, 300))
def test_the_incomplete_beta_function(x, a, b):
    assert incomplete_beta(x, a, b) == pytest.approx(scipy.special.betainc(a, b, x), rel=1e-9, abs=1e-14)


@given(st.floats(-60, 60), FREEDOMS)
def test_the_tail_of_student_s_t(t, freedom):
    # abs=0: small tails have digits, too
    assert t_tail(t, freedom) == pytest.approx(scipy.stats.t.sf(t, freedom), rel=1e-9, abs=0)


def test_a_t_without_end():
    assert (t_tail(math.inf, 3), t_tail(-math.inf, 3), t_tail(1e-200, 3)) == (0, 1, 0.5)


@given(st.floats(1e-6, 1 - 1e-6), FREEDOMS)
def test_quantiles_of_student_s_t(share, freedom):
    assert t_quantile(share, freedom) == pytest.approx(scipy.stats.t.ppf(share, freedom), rel=1e-8, abs=1e-12)


def test_quantiles_without_end_of_freedom_are_those_of_the_normal_distribution():
    for share in (0.025, 0.5, 0.8, 0.975):
        assert normal_quantile(share) == pytest.approx(scipy.stats.norm.ppf(share))
        assert t_quantile(share, math.inf) == normal_quantile(share)


@given(COUNTS)
def test_mcnemar_is_the_binomial_test_of_the_items_that_one_alone_got_right(counts):
    expected = scipy.stats.binomtest(counts[0], sum(counts), 0.5).pvalue if sum(counts) else 1.0
    assert mcnemar(*counts) == mcnemar(*reversed(counts)) == pytest.approx(expected, rel=1e-9, abs=0)


@given(COUNTS)
def test_the_tail_of_the_binomial_distribution(counts):
    most, n = min(counts), max(counts)
    assert binomial_tail(most, n) == pytest.approx(scipy.stats.binom.cdf(most, n, 0.5), rel=1e-9, abs=0)


def test_the_tail_of_many_items_is_that_of_scipy():
    for most, n in ((499_000, 1_000_000), (49_990_000, 100_000_000), (4_000, 10_000)):
        assert binomial_tail(most, n) == pytest.approx(scipy.stats.binom.cdf(most, n, 0.5), rel=1e-5)


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from((0.8, 0.95, 0.999)))
def test_wilson_s_interval(successes, n, level):
    successes = min(successes, n)
    expected = scipy.stats.binomtest(successes, n).proportion_ci(level, "wilson")
    assert wilson(successes, n, level) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-12)


PARTS = st.lists(st.tuples(st.floats(1e-9, 1e9), st.integers(1, 500)), min_size=1, max_size=5)


@given(PARTS)
def test_the_freedom_of_a_sum_is_that_of_welch_and_satterthwaite_to_the_bit(parts):
    variances, freedoms = zip(*parts, strict=True)
    shares = [variance**2 / freedom for variance, freedom in parts]
    assert welch_freedom(variances, freedoms) == math.fsum(variances) ** 2 / math.fsum(shares)


@given(PARTS, st.sampled_from([-900, -600, 600, 900]))
def test_the_freedom_of_a_sum_does_not_depend_on_the_unit_of_scores(parts, exponent):
    variances, freedoms = zip(*parts, strict=True)
    scaled = [math.ldexp(variance, exponent) for variance in variances]
    assert welch_freedom(scaled, freedoms) == welch_freedom(variances, freedoms)


def test_a_sum_of_variances_of_which_one_is_0_has_the_freedom_of_the_other():
    assert welch_freedom([0.0, 2e-200], [3, 7]) == 7
