"""Errors of columns that a user names wrongly, or whose role is not clear."""

from __future__ import annotations

from collections import Counter

from tercet.errors import InputError, argument, arguments_set
from tercet.files.columns.contents import lack
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import role_of
from tercet.files.formats import MEMORIES, TRANSLATIONS
from tercet.files.table import SOURCE_TEXT, Memory, Roles, Table
from tercet.names_as_shown import joined

from .column_readings import HOW_READ
from .named_columns import MOST_LISTED, NamedColumns

#: The alternative for translation memories.
_JOINED = " Or give a {} for each system, and one with the references ({})."
#: The alternative for files of WMT that have one side each.
_BESIDE = " Or give the file of the references, too ({})."


def check_columns(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for a column that is not there, or is named twice or in two roles."""
    for column in (*named.systems, *named.references, named.source):
        if column is not None:
            table.column(column)
    for role, names in (("a system", named.systems), ("references", named.references)):
        for column, times in Counter(names).items():
            if times > 1:
                raise InputError(f"{table.name}: the column {column!r} is named twice as {role}; name it once.")
    for column in named.systems:
        if column in named.references:
            raise InputError(f"{table.name}: the column {column!r} is named both as a system and as references.")


def check_clear(table: Table, roles: Roles) -> None:
    """Raise an InputError where columns are as likely systems as references, with both ways to say it."""
    if not roles.doubtful:
        return
    doubtful = list(roles.doubtful)
    references = [name for name in roles.references if name not in doubtful]
    systems = [name for name in roles.systems if name not in doubtful]
    as_systems = _roles_set([*systems, *doubtful], references)
    as_references = _roles_set(systems, [*references, *doubtful])
    question = "are systems or have"
    if len(doubtful) == 1:
        question = "is a system or has"
    raise InputError(
        f"{table.name}: it is not clear whether {joined(list(map(repr, doubtful)), MOST_LISTED)} {question} "
        f"references. As systems: {as_systems}. As references: {as_references}.{HOW_READ}"
    )


def _roles_set(systems: list[str], references: list[str]) -> str:
    """Return the options that name these columns, in words."""
    options = [arguments_set("systems", systems), arguments_set("reference_columns", references)]
    return " ".join(option for option in options if option)


def check_roles(table: Table, format: str, named: NamedColumns) -> None:
    """Raise an InputError for a table without a column of a system, or of references where there must be some."""
    sought = []
    if not named.systems:
        sought.append(f"predictions of a system (choose with {argument('systems')})")
    if not named.references and named.need_references:
        sought.append(f"references (choose with {argument('reference_columns')})")
    if not sought:
        return
    if isinstance(table, Memory) and table.joined_by != SOURCE_TEXT:
        raise InputError(
            f"{table.name} has the texts of one side, which are joined with those of other files by "
            f"{table.joined_by}: give a file for each system, and one with the references ({argument('references')})."
        )
    kind = "column"
    unusable = _unusable_in_words(table, named)
    if format in TRANSLATIONS:
        kind = "language"
        unusable = ""
    names = joined(list(map(repr, table.columns)), MOST_LISTED)
    there_are = f"there are the {kind}s {names}"
    if len(table.columns) == 1:
        there_are = f"there is the {kind} {names}"
    elif not table.columns:
        there_are = "there is none"
    raise InputError(
        f"{table.name}: no {kind}{unusable} was recognized as {', or '.join(sought)}; "
        f"{there_are}.{_advice(table, format, named)}"
    )


def _unusable_in_words(table: Table, named: NamedColumns) -> str:
    """Return the columns that are called as what is sought, and what they hold instead."""
    reasons = []
    for column, cells in table.columns.items():
        role = role_of(column)
        is_sought = (role == "system" and not named.systems) or (role == "reference" and not named.references)
        why_not = lack(cells)
        if is_sought and why_not is not None:
            reasons.append(f"{column!r} {why_not.in_words}")
    if not reasons:
        return ""
    return f" ({', '.join(reasons[:MOST_LISTED])})"


def _advice(table: Table, format: str, named: NamedColumns) -> str:
    """Return what may be given instead of a table in which systems or references are missing."""
    if format == "tmx":
        return _JOINED.format("TMX file", argument("references"))
    if format in MEMORIES:
        return _JOINED.format("file", argument("references"))
    if format == "wmt" and named.systems:
        return _BESIDE.format(argument("references"))
    return _advice_for_numbers(table) + HOW_READ


def _advice_for_numbers(table: Table) -> str:
    """Return how numbers are compared, where a table has several columns of them."""
    lacks = [lack(cells) for cells in table.columns.values()]
    if lacks.count(Lack.CODES) < 2:
        return ""
    beside = "with"
    if all(lacks):
        beside = "without"
    return f" Numbers that came {beside} texts are compared by {argument('scores')}."
