"""Warnings of columns: those that are not used, or seem to be something else, and cells that seem to be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercet.errors import argument, shorten, warn
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import clear_role
from tercet.names_as_shown import counted

from .named_columns import listing

if TYPE_CHECKING:
    from tercet.files.table import Roles, Table


def warn_unused(table: Table, columns: Sequence[str]) -> None:
    """Warn of columns that hold texts, mostly of several words, and are not used."""
    unused = []
    for column in columns:
        texts = [cell for cell in table.columns[column] if isinstance(cell, str)]
        n_several = sum(len(text.split()) > 1 for text in texts)
        if 2 * n_several > len(texts):
            unused.append(column)
    if unused:
        warn(
            f"{table.name}: these text columns are not recognized by name and not used: {listing(unused)}. If they "
            f"are systems, name every system: {argument('systems')}."
        )


def warn_left_out(table: Table, roles: Roles) -> None:
    """Warn of columns that are not taken as systems because of what they hold."""
    by_reason: dict[Lack, list[str]] = {}
    for column, reason in roles.left_out.items():
        # Codes and numbers are no texts that anyone would miss.
        if reason is not Lack.CODES:
            by_reason.setdefault(reason, []).append(column)
    for reason, columns in by_reason.items():
        problem = f"the column {listing(columns)} {reason.in_words}"
        effect = "it is not taken as a system. To take it"
        if len(columns) > 1:
            problem = f"the columns {listing(columns)} {reason.of_several}"
            effect = "they are not taken as a system. To take them"
        warn(
            f"{table.name}: {problem}, unlike {listing(roles.systems)}: {effect}, name every system: "
            f"{argument('systems')}."
        )


def warn_unlike_references(table: Table, unlike: Sequence[str], references: Sequence[str]) -> None:
    """Warn of columns that are called as references, and are not taken as such because of what they hold."""
    for column in unlike:
        warn(
            f"{table.name}: the column {column!r} {Lack.UNLIKE_SYSTEMS.in_words}, unlike {listing(references)}: it "
            f"is not taken as references. To take it, name all references: {argument('reference_columns')}."
        )


def warn_swapped(name: str, systems: Sequence[str], references: Sequence[str], source: str | None) -> None:
    """Warn of systems, references and a source whose names say that they are something else.

    One reference may be scored against others: where these are called so, a system may be called a reference too.
    """
    allowed = ["system"]
    if any(clear_role(column) == "reference" for column in references):
        allowed.append("reference")
    for column in systems:
        _warn_of_name(name, column, "system", allowed)
    for column in references:
        _warn_of_name(name, column, "reference", ["reference"])
    if source is not None:
        _warn_of_name(name, source, "source", ["source"])


_ROLES = {"system": "a system", "reference": "references", "source": "the source"}


def _warn_of_name(name: str, column: str, role: str, allowed: Sequence[str]) -> None:
    """Warn of a column in a role whose own name says clearly that it has another one than those allowed."""
    said = clear_role(column)
    if said and said not in allowed:
        warn(
            f"{name}: {shorten(column)} is taken as {_ROLES[role]}, but its name says {_ROLES[said]}: were the two "
            "swapped?"
        )


def warn_of_written_missing(table: Table, systems: list[str], references: list[str]) -> None:
    """Warn of texts such as "nan" that systems or references alone have: a program wrote a missing cell so."""
    # Here, as text files have no cells.
    from tercet.files.numbers import WRITTEN_AS_MISSING

    spellings = frozenset(WRITTEN_AS_MISSING)
    rows_of: dict[str, list[int]] = {}
    for column in [*systems, *references]:
        cells = table.column(column)
        rows_of[column] = [row for row, cell in enumerate(cells) if isinstance(cell, str) and cell in spellings]
    in_systems = {table.columns[column][row] for column in systems for row in rows_of[column]}
    in_references = {table.columns[column][row] for column in references for row in rows_of[column]}
    # An answer may be "None", as that of a reference is.
    in_both = in_systems & in_references
    for column, rows in rows_of.items():
        cells = table.columns[column]
        rows_here = [row for row in rows if cells[row] not in in_both]
        if not rows_here:
            continue
        first = rows_here[0]
        subject = counted(len(rows_here), "text is", "texts are")
        warn(
            f"{table.location(first, column)}: the text is {shorten(cells[first])}, as programs write a "
            f"missing cell; {subject} so in this column, and scored as words. Write missing cells as empty ones."
        )
