"""Annotations of summaries, as SummEval and FRANK publish them -> a long table: a row for each output and rater."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any, NamedTuple

from tercet.errors import InputError, argument_set, shorten, warn
from tercet.files.table import Table
from tercet.names_as_shown import joined

# What the columns are: SummEval's, with lists of grades, and FRANK's.

SUMMEVAL = {"item": "id", "system": "model_id", "summary": "decoded", "references": "references"}
SUMMEVAL_EXPERTS = "expert_annotations"
SUMMEVAL_OTHERS = "turker_annotations"
FRANK = {
    "item": "hash",
    "system": "model_name",
    "summary": "summary",
    "references": "reference",
    "article": "article",
}
# The grade of a summary as a whole; and how its copies are called in which one kind of error is turned round.
FRANK_GRADES = "Factuality"
FLIPPED = "Flip_"
DATASET = "dataset"

_Annotation = dict[str, Any]
_ITEM = "item"
_SYSTEM = "system"
_TEXT = "summary"
_SOURCE = "article"
_RATER = "rater"
_MOST_NAMED = 5


class SummaryAnnotations(NamedTuple):
    """Annotations in a long table."""

    table: Table
    #: Which columns of the file are what, in words.
    note: str
    #: The items and systems whose output is missing, and is empty in the table.
    missing: Sequence[tuple[str, str]] = ()


def read_summary_annotations(table: Table, dimensions: Container[str]) -> SummaryAnnotations | None:
    """Return the annotations that a table has, if it is one of SummEval or FRANK; None of others.

    The grades of SummEval are those of its experts, and of its crowd as ``turker_coherence`` where `dimensions` ask
    for these. FRANK's copies of its grades, with one kind of error turned round, are left out if none asks for them.
    """
    columns = table.columns.keys()
    if columns >= {*SUMMEVAL.values(), SUMMEVAL_EXPERTS}:
        return _summeval(table, dimensions)
    has_grades = FRANK_GRADES in columns
    has_texts = columns >= {FRANK[_TEXT], FRANK[_SOURCE]}
    if columns >= {FRANK[_ITEM], FRANK[_SYSTEM]} and (has_grades or has_texts):
        return _frank(table, dimensions)
    return None


def _summeval(table: Table, dimensions: Container[str]) -> SummaryAnnotations:
    expert_grades = _grades(table, SUMMEVAL_EXPERTS)
    names: set[str] = set()
    for grades_of_raters in expert_grades:
        names.update(*grades_of_raters)
    asked = {name: f"turker_{name}" for name in sorted(names) if f"turker_{name}" in dimensions}
    other_grades: list[list[dict[str, Any]]] = [[] for _ in table.lines]
    if asked:
        other_grades = _grades(table, SUMMEVAL_OTHERS)
    own_names = {column: role for role, column in SUMMEVAL.items()}
    rows: list[_Annotation] = []
    lines: list[int] = []
    for row, line in enumerate(table.lines):
        output: _Annotation = {}
        for column, cells in table.columns.items():
            if column not in (SUMMEVAL_EXPERTS, SUMMEVAL_OTHERS):
                output[own_names.get(column, column)] = cells[row]
        # What is paired with the articles has them under the name that texts of systems have elsewhere.
        if "text" in output:
            output[_SOURCE] = output.pop("text")
        for number, grades in enumerate(expert_grades[row], 1):
            rows.append({**output, _RATER: f"expert {number}", **grades})
            lines.append(line)
        for number, grades in enumerate(other_grades[row], 1):
            of_turker = {asked[name]: grades[name] for name in asked if name in grades}
            rows.append({**output, _RATER: f"turker {number}", **of_turker})
            lines.append(line)
    left_out = ""
    if SUMMEVAL_OTHERS in table.columns and not asked:
        example = argument_set("dimension", f"turker_{min(names)}")
        left_out = f"; left out: {SUMMEVAL_OTHERS!r} (take them by {example})"
    note = f"{_named_roles(table, SUMMEVAL)}; grades: {SUMMEVAL_EXPERTS!r}{left_out}."
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        columns[name] = [row.get(name) for row in rows]
    return _complete(replace(table, columns=columns, lines=lines), note)


def _grades(table: Table, column: str) -> list[list[dict[str, Any]]]:
    """Return the grades of each rater of each output, by dimension."""
    for row, cell in enumerate(table.column(column)):
        if not isinstance(cell, list) or not all(isinstance(grades, dict) for grades in cell) or not any(cell):
            raise InputError(
                f"{table.location(row, column)}: expected a list with an object of grades for each rater, got "
                f"{shorten(cell)}."
            )
    return table.column(column)


def _frank(table: Table, dimensions: Container[str]) -> SummaryAnnotations:
    flipped = [column for column in table.columns if column.startswith(FLIPPED) and column not in dimensions]
    own_names = {FRANK[_ITEM]: _ITEM, FRANK[_SYSTEM]: _SYSTEM}
    columns = {}
    for column, cells in table.columns.items():
        if column not in flipped:
            columns[own_names.get(column, column)] = cells
    long = replace(table, columns=columns)
    note = _named_roles(table, FRANK)
    if flipped:
        note += f"; left out: {joined(list(map(repr, flipped)), _MOST_NAMED)}"
    if _TEXT not in columns:
        # Grades in a file of their own may be of some outputs only.
        return SummaryAnnotations(long, f"{note}.")
    return _complete(long, f"{note}.")


def _named_roles(table: Table, roles: Mapping[str, str]) -> str:
    """Return which columns are what, in words."""
    named = [f"{role}: {column!r}" for role, column in roles.items() if column in table.columns]
    return f"{table.name}: {'; '.join(named)}"


def _complete(table: Table, note: str) -> SummaryAnnotations:
    """Return annotations with empty texts for outputs that are missing, for which there are no grades."""
    first_rows: dict[Any, int] = {}
    outputs = set()
    for row, (item, system) in enumerate(zip(table.columns[_ITEM], table.columns[_SYSTEM], strict=True)):
        first_rows.setdefault(item, row)
        outputs.add((item, system))
    systems = list(dict.fromkeys(table.columns[_SYSTEM]))
    missing = [output for output in product(first_rows, systems) if output not in outputs]
    if not missing:
        return SummaryAnnotations(table, note)
    item, system = missing[0]
    warn(
        f"{table.name}: {len(missing):,} of {len(first_rows) * len(systems):,} outputs are missing, the first that "
        f"of {shorten(system)} for {shorten(item)}: no figure counts them.{_of_data_sets(table)}"
    )
    columns = {name: list(cells) for name, cells in table.columns.items()}
    lines = list(table.lines)
    for item, system in missing:
        first_row = first_rows[item]
        lines.append(table.lines[first_row])
        for name, cells in columns.items():
            if name in (_ITEM, _SOURCE, *_REFERENCES):
                cells.append(cells[first_row])
            else:
                cells.append(None)
        columns[_SYSTEM][-1] = system
        columns[_TEXT][-1] = ""
    names = [(str(item), system) for item, system in missing]
    return SummaryAnnotations(replace(table, columns=columns, lines=lines), note, names)


_REFERENCES = (SUMMEVAL["references"], FRANK["references"])


def _of_data_sets(table: Table) -> str:
    """Return what is said of the systems of several data sets."""
    names = sorted({str(cell) for cell in table.columns.get(DATASET, ()) if cell})
    if len(names) < 2:
        return ""
    return (
        f" They are of {len(names)} data sets, {joined(names, _MOST_NAMED)}, so that figures of systems compare "
        "systems by different articles: keep the rows of one."
    )
