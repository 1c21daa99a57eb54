"""Columns of scores in tables: numbers of segments that another program computed, by system."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, argument, did_you_mean, shorten

from .table import Table

#: The squares of larger numbers, of which variances are made, may be more than a float holds.
LARGEST = 1e100
#: A text whose comma may stand before decimals or between thousands.
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
#: How programs write a missing cell.
WRITTEN_AS_MISSING = ("nan", "NaN", "None", "NULL", "null", "<NA>")
#: Spellings of a missing number.
_MISSING = frozenset({"", "-", "na", "n/a", *map(str.casefold, WRITTEN_AS_MISSING)})
#: Words in the names of scores of which lower ones are better; with the others they are of right answers or the like.
_LOWER = frozenset(
    {"wer", "cer", "mer", "ter", "hter", "tter", "error", "errors", "mse", "rmse", "mae", "distance", "brier"}
    | {"loss", "nll", "ppl", "perplexity", "bpb", "bits", "surprisal", "err"}
    | {"toxicity", "hallucination", "hallucinations", "latency", "cost"}
)
_NOT_LOWER = frozenset({"acc", "accuracy", "no", "non", "not", "without", "free"})
#: Answers that are right or wrong, as Python and JSON write them.
_ANSWERS = {"true": 1.0, "false": 0.0}
#: What may stand between a system and what its numbers are, as in ``base.COMET`` and ``COMET_base``; in names of
#: grades, which a system begins, those that are in no word.
SEPARATORS, BETWEEN_GRADES = "._:/| -", ".:/|"
#: A column of objects by system, which hold scores by name.
OBJECTS = "scores"


def has_decimal_commas(cells: Iterable[Any]) -> bool:
    """Return whether the comma of some cell can only stand before decimals, as in ``"0,75"``."""
    texts = (cell.strip() for cell in cells if isinstance(cell, str) and cell.count(",") == 1 and "." not in cell)
    return any(re.fullmatch(r"[+-]?\d+,\d+", text) and not _AMBIGUOUS.fullmatch(text) for text in texts)


def read_number(value: Any, meaning: str, *, decimal_commas: bool = False) -> float:
    """Return a grade or score as a number, also from text such as ``"4,5"``; NaN if it is missing.

    A comma before three digits, as in ``"1,234"``, is refused, unless other cells show that commas stand before
    decimals.
    """
    text = value.strip() if isinstance(value, str) else ""
    # pandas.NA, without importing pandas
    is_missing = value is None or type(value).__name__ == "NAType"
    if is_missing or (isinstance(value, str) and text.casefold() in _MISSING):
        return math.nan
    if _AMBIGUOUS.fullmatch(text) and not decimal_commas:
        whole, decimals = text.split(",")
        raise InputError(
            f"Expected a number as {meaning}, got {shorten(value)}, which may be {whole}.{decimals} or "
            f"{whole}{decimals}: write it without a comma."
        )
    number = None
    if text:
        with suppress(ValueError):
            number = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    elif isinstance(value, int | float | Decimal | np.integer | np.floating) and not isinstance(value, bool):
        number = float(value)
    if number is None:
        raise InputError(f"Expected a number as {meaning}, got {shorten(value)}.")
    if math.isinf(number):
        raise InputError(f"Expected a finite number as {meaning}, got {shorten(value)}.")
    if abs(number) > LARGEST:
        raise InputError(f"Expected a number of at most {LARGEST:g} as {meaning}, got {shorten(value)}.")
    return number


def read_score(value: Any, meaning: str, *, decimal_commas: bool = False) -> float:
    """Return a score as a number, 1 for True; else as :func:`read_number`."""
    answer = _ANSWERS.get(str(value).strip().lower()) if isinstance(value, bool | np.bool_ | str) else None
    return read_number(value, meaning, decimal_commas=decimal_commas) if answer is None else answer


def read_numbers(
    cells: Sequence[Any],
    meaning: str,
    *,
    decimal_commas: bool = False,
    place: Callable[[int], str] | None = None,
) -> NDArray[np.float64]:
    """Return the numbers of segments, 1 for True and NaN where one is missing.

    Errors name what they mean, and begin with the place of the cell in its file.
    """
    decimal_commas = decimal_commas or has_decimal_commas(cells)
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = read_score(cell, f"{meaning} in segment {row + 1:,}", decimal_commas=decimal_commas)
        except InputError as error:
            message = str(error)
            raise InputError(f"{place(row)}: {message[:1].lower()}{message[1:]}" if place else message) from None
    return numbers


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


def is_lower_better(name: str) -> bool:
    """Return whether lower scores of this name are better, as of error rates and losses, where nobody says it."""
    words = {*re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold())}
    return bool(words & _LOWER) and not words & _NOT_LOWER


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
    decimal_commas = any(has_decimal_commas(column_cells or ()) for _, column_cells in cells.values())
    return {
        system: read_numbers(
            column_cells or (),
            f"{shorten(name)} of {shorten(system)}",
            decimal_commas=decimal_commas,
            place=partial(table.place, column=column),
        )
        for system, (column, column_cells) in cells.items()
    }


def columns_of_scores(table: Table, systems: Sequence[str], name: str) -> set[str]:
    """Return the columns from which :func:`score_columns` takes the numbers of a name."""
    return {_cells(table, system, name, alone=len(systems) == 1)[0] for system in systems}


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
