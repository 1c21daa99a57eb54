"""What so few segments or resamples can show, and how numbers of segments and differences are written."""

import numpy as np
import pytest

from tercet.comparison.scoring.too_few import why_too_few
from tercet.comparison.values.design import Design
from tercet.comparison.wording.decimals import between, figures, in_two_digits
from tercet.statistics.clusters import Clusters
from tercet.test_sets.test_set import TestSet


def said(
    n_units, *, test="permutation", adjust="step-down", n_resamples=10_000, n_systems=2, alpha=0.05, unit="segment"
):
    clusters = Clusters.of(["глава"], 1) if unit == "cluster" else None
    systems = {f"系统 {number}": ["ein Satz"] for number in range(n_systems)}
    design = Design(
        test_set=TestSet("set", systems, [["ein Satz"]], source=None, clusters=clusters),
        baseline="系统 0",
        test=test,
        n_resamples=n_resamples,
        confidence_level=0.95,
        alpha=alpha,
        seed=1,
        interval="expanded",
        adjust=adjust,
        runs={},
        slices=[],
    )
    return why_too_few(design, np.ones((n_systems, n_systems)), n_units, design.inference)


@pytest.mark.parametrize(
    ("n_units", "settings", "with_and_p"),
    [
        (1, {}, "1 segment, p is always 1"),
        (5, {}, "5 segments, p is 0.0625 or more"),
        (6, {"alpha": 1 / 32}, "6 segments, p is 0.0312 or more"),
        (5, {"n_systems": 4, "unit": "cluster"}, "5 clusters, p is 0.0625 or more"),
        (7, {"n_systems": 4, "adjust": "holm"}, "7 segments, adjusted for 6 pairs of systems, p is 0.0938 or more"),
        (3, {"n_systems": 4, "adjust": "holm"}, "3 segments, adjusted for 6 pairs of systems, p is always 1"),
        (5, {"n_resamples": 32}, "5 segments, p is 0.0625 or more"),
        (5, {"n_resamples": 31}, "5 segments, p is about 0.0625 or more"),
        (1, {"n_resamples": 1}, "1 segment, p is always 1"),
    ],
)
def test_of_few_units_p_is_never_below_alpha(n_units, settings, with_and_p):
    unit = settings.get("unit", "segment")
    assert said(n_units, **settings) == f"Too few {unit}s for any test: with {with_and_p}."


@pytest.mark.parametrize(
    ("n_units", "settings"),
    [
        (6, {}),
        (5, {"alpha": 0.0626}),
        (6, {"n_systems": 40}),
        (8, {"n_systems": 4, "adjust": "holm"}),
        (6, {"test": "bootstrap"}),
        (1, {"test": None}),
        (100, {"n_resamples": 20}),
        (100, {"n_resamples": 120, "n_systems": 4, "adjust": "holm"}),
        (1, {"test": "Welch", "n_resamples": 1}),
    ],
)
def test_nothing_is_said_where_a_difference_could_be_significant(n_units, settings):
    assert said(n_units, **settings) is None


def test_the_bootstrap_of_few_units_may_favour_one_system_by_chance():
    assert said(5, test="bootstrap") == (
        "Too few segments for any test: with 5 segments, chance alone may favour one system in all."
    )


@pytest.mark.parametrize(
    ("settings", "with_and_p", "enough"),
    [
        ({"n_resamples": 19}, "19 resamples, p is at least 0.05", 10_000),
        ({"n_resamples": 1}, "1 resample, p is at least 0.5", 10_000),
        ({"n_resamples": 19, "test": "bootstrap"}, "19 resamples, p is at least 0.05", 1000),
        (
            {"n_resamples": 119, "n_systems": 4, "adjust": "holm"},
            "119 resamples, adjusted for 6 pairs of systems, p is at least 0.05",
            10_000,
        ),
        (
            {"n_resamples": 9, "n_systems": 101, "adjust": "holm"},
            "9 resamples, adjusted for 5,050 pairs of systems, p is at least 1",
            101_000,
        ),
    ],
)
def test_of_few_resamples_it_is_said_how_many_would_do(settings, with_and_p, enough):
    assert said(100, **settings) == (
        f"Too few resamples to tell systems apart: with {with_and_p}. n_resamples={enough} would do."
    )


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({}, "a greater alpha would do."),
        ({"n_systems": 4, "adjust": "holm"}, "a greater alpha or fewer systems would do."),
    ],
)
def test_no_more_resamples_are_advised_than_can_be_given(settings, advice):
    sentence = said(100, alpha=1e-7, **settings)
    assert sentence.endswith(f"1,000,000, the most there can be, are too few as well: {advice}")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (7, "7"), (99, "99"), (100, "100"), (101, "110"), (991, "1,000"), (1200, "1,200"), (12_345, "13,000")],
)
def test_numbers_of_segments_have_two_digits_and_are_never_too_few(count, text):
    assert in_two_digits(count) == text


def test_small_differences_keep_two_digits():
    assert [figures(size, 2) for size in (0.01, 0.0099, 1.239, 0.00012345)] == ["0.01", "0.0099", "1.24", "0.00012"]
    assert between([10, 1999, 3], in_two_digits) == "3 to 2,000"
    assert between([1999, 2000], in_two_digits) == "2,000"
