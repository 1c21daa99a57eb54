"""What was taken as systems, references and sources, in words; and warnings of what may be something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.columns.contents import CODES
from tercet.files.columns.name_roles import clear_role
from tercet.files.columns.roles import UNLIKE_SYSTEMS
from tercet.files.join import LEAVE_OUT
from tercet.files.read import Opening

if TYPE_CHECKING:
    from tercet.files.numbers import Sign
    from tercet.files.table import Roles, Table

    from .reading import ColumnRole

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


def columns_by_role(
    columns: Columns, scores: Sequence[str], slices: Sequence[str]
) -> dict[ColumnRole, Sequence[str]]:
    """Return the columns in each role, given those of scores and of slices."""
    by_role: dict[ColumnRole, Sequence[str]] = {"system": columns.systems, "reference": columns.references}
    if columns.source is not None:
        by_role["source"] = [columns.source]
    if columns.cluster is not None:
        by_role["clusters"] = [columns.cluster]
    by_role["scores"] = scores
    by_role["slices"] = list(dict.fromkeys(slices))
    return by_role


def reference_columns(table: Table, columns: Columns, roles: Roles) -> list[str]:
    """Return the columns of references that a user names, of those that a table has, or else what suggests them."""
    named_here = [name for name in columns.references if name in table.columns]
    return named_here or list(roles.references)


#: Roles of columns as a list of them is called.
_SEVERAL = {"reference": "references", "source": "sources"}


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
    by_reason: dict[str, list[str]] = {}
    for column, reason in roles.left_out.items():
        # Codes and numbers are no texts that anyone would miss.
        if reason != CODES:
            by_reason.setdefault(reason, []).append(column)
    for reason, columns in by_reason.items():
        problem = f"the column {listing(columns)} {reason}"
        effect = "it is not taken as a system. To take it"
        if len(columns) > 1:
            problem = f"the columns {listing(columns)} {_of_several(reason)}"
            effect = "they are not taken as a system. To take them"
        warn(
            f"{table.name}: {problem}, unlike {listing(roles.systems)}: {effect}, name every system: "
            f"{argument('systems')}."
        )


#: The verbs with which reasons begin, of one column and of several.
_VERBS = {"has": "have", "is": "are", "hardly shares": "hardly share"}


def _of_several(reason: str) -> str:
    """Return what several columns hold, given what is said of one."""
    for one, several in _VERBS.items():
        if reason.startswith(f"{one} "):
            return f"{several}{reason.removeprefix(one)}"
    return reason


def warn_unlike_references(table: Table, unlike: Sequence[str], references: Sequence[str]) -> None:
    """Warn of columns that are called as references, and are not taken as such because of what they hold."""
    for column in unlike:
        warn(
            f"{table.name}: the column {column!r} {UNLIKE_SYSTEMS}, unlike {listing(references)}: it is not taken as "
            f"references. To take it, name all references: {argument('reference_columns')}."
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


def _warn_of_name(name: str, column: str, role: str, allowed: Sequence[str]) -> None:
    """Warn of a column in a role whose own name says clearly that it has another one than those allowed."""
    said = clear_role(column)
    if said and said not in allowed:
        warn(
            f"{name}: {shorten(column)} is taken as {_ROLES[role]}, but its name says {_ROLES[said]}: were the two "
            "swapped?"
        )


def listing(columns: Sequence[str]) -> str:
    """Return the names of columns as a message lists them."""
    in_words = ", ".join(map(repr, columns[:MOST_NAMED]))
    if len(columns) > MOST_NAMED:
        in_words += f" and {len(columns) - MOST_NAMED} more"
    return in_words


def check_no_scores_beside(columns: Columns, what: str) -> None:
    """Raise an InputError for scores in files of their own, beside files that have none."""
    if not columns.scored_in:
        return
    path, score_paths = next(iter(columns.scored_in.items()))
    raise InputError(
        f"The name {shorten(columns.called[path])} is given twice, to {path!r} and to {score_paths[0]!r}: scores in "
        f"files of their own are joined with tables and logs, not with {what}."
    )
