"""Tests between metrics against scipy and plain definitions; agreement of raters against its package."""

import math

import krippendorff
import numpy as np
import pytest
import scipy.stats

from tercet.correlation.correlate import items_needed
from tercet.correlation.grades import krippendorff_alpha, raw_agreement
from tercet.correlation.significance import (  # fmt: skip
    clusters,
    exchanged,
    one_by_one,
    pvalues_between,
    test_name,
    tosses,
    williams,
    williams_between,
)

test_name.__test__ = False


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
        p, again = (pvalues_between(figure, human, np.array([bad, good, good]), [0.0] * 3, 200, 1) for _ in range(2))
        assert p[1, 0] < 0.05 < p[0, 1]  # the row's metric is better
        assert p[1, 2] == p[2, 1] == 1.0
        assert (np.diag(p) == 1).all()
        assert (p == again).all()
        assert "exchanged" in test_name(figure)


def test_p_does_not_depend_on_the_scale_of_a_metric():
    human, metrics = noisy(4, [1.0, 1.5])
    scaled = metrics * np.array([1.0, 250.0])[:, None, None] + 3
    p, again = (pvalues_between("pooled.pearson", human, each, [], 500, 2) for each in (metrics, scaled))
    assert p == pytest.approx(again)


def test_the_product_of_matrices_is_the_definition_draw_by_draw():
    human, metrics = noisy(5, [1.0, 1.3, 2.0], (4, 10))
    fast = pvalues_between("pooled.pearson", human, metrics, [], 300, 7)
    values = np.array([standardized(each) for each in metrics])
    assert fast == pytest.approx(exchanged(one_by_one("pooled.pearson", human), values, 300, 7), abs=1e-12)


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
    draws = np.concatenate(list(tosses(human.size, 200, 9))).reshape(-1, *human.shape)
    null = np.array(
        [plain(np.where(mask, one, other), human) - plain(np.where(mask, other, one), human) for mask in draws]
    )
    expected = ((null >= plain(other, human) - plain(one, human) - 1e-6).sum() + 1) / 201
    assert pvalues_between(figure, human, metrics, [], 200, 9)[1, 0] == pytest.approx(expected, abs=0.01)


def test_p_of_metrics_alike_is_uniform():
    """Of metrics with the same noise, a test at 5 % finds a difference in about 5 % of the tables."""
    found = [
        pvalues_between("pooled.pearson", *noisy(seed, [1.0, 1.0], (4, 15)), [], 100, seed)[1, 0] < 0.05
        for seed in range(300)
    ]
    assert 0.02 <= np.mean(found) <= 0.09


def test_williams():
    assert williams(0.5, 0.7, 0.6, 50) == pytest.approx(0.019154908, abs=1e-9)
    assert williams(0.5, 0.7, 0.6, 50) + williams(0.7, 0.5, 0.6, 50) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 50) == 0.5
    assert math.isnan(williams(0.5, 0.7, 0.6, 3))
    human, metrics = noisy(6, [0.5, 3.0])
    good, bad = (each.ravel() for each in metrics)
    r = [scipy.stats.pearsonr(*pair)[0] for pair in ((human.ravel(), bad), (human.ravel(), good), (good, bad))]
    p = williams_between("pooled.pearson", human, metrics)
    assert p[0, 1] < 0.01
    assert p[0, 1] == pytest.approx(williams(*r, 200))
    assert np.isnan(williams_between("item.acc_eq", human, metrics)).all()


def test_clusters_begin_where_all_before_are_better():
    p = np.ones((4, 4))
    p[3, 2] = p[3, 1] = p[3, 0] = p[2, 0] = 0.01  # 3 beats all, 2 beats 0, nothing between 1 and its neighbours
    assert clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [2, 2, 2, 1]
    p[1, 0] = 0.01
    assert clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [3, 2, 2, 1]
    assert clusters([math.nan, 0.2], np.full((2, 2), np.nan), 0.05) == [1, 1]


def test_so_many_items_find_a_difference_with_a_power_of_80_percent():
    """A one-sided test of the mean of normal differences, at 5 %, as scipy has its power."""
    needed = items_needed(0.1, np.array([0.0, 0.1, 0.2]), 60, 0.05)
    error = np.std([0.0, 0.1, 0.2]) * math.sqrt(60 / needed)
    assert scipy.stats.norm.sf(scipy.stats.norm.isf(0.05) - 0.1 / error) == pytest.approx(0.8, abs=1e-3)
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
