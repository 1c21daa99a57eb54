"""Columns that tell nothing apart, limits that no score falls below, and the paired test of two systems alone."""

import warnings

import numpy as np
import pytest

import tercet
from tercet import InputError, OptionError
from tercet.comparison.gates.gate import warn_of_limit
from tercet.comparison.inputs.default_metrics import default_metrics, placeholder_of, placeholders_left_out
from tercet.comparison.paired_significance import paired_significance
from tercet.test_sets.test_set import TestSet, without_texts


def with_numbers(numbers, texts=True):
    columns = {
        name: {"a": np.array(of_a, float), "б": np.array(of_b, float)} for name, (of_a, of_b) in numbers.items()
    }
    if texts:
        return TestSet("t", {"a": ["x", "y"], "б": ["x", "z"]}, [["x"], ["y"]], None, scores=columns)
    from dataclasses import replace

    return replace(without_texts("t", ["a", "б"], 2), scores=columns)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (([7, 7], [7, 7]), 7),
        (([-1, np.nan], [-1, -1]), -1),
        (([7, 7], [7, 7.5]), None),
        (([0, 0], [0, 0]), None),
        (([1, 1], [1, 1]), None),
        (([np.nan, np.nan], [np.nan, 7]), None),
        (([np.nan, np.nan], [7, 7]), 7),
    ],
)
def test_a_placeholder_is_one_number_in_every_segment_that_is_no_answer(numbers, expected):
    test_set = with_numbers({"качество": numbers, "COMET": ([0.5, 0.7], [0.6, 0.8])})
    assert placeholder_of(test_set, "качество") == expected
    assert placeholder_of(test_set, "COMET") is None
    named = ["COMET"] if expected is not None else ["качество", "COMET"]
    assert [metric.name for metric in default_metrics(test_set)] == named
    message = f"t: качество is {expected} in every segment of every system: a placeholder, which is left out."
    assert placeholders_left_out(test_set) == ([] if expected is None else [message])


def test_where_all_are_placeholders_texts_are_compared_or_else_the_numbers():
    numbers = {"q": ([7, 7], [7, 7])}
    assert [metric.name for metric in default_metrics(with_numbers(numbers))] == ["chrf_multi"]
    alone = with_numbers(numbers, texts=False)
    assert [metric.name for metric in default_metrics(alone)] == ["q"]
    assert placeholders_left_out(alone) == []
    assert [metric.name for metric in default_metrics(with_numbers({}))] == ["bleu_multi"]


@pytest.mark.parametrize(
    ("metric", "limit", "is_odd"),
    [
        ("chrf", 0.3, True),
        ("chrf", 1, False),
        ("chrf", 0, False),
        ("chrf", -0.3, False),
        ("chrf:scale=1", 0.3, False),
        ("ter", 0.3, False),
    ],
)
def test_a_limit_below_1_is_odd_of_percent_of_which_more_is_better(metric, limit, is_odd):
    (table,) = tercet.compare({"a": ["кот спит", "x"]}, metric, references=["кот ест", "x y"], interval=None).tables
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_limit(table, limit, "--fail-under")
    assert [str(each.message) for each in caught] == (
        ["--fail-under: chrF is in percent, from 0 to 100. Did you mean 30?"] if is_odd else []
    )


@pytest.mark.parametrize(("scale", "is_odd"), [(1, False), (100, True)])
def test_a_limit_of_numbers_is_odd_where_the_user_says_that_they_are_percent(scale, is_odd):
    column = tercet.Column("quality", scale=scale)
    (table,) = tercet.compare(scores={column: {"a": [2.0, 4, 3, 1, 5]}}).tables
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_limit(table, 0.5, "--fail-under")
    assert len(caught) == is_odd


def test_of_several_scores_the_fewest_segments_are_said_to_be_too_few():
    numbers = {"q": [1, 2.5, 3, None, None, None], "r": [1, 2.5, 3, 4, None, None], "s": [1, 2.5, 3, 4, 5, 6]}
    found = tercet.compare(scores={name: {"a": of_a, "б": of_a} for name, of_a in numbers.items()})
    (remark,) = [remark for remark in found.remarks() if remark.startswith("No intervals")]
    assert remark == "No intervals: 3 segments cannot tell how much scores vary; 5 or more would."


REFERENCES = [
    "кот спит дома",
    "猫が鳴く",
    "a gull flies",
    "es regnet sehr",
    "la mer est calme",
    "il piove",
    "дождь идёт",
]
FIRST = [text[:-2] for text in REFERENCES]
SECOND = [text[:-1] for text in REFERENCES]


@pytest.mark.parametrize(("test", "n_draws"), [("permutation", 128), ("bootstrap", 1000)])
def test_two_systems_are_tested_as_in_a_comparison(test, n_draws):
    found = paired_significance("chrf", FIRST, SECOND, REFERENCES, test=test)
    (table,) = tercet.compare({"a": FIRST, "б": SECOND}, "chrf", references=REFERENCES, test=test).tables
    first, second = table.rows
    assert (found["scores1"]["chrf"], found["scores2"]["chrf"]) == pytest.approx((first.value, second.value))
    assert found["stat"] == found["stats"]["chrf"] == pytest.approx(second.value - first.value)
    assert found["p"] == found["pvalues"]["chrf"] == pytest.approx(second.adjusted_pvalue)
    assert (found["test"], found["n_resamples"], found["seed"], found["n_segments"]) == (test, n_draws, 12345, 7)
    assert found["signature"].startswith("chrf_multi|")


def test_items_that_one_system_lacks_are_left_out_for_both():
    found = paired_significance(
        "chrf", FIRST, SECOND, [*([text] for text in REFERENCES[:-2]), [], []], missing_references="skip"
    )
    expected = paired_significance("chrf", FIRST[:-2], SECOND[:-2], REFERENCES[:-2])
    assert (found["n_segments"], found["stat"], found["p"]) == (5, expected["stat"], expected["p"])
    assert found["n_resamples"] == 32
    with pytest.raises(InputError):
        paired_significance("chrf", FIRST[:1], SECOND[:1], [[]], missing_references="skip")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": None}, "'test'"),
        ({"test": "Welch"}, "'test'"),
        ({"segments": True}, "A paired test has no 'segments'"),
        ({"confidence_level": 0.9}, "A paired test has no 'confidence_level'"),
    ],
)
def test_what_a_paired_test_does_not_take_is_named(options, message):
    with pytest.raises(OptionError, match=message):
        paired_significance("chrf", FIRST, SECOND, REFERENCES, **options)
    assert paired_significance("chrf", FIRST, SECOND, REFERENCES, segments=False, confidence_level=None)["p"] < 1


def test_references_are_needed_where_the_metric_takes_them():
    with pytest.raises(
        InputError, match=r"references must be a list with one text or one list of texts per item, got"
    ):
        paired_significance("chrf", FIRST, SECOND)
    alone = paired_significance("diversity", FIRST, SECOND, n_resamples=50)
    assert alone == paired_significance("diversity", FIRST, SECOND, REFERENCES, n_resamples=50)
