"""Columns of scores in tables: numbers of segments that another program computed, by system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, argument, did_you_mean, shorten
from tercet.files.json_values import field_of
from tercet.files.numbers import read_numbers

from .vocabulary import FREE_OF, HIGHER, IN_DOUBT, LOWER, NONE_OF, TAKEN, TURNED
from .words import words_of

if TYPE_CHECKING:
    from tercet.files.table import Table

#: A number less a score, such as ``1-WER``.
_LESS = re.compile(r"(?<![\w-])1\s*[-−]\s*[a-z]", re.IGNORECASE)
#: What may stand between a system and what its numbers are, as in ``base.COMET`` and ``COMET_base``.
SEPARATORS = "._:/| -"
#: Of these, what is in no word: it may stand in names of grades, which a system begins.
BETWEEN_GRADES = ".:/|"
#: A column of objects by system, which hold scores by name.
OBJECTS = "scores"


def begun_by(column: str, systems: Iterable[str], separators: str) -> tuple[str, str] | None:
    """Return the system that a column's name begins with, and the rest from the separator on; None without one."""
    # longest first: a system's name may begin with another's and a separator
    for system in sorted(systems, key=len, reverse=True):
        rest = column[len(system) :]
        if column.startswith(system) and len(rest) > 1 and rest[0] in separators:
            return system, rest
    return None


def objects_by_system(table: Table, column: str, systems: Sequence[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the row, the system and its object from a column of objects by system."""
    for row, cell in enumerate(table.columns.get(column, ())):
        if cell is None:
            continue
        if not isinstance(cell, dict) or not all(isinstance(scores, dict | None) for scores in cell.values()):
            form = "{system: {dimension: value}}"
            raise InputError(f"{table.location(row, column)}: expected {form}, got {shorten(cell)}.")
        for system, by_name in cell.items():
            if system in systems:
                yield row, system, by_name or {}


def direction_of(name: str) -> Literal["lower", "higher"] | None:
    """Return which scores of this name are better, as its words say; None where they do not, or not clearly.

    >>> direction_of("word_error_rate"), direction_of("no_errors"), direction_of("error_reduction")
    ('lower', 'higher', None)
    """
    if _LESS.search(name):
        return None
    words = words_of(name)
    of_errors = [index for index, word in enumerate(words) if word in LOWER]
    if any(_is_denied(words, index) for index in of_errors):
        return "higher"
    if of_errors and not TURNED.intersection(words):
        return "lower"
    if not of_errors and HIGHER.intersection(words) and not (IN_DOUBT | NONE_OF).intersection(words):
        return "higher"
    return None


def is_of_effort(name: str) -> bool:
    """Return whether numbers of this name are what an answer took, such as its time, cost or tokens.

    >>> is_of_effort("responseTime"), is_of_effort("accuracy")
    (True, False)
    """
    return not TAKEN.isdisjoint(words_of(name))


def _is_denied(words: Sequence[str], index: int) -> bool:
    """Return whether the words beside one say that there is none of it."""
    if index > 0 and words[index - 1] in NONE_OF:
        return True
    return words[index + 1 : index + 2] == [FREE_OF]


def is_lower_better(name: str) -> bool:
    """Return whether lower scores of this name are better, as of error rates and losses, where nobody says it."""
    return direction_of(name) == "lower"


class Directions(NamedTuple):
    """Names of scores, by which of their values are better; those of which nobody knows it are in neither."""

    lower: tuple[str, ...]
    higher: tuple[str, ...]


def directions_of(names: Iterable[str], said: Mapping[str, bool] | None = None) -> Directions:
    """Return which values of scores are better: as a file says of some (True: higher), else as their names do."""
    lower: list[str] = []
    higher: list[str] = []
    for name in names:
        direction = direction_of(name)
        if said is not None and name in said:
            direction = "lower"
            if said[name]:
                direction = "higher"
        if direction == "lower":
            lower.append(name)
        elif direction == "higher":
            higher.append(name)
    return Directions(tuple(lower), tuple(higher))


def systems_of(table: Table, name: str) -> list[str]:
    """Return the systems that a table without their texts has scores of, by the names of columns.

    InputError where these are of several forms, or where one system's name ends with another's: columns of other
    scores may look so.
    """
    objects: list[str] = []
    for column in (name, OBJECTS):
        for cell in table.columns.get(column, ()):
            if isinstance(cell, dict):
                objects += cell
    columns: dict[str, str] = {}
    forms = set()
    for column in table.columns:
        title = _title_of(column, name)
        if title is not None and title.system:
            columns[column] = title.system
            forms.add(title.form)
    systems = list(dict.fromkeys([*objects, *columns.values()]))
    ends = tuple(f"{between}{system}" for between, system in product(SEPARATORS, systems))
    if len(forms) > 1 or any(system.endswith(ends) for system in systems):
        raise InputError(
            f"{table.name}: it is not clear which systems have scores {shorten(name)}: "
            f"{', '.join(map(shorten, columns))}. Name the systems: {argument('systems')}."
        )
    return systems


def scored_systems(table: Table, name: str) -> list[str]:
    """Return the systems that columns such as ``base.COMET`` name, without those whose form is not clear."""
    try:
        return [system for system in systems_of(table, name) if system]
    except InputError:
        return []


def scores_by_system(table: Table, systems: Sequence[str], name: str) -> dict[str, NDArray[np.float64]]:
    """Return the numbers of each system that a table has under a name, NaN where one is missing.

    They are in columns such as ``base.COMET`` or ``COMET_base``; in objects by system in a column of that name, or
    named ``scores``, which hold scores by name; in objects of scores by name in the column ``base``; or, of one
    system, in the column of that name. InputError names the systems without numbers.
    """
    cells_by_system = _find_cells(table, systems, name)
    lacking = [system for system in systems if system not in cells_by_system]
    if lacking:
        column = f"{systems[0]}.{name}"
        other_form = f"{name}_{systems[0]}"
        of_systems = f" of {', '.join(map(shorten, lacking))}"
        if len(lacking) == len(systems) > 1:
            of_systems = ""
        if len(systems) == 1:
            raise InputError(
                f"{table.name} has no scores {shorten(name)}{of_systems}; expected a column {name!r}, {column!r} or "
                f"{other_form!r}. {did_you_mean(name, table.columns)}"
            )
        raise InputError(
            f"{table.name} has no scores {shorten(name)}{of_systems}; expected columns such as {column!r} or "
            f"{other_form!r}. {did_you_mean(column, table.columns)}"
        )
    return _numbers(table, cells_by_system, name)


def known_scores(table: Table, systems: Sequence[str], name: str) -> dict[str, NDArray[np.float64]]:
    """Return the numbers that :func:`scores_by_system` returns, of those systems that have some in this table."""
    return _numbers(table, _find_cells(table, systems, name), name)


def columns_of_scores(table: Table, systems: Sequence[str], name: str) -> set[str]:
    """Return the columns from which :func:`scores_by_system` takes the numbers of a name."""
    return {found.column for found in _find_cells(table, systems, name).values()}


def columns_beside(table: Table, systems: Sequence[str], name: str) -> dict[str, str]:
    """Return by system the column that says something of its rows, such as ``base.status`` of ``status``.

    Of a single system it may be called by the name alone. Systems without one, or with several, are left out.
    """
    column_of = {}
    for system in systems:
        columns = _columns_of(table, system, name)
        if len(systems) == 1 and name in table.columns:
            columns.append(name)
        if len(columns) == 1:
            column_of[system] = columns[0]
    return column_of


def without_scores(table: Table, names: Sequence[str]) -> Table:
    """Return the table without the columns that hold scores of these names, which are no texts of systems."""
    if not names:
        return table
    columns = {}
    for column, cells in table.columns.items():
        holds_scores = any(_title_of(column, name) is not None for name in names)
        if not holds_scores and column != OBJECTS:
            columns[column] = cells
    return replace(table, columns=columns)


class _Title(NamedTuple):
    """The name of a column of scores, in two: the system, "" without one, and the rest with its separator."""

    system: str
    form: str


def _title_of(column: str, name: str) -> _Title | None:
    """Return whose scores of a name a column has, judging by its own name; None of other columns."""
    if column == name:
        return _Title("", name)
    if column.startswith(name) and column[len(name)] in SEPARATORS:
        start = len(name) + 1
        return _Title(column[start:], column[:start])
    if column.endswith(name) and column[-len(name) - 1] in SEPARATORS:
        stop = -len(name) - 1
        return _Title(column[:stop], column[stop:])
    return None


def _columns_of(table: Table, system: str, name: str) -> list[str]:
    """Return the columns called by a system and a name, either of which may stand first."""
    titles = [f"{system}{between}{name}" for between in SEPARATORS]
    titles += [f"{name}{between}{system}" for between in SEPARATORS]
    return [title for title in dict.fromkeys(titles) if title in table.columns]


class _ScoreCells(NamedTuple):
    """A system's scores: in which column they stand, and what of each of its cells."""

    column: str
    cells: list[Any]


def _find_cells(table: Table, systems: Sequence[str], name: str) -> dict[str, _ScoreCells]:
    """Return the cells of the scores of systems, without those of systems that have none."""
    cells_by_system = {}
    for system in systems:
        found = _find_cells_of(table, system, name, alone=len(systems) == 1)
        if found is not None:
            cells_by_system[system] = found
    return cells_by_system


def _numbers(table: Table, cells_by_system: Mapping[str, _ScoreCells], name: str) -> dict[str, NDArray[np.float64]]:
    """Return the numbers in these cells, which are written as those of the table are."""
    meanings = [f"{shorten(name)} of {shorten(system)}" for system in cells_by_system]
    cells = [found.cells for found in cells_by_system.values()]
    notations = table.notations_of(list(zip(meanings, cells, strict=True)))
    numbers = {}
    for (system, found), meaning, notation in zip(cells_by_system.items(), meanings, notations, strict=True):
        location = partial(table.location, column=found.column)
        numbers[system] = read_numbers(found.cells, meaning, notation, location=location)
    return numbers


def _find_cells_of(table: Table, system: str, name: str, *, alone: bool) -> _ScoreCells | None:
    """Return the cells of a system's scores; None where there are none."""
    # A column of their own: "base.COMET".
    columns = _columns_of(table, system, name)
    if len(columns) > 1:
        raise InputError(
            f"{table.name} has scores {shorten(name)} of {shorten(system)} in several columns: "
            f"{', '.join(map(shorten, columns))}."
        )
    if columns:
        return _ScoreCells(columns[0], table.columns[columns[0]])

    # Objects by system in the column of the score: {"base": 0.8}.
    cells_of_score = table.columns.get(name, [])
    if _have_key(cells_of_score, system):
        for row, cell in enumerate(cells_of_score):
            if not isinstance(cell, dict | None):
                form = "{system: number}"
                raise InputError(f"{table.location(row, name)}: expected {form}, got {shorten(cell)}.")
        return _ScoreCells(name, [field_of(cell, system) for cell in cells_of_score])

    # Objects of scores by system in a column "scores": {"base": {"COMET": 0.8}}.
    objects: list[dict[str, Any] | None] = [None] * len(table.lines)
    for row, _, scores in objects_by_system(table, OBJECTS, [system]):
        objects[row] = scores
    if _have_key(objects, name):
        return _ScoreCells(OBJECTS, [field_of(scores, name) for scores in objects])

    # Objects by score in the column of the system: {"COMET": 0.8}.
    cells_of_system = table.columns.get(system, [])
    if _have_key(cells_of_system, name):
        return _ScoreCells(system, [field_of(cell, name) for cell in cells_of_system])

    # Numbers in the column of the score, which are of the only system.
    if alone and cells_of_score:
        return _ScoreCells(name, cells_of_score)
    return None


def _have_key(cells: Iterable[Any], key: str) -> bool:
    """Return whether some cells are objects with a key."""
    return any(isinstance(cell, dict) and key in cell for cell in cells)
