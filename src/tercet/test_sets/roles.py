"""What was taken as systems, references and sources, in words; and warnings of what may be something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.errors import argument, shorten, warn
from tercet.files.join import LEAVE_OUT
from tercet.files.read import Opening
from tercet.files.roles import CODES, UNLIKE_SYSTEMS, clear_role

if TYPE_CHECKING:
    from tercet.files.numbers import Sign
    from tercet.files.table import Roles, Table

#: The most columns that a message names.
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of tables or logs that a user names, by role, and whether there must be references."""

    systems: list[str]
    references: list[str]
    source: str | None
    cluster: str | None
    #: Scores by name, each in a column for every system.
    scores: list[str]
    #: What labels segments: columns, perhaps with a regular expression.
    slices: list[str]
    need_references: bool
    #: What stands before decimals, where the user says so.
    decimal: Sign = ""
    #: What becomes of segments that a system lacks.
    missing: str = LEAVE_OUT
    #: What the user says of files before they are read.
    opening: Opening = Opening()
    #: The column of a long table that names the system of each row.
    system_column: str | None = None
    #: What the user calls the systems of files, by path.
    called: Mapping[str, str] = field(default_factory=dict)
    #: Files with scores of what is in a file or folder, by its path: what else is given with its name.
    scored_in: Mapping[str, Sequence[str]] = field(default_factory=dict)


_ROLES = {"system": "a system", "reference": "references", "source": "the source"}


def columns_by_role(columns: Columns, scores: Sequence[str], slices: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the columns in each role, given those of scores and of slices."""
    return {
        "system": columns.systems,
        "reference": columns.references,
        "source": [] if columns.source is None else [columns.source],
        "clusters": [] if columns.cluster is None else [columns.cluster],
        "scores": scores,
        "slices": list(dict.fromkeys(slices)),
    }


#: Roles of columns as a list of them is called.
_SEVERAL = {"reference": "references", "source": "sources"}


def columns_in_words(table: Table, roles: Mapping[str, Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """Return which columns have which role, and which are left out."""
    with_role = {column for names in roles.values() for column in names}
    left_out = tuple(column for column in table.columns if column not in with_role)
    parts = []
    for role, names in roles.items():
        title = _SEVERAL.get(role, role)
        if role == "system" and len(names) > 1:
            title = "systems"
        if names:
            parts.append(f"{title}: {named(names)}")
    return f"{table.name}: {'; '.join(parts)}{end_of_fields({}, left_out)}", left_out


def end_of_fields(roles: Mapping[str, Sequence[str]], left_out: Sequence[str]) -> str:
    """Return the end of what columns are in words: those of further roles, and those that are left out."""
    further = {**roles, "left out": left_out}
    return "".join(f"; {role}: {named(names)}" for role, names in further.items() if names) + "."


def warn_unused(table: Table, columns: Sequence[str]) -> None:
    """Warn of columns that hold texts, mostly of several words, and are not used."""
    texts = {column: [cell for cell in table.columns[column] if isinstance(cell, str)] for column in columns}
    unused = [name for name, cells in texts.items() if 2 * sum(len(text.split()) > 1 for text in cells) > len(cells)]
    if unused:
        warn(
            f"{table.name}: these text columns are not recognized by name and not used: {named(unused)}. If they "
            f"are systems, name every system: {argument('systems')}."
        )


def warn_left_out(table: Table, roles: Roles) -> None:
    """Warn of columns that are not taken as systems because of what they hold."""
    for reason in dict.fromkeys(roles.left_out.values()):
        columns = [column for column, column_reason in roles.left_out.items() if column_reason == reason]
        # Codes and numbers are no texts that anyone would miss.
        if reason == CODES:
            continue
        subject, pronoun, predicate = "it is", "it", reason
        if len(columns) > 1:
            subject, pronoun = "they are", "them"
            predicate = reason.replace("shares", "share").replace("has", "have").replace("is ", "are ")
        warn(
            f"{table.name}: the column{'s' * (len(columns) > 1)} {named(columns)} {predicate}, "
            f"unlike {named(roles.systems)}: {subject} not taken as a system. To take {pronoun}, name every system: "
            f"{argument('systems')}."
        )


def warn_unlike(table: Table, roles: Roles) -> None:
    """Warn of columns that are called as references, and are not taken as such because of what they hold."""
    for column in roles.unlike:
        warn(
            f"{table.name}: the column {column!r} {UNLIKE_SYSTEMS}, unlike {named(roles.references)}: it is not "
            f"taken as references. To take it, name all references: {argument('reference_columns')}."
        )


def warn_swapped(name: str, systems: Sequence[str], references: Sequence[str], source: str | None) -> None:
    """Warn of systems, references and a source whose names say that they are something else.

    One reference may be scored against others: where these are called so, a system may be called a reference too.
    """
    allowed = {"", "system"}
    if any(clear_role(column) == "reference" for column in references):
        allowed.add("reference")
    suspects = [(column, "system") for column in systems if clear_role(column) not in allowed]
    suspects += [(column, "reference") for column in references if clear_role(column) not in ("", "reference")]
    if source is not None and clear_role(source) not in ("", "source"):
        suspects.append((source, "source"))
    for column, role in suspects:
        warn(
            f"{name}: {shorten(column)} is taken as {_ROLES[role]}, but its name says "
            f"{_ROLES[clear_role(column)]}: were the two swapped?"
        )


def named(columns: Sequence[str]) -> str:
    """Return the names of columns as a message lists them."""
    further = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return f"{', '.join(map(repr, columns[:MOST_NAMED]))}{further}"
