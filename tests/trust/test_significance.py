"""Tests between metrics against mt-metrics-eval's, scipy and plain definitions; agreement against its package."""

import math

import krippendorff
import numpy as np
import pytest
import scipy.stats
from test_figures import of_texts

from tercet.trust.agreement import krippendorff_alpha, raw_agreement
from tercet.trust.between_metrics import pvalues_between, test_name, williams_between
from tercet.trust.figures import FIGURES, value_of
from tercet.trust.significance import clusters, permuted, permuted_pearson, permuted_soft, tosses
from tercet.trust.williams import t_tail, williams

test_name.__test__ = False


@pytest.mark.parametrize("name", ["summeval_a", "realsumm_a"])
def test_p_is_that_of_mt_metrics_eval(sets, name):
    _, golden, by_pearson = of_texts(sets, name, rank_by="pooled.pearson", n_permutations=10_000)
    _, _, by_pairs = of_texts(sets, name, rank_by="item.acc_eq", n_permutations=5_000)
    names = [column.score for column in by_pearson.metrics]
    for dimension, own in golden["dimensions"].items():
        both, pairs = (found.table(dimension).pvalues for found in (by_pearson, by_pairs))
        for title, tests in own["tests"].items():
            one, other = (names.index(each) for each in title.split(" < "))
            assert both[one, other] == pytest.approx(tests["perm_both"]["p"], abs=0.02), (dimension, title)
            assert pairs[one, other] == pytest.approx(tests["perm_pairs"]["p"], abs=0.04), (dimension, title)


def noisy(seed, noises, shape=(5, 40)):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape) + np.arange(shape[0])[:, None] / 2
    return human, np.array([human + noise * rng.normal(size=shape) for noise in noises])


@pytest.mark.parametrize("figure", ["pooled.pearson", "item.acc_eq", "system.spa", "item.pearson", "item.darr"])
def test_a_better_metric_is_found_and_one_is_no_better_than_itself(figure):
    human, (good, bad) = noisy(3, [0.3, 4.0], (8, 40))
    human[0, :3] = good[0, :3] = bad[0, :3] = np.nan
    p = pvalues_between(figure, human, np.array([bad, good, good]), [0.0, 0.0, 0.0], 200, 1)
    assert p[0, 1] < 0.05 < p[1, 0]
    assert p[1, 2] == p[2, 1] == 1.0
    assert (np.diag(p) == 1).all()
    assert (p == pvalues_between(figure, human, np.array([bad, good, good]), [0.0, 0.0, 0.0], 200, 1)).all()
    assert "exchanged" in test_name(figure)


def test_p_does_not_depend_on_the_scale_of_a_metric():
    human, metrics = noisy(4, [1.0, 1.5])
    scaled = metrics * np.array([1.0, 250.0])[:, None, None] + 3
    assert permuted_pearson(human, metrics, 500, 2) == pytest.approx(permuted_pearson(human, scaled, 500, 2))


def test_the_product_of_matrices_is_the_definition_draw_by_draw():
    human, metrics = noisy(5, [1.0, 1.3, 2.0], (4, 10))
    fast = permuted_pearson(human, metrics, 300, 7)
    plain = permuted(FIGURES["pooled.pearson"].function, human, metrics, 300, 7)
    assert fast == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("missing", [0, 5])
def test_soft_accuracy_is_the_definition_draw_by_draw(missing):
    human, metrics = noisy(6, [1.0, 1.3], (4, 12))
    human.flat[: missing * 3 : 3] = np.nan
    metrics = np.where(np.isnan(human), np.nan, metrics)
    one, other = ((each - np.nanmean(each)) / np.nanstd(each) for each in metrics)

    def better(values):
        """p that the first of each two systems is no better, by the normal distribution."""
        pairs = [values[i] - values[j] for i in range(4) for j in range(i + 1, 4)]
        return np.array([scipy.stats.norm.sf(np.nansum(each) / np.sqrt(np.nansum(each**2))) for each in pairs])

    def spa(values):
        return 1 - np.abs(better(values) - better(human - np.nanmean(human))).mean()

    draws = np.concatenate(list(tosses(human.size, 200, 9))).reshape(-1, *human.shape)
    null = np.array([spa(np.where(mask, one, other)) - spa(np.where(mask, other, one)) for mask in draws])
    expected = ((null >= spa(other) - spa(one) - 1e-6).sum() + 1) / 201
    assert permuted_soft(human, metrics, 200, 9)[0, 1] == pytest.approx(expected, abs=0.01)


def test_p_of_metrics_alike_is_uniform():
    """Of metrics with the same noise, a test at 5 % finds a difference in about 5 % of the tables."""
    found = [permuted_pearson(*noisy(seed, [1.0, 1.0], (4, 15)), 100, seed)[0, 1] < 0.05 for seed in range(300)]
    assert 0.02 <= np.mean(found) <= 0.09


def test_williams_and_student_s_t():
    for t, freedom in ((0.3, 3), (-2.5, 17), (8.0, 60), (1.0, 1), (-40.0, 500)):
        assert t_tail(t, freedom) == pytest.approx(scipy.stats.t.sf(t, freedom), rel=1e-9)
    assert williams(0.5, 0.7, 0.6, 50) == pytest.approx(0.019154908, abs=1e-9)
    assert williams(0.5, 0.7, 0.6, 50) + williams(0.7, 0.5, 0.6, 50) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 50) == 0.5
    assert math.isnan(williams(0.5, 0.7, 0.6, 3))
    human, metrics = noisy(6, [0.5, 3.0])
    assert williams_between("pooled.pearson", human, metrics)[1, 0] < 0.01
    assert np.isnan(williams_between("item.acc_eq", human, metrics)).all()


def test_clusters_begin_where_all_before_are_better():
    p = np.ones((4, 4))
    p[2, 3] = p[1, 3] = p[0, 3] = p[0, 2] = 0.01  # 3 beats all, 2 beats 0, nothing between 1 and its neighbours
    assert clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [2, 2, 2, 1]
    p[0, 1] = 0.01
    assert clusters([0.1, 0.2, 0.3, 0.4], p, 0.05) == [3, 2, 2, 1]
    assert clusters([math.nan, 0.2], np.full((2, 2), np.nan), 0.05) == [1, 1]


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
    assert math.isnan(krippendorff_alpha(apart))
    assert math.isnan(raw_agreement(apart))


@pytest.mark.long
def test_a_million_graded_outputs_take_linear_memory():
    import tracemalloc

    rng = np.random.default_rng(2)
    human = rng.integers(0, 5, (5, 200_000)).astype(float)
    metric = human + rng.normal(size=human.shape)
    tracemalloc.start()
    for name in ("pooled.kendall_b", "pooled.spearman", "item.acc_eq", "item.kendall_b", "system.pairwise_accuracy"):
        assert not math.isnan(value_of(name, human, metric)[0])
    assert tracemalloc.get_traced_memory()[1] < 2e9
    tracemalloc.stop()
