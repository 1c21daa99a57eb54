"""Columns of human grades in tables, by names such as ``grade``, ``human_score``, ``rating_1`` and ``human_base``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from tercet.errors import InputError, argument, on_command_line
from tercet.markup import MOST_NAMED, joined

from .numbers import is_missing, is_number
from .score_columns import SEPARATORS
from .table import Table
from .vocabulary import GRADES, NEITHER, PERHAPS, RATERS, words_in

#: A rater within a name, as in ``annotator_1`` and ``fluency_rater_b``.
_RATER = re.compile(
    # A letter stands apart, or is a capital one: "annotators" is how many there were.
    r"(?<![a-z])(?:annotator|rater|evaluator|expert|judge)(?:[\W_]*\d+|(?:[\W_]+[a-z]|(?-i:[A-RT-Z]))(?![a-z0-9]))",
    re.IGNORECASE,
)
#: A number or a letter at its end, as in ``rating_1`` and ``grade B``.
_NUMBERED = re.compile(r"(.*?[^\W\d_])[\W_]*(\d+)|(.+?)[\W_]+([A-Za-z])")
#: What reads grades, by the option that says how.
_FUNCTIONS = {"dimension": "tercet.correlate", "systems": "read_graded"}
#: The most calls that an error shows.
_MOST_CALLS = 3
_BETWEEN = f"[{re.escape(SEPARATORS)}]+"


class GradeColumn(NamedTuple):
    """A column that holds grades."""

    column: str
    dimension: str
    #: "" where the name has none.
    rater: str
    #: "" where the rows are of one system each.
    system: str
    #: The name without the system.
    rest: str


def grade_columns(
    table: Table, systems: Sequence[str], columns: Iterable[str], *, asked: Sequence[str] = ()
) -> list[GradeColumn]:
    """Return which of some columns hold grades of systems: those that are asked for, or else by their names.

    Where there are several `systems`, the names of columns must name them too, as in ``human_base``; without any,
    each row is of one. A name such as ``score`` may also be that of a metric's scores: it is taken where no other
    column can be of grades. InputError where there are several of such names.
    """
    found = [_grade_column(column, systems) for column in columns if _may_be_grades(table.columns[column])]
    grades = [grade for grade in found if grade is not None]
    asked_for = [grade for grade in grades if {grade.column, grade.dimension} & {*asked}]
    if asked_for:
        return asked_for
    sure = [grade for grade in grades if _kind(grade.rest) == "grades"]
    if sure:
        return sure
    perhaps = [grade for grade in grades if _kind(grade.rest) == "perhaps"]
    dimensions = list(dict.fromkeys(grade.dimension for grade in perhaps))
    if len(dimensions) > 1:
        raise InputError(
            f"{table.name}: it is not clear which of {joined(list(map(repr, dimensions)), MOST_NAMED)} are human "
            f"grades, and which a metric's scores. {_calls(table.name, 'dimension', dimensions)}."
        )
    return perhaps


def possible_grades(table: Table, columns: Iterable[str]) -> list[str]:
    """Return the columns of numbers that may be grades under a name that does not say so."""
    return [column for column in columns if not words_in(column) & NEITHER and _may_be_grades(table.columns[column])]


def check_systems_of_grades(table: Table, systems: Sequence[str], columns: Iterable[str]) -> None:
    """Raise an InputError for a column of grades that does not say which of several systems it is of."""
    unclear = [
        column
        for column in columns
        if len(systems) > 1
        and _kind(column) == "grades"
        and _may_be_grades(table.columns[column])
        and _grade_column(column, systems) is None
    ]
    if not unclear:
        return
    graded, with_texts = (joined(list(map(repr, names)), MOST_NAMED) for names in (unclear, systems))
    forms = " and ".join(f"'{unclear[0]}_{system}'" for system in systems[:2])
    raise InputError(
        f"{table.name}: it is not clear which of the systems {with_texts} the grades in {graded} are of. "
        f"{_calls(table.name, 'systems', systems)}; or, to compare systems, name the columns such as {forms}."
    )


def _calls(path: str, option: str, values: Sequence[str]) -> str:
    """Return the calls that read a table in one way or in another."""
    calls = [
        f"tercet correlate {shlex.quote(path)} {argument(option)} {shlex.quote(value)}"
        if on_command_line()
        else f"{_FUNCTIONS[option]}({path!r}, {option}={value!r})"
        for value in values[:_MOST_CALLS]
    ]
    return f"Give {' or '.join(calls)}"


def _grade_column(column: str, systems: Sequence[str]) -> GradeColumn | None:
    """Return what a column's name says, if it is one of grades; None where it names none of several systems."""
    if len(systems) > 1:
        begun = _system_in(column, systems)
        if begun is None:
            return None
        system, rest = begun
    else:
        # The name of a single system may stand there, or not.
        system, rest = _system_in(column, systems) or ("".join(systems), column)
    dimension, rater = _dimension_and_rater(rest)
    return GradeColumn(column, dimension, rater, system, rest)


def _system_in(column: str, systems: Sequence[str]) -> tuple[str, str] | None:
    """Return the system that a name has, at its beginning, end or between, and the rest; None without one."""
    # Longest first: a system's name may begin with another's.
    for alias, system in sorted(_aliases(systems).items(), key=lambda pair: -len(pair[0])):
        name = re.escape(alias)
        # Nothing need stand between "grade" and "1".
        between = _BETWEEN.replace("+", "*") if alias.isdecimal() else _BETWEEN
        at_the_end = rf"(?P<rest>.*[^\W\d_]){between}{name}(?P<rater>{_BETWEEN}.+)?"
        for pattern in (rf"{name}{_BETWEEN}(?P<rest>.+)", at_the_end):
            match = re.fullmatch(pattern, column, re.IGNORECASE)
            if match is not None:
                return system, match["rest"] + (match.groupdict().get("rater") or "")
    return None


def _aliases(systems: Sequence[str]) -> dict[str, str]:
    """Return the systems by their names, and by what tells them apart: "a" and "b" of "output_a" and "output_b"."""
    aliases = {system: system for system in systems}
    if len(systems) < 2:
        return aliases
    # Words and numbers, so that none is cut: "base" and "basic" share none.
    parts = [re.findall(r"\d+|[^\W\d_]+|[\W_]+", system) for system in systems]
    n_first = _n_shared(parts)
    parts = [words[n_first:] for words in parts]
    n_last = _n_shared([words[::-1] for words in parts])
    names = ["".join(words[: len(words) - n_last]).strip(SEPARATORS) for words in parts]
    if all(names) and len({*names}) == len(names):
        # A system's whole name goes before what is part of another's.
        aliases = {**dict(zip(names, systems, strict=True)), **aliases}
    return aliases


def _n_shared(parts: Sequence[Sequence[str]]) -> int:
    """Return how many first words are the same in all."""
    words_by_index = zip(*parts, strict=False)
    return sum(1 for _ in takewhile(lambda words: len({*words}) == 1, words_by_index))


def _dimension_and_rater(rest: str) -> tuple[str, str]:
    """Return the dimension that a name without a system says, ``grade`` where it says none, and the rater or ""."""
    rater = _RATER.search(rest)
    if rater is not None:
        dimension = f"{rest[: rater.start()]} {rest[rater.end() :]}".strip(SEPARATORS)
        return re.sub(r"\s+", " ", dimension) or "grade", rater[0]
    numbered = _NUMBERED.fullmatch(rest)
    if numbered is not None:
        return numbered[1] or numbered[3], numbered[2] or numbered[4]
    return rest, ""


def _kind(name: str) -> Literal["grades", "perhaps", ""]:
    """Return what a name says of its numbers: that they are grades, that they may be, or nothing of that."""
    words = words_in(name)
    if words & NEITHER:
        return ""
    if words & GRADES and not (words <= RATERS and _RATER.search(name) is None):
        return "grades"
    return "perhaps" if words & PERHAPS else ""


def _may_be_grades(cells: Iterable[Any]) -> bool:
    """Return whether all cells are numbers or missing, and some are there."""
    values = [cell for cell in cells if not _is_missing(cell)]
    return bool(values) and all(map(_may_be_grade, values))


def _may_be_grade(cell: Any) -> bool:
    """Return whether a cell is a number, perhaps as a text."""
    if isinstance(cell, str):
        return is_number(cell)
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)


def _is_missing(cell: Any) -> bool:
    if not isinstance(cell, str):
        return cell is None or cell != cell
    return not is_number(cell) and is_missing(cell)
