"""What a comparison takes where nothing is said, and into which groups it puts segments by their length."""

import inspect

import pytest

import tercet
from tercet.comparison.gates.gate import losses
from tercet.comparison.packages.package_differences import explain_difference
from tercet.comparison.paired_significance import paired_significance
from tercet.test_sets.length_buckets import buckets_of, make_buckets
from tercet.test_sets.test_set import TestSet

TESTED = {"test": "permutation", "n_resamples": None, "adjust": "step-down"}
DEFAULTS = {
    tercet.compare: {**TESTED, "interval": "expanded", "confidence_level": 0.95, "alpha": 0.05, "seed": 12345},
    tercet.plan: {"power": 0.8, "alpha": 0.05, "seed": 12345, "n_resamples": 1000, "progress": False},
    explain_difference: {"n_gaps": 5},
    paired_significance: {"seed": 12345},
    losses: {"margin": 0},
    tercet.read_test_sets: {"need_references": True, "need_texts": False},
}


@pytest.mark.parametrize("function", DEFAULTS)
def test_defaults_are_those_that_are_documented(function):
    parameters = inspect.signature(function).parameters
    assert {name: parameters[name].default for name in DEFAULTS[function]} == DEFAULTS[function]


def test_nothing_moves_on_the_screen_unless_it_is_asked_for(capsys):
    tercet.compare(scores={"C": {"a": [1.0, 2.0], "б": [2.0, 1.0]}}, n_resamples=10)
    assert capsys.readouterr() == ("", "")
    assert inspect.signature(tercet.compare).parameters["progress"].default is False


def words(number):
    return ["слово " * number]


@pytest.mark.parametrize(
    ("lengths", "labels"),
    [
        (range(1, 16), ["1–15"]),
        (range(1, 17), ["1–8", "9–16"]),
        (range(1, 41), ["1–8", "9–16", "17–24", "25–32", "33–40"]),
        (range(1, 61), ["1–12", "13–24", "25–36", "37–48", "49–60"]),
        ([3] * 40, ["3"]),
        ([1] * 30 + [2] * 10, ["1", "2"]),
        ([0, *range(1, 16)], ["0–7", "8–15"]),
        ([], []),
    ],
)
def test_up_to_five_groups_have_eight_segments_or_more(lengths, labels):
    found = make_buckets([words(number) for number in lengths], range(len(lengths)))
    assert (found.labels, found.unit, found.called, found.of) == (labels, "words", "length", "reference")
    assert sorted(segment for members in found.members for segment in members.tolist()) == [*range(len(lengths))]


def test_the_mean_of_several_references_counts_of_the_segments_that_are_scored():
    references = [["а б", "а б в г"], ["а"], [], ["а б", "а"], ["а б в", "а б"], ["а б", "а б в", "а б в г д"]]
    found = make_buckets(references, [0, 3, 4, 5], "source")
    assert (found.lengths, found.of, found.labels) == ({0: 3, 3: 2, 4: 2, 5: 3}, "source", ["2–3"])
    assert found.members[0].tolist() == [0, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "unit", "length"),
    [
        ("猫が 鳴く。", "characters", 5),
        ("สวัสดี", "characters", 4),
        ("नमस्ते दुनिया", "words", 2),
        ("the gull flies", "words", 3),
    ],
)
def test_letters_are_counted_where_words_have_no_blanks_between_and_marks_belong_to_letters(text, unit, length):
    found = make_buckets([[text]], [0])
    assert (found.unit, found.lengths) == (unit, {0: length})
    assert found.called == ("length" if unit == "words" else unit)


def test_without_references_lengths_are_those_of_sources():
    systems = {"a": ["x", "y"]}
    both = TestSet("t", systems, [["a b c"], []], ["a", "b c"])
    assert buckets_of(both, [0, 1]).lengths == {0: 3}
    sources = buckets_of(both, [1])
    assert (sources.lengths, sources.of) == ({1: 2}, "source")
    assert buckets_of(TestSet("t", systems, [["a b c"], []], None), [1]) is None


def test_a_segment_without_reference_is_no_short_one():
    systems = {"a": words(3) * 16, "b": ["x"] * 16}
    references = [words(number) if number % 2 else [] for number in range(16)]
    comparison = tercet.compare(systems, "diversity", references=references, by="length")
    (by_length,) = comparison.slices
    assert by_length.names == ["1–15 words", "(none)"]
    assert by_length.numbers.tolist() == [1, 0] * 8
