"""What is computed otherwise of many outputs: it comes to the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.correlation import exchanges, samples
from tercet.correlation.figures import FIGURES, value_of
from tercet.correlation.influences import concordances, kendall_influences, spearman_influences
from tercet.correlation.resampling import distributions, percentile_interval, resample_weights
from tercet.correlation.samples import GradedOutputs, Once, Sample
from tercet.correlation.significance import metric_tests

RANK_CORRELATIONS = ["pooled.spearman", "pooled.kendall_b", "pooled.kendall_c"]

#: Points whose sides have few values, as grades, or many, as scores.
POINTS = st.integers(1, 12).flatmap(
    lambda n_values: st.lists(st.tuples(st.integers(0, n_values), st.integers(0, 12)), min_size=1, max_size=40)
)


def dense_ranks(values):
    return np.unique(values, return_inverse=True)[1]


def noisy_outputs(n_systems, n_items, seed, n_metrics=1):
    """Return whole grades of outputs, a tenth of them missing, and scores that follow them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_systems, 1)) + rng.normal(size=(1, n_items))
    human = np.round(3 * (quality + rng.normal(size=(n_systems, n_items))))
    human[rng.random(human.shape) < 0.1] = np.nan
    metrics = quality + (1 + np.arange(n_metrics)[:, None, None] / 4) * rng.normal(size=(n_metrics, *human.shape))
    return human, np.where(np.isnan(human), np.nan, metrics)


@given(POINTS)
def test_the_concordance_of_a_point_is_counted_over_all_others(points):
    x, y = np.array(points).T
    one_by_one = (np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum(1)
    assert concordances(dense_ranks(x), dense_ranks(y)).tolist() == one_by_one.tolist()


def plain_kendall_sums(x, y, weights):
    pairs = np.outer(weights, weights)
    concordance = (pairs * np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum() / 2
    return [weights.sum(), concordance, (pairs * (x[:, None] == x)).sum(), (pairs * (y[:, None] == y)).sum()]


def plain_spearman_sums(x, y, weights):
    x_ranks = np.sign(x[:, None] - x) @ weights / 2
    y_ranks = np.sign(y[:, None] - y) @ weights / 2
    products = (x_ranks * x_ranks, y_ranks * y_ranks, x_ranks * y_ranks)
    return [weights.sum(), *(weights @ product for product in products)]


@given(POINTS)
def test_an_influence_is_how_much_a_sum_changes_with_the_weight_of_a_point(points):
    x, y = np.array(points, float).T
    step = 1e-4
    for influences, plain_sums in (
        (kendall_influences(dense_ranks(x), dense_ranks(y)), plain_kendall_sums),
        (spearman_influences(x, y), plain_spearman_sums),
    ):
        weights = np.ones(len(x))
        assert influences.sums == pytest.approx(plain_sums(x, y, weights))
        for point in range(0, len(x), 5):
            change = step * (np.arange(len(x)) == point)
            more, less = (np.array(plain_sums(x, y, weights + sign * change)) for sign in (1, -1))
            assert influences.derivatives[point] == pytest.approx((more - less) / (2 * step), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("name", RANK_CORRELATIONS)
def test_intervals_by_influence_are_those_of_the_resamples(name, monkeypatch):
    human, (metric,) = noisy_outputs(4, 1_200, seed=3)
    whole = Sample.whole(human, metric)
    value = value_of(name, human, metric)[0]
    intervals = {}
    for n_points in (10**9, 1_000):
        monkeypatch.setattr(samples, "MANY_POINTS", n_points)
        resampled = [
            FIGURES[name].function(whole.resampled(systems, items, Once()))
            for systems, items in resample_weights(4, 1_200, "items", 300, seed=1)
        ]
        intervals[n_points] = np.concatenate(resampled)
    exact, by_influence = intervals.values()
    # Of the same draws: each differs by a twentieth of what they differ among each other, at the most on average.
    assert not (exact == by_influence).all()
    assert np.sqrt(np.mean((exact - by_influence) ** 2)) < exact.std() / 20
    low, high = percentile_interval(exact, value, 0.95)
    assert percentile_interval(by_influence, value, 0.95) == pytest.approx((low, high), abs=(high - low) / 40)


@pytest.mark.parametrize("name", RANK_CORRELATIONS)
def test_a_resample_without_the_few_outputs_that_differ_has_no_correlation(name, monkeypatch):
    human = np.zeros((2, 1_200))
    human[0, :3] = 1
    whole = Sample.whole(human, human + np.random.default_rng(9).normal(size=human.shape))
    resamples = list(resample_weights(2, 1_200, "items", 200, seed=1))
    undefined = []
    for n_points in (10**9, 1_000):
        monkeypatch.setattr(samples, "MANY_POINTS", n_points)
        figures = [FIGURES[name].function(whole.resampled(systems, items, Once())) for systems, items in resamples]
        undefined.append(np.isnan(np.concatenate(figures)).tolist())
    exact, by_influence = undefined
    assert 0 < sum(exact) < 200
    assert by_influence == exact


def test_resamples_of_clusters_are_computed_one_by_one(monkeypatch):
    """One cluster may hold half of the items: then its influence says little."""
    monkeypatch.setattr(samples, "MANY_POINTS", 1_000)
    rng = np.random.default_rng(8)
    human = rng.normal(size=(2, 2_000))
    clusters = np.repeat(np.arange(101), [1_000, *[10] * 100])
    perfect = [Sample.whole(human, human**3)]
    names = {name: [(1.0, 0.0)] for name in RANK_CORRELATIONS[:2]}
    for figures in distributions(names, perfect, "items", 50, 1, clusters).values():
        assert figures == pytest.approx(np.ones((1, 50)))


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("item.acc_eq", "system.spa")])
def test_resamples_of_items_use_sums_of_items_and_give_what_a_resample_of_all_systems_gives(name):
    human, (metric,) = noisy_outputs(5, 60, seed=4)
    once = Sample.whole(human, metric)
    (((_, items),)) = resample_weights(5, 60, "items", 20, seed=2)
    by_sums = FIGURES[name].function(once.resampled(np.ones((1, 5)), items, Once()))
    # Weights of systems for each resample, though all are 1: nothing is taken together.
    plainly = FIGURES[name].function(once.resampled(np.ones((20, 5)), items, Once()))
    assert by_sums == pytest.approx(plainly, abs=1e-12)


def test_outcomes_that_are_alike_are_exchanged_as_often_as_one_by_one(monkeypatch):
    human, metrics = noisy_outputs(4, 200, seed=5, n_metrics=3)
    epsilons = [0.0, 0.1, 0.2]
    found = {}
    for n_cells in (10**9, 0):
        monkeypatch.setattr(exchanges, "_MANY_CELLS", n_cells)
        found[n_cells] = metric_tests("item.acc_eq", GradedOutputs(human, metrics), epsilons, 4_000, 6)
    one_by_one, counted = found.values()
    # Other draws of the same distribution: p of 4,000 has a standard error of at most .008.
    for ours, theirs in zip(counted, one_by_one, strict=True):
        assert ours == pytest.approx(theirs, abs=0.035)
    assert counted.better[0, 1] != one_by_one.better[0, 1]
    assert 0.02 < counted.two_sided[0, 1] < 0.98
