"""Long tables, which have a row for each item and system -> tables with a column for each system."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tercet.errors import InputError, argument, argument_set, shorten, warn
from tercet.files.endings import ENDING_COLUMNS
from tercet.files.join import NOTHING_LOST, Join, Lost, join
from tercet.files.roles import CODES, guess_roles, lack
from tercet.files.score_columns import without_scores
from tercet.files.table import Memory, Table
from tercet.files.vocabulary import ITEM, RUN, SYSTEM, TEXT

from .labels import column_and_pattern
from .reading import ColumnReading, readings
from .roles import Columns, named

#: Why a column is of systems, and not of items.
_DIFFERS = "it differs by system"
_EXPECTED = "Expected each item once for each system, or a column for each, or a file for each."


def column_called(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with one of the names, in their order."""
    return next(called(table, names), None)


def called(table: Table, names: Sequence[str]) -> Iterator[str]:
    """Yield the columns with one of the names, in their order."""
    # reversed, so that of several columns with the same folded name the first stays
    folded = {re.sub(r"[\s-]+", "_", column.strip().casefold()): column for column in reversed(table.columns)}
    return (folded[name] for name in names if name in folded)


class OwnColumns(NamedTuple):
    """The cells of columns that hold neither texts nor scores that are read."""

    of_items: Mapping[str, list[Any]]
    #: By column, the cells of each system.
    by_system: Mapping[str, Mapping[str, list[Any]]]


@dataclass(frozen=True, slots=True)
class _Wide(Table):
    """A table that was made of a long one, in whose lines its cells stand."""

    long: Table
    #: By column of a system: the column of the long table, and the row of each item there; None where it has none.
    origins: Mapping[str, tuple[str, list[int | None]]]
    #: By system, the row of each item in the long table; None where it has none.
    rows: Mapping[str, list[int | None]]
    #: The column that names systems, and those that tell items apart.
    names: str
    key: Sequence[str]
    lost: Lost

    def location(self, row: int, column: str) -> str:
        if column not in self.origins:
            return Table.location(self, row, column)
        origin, rows = self.origins[column]
        row_there = rows[row]
        if row_there is None:
            return Table.location(self, row, column)
        return self.long.location(row_there, origin)


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


class _ScoredItems(NamedTuple):
    """The items of a long table that are scored, and how its rows were joined to them."""

    #: The columns that tell items apart.
    key: list[str]
    #: The columns that are the same in all rows of an item.
    same: list[str]
    #: Of each item, the row of each system that has one.
    rows: list[dict[str, int]]
    lost: Lost


def wide(table: Table, columns: Columns) -> tuple[Table, Columns, str]:
    """Return a table with a column for each system, its roles, and how it was made of a long one, in words.

    A long table has a column such as ``model`` that names the system of each row, and each item once for each of
    them: the same id, or else the same source, or else the same references. Items that a system lacks are left out
    for all, with a warning, if the others are half of them or more, or have an empty text there, or are an error, as
    the user says (`missing`). Other tables are returned as they are. InputError where the names of systems would be
    scored as texts, and for a table that cannot be read by the column of these names that the user says.
    """
    if columns.system_column is not None:
        _check_column_of_names(table, columns, columns.system_column)
    table, note_of_runs = _with_runs(table, columns)
    long = long_of(table, columns)
    if long is None or (columns.systems and not _names_texts(long, columns)):
        return table, columns, ""
    _check_all_named(table, long)
    for key in long.keys:
        items = rows_of_items(table, key, long.column)
        rows = [by_system for by_system in items.values() if len(by_system) == len(long.systems)]
        if len(rows) < max(2, len(items) / 2) or {*long.systems} & {*table.columns}:
            continue
        same = _same_in_items(table, long, rows)
        long = _without_answers(table, long, columns, same)
        _check_references(table, long, items, key)
        guessed = [name for name in long.texts if name not in same]
        text = columns.systems[0] if columns.systems else _text_column(table, guessed, same)
        may_lack_texts = columns.scores and not columns.need_references
        if long.needed <= {*same} and (text is not None or may_lack_texts):
            joined = _joined_items(table, long, items, key, columns.missing)
            lost = joined.lost({system: _system_in_words(table, system) for system in long.systems})
            scored = _ScoredItems(key, same, [items[item] for item in joined.keys], lost)
            pivoted, columns, note = _pivoted(table, columns, long, scored, text)
            return pivoted, columns, f"{note}{note_of_runs}"
    if columns.system_column is not None:
        raise InputError(
            f"{table.name}: the rows cannot be joined as those of the systems that {shorten(long.column)} names "
            f"({named(long.systems)}): {_why_not_read(table, long, columns)}. {_EXPECTED}"
        )
    _check_names(table, columns, long)
    return table, columns, ""


def _same_in_items(table: Table, long: _Long, rows: Sequence[dict[str, int]]) -> list[str]:
    """Return the columns that have the same cell in all rows of an item, whatever the system."""
    same: list[str] = []
    for name, cells in table.columns.items():
        if name != long.column and all(is_one(cells, by_system) for by_system in rows):
            same.append(name)
    return same


def _with_runs(table: Table, columns: Columns) -> tuple[Table, str]:
    """Return a table in which the name of a system has its run behind it, and that in words.

    It is another table only where a column such as ``seed`` tells the rows apart that a system has of an item.
    """
    long = long_of(table, columns)
    run = column_called(table, RUN)
    labels = {column_and_pattern(spec, table.columns)[0] for spec in columns.slices}
    if long is None or run is None or run in {*columns.systems, *columns.references, *labels, columns.cluster}:
        return table, ""
    if any(_is_blank_cell(cell) for name in (long.column, run) for cell in table.columns[name]):
        return table, ""
    pairs = zip(table.columns[long.column], table.columns[run], strict=True)
    names = [f"{system}-{number}" for system, number in pairs]
    with_runs = replace(table, columns={**table.columns, long.column: names})
    if not any(_has_runs(table, with_runs, key, long.column) for key in long.keys):
        return table, ""
    note = f" Systems are those in {long.column!r}, with their {run!r} behind them"
    return with_runs, f"{note}: {argument_set('runs', '(.+)-(.+)')} compares them by the means of their runs."


def _has_runs(table: Table, with_runs: Table, key: list[str], column: str) -> bool:
    """Return whether a system has several rows of an item, and each with its run one."""
    return not rows_of_items(table, key, column) and bool(rows_of_items(with_runs, key, column))


def _check_column_of_names(table: Table, columns: Columns, column: str) -> None:
    """Raise an InputError for a column that cannot name the system of each row."""
    if isinstance(table, Memory):
        raise InputError(f"Units of {table.name} have no column {shorten(column)} for {argument('system_column')}.")
    cells = table.column(column)
    if column in {*columns.systems, *columns.references, columns.source}:
        raise InputError(f"{table.name}: the column {column!r} has names of systems and texts; name it once.")
    for row, cell in enumerate(cells):
        if _is_blank_cell(cell) or isinstance(cell, bool) or not isinstance(cell, str | int):
            raise InputError(
                f"{table.location(row, column)}: expected the name of the row's system, got {shorten(cell)}."
            )
    names = list(dict.fromkeys(map(str, cells)))
    if len(names) == 1:
        raise InputError(
            f"{table.name}: the column {column!r} names one system, {names[0]!r}, in all rows; expected several. To "
            f"name the only system of a file, leave {argument('system_column')} out, and give the file as NAME=PATH."
        )
    if columns.systems and (len(columns.systems) > 1 or columns.systems[0] not in table.columns):
        raise InputError(
            f"{table.name}: {argument('systems')} with {argument('system_column')} is the one column of the systems' "
            f"texts; got {named(columns.systems)}."
        )


def _why_not_read(table: Table, long: _Long, columns: Columns) -> str:
    """Return why a table has no column for each system that a column of it names, in words."""
    if not long.keys:
        return "no column tells items apart, as an id or a source does"
    both = [name for name in long.systems if name in table.columns]
    if both:
        return f"{shorten(both[0])} is the name of a column, too"
    if long.texts or columns.systems or columns.scores:
        return why_not_joined(table, long, long.keys[0])
    return "no column has their texts"


def _names_texts(long: _Long, columns: Columns) -> bool:
    """Return whether the only system that is named is the column of the systems' texts."""
    return len(columns.systems) == 1 and columns.systems[0] not in long.systems


def _without_answers(table: Table, long: _Long, columns: Columns, same: list[str]) -> _Long:
    """Return a long table in which an "answer" or a "summary" that differs by system is no reference of it."""
    if any(name in table.columns for name in columns.references):
        return long
    texts = {*columns.systems, *called(table, TEXT)} - {*same}
    references = [name for name in long.references if name not in texts]
    needed = long.needed - (texts & {*long.references})
    return replace(long, references=references, needed=needed)


def lost_by_system(table: Table) -> Lost:
    """Return what systems lack of the items of the long table from which a table was made; nothing of others."""
    return table.lost if isinstance(table, _Wide) else NOTHING_LOST


def rows_by_system(table: Table) -> dict[str, list[int | None]]:
    """Return, for each column that was made of a long table, the row of each item there; nothing of other tables."""
    if not isinstance(table, _Wide):
        return {}
    return {column: rows for column, (_, rows) in table.origins.items()}


def own_columns_of_long(table: Table, left_out: Sequence[str]) -> OwnColumns:
    """Return the columns of the long table, from which a table was made, that were not read; nothing of others.

    Those with one cell for each item are among the columns that were left out of the table.
    """
    if not isinstance(table, _Wide):
        return OwnColumns({}, {})
    of_items = {name: table.columns[name] for name in left_out if name not in table.origins}
    read = {*table.columns, table.names, *(origin for origin, _ in table.origins.values())}
    by_system: dict[str, dict[str, list[Any]]] = {}
    for name, cells in table.long.columns.items():
        if name not in read:
            by_system[name] = {
                system: [None if row is None else cells[row] for row in rows] for system, rows in table.rows.items()
            }
    return OwnColumns(of_items, by_system)


def readings_of_long(
    table: Table, columns: tuple[ColumnReading, ...], asked: Sequence[str] = ()
) -> tuple[ColumnReading, ...]:
    """Return how the columns of the long table were read from which a table was made; of others what is given.

    `asked` are columns whose role the user says.
    """
    if not isinstance(table, _Wide):
        return columns
    read = {one.column: one for one in columns}
    of_systems = {origin for origin, _ in table.origins.values()}
    scores = {origin for column, (origin, _) in table.origins.items() if column.endswith(f".{origin}")}
    columns_of: dict[str, list[str]] = {"names of systems": [table.names], "scores": [*scores]}
    columns_of["texts"] = [column for column in of_systems if column not in scores]
    columns_of["key"] = [*table.key]
    reasons = {table.names: "its name says it, and its values repeat", **dict.fromkeys(of_systems, _DIFFERS)}
    reasons |= dict.fromkeys(table.key, "each of its values has a row of each system")
    for column in table.long.columns:
        if column in read and read[column].role != "left out":
            columns_of.setdefault(read[column].role, []).append(column)
        if column in read:
            reasons.setdefault(column, read[column].reason)
    reasons = {**dict.fromkeys(table.long.columns, _DIFFERS), **reasons}
    return readings(table.long, columns_of, reasons, asked)


def warn_pooled(table: Table, columns: Columns) -> str | None:
    """Warn of rows of several systems that are scored as of one; return the column that names these, or None."""
    long = long_of(table, columns)
    if long is None or not (columns.systems or long.texts):
        return None
    for key in long.keys:
        if _is_pooled(table, key, long.column, is_exact=key == long.references):
            reason = f"{argument('systems')} names columns of texts" if columns.systems else ""
            reason = reason or why_not_joined(table, long, key)
            warn(
                f"{table.name}: the column {shorten(long.column)} names {len(long.systems):,} systems "
                f"({named(long.systems)}), but {reason}: all rows are scored as of one system. {_EXPECTED}"
            )
            return long.column
    return None


def long_of(table: Table, columns: Columns) -> _Long | None:
    """Return what the columns of a table are that has one of systems' names; None of others."""
    labels = {column_and_pattern(spec, table.columns)[0] for spec in columns.slices}
    labels |= {name for name in (columns.source, columns.cluster) if name is not None}
    with_role = {*columns.systems, *columns.references, *labels}
    candidates = (name for name in called(table, SYSTEM) if name not in with_role and names_systems(table, name))
    column = columns.system_column or next(candidates, None)
    if isinstance(table, Memory) or column is None:
        return None
    texts = replace(table, columns={name: cells for name, cells in table.columns.items() if name != column})
    roles = guess_roles(without_scores(texts, columns.scores), columns.references)
    # One of the systems may be named as the references: of WMT's, a human translation.
    named_columns = [name for name in columns.references if name in table.columns]
    references = named_columns or list(roles.references)
    return _Long(
        column=column,
        systems=list(dict.fromkeys(str(cell) for cell in table.columns[column] if not _is_blank_cell(cell))),
        texts=roles.systems,
        references=references,
        keys=keys_of(table, columns.source or roles.source, references),
        needed={*references, *labels},
    )


def names_systems(table: Table, column: str) -> bool:
    """Return whether most cells are a few texts or numbers that repeat, as the names of systems do."""
    cells = table.columns[column]
    names = [cell for cell in cells if not _is_blank_cell(cell)]
    are_most = 2 * len(names) > len(cells)
    return (
        are_most
        and all(isinstance(name, str | int) for name in names)
        and (2 <= len({*map(str, names)}) <= len(cells) // 2)
    )


def _is_blank_cell(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _check_all_named(table: Table, long: _Long) -> None:
    """Raise an InputError for a row without the name of its system, where items have rows of several systems."""
    blank = next((row for row, cell in enumerate(table.columns[long.column]) if _is_blank_cell(cell)), None)
    if blank is None or not any(
        _is_pooled(table, key, long.column, is_exact=key == long.references) for key in long.keys
    ):
        return
    if not {*long.systems} & _reference_texts(table, long):
        raise InputError(
            f"{table.location(blank, long.column)}: the name of the system is missing; other rows have "
            f"{named(long.systems)}."
        )


def keys_of(table: Table, source: str | None, references: list[str]) -> list[list[str]]:
    """Return the columns that may tell items apart, the most likely first."""
    ids = [*called(table, ITEM)]
    keys = [*([name] for name in ids), ids if len(ids) > 1 else [], [source] if source else []]
    # A source may have several references, and a reference several sources.
    return [*filter(None, keys), *([references] if references and not source else [])]


def _items(table: Table, key: list[str]) -> list[Hashable]:
    return [*zip(*(map(_hashable, table.columns[name]) for name in key), strict=True)]


def _hashable(cell: Any) -> Hashable:
    return cell if isinstance(cell, str | int | None) else repr(cell)


def rows_of_items(table: Table, key: list[str], column: str) -> dict[Hashable, dict[str, int]]:
    """Return by item the row of each system; nothing where a system has several."""
    rows: dict[Hashable, dict[str, int]] = defaultdict(dict)
    for row, (item, name) in enumerate(zip(_items(table, key), map(str, table.columns[column]), strict=True)):
        if rows[item].setdefault(name, row) != row:
            return {}
    return rows


def _item(table: Table, row: int, key: list[str]) -> str:
    """Return what a message calls the item of a row."""
    return " and ".join(f"{shorten(table.columns[name][row])} ({name})" for name in key)


def _joined_items(
    table: Table, long: _Long, items: Mapping[Hashable, dict[str, int]], key: list[str], missing: str
) -> Join[Hashable]:
    """Return the items that are scored; a warning says which systems have no row of others."""
    items_of = {
        _system_in_words(table, system): {item for item, by_system in items.items() if system in by_system}
        for system in long.systems
    }

    def first(item: Hashable) -> str:
        return f"is {_item(table, min(items[item].values()), key)}"

    return join(items_of, list(items), "items", first, missing)


def _system_in_words(table: Table, system: str) -> str:
    """Return what messages call a system of a table."""
    return f"{table.name}: {shorten(system)}"


def _check_references(table: Table, long: _Long, items: Mapping[Hashable, dict[str, int]], key: list[str]) -> None:
    """Raise an InputError for an item that has other references for another system, where most have the same."""
    if key == long.references:
        return
    different = [
        (name, by_system)
        for name in long.references
        for by_system in items.values()
        if not is_one(table.columns[name], by_system)
    ]
    if different and 2 * len(different) < len(items):
        name, rows = different[0]
        first, *others = rows.items()
        other = next(pair for pair in others if not is_one(table.columns[name], dict([first, pair])))
        raise InputError(
            f"{table.name}: {_item(table, first[1], key)} has the reference "
            f"{shorten(table.columns[name][first[1]])} for {shorten(first[0])}, and "
            f"{shorten(table.columns[name][other[1]])} for {shorten(other[0])}; expected one for all systems."
        )


def why_not_joined(table: Table, long: _Long, key: list[str]) -> str:
    """Return why rows of the same items are not those of systems, in words."""
    first_rows: dict[tuple[Hashable, str], int] = {}
    n_systems = Counter[Hashable]()
    for row, (item, name) in enumerate(zip(_items(table, key), map(str, table.columns[long.column]), strict=True)):
        earlier = first_rows.setdefault((item, name), row)
        if earlier != row:
            both = f"{table.unit}s {table.lines[earlier]:,} and {table.lines[row]:,}"
            return f"{shorten(name)} has several rows of {_item(table, row, key)}, as on {both}"
        n_systems[item] += 1
    n_whole = sum(number == len(long.systems) for number in n_systems.values())
    if n_whole < len(n_systems):
        return f"only {n_whole:,} of {len(n_systems):,} items ({' and '.join(key)}) have a row of all of them"
    return "it is not clear which column has their texts, or references of an item differ"


def is_one(cells: list[Any], rows: dict[str, int]) -> bool:
    """Return whether the rows of an item have the same cell."""
    return len({_hashable(cells[row]) for row in rows.values()}) == 1


def _text_column(table: Table, guessed: list[str], same: list[str]) -> str | None:
    """Return the column of the systems' texts, among those that differ within items; None if it is not clear."""
    candidates = {*guessed, *(name for name in called(table, TEXT) if name not in same)}
    return candidates.pop() if len(candidates) == 1 else None


def _pivoted(
    table: Table, columns: Columns, long: _Long, items: _ScoredItems, text: str | None
) -> tuple[Table, Columns, str]:
    """Return a table with a row for each item and a column for each system, from the column of their texts."""
    cells = table.columns
    systems = long.systems
    first_rows = [min(by_system.values()) for by_system in items.rows]
    by_item = {name: [cells[name][row] for row in first_rows] for name in items.same}
    rows_of = {system: [by_system.get(system) for by_system in items.rows] for system in systems}
    origins: dict[str, tuple[str, list[int | None]]] = {}
    if text is not None:
        origins = {system: (text, rows_of[system]) for system in systems}
    # What is said of the rows of a system, beside their texts.
    beside = [name for name in dict.fromkeys([*columns.scores, *ENDING_COLUMNS]) if name in cells]
    for name in beside:
        origins |= {f"{system}.{name}": (name, rows_of[system]) for system in systems}
    by_system: dict[str, list[Any]] = {}
    for column, (origin, rows_there) in origins.items():
        absent = "" if origin == text else None
        by_system[column] = [absent if row is None else cells[origin][row] for row in rows_there]
    rest = [name for name in cells if name not in {*items.same, *beside, long.column, text}]
    note = f"Each {long.column!r} is a system, whose rows are joined by {' and '.join(map(repr, items.key))}"
    if text is not None:
        note += f"; texts: {text!r}"
    if rest:
        note += f"; left out, as they differ by system: {named(rest)}"
    note += "."
    pivoted = _Wide(
        table.name,
        columns={**by_item, **by_system},
        lines=[table.lines[row] for row in first_rows],
        long=table,
        origins=origins,
        rows=rows_of,
        names=long.column,
        key=items.key,
        lost=items.lost,
        unit=table.unit,
    )
    # Of WMT's human translations, one is given as the reference.
    systems = [name for name in systems if name not in columns.references]
    return pivoted, replace(columns, systems=systems, system_column=None), note


def _check_names(table: Table, columns: Columns, long: _Long) -> None:
    """Raise an InputError for a column of systems' names that would be scored as texts of a system."""
    if not long.texts and not long.references and not columns.scores:
        _check_texts(table, long)
    guess = guess_roles(without_scores(table, columns.scores), columns.references)
    is_scored = long.column in (guess.systems or guess.left_out)
    if not is_scored or not long.references:
        return
    if not {*long.systems} & _reference_texts(table, long):
        raise InputError(
            f"{table.name}: the column {shorten(long.column)} has {len(long.systems):,} texts in "
            f"{len(table.lines):,} rows ({named(long.systems)}), which look like names of systems. {_EXPECTED} If "
            f"they are texts of a system, name every system: {argument('systems')}."
        )


def _check_texts(table: Table, long: _Long) -> None:
    """Raise an InputError for a table of numbers of systems, of which only the names would be texts."""
    keys = [*long.keys, [long.column]]
    used = {name for key in keys for name in key}
    numbers = [name for name, cells in table.columns.items() if name not in used and lack(cells) == CODES]
    if numbers and any(_is_pooled(table, key, long.column, is_exact=False) for key in long.keys):
        raise InputError(
            f"{table.name}: the column {shorten(long.column)} names {len(long.systems):,} systems "
            f"({named(long.systems)}), and no column has their texts. To compare their numbers: "
            f"{' or '.join(argument_set('scores', name) for name in numbers[:3])}."
        )


def _reference_texts(table: Table, long: _Long) -> set[Any]:
    """Return the references: the answers of a classifier are a few words, as names are, but some of these."""
    references: set[Any] = set()
    for name in long.references:
        for cell in table.columns[name]:
            if isinstance(cell, list):
                references.update(text for text in cell if isinstance(text, str))
            else:
                references.add(cell)
    return references


def _is_pooled(table: Table, key: list[str], column: str, *, is_exact: bool) -> bool:
    """Return whether a fifth of the items or more have rows of several systems."""
    systems: dict[Hashable, list[str]] = defaultdict(list)
    for item, name in zip(_items(table, key), map(str, table.columns[column]), strict=True):
        systems[item].append(name)
    # Items may have the same reference, such as "yes".
    if is_exact and any(len({*names}) < len(names) for names in systems.values()):
        return False
    return 5 * sum(len({*names}) > 1 for names in systems.values()) >= len(systems)
