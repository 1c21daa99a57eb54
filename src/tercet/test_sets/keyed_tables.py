"""Tables of systems, and tables of their references or sources, joined by the ids that they share -> one table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, argument, argument_set, shorten
from tercet.files.columns.contents import lack, unrelated
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import clear_role
from tercet.files.columns.roles import guess_roles
from tercet.files.columns.scores import known_scores, scores_by_system, without_scores
from tercet.files.columns.vocabulary import ITEM, ITEM_ALONE
from tercet.files.join import Join, Lost, is_id, join, warn_of_unmatched
from tercet.files.read import predictions_in
from tercet.files.table import Log, Memory, Roles, Table

from .answer_endings import EndingColumn, ending_columns
from .column_warnings import warn_unlike_references
from .labels import column_and_pattern
from .named_columns import (
    NamedColumns,
    column_called,
    column_of_system,
    listing,
    no_references_error,
    reference_columns,
    references_beside,
)
from .pivoted_tables import PivotedTable


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A table, the column of its ids, and the rows of each."""

    table: Table
    key: str
    rows: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> _Keyed | None:
        """Return a table with its ids, in the first column of these names; None without, or where a row has none."""
        key = column_called(table, names)
        if key is None or isinstance(table, Log | Memory):
            return None
        rows: dict[str, list[int]] = {}
        for row, cell in enumerate(table.columns[key]):
            if not is_id(cell):
                return None
            rows.setdefault(str(cell), []).append(row)
        return cls(table, key, rows)

    def cells(self, column: str, ids: Sequence[str]) -> list[Any]:
        """Return the cell of each id in a column, or a list of them where the ids have several rows."""
        cells = self.table.columns[column]
        if all(len(rows) == 1 for rows in self.rows.values()):
            return [cells[self.rows[id][0]] for id in ids]
        return [[cells[row] for row in self.rows[id]] for id in ids]

    def first_cells(self, column: str, ids: Sequence[str], absent: Any = None) -> list[Any]:
        """Return the cell of each id in a column, that of its first row; `absent` for an id without a row."""
        cells = self.table.columns[column]
        return [cells[self.rows[id][0]] if id in self.rows else absent for id in ids]

    def first_numbers(self, numbers: NDArray[np.float64], ids: Sequence[str]) -> list[float | None]:
        """Return the number of each id, that of its first row; None for an id without one."""
        cells = [None if np.isnan(number) else float(number) for number in numbers]
        return [cells[self.rows[id][0]] if id in self.rows else None for id in ids]


@dataclass(frozen=True, slots=True)
class JoinedTables:
    """Tables that were joined by their ids, as one."""

    table: Table
    #: What the user names, with the systems, references and source that this table has.
    named: NamedColumns
    #: How it was joined, in words.
    note: str
    lost: Lost
    #: By column of the tables of systems that holds neither texts nor scores that are read, the cells by system.
    own_columns_by_system: Mapping[str, Mapping[str, list[Any]]]
    #: How the answers of systems ended, as their tables say.
    endings: Sequence[EndingColumn]
    #: The names that columns have in their tables which are called as a system, by what the joined table calls them.
    own_names: Mapping[str, str]
    #: Why systems, references and the source are taken for these, of those that the user does not name.
    reasons: Mapping[str, str]


def join_by_ids(
    tables: Mapping[str, Table], beside: Sequence[Table], named: NamedColumns, called: Container[str] = ()
) -> JoinedTables | None:
    """Return one table of systems and of what stands beside them.

    Systems are those of each table, called as their file where it has one; what the user calls a file (`called`) is
    their name also where it is the only one. Segments are in the order of the first table beside. An id of it that
    has several rows there has several references. What a system lacks is treated as the user says (`missing`); what
    references lack is left out. None where some table has no column of ids.
    """
    key_names = _names_of_keys(list(tables.values()), beside)
    keyed_systems = _all_keyed(tables.values(), key_names)
    keyed_beside = _all_keyed(beside, key_names)
    if keyed_systems is None or keyed_beside is None:
        return None
    _check_named(named, keyed_systems, keyed_beside)
    _check_once(keyed_systems)
    joined_ids = _joined_ids(keyed_systems, keyed_beside, named.missing)
    ids = joined_ids.keys
    all_systems = _all_systems(tables, keyed_systems, named, called)
    _check_no_key(all_systems, keyed_beside[0])
    from_beside = _columns_beside(keyed_beside, all_systems, ids, named)
    from_systems = _columns_of_systems(all_systems, keyed_beside, ids, named)
    first, *further = keyed_beside
    cells_beside = {first.key: list(ids), **from_beside.cells}
    cells = {**cells_beside, **from_systems.cells}
    lines = [first.table.lines[first.rows[id][0]] for id in ids]
    files = [keyed.table.name for keyed in (*keyed_systems, *further)]
    return JoinedTables(
        table=Table(first.table.name, cells, lines, **first.table.of_file()),
        named=replace(
            named,
            systems=list(from_systems.side_of),
            references=from_beside.references,
            source=from_beside.source,
            cluster=None if named.cluster is None else from_beside.asked_for(named.cluster),
            slices=list(map(from_beside.asked_for, named.slices)),
        ),
        note=f"Joined with {listing(files)} by {first.key!r}.",
        lost=joined_ids.lost(from_systems.side_of),
        own_columns_by_system=_own_columns_by_system(all_systems, ids, named, cells_beside),
        endings=from_systems.endings,
        own_names={title: name for name, title in from_beside.renamed.items()},
        reasons=from_beside.reasons | from_systems.reasons,
    )


def _all_keyed(tables: Iterable[Table], key_names: Sequence[str]) -> list[_Keyed] | None:
    """Return tables with their ids; None where one has no column of ids."""
    all_keyed = []
    for table in tables:
        keyed = _Keyed.of(table, key_names)
        if keyed is None:
            return None
        all_keyed.append(keyed)
    return all_keyed


def _names_of_keys(systems: Sequence[Table], beside: Sequence[Table]) -> Sequence[str]:
    """Return the names of columns of ids: first one that all tables have, where it names each row of a system once.

    Of several, first one that says of what it is the id: captions have an ``id`` of their own beside the ``image_id``
    that says which captions belong together.
    """
    shared = [name for name in ITEM if all(column_called(table, [name]) for table in (*systems, *beside))]
    once = [name for name in shared if all(_is_once(table, name) for table in systems)]
    say_of_what = [name for name in once if name not in ITEM_ALONE]
    return [*say_of_what, *once, *ITEM]


def _is_once(table: Table, name: str) -> bool:
    """Return whether each cell of the column of this name occurs once in it."""
    column = column_called(table, [name])
    if column is None:
        return True
    cells = list(map(repr, table.columns[column]))
    return len(set(cells)) == len(cells)


def _check_named(named: NamedColumns, systems: Sequence[_Keyed], beside: Sequence[_Keyed]) -> None:
    """Raise an InputError for a column that is named and that no table has."""
    named_beside = list(named.references)
    if named.source is not None:
        named_beside.append(named.source)
    for names, tables in ((named.systems, systems), (named_beside, beside)):
        for name in names:
            if not any(name in keyed.table.columns for keyed in tables):
                raise tables[0].table.column_error(name)


def _check_once(tables: Iterable[_Keyed]) -> None:
    """Raise an InputError for an id that a system has twice."""
    for keyed in tables:
        for id, rows in keyed.rows.items():
            if len(rows) > 1:
                raise InputError(
                    f"{keyed.table.location(rows[1], keyed.key)}: {shorten(id)} occurs on {keyed.table.unit} "
                    f"{keyed.table.lines[rows[0]]:,} too; expected each id once, to join it with its references."
                )


def _joined_ids(systems: Sequence[_Keyed], others: Sequence[_Keyed], missing: str) -> Join[str]:
    """Return the ids of the first table beside that are scored; warnings say what does not match, both ways."""
    first = others[0]
    shared = set(first.rows).intersection(*(keyed.rows for keyed in (*systems, *others)))
    if not shared:
        raise _nothing_shared_error([*systems, *others[1:]], first)
    what = f"ids of {first.table.name}"
    # Without one of its references a segment cannot be scored.
    with_references = join(_ids_by_name(others[1:]), first.rows, what, _first_id)
    joined = join(_ids_by_name(systems), with_references.keys, what, _first_id, missing)
    for keyed in (*systems, *others[1:]):
        warn_of_unmatched(keyed.table.name, keyed.rows, first.rows, first.table.name)
    return joined


def _ids_by_name(tables: Sequence[_Keyed]) -> dict[str, Mapping[str, Sequence[int]]]:
    return {keyed.table.name: keyed.rows for keyed in tables}


def _first_id(id: str) -> str:
    return f"is {shorten(id)}"


def _nothing_shared_error(tables: Sequence[_Keyed], first: _Keyed) -> InputError:
    """Return the error for tables that have no id in common."""
    for other in tables:
        if not set(other.rows) & set(first.rows):
            return InputError(
                f"{first.table.name} has none of the ids of {other.table.name}, such as "
                f"{shorten(next(iter(other.rows)))}, but such as {shorten(next(iter(first.rows)))}."
            )
    # Each has some ids of the first one, but others than the next.
    files = listing([keyed.table.name for keyed in tables])
    return InputError(
        f"No id of {first.table.name}, such as {shorten(next(iter(first.rows)))}, is in all of {files}."
    )


class _ColumnsBeside(NamedTuple):
    """The columns of tables beside those of systems, as the joined table has them."""

    cells: dict[str, list[Any]]
    references: list[str]
    source: str | None
    #: What columns that are called as a system are called here, by the names that they have in their tables.
    renamed: dict[str, str]
    #: Why columns are references or the source, of those that the user does not name.
    reasons: dict[str, str]

    def asked_for(self, column: str) -> str:
        """Return what is called here as a user's column of labels, which may have a pattern behind it."""
        name, pattern = column_and_pattern(column, {*self.cells, *self.renamed})
        title = self.renamed.get(name, name)
        if pattern is None:
            return title
        return f"{title}~{pattern}"


def _columns_beside(
    others: Sequence[_Keyed],
    all_systems: Sequence[_SystemsOfTable],
    ids: Sequence[str],
    named: NamedColumns,
) -> _ColumnsBeside:
    """Return the columns of references, sources and what else is in these tables."""
    outputs: list[list[Any]] = []
    # A system may be called as a column beside it, also where it is called as its file.
    taken = {others[0].key}
    for systems in all_systems:
        for column, system in systems.names.items():
            taken |= {column, system}
            outputs.append(systems.keyed.first_cells(column, ids))
    cells: dict[str, list[Any]] = {}
    references: list[str] = []
    renamed: dict[str, str] = {}
    reasons: dict[str, str] = {}
    source = named.source
    for keyed in others:
        roles = guess_roles(keyed.table)
        targets = _targets_of(keyed, named, roles)
        if not named.references:
            targets = _like_outputs(keyed, targets, outputs, ids)
        for name in keyed.table.columns:
            if name == keyed.key:
                continue
            others_here = {column for column in keyed.table.columns if column != name}
            title = _free_title(name, keyed.table.name, cells, taken | others_here)
            if name in taken:
                renamed.setdefault(name, title)
            # The source that the user names has this title here.
            if name == named.source == source:
                source = title
            if name in targets:
                cells[title] = keyed.cells(name, ids)
                references.append(title)
                if name not in named.references:
                    reasons[title] = roles.reasons.get(name, "")
                continue
            cells[title] = keyed.first_cells(name, ids)
            if source is None and name == roles.source:
                source = title
                reasons[title] = roles.reasons.get(name, "")
    if not references and named.need_references:
        raise no_references_error(*(keyed.table for keyed in others))
    return _ColumnsBeside(cells, references, source, renamed, reasons)


def _free_title(name: str, file: str, cells: Container[str], taken: Container[str]) -> str:
    """Return what a column beside is called in the joined table: another column, or a system, may have its name."""
    title = name
    if name in cells:
        title = f"{name} of {file}"
    # Not by the name of the file, whose words would be taken for those of the column.
    while title in cells or title in taken:
        title += " (beside)"
    return title


def _targets_of(keyed: _Keyed, named: NamedColumns, roles: Roles) -> list[str]:
    """Return the columns of references of a table, which may have only sources."""
    if roles.source is not None:
        return reference_columns(keyed.table, named, roles)
    return references_beside(keyed.table, named, roles, {keyed.key})


def _like_outputs(
    keyed: _Keyed, targets: Sequence[str], outputs: Sequence[Sequence[Any]], ids: Sequence[str]
) -> list[str]:
    """Return the columns of references without those that share no words with the systems, unlike others.

    InputError where that is all of them: which of the others has the references is not guessed.
    """
    table = keyed.table
    texts = {}
    for name, cells in table.columns.items():
        if name in targets or (name != keyed.key and not lack(cells)):
            texts[name] = [_one_text(cell) for cell in keyed.cells(name, ids)]
    rows = []
    for outputs_of_row in zip(*outputs, strict=True):
        rows.append([text for text in outputs_of_row if isinstance(text, str) and text])
    strangers = {name for name in unrelated(texts, rows) if clear_role(name) != "reference"}
    kept = [name for name in targets if name not in strangers]
    like = [name for name in texts if name not in strangers and name not in targets]
    if targets and not kept and like:
        ways = " or ".join(argument_set("reference_columns", name) for name in like[:3])
        raise InputError(
            f"{table.name}: the column {targets[0]!r}, whose name says that it has references, "
            f"{Lack.UNLIKE_SYSTEMS.in_words}, unlike {listing(like)}: name the references, {ways}, or "
            f"{argument_set('reference_columns', targets[0])}."
        )
    if not kept:
        return list(targets)
    warn_unlike_references(table, [name for name in targets if name in strangers], kept)
    return kept


def _one_text(cell: Any) -> str:
    """Return the text of a cell, or those of a list of them, as one."""
    if isinstance(cell, list):
        return " ".join(map(_one_text, cell))
    return cell if isinstance(cell, str) else ""


def _systems_of(keyed: _Keyed, named: NamedColumns) -> dict[str, str]:
    """Return the columns of a table that are systems, each with the reason; "" for those that the user names."""
    table = keyed.table
    named_here = [name for name in named.systems if name in table.columns]
    if named_here and isinstance(table, PivotedTable):
        return dict.fromkeys(named_here, f"{table.names!r} names it")
    if named_here:
        return dict.fromkeys(named_here, "")
    roles = guess_roles(without_scores(table, named.scores))
    systems = roles.systems
    if not systems and len(roles.references) == 1:
        # References are in another file: what is called as they are, such as "caption", is an output.
        systems = roles.references
    return {name: roles.reasons.get(name, "") for name in systems}


class _SystemsOfTable(NamedTuple):
    """A table of systems, and what the joined table calls each of them."""

    keyed: _Keyed
    #: By their columns.
    names: dict[str, str]
    #: By these names, why their columns are systems; without those that the user names.
    reasons: dict[str, str]


def _all_systems(
    tables: Mapping[str, Table], keyed_systems: Sequence[_Keyed], named: NamedColumns, called: Container[str]
) -> list[_SystemsOfTable]:
    """Return the systems of each table, called as their file where several have some, or the user calls it."""
    all_systems = []
    for file, keyed in zip(tables, keyed_systems, strict=True):
        with_file = ""
        if len(tables) > 1 or file in called:
            with_file = file
        reason_of = _systems_of(keyed, named)
        names = _names_of_systems(keyed, with_file, list(reason_of))
        reasons = {}
        for column, reason in reason_of.items():
            if reason and names[column] != column:
                reason = f"in its file {reason}"
            if reason:
                reasons[names[column]] = reason
        all_systems.append(_SystemsOfTable(keyed, names, reasons))
    _check_names_differ(all_systems)
    return all_systems


def _names_of_systems(keyed: _Keyed, file: str, columns_of_systems: Sequence[str]) -> dict[str, str]:
    """Return what the joined table calls each system of a table, by its column: as the file, where that is given."""
    if not columns_of_systems:
        raise InputError(
            f"{keyed.table.name}: no column was recognized as predictions of a system (choose with "
            f"{argument('systems')}); there are {', '.join(map(shorten, keyed.table.columns))}."
        )
    names = {}
    for column in columns_of_systems:
        names[column] = file or column
        if file and len(columns_of_systems) > 1:
            names[column] = f"{file} {column}"
    return names


def _check_no_key(all_systems: Sequence[_SystemsOfTable], first: _Keyed) -> None:
    """Raise an InputError for a system that is called as the column of ids."""
    for systems in all_systems:
        if first.key in systems.names.values():
            raise InputError(
                f"A system would be called {shorten(first.key)}, as the column of ids of {first.table.name}: give "
                f"{systems.keyed.table.name} another name, as in NAME=PATH."
            )


def _check_names_differ(all_systems: Sequence[_SystemsOfTable]) -> None:
    """Raise an InputError for two systems of one name: of files `a` and `a b`, whose columns are `b c` and `c`."""
    table_of: dict[str, str] = {}
    for systems in all_systems:
        table = systems.keyed.table
        for name in systems.names.values():
            if name in table_of:
                raise InputError(
                    f"Two systems would be called {shorten(name)}, of {table_of[name]} and of {table.name}: "
                    "give one of the files another name, as in NAME=PATH."
                )
            table_of[name] = table.name


class _ColumnsOfSystems(NamedTuple):
    """The columns of tables of systems, as the joined table has them."""

    #: Texts, by the names of systems there, and then numbers.
    cells: dict[str, list[Any]]
    #: By system, the name of its table.
    side_of: dict[str, str]
    endings: list[EndingColumn]
    #: Why they are systems, of those that the user does not name.
    reasons: dict[str, str]


def _columns_of_systems(
    all_systems: Sequence[_SystemsOfTable], beside: Sequence[_Keyed], ids: Sequence[str], named: NamedColumns
) -> _ColumnsOfSystems:
    """Return a column for each system, one for each of its scores, and how its answers ended."""
    cells: dict[str, list[Any]] = {}
    side_of: dict[str, str] = {}
    endings: list[EndingColumn] = []
    reasons: dict[str, str] = {}
    all_numbers: list[_NumbersOfSystem] = []
    may_lack = {score for score in named.scores if any(_has_scores(keyed.table, score) for keyed in beside)}
    for systems in all_systems:
        cells |= _texts_of(systems, ids)
        side_of |= dict.fromkeys(systems.names.values(), systems.keyed.table.name)
        all_numbers += _numbers_of(systems, ids, named.scores, may_lack)
        endings += _endings_of(systems, ids, named.scores)
        reasons |= systems.reasons
    taken = set(side_of)
    for system, score, numbers in all_numbers:
        column = column_of_system(side_of[system], system, score, taken)
        cells[column] = numbers
        taken.add(column)
    return _ColumnsOfSystems(cells, side_of, endings, reasons)


def _has_scores(table: Table, score: str) -> bool:
    """Return whether a column of a table seems to hold scores of this name."""
    return len(without_scores(table, [score]).columns) < len(table.columns)


def _texts_of(systems: _SystemsOfTable, ids: Sequence[str]) -> dict[str, list[Any]]:
    """Return the texts of each system of a table."""
    keyed = systems.keyed
    texts: dict[str, list[Any]] = {}
    for column, system in systems.names.items():
        # Errors of the joined table would name the file of the references.
        predictions_in(keyed.table, column)
        texts[system] = keyed.first_cells(column, ids, absent="")
    return texts


class _NumbersOfSystem(NamedTuple):
    """The numbers of a system, called as in the joined table, in a score."""

    system: str
    score: str
    numbers: list[float | None]


def _numbers_of(
    systems: _SystemsOfTable, ids: Sequence[str], scores: Sequence[str], may_lack: Container[str]
) -> list[_NumbersOfSystem]:
    """Return the numbers of the systems of a table; scores that tables beside it have may be lacking."""
    keyed = systems.keyed
    names = systems.names
    all_numbers = []
    for score in scores:
        # Read here, as they are written here: and so errors name this file, too.
        read_scores = scores_by_system
        if score in may_lack:
            read_scores = known_scores
        for column, numbers in read_scores(keyed.table, list(names), score).items():
            all_numbers.append(_NumbersOfSystem(names[column], score, keyed.first_numbers(numbers, ids)))
    return all_numbers


def _endings_of(systems: _SystemsOfTable, ids: Sequence[str], scores: Sequence[str]) -> list[EndingColumn]:
    """Return how the answers of the systems of a table ended."""
    keyed = systems.keyed
    names = systems.names
    endings = []
    for ending in ending_columns(keyed.table, list(names), scores):
        endings.append(ending._replace(system=names[ending.system], cells=keyed.first_cells(ending.column, ids)))
    return endings


def _own_columns_by_system(
    all_systems: Sequence[_SystemsOfTable], ids: Sequence[str], named: NamedColumns, taken: Container[str]
) -> dict[str, dict[str, list[Any]]]:
    """Return the columns that are neither ids, nor texts, nor scores; with their table, where a name is taken."""
    own_columns: dict[str, dict[str, list[Any]]] = {}
    for systems in all_systems:
        keyed = systems.keyed
        names = systems.names
        without = without_scores(keyed.table, named.scores)
        for column in without.columns:
            if column == keyed.key or column in names:
                continue
            title = column
            if column in taken:
                title = f"{column} of {keyed.table.name}"
            own_columns.setdefault(title, {})
            for name in names.values():
                own_columns[title][name] = keyed.first_cells(column, ids)
    return own_columns
