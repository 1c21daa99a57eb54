"""Rows of a file, one by one -> a table: cells in order below a header, or by the names of their columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tercet.errors import InputError, shorten

from .table import MOST_CELLS, MOST_COLUMNS, Table

#: A row of a file: the line on which it begins, and its cells. (A plain tuple, of which millions are made.)
Row = tuple[int, list[str]]


def list_rows(rows: Iterable[Row], name: str) -> list[Row]:
    """Return rows as a list, which takes many times the memory of their text."""
    collected: list[Row] = []
    n_cells = 0
    for row in rows:
        line, cells = row
        n_cells += len(cells)
        if n_cells > MOST_CELLS:
            raise InputError(
                f"{name}, line {line}: more than {MOST_CELLS:,} cells, which is the limit: split it into several "
                "files."
            )
        collected.append(row)
    return collected


def table_of_rows(rows: Sequence[Row], name: str) -> Table:
    """Return rows as columns under the names of the first row."""
    names = _names_in_first_row(rows, name)
    _, titles = rows[0]
    items = rows[1:]
    # In a table of a single column, an empty line is a cell.
    if len(names) > 1:
        items = _without_last_empty_lines(items)
    if not items:
        header = ", ".join(shorten(column)[1:-1] for column in names[:20])
        raise InputError(f"{name} has a header ({header}) and no rows; expected a row per item.")
    for line, cells in items:
        if len(cells) != len(names):
            number = str(len(cells))
            if len(cells) > MOST_COLUMNS:
                number = f"more than {MOST_COLUMNS}"
            raise InputError(f"{name}, line {line}: expected {len(names)} cells, as in the header, found {number}.")
    cells_by_column = zip(*(cells for _, cells in items), strict=True)
    columns: dict[str, list[Any]] = {}
    for column, title, column_cells in zip(names, titles, cells_by_column, strict=True):
        # What stands behind the last column of a spreadsheet, as it is or as pandas names it, is none.
        if any(column_cells) or not re.fullmatch(r"\s*|Unnamed: \d+", title):
            columns[column] = list(column_cells)
    return Table(name, columns, [line for line, _ in items])


def _without_last_empty_lines(rows: Sequence[Row]) -> Sequence[Row]:
    n_rows = len(rows)
    while n_rows:
        _, cells = rows[n_rows - 1]
        if cells != [""]:
            break
        n_rows -= 1
    return rows[:n_rows]


def _names_in_first_row(rows: Sequence[Row], name: str) -> list[str]:
    """Return the names of the columns; one without a name is called by its number."""
    titles: list[str] = []
    problem = "it is empty"
    if rows:
        _, titles = rows[0]
        problem = "its first line is empty"
    if not any(map(str.strip, titles)):
        raise InputError(f"{name}: expected the names of the columns in the first line, but {problem}.")
    if len(titles) > MOST_COLUMNS:
        raise InputError(f"{name}, line 1: more than {MOST_COLUMNS} columns; expected at most that.")
    names = [title.strip() or f"column {number}" for number, title in enumerate(titles, 1)]
    check_distinct(names, f"{name}, line 1")
    return names


def check_distinct(names: Sequence[str], location: str) -> None:
    """Raise an InputError for a name that several columns have."""
    for column, n_columns in Counter(names).items():
        if n_columns > 1:
            raise InputError(f"{location}: the column {shorten(column)} appears twice; expected distinct names.")


class RaggedRows:
    """Rows that do not all have the same columns, gathered into a table; what a row lacks is ``None`` there."""

    def __init__(self, name: str, unit: str = "line") -> None:
        self._name = name
        self._unit = unit
        self._columns: dict[str, list[Any]] = {}
        self._lines: list[int] = []

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        """Append a row that begins on a line."""
        columns = self._columns
        lines = self._lines
        for name in row:
            if name not in columns:
                if len(columns) == MOST_COLUMNS:
                    raise InputError(
                        f"{self._name}, {self._unit} {line}: more than {MOST_COLUMNS} different columns; expected "
                        "rows that share their columns."
                    )
                columns[name] = [None] * len(lines)
        lines.append(line)
        if len(columns) * len(lines) > MOST_CELLS:
            raise InputError(
                f"{self._name}, {self._unit} {line}: more than {MOST_CELLS:,} cells, since rows get the columns of "
                "all others; expected rows that share their columns."
            )
        for name, cells in columns.items():
            cells.append(row.get(name))

    def table(self, expected: str) -> Table:
        """Return the table, or raise an InputError where no row was added: the file has none of what was expected."""
        if not self._lines:
            raise self.empty_error(expected)
        return Table(self._name, self._columns, self._lines, unit=self._unit)

    def empty_error(self, expected: str) -> InputError:
        """Return the error of a file without rows."""
        return InputError(f"{self._name} is empty; expected {expected}.")
