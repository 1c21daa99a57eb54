"""What is read from files are values: nobody changes them, and they are equal by their texts and columns."""

import inspect
from dataclasses import fields, replace

import pytest

from tercet.files.table import Memory, Roles, Table
from tercet.test_sets.test_set import TestSet
from value_classes import has_room_for_more, is_frozen, value_classes

FILES = value_classes("files")
VALUES = {**FILES, **value_classes("test_sets")}

SHIPS = TestSet("ships", {"new": ["паром", "猫"]}, [["паром"], ["猫", "ねこ"]], None)
ROLES = Roles("текст", ("ref",), ("new",))


@pytest.mark.parametrize("name", VALUES)
def test_none_can_be_changed_or_has_further_attributes(name):
    assert is_frozen(VALUES[name])
    assert not has_room_for_more(VALUES[name])


def test_a_folder_of_metrics_is_equal_to_itself_alone():
    by_identity = {name for name in FILES if FILES[name].__eq__ is object.__eq__}
    assert by_identity == {"MetricsFolder"}


@pytest.mark.parametrize("name", [field.name for field in fields(TestSet)][4:])
def test_how_a_test_set_was_read_is_named_and_neither_shown_nor_compared(name):
    parameter = inspect.signature(TestSet).parameters[name]
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    otherwise = replace(SHIPS, **{name: "otherwise"})
    assert getattr(otherwise, name) == "otherwise"
    assert otherwise == SHIPS
    assert repr(otherwise) == repr(SHIPS)


@pytest.mark.parametrize("name", ["name", "systems", "references", "source"])
def test_its_texts_are_shown_and_compared(name):
    otherwise = replace(SHIPS, **{name: "otherwise"})
    assert otherwise != SHIPS
    assert f"{name}='otherwise'" in repr(otherwise)


@pytest.mark.parametrize("name", ["left_out", "reasons", "doubtful", "unlike"])
def test_roles_are_compared_by_columns_and_not_by_their_reasons(name):
    assert replace(ROLES, **{name: "otherwise"}) == ROLES


@pytest.mark.parametrize("name", ["source", "references", "systems"])
def test_roles_of_other_columns_are_others(name):
    assert replace(ROLES, **{name: ("другой",)}) != ROLES


@pytest.mark.parametrize("name", ["unit", "notation", "decimal", "dialect", "filled_by"])
def test_how_a_table_is_written_is_named(name):
    for cls in (Table, Memory):
        assert inspect.signature(cls).parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
