"""Tables that were made of long ones: where their cells stand there, and how its columns were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.files.table import Table

from .column_readings import LEFT_OUT, ColumnReading, ColumnRole, readings

#: Why a column is of systems, and not of items.
_DIFFERS = "it differs by system"


class Origin(NamedTuple):
    """Where the cells of a system's column stand in a long table."""

    column: str
    #: The row of each item; None where the system has none.
    rows: list[int | None]


@dataclass(frozen=True, slots=True)
class PivotedTable(Table):
    """A table that was made of a long one, in whose lines its cells stand."""

    long: Table
    #: By column of a system.
    origins: Mapping[str, Origin]
    #: By system, the row of each item in the long table; None where it has none.
    rows: Mapping[str, list[int | None]]
    #: The column of the systems' texts; None where there are only numbers.
    text: str | None
    #: The column that names systems, and those that tell items apart.
    names: str
    key: Sequence[str]

    def location(self, row: int, column: str) -> str:
        """Return where a cell stands, in the long table where it is from there."""
        if column not in self.origins:
            return Table.location(self, row, column)
        origin = self.origins[column]
        row_there = origin.rows[row]
        if row_there is None:
            return Table.location(self, row, column)
        return self.long.location(row_there, origin.column)

    def _measurements(self) -> Iterator[list[Any]]:
        """Yield the columns of the long table: its numbers are written so, also those that are not read."""
        return self.long._measurements()

    def unread_by_system(self) -> dict[str, dict[str, list[Any]]]:
        """Return the columns of the long table that no column was made of, the cells of each system."""
        read = {*self.columns, self.names, *(origin.column for origin in self.origins.values())}
        by_system: dict[str, dict[str, list[Any]]] = {}
        for name, cells in self.long.columns.items():
            if name not in read:
                by_system[name] = {system: cells_of_rows(cells, rows) for system, rows in self.rows.items()}
        return by_system

    def readings(self, columns: Sequence[ColumnReading], named_by_user: Sequence[str]) -> tuple[ColumnReading, ...]:
        """Return how the columns of the long table were read, given how those of this one were."""
        texts = []
        if self.text is not None:
            texts.append(self.text)
        scores = [origin.column for origin in self.origins.values() if origin.column != self.text]
        # Of a column in several roles, the last one counts.
        columns_of: dict[ColumnRole, list[str]] = {
            "names of systems": [self.names],
            "texts": texts,
            "scores": scores,
            "key": list(self.key),
        }
        reasons = dict.fromkeys(self.long.columns, _DIFFERS)
        for reading in columns:
            if reading.column not in self.long.columns:
                continue
            if reading.role != LEFT_OUT:
                columns_of.setdefault(reading.role, []).append(reading.column)
            reasons[reading.column] = reading.reason
        reasons |= dict.fromkeys([*texts, *scores], _DIFFERS)
        reasons[self.names] = "its name says it, and its values repeat"
        reasons |= dict.fromkeys(self.key, "each of its values has a row of each system")
        return readings(self.long, columns_of, reasons, named_by_user)


def rows_by_system(table: Table) -> dict[str, list[int | None]]:
    """Return, for each column that was made of a long table, the row of each item there; nothing of other tables."""
    if not isinstance(table, PivotedTable):
        return {}
    return {column: origin.rows for column, origin in table.origins.items()}


def cells_of_rows(cells: Sequence[Any], rows: Sequence[int | None], absent: Any = None) -> list[Any]:
    """Return the cells of these rows; `absent` where there is no row."""
    return [absent if row is None else cells[row] for row in rows]
