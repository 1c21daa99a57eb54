"""Results without texts, as of files that Ray scores, as a comparison: their scores and intervals, and no test."""

import math
from itertools import permutations

import pytest

import tercet
from tercet.comparison.from_results import to_comparison
from tercet.comparison.specs.metric_specs import label_of, metric_of

REFERENCES = ["the cat sat", "it rained all day", "a dog barks", "the train left", "we slept"]
OUTPUTS = {"near": [*REFERENCES[:4], "we sleep"], "far": ["a cat", "it rains", "a dog", "trains", "we slept"]}


def result_of(metric, texts, **changed):
    result = tercet.score(metric.name, texts, REFERENCES, confidence_level=0.9, scale=100)
    return result.with_keys({**result, **changed}, bad_files=["one.parquet: it is empty"])


@pytest.mark.parametrize("name", ["chrf", "ter"])
def test_the_best_is_the_best_of_those_that_have_a_score(name):
    """Wherever one without a score stands: max and min of NaN depend on that."""
    metric = metric_of(name)
    results = {system: result_of(metric, texts) for system, texts in OUTPUTS.items()}
    results["none"] = result_of(metric, OUTPUTS["far"], **{metric.primary: math.nan})
    for order in permutations(results):
        given = {(system, label_of(metric)): results[system] for system in order}
        comparison = to_comparison("news", [metric], given, 0.9, 1)
        rows = comparison.tables[0].rows
        assert [row.system for row in rows] == list(order)
        assert {row.system: (row.best, row.as_good) for row in rows} == {
            system: (True, True) if system == "near" else (False, None) for system in order
        }
        for row in rows:
            assert [row.low, row.high] == list(results[row.system].intervals[metric.primary])
        assert (comparison.test, comparison.test_set.n_segments) == (None, 5)
        assert comparison.test_set.bad_files == ("one.parquet: it is empty",)


def test_results_without_intervals_have_none_in_the_table():
    metric = metric_of("chrf")
    result = tercet.score("chrf", OUTPUTS["near"], REFERENCES)
    results = {("near", label_of(metric)): result.with_keys(result, bad_files=[])}
    (row,) = to_comparison("news", [metric], results, 0.9, 1).tables[0].rows
    assert math.isnan(row.low)
    assert math.isnan(row.high)


def test_shares_have_as_many_decimals_as_those_of_compare():
    metric = tercet.Chrf(scale=1)
    results = {}
    for system, texts in OUTPUTS.items():
        result = tercet.score(metric, texts, REFERENCES)
        results[system, label_of(metric)] = result.with_keys(result, bad_files=[])
    (table, *_) = to_comparison("news", [metric], results, 0.95, 1).tables
    (of_compare, *_) = tercet.compare(OUTPUTS, metric, references=REFERENCES).tables
    assert table.digits == of_compare.digits == 4


def test_scores_that_differ_by_rounding_are_both_the_best():
    metric = metric_of("chrf")
    result = result_of(metric, OUTPUTS["near"])
    values = {"one": 0.3, "other": 0.1 + 0.2, "far": 0.2}
    results = {
        (system, label_of(metric)): result.with_keys({**result, "chrf": value}, bad_files=[])
        for system, value in values.items()
    }
    rows = to_comparison("news", [metric], results, 0.9, 1).tables[0].rows
    assert [row.best for row in rows] == [True, True, False]
