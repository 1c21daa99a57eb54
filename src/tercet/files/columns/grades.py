"""Columns of human grades in tables, by names such as ``grade``, ``human_score``, ``rating_1`` and ``human_base``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from tercet.errors import InputError, argument, on_command_line
from tercet.files.numbers import is_missing, is_written_number
from tercet.files.table import Table
from tercet.names_as_shown import MOST_NAMED, joined

from .scores import SEPARATORS
from .vocabulary import GRADES, NEITHER, PERHAPS, RATERS
from .words import n_first_shared, words_of

#: A rater within a name, as in ``annotator_1`` and ``fluency_rater_b``.
_RATER = re.compile(
    # A letter stands apart, or is a capital one: "annotators" is how many there were.
    r"(?<![a-z])(?:annotator|rater|evaluator|expert|judge)(?:[\W_]*\d+|(?:[\W_]+[a-z]|(?-i:[A-RT-Z]))(?![a-z0-9]))",
    re.IGNORECASE,
)
#: A number or a letter at its end, as in ``rating_1`` and ``grade B``: of a name that is read backwards, so that no
#: run of signs is tried from each of its places.
_NUMBERED = re.compile(r"(\d+)[\W_]*([^\W\d_].*)|([A-Za-z])[\W_]+([^\W_].*|.)")
#: What reads grades, by the option that says how.
_FUNCTIONS = {"dimension": "tercet.correlate", "systems": "tercet.correlation.graded_tables.read_graded"}
#: The most calls that an error shows.
_MOST_CALLS = 3
#: What stands between a system and the rest, as in ``base_fluency``.
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
    asked_for = []
    sure = []
    perhaps = []
    for column in columns:
        grade = _grade_column(column, systems)
        if grade is None or not may_be_grades(table.columns[column]):
            continue
        if grade.column in asked or grade.dimension in asked:
            asked_for.append(grade)
        kind = _kind(grade.rest)
        if kind == "grades":
            sure.append(grade)
        elif kind == "perhaps":
            perhaps.append(grade)
    if asked_for or sure:
        return asked_for or sure
    dimensions = list(dict.fromkeys(grade.dimension for grade in perhaps))
    if len(dimensions) > 1:
        raise InputError(
            f"{table.name}: it is not clear which of {joined(list(map(repr, dimensions)), MOST_NAMED)} are human "
            f"grades, and which a metric's scores. {_calls(table.name, 'dimension', dimensions)}."
        )
    return perhaps


def possible_grades(table: Table, columns: Iterable[str]) -> list[str]:
    """Return the columns of numbers that may be grades under a name that does not say so."""
    possible = []
    for column in columns:
        if NEITHER.isdisjoint(words_of(column)) and may_be_grades(table.columns[column]):
            possible.append(column)
    return possible


def check_systems_of_grades(table: Table, systems: Sequence[str], columns: Iterable[str]) -> None:
    """Raise an InputError for a column of grades that does not say which of several systems it is of."""
    if len(systems) < 2:
        return
    unclear = []
    for column in columns:
        are_grades = _kind(column) == "grades" and may_be_grades(table.columns[column])
        if are_grades and _grade_column(column, systems) is None:
            unclear.append(column)
    if not unclear:
        return
    graded = joined(list(map(repr, unclear)), MOST_NAMED)
    with_texts = joined(list(map(repr, systems)), MOST_NAMED)
    forms = " and ".join(f"'{unclear[0]}_{system}'" for system in systems[:2])
    raise InputError(
        f"{table.name}: it is not clear which of the systems {with_texts} the grades in {graded} are of. "
        f"{_calls(table.name, 'systems', systems)}; or, to compare systems, name the columns such as {forms}."
    )


def may_be_grades(cells: Iterable[Any]) -> bool:
    """Return whether all cells are numbers or missing, and some are there."""
    values = [cell for cell in cells if not _is_missing(cell)]
    return bool(values) and all(map(_may_be_grade, values))


def _calls(path: str, option: str, values: Sequence[str]) -> str:
    """Return the calls that read a table in one way or in another."""
    calls = []
    for value in values[:_MOST_CALLS]:
        call = f"{_FUNCTIONS[option]}({path!r}, {option}={value!r})"
        if on_command_line():
            call = f"tercet correlate {shlex.quote(path)} {argument(option)} {shlex.quote(value)}"
        calls.append(call)
    return f"Give {' or '.join(calls)}"


def _grade_column(column: str, systems: Sequence[str]) -> GradeColumn | None:
    """Return what a column's name says, if it is one of grades; None where it names none of several systems."""
    system_and_rest = _system_in(column, systems)
    if system_and_rest is not None:
        system, rest = system_and_rest
    elif len(systems) > 1:
        return None
    else:
        # The name of a single system need not stand there.
        system = "".join(systems)
        rest = column
    dimension, rater = _dimension_and_rater(rest)
    return GradeColumn(column, dimension, rater, system, rest)


def _system_in(column: str, systems: Sequence[str]) -> tuple[str, str] | None:
    """Return the system that a name has, at its beginning, end or between, and the rest; None without one."""
    system_by_alias = _aliases(systems)
    in_other_case: tuple[str, str] | None = None
    n_letters = 0
    # Longest first: a system's name may begin with another's.
    for alias in sorted(system_by_alias, key=len, reverse=True):
        if in_other_case is not None and len(alias) < n_letters:
            break
        match = _match_of_alias(alias, column)
        if match is None:
            continue
        system_and_rest = system_by_alias[alias], match["rest"] + (match["rater"] or "")
        if match["alias"] == alias:
            return system_and_rest
        # Another one, as long, may be spelled so: "Base" beside "base".
        if in_other_case is None:
            in_other_case = system_and_rest
            n_letters = len(alias)
    return in_other_case


def _match_of_alias(alias: str, column: str) -> re.Match[str] | None:
    """Return where a name has a system's, in any case, with the rest and a rater behind it; None without it."""
    name = f"(?P<alias>{re.escape(alias)})"
    between = _BETWEEN
    if alias.isdecimal():
        # Nothing need stand between "grade" and "1".
        between = _BETWEEN.replace("+", "*")
    # "base_fluency", "base.human score"
    at_the_beginning = rf"{name}{_BETWEEN}(?P<rest>.+)(?P<rater>)"
    # "fluency_base", and with a rater behind it "fluency_base_rater_1"
    at_the_end = rf"(?P<rest>.*[^\W\d_]){between}{name}(?P<rater>{_BETWEEN}.+)?"
    for pattern in (at_the_beginning, at_the_end):
        match = re.fullmatch(pattern, column, re.IGNORECASE)
        if match is not None:
            return match
    return None


def _aliases(systems: Sequence[str]) -> dict[str, str]:
    """Return the systems by their names, and by what tells them apart: "a" and "b" of "output_a" and "output_b"."""
    aliases = {system: system for system in systems}
    if len(systems) < 2:
        return aliases
    # Words and numbers, so that none is cut: "base" and "basic" share none. "output_a2" is output, _, a and 2.
    words_of_systems = [re.findall(r"\d+|[^\W\d_]+|[\W_]+", system) for system in systems]
    n_first = n_first_shared(words_of_systems)
    words_behind = [words[n_first:] for words in words_of_systems]
    n_last = n_first_shared([words[::-1] for words in words_behind])
    names = ["".join(words[: len(words) - n_last]).strip(SEPARATORS) for words in words_behind]
    if all(names) and len(set(names)) == len(names):
        # A system's whole name goes before what is part of another's.
        aliases = {**dict(zip(names, systems, strict=True)), **aliases}
    return aliases


def _dimension_and_rater(rest: str) -> tuple[str, str]:
    """Return the dimension that a name without a system says, ``grade`` where it says none, and the rater or ""."""
    rater = _RATER.search(rest)
    if rater is not None:
        dimension = f"{rest[: rater.start()]} {rest[rater.end() :]}".strip(SEPARATORS)
        return re.sub(r"\s+", " ", dimension) or "grade", rater[0]
    numbered = _NUMBERED.fullmatch(rest[::-1])
    if numbered is not None:
        rater_backwards, dimension_backwards = filter(None, numbered.groups())
        return dimension_backwards[::-1], rater_backwards[::-1]
    return rest, ""


def _kind(name: str) -> Literal["grades", "perhaps", ""]:
    """Return what a name says of its numbers: that they are grades, that they may be, or nothing of that."""
    words = set(words_of(name))
    if words & NEITHER:
        return ""
    # "annotators" alone is how many there were, and "annotator 1" has grades.
    counts_raters = words <= RATERS and _RATER.search(name) is None
    if words & GRADES and not counts_raters:
        return "grades"
    if words & PERHAPS:
        return "perhaps"
    return ""


def _may_be_grade(cell: Any) -> bool:
    """Return whether a cell is a number, perhaps as a text."""
    if isinstance(cell, str):
        return is_written_number(cell)
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)


def _is_missing(cell: Any) -> bool:
    if not isinstance(cell, str):
        return cell is None or cell != cell
    return not is_written_number(cell) and is_missing(cell)
