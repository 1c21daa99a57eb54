"""W&B: <any>.table.json, an object of columns and data, as pandas writes one, too: a table, no log.

    {"columns": ["input", "base", "reference"], "data": [["Q: ...", "18", "18"]]}

Known by: columns and data, lists, the second of lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tercet.errors import InputError
from tercet.files.json_values import without_nan
from tercet.files.rows import RaggedRows, check_distinct
from tercet.files.table import Table

from .log_format import LogFormat


def log_in_object(content: Mapping[str, Any], name: str) -> Table | None:
    """Return the table that an object has by rows, without cells that stand for files; None for other objects."""
    table = table_by_rows(content, name)
    if table is None:
        return None
    texts = {}
    for column, cells in table.columns.items():
        if not any(map(_stands_for_file, cells)):
            # W&B writes NaN for a missing cell.
            texts[column] = list(map(without_nan, cells))
    return replace(table, columns=texts)


FORMAT = LogFormat("W&B", in_object=log_in_object)


def table_by_rows(content: Mapping[str, Any], name: str) -> Table | None:
    """Return the table of an object with a list of columns and one of rows, as they are; None for other objects."""
    columns = content.get("columns")
    rows = content.get("data")
    if not isinstance(columns, list) or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    names = [str(column) for column in columns]
    check_distinct(names, name)
    gathered = RaggedRows(name, "row")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            expected = f"{len(names)} cells, as there are columns"
            raise InputError(f"{name}, row {number:,}: expected {expected}, found {len(row)}.")
        gathered.add(number, dict(zip(names, row, strict=True)))
    return gathered.table("rows of results")


def _stands_for_file(value: Any) -> bool:
    """Return whether a cell of W&B stands for an image or the like."""
    return isinstance(value, dict) and "_type" in value
