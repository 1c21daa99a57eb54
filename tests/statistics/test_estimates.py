"""Scores over units and runs, and the test of differences with both variances: against scipy.stats and formulas."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tercet.statistics.estimates import Estimate, Variance, difference, mean_of_runs, pooled_variance
from tercet.statistics.resampled_scores import bootstrap_scores
from tercet.statistics.stats import SegmentStats

SCORES = st.floats(-100, 100, allow_nan=False).map(lambda score: round(score, 3))
RUNS = st.lists(SCORES, min_size=2, max_size=6).filter(lambda runs: np.ptp(runs) > 0.01)


class Mean:
    """The mean of a column of numbers."""

    def finalize(self, totals):
        return {"mean": totals[..., 1] / totals[..., 0]}

    def corpus_totals(self, stats):
        return stats.total()

    def check_call(self, **_):
        pass


def stats_of(values):
    return SegmentStats(None, ("items", "value"), np.column_stack([np.ones(len(values)), values]))


def estimates_of(systems, n_resamples=1000, seed=12345):
    """Return the mean of the numbers of each system, with paired resamples."""
    draws = bootstrap_scores(Mean(), list(map(stats_of, systems)), n_resamples, seed)
    return [
        Estimate(float(np.mean(values)), scores["mean"], len(values))
        for values, scores in zip(systems, draws, strict=True)
    ]


def constant(value, n_units=100):
    """Return the estimate of a score that resampling does not change."""
    return Estimate(value, np.full(50, value), n_units)


@given(RUNS, RUNS)
def test_where_only_runs_vary_the_test_is_welch_s(first_runs, second_runs):
    first, second = (mean_of_runs([constant(run) for run in runs]) for runs in (first_runs, second_runs))
    result = difference(first, second)
    expected = scipy.stats.ttest_ind(second_runs, first_runs, equal_var=False)
    assert result.value == pytest.approx(np.mean(second_runs) - np.mean(first_runs))
    assert result.pvalue() == pytest.approx(expected.pvalue, rel=1e-7, abs=1e-12)
    if result.value:
        assert result.t == pytest.approx(expected.statistic, rel=1e-7)
    assert result.variance.freedom == pytest.approx(expected.df, rel=1e-7)
    low, high = expected.confidence_interval(0.9)
    assert result.interval(0.9) == pytest.approx((low, high), rel=1e-6, abs=1e-9)


def test_where_only_units_vary_the_variance_is_that_of_paired_differences():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 40))
    one, other = estimates_of([first, second], n_resamples=20_000)
    result = difference(one, other)
    expected = scipy.stats.ttest_rel(second, first)
    assert result.value == pytest.approx(np.mean(second - first))
    assert result.variance.value == pytest.approx(np.var(second - first, ddof=1) / 40, rel=0.03)
    assert result.variance.freedom == pytest.approx(39)
    assert result.pvalue() == pytest.approx(expected.pvalue, abs=0.01)
    assert result.standard_error == np.std(other.resampled - one.resampled, ddof=1)


def test_variances_of_units_and_runs_add_up():
    draws = np.random.default_rng(1).normal(size=(2, 1000))
    first = Estimate(0.0, draws[0], 50, runs=(-1.0, 1.0, 0.0))
    second = Estimate(1.0, draws[1], 50, runs=(0.5, 1.5))
    result = difference(first, second)
    parts = [np.var(draws[1] - draws[0], ddof=1) * 50 / 49, 1 / 3, 0.5 / 2]
    total = sum(parts)
    assert result.variance.value == pytest.approx(total)
    freedoms = (49, 2, 1)
    below = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    assert result.variance.freedom == pytest.approx(total**2 / below)
    alone = second.interval(0.95)
    assert sum(alone) / 2 == pytest.approx(1.0)


@pytest.mark.parametrize("exponent", [-340, 270])
def test_scores_near_the_ends_of_floats_have_the_freedom_of_others(exponent):
    runs = {"кот": [0.5, 0.75, 0.25], "猫": [1.5, 1.0, 1.125]}
    usual = difference(*(mean_of_runs([constant(run) for run in system]) for system in runs.values()))
    scaled = [[math.ldexp(run, exponent) for run in system] for system in runs.values()]
    small = difference(*(mean_of_runs([constant(run) for run in system]) for system in scaled))
    assert small.variance.freedom == usual.variance.freedom


def test_one_run_takes_the_variance_of_runs_of_other_systems():
    one, three = constant(0.0), Estimate(1.0, np.ones(50), 100, (0.0, 1.0, 2.0))
    two = Estimate(1.0, np.ones(50), 100, (0.0, 2.0))
    pooled = pooled_variance([one, three, two])
    assert pooled == Variance((2 * 1 + 1 * 2) / 3, 3)
    assert difference(one, three, pooled).variance == pytest.approx((pooled.value * (1 + 1 / 3), 3))
    assert difference(one, three).variance.value == 0
    assert pooled_variance([one]) is None
    assert one.interval(0.95) == (0.0, 0.0)
    assert one.interval(0.95, pooled).high == pytest.approx(scipy.stats.t.ppf(0.975, 3) * math.sqrt(4 / 3))


def test_a_mean_over_one_run_says_nothing_of_the_spread_of_runs():
    one, two = mean_of_runs([constant(1.0)]), mean_of_runs([constant(0.0), constant(2.0)])
    assert pooled_variance([one]) is None
    assert pooled_variance([one, two]) == pooled_variance([two]) == Variance(2.0, 1)


@given(SCORES, SCORES, st.integers(2, 6))
def test_where_nothing_varies_nothing_is_tested(one, other, n_runs):
    first, second = (mean_of_runs([constant(value)] * n_runs) for value in (one / 3, other / 3))
    result = difference(first, second)
    assert result.interval(0.95) == (result.value, result.value)
    assert result.pvalue() == 1 if one == other else math.isnan(result.pvalue())


def test_a_single_unit_has_no_variance_and_no_test():
    result = difference(*estimates_of([[1.0], [2.0]], n_resamples=10))
    assert result.value == 1
    assert result.standard_error == 0
    assert math.isnan(result.pvalue())


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.3])
def test_systems_of_one_quality_are_told_apart_as_seldom_as_alpha_says(spread):
    """300 experiments of 2, 3 and 5 runs, where some segments suit a system."""
    rng, rejections = np.random.default_rng(0), []
    for n_runs, seed in product((2, 3, 5), range(300)):
        items, systems = rng.normal(0, 1, 100), []
        for _ in range(2):
            suited, shifts = rng.normal(0, 0.5, 100), rng.normal(0, spread, n_runs)
            systems += [items + suited + shift + rng.normal(0, 0.7, 100) for shift in shifts]
        means = estimates_of(systems, n_resamples=100, seed=seed)
        rejections.append(difference(mean_of_runs(means[:n_runs]), mean_of_runs(means[n_runs:])).pvalue() < 0.05)
    assert 0.03 <= np.mean(rejections) <= 0.07
    assert np.reshape(rejections, (3, 300)).mean(axis=1).max() <= 0.08


def test_the_noise_of_units_within_a_run_counts_once():
    """Runs of which each has noise of its own: the variance of their mean is that between them over their number."""
    rng = np.random.default_rng(5)
    system = mean_of_runs(estimates_of(rng.normal(size=(40, 500))))
    expected = np.var(system.runs, ddof=1) / 40
    assert system.shared == pytest.approx(1 / 500 / 40, rel=0.1)
    low, high = system.interval(0.95)
    assert (high - low) / 2 == pytest.approx(1.96 * math.sqrt(expected), rel=0.1)
