"""Values of JSON -> rows: an object of a line, and the forms in which people and programs write a whole table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.columns.name_roles import clear_role, name_role
from tercet.files.json_values import as_list
from tercet.files.rows import RaggedRows
from tercet.files.table import Table
from tercet.names_as_shown import joined


def table_in(content: Any, name: str) -> Table | None:
    """Return the table that the value in a file of JSON is, a row per object; None for values of another form.

    It is an array of objects, by itself or in an object, as the only one whose names of columns say that it has texts
    (COCO's annotations stand beside its images and licenses); an object of columns, which are lists of one length, or
    objects by the number of the row (of pandas); an object of rows by their number; or one row.
    """
    if _are_objects(content):
        return _table_of_objects(content, name)
    if not isinstance(content, dict):
        return None
    if content and all(map(str.isdecimal, content)) and _are_objects(list(content.values())):
        return _table_of_objects(list(content.values()), name)
    tables = {}
    columns = {}
    # How many rows columns of texts have.
    lengths = set()
    for key, value in content.items():
        if _is_column(value):
            columns[key] = _cells_by_row(value)
        if _are_objects(value):
            tables[key] = value
        elif key in columns and _has_texts(columns[key]):
            lengths.add(len(columns[key]))
    if tables and lengths.isdisjoint(map(len, tables.values())):
        of_texts = list(tables)
        if len(tables) > 1:
            of_texts = [key for key, rows in tables.items() if _say_texts(rows[0])]
        if len(of_texts) != 1:
            names = joined(list(map(shorten, tables)))
            raise InputError(f"{name} holds several tables, {names}: give each in a file of its own.")
        return _table_of_objects(tables[of_texts[0]], name)
    if lengths:
        return _table_of_columns(columns, name)
    # Such as a summary of scores, an object of one row says by its names what its texts are.
    if any(isinstance(value, str) and clear_role(key) in ("system", "reference") for key, value in content.items()):
        return _table_of_objects([content], name)
    return None


def object_in(text: str, location: str) -> dict[str, Any]:
    """Return the object of a line, or raise an InputError that begins with its location."""
    value = parse_value(text, location, "an object", "an object of texts")
    if not isinstance(value, dict):
        raise InputError(f"{location}: found {shorten(value)}; expected an object, " + '{"column": "text"}.')
    return value


def parse_value(text: str, location: str, expected: str = "a table", whole: str = "a table") -> Any:
    """Return a value of JSON with distinct keys, without halves of characters, and None for NaN."""
    try:
        value = distinct_value(text, location)
        # Only an escape can stand for half a character.
        if "\\u" in text:
            check_characters(value, location)
        return value
    except InputError:
        raise
    except json.JSONDecodeError as error:
        reason = "Unexpected byte order mark" if text.startswith("\ufeff") else error.msg
        problem = f"not JSON ({reason}, column {error.colno}); expected {expected}."
    except RecursionError:
        problem = f"lists or objects nested too deeply; expected {whole}."
    except ValueError as error:
        # An integer with more digits than Python takes.
        problem = f"{error}; expected {whole}."
    raise InputError(f"{location}: {problem}")


def distinct_value(text: str, location: str) -> Any:
    """Return a value of JSON, with None for NaN, or raise an InputError for a key that is there twice.

    What is no JSON raises what the decoder does, such as a ValueError.
    """
    try:
        return _DECODER.decode(text)
    except _KeyTwiceError as error:
        problem = f"the key {shorten(error.args[0])} appears twice; expected distinct keys."
    raise InputError(f"{location}: {problem}")


def check_characters(value: Any, location: str) -> None:
    """Raise an InputError for half a character in a value of JSON, which cannot be encoded."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        problem = f"the lone surrogate {error.object[error.start]!r} is not a character; expected Unicode text."
        raise InputError(f"{location}: {problem}") from None


def written(value: Any) -> str:
    """Return a text as it is, and any other value as it is written in JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def written_or_empty(value: Any) -> str:
    """Return a text, or any other value as it is written in JSON; "" for None."""
    if value is None:
        return ""
    return written(value)


class _KeyTwiceError(Exception):
    """An object has a key twice: only one of its values would be read."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _KeyTwiceError(next(key for key in values if counts[key] > 1))
    return values


# One for all lines: json.loads, given these arguments, would make one for each.
_DECODER = json.JSONDecoder(
    parse_constant=lambda name: None if name == "NaN" else float(name), object_pairs_hook=_distinct
)


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and any(value) and all(isinstance(row, dict) for row in value)


def _say_texts(row: Mapping[str, Any]) -> bool:
    """Return whether the name of some column says that it has references, or texts of a system."""
    roles = [name_role(name) for name in row]
    return any(name.word and name.role in ("system", "reference") for name in roles)


def _is_column(value: Any) -> bool:
    if not value or isinstance(value, list):
        return bool(value)
    return isinstance(value, dict) and all(map(str.isdecimal, value))


def _cells_by_row(column: list[Any] | dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a column by the number of their row."""
    if isinstance(column, dict):
        return column
    return {str(row): cell for row, cell in enumerate(column)}


def _has_texts(cells: Mapping[str, Any]) -> bool:
    """Return whether some cell is a text, or a list with one."""
    texts = chain.from_iterable(map(as_list, cells.values()))
    return any(isinstance(text, str) for text in texts)


def _table_of_objects(objects: list[dict[str, Any]], name: str) -> Table:
    rows = RaggedRows(name, "row")
    for number, row in enumerate(objects, 1):
        rows.add(number, row)
    return rows.table("an array of objects")


def _table_of_columns(columns: Mapping[str, Any], name: str) -> Table:
    """Return the table of columns; those without a clear role may be other lists, and are left out if they differ."""
    with_texts = [key for key, cells in columns.items() if _has_texts(cells)]
    with_role = [key for key in with_texts if clear_role(key)]
    leading, *others = with_role or with_texts
    rows = columns[leading].keys()
    for key in others:
        cells = columns[key]
        if cells.keys() == rows:
            continue
        problem = f"{len(rows):,} cells of {shorten(leading)} and {len(cells):,} of {shorten(key)}"
        if len(cells) == len(rows):
            problem = f"other numbers of rows in {shorten(key)} than in {shorten(leading)}"
        if all(isinstance(cell, list) and len(cell) == len(rows) for cell in cells.values()):
            problem += ", which looks transposed: expected a list for each row"
        raise InputError(f"{name}: expected columns of the same rows, found {problem}.")
    whole = {key: cells for key, cells in columns.items() if cells.keys() == rows}
    objects = []
    for row in rows:
        objects.append({key: cells[row] for key, cells in whole.items()})
    return _table_of_objects(objects, name)
