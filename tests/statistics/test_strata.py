"""Draws of several sets, each resampled by itself, are weighted sums; without intervals nothing is drawn."""

import inspect
import math
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from tercet.corpus.reading import read_batch
from tercet.metrics.column import Column
from tercet.statistics.adjusted_p import family_test
from tercet.statistics.draws import Resamples
from tercet.statistics.intervals import BootstrapResult, bootstrap, bootstraps, over_strata, spread_of
from tercet.statistics.kinds_of_tests import BOOTSTRAP, PERMUTATION
from tercet.statistics.paired_tests import (
    Stratum,
    all_pairs_test,
    null_distribution_of_strata,
    permutation_test,
    pvalue_beyond_resamples,
)
from tercet.statistics.poisson import keys_of_ids, keys_of_texts
from tercet.statistics.power import share_items_needed, smallest_difference, smallest_share_difference, units_needed
from tercet.statistics.resampled_scores import standard_error
from tercet.statistics.stats import SegmentStats

METRIC = Column("качество")
PAIRS = [(0, 1), (0, 2), (1, 2)]


def systems(n, seed):
    numbers = {name: np.random.default_rng([seed, number]).random(n) for number, name in enumerate("абв")}
    return METRIC.stats_of(numbers)


def null_differences(strata, test, n_resamples):
    null = null_distribution_of_strata(strata, PAIRS, test, n_resamples=n_resamples)
    (differences,) = null.differences(PAIRS, slice(None)).values()
    return null, differences


@pytest.mark.parametrize("test", [PERMUTATION, BOOTSTRAP])
@pytest.mark.parametrize("weights", [(0.25, 0.75), (1, 1), (2, -1)])
def test_differences_are_weighted_sums_of_those_of_each_set(test, weights):
    sets = [(systems(30, 1), 5), (systems(45, 2), 6)]
    null, found = null_differences(
        [Stratum(METRIC, rows, weight, seed) for (rows, seed), weight in zip(sets, weights, strict=True)], test, 64
    )
    alone = [null_differences([Stratum(METRIC, rows, 1.0, seed)], test, 64)[1] for rows, seed in sets]
    assert (null.n_resamples, null.is_complete, found.shape) == (64, False, (3, 64))
    np.testing.assert_allclose(found, weights[0] * alone[0] + weights[1] * alone[1], atol=1e-14)


def test_units_of_small_sets_are_exchanged_in_every_way_together():
    sets = [systems(2, 1), systems(3, 2)]
    null, found = null_differences([Stratum(METRIC, rows, 0.5, 9) for rows in sets], PERMUTATION, 32)
    assert (null.n_resamples, null.is_complete, found.shape) == (32, True, (3, 32))
    for pair, draws in zip(PAIRS, found, strict=True):
        gains = [METRIC.scale * (rows[pair[1]].column("value") - rows[pair[0]].column("value")) for rows in sets]
        expected = [
            sum(0.5 * float(np.dot(signs, gain)) / len(gain) for signs, gain in zip(chosen, gains, strict=True))
            for chosen in product(product((-1, 1), repeat=2), product((-1, 1), repeat=3))
        ]
        np.testing.assert_allclose(np.sort(draws), np.sort(expected), atol=1e-14)


@pytest.mark.parametrize(
    ("n_units", "n_resamples", "expected"),
    [
        (3, 8, (8, True)),
        (3, 7, (7, False)),
        (10, 1024, (1024, True)),
        (10, 1023, (1023, False)),
        (1, 2, (2, True)),
        (1, 1, (1, False)),
        (0, 1, (1, True)),
    ],
)
def test_exchanges_are_all_tested_where_they_are_no_more_than_the_resamples(n_units, n_resamples, expected):
    assert Resamples.of_exchanges(n_units, n_resamples) == expected


@pytest.mark.parametrize("test", [PERMUTATION, BOOTSTRAP])
def test_a_single_unit_is_not_tested(test):
    (results,) = all_pairs_test(METRIC, systems(1, 4), PAIRS, test, n_resamples=50, seed=1).values()
    assert (results.pvalues.tolist(), results.adjusted.tolist()) == ([1, 1, 1], [1, 1, 1])


@pytest.mark.parametrize("n_units", [1, 5, 40])
def test_two_systems_have_the_p_of_all_pairs_whether_all_exchanges_are_tested_or_some(n_units):
    rows = systems(n_units, 6)[:2]
    (alone,) = permutation_test(METRIC, rows, n_resamples=100, seed=1).values()
    (family,) = all_pairs_test(METRIC, rows, [(0, 1)], PERMUTATION, n_resamples=100, seed=1).values()
    assert alone.pvalue == family.pvalues[0]
    assert len(alone.null_distribution) == min(2**n_units, 100)
    if n_units < 6:
        assert pvalue_beyond_resamples(alone, n_units) == alone.pvalue


def test_without_intervals_there_is_the_score_and_no_draw():
    (stats, *_) = systems(20, 3)
    ((name, result),) = bootstrap(METRIC, stats, method=None, n_resamples=0).items()
    assert (name, result.method, len(result.bootstrap_distribution)) == (METRIC.name, None, 0)
    assert result.value == pytest.approx(METRIC.scale * stats.column("value").mean())
    assert all(map(math.isnan, result.confidence_interval))
    assert result.standard_error == 0


def test_a_set_of_one_unit_does_not_vary_and_the_others_are_widened_as_much_as_they_vary_too_little():
    parts = [bootstrap(METRIC, systems(n, n)[0], n_resamples=300)[METRIC.name] for n in (1, 8, 20)]
    whole = over_strata(parts, [0.2, 0.3, 0.5])
    assert whole.value == pytest.approx(np.dot([0.2, 0.3, 0.5], [part.value for part in parts]))
    assert (whole.n_units, whole.spread, whole.size) == (28, 1.0, max(part.size for part in parts))
    variances = [
        (weight * spread_of(part.n_units) * part.standard_error) ** 2
        for weight, part in zip((0.3, 0.5), parts[1:], strict=True)
    ]
    assert whole.freedom == pytest.approx(sum(variances) ** 2 / (variances[0] ** 2 / 7 + variances[1] ** 2 / 19))
    draws = [part.value + spread_of(part.n_units) * (part.bootstrap_distribution - part.value) for part in parts]
    np.testing.assert_allclose(whole.bootstrap_distribution, np.dot([0.2, 0.3, 0.5], draws))


def test_rows_of_one_part_are_that_part():
    (stats, other, _) = systems(4, 5)
    assert SegmentStats.concatenate([stats]) is stats
    assert SegmentStats.concatenate([stats, other]).rows.tolist() == [*stats.rows.tolist(), *other.rows.tolist()]


@pytest.mark.parametrize(
    ("function", "defaults"),
    [
        (bootstraps, {"n_resamples": 1000, "confidence_level": 0.95, "method": "expanded", "seed": 12345}),
        (family_test, {"centred": False, "slack": 1e-12}),
        (units_needed, {"n_pairs": 1}),
        (smallest_difference, {"n_pairs": 1}),
        (share_items_needed, {"n_pairs": 1}),
        (smallest_share_difference, {"n_pairs": 1}),
    ],
)
def test_defaults_are_those_that_are_documented(function, defaults):
    parameters = inspect.signature(function).parameters
    assert {name: parameters[name].default for name in defaults} == defaults


IDS = ["кот", "猫", "a", "7", "", "кот", "a"]


@pytest.mark.parametrize(
    "column", [pa.array(IDS), pa.array(IDS, pa.large_string()), pa.array([1, -2, 3, 7, 0, 1, 3])]
)
def test_each_id_has_a_key_wherever_it_stands(column):
    keys = keys_of_ids(column).tolist()
    assert len(set(keys)) == 5
    assert (keys[0], keys[2]) == (keys[5], keys[6])
    assert keys_of_ids(column.slice(2)).tolist() == keys[2:]
    assert keys_of_ids(column.slice(1, 1)).tolist() == keys[1:2]
    assert keys_of_ids(column.slice(0, 0)).tolist() == []
    assert keys_of_ids(pa.array(["7"])).tolist() == keys_of_ids(pa.array([7])).tolist()


def test_a_key_is_of_the_prediction_and_of_each_reference_by_its_place():
    items = [
        ("a", ["b", "猫"]),
        ("a", ["猫", "b"]),
        ("b", ["a", "猫"]),
        ("a", ["b"]),
        ("a", []),
        ("", ["a"]),
        ("猫", ["кот"]),
    ]
    keys = keys_of_texts(read_batch(*map(list, zip(*items, strict=True)))).tolist()
    assert len(set(keys)) == len(items)
    again = keys_of_texts(read_batch(*map(list, zip(*items[3:], *items[:3], strict=True)))).tolist()
    assert again == [*keys[3:], *keys[:3]]


@pytest.mark.parametrize(("draws", "expected"), [([], 0), ([3.0], 0), ([1.0, 3.0], 2**0.5), ([1.0, 2.0, 3.0], 1)])
def test_one_resample_has_no_standard_error_and_two_have_one(draws, expected):
    result = BootstrapResult(2.0, np.array(draws), "percentile", 0.95, 9, 8, 1.0, 2.0)
    assert result.standard_error == standard_error(np.array(draws)) == pytest.approx(expected)
