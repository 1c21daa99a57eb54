"""Tables whose format says the roles: the rows that all systems have."""

from __future__ import annotations

from dataclasses import replace

from tercet.errors import InputError, argument, shorten
from tercet.files.join import join_rows
from tercet.files.table import TableWithRoles

from .long_tables import WideTable
from .roles import Columns


def rows_of_all(table: TableWithRoles, columns: Columns) -> WideTable:
    """Return the rows in which all systems have a text, and how many each lacks.

    A translator, or a system, may have only some documents: what becomes of the others, `columns.missing` says.
    """
    names = columns.systems or table.roles.systems
    systems = [name for name in names if name in table.columns and name not in columns.references]
    rows_of: dict[str, set[int]] = {}
    for name in systems:
        rows_of[name] = {row for row, cell in enumerate(table.columns[name]) if cell is not None}
    all_rows = range(len(table.lines))
    if not set(all_rows).intersection(*rows_of.values()):
        raise InputError(
            f"{table.name}: no segment has a text of each of {', '.join(map(shorten, systems))}; name fewer: "
            f"{argument('systems')}."
        )
    rows, lost = join_rows(table, rows_of, all_rows, "segments", columns.missing)
    scored: dict[str, list[str | None]] = {}
    for name, cells in table.columns.items():
        if name in systems:
            scored[name] = [cells[row] or "" for row in rows]
        else:
            scored[name] = [cells[row] for row in rows]
    rows_scored = replace(table, columns=scored, lines=[table.lines[row] for row in rows])
    return WideTable(rows_scored, columns, lost=lost)
