"""Tables whose format says the roles: the rows that all systems have."""

from __future__ import annotations

from dataclasses import replace

from tercet.errors import InputError, argument, shorten
from tercet.files.join import Lost, join
from tercet.files.table import TableWithRoles

from .roles import Columns


def rows_of_all(table: TableWithRoles, columns: Columns) -> tuple[TableWithRoles, Lost]:
    """Return the rows in which all systems have a text, and how many each lacks.

    A translator, or a system, may have only some documents: what becomes of the others, `columns.missing` says.
    """
    names = columns.systems or table.roles.systems
    systems = [name for name in names if name in table.columns and name not in columns.references]
    side_of = {name: f"{table.name}: {shorten(name)}" for name in systems}
    rows_by_side: dict[str, set[int]] = {}
    for name, side in side_of.items():
        rows_by_side[side] = {row for row, cell in enumerate(table.columns[name]) if cell is not None}
    rows = range(len(table.lines))
    if not set(rows).intersection(*rows_by_side.values()):
        raise InputError(
            f"{table.name}: no segment has a text of each of {', '.join(map(shorten, systems))}; name fewer: "
            f"{argument('systems')}."
        )
    joined = join(rows_by_side, rows, "segments", lambda row: f"on line {table.lines[row]:,}", columns.missing)
    kept: dict[str, list[str | None]] = {}
    for name, cells in table.columns.items():
        kept[name] = [cells[row] for row in joined.keys]
        if name in side_of:
            kept[name] = [cell or "" for cell in kept[name]]
    lines = [table.lines[row] for row in joined.keys]
    return replace(table, columns=kept, lines=lines), joined.lost(side_of)
