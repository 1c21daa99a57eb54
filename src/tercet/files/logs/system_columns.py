"""Names of columns in a log with several systems: the field of the file, a blank, and what the system is called."""

from __future__ import annotations


def system_column(field: str, system: str) -> str:
    """Return the name of the column with a field of a system; fields have no blanks."""
    return f"{field} {system}"


def system_of(column: str) -> str:
    """Return the system of a column; "" where there is but one, which the column does not name."""
    return column.partition(" ")[2]


def text_field_of(column: str) -> str:
    """Return the field whose texts a column has."""
    return column.partition(" ")[0]
