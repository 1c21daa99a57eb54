"""Long tables, which have a row for each item and system -> tables with a column for each system."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.roles import guess_roles
from tercet.files.score_columns import without_scores
from tercet.files.table import Memory, Table

from .labels import column_and_pattern
from .roles import Columns, named

#: Columns of a long table, by any of these names.
ITEM = ("item", "id", "item_id", "segment", "segment_id", "seg_id", "doc_id", "docid")
SYSTEM = ("system", "model", "engine", "system_name", "model_name", "engine_name", "system_id", "model_id")
TEXT = ("text", "prediction", "hypothesis", "output", "candidate", "translation", "summary", "mt", "hyp")

_EXPECTED = "Expected each item once for each system, or a column for each, or a file for each."


def column_called(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with one of the names, in their order."""
    return next(_called(table, names), None)


def _called(table: Table, names: Sequence[str]) -> Iterator[str]:
    # reversed, so that of several columns with the same folded name the first stays
    folded = {re.sub(r"[\s-]+", "_", column.strip().casefold()): column for column in reversed(table.columns)}
    return (folded[name] for name in names if name in folded)


@dataclass(frozen=True, slots=True)
class _Wide(Table):
    """A table that was made of a long one, where its cells have their places."""

    long: Table
    #: By column of a system: the column of the long table, and the row of each item there.
    origins: Mapping[str, tuple[str, list[int]]]

    def place(self, row: int, column: str) -> str:
        if column not in self.origins:
            return Table.place(self, row, column)
        origin, rows = self.origins[column]
        return self.long.place(rows[row], origin)


@dataclass(frozen=True, slots=True)
class _Long:
    """A table with a column that names the system of each row, and what its other columns are."""

    column: str
    systems: list[str]
    #: Those of the texts of systems, without the names.
    texts: tuple[str, ...]
    references: list[str]
    #: The columns that may tell items apart, the most likely first.
    keys: list[list[str]]
    #: The columns that must be the same in all rows of an item.
    needed: set[str]


def wide(table: Table, columns: Columns) -> tuple[Table, Columns, str]:
    """Return a table with a column for each system, its roles, and how it was made of a long one, in words.

    A long table has a column such as ``model`` that names the system of each row, and each item once for each of
    them: the same id, or else the same source, or else the same references. Items that a system lacks are left out
    for all, with a warning, if the others are half of them or more. Other tables are returned as they are. InputError
    where the names of systems would be scored as texts.
    """
    long = _long(table, columns)
    if long is None or columns.systems:
        return table, columns, ""
    _check_all_named(table, long)
    for key in long.keys:
        items = _rows(table, key, long.column)
        rows = [by_system for by_system in items.values() if len(by_system) == len(long.systems)]
        if len(rows) < max(2, len(items) / 2) or {*long.systems} & {*table.columns}:
            continue
        same = [
            name
            for name, cells in table.columns.items()
            if name != long.column and all(_is_one(cells, row) for row in rows)
        ]
        _check_references(table, long, items, key)
        text = _text_column(table, [name for name in long.texts if name not in same], same)
        if long.needed <= {*same} and (text is not None or (columns.scores and not columns.need_references)):
            _warn_of_holes(table, long, items, key)
            return _pivoted(table, columns, long, rows, same, text, key)
    _check_names(table, columns, long)
    return table, columns, ""


def warn_pooled(table: Table, columns: Columns) -> str | None:
    """Warn of rows of several systems that are scored as of one; return the column that names these, or None."""
    long = _long(table, columns)
    if long is None or not (columns.systems or long.texts):
        return None
    for key in long.keys:
        if _is_pooled(table, key, long.column, is_exact=key == long.references):
            reason = f"{argument('systems')} names columns of texts" if columns.systems else ""
            reason = reason or _why_not_joined(table, long, key)
            warn(
                f"{table.name}: the column {shorten(long.column)} names {len(long.systems):,} systems "
                f"({named(long.systems)}), but {reason}: all rows are scored as of one system. {_EXPECTED}"
            )
            return long.column
    return None


def _long(table: Table, columns: Columns) -> _Long | None:
    labels = {column_and_pattern(spec, table.columns)[0] for spec in columns.slices}
    labels |= {name for name in (columns.source, columns.cluster) if name is not None}
    with_role = {*columns.systems, *columns.references, *labels}
    candidates = (name for name in _called(table, SYSTEM) if name not in with_role and _has_names(table, name))
    column = next(candidates, None)
    if isinstance(table, Memory) or column is None:
        return None
    texts = replace(table, columns={name: cells for name, cells in table.columns.items() if name != column})
    roles = guess_roles(without_scores(texts, columns.scores), columns.references)
    references = columns.references or list(roles.references)
    return _Long(
        column=column,
        systems=list(dict.fromkeys(str(cell) for cell in table.columns[column] if not _is_blank(cell))),
        texts=roles.systems,
        references=references,
        keys=_keys(table, columns.source or roles.source, references),
        needed={*references, *labels},
    )


def _has_names(table: Table, column: str) -> bool:
    """Return whether most cells are a few texts or numbers that repeat, as the names of systems do."""
    cells = table.columns[column]
    names = [cell for cell in cells if not _is_blank(cell)]
    are_most = 2 * len(names) > len(cells)
    return (
        are_most
        and all(isinstance(name, str | int) for name in names)
        and (2 <= len({*map(str, names)}) <= len(cells) // 2)
    )


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _check_all_named(table: Table, long: _Long) -> None:
    """Raise an InputError for a row without the name of its system, where items have rows of several systems."""
    blank = next((row for row, cell in enumerate(table.columns[long.column]) if _is_blank(cell)), None)
    if blank is None or not any(
        _is_pooled(table, key, long.column, is_exact=key == long.references) for key in long.keys
    ):
        return
    if not {*long.systems} & _answers(table, long):
        raise InputError(
            f"{table.place(blank, long.column)}: the name of the system is missing; other rows have "
            f"{named(long.systems)}."
        )


def _keys(table: Table, source: str | None, references: list[str]) -> list[list[str]]:
    """Return the columns that may tell items apart, the most likely first."""
    ids = [*_called(table, ITEM)]
    keys = [*([name] for name in ids), ids if len(ids) > 1 else [], [source] if source else []]
    # A source may have several references, and a reference several sources.
    return [*filter(None, keys), *([references] if references and not source else [])]


def _items(table: Table, key: list[str]) -> list[Hashable]:
    return [*zip(*(map(_hashable, table.columns[name]) for name in key), strict=True)]


def _hashable(cell: Any) -> Hashable:
    return cell if isinstance(cell, str | int | None) else repr(cell)


def _rows(table: Table, key: list[str], column: str) -> dict[Hashable, dict[str, int]]:
    """Return by item the row of each system; nothing where a system has several."""
    rows: dict[Hashable, dict[str, int]] = defaultdict(dict)
    for row, (item, name) in enumerate(zip(_items(table, key), map(str, table.columns[column]), strict=True)):
        if rows[item].setdefault(name, row) != row:
            return {}
    return rows


def _item(table: Table, row: int, key: list[str]) -> str:
    """Return what a message calls the item of a row."""
    return " and ".join(f"{shorten(table.columns[name][row])} ({name})" for name in key)


def _warn_of_holes(table: Table, long: _Long, items: Mapping[Hashable, dict[str, int]], key: list[str]) -> None:
    """Warn of items that a system has no row of."""
    holes = [by_system for by_system in items.values() if len(by_system) < len(long.systems)]
    if holes:
        lacking = next(system for system in long.systems if system not in holes[0])
        first = f"{shorten(lacking)} has no row of {_item(table, min(holes[0].values()), key)}"
        n_left = f"{len(items) - len(holes):,} of {len(items):,} remain"
        if len(holes) == 1:
            warn(f"{table.name}: {first}, so that this item is left out for every system: {n_left}.")
        else:
            warn(
                f"{table.name}: {len(holes):,} items are left out for every system, as one or more have no row of "
                f"them: {n_left}. The first: {first}."
            )


def _check_references(table: Table, long: _Long, items: Mapping[Hashable, dict[str, int]], key: list[str]) -> None:
    """Raise an InputError for an item that has other references for another system, where most have the same."""
    if key == long.references:
        return
    different = [
        (name, by_system)
        for name in long.references
        for by_system in items.values()
        if not _is_one(table.columns[name], by_system)
    ]
    if different and 2 * len(different) < len(items):
        name, rows = different[0]
        first, *others = rows.items()
        other = next(pair for pair in others if not _is_one(table.columns[name], dict([first, pair])))
        raise InputError(
            f"{table.name}: {_item(table, first[1], key)} has the reference "
            f"{shorten(table.columns[name][first[1]])} for {shorten(first[0])}, and "
            f"{shorten(table.columns[name][other[1]])} for {shorten(other[0])}; expected one for all systems."
        )


def _why_not_joined(table: Table, long: _Long, key: list[str]) -> str:
    """Return why rows of the same items are not those of systems, in words."""
    first_rows: dict[tuple[Hashable, str], int] = {}
    n_systems = Counter[Hashable]()
    for row, (item, name) in enumerate(zip(_items(table, key), map(str, table.columns[long.column]), strict=True)):
        earlier = first_rows.setdefault((item, name), row)
        if earlier != row:
            places = f"{table.unit}s {table.lines[earlier]:,} and {table.lines[row]:,}"
            return f"{shorten(name)} has several rows of {_item(table, row, key)}, as on {places}"
        n_systems[item] += 1
    n_whole = sum(number == len(long.systems) for number in n_systems.values())
    if n_whole < len(n_systems):
        return f"only {n_whole:,} of {len(n_systems):,} items ({' and '.join(key)}) have a row of all of them"
    return "it is not clear which column has their texts, or references of an item differ"


def _is_one(cells: list[Any], rows: dict[str, int]) -> bool:
    """Return whether the rows of an item have the same cell."""
    return len({_hashable(cells[row]) for row in rows.values()}) == 1


def _text_column(table: Table, guessed: list[str], same: list[str]) -> str | None:
    """Return the column of the systems' texts, among those that differ within items; None if it is not clear."""
    candidates = {*guessed, *(name for name in _called(table, TEXT) if name not in same)}
    return candidates.pop() if len(candidates) == 1 else None


def _pivoted(
    table: Table,
    columns: Columns,
    long: _Long,
    rows: list[dict[str, int]],
    same: list[str],
    text: str | None,
    key: list[str],
) -> tuple[Table, Columns, str]:
    cells, systems = table.columns, long.systems
    firsts = [min(by_system.values()) for by_system in rows]
    by_item = {name: [cells[name][row] for row in firsts] for name in same}
    origins = {} if text is None else {name: (text, [row[name] for row in rows]) for name in systems}
    origins |= {
        f"{name}.{score}": (score, [row[name] for row in rows])
        for score in columns.scores
        if score in cells
        for name in systems
    }
    by_system = {name: [cells[origin][row] for row in rows_of] for name, (origin, rows_of) in origins.items()}
    rest = [name for name in cells if name not in {*same, *columns.scores, long.column, text}]
    note = f"Each {long.column!r} is a system, whose rows are joined by {' and '.join(map(repr, key))}"
    note += f"; texts: {text!r}" if text is not None else ""
    note += f"; left out, as they differ by system: {named(rest)}." if rest else "."
    lines = [table.lines[row] for row in firsts]
    pivoted = _Wide(table.name, {**by_item, **by_system}, lines, table, origins, unit=table.unit)
    return pivoted, replace(columns, systems=systems), note


def _check_names(table: Table, columns: Columns, long: _Long) -> None:
    """Raise an InputError for a column of systems' names that would be scored as texts of a system."""
    guess = guess_roles(without_scores(table, columns.scores), columns.references)
    if long.column not in guess.systems or not long.references:
        return
    if not {*long.systems} & _answers(table, long):
        raise InputError(
            f"{table.name}: the column {shorten(long.column)} has {len(long.systems):,} texts in "
            f"{len(table.lines):,} rows ({named(long.systems)}), which look like names of systems. {_EXPECTED} If "
            f"they are texts of a system, name every system: {argument('systems')}."
        )


def _answers(table: Table, long: _Long) -> set[Any]:
    """Return the references: the answers of a classifier are a few words, as names are, but some of these."""
    return {text for name in long.references for cell in table.columns[name] for text in _texts(cell)}


def _texts(cell: Any) -> list[Any]:
    return [text for text in cell if isinstance(text, str)] if isinstance(cell, list) else [cell]


def _is_pooled(table: Table, key: list[str], column: str, *, is_exact: bool) -> bool:
    """Return whether a fifth of the items or more have rows of several systems."""
    systems: dict[Hashable, list[str]] = defaultdict(list)
    for item, name in zip(_items(table, key), map(str, table.columns[column]), strict=True):
        systems[item].append(name)
    # Items may have the same reference, such as "yes".
    if is_exact and any(len({*names}) < len(names) for names in systems.values()):
        return False
    return 5 * sum(len({*names}) > 1 for names in systems.values()) >= len(systems)
