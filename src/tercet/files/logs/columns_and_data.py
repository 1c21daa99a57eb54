"""An object with a list of columns and one of rows, as MLflow and W&B log tables -> a log, or a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tercet.errors import InputError
from tercet.files.rows import RaggedRows, check_distinct
from tercet.files.table import Table

from .mlflow import log_of_scores
from .scores import without_nan


def table_in_object(content: Mapping[str, Any], name: str) -> Table | None:
    """Return the results of MLflow, or else the table, that an object holds by rows; None for other objects."""
    columns = content.get("columns")
    rows = content.get("data")
    if isinstance(columns, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return _table_of(columns, rows, name)
    return None


def _table_of(columns: list[Any], rows: list[list[Any]], name: str) -> Table:
    names = [str(column) for column in columns]
    check_distinct(names, name)
    gathered = RaggedRows(name, "row")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            expected = f"{len(names)} cells, as there are columns"
            raise InputError(f"{name}, row {number:,}: expected {expected}, found {len(row)}.")
        gathered.add(number, dict(zip(names, row, strict=True)))
    table = gathered.table("rows of results")
    log = log_of_scores(table)
    if log is not None:
        return log
    texts = {}
    for column, cells in table.columns.items():
        if not any(map(_stands_for_file, cells)):
            # W&B writes NaN for a missing cell.
            texts[column] = list(map(without_nan, cells))
    return replace(table, columns=texts)


def _stands_for_file(value: Any) -> bool:
    """Return whether a cell of W&B stands for an image or the like."""
    return isinstance(value, dict) and "_type" in value
