"""A table read from a file: cells in named columns, and the line on which each row stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.errors import InputError, did_you_mean, shorten

#: Columns that a file may have whose rows name their own: what a row lacks takes memory too, so a small file of
#: rows that share no column would otherwise become a table of the square of its rows.
MOST_COLUMNS = 500
MOST_CELLS = 20_000_000


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of a file by column.

    Attributes
    ----------
    name : str
        Of the file, without its folder, for messages.
    columns : dict of str to list
        A cell per row: text; ``None`` where there is none; in a file of JSON also any other value.
    lines : list of int
        The line, counted from 1, on which each row begins.

    Examples
    --------
    >>> table = Table("test.tsv", {"mt": ["a", "b"]}, [2, 3])
    >>> table.place(1, "mt")
    "test.tsv, line 3, column 'mt'"
    """

    name: str
    columns: dict[str, list[Any]]
    lines: list[int]

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column, or raise an InputError with the columns that there are."""
        if name not in self.columns:
            raise InputError(f"{self.name} has no column {shorten(name)}. {did_you_mean(name, self.columns)}")
        return self.columns[name]

    def place(self, row: int, column: str) -> str:
        """Say where a cell stands, for messages."""
        return f"{self.name}, line {self.lines[row]}, column {shorten(column)}"


class RaggedRows:
    """Rows that do not all have the same columns, gathered into a table; what a row lacks is ``None`` there.

    Examples
    --------
    >>> rows = RaggedRows("test.jsonl")
    >>> rows.add(1, {"mt": "a"})
    >>> rows.add(2, {"ref": "b"})
    >>> rows.table("rows").columns
    {'mt': ['a', None], 'ref': [None, 'b']}
    """

    def __init__(self, name: str) -> None:
        self._table = Table(name, {}, [])

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        """Append a row that begins on a line."""
        columns, lines = self._table.columns, self._table.lines
        for name in row:
            if name not in columns:
                if len(columns) == MOST_COLUMNS:
                    raise InputError(
                        f"{self._table.name}, line {line}: more than {MOST_COLUMNS} different columns; expected rows "
                        "that share their columns."
                    )
                columns[name] = [None] * len(lines)
        lines.append(line)
        if len(columns) * len(lines) > MOST_CELLS:
            raise InputError(
                f"{self._table.name}, line {line}: more than {MOST_CELLS:,} cells, as rows of few columns have all "
                "those of the others; expected rows that share their columns."
            )
        for name, cells in columns.items():
            cells.append(row.get(name))

    def table(self, expected: str) -> Table:
        """Return the table, or raise an InputError where no row was added: the file has none of what was expected."""
        if not self._table.lines:
            raise InputError(f"{self._table.name} is empty; expected {expected}.")
        return self._table
