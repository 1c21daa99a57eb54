"""Tables whose rows are no segments of the systems that would be scored: refused or warned of, with what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tercet.errors import InputError, argument_set, arguments_set, shorten, warn
from tercet.files.columns.contents import lack
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import name_role
from tercet.files.columns.roles import document_column, guess_roles
from tercet.files.columns.scores import without_scores
from tercet.files.columns.vocabulary import DIMENSION, ITEM, METRIC, PERHAPS_SYSTEM, RATER, RUN, SYSTEM
from tercet.files.shared_tasks.wmt_annotations import MQM_ERRORS
from tercet.files.table import Log, Memory, Roles, Table, TableWithRoles

from .column_readings import HOW_READ
from .items_of_rows import has_one_value, keys_of, rows_of_items
from .labels import slice_columns
from .long_tables import long_table, names_systems, why_not_joined
from .named_columns import NamedColumns, column_called, columns_called, listing, reference_columns

#: Words that the name of a system has at most (chosen): a text has more.
_MOST_WORDS = 4


def check_rows(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for a table whose rows would be scored as segments, and are something else.

    The table is one that has not been made of a long one. Who names the systems says what the rows are.
    """
    if named.systems or isinstance(table, Log | Memory | TableWithRoles):
        return
    if any(name in table.columns for name in named.scores):
        _check_no_leaderboard(table, named)
        _check_one_number(table, named)
    _check_unnamed_systems(table, named)


def check_no_marked_errors(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for a table of MQM: a row is an error that somebody marked.

    Who names systems or scores says what the rows are.
    """
    if named.systems or named.scores:
        return
    if not any(set(names).isdisjoint(table.columns) for names in MQM_ERRORS.values()):
        raise InputError(
            f"{table.name}: each row is an error that a rater of MQM marked, not a segment; expected a table of "
            "texts or of scores. tercet correlate reads errors of MQM, as the grades that metrics are compared with."
        )


def warn_repeated_ids(table: Table) -> None:
    """Warn of the first id in several rows: a copied segment counts twice."""
    column = _column_of_ids(table)
    if column is None:
        return
    lines_of: dict[str, list[int]] = {}
    for line, cell in zip(table.lines, table.columns[column], strict=True):
        if cell is not None and str(cell).strip():
            lines_of.setdefault(str(cell), []).append(line)
    repeated = [(id, lines) for id, lines in lines_of.items() if len(lines) > 1]
    if not repeated:
        return
    first_id, lines = repeated[0]
    further = ""
    if len(repeated) == 2:
        further = "; 1 more id is repeated"
    elif len(repeated) > 2:
        further = f"; {len(repeated) - 1:,} more ids are repeated"
    in_column = ""
    if not _is_id(column):
        in_column = f" of {column!r}"
    warn(
        f"{table.name}: the id {shorten(first_id)}{in_column} occurs {len(lines):,} times, first on {table.unit}s "
        f"{lines[0]:,} and {lines[1]:,}{further}. Each row is scored as a separate segment; "
        f"{argument_set('cluster', column)} resamples those of an id together.{_apart_in_words(table, column)}",
    )


def _check_no_leaderboard(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for a table with a row for each system, whose names would be texts of one."""
    if column_called(table, ITEM) is not None:
        return
    for name in columns_called(table, (*SYSTEM, *PERHAPS_SYSTEM)):
        cells = table.columns[name]
        roles = guess_roles(without_scores(table, named.scores), named.references)
        others = {*roles.systems, *roles.references} - {name}
        if others or roles.source is not None or not _are_different_names(cells):
            continue
        raise InputError(
            f"{table.name}: each row is a system, as {name!r} names them ({listing(cells)}): there are no segments "
            "to compare them by. Expected a row for each segment, with its number of each system, or its texts."
        )


def _are_different_names(cells: Sequence[Any]) -> bool:
    """Return whether all cells are a few words, and each another."""
    for cell in cells:
        if not isinstance(cell, str) or not 1 <= len(cell.split()) <= _MOST_WORDS:
            return False
    return len(set(cells)) == len(cells)


def _check_one_number(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for numbers of several systems that cannot be joined by item."""
    long = long_table(table, named)
    if long is None:
        return
    names = f"{table.name}: {long.column!r} names {len(long.systems):,} systems ({listing(long.systems)})"
    problem = "no column tells items apart, as an id or a source does"
    if long.keys:
        key = long.keys[0]
        problem = why_not_joined(long, key)
        if rows_of_items(table, key, long.column) is None:
            raise InputError(f"{names}, but {problem}{_several_in_words(table, [*key, long.column])}")
    if not long.texts:
        raise InputError(f"{names}, but {problem}. Expected one number for each item and system.")


def _several_in_words(table: Table, key: Sequence[str]) -> str:
    """Return what the several rows of an item and system are, and what to do, as the end of a message."""
    apart = column_apart(table, key)
    expected = ". Expected one number for each item and system"
    if apart is None:
        return f"{expected}, such as the mean of its rows."
    values = list(dict.fromkeys(map(str, table.columns[apart])))
    one_each = f", one for each {apart!r} ({listing(values)})"
    if column_called(table, (*METRIC, *DIMENSION)) == apart:
        return f"{one_each}{expected}: give the rows of one of them, or a column for each."
    advice = f"{one_each}{expected}, such as the mean of its rows."
    if column_called(table, RATER) == apart:
        advice += " tercet correlate reads the ratings of each, and says how well metrics agree with them."
    return advice


def column_apart(table: Table, key: Sequence[str]) -> str | None:
    """Return the first column of a few values that tells rows apart whose cells in the key are equal."""
    for name, cells in table.columns.items():
        if name in key or not names_systems(table, name):
            continue
        columns = [*(table.columns[key_column] for key_column in key), cells]
        rows = set(zip(*(map(repr, column) for column in columns), strict=True))
        if len(rows) == len(table.lines):
            return name
    return None


def _check_unnamed_systems(table: Table, named: NamedColumns) -> None:
    """Raise an InputError for a column, such as ``vendor``, that has each of its values once for each item.

    Its values may be systems, or labels of the segments of one.
    """
    if not any(names_systems(table, name) for name in table.columns) or long_table(table, named) is not None:
        return
    roles = guess_roles(without_scores(table, named.scores), named.references)
    references = reference_columns(table, named, roles)
    for key in keys_of(table, named.source or roles.source, references):
        if named.cluster in key:
            # Who resamples the rows of an item together knows that it has several.
            continue
        for name in _perhaps_systems(table, named, roles):
            if name not in {*key, *references} and _is_of_systems(table, key, name, named, roles):
                raise _unnamed_error(table, key, name, roles)


def _perhaps_systems(table: Table, named: NamedColumns, roles: Roles) -> Iterator[str]:
    """Yield the columns whose values may be names of systems, though nothing in their own names says so."""
    with_role = {
        *slice_columns(named.slices, table.columns),
        *named.references,
        *roles.references,
        named.source,
        roles.source,
        named.cluster,
        *columns_called(table, (*ITEM, *RUN, *RATER, *METRIC, *DIMENSION)),
    }
    for name, cells in table.columns.items():
        if name in with_role or name_role(name).word or lack(cells) is Lack.CODES:
            continue
        if names_systems(table, name) and all(cell is not None and cell != "" for cell in cells):
            yield name


def _is_of_systems(table: Table, key: list[str], name: str, named: NamedColumns, roles: Roles) -> bool:
    """Return whether items have a row for each value of a column, which differ in their texts or scores alone."""
    items = rows_of_items(table, key, name)
    if items is None:
        return False
    n_values = len(set(map(str, table.columns[name])))
    whole = [by_value for by_value in items.values() if len(by_value) == n_values]
    if len(whole) < max(2, len(items) / 2):
        return False
    for column in (*named.references, *roles.references, roles.source):
        if column in table.columns and _differs_in_any(table.columns[column], whole):
            return False
    texts = _texts_beside(name, roles)
    if len(texts) > 1:
        return False
    outputs = [*texts, *named.scores]
    return any(column in table.columns and _differs_in_any(table.columns[column], whole) for column in outputs)


def _differs_in_any(cells: list[Any], items: Sequence[dict[str, int]]) -> bool:
    """Return whether the rows of some item have different cells of a column."""
    return not all(has_one_value(cells, rows) for rows in items)


def _texts_beside(name: str, roles: Roles) -> list[str]:
    """Return the columns of texts of systems without one that may have their names."""
    return [column for column in roles.systems if column != name]


def _unnamed_error(table: Table, key: list[str], name: str, roles: Roles) -> InputError:
    """Return the error for values that may be systems, with both commands."""
    values = list(dict.fromkeys(map(str, table.columns[name])))
    ways = f"As systems: {argument_set('system_column', name)}"
    texts = _texts_beside(name, roles)
    if texts:
        ways += f". As segments of one system: {arguments_set('systems', texts)}"
    items = " and ".join(map(repr, key))
    return InputError(
        f"{table.name}: each {items} has a row for each {name!r} ({listing(values)}), and it is not clear whether "
        f"these are systems. {ways}.{HOW_READ}"
    )


def _column_of_ids(table: Table) -> str | None:
    """Return the column that should have another id in each row; None where a row's id has several parts."""
    ids = list(columns_called(table, ITEM))
    for name in ids:
        if _is_id(name):
            return name
    # A document has several segments, which may be numbered in each.
    document = document_column(table)
    segment_ids = [name for name in ids if name != document]
    if not segment_ids:
        return None
    parts = [table.columns[name] for name in ids]
    if document is not None:
        parts.append(table.columns[document])
    keys = list(zip(*(map(repr, cells) for cells in parts), strict=True))
    if len(set(keys)) == len(keys):
        return None
    return segment_ids[0]


def _is_id(column: str) -> bool:
    return column.strip().lower() == "id"


def _apart_in_words(table: Table, column: str) -> str:
    """Return which column tells the rows of an id apart, as the end of a message; "" where none does."""
    apart = column_apart(table, [column])
    if apart is None:
        return ""
    values = list(dict.fromkeys(map(str, table.columns[apart])))
    return (
        f" There is one row for each {apart!r} ({listing(values)}); if these are systems: "
        f"{argument_set('system_column', apart)}."
    )
