"""Tables with numbers of what a run wrote, as a judge gives them: joined with that run, or among them, by ids."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tercet.errors import InputError, argument, argument_set, shorten, warn
from tercet.files.columns.contents import lack
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import clear_role
from tercet.files.columns.roles import guess_roles
from tercet.files.columns.scores import scored_systems, scores_by_system, without_scores
from tercet.files.columns.vocabulary import ITEM
from tercet.files.join import rows_of_ids
from tercet.files.table import Log, Memory, Table

from .named_columns import NamedColumns, column_called, column_of_system, listing

_OTHERWISE = "Or give each file a name of its own."


def has_scores_alone(table: Table, named: NamedColumns, *, remarks: bool) -> bool:
    """Return whether a table has the scores that are named, and ids, of one run whose texts it has not.

    With `remarks`, a column of texts whose name says nothing is what the judge remarks, and not what a system wrote.
    """
    if isinstance(table, Log | Memory) or not named.scores or named.systems or named.references:
        return False
    key = column_called(table, ITEM)
    # Rows of several runs have the same ids.
    if key is None or len(set(map(str, table.columns[key]))) < len(table.lines):
        return False
    for name in named.scores:
        is_there = name in table.columns and not scored_systems(table, name)
        if not is_there or any(isinstance(cell, dict) for cell in table.columns[name]):
            return False
    roles = guess_roles(without_scores(table, named.scores))
    if roles.references or any(clear_role(name) == "system" for name in roles.systems):
        return False
    return not roles.systems or (remarks and len(roles.systems) == 1)


def join_scores(tables: Mapping[str, Table], named: NamedColumns) -> tuple[Table, NamedColumns]:
    """Return one table with the scores of each run, by the names of runs, and the columns of it.

    Items are those of the first table; a run has no number of what its own lacks.
    """
    by_ids = {name: _ByIDs.of(table) for name, table in tables.items()}
    first = next(iter(by_ids.values()))
    ids = list(first.rows)
    cells = {name: column for name, column in first.table.columns.items() if name not in named.scores}
    taken = {*tables, *cells}
    for system, run in by_ids.items():
        run.check_ids(ids, first.table.name)
        for score in named.scores:
            column = column_of_system(run.table.name, system, score, taken)
            cells[column] = run.numbers(score, ids)
            taken.add(column)
    joined = Table(first.table.name, cells, first.table.lines, **first.table.of_file())
    return joined, replace(named, systems=list(tables))


def table_with_scores(table: Table, scores: Table, named: NamedColumns) -> Table:
    """Return a table of one run with its scores, which another table has by the ids of items."""
    key = column_called(table, ITEM)
    if key is None or isinstance(table, Memory):
        raise InputError(
            f"{_given_with(scores, table)}; {table.name} has no column of ids, by which they could be joined."
        )
    return replace(table, columns={**table.columns, **_numbers_of_run(table, key, table.columns, scores, named)})


def log_with_scores(log: Log, scores: Table, named: NamedColumns) -> Log:
    """Return a log of one run with its scores, which a table has by the ids of samples."""
    systems = named.systems or log.roles.systems
    if len(systems) > 1:
        raise InputError(
            f"{log.name} has {len(systems)} systems ({listing(systems)}), and {scores.name} has scores of one: "
            f"choose it, {argument_set('systems', systems[0])}."
        )
    numbers = dict(log.numbers)
    cells_by_score = _numbers_of_run(log, log.key[0], log.numbers, scores, named)
    for name, cells in cells_by_score.items():
        of_run = [np.nan if cell is None else cell for cell in cells]
        numbers[name] = dict.fromkeys(systems, of_run)
    return replace(log, numbers=numbers, scores=(*log.scores, *cells_by_score))


def _numbers_of_run(
    table: Table, key: str, own_scores: Container[str], scores: Table, named: NamedColumns
) -> dict[str, list[float | None]]:
    """Return the scores of a run's rows that are asked for, by name; `own_scores` are those that it has itself."""
    given_with = _given_with(scores, table)
    ids_of_scores = column_called(scores, ITEM)
    if isinstance(scores, Log | Memory) or (ids_of_scores is None and key not in scores.columns):
        raise InputError(f"{given_with}; expected a table with ids and numbers. {_OTHERWISE}")
    if not named.scores:
        examples = []
        for name, cells in scores.columns.items():
            if _holds_numbers(cells) and name not in (key, ids_of_scores):
                examples.append(argument_set("scores", name))
        ways = " or ".join(examples[:3]) or argument("scores")
        raise InputError(f"{given_with}: choose them, {ways}. {_OTHERWISE}")
    names = [name for name in named.scores if name in scores.columns]
    if not names:
        raise InputError(
            f"{given_with}; it has no column {' or '.join(map(shorten, named.scores))}, but "
            f"{', '.join(map(shorten, scores.columns))}."
        )
    for name in names:
        if name in own_scores:
            raise InputError(f"{table.name} and {scores.name} both have scores {shorten(name)}; rename those of one.")
    ids = [str(cell) for cell in table.columns[key]]
    by_ids = _ByIDs.of(scores, key)
    by_ids.check_ids(ids, table.name)
    return {name: by_ids.numbers(name, ids) for name in names}


def _given_with(scores: Table, table: Table) -> str:
    return f"{scores.name} is given with the name of {table.name}, as scores of it"


def _holds_numbers(cells: Sequence[Any]) -> bool:
    """Return whether all cells of a column that are there are numbers, perhaps as they are written in a CSV."""
    values = [cell for cell in cells if cell is not None]
    are_numbers = all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in values)
    return are_numbers or lack(values) is Lack.CODES


@dataclass(frozen=True, slots=True)
class _ByIDs:
    """A table of scores, and the row of each id."""

    table: Table
    rows: Mapping[str, int]

    @classmethod
    def of(cls, table: Table, preferred: str = "") -> _ByIDs:
        """Return a table by its ids, in a column of the preferred name if it has that."""
        key = preferred if preferred in table.columns else column_called(table, ITEM)
        assert key is not None
        return cls(table, rows_of_ids(table, key, "an item"))

    def check_ids(self, ids: Sequence[str], name: str) -> None:
        """Warn of ids of another file without a row, and of rows of no such id; InputError where none is the same."""
        if self.rows.keys().isdisjoint(ids):
            raise InputError(
                f"{self.table.name} has none of the ids of {name}, such as {shorten(next(iter(ids), ''))}, but such "
                f"as {shorten(next(iter(self.rows)))}."
            )
        expected = dict.fromkeys(ids)
        lacking = [id for id in expected if id not in self.rows]
        if lacking:
            warn(
                f"{self.table.name} lacks {len(lacking):,} of the {len(expected):,} ids of {name}, the first is "
                f"{shorten(lacking[0])}: no score there."
            )
        further = [id for id in self.rows if id not in expected]
        if further:
            warn(
                f"{self.table.name}: {len(further):,} of {len(self.rows):,} ids are not in {name}, the first is "
                f"{shorten(further[0])}: not counted."
            )

    def numbers(self, score: str, ids: Sequence[str]) -> list[float | None]:
        """Return the number of each id; None where one is missing."""
        (numbers,) = scores_by_system(self.table, [self.table.name], score).values()
        number_of = {id: float(numbers[row]) for id, row in self.rows.items() if not np.isnan(numbers[row])}
        return [number_of.get(id) for id in ids]
