"""Long tables of grades: a row for each grade, or for each output and rater, with or without the texts."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.errors import InputError, shorten
from tercet.files.columns.grades import may_be_grades
from tercet.files.columns.name_roles import clear_role, role_of
from tercet.files.columns.vocabulary import DIMENSION, ITEM, RATER, SYSTEM, TEXT, VALUE
from tercet.files.join import join, sides_in_table
from tercet.files.table import Table
from tercet.statistics.clusters import Clusters
from tercet.test_sets.named_columns import column_called, with_further_roles
from tercet.test_sets.test_set import TestSet

from .grades import GradeRow


class LongTableColumns(NamedTuple):
    """Which columns of a long table have what beside its grades, as the user says; by their names where not."""

    references: Sequence[str] = ()
    source: str | None = None
    cluster: str | None = None
    need_references: bool = True


class LongTexts(NamedTuple):
    """The texts of a long table."""

    test_set: TestSet
    #: By id, the number of each item, from 0.
    numbers: Mapping[str, int]
    #: The ids of items of which some system has no text.
    left_out: set[str]


@dataclass(frozen=True, slots=True)
class LongGrades:
    """A long table, and the columns of its items, systems, raters and texts."""

    table: Table
    item: str
    system: str
    rater: str | None
    text: str | None

    @classmethod
    def of(cls, table: Table, system_column: str | None) -> LongGrades | None:
        """Return the columns of a table; None where none names the item or the system of each row."""
        item = column_called(table, ITEM)
        system = system_column
        if system not in table.columns:
            system = column_called(table, SYSTEM)
        if item is None or system is None:
            return None
        return cls(table, item, system, column_called(table, RATER), column_called(table, TEXT))

    @property
    def _references(self) -> list[str]:
        """The columns that their names make references: of numbers only where there are no others.

        Without texts only those that can be nothing else are references: ``human`` has grades.
        """
        columns = [name for name in self.table.columns if name != self.text and role_of(name) == "reference"]
        if self.text is None:
            return [name for name in columns if clear_role(name) == "reference"]
        return [name for name in columns if not may_be_grades(self.table.columns[name])] or columns

    @property
    def _dimensions(self) -> dict[str, list[Any]]:
        """By column of grades, the dimension of each row."""
        dimension = column_called(self.table, DIMENSION)
        value = column_called(self.table, VALUE)
        if dimension is not None and value is not None:
            return {value: self.table.columns[dimension]}
        # Every other column of numbers is a dimension.
        with_role = {self.item, self.system, self.rater, self.text, *self._references}
        return {
            name: [name] * len(cells)
            for name, cells in self.table.columns.items()
            if name not in with_role and may_be_grades(cells)
        }

    def fields(self, test_set: TestSet, scores: Sequence[str]) -> str:
        """Return which columns are what, with those of grades."""
        grades = [name for name in self._dimensions if name not in scores]
        raters = [] if self.rater is None else [self.rater]
        return with_further_roles(test_set.fields, [], {"grades": grades, "raters": raters}, [])

    def rows(
        self, systems: Sequence[str], numbers: Mapping[str, int], left_out: Container[str] = ()
    ) -> Iterator[GradeRow]:
        """Yield the grades of items, by their ids; of those that are left out there are none."""
        cells = self.table.columns
        dimensions = self._dimensions
        for row in range(len(self.table.lines)):
            key = str(cells[self.item][row])
            system = cells[self.system][row]
            if key in left_out:
                continue
            if key not in numbers:
                self._raise_unknown(row, self.item, key)
            if system not in systems:
                self._raise_unknown(row, self.system, system)
            rater = "" if self.rater is None else str(cells[self.rater][row] or "")
            for column, of_rows in dimensions.items():
                yield GradeRow(str(of_rows[row]), rater, system, numbers[key], cells[column][row])

    def _raise_unknown(self, row: int, column: str, cell: Any) -> None:
        raise InputError(f"{self.table.location(row, column)}: {shorten(cell)} is not in the table of texts.")

    def texts(self, name: str, columns: LongTableColumns) -> LongTexts:
        """Return the texts: there is a row for each item and system, or there are several, which repeat the texts.

        An item of which a system has no text is left out for all systems, with a warning.
        """
        table = self.table
        references = columns.references or self._references
        if self.text is None or (columns.need_references and not references):
            raise InputError(
                f"{table.name}: a long table needs the columns item, system, text and reference, with the grades; it "
                f"has {', '.join(map(repr, table.columns))}."
            )
        source = columns.source or self._source
        first_rows = self._rows_of_items(columns.cluster)
        texts = self._texts_by_system(self.text)
        side_of = sides_in_table(table.name, texts)
        if not set(first_rows).intersection(*texts.values()):
            raise InputError(f"{table.name}: no item has a text of each system ({', '.join(map(repr, texts))}).")
        keys_of = {side_of[system]: by_item for system, by_item in texts.items()}
        items = join(keys_of, list(first_rows), "items", lambda key: f"is {shorten(key)} ({self.item})")
        rows = [first_rows[key] for key in items.keys]
        clusters = None
        if columns.cluster is not None:
            labels = table.column(columns.cluster)
            clusters = Clusters.of([labels[row] for row in rows], len(rows), columns.cluster)
        sources = None
        if source is not None:
            cells = table.column(source)
            sources = [str(cells[row] or "") for row in rows]
        lost = items.lost(side_of)
        test_set = TestSet(
            name,
            {system: [by_item[key] for key in items.keys] for system, by_item in texts.items()},
            [self._reference_list(row, references) for row in rows],
            sources,
            fields=self._fields_of_texts(references, source),
            clusters=clusters,
            lost=lost.by_system,
            n_all=lost.n_all,
        )
        numbers = {key: number for number, key in enumerate(items.keys)}
        return LongTexts(test_set, numbers, set(first_rows) - set(items.keys))

    @property
    def _source(self) -> str | None:
        """The first column that its name makes the source."""
        sources = (name for name in self.table.columns if name != self.text and role_of(name) == "source")
        return next(sources, None)

    def _rows_of_items(self, cluster: str | None) -> dict[str, int]:
        """Return the first row of each item; an InputError where its rows are in several clusters."""
        labels = None if cluster is None else self.table.column(cluster)
        first_rows: dict[str, int] = {}
        for row, cell in enumerate(self.table.columns[self.item]):
            first = first_rows.setdefault(str(cell), row)
            if labels is not None and labels[row] != labels[first]:
                raise InputError(
                    f"{self.table.location(row, str(cluster))}: {shorten(labels[row])} for the item {shorten(cell)}, "
                    f"which an earlier row puts in {shorten(labels[first])}."
                )
        return first_rows

    def _texts_by_system(self, text: str) -> dict[str, dict[str, str]]:
        """Return the texts of each system by item; an InputError where it has two."""
        table = self.table
        texts: dict[str, dict[str, str]] = {}
        for row in range(len(table.lines)):
            item, system, written = (table.columns[column][row] for column in (self.item, self.system, text))
            for column, cell in ((self.system, system), (text, written)):
                if not isinstance(cell, str):
                    raise InputError(f"{table.location(row, column)}: expected a text, got {shorten(cell)}.")
            if texts.setdefault(system, {}).setdefault(str(item), written) != written:
                raise InputError(
                    f"{table.location(row, text)}: another text of {shorten(system)} for the item {shorten(item)}."
                )
        return texts

    def _reference_list(self, row: int, columns: Sequence[str]) -> list[str]:
        """Return the references in a row; a cell may have several."""
        references: list[str] = []
        for column in columns:
            cell = self.table.column(column)[row]
            references += cell if isinstance(cell, list) else [cell]
        return [reference for reference in references if reference]

    def _fields_of_texts(self, references: Sequence[str], source: str | None) -> str:
        """Return which columns have the texts, in words."""
        fields = [f"texts: {self.text!r} of each {self.system!r}"]
        if references:
            fields.append(f"references: {', '.join(map(repr, references))}")
        if source:
            fields.append(f"sources: {source!r}")
        return f"{self.table.name}: {'; '.join(fields)}."
