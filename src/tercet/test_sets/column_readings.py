"""How the columns of a file were read: the role of each, why it has it, and what it holds."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from tercet import table_formats
from tercet.errors import shorten
from tercet.files.columns.roles import guess_roles
from tercet.table_formats import Column

if TYPE_CHECKING:
    from tercet.files.table import Table

#: Values that are shown of a column.
_MOST_VALUES = 2
_LONGEST_VALUE = 30
#: What a column may be. A long table has "names of systems", their "texts", and the "key" that tells items apart; of
#: a file that nothing is read from, a column may be "system or reference".
ColumnRole = Literal[
    "system",
    "reference",
    "source",
    "clusters",
    "slices",
    "scores",
    "left out",
    "names of systems",
    "texts",
    "key",
    "system or reference",
]
#: The option by which the command takes a column in a role.
_OPTIONS: Mapping[ColumnRole, str] = {
    "names of systems": "--system-column",
    "system": "--system",
    "texts": "--system",
    "reference": "--reference-column",
    "source": "--source-column",
    "clusters": "--cluster",
    "slices": "--by",
}
#: The role of a column that has no other.
LEFT_OUT: Final = "left out"
#: What errors about roles end with.
HOW_READ = " 'tercet read' with this file shows how each column is read, and why."


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """The role in which a column was read.

    Attributes
    ----------
    column : str
    role : ColumnRole
    reason : str
        Why it has this role, in words.
    values : tuple of str
        The first values that differ, shortened; at most two.
    """

    column: str
    role: ColumnRole
    reason: str
    values: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as plain Python."""
        return {"column": self.column, "role": self.role, "reason": self.reason, "values": list(self.values)}


def readings(
    table: Table,
    columns_of: Mapping[ColumnRole, Sequence[str]],
    reasons: Mapping[str, str],
    named_by_user: Collection[str] = (),
) -> tuple[ColumnReading, ...]:
    """Return how each column of a table was read.

    Parameters
    ----------
    table : Table
    columns_of : mapping of ColumnRole to sequence of str
        The columns in each role; the others are left out.
    reasons : mapping of str to str
        Why a column has its role, or none.
    named_by_user : collection of str
        Columns whose role the user says.
    """
    roles: dict[str, ColumnRole] = {}
    for role, columns in columns_of.items():
        roles |= dict.fromkeys(columns, role)
    columns_read = []
    for column, cells in table.columns.items():
        reason = reasons.get(column, "")
        if column in named_by_user:
            reason = "you say so"
        columns_read.append(ColumnReading(column, roles.get(column, LEFT_OUT), reason, _first_values(cells)))
    return tuple(columns_read)


def readings_of_names(table: Table) -> tuple[ColumnReading, ...]:
    """Return how each column would be read by its name and what it holds: of a table that nothing is read from."""
    roles = guess_roles(table)
    sources = []
    if roles.source is not None:
        sources.append(roles.source)
    columns_of: dict[ColumnRole, Sequence[str]] = {
        "system": [name for name in roles.systems if name not in roles.doubtful],
        "reference": [name for name in roles.references if name not in roles.doubtful],
        "source": sources,
        "system or reference": list(roles.doubtful),
    }
    return readings(table, columns_of, roles.reasons)


def _first_values(cells: Sequence[Any]) -> tuple[str, ...]:
    """Return the first values that differ, as messages show them."""
    values: list[str] = []
    for cell in cells:
        if cell is None or cell == "":
            continue
        value = shorten(cell, _LONGEST_VALUE)
        if value not in values:
            values.append(value)
        if len(values) == _MOST_VALUES:
            break
    return tuple(values)


def shown_readings(title: str, columns: Sequence[ColumnReading]) -> table_formats.Table:
    """Return the readings as a table for people."""
    heads = [Column("column", "name"), Column("role", "name"), Column("why", "name"), Column("values", "name")]
    rows = [[column.column, column.role, column.reason, ", ".join(column.values)] for column in columns]
    return table_formats.Table(title, heads, rows)


def options_of(columns: Sequence[ColumnReading]) -> list[str]:
    """Return the options that say these roles, as arguments of a command."""
    arguments = []
    for role, option in _OPTIONS.items():
        for column in columns:
            if column.role == role:
                arguments += [option, column.column]
    return arguments


def command_of(files: Sequence[str], n_systems: int, arguments: Sequence[str]) -> str:
    """Return the command that compares the systems in files, or scores the only one, to copy."""
    name = "score"
    if n_systems > 1:
        name = "compare"
    return shlex.join(["tercet", name, *files, *arguments])
