"""Columns of scores in tables: numbers of segments that another program computed, by system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, argument, did_you_mean, shorten

from .numbers import read_numbers
from .table import Table
from .vocabulary import FREE_OF, HIGHER, IN_DOUBT, LOWER, NONE_OF, TAKEN, TURNED

#: A number less a score, such as ``1-WER``.
_LESS = re.compile(r"(?<![\w-])1\s*[-−]\s*[a-z]", re.IGNORECASE)
#: What may stand between a system and what its numbers are, as in ``base.COMET`` and ``COMET_base``; in names of
#: grades, which a system begins, those that are in no word.
SEPARATORS, BETWEEN_GRADES = "._:/| -", ".:/|"
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
            place, form = table.place(row, column), "{system: {dimension: value}}"
            raise InputError(f"{place}: expected {form}, got {shorten(cell)}.")
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
    words = _words(name)
    of_errors = [place for place, word in enumerate(words) if word in LOWER]
    if of_errors:
        if any(_is_denied(words, place) for place in of_errors):
            return "higher"
        return None if TURNED.intersection(words) else "lower"
    if not HIGHER.intersection(words) or IN_DOUBT.intersection(words):
        return None
    return "higher"


def _words(name: str) -> list[str]:
    return re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold())


def is_of_effort(name: str) -> bool:
    """Return whether numbers of this name are what an answer took, such as its time, cost or tokens.

    >>> is_of_effort("responseTime"), is_of_effort("accuracy")
    (True, False)
    """
    return not TAKEN.isdisjoint(_words(name))


def _is_denied(words: Sequence[str], place: int) -> bool:
    """Return whether the words beside one say that there is none of it."""
    before = words[place - 1] if place else ""
    behind = words[place + 1] if place + 1 < len(words) else ""
    return before in NONE_OF or behind == FREE_OF


def is_lower_better(name: str) -> bool:
    """Return whether lower scores of this name are better, as of error rates and losses, where nobody says it."""
    return direction_of(name) == "lower"


class Directions(NamedTuple):
    """Names of scores, by which of their values are better; those of which nobody knows it are in neither."""

    lower: tuple[str, ...]
    higher: tuple[str, ...]


def directions_of(names: Iterable[str], said: Mapping[str, bool] | None = None) -> Directions:
    """Return which values of scores are better: as a file says of some (True: higher), else as their names do."""
    said = said or {}
    found: dict[str, list[str]] = {"lower": [], "higher": []}
    for name in names:
        direction: str | None = direction_of(name)
        if name in said:
            direction = "higher" if said[name] else "lower"
        if direction is not None:
            found[direction].append(name)
    return Directions(tuple(found["lower"]), tuple(found["higher"]))


def systems_of(table: Table, name: str) -> list[str]:
    """Return the systems that a table without their texts has scores of, by the names of columns.

    InputError where these are of several forms, or where one system's name ends with another's: columns of other
    scores may look so.
    """
    objects = [
        system
        for column in (name, OBJECTS)
        for cell in table.columns.get(column, ())
        if isinstance(cell, dict)
        for system in cell
    ]
    columns = {column: rest for column in table.columns if (rest := _rest(column, name))}
    forms = {column.replace(rest, "", 1) for column, rest in columns.items()}
    systems = list(dict.fromkeys([*objects, *columns.values()]))
    ends = tuple(f"{between}{system}" for between in SEPARATORS for system in systems)
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


def score_columns(table: Table, systems: Sequence[str], name: str) -> dict[str, NDArray[np.float64]]:
    """Return the numbers of each system that a table has under a name, NaN where one is missing.

    They are in columns such as ``base.COMET`` or ``COMET_base``; in objects by system in a column of that name, or
    named ``scores``, which hold scores by name; in objects of scores by name in the column ``base``; or, of one
    system, in the column of that name. InputError names the systems without numbers.
    """
    cells = {system: _cells(table, system, name, alone=len(systems) == 1) for system in systems}
    lacking = [shorten(system) for system, (_, column_cells) in cells.items() if column_cells is None]
    if lacking:
        expected = " or ".join(repr(form) for form in (f"{systems[0]}.{name}", f"{name}_{systems[0]}"))
        hint = did_you_mean(f"{systems[0]}.{name}", table.columns)
        of_systems = "" if len(lacking) == len(systems) > 1 else f" of {', '.join(lacking)}"
        raise InputError(
            f"{table.name} has no scores {shorten(name)}{of_systems}; expected columns such as {expected}. {hint}"
        )
    of_all = [cell for _, column_cells in cells.values() for cell in column_cells or []]
    numbers = {}
    for system, (column, column_cells) in cells.items():
        meaning = f"{shorten(name)} of {shorten(system)}"
        known_cells = column_cells or []
        notation = table.notation_of(known_cells, meaning, beside=of_all)
        numbers[system] = read_numbers(known_cells, meaning, notation, place=partial(table.place, column=column))
    return numbers


def columns_of_scores(table: Table, systems: Sequence[str], name: str) -> set[str]:
    """Return the columns from which :func:`score_columns` takes the numbers of a name."""
    return {_cells(table, system, name, alone=len(systems) == 1)[0] for system in systems}


def columns_beside(table: Table, systems: Sequence[str], name: str) -> dict[str, str]:
    """Return by system the column that says something of its rows, such as ``base.status`` of ``status``.

    Of a single system it may be called by the name alone. Systems without one, or with several, are left out.
    """
    found = {}
    for system in systems:
        columns = [column for column in dict.fromkeys(_names(system, name)) if column in table.columns]
        if len(systems) == 1 and name in table.columns:
            columns.append(name)
        if len(columns) == 1:
            found[system] = columns[0]
    return found


def without_scores(table: Table, names: Sequence[str]) -> Table:
    """Return the table without the columns that hold scores of these names, which are no texts of systems."""
    if not names:
        return table
    numbers = {column for name in names for column in table.columns if _rest(column, name) is not None} | {OBJECTS}
    return replace(table, columns={name: cells for name, cells in table.columns.items() if name not in numbers})


def _rest(column: str, name: str) -> str | None:
    """Return the system whose scores of a name a column has, judging by its name: "" if none; None for others."""
    if column == name:
        return ""
    if column.startswith(name) and column[len(name)] in SEPARATORS:
        return column[len(name) + 1 :]
    if column.endswith(name) and column[-len(name) - 1] in SEPARATORS:
        return column[: -len(name) - 1]
    return None


def _names(system: str, name: str) -> list[str]:
    return [f"{first}{between}{last}" for first, last in ((system, name), (name, system)) for between in SEPARATORS]


def _cells(table: Table, system: str, name: str, *, alone: bool) -> tuple[str, list[Any] | None]:
    """Return the column and the cells of a system's scores; None where there are none."""
    columns = [column for column in dict.fromkeys(_names(system, name)) if column in table.columns]
    if len(columns) > 1:
        raise InputError(
            f"{table.name} has scores {shorten(name)} of {shorten(system)} in several columns: "
            f"{', '.join(map(shorten, columns))}."
        )
    if columns:
        return columns[0], table.columns[columns[0]]
    by_system = table.columns.get(name, [])
    if any(isinstance(cell, dict) and system in cell for cell in by_system):
        for row, cell in enumerate(by_system):
            if not isinstance(cell, dict | None):
                form = "{system: number}"
                raise InputError(f"{table.place(row, name)}: expected {form}, got {shorten(cell)}.")
        return name, [None if cell is None else cell.get(system) for cell in by_system]
    objects = {row: by_name for row, owner, by_name in objects_by_system(table, OBJECTS, [system]) if owner == system}
    if any(name in by_name for by_name in objects.values()):
        return OBJECTS, [objects.get(row, {}).get(name) for row in range(len(table.lines))]
    by_name = table.columns.get(system, [])
    if any(isinstance(cell, dict) and name in cell for cell in by_name):
        return system, [cell.get(name) if isinstance(cell, dict) else None for cell in by_name]
    return name, by_system if alone and by_system else None
