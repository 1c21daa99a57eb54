"""Wide tables of grades, a row for each item: columns such as ``base.content`` or ``human_base``, and objects."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.files.columns.grades import check_systems_of_grades, grade_columns
from tercet.files.columns.scores import BETWEEN_GRADES, begun_by, objects_by_system, without_scores
from tercet.files.columns.vocabulary import RATER
from tercet.files.table import Table
from tercet.test_sets.long_tables import WideTable, widened
from tercet.test_sets.named_columns import NamedColumns, column_called, with_further_roles
from tercet.test_sets.pivoted_tables import rows_by_system
from tercet.test_sets.test_set import TestSet

from .grades import GRADE, GradeRow

#: The column of JSON objects by system: grades by dimension.
_HUMAN = "human"


def rows_of_columns(table: Table, systems: Sequence[str]) -> Iterator[GradeRow]:
    """Yield the grades in columns such as ``base.content`` and ``base.content.anna``."""
    for column, cells in table.columns.items():
        begun = begun_by(column, systems, BETWEEN_GRADES)
        if begun is not None:
            system, end = begun
            dimension, rater = _dimension_and_rater(end)
            for item, cell in enumerate(cells):
                yield GradeRow(dimension, rater, system, item, cell)


def objects_of_grades(table: Table, systems: Sequence[str]) -> Iterator[GradeRow]:
    """Yield the rows in objects by system of dimensions, or of grades alone; texts and numbers have none."""
    cells = table.columns.get(_HUMAN, [])
    if not any(isinstance(cell, dict) for cell in cells):
        return
    by_dimension = replace(table, columns={**table.columns, _HUMAN: list(map(_with_dimensions, cells))})
    yield from rows_of_objects(by_dimension, _HUMAN, systems)


def rows_of_objects(table: Table, column: str, systems: Sequence[str]) -> Iterator[GradeRow]:
    """Yield the rows in objects by system: for each dimension a value, or one per rater."""
    for item, system, by_dimension in objects_by_system(table, column, systems):
        for dimension, value in by_dimension.items():
            by_rater = {"": value}
            if isinstance(value, list):
                by_rater = {str(number): grade for number, grade in enumerate(value, 1)}
            elif isinstance(value, dict):
                by_rater = value
            for rater, grade in by_rater.items():
                yield GradeRow(dimension, rater, system, item, grade)


def read_named_columns(
    table: Table,
    joined_rows: JoinedRows | None,
    test_set: TestSet,
    scores: Sequence[str],
    dimensions: Sequence[str],
) -> tuple[list[GradeRow], dict[str, list[str]]]:
    """Return rows from columns that are named as grades, and these columns and that of raters by role."""
    names = list(test_set.systems)
    if joined_rows is None:
        source = table
        rows_of: Mapping[str, Sequence[int | None]] = {system: range(len(table.lines)) for system in names}
        # Of each of these, rows have columns of their own, such as ``human_base``.
        systems = names
        further = list(test_set.left_out)
    else:
        source = joined_rows.table
        rows_of = joined_rows.rows
        systems = []
        further = joined_rows.further(test_set)
    without_those_of_scores = without_scores(source, scores).columns
    columns = [name for name in further if name in without_those_of_scores]
    grades = grade_columns(source, systems, columns, asked=dimensions)
    if not grades:
        check_systems_of_grades(source, systems, columns)
        return [], {}
    in_use = [grade.column for grade in grades]
    # Only where a row is of one system, its rater is of that system's grade.
    rater_column = column_called(source, RATER) if len(systems) < 2 else None
    raters = [""] * len(source.lines)
    if rater_column is not None and rater_column in columns and rater_column not in in_use:
        raters = ["" if cell is None else str(cell) for cell in source.columns[rater_column]]
    rows = []
    for grade in grades:
        cells = source.columns[grade.column]
        for system in [grade.system] if grade.system else names:
            for item, row in enumerate(rows_of[system]):
                if row is not None:
                    rows.append(GradeRow(grade.dimension, grade.rater or raters[row], system, item, cells[row]))
    return rows, {"grades": in_use, "raters": [str(rater_column)] if any(raters) else []}


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """A table with a row for each item and system, whose rows were joined by what they share."""

    table: Table
    named_by_user: NamedColumns
    #: The table as it was joined, with a row for each item.
    joined: WideTable
    #: For each system the row of each item; None for an item of which it has none.
    rows: Mapping[str, Sequence[int | None]]

    @classmethod
    def of(cls, table: Table, named_by_user: NamedColumns, test_set: TestSet) -> JoinedRows | None:
        """Return how the rows of a table were joined to a test set; None if they were not."""
        joined = _join_again(table, named_by_user)
        rows_of_all = rows_by_system(joined.table)
        rows = {system: rows_of_all[system] for system in test_set.systems if system in rows_of_all}
        return cls(table, named_by_user, joined, rows) if rows else None

    def with_scores(self, scores: Sequence[str]) -> Table:
        """Return the table with a row for each item, and columns such as ``base.COMET``."""
        return self._joined_with(scores).table

    def further(self, test_set: TestSet) -> list[str]:
        """Return the columns that the test set does not use."""
        in_use = set(self.joined.table.columns) - set(test_set.left_out)
        return [column for column in self.table.columns if column not in in_use]

    def fields(self, test_set: TestSet, scores: Sequence[str], named: Mapping[str, Sequence[str]]) -> str:
        """Return which columns are what, in words."""
        roles = {**named, "scores": [name for name in scores if name in self.table.columns]}
        with_role = [column for columns in roles.values() for column in columns]
        left_out = [column for column in test_set.left_out if column not in with_role]
        fields = with_further_roles(
            test_set.fields.removesuffix(f" {self.joined.note}"), test_set.left_out, roles, left_out
        )
        return f"{fields} {self._joined_with(with_role).note}"

    def _joined_with(self, scores: Sequence[str]) -> WideTable:
        if not scores:
            return self.joined
        return _join_again(self.table, replace(self.named_by_user, scores=list(scores)))


def _join_again(table: Table, named_by_user: NamedColumns) -> WideTable:
    """Return a table with a row for each item, as it was joined, with warnings, when its texts were read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return widened(table, named_by_user)


def fields_in_words(
    test_set: TestSet, scores: Sequence[str], of_scores: Container[str], named: Mapping[str, Sequence[str]]
) -> str:
    """Return which columns of a table with a row for each item are what, with those of grades and of scores."""
    roles: dict[str, list[str]] = {"grades": [], "raters": list(named.get("raters", ())), "scores": []}
    for column in test_set.left_out:
        begun = begun_by(column, test_set.systems, BETWEEN_GRADES)
        if column in named.get("grades", ()):
            roles["grades"].append(column)
        elif column in of_scores or (begun and _dimension_and_rater(begun[1])[0] in scores):
            roles["scores"].append(column)
        elif not named and (begun or column == _HUMAN):
            roles["grades"].append(column)
    with_role = {column for columns in roles.values() for column in columns}
    left_out = [column for column in test_set.left_out if column not in with_role]
    return with_further_roles(test_set.fields, test_set.left_out, roles, left_out)


def _with_dimensions(cell: Any) -> Any:
    """Return an object by system in which a grade alone has a dimension."""
    if not isinstance(cell, dict):
        return cell
    by_system = {}
    for system, value in cell.items():
        is_grade_alone = not isinstance(value, dict | None)
        by_system[system] = {GRADE: value} if is_grade_alone else value
    return by_system


def _dimension_and_rater(end: str) -> tuple[str, str]:
    """Return what follows the system in the name of a column, from the separator on: ``.content.anna``."""
    separator = end[0]
    dimension, _, rater = end[1:].partition(separator)
    return dimension, rater
