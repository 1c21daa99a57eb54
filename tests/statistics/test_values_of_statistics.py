"""Results of statistics are values: nobody changes them, and those that hold arrays are compared by identity."""

import pytest

from value_classes import has_room_for_more, is_frozen, value_classes

VALUES = value_classes("statistics")
#: Not frozen, as that takes a microsecond for each.
ROWS = {"SegmentStats"}


@pytest.mark.parametrize("name", VALUES)
def test_only_rows_can_be_changed_and_nothing_has_further_attributes(name):
    assert is_frozen(VALUES[name]) is (name not in ROWS)
    assert not has_room_for_more(VALUES[name])


@pytest.mark.parametrize("name", sorted({*VALUES} - {"ExactSums", "PairVariation"}))
def test_what_holds_arrays_is_equal_to_itself_alone(name):
    assert VALUES[name].__eq__ is object.__eq__
    assert len({object.__new__(VALUES[name]) for _ in range(2)}) == 2
