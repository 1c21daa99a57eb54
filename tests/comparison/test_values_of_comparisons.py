"""What a comparison consists of are values: nobody changes them; a large one is equal to itself alone."""

import re

import pytest

import tercet
from value_classes import has_room_for_more, is_frozen, value_classes

VALUES = value_classes("comparison")
#: Of arrays, or of parts that have some.
BY_IDENTITY = {
    "Buckets",
    "Comparison",
    "Overall",
    "PairOfOutputs",
    "SliceStats",
    "Plan",
    "ScoreTable",
    "ScoresOverRuns",
    "Section",
}


@pytest.mark.parametrize("name", VALUES)
def test_none_can_be_changed_or_has_further_attributes(name):
    assert is_frozen(VALUES[name])
    assert not has_room_for_more(VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_small_ones_are_compared_by_what_they_hold(name):
    assert (VALUES[name].__eq__ is object.__eq__) is (name in BY_IDENTITY)


def test_a_table_is_shown_without_the_numbers_of_segments():
    scores = {"quality": {"ура": [1.0, 2.5, 4.0], "猫": [2.0, 2.5, 3.0]}}
    (table,) = tercet.compare(scores=scores, n_resamples=10, interval=None).tables
    names = re.findall(r"(\w+)=", repr(table).replace(repr(table.rows), ""))
    shown = ["metric", "name", "signature", "rows", "higher_is_better", "n_units", "too_few"]
    assert [name for name in names if name in shown] == shown
    assert not {"pvalues", "segments", "scorer", "stats", "sections"} & {*names}
