"""Long tables, which have a row for each item and system -> tables with a column for each system."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from tercet.errors import InputError, argument, argument_set, shorten
from tercet.files.columns.contents import lack
from tercet.files.columns.lacks import Lack
from tercet.files.columns.roles import guess_roles
from tercet.files.columns.scores import without_scores
from tercet.files.columns.vocabulary import RUN, SYSTEM, TEXT
from tercet.files.join import NOTHING_LOST, Lost, is_id, join, sides_in_table
from tercet.files.logs.endings import ENDING_COLUMNS
from tercet.files.table import Memory, Table

from .items_of_rows import has_one_value, hashable, item_in_words, item_of_each_row, keys_of, rows_of_items
from .labels import slice_columns
from .named_columns import NamedColumns, column_called, column_of_system, columns_called, listing, reference_columns
from .pivoted_tables import Origin, PivotedTable, cells_of_rows

_EXPECTED = "Expected each item once for each system, or a column for each, or a file for each."


class WideTable(NamedTuple):
    """A table with a column for each system."""

    table: Table
    #: What the user names, with the systems of this table.
    named: NamedColumns
    #: How it was made of a long one, in words.
    note: str = ""
    #: What systems lack of the items of the file.
    lost: Lost = NOTHING_LOST


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table with a column that names the system of each row, and what its other columns are."""

    table: Table
    column: str
    systems: list[str]
    #: Those of the texts of systems, without the names.
    texts: tuple[str, ...]
    references: list[str]
    #: The columns that may tell items apart, the most likely first.
    keys: list[list[str]]
    #: The columns that must have one cell in all rows of an item.
    needed: set[str]

    def without_references(self, names: set[str]) -> LongTable:
        """Return the table with some columns that are no references after all."""
        references = [name for name in self.references if name not in names]
        return replace(self, references=references, needed=self.needed - names)


class _Items(NamedTuple):
    """The items of a long table, as a key tells them apart."""

    long: LongTable
    key: list[str]
    #: The columns that have one cell in all rows of an item.
    same: list[str]
    #: By item, the row of each system that has one.
    rows: dict[Hashable, dict[str, int]]


def widened(table: Table, named: NamedColumns) -> WideTable:
    """Return a table with a column for each system.

    A long table has a column such as ``model`` that names the system of each row, and each item once for each of
    them: the same id, or else the same source, or else the same references. Items that a system lacks are left out
    for all, with a warning, if the others are half of them or more, or have an empty text there, or are an error, as
    the user says (`missing`). Other tables are returned as they are. InputError where the names of systems would be
    scored as texts, and for a table that cannot be read by the column of these names that the user says.
    """
    if named.system_column is not None:
        _check_column_of_names(table, named, named.system_column)
    table_of_runs, note_of_runs = _with_runs(table, named)
    as_it_is = WideTable(table_of_runs, named)
    long = long_table(table_of_runs, named)
    if long is None or (named.systems and not _names_texts(long, named)):
        return as_it_is
    _check_all_named(long)
    may_lack_texts = named.scores and not named.need_references
    perhaps_answers = _perhaps_answers(long, named)
    answers: set[str] = set()
    not_joined = long
    for items_of_key in _items_by_keys(long):
        # What differs by system is no reference by the next keys either.
        answers |= perhaps_answers.difference(items_of_key.same)
        not_joined = long.without_references(answers)
        items = items_of_key._replace(long=not_joined)
        _check_references(items)
        text = _text_column(items, named)
        if not_joined.needed.issubset(items.same) and (text is not None or may_lack_texts):
            return _pivot(items, text, named, note_of_runs)
    if named.system_column is not None:
        raise InputError(
            f"{table.name}: the rows cannot be joined as those of the systems that {shorten(long.column)} names "
            f"({listing(long.systems)}): {_why_not_read(long, named)}. {_EXPECTED}"
        )
    _check_names(not_joined, named)
    return as_it_is


def _items_by_keys(long: LongTable) -> Iterator[_Items]:
    """Yield the items as each key tells them apart that has rows of all systems for most of them."""
    # A column of a system would have the name of another one.
    if not set(long.systems).isdisjoint(long.table.columns):
        return
    for key in long.keys:
        rows = rows_of_items(long.table, key, long.column)
        if rows is None:
            continue
        whole = [by_system for by_system in rows.values() if len(by_system) == len(long.systems)]
        if len(whole) < max(2, len(rows) / 2):
            continue
        same: list[str] = []
        for name, cells in long.table.columns.items():
            if name != long.column and all(has_one_value(cells, by_system) for by_system in whole):
                same.append(name)
        yield _Items(long, key, same, rows)


def _perhaps_answers(long: LongTable, named: NamedColumns) -> set[str]:
    """Return the columns, such as "answer", that seem to have references, or else the texts of systems."""
    if any(name in long.table.columns for name in named.references):
        return set()
    return {*named.systems, *columns_called(long.table, TEXT)}.intersection(long.references)


def _with_runs(table: Table, named: NamedColumns) -> tuple[Table, str]:
    """Return a table in which the name of a system has its run behind it, and that in words.

    It is another table only where a column such as ``seed`` tells the rows apart that a system has of an item.
    """
    long = long_table(table, named)
    run = column_called(table, RUN)
    labels = slice_columns(named.slices, table.columns)
    if long is None or run is None or run in {*named.systems, *named.references, *labels, named.cluster}:
        return table, ""
    systems = table.columns[long.column]
    runs = table.columns[run]
    if any(map(_is_blank_cell, systems)) or any(map(_is_blank_cell, runs)):
        return table, ""
    pairs = zip(systems, runs, strict=True)
    names = [f"{system}-{number}" for system, number in pairs]
    with_runs = replace(table, columns={**table.columns, long.column: names})
    if not any(_has_runs(table, with_runs, key, long.column) for key in long.keys):
        return table, ""
    note = f" Systems are those in {long.column!r}, with their {run!r} behind them"
    pattern = argument_set("runs", _pattern_of_runs(systems, runs))
    return with_runs, f"{note}: {pattern} compares them by the means of their runs."


def _pattern_of_runs(systems: Sequence[Any], runs: Sequence[Any]) -> str:
    """Return the pattern of names of systems with their runs behind them."""
    if not any("-" in str(run) for run in runs):
        # What stands behind the last hyphen is the run.
        return "(.+)-(.+)"
    names = [re.escape(str(system)) for system in dict.fromkeys(systems)]
    return f"({'|'.join(names)})-(.+)"


def _has_runs(table: Table, with_runs: Table, key: list[str], column: str) -> bool:
    """Return whether a system has several rows of an item, and each with its run one."""
    return rows_of_items(table, key, column) is None and rows_of_items(with_runs, key, column) is not None


def _check_column_of_names(table: Table, named: NamedColumns, column: str) -> None:
    """Raise an InputError for a column that cannot name the system of each row."""
    if isinstance(table, Memory):
        raise InputError(f"Units of {table.name} have no column {shorten(column)} for {argument('system_column')}.")
    cells = table.column(column)
    if column in {*named.systems, *named.references, named.source}:
        raise InputError(f"{table.name}: the column {column!r} has names of systems and texts; name it once.")
    for row, cell in enumerate(cells):
        if not is_id(cell) or _is_blank_cell(cell):
            raise InputError(
                f"{table.location(row, column)}: expected the name of the row's system, got {shorten(cell)}."
            )
    names = list(dict.fromkeys(map(str, cells)))
    if len(names) == 1:
        raise InputError(
            f"{table.name}: the column {column!r} names one system, {names[0]!r}, in all rows; expected several. To "
            f"name the only system of a file, leave {argument('system_column')} out, and give the file as NAME=PATH."
        )
    if named.systems and (len(named.systems) > 1 or named.systems[0] not in table.columns):
        raise InputError(
            f"{table.name}: {argument('systems')} with {argument('system_column')} is the one column of the systems' "
            f"texts; got {listing(named.systems)}."
        )


def _why_not_read(long: LongTable, named: NamedColumns) -> str:
    """Return why a table has no column for each system that a column of it names, in words."""
    if not long.keys:
        return "no column tells items apart, as an id or a source does"
    both = [name for name in long.systems if name in long.table.columns]
    if both:
        return f"{shorten(both[0])} is the name of a column, too"
    if long.texts or named.systems or named.scores:
        return why_not_joined(long, long.keys[0])
    return "no column has their texts"


def _names_texts(long: LongTable, named: NamedColumns) -> bool:
    """Return whether the only system that is named is the column of the systems' texts."""
    return len(named.systems) == 1 and named.systems[0] not in long.systems


class PooledRows(NamedTuple):
    """Rows of several systems that are scored as of one."""

    long: LongTable
    #: The columns that tell the items apart of which several systems have rows.
    key: list[str]

    def warning(self, named: NamedColumns) -> str:
        """Return what a user is warned of, with why they are not read as those of several systems."""
        long = self.long
        reason = f"{argument('systems')} names columns of texts"
        if not named.systems:
            reason = why_not_joined(long, self.key)
        return (
            f"{long.table.name}: the column {shorten(long.column)} names {len(long.systems):,} systems "
            f"({listing(long.systems)}), but {reason}: all rows are scored as of one system. {_EXPECTED}"
        )


def pooled_rows(table: Table, named: NamedColumns) -> PooledRows | None:
    """Return the rows of several systems that are scored as of one; None where there are none."""
    long = long_table(table, named)
    if long is None or not (named.systems or long.texts):
        return None
    for key in long.keys:
        if _is_pooled(long, key):
            return PooledRows(long, key)
    return None


def long_table(table: Table, named: NamedColumns) -> LongTable | None:
    """Return what the columns of a table are that has one of systems' names; None of others."""
    labels = set(slice_columns(named.slices, table.columns))
    for label in (named.source, named.cluster):
        if label is not None:
            labels.add(label)
    with_role = {*named.systems, *named.references, *labels}
    column = named.system_column or _column_of_names(table, with_role)
    if isinstance(table, Memory) or column is None:
        return None
    texts = replace(table, columns={name: cells for name, cells in table.columns.items() if name != column})
    roles = guess_roles(without_scores(texts, named.scores), named.references)
    # One of the systems may be named as the references: of WMT's, a human translation.
    references = reference_columns(table, named, roles)
    return LongTable(
        table=table,
        column=column,
        systems=list(dict.fromkeys(str(cell) for cell in table.columns[column] if not _is_blank_cell(cell))),
        texts=roles.systems,
        references=references,
        keys=keys_of(table, named.source or roles.source, references),
        needed={*references, *labels},
    )


def _column_of_names(table: Table, with_role: Container[str]) -> str | None:
    """Return the first column that is called as one of systems' names, holds such and has no other role."""
    for name in columns_called(table, SYSTEM):
        if name not in with_role and names_systems(table, name):
            return name
    return None


def names_systems(table: Table, column: str) -> bool:
    """Return whether most cells are a few texts or numbers that repeat, as the names of systems do."""
    cells = table.columns[column]
    names = [cell for cell in cells if not _is_blank_cell(cell)]
    if 2 * len(names) <= len(cells) or not all(isinstance(name, str | int) for name in names):
        return False
    n_different = len(set(map(str, names)))
    return 2 <= n_different <= len(cells) // 2


def _is_blank_cell(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _check_all_named(long: LongTable) -> None:
    """Raise an InputError for a row without the name of its system, where items have rows of several systems."""
    are_blank = list(map(_is_blank_cell, long.table.columns[long.column]))
    if not any(are_blank) or not any(_is_pooled(long, key) for key in long.keys):
        return
    if _reference_texts(long).isdisjoint(long.systems):
        raise InputError(
            f"{long.table.location(are_blank.index(True), long.column)}: the name of the system is missing; other "
            f"rows have {listing(long.systems)}."
        )


def _scored_items(items: _Items, missing: str) -> tuple[_Items, Lost]:
    """Return the items that are scored, and what systems lack; a warning says which have no row of others."""
    side_of = sides_in_table(items.long.table.name, items.long.systems)
    items_of: dict[str, set[Hashable]] = {}
    for system, side in side_of.items():
        items_of[side] = {item for item, by_system in items.rows.items() if system in by_system}
    joined = join(items_of, list(items.rows), "items", partial(_first_in_words, items), missing)
    rows = {item: items.rows[item] for item in joined.keys}
    return items._replace(rows=rows), joined.lost(side_of)


def _first_in_words(items: _Items, item: Hashable) -> str:
    """Return what a message says of the first item that a system lacks."""
    return f"is {item_in_words(items.long.table, items.key, min(items.rows[item].values()))}"


def _check_references(items: _Items) -> None:
    """Raise an InputError for an item that has another reference for one system than for others, unlike most."""
    table = items.long.table
    references = items.long.references
    if items.key == references:
        return
    different: list[tuple[str, dict[str, int]]] = []
    for name in references:
        for by_system in items.rows.values():
            if not has_one_value(table.columns[name], by_system):
                different.append((name, by_system))
    if not different or 2 * len(different) >= len(items.rows):
        return
    first_name, rows = different[0]
    cells = table.columns[first_name]
    (first_system, first_row), *others = rows.items()
    for system, row in others:
        if hashable(cells[row]) != hashable(cells[first_row]):
            raise InputError(
                f"{table.name}: {item_in_words(table, items.key, first_row)} has the reference "
                f"{shorten(cells[first_row])} for {shorten(first_system)}, and {shorten(cells[row])} for "
                f"{shorten(system)}; expected one for all systems."
            )


def why_not_joined(long: LongTable, key: list[str]) -> str:
    """Return why the rows of an item, as a key tells it, are not those of systems, in words."""
    table = long.table
    first_rows: dict[tuple[Hashable, str], int] = {}
    n_systems = Counter[Hashable]()
    systems = map(str, table.columns[long.column])
    for row, (item, system) in enumerate(zip(item_of_each_row(table, key), systems, strict=True)):
        if (item, system) in first_rows:
            both = f"{table.unit}s {table.lines[first_rows[item, system]]:,} and {table.lines[row]:,}"
            return f"{shorten(system)} has several rows of {item_in_words(table, key, row)}, as on {both}"
        first_rows[item, system] = row
        n_systems[item] += 1
    n_whole = sum(number == len(long.systems) for number in n_systems.values())
    if n_whole < len(n_systems):
        return f"only {n_whole:,} of {len(n_systems):,} items ({' and '.join(key)}) have a row of all of them"
    return "it is not clear which column has their texts, or references of an item differ"


def _text_column(items: _Items, named: NamedColumns) -> str | None:
    """Return the column of the systems' texts, among those that differ within items; None if it is not clear."""
    if named.systems:
        return named.systems[0]
    candidates = {*items.long.texts, *columns_called(items.long.table, TEXT)}.difference(items.same)
    if len(candidates) != 1:
        return None
    return candidates.pop()


def _pivot(items: _Items, text: str | None, named: NamedColumns, note_of_runs: str) -> WideTable:
    """Return a table with a row for each item and a column for each system, from the column of their texts."""
    long = items.long
    table = long.table
    scored, lost = _scored_items(items, named.missing)
    rows_of: dict[str, list[int | None]] = {}
    for system in long.systems:
        rows_of[system] = [by_system.get(system) for by_system in scored.rows.values()]
    # What is said of the rows of a system, beside their texts.
    beside = [name for name in dict.fromkeys([*named.scores, *ENDING_COLUMNS]) if name in table.columns]
    origins: dict[str, Origin] = {}
    if text is not None:
        for system, rows in rows_of.items():
            origins[system] = Origin(text, rows)
    taken = {*long.systems, *items.same}
    for name in beside:
        for system, rows in rows_of.items():
            column = column_of_system(table.name, system, name, taken)
            origins[column] = Origin(name, rows)
            taken.add(column)
    first_rows = [min(by_system.values()) for by_system in scored.rows.values()]
    cells: dict[str, list[Any]] = {}
    for name in items.same:
        cells[name] = [table.columns[name][row] for row in first_rows]
    for column, origin in origins.items():
        absent = None
        if origin.column == text:
            absent = ""
        cells[column] = cells_of_rows(table.column(origin.column), origin.rows, absent)
    pivoted = PivotedTable(
        table.name,
        columns=cells,
        lines=[table.lines[row] for row in first_rows],
        long=table,
        origins=origins,
        rows=rows_of,
        text=text,
        names=long.column,
        key=items.key,
        **table.of_file(),
    )
    # Of WMT's human translations, one is given as the reference.
    systems = [name for name in long.systems if name not in named.references]
    unread = [name for name in table.columns if name not in {*items.same, *beside, long.column, text}]
    note = f"{_joined_in_words(items, text, unread)}{note_of_runs}"
    return WideTable(pivoted, replace(named, systems=systems, system_column=None), note, lost)


def _joined_in_words(items: _Items, text: str | None, unread: Sequence[str]) -> str:
    """Return how the rows of a long table were joined, and what was left out."""
    keys = " and ".join(map(repr, items.key))
    in_words = f"Each {items.long.column!r} is a system, whose rows are joined by {keys}"
    if text is not None:
        in_words += f"; texts: {text!r}"
    if unread:
        in_words += f"; left out, as they differ by system: {listing(unread)}"
    return f"{in_words}."


def _check_names(long: LongTable, named: NamedColumns) -> None:
    """Raise an InputError for a column of systems' names that would be scored as texts of a system."""
    table = long.table
    if not long.texts and not long.references and not named.scores:
        _check_texts(long)
    guess = guess_roles(without_scores(table, named.scores), named.references)
    is_scored = long.column in (guess.systems or guess.left_out)
    if not is_scored or not long.references:
        return
    if _reference_texts(long).isdisjoint(long.systems):
        raise InputError(
            f"{table.name}: the column {shorten(long.column)} has {len(long.systems):,} texts in "
            f"{len(table.lines):,} rows ({listing(long.systems)}), which look like names of systems. {_EXPECTED} If "
            f"they are texts of a system, name every system: {argument('systems')}."
        )


def _check_texts(long: LongTable) -> None:
    """Raise an InputError for a table of numbers of systems, of which only the names would be texts."""
    used = {long.column}.union(*long.keys)
    numbers = [name for name, cells in long.table.columns.items() if name not in used and lack(cells) is Lack.CODES]
    if numbers and any(_is_pooled(long, key) for key in long.keys):
        raise InputError(
            f"{long.table.name}: the column {shorten(long.column)} names {len(long.systems):,} systems "
            f"({listing(long.systems)}), and no column has their texts. To compare their numbers: "
            f"{' or '.join(argument_set('scores', name) for name in numbers[:3])}."
        )


def _reference_texts(long: LongTable) -> set[Any]:
    """Return the references: the answers of a classifier are a few words, as names are, but some of these."""
    references: set[Any] = set()
    for name in long.references:
        for cell in long.table.columns[name]:
            if isinstance(cell, list):
                references.update(text for text in cell if isinstance(text, str))
            else:
                references.add(cell)
    return references


def _is_pooled(long: LongTable, key: list[str]) -> bool:
    """Return whether a fifth of the items or more (chosen) have rows of several systems."""
    systems_of: dict[Hashable, set[str]] = defaultdict(set)
    systems = map(str, long.table.columns[long.column])
    for item, system in zip(item_of_each_row(long.table, key), systems, strict=True):
        # Different items may have one reference, such as "yes".
        if key == long.references and system in systems_of[item]:
            return False
        systems_of[item].add(system)
    n_several = sum(len(names) > 1 for names in systems_of.values())
    return 5 * n_several >= len(systems_of)
