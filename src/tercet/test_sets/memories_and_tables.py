"""Systems in bilingual files of translators, references in tables -> a test set, joined by source texts or ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.columns.contents import lack
from tercet.files.columns.roles import guess_roles
from tercet.files.columns.vocabulary import ITEM
from tercet.files.join import is_id
from tercet.files.read import Opening, read_file
from tercet.files.table import SOURCE_TEXT, Log, Memory, Table
from tercet.files.translation.joining import JoinedMemories, join_memories, read_memory

from .input_files import InputFiles
from .named_columns import (
    NamedColumns,
    column_called,
    end_of_fields,
    listing,
    no_references_error,
    references_beside,
)
from .names_from_paths import name_of
from .pivoted_tables import cells_of_rows
from .test_set import TestSet

#: The column of ids in memories that are joined by these; it must be the code of no language.
_KEY = "key"
_ID = "id"


def memories_beside_tables(systems: Mapping[str, str], files: InputFiles, named: NamedColumns) -> TestSet:
    """Return the test set of bilingual files, by the names of their systems, and of tables with their references.

    A table with a column of sources is joined by these, and one with a column of ids alone by the ids of units.
    """
    memories = {path: read_memory(path) for path in systems.values()}
    references = files.references
    tables = [_read_references(path, files.opening) for path in references]
    sides = [_KeyedSide.of(table, named) for table in tables]
    with_ids = [side.table.name for side in sides if side.is_of_ids]
    with_sources = [side.table.name for side in sides if not side.is_of_ids]
    if with_ids and with_sources:
        raise InputError(
            f"{with_sources[0]} has sources, and {with_ids[0]} only ids; expected sources "
            f"({argument('source_column')}) in all tables of references, or in none."
        )
    first = next(iter(memories.values()))
    to_join: dict[str, Memory] = {}
    for path, side in zip(references, sides, strict=True):
        to_join[path] = side.as_memory(first.key_column, first.target_language)
    for path, memory in memories.items():
        to_join[path] = memory
        if with_ids:
            to_join[path] = _by_ids(memory, with_ids[0])
    joined = join_memories(systems, references, target=None, source=None, missing=named.missing, read=to_join)
    source: list[str] | None
    if with_ids:
        ids = joined.ids
        source = _first_cells(joined, {path: memory.columns[memory.key_column] for path, memory in memories.items()})
    else:
        ids = _unit_ids(memories, joined)
        source = joined.source
    own_columns: dict[str, list[Any]] = {}
    for path, side in zip(references, sides, strict=True):
        for name in side.left_out:
            own_columns.setdefault(name, cells_of_rows(side.table.columns[name], joined.rows[path]))
    fields = " ".join(side.in_words() for side in sides)
    return TestSet(
        name_of(references[0]),
        joined.systems,
        joined.references,
        source,
        fields=fields,
        ids=ids,
        own_columns=own_columns,
        lost=joined.lost.by_system,
        n_all=joined.lost.n_all,
    )


def _unit_ids(memories: Mapping[str, Memory], joined: JoinedMemories) -> list[str] | None:
    """Return the id of each segment's unit, in the first file of translators that has it; None where none has ids."""
    with_ids = {path: memory.labels[_ID] for path, memory in memories.items() if _ID in memory.labels}
    if not with_ids:
        return None
    unit_ids = _first_cells(joined, with_ids)
    return unit_ids if any(unit_ids) else None


def _first_cells(joined: JoinedMemories, cells_of: Mapping[str, Sequence[str | None]]) -> list[str]:
    """Return what the first file that has it says of each segment, given a column of each; "" where none does."""
    columns = [cells_of_rows(cells, joined.rows[path]) for path, cells in cells_of.items()]
    return [next(filter(None, cells), "") for cells in zip(*columns, strict=True)]


def _read_references(path: str, opening: Opening) -> Table:
    table = read_file(path, opening)
    if isinstance(table, Log | Memory):
        raise InputError(f"{path!r} is no table of references; expected columns with these and with sources or ids.")
    return table


@dataclass(frozen=True, slots=True)
class _KeyedSide:
    """A table, the column by which it is joined, and those of references."""

    table: Table
    key: str
    is_of_ids: bool
    references: Sequence[str]

    @classmethod
    def of(cls, table: Table, named: NamedColumns) -> _KeyedSide:
        roles = guess_roles(table)
        for name in filter(None, [*named.references, named.source]):
            table.column(name)
        ids = column_called(table, ITEM)
        texts = [name for name, cells in table.columns.items() if name != ids and not lack(cells)]
        source = named.source or roles.source
        if named.source is None and (source in named.references or (texts == [source] and ids is not None)):
            # A table of ids and texts has no other texts to choose from.
            source = None
        key = source or ids
        if key is None:
            raise InputError(
                f"{table.name}: no column was recognized as sources (choose with {argument('source_column')}) or as "
                f"ids, to join it with units by; there are {', '.join(map(shorten, table.columns))}."
            )
        references = references_beside(table, named, roles, {key, ids})
        if not references:
            raise no_references_error(table)
        return cls(table, key, source is None, references)

    def as_memory(self, source: str, target: str) -> Memory:
        """Return the table as a file of these languages, or of ids and the target language."""
        language = source
        joined_by = SOURCE_TEXT
        if self.is_of_ids:
            language = _KEY
            joined_by = _ID
        cells = {language: [self._text(row, self.key) for row in range(len(self.table.lines))]}
        for number, name in enumerate(self.references):
            # Further ones stand behind the language, as authors do.
            column = target if number == 0 else f"{target} ({name})"
            cells[column] = [self._text(row, name) or None for row in range(len(self.table.lines))]
        kept = self.table.of_file()
        return Memory(self.table.name, cells, self.table.lines, key_column=language, joined_by=joined_by, **kept)

    def _text(self, row: int, column: str) -> str | None:
        """Return the text of a cell; ids may be numbers."""
        cell: Any = self.table.columns[column][row]
        if isinstance(cell, str | None):
            return cell
        if column == self.key and self.is_of_ids and is_id(cell):
            return str(cell)
        raise InputError(f"{self.table.location(row, column)}: expected a text, got {shorten(cell)}.")

    @property
    def left_out(self) -> list[str]:
        """The table's own columns, which are neither joined by nor references."""
        return [name for name in self.table.columns if name != self.key and name not in self.references]

    def in_words(self) -> str:
        """Return which columns are what."""
        joined_by = "ids of units" if self.is_of_ids else "sources"
        return (
            f"{self.table.name}: references: {listing(self.references)}; {joined_by}: {self.key!r}"
            f"{end_of_fields({}, self.left_out)}"
        )


def _by_ids(memory: Memory, reference: str) -> Memory:
    """Return a bilingual file whose units are joined by their ids."""
    ids = memory.labels.get(_ID)
    if ids is None:
        raise InputError(
            f"{memory.name} has no ids of units, and {reference} no sources, by which they could be joined; name its "
            f"column of sources ({argument('source_column')})."
        )
    translations = memory.columns[memory.target_language]
    n_without = sum(not id for id in ids)
    if n_without:
        warn(f"{memory.name}: {n_without:,} of {len(ids):,} units have no id: not scored.")
    return replace(
        memory,
        columns={_KEY: [id or None for id in ids], memory.target_language: translations},
        key_column=_KEY,
        joined_by=_ID,
    )
