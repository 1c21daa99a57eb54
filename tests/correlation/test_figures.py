"""Figures against scipy, and against their definitions written out."""

import math
import re
import warnings
from itertools import combinations, permutations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from tercet.correlation.figures import (
    FIGURES,
    figures_for,
    value_of,
)
from tercet.correlation.pairs import without_noise
from tercet.correlation.resampling import UNITS, percentile_interval, replicates, resample_weights
from tercet.correlation.samples import Sample
from tercet.correlation.soft_accuracy import shares_above

SCIPY = {
    "pearson": lambda x, y: scipy.stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: scipy.stats.spearmanr(x, y).statistic,
    "kendall_b": lambda x, y: scipy.stats.kendalltau(x, y).statistic,
    "kendall_c": lambda x, y: scipy.stats.kendalltau(x, y, variant="c").statistic,
}


def of_scipy(name, x, y):
    there = ~np.isnan(x)
    if there.sum() < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SCIPY[name](x[there], y[there])


@st.composite
def tables(draw, least=2, decimals=2):
    n, m = draw(st.integers(least, 5)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    human = rng.integers(1, draw(st.integers(2, 6)), (n, m)).astype(float)
    metric = np.round(rng.normal(human, 2), draw(st.integers(0, decimals)))
    if draw(st.booleans()):
        human[rng.random((n, m)) < 0.2] = np.nan
    metric[np.isnan(human)] = np.nan
    return human, metric


def graded_pairs(values, other):
    """Return, of each item, the differences between both orders of two systems, in grades and in scores."""
    return [
        [(x[i] - x[j], y[i] - y[j]) for i, j in permutations(range(len(x)), 2) if not np.isnan(x[i] + x[j])]
        for x, y in zip(values.T, other.T, strict=True)
    ]


def mean(values):
    known = [each for each in values if not math.isnan(each)]
    return np.mean(known) if known else math.nan


def check(expected, human, metric):
    for name, value in expected.items():
        assert value_of(name, human, metric)[0] == pytest.approx(value, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("name", SCIPY)
@settings(max_examples=60)
@given(table=tables(least=3))
def test_correlations_are_those_of_scipy_at_every_level(name, table):
    human, metric = table
    expected = {
        f"pooled.{name}": of_scipy(name, human.ravel(), metric.ravel()),
        f"item.{name}": mean(of_scipy(name, x, y) for x, y in zip(human.T, metric.T, strict=True)),
    }
    if not np.isnan(human).any():  # otherwise means that are equal but for rounding are ties, or not
        expected[f"system.{name}"] = of_scipy(name, human.mean(1), metric.mean(1))
    check(expected, human, metric)


@settings(max_examples=60)
@given(table=tables())
def test_figures_of_pairs_are_their_definitions(table):
    human, metric = table
    items = graded_pairs(human, metric)
    pooled = [each for own in items for each in own]

    def accuracy(epsilon):
        return mean(
            np.mean([np.sign(x) == (0 if abs(y) <= epsilon else np.sign(y)) for x, y in own]) if own else math.nan
            for own in items
        )

    thresholds = {0.0} | {abs(y) for _, y in pooled}
    best, epsilon = value_of("item.acc_eq", human, metric)
    assert best == pytest.approx(max(map(accuracy, sorted(thresholds))), abs=1e-12, nan_ok=True)
    assert best == pytest.approx(accuracy(epsilon), abs=1e-12, nan_ok=True)
    assert epsilon in thresholds
    expected = {
        "item.acc23": accuracy(0.0),
        "item.tau23": 2 * accuracy(0.0) - 1,
        "item.darr": 2 * mean(np.sign(x) == np.sign(y) for x, y in pooled if x != 0) - 1,
        "item.pdp": of_scipy("pearson", *np.array(pooled).T) if pooled else math.nan,
    }
    if not np.isnan(human).any():
        of_systems = graded_pairs(human.mean(1)[:, None], metric.mean(1)[:, None])
        expected["system.pairwise_accuracy"] = np.mean([np.sign(x) == np.sign(y) for x, y in of_systems[0]])
    check(expected, human, metric)


@given(table=tables(decimals=0))
def test_soft_accuracy_is_its_definition(table):
    """Of whole numbers, whose sums are exact in single precision: 1,000 sign flips, as mt-metrics-eval draws them."""
    tosses = np.random.default_rng(4).random((1000, table[0].shape[1]), dtype=np.float32)

    def p(values):
        differences = [np.nan_to_num(one - other) for one, other in combinations(values, 2)]
        return np.array([np.mean((2 * np.rint(tosses) - 1) @ each >= each.sum()) for each in differences])

    check({"system.spa": 1 - np.abs(p(table[0]) - p(table[1])).mean()}, *table)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**40])
def test_the_interval_of_soft_accuracy_does_not_depend_on_the_scale_of_scores(scale):
    rng = np.random.default_rng(6)
    human = rng.normal(size=(4, 30)) + np.arange(4)[:, None] / 3
    metric = human + rng.normal(size=human.shape)
    metric[1] = metric[0]
    found = []
    for scores in (metric, scale * metric):
        ((systems, items),) = resample_weights(4, 30, "items", 100, seed=1)
        values = replicates(
            "system.spa", Sample(human, scores, systems, items), value_of("system.spa", human, scores)
        )
        assert values.std() > 0.01
        found.append(values)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


#: A resample may hold two copies of a system, which are no pair here.
OF_PAIRS = {"item.acc23", "item.tau23", "item.pdp", "item.darr", "system.pairwise_accuracy"}
RESAMPLED = [name for name in FIGURES if name not in ("system.spa", "item.acc_eq")]


def test_a_resample_has_the_figure_of_its_rows_written_out():
    rng = np.random.default_rng(5)
    human = rng.integers(1, 6, (5, 12)).astype(float)
    metric = np.round(rng.normal(human, 1), 1)
    for unit, name in [
        (unit, name) for unit in UNITS for name in RESAMPLED if unit == "items" or name not in OF_PAIRS
    ]:
        for systems, items in resample_weights(5, 12, unit, 8, seed=3):
            found = FIGURES[name].function(Sample(human, metric, systems, items))
            assert len(found) == 8
            for row in range(8):
                of_systems = np.repeat(np.arange(5), systems[row % len(systems)].astype(int))
                of_items = np.repeat(np.arange(12), items[row % len(items)].astype(int))
                again = [values[np.ix_(of_systems, of_items)] for values in (human, metric)]
                assert found[row] == pytest.approx(value_of(name, *again)[0], abs=1e-9, nan_ok=True)


def test_an_interval_holds_the_value_and_a_perfect_metric_is_perfect():
    rng = np.random.default_rng(7)
    human = rng.normal(size=(6, 30)) + np.arange(6)[:, None] / 3
    noisy = human + rng.normal(size=human.shape)
    ((systems, items),) = resample_weights(6, 30, "items", 200, seed=1)
    for name in FIGURES:
        for metric in (noisy, human):
            found = value_of(name, human, metric)
            values = replicates(name, Sample(human, metric, systems, items), found)
            low, high = percentile_interval(values, found[0], 0.95)
            assert low <= found[0] <= high
            assert low == pytest.approx(min(found[0], np.nanquantile(values, 0.025)))
        assert found[0] == pytest.approx(1.0)


def test_the_docs_define_each_figure_as_the_reports_do_and_its_values_stay_in_its_range():
    page = (ROOT / "docs" / "which-metric.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in page if re.match(r"\| `(pooled|item|system)\.", line)]
    assert [(name.strip("`"), f"{title}: {about}") for name, title, about in rows] == [
        (name, figure.definition) for name, figure in FIGURES.items()
    ]
    human = np.arange(12.0).reshape(3, 4)
    for name, figure in FIGURES.items():
        assert value_of(name, human, human)[0] == pytest.approx(1.0), name
        least = value_of(name, human, -human)[0]
        assert figure.least - 1e-9 <= least < 0.5, name
        assert least == pytest.approx(figure.least, abs=0.05) or name == "system.spa"


def test_what_is_constant_has_no_correlation_and_one_system_no_pairs():
    flat, metric = np.full((3, 4), 0.1), np.random.default_rng(1).normal(size=(3, 4))
    for name in SCIPY:
        for level in ("pooled", "item", "system"):
            assert np.isnan(value_of(f"{level}.{name}", flat, metric)[0])
    assert figures_for(1, 5) == [f"pooled.{name}" for name in SCIPY]
    assert all(map(math.isnan, percentile_interval(np.array([np.nan, np.nan]), 0.5, 0.95)))


@given(st.lists(st.integers(-50, 50), min_size=1), st.integers(0, 2**32))
def test_scores_that_agree_to_twelve_digits_become_one(numbers, seed):
    values = np.array(numbers, float)
    noisy = values * (1 + 1e-14 * np.random.default_rng(seed).integers(-20, 20, len(values)))
    found = without_noise(noisy)
    assert (np.equal.outer(found, found) == np.equal.outer(values, values)).all()
    assert np.isin(found, noisy).all()


def test_the_normal_distribution_is_that_of_scipy():
    z = np.array([-np.inf, *np.linspace(-6, 6, 101), np.inf])
    assert shares_above(z) == pytest.approx(scipy.stats.norm.sf(z), abs=1.5e-7)


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
