"""The columns that a user names, by role, and how messages list columns."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.errors import InputError, argument, shorten
from tercet.files.missing_option import LEAVE_OUT

if TYPE_CHECKING:
    from tercet.files.table import Roles, Table

    from .column_readings import ColumnRole

#: The most columns that a message lists (chosen).
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """The columns of tables or logs that a user names, by role, and which segments they must have."""

    systems: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    source: str | None = None
    cluster: str | None = None
    #: Scores by name, each in a column for every system.
    scores: list[str] = field(default_factory=list)
    #: What labels segments: columns, perhaps with a regular expression.
    slices: list[str] = field(default_factory=list)
    need_references: bool = True
    #: What becomes of segments that a system lacks.
    missing: str = LEAVE_OUT
    #: The column of a long table that names the system of each row.
    system_column: str | None = None


def columns_by_role(
    named: NamedColumns, scores: Sequence[str], slices: Sequence[str]
) -> dict[ColumnRole, Sequence[str]]:
    """Return the columns in each role, given those of scores and of slices."""
    by_role: dict[ColumnRole, Sequence[str]] = {"system": named.systems, "reference": named.references}
    if named.source is not None:
        by_role["source"] = [named.source]
    if named.cluster is not None:
        by_role["clusters"] = [named.cluster]
    by_role["scores"] = scores
    by_role["slices"] = list(dict.fromkeys(slices))
    return by_role


def column_called(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with one of the names, in their order."""
    return next(columns_called(table, names), None)


def columns_called(table: Table, names: Sequence[str]) -> Iterator[str]:
    """Yield the columns with one of the names, in their order."""
    # reversed, so that of several columns with the same folded name the first stays
    folded = {re.sub(r"[\s-]+", "_", column.strip().casefold()): column for column in reversed(table.columns)}
    return (folded[name] for name in names if name in folded)


def reference_columns(table: Table, named: NamedColumns, roles: Roles) -> list[str]:
    """Return the columns of references that a user names, of those that a table has, or else what suggests them."""
    named_here = [name for name in named.references if name in table.columns]
    return named_here or list(roles.references)


def references_beside(table: Table, named: NamedColumns, roles: Roles, used: Container[str | None]) -> list[str]:
    """Return the columns of references of a table beside those of systems, of columns that are not used otherwise.

    They are those of :func:`reference_columns`, or else the only texts: a table of ids and texts has no others to
    choose from.
    """
    # Here, as text files have no cells.
    from tercet.files.columns.contents import lack

    if named.references:
        return reference_columns(table, named, roles)
    suggested = [name for name in roles.references if name not in used]
    if suggested:
        return suggested
    texts = [name for name, cells in table.columns.items() if name not in used and not lack(cells)]
    if len(texts) > 1:
        return []
    return texts


def no_references_error(*tables: Table) -> InputError:
    """Return the error for tables of which no column is taken as references."""
    columns = [shorten(name) for table in tables for name in table.columns]
    return InputError(
        f"{', '.join(table.name for table in tables)}: no column was recognized as references (choose with "
        f"{argument('reference_columns')}); there are {', '.join(columns)}."
    )


#: Roles of columns as a list of them is called.
_SEVERAL = {"reference": "references", "source": "sources"}


def column_of_system(file: str, system: str, name: str, taken: Container[str]) -> str:
    """Return what a column of numbers of a system is called beside the texts; InputError for a name that is taken."""
    column = f"{system}.{name}"
    if column in taken:
        raise InputError(
            f"{file}: {shorten(name)} of the system {shorten(system)} would be called {shorten(column)}, which is "
            "the name of another system or column: rename one of them."
        )
    return column


def columns_left_out(table: Table, roles: Mapping[ColumnRole, Sequence[str]]) -> tuple[str, ...]:
    """Return the columns that have no role."""
    with_role = set().union(*roles.values())
    return tuple(column for column in table.columns if column not in with_role)


def columns_in_words(table: Table, roles: Mapping[ColumnRole, Sequence[str]], left_out: Sequence[str]) -> str:
    """Return which columns have which role, and which are left out."""
    parts = []
    for role, names in roles.items():
        title = _SEVERAL.get(role, role)
        if role == "system" and len(names) > 1:
            title = "systems"
        if names:
            parts.append(f"{title}: {listing(names)}")
    return f"{table.name}: {'; '.join(parts)}{end_of_fields({}, left_out)}"


def end_of_fields(roles: Mapping[str, Sequence[str]], left_out: Sequence[str]) -> str:
    """Return the end of what columns are in words: those of further roles, and those that are left out."""
    in_words = ""
    for role, names in {**roles, "left out": left_out}.items():
        if names:
            in_words += f"; {role}: {listing(names)}"
    return f"{in_words}."


def with_further_roles(
    fields: str, left_out: Sequence[str], roles: Mapping[str, Sequence[str]], still_left_out: Sequence[str]
) -> str:
    """Return what columns are in words, where some of those that were left out have roles after all."""
    return fields.removesuffix(end_of_fields({}, left_out)) + end_of_fields(roles, still_left_out)


def listing(columns: Sequence[str]) -> str:
    """Return the names of columns as a message lists them."""
    in_words = ", ".join(map(repr, columns[:MOST_LISTED]))
    if len(columns) > MOST_LISTED:
        in_words += f" and {len(columns) - MOST_LISTED} more"
    return in_words
