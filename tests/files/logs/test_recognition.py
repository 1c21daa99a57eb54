"""Every harness is asked whether a log is its own, and none takes what is nobody's."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from tercet.files import logs
from tercet.files.logs.recognition import IN_OBJECTS, IN_TABLES, IN_TABLES_OF_OBJECTS, log_in_table, table_in_object
from tercet.files.table import Table

MODULES = [import_module(f"tercet.files.logs.{module.name}") for module in iter_modules(logs.__path__)]
TABLE = Table("a.csv", {"id": ["1"], "reference": ["a ship"], "prediction": ["a boat"]}, [2])


@pytest.mark.parametrize(("name", "asked"), [("log_in_table", IN_TABLES_OF_OBJECTS), ("log_in_object", IN_OBJECTS)])
def test_each_module_of_a_harness_is_asked_once(name, asked):
    functions = {vars(module).get(name) for module in MODULES if not module.__name__.endswith(".recognition")}
    functions.remove(None)
    assert {function: asked.count(function) for function in functions} == dict.fromkeys(functions, 1)
    assert len(functions) > 3


def test_what_is_asked_of_any_table_is_asked_of_one_of_objects_too():
    assert set(IN_TABLES) < set(IN_TABLES_OF_OBJECTS)


def test_a_table_of_nobody_is_no_log():
    assert log_in_table(TABLE) is None
    assert table_in_object({"prediction": "a ship", "reference": "a boat"}, "a.json") is None
    assert table_in_object(["a ship"], "a.json") is None
