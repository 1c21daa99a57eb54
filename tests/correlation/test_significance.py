"""Tests between metrics against scipy and plain definitions; agreement of raters against its package."""

import itertools
import math

import krippendorff
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.correlation import exchanges
from tercet.correlation.cautions import items_needed
from tercet.correlation.exchanges import exchange_tests, toss_coins
from tercet.correlation.grades import krippendorff_alpha, raw_agreement
from tercet.correlation.samples import GradedOutputs
from tercet.correlation.significance import (
    metric_tests,
    name_of_test,
    one_by_one,
    pvalues_between,
    significance_clusters,
    williams,
    williams_between,
)
from tercet.statistics import adjusted_p


def noisy(seed, noises, shape=(5, 40)):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape) + np.arange(shape[0])[:, None] / 2
    return human, np.array([human + noise * rng.normal(size=shape) for noise in noises])


def standardized(values):
    return (values - np.nanmean(values)) / np.nanstd(values)


def test_a_better_metric_is_found_and_one_is_no_better_than_itself():
    human, (good, bad) = noisy(3, [0.3, 9.0], (8, 40))
    human[0, :3] = good[0, :3] = bad[0, :3] = np.nan
    of_pairs = ("system.pairwise_accuracy", "system.spa", "item.darr")
    for figure in ("pooled.pearson", "item.acc_eq", "item.pearson", *of_pairs):
        p, again = (
            pvalues_between(figure, GradedOutputs(human, np.array([bad, good, good])), [0.0] * 3, 200, 1)
            for _ in range(2)
        )
        assert p[1, 0] < 0.05 < p[0, 1]  # the row's metric is better
        assert p[1, 2] == p[2, 1] == 1.0
        assert (np.diag(p) == 1).all()
        assert (p == again).all()
        assert "exchanged" in name_of_test(figure)


def test_p_does_not_depend_on_the_scale_of_a_metric():
    human, metrics = noisy(4, [1.0, 1.5])
    scaled = metrics * np.array([1.0, 250.0])[:, None, None] + 3
    p, again = (
        pvalues_between("pooled.pearson", GradedOutputs(human, each), [], 500, 2) for each in (metrics, scaled)
    )
    assert p == pytest.approx(again)


def test_the_product_of_matrices_is_the_definition_draw_by_draw():
    human, metrics = noisy(5, [1.0, 1.3, 2.0], (4, 10))
    fast = metric_tests("pooled.pearson", GradedOutputs(human, metrics), [], 300, 7)
    values = np.array([standardized(each) for each in metrics])
    slow = exchange_tests(one_by_one("pooled.pearson", human), values, np.arange(human.shape[1]), 300, 7)
    for found, expected in zip(fast, slow, strict=True):
        assert found == pytest.approx(expected, abs=1e-12)


def plain_tests(human, metrics, draws):
    """Return one-sided, two-sided and adjusted p of Pearson's r: draw by draw, all pairs by the same swaps.

    The step-down maximum is that of Romano and Wolf 2005, of differences over the root mean square of their draws.
    """
    n_metrics = len(metrics)
    values = [standardized(each) for each in metrics]
    pairs = list(itertools.combinations(range(n_metrics), 2))

    def r(scores):
        return scipy.stats.pearsonr(human.ravel(), scores.ravel())[0]

    observed = np.array([r(values[second]) - r(values[first]) for first, second in pairs])
    null = np.empty((len(pairs), len(draws)))
    for place, (first, second) in enumerate(pairs):
        for number, mask in enumerate(draws):
            one = np.where(mask, values[second], values[first])
            other = np.where(mask, values[first], values[second])
            null[place, number] = r(other) - r(one)
    better, two_sided, adjusted = np.ones((3, n_metrics, n_metrics))
    scale = np.sqrt((null**2).mean(axis=1))
    order = np.argsort(-np.abs(observed) / scale)
    greatest = 0.0
    for step, place in enumerate(order):
        first, second = pairs[place]
        delta = observed[place]
        n = len(draws) + 1
        better[second, first] = ((null[place] >= delta - 1e-12).sum() + 1) / n
        better[first, second] = ((null[place] <= delta + 1e-12).sum() + 1) / n
        alone = (np.abs(null[place]) >= abs(delta) - 1e-12).sum() + 1
        two_sided[first, second] = two_sided[second, first] = alone / n
        rest = order[step:]
        largest = (np.abs(null[rest]) / scale[rest, None]).max(axis=0)
        greatest = max(greatest, ((largest >= (abs(delta) - 1e-12) / scale[place]).sum() + 1) / n)
        adjusted[first, second] = adjusted[second, first] = greatest
    return better, two_sided, adjusted


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.sampled_from([0.3, 1.0, 3.0]), min_size=2, max_size=5))
def test_p_of_all_pairs_is_that_of_the_definition_draw_by_draw(seed, noises):
    human, metrics = noisy(seed, noises, (3, 8))
    draws = np.concatenate(list(toss_coins(np.ones(human.size, int), 60, seed))).reshape(-1, *human.shape)
    found = metric_tests("pooled.pearson", GradedOutputs(human, metrics), [], 60, seed)
    for ours, plain in zip(found, plain_tests(human, metrics, draws), strict=True):
        assert ours == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("figure", ["pooled.pearson", "item.acc_eq", "system.spa"])
def test_p_of_a_pair_is_the_same_whatever_else_is_tested_and_in_blocks(figure, monkeypatch):
    human, metrics = noisy(9, [1.0, 1.2, 2.0, 2.1], (4, 12))
    whole = metric_tests(figure, GradedOutputs(human, metrics), [0.0] * 4, 150, 3)
    pair = metric_tests(figure, GradedOutputs(human, metrics[1:3]), [0.0] * 2, 150, 3)
    assert pair.better == pytest.approx(whole.better[1:3, 1:3], abs=1e-12)
    assert pair.two_sided == pytest.approx(whole.two_sided[1:3, 1:3], abs=1e-12)
    assert pair.adjusted.tolist() == pair.two_sided.tolist()  # nothing to adjust for
    monkeypatch.setattr(exchanges, "_CELLS", 240)
    in_blocks = metric_tests(figure, GradedOutputs(human, metrics), [0.0] * 4, 150, 3)
    for found, expected in zip(in_blocks, whole, strict=True):
        assert found == pytest.approx(expected, abs=1e-12)
    # where blocks do not fit in memory, the scale is that of the first draws
    monkeypatch.setattr(adjusted_p, "_MOST_HELD", 300)
    in_blocks = metric_tests(figure, GradedOutputs(human, metrics), [0.0] * 4, 150, 3)
    assert in_blocks.better == pytest.approx(whole.better, abs=1e-12)
    assert in_blocks.two_sided == pytest.approx(whole.two_sided, abs=1e-12)
    assert in_blocks.adjusted == pytest.approx(whole.adjusted, abs=0.1)


def test_a_metric_without_a_figure_is_none_of_the_family():
    human, metrics = noisy(10, [1.0, 1.5, 2.0], (4, 12))
    constant = np.concatenate([metrics, np.ones((1, *human.shape))])
    found = metric_tests("pooled.pearson", GradedOutputs(human, constant), [], 100, 1)
    others = metric_tests("pooled.pearson", GradedOutputs(human, metrics), [], 100, 1)
    for table, expected in zip(found, others, strict=True):
        assert np.isnan(table[3, :3]).all()
        assert table[:3, :3] == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("n_metrics", [2, 6])
def test_equally_good_metrics_are_rarely_told_apart(n_metrics):
    """One-sided p on the side that the data chose did so in 10 to 12 % of cases."""
    rng = np.random.default_rng(51)
    n_found, n_clusters = 0, 0
    for run in range(300):
        items = rng.normal(size=40)
        grades = {f"s{number}": items + rng.normal(size=40) for number in range(3)}
        scores = {
            f"m{number}": {name: (values + rng.normal(size=40)).tolist() for name, values in grades.items()}
            for number in range(n_metrics)
        }
        found = tercet.correlate(
            {name: ["x"] * 40 for name in grades}, (), {name: values.tolist() for name, values in grades.items()},
            scores=scores, n_resamples=20, n_permutations=400, rank_by="pooled.pearson", seed=run,
        )  # fmt: skip
        (dimension,) = found.to_dict()["dimensions"]
        n_found += np.min(dimension["p_adjusted"]) < 0.05
        n_clusters += max(dimension["clusters"].values()) > 1
    assert 0.02 <= n_found / 300 <= 0.08
    assert n_clusters / 300 <= 0.08


def pairs_of(values):
    return [values[i] - values[j] for i in range(len(values)) for j in range(i + 1, len(values))]


def soft_accuracy(values, human):
    def better(values):
        """p that the first of each two systems is no better, by the normal distribution."""
        return np.array([scipy.stats.norm.sf(np.nansum(d) / np.sqrt(np.nansum(d**2))) for d in pairs_of(values)])

    return 1 - np.abs(better(values) - better(human - np.nanmean(human))).mean()


def pairwise_accuracy(values, human):
    signs = [np.sign(np.round(pairs_of(np.nanmean(each, axis=1)), 12)) for each in (values, human)]
    return np.mean(np.equal(*signs))


@pytest.mark.parametrize(
    ("figure", "plain"), [("system.spa", soft_accuracy), ("system.pairwise_accuracy", pairwise_accuracy)]
)
@pytest.mark.parametrize("missing", [0, 5])
def test_p_of_figures_of_systems_is_the_definition_draw_by_draw(figure, plain, missing):
    human, metrics = noisy(6, [1.0, 2.3], (4, 12))
    human.flat[: missing * 3 : 3] = np.nan
    metrics = np.where(np.isnan(human), np.nan, metrics)
    one, other = map(standardized, metrics)
    draws = np.concatenate(list(toss_coins(np.ones(human.size, int), 200, 9))).reshape(-1, *human.shape)
    null = np.array(
        [plain(np.where(mask, one, other), human) - plain(np.where(mask, other, one), human) for mask in draws]
    )
    expected = ((null >= plain(other, human) - plain(one, human) - 1e-6).sum() + 1) / 201
    assert pvalues_between(figure, GradedOutputs(human, metrics), [], 200, 9)[1, 0] == pytest.approx(
        expected, abs=0.01
    )


def test_p_of_metrics_alike_is_uniform():
    """Of metrics with the same noise, a test at 5 % finds a difference in about 5 % of the tables."""
    found = [
        pvalues_between("pooled.pearson", GradedOutputs(*noisy(seed, [1.0, 1.0], (4, 15))), [], 100, seed)[1, 0]
        < 0.05
        for seed in range(300)
    ]
    assert 0.02 <= np.mean(found) <= 0.09


def test_williams_test_has_its_published_p():
    assert williams(0.5, 0.7, 0.6, 50) == pytest.approx(0.019154908, abs=1e-9)
    assert williams(0.5, 0.7, 0.6, 50) + williams(0.7, 0.5, 0.6, 50) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 50) == 0.5
    assert math.isnan(williams(0.5, 0.7, 0.6, 3))
    human, metrics = noisy(6, [0.5, 3.0])
    good, bad = (each.ravel() for each in metrics)
    r = [scipy.stats.pearsonr(*pair)[0] for pair in ((human.ravel(), bad), (human.ravel(), good), (good, bad))]
    p = williams_between("pooled.pearson", GradedOutputs(human, metrics))
    assert p[0, 1] < 0.01
    assert p[0, 1] == pytest.approx(williams(*r, 200))
    assert np.isnan(williams_between("item.acc_eq", GradedOutputs(human, metrics))).all()


def test_clusters_begin_where_all_before_are_better():
    p = np.ones((4, 4))
    p[3, 2] = p[3, 1] = p[3, 0] = p[2, 0] = 0.01  # 3 beats all, 2 beats 0, nothing between 1 and its neighbours
    assert significance_clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [2, 2, 2, 1]
    p[1, 0] = 0.01
    assert significance_clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [3, 2, 2, 1]
    assert significance_clusters([math.nan, 0.2], np.full((2, 2), np.nan), 0.05) == [1, 1]


def test_so_many_items_find_a_difference_with_a_power_of_80_percent():
    """A two-sided test of the mean of normal differences, at 5 %, as scipy has its power."""
    needed = items_needed(0.1, np.array([0.0, 0.1, 0.2]), 60, 0.05)
    error = np.std([0.0, 0.1, 0.2]) * math.sqrt(60 / needed)
    assert scipy.stats.norm.sf(scipy.stats.norm.isf(0.05 / 2) - 0.1 / error) == pytest.approx(0.8, abs=1e-3)
    assert items_needed(0.0, np.array([0.0, 0.1]), 60, 0.05) is None


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_the_package(level):
    rng = np.random.default_rng(1)
    for _ in range(100):
        values = rng.integers(1, 5, (rng.integers(2, 5), rng.integers(4, 15))) / 3
        values[rng.random(values.shape) < 0.2] = np.nan
        if len(np.unique(values[:, (~np.isnan(values)).sum(0) > 1].ravel())) < 3:
            continue
        expected = krippendorff.alpha(reliability_data=values, level_of_measurement=level)
        assert krippendorff_alpha(values, level) == pytest.approx(expected, abs=1e-9)


def test_agreement_of_raters_who_agree_or_share_nothing():
    same = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    apart = np.array([[1.0, np.nan], [np.nan, 2.0]])
    assert krippendorff_alpha(same) == raw_agreement(same) == 1.0
    assert raw_agreement(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, np.nan]])) == 0.5
    assert math.isnan(krippendorff_alpha(apart))
    assert math.isnan(raw_agreement(apart))
