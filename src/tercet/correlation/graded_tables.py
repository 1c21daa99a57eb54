"""Tables of texts and grades, and folders of mt-metrics-eval -> a test set and its grades."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.errors import InputError, OptionError, argument, argument_set, recorded, shorten, warn
from tercet.files.columns.grades import possible_grades
from tercet.files.columns.roles import guess_roles
from tercet.files.columns.scores import (
    OBJECTS,
    columns_of_scores,
    scores_by_system,
    without_scores,
)
from tercet.files.columns.vocabulary import ITEM, LANGUAGE_PAIRS
from tercet.files.formats import MEMORIES, check_no_workbook, table_format
from tercet.files.numbers import Sign, read_score
from tercet.files.read import Opening, read_file
from tercet.files.shared_tasks.mt_metrics_eval import FolderRequest, MetricsFolder, read_metrics_folder
from tercet.files.shared_tasks.summary_annotations import read_summary_annotations
from tercet.files.shared_tasks.wmt_annotations import DOCUMENT, check_no_appraise, read_annotations, read_grades_alone
from tercet.files.table import Table
from tercet.files.tables.frames import frame_kind, read_frame
from tercet.names_as_shown import MOST_NAMED, joined
from tercet.statistics.clusters import Clusters
from tercet.test_sets.input_files import InputFiles
from tercet.test_sets.named_columns import NamedColumns, column_called
from tercet.test_sets.names_from_paths import names_of
from tercet.test_sets.tables_and_logs import check_frame_alone, sets_of_frame, sets_of_tables
from tercet.test_sets.test_set import TestSet, without_texts

from .grades import GradeRow, Grades
from .long_grades import LongGrades, LongTableColumns
from .wide_grades import (
    JoinedRows,
    fields_in_words,
    objects_of_grades,
    read_named_columns,
    rows_of_columns,
    rows_of_objects,
)


def read_graded(
    path: str | os.PathLike[str] | Any,
    *,
    grades: str | os.PathLike[str] | None = None,
    systems: str | Sequence[str] = (),
    reference_columns: str | Sequence[str] = (),
    source_column: str | None = None,
    system_column: str | None = None,
    cluster: str | None = None,
    scores: Sequence[str] = (),
    decimal: Sign = "",
    dimensions: Sequence[str] = (),
    need_references: bool = True,
    encoding: str = "",
    sheet: str | int = "",
    lp: str | None = None,
) -> tuple[TestSet, Grades]:
    """Read texts and their grades from a table (.tsv .csv .jsonl .json .xlsx .parquet .arrow, also gzipped).

    A wide table has a row for each item: the systems' texts, references, and columns of grades that are named
    ``system.dimension`` or ``system.dimension.rater`` (or with ``:``, ``/`` or ``|``). A long table has a row for
    each grade, with the columns ``item``, ``system``, ``rater``, ``dimension`` and ``value`` (or one column for each
    dimension), and ``text`` and ``reference``. JSON Lines may have ``human``, which holds for each system an object
    of dimensions or a grade, and ``scores`` of the same form for metrics. Where systems are called ``better`` and
    ``worse`` and have no grades, the first was preferred. `grades` is a long table without texts; its ``item`` is the
    ``id`` of the first table, or the number of its row, from 1.

    Where there are none of these, columns of numbers are grades by their names, such as ``grade``, ``human_score``,
    ``rating_1`` and ``rating_2`` (of two raters), or ``human_base`` of the system ``base``
    (:func:`tercet.files.columns.grades.grade_columns`); a column ``system`` may name the system of each row.
    `dimensions` names such columns, whatever they are called.

    Annotations of SummEval and FRANK are read in the shape in which they are published
    (:func:`tercet.files.shared_tasks.summary_annotations.read_summary_annotations`).

    `path` may also be a data frame with the same columns. Columns are given as to :func:`tercet.read_test_sets`.
    `scores` are names of scores: dimensions of the grades, or columns as there. A table needs no references if
    `need_references` is False.

    A folder in the shape of mt-metrics-eval is read too: the language pair `lp`, with the reference that
    `reference_columns` names (:func:`tercet.files.shared_tasks.mt_metrics_eval.read_metrics_folder`). Human scores
    of segments are dimensions; those of documents and systems are the dimensions ``mqm.doc`` and ``mqm.sys``, whose
    items are documents, or a single one.
    """
    asked = _Asked(
        systems=systems,
        reference_columns=reference_columns,
        source_column=source_column,
        system_column=system_column,
        cluster=cluster,
        scores=scores,
        decimal=decimal,
        dimensions=dimensions,
        need_references=need_references,
        opening=Opening(encoding, sheet),
        lp=lp,
    )
    kind = frame_kind(path)
    name = kind or os.fspath(path)
    if not kind and os.path.isdir(name):
        return _read_folder(name, grades, asked)
    paths = [os.fspath(file) for file in (path, grades) if file is not None and not frame_kind(file)]
    if paths:
        asked.opening.check(paths)
    else:
        check_frame_alone(kind, InputFiles([], [], [], [], opening=asked.opening))
    with recorded() as messages:
        table = replace(_read_graded_table(path, asked.opening), decimal=decimal)
        if system_column is not None:
            table.column(system_column)
        published = _Published.of(table, name, asked)
        texts = _Texts.of(path, published, asked)
        rows = texts.rows_of_grades()
        graded_in = texts.table
        if grades is not None:
            graded_in, further_rows = _rows_of_file(grades, texts, asked)
            rows += further_rows
        if published.missing:
            missing = {(system, texts.numbers[item]) for item, system in published.missing}
            rows = _of_outputs(rows, missing, graded_in.name)
        # Names of systems or columns say that there are grades only where nothing else does.
        if not rows:
            rows = texts.preferences()
        named: dict[str, list[str]] = {}
        if texts.long is None and all(row.dimension in scores for row in rows):
            rows_by_name, named = read_named_columns(
                texts.table, texts.joined_rows, texts.test_set, scores, dimensions
            )
            rows += rows_by_name
        if not rows:
            raise InputError(_without_grades(texts.table, texts.test_set))
    rows_of_grades = [row for row in rows if row.dimension not in scores]
    human = Grades.of_rows(rows_of_grades, texts.systems, texts.n_items, notation_of=graded_in.notation_of)
    external = _scores_of(texts, [row for row in rows if row.dimension in scores], scores)
    test_set = replace(
        texts.test_set,
        fields=texts.fields(scores, named, external),
        warnings=tuple(dict.fromkeys([*messages, *texts.test_set.warnings])),
    )
    return test_set, replace(human, scores=external.values)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the arguments of :func:`read_graded` say of how files are read."""

    systems: str | Sequence[str]
    reference_columns: str | Sequence[str]
    source_column: str | None
    system_column: str | None
    cluster: str | None
    scores: Sequence[str]
    decimal: Sign
    dimensions: Sequence[str]
    need_references: bool
    opening: Opening
    lp: str | None

    @property
    def references(self) -> list[str]:
        """The columns of references, as a list."""
        return _list_of_names(self.reference_columns)


def _read_folder(name: str, grades: Any, asked: _Asked) -> tuple[TestSet, Grades]:
    """Return what a folder in the shape of mt-metrics-eval has."""
    of_tables = {
        "grades": grades,
        "source_column": asked.source_column,
        "system_column": asked.system_column,
        "cluster": asked.cluster,
        "decimal": asked.decimal,
        "encoding": asked.opening.encoding,
        "sheet": asked.opening.sheet,
    }
    _check_nothing_said(name, of_tables)
    of_folder = FolderRequest(
        asked.lp, asked.references, _list_of_names(asked.systems), asked.dimensions, asked.scores
    )
    return _of_folder(read_metrics_folder(name, of_folder))


@dataclass(frozen=True, slots=True)
class _Published:
    """A table as it is, or what was made of one that has annotations in the shape in which they are published."""

    as_read: Table
    table: Table
    #: The column of clusters.
    cluster: str | None
    #: How annotations were read, in words; "" where there are none.
    note: str = ""
    #: The outputs that were graded and have no text: of an item, by a system.
    missing: Collection[tuple[str, str]] = ()

    @classmethod
    def of(cls, table: Table, name: str, asked: _Asked) -> _Published:
        """Return what a table of annotations says, or the table; `name` is that of the file."""
        annotations = read_annotations(table, asked.lp, asked.references)
        if annotations is not None:
            for option, value in (("systems", asked.systems), ("system_column", asked.system_column)):
                if value:
                    raise OptionError(f"{argument(option)} names columns; in {name!r} each row names its system.")
            return cls(table, annotations.table, asked.cluster or DOCUMENT, annotations.note)
        if asked.lp is not None:
            raise OptionError(
                f"{argument('lp')} is for a folder of mt-metrics-eval, or a table of WMT's ESA scores; {name!r} is "
                "neither."
            )
        _warn_of_pairs(table)
        summaries = read_summary_annotations(table, asked.dimensions)
        if summaries is not None:
            return cls(table, summaries.table, asked.cluster, summaries.note, summaries.missing)
        return cls(table, table, asked.cluster)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a table, and where their grades and scores are."""

    test_set: TestSet
    #: With a row for each item, or of grades.
    table: Table
    #: The rows of grades; None of a table with a row for each item.
    long: LongGrades | None
    #: By id, the number of each item, from 0.
    numbers: Mapping[str, int]
    #: The items that are not compared.
    left_out: set[str]
    #: Where each item and system had a row.
    joined_rows: JoinedRows | None

    @classmethod
    def of(cls, path: Any, published: _Published, asked: _Asked) -> _Texts:
        """Return the texts of a file whose table has been read."""
        long = LongGrades.of(published.table, asked.system_column)
        if long is None or asked.systems:
            return cls._by_item(path, published, long, asked)
        columns = LongTableColumns(asked.references, asked.source_column, published.cluster, asked.need_references)
        test_set, numbers, left_out = long.texts(names_of([frame_kind(path) or os.fspath(path)])[0], columns)
        fields = published.note or long.fields(test_set, asked.scores)
        return cls(replace(test_set, fields=fields), published.table, long, numbers, left_out, None)

    @classmethod
    def _by_item(cls, path: Any, published: _Published, long: LongGrades | None, asked: _Asked) -> _Texts:
        """Return the texts of a table in which each item, or each item of each system, has a row."""
        table = published.table
        systems = asked.systems
        # Answers, True or False, may be texts; those of scores are no systems.
        roles = guess_roles(without_scores(table, asked.scores))
        if not systems and roles.systems != guess_roles(table).systems:
            systems = roles.systems
        named_by_user = NamedColumns(
            systems=_list_of_names(systems),
            references=asked.references,
            source=asked.source_column,
            system_column=asked.system_column,
            cluster=published.cluster,
            need_references=asked.need_references,
        )
        if frame_kind(path):
            (test_set,) = sets_of_frame(path, named_by_user, asked.decimal)
        else:
            name = os.fspath(path)
            (test_set,) = sets_of_tables(
                InputFiles([name], [], [], []), named_by_user, tables_read={name: published.as_read}
            )
        joined_rows = JoinedRows.of(table, named_by_user, test_set)
        if joined_rows is not None:
            table = joined_rows.with_scores(asked.scores)
        return cls(test_set, table, long, _item_numbers(table), set(), joined_rows)

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.test_set.systems)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.test_set.references)

    def rows_of_grades(self) -> list[GradeRow]:
        """Return the grades of the table: its rows, its columns such as ``base.content``, or its objects."""
        if self.long is not None:
            return list(self.long.rows(self.systems, self.numbers, self.left_out))
        return [*rows_of_columns(self.table, self.systems), *objects_of_grades(self.table, self.systems)]

    def preferences(self) -> list[GradeRow]:
        """Return the grades of systems that are called better and worse: the first was preferred."""
        if set(self.systems) != {"better", "worse"}:
            return []
        rows: list[GradeRow] = []
        for system in self.systems:
            for item in range(self.n_items):
                rows.append(GradeRow("preference", "", system, item, int(system == "better")))
        return rows

    def fields(self, scores: Sequence[str], named: Mapping[str, Sequence[str]], read: _Scores) -> str:
        """Return which columns are what, in words; `named` are those whose names say that they are grades."""
        if self.long is not None:
            return self.test_set.fields
        if self.joined_rows is not None:
            return self.joined_rows.fields(self.test_set, scores, named)
        of_scores = {OBJECTS}.union(*(columns_of_scores(self.table, self.systems, name) for name in read.in_columns))
        return fields_in_words(self.test_set, scores, of_scores, named)


def _rows_of_file(file: Any, texts: _Texts, asked: _Asked) -> tuple[Table, list[GradeRow]]:
    """Return the table of grades in another file, and its rows."""
    table = replace(read_grades_alone(_read_graded_table(file, asked.opening)), decimal=asked.decimal)
    summaries = read_summary_annotations(table, asked.dimensions)
    if summaries is not None:
        table = summaries.table
    long = LongGrades.of(table, asked.system_column)
    if long is None:
        raise InputError(
            f"{table.name}: a table of grades needs the columns item and system; at least one of them is missing."
        )
    return table, list(long.rows(texts.systems, texts.numbers, texts.left_out))


class _Scores(NamedTuple):
    """Scores of metrics that came with the texts, and those that are columns of their own."""

    values: dict[str, Any]
    in_columns: list[str]


def _scores_of(texts: _Texts, rows: Sequence[GradeRow], names: Sequence[str]) -> _Scores:
    """Return the scores of these names: in rows of grades, in objects, or in columns such as ``base.COMET``."""
    table = texts.table
    systems = texts.systems
    rows_of_scores = [*rows_of_objects(table, OBJECTS, systems), *rows]
    external = Grades.of_rows(rows_of_scores, systems, texts.n_items, read_score, notation_of=table.notation_of)
    values = {dimension: external.mean(dimension) for dimension in external.dimensions}
    in_columns = [name for name in names if name not in values]
    for name in in_columns:
        values[name] = np.array(list(scores_by_system(table, systems, name).values()))
    return _Scores(values, in_columns)


def _warn_of_pairs(table: Table) -> None:
    """Warn of rows of several language pairs, which figures pool."""
    column = column_called(table, LANGUAGE_PAIRS)
    if column is None:
        return
    pairs = sorted({str(cell) for cell in table.columns[column] if cell})
    if len(pairs) > 1:
        warn(
            f"{table.name}: the rows are of {len(pairs)} language pairs, as {column!r} says: "
            f"{joined(pairs, MOST_NAMED)}. Figures pool them: keep the rows of one."
        )


def _check_nothing_said(folder: str, said: Mapping[str, Any]) -> None:
    """Raise an OptionError for an argument that is of tables, beside a folder."""
    for name, value in said.items():
        if value not in (None, ""):
            raise OptionError(f"{argument(name)} is for tables; {folder!r} is a folder.")


def _of_folder(folder: MetricsFolder) -> tuple[TestSet, Grades]:
    """Return the texts of a folder, or none where its scores are not of segments, and its grades and scores."""
    names = list(folder.systems)
    if folder.scored == "segments":
        clusters = None
        if folder.documents is not None:
            clusters = Clusters.of(folder.documents, folder.n_items, "document")
        test_set = TestSet(folder.name, folder.systems, folder.references, folder.source, clusters=clusters)
    else:
        if not folder.scores:
            raise InputError(
                f"{folder.name}: its grades are of {folder.scored}, of which no metric has scores with these "
                "references."
            )
        why = f"its grades are of {folder.scored}, and metrics score segments"
        test_set = replace(without_texts(folder.name, names, folder.n_items), no_texts=why)
    # In mt-metrics-eval higher scores are better, whatever a metric is called.
    scores = {name: dict(zip(names, rows, strict=True)) for name, rows in folder.scores.items()}
    test_set = replace(test_set, scores=scores, higher_is_better=tuple(scores), fields=folder.note)
    values = {name: rows[np.newaxis] for name, rows in folder.grades.items()}
    return test_set, Grades(tuple(names), folder.n_items, ("",), values, folder.scores)


def _of_outputs(rows: list[GradeRow], missing: Container[tuple[str, int]], name: str) -> list[GradeRow]:
    """Return the rows of grades but for those of outputs that are missing; a warning counts these."""
    kept: list[GradeRow] = []
    graded_without_text: set[tuple[str, int]] = set()
    for row in rows:
        output = (row.system, row.item)
        if output not in missing:
            kept.append(row)
        elif row.value is not None:
            graded_without_text.add(output)
    n_graded = len(graded_without_text)
    if n_graded:
        warn(f"{name} has grades of {n_graded:,} output{'s' * (n_graded > 1)} without a text: left out.")
    return kept


def _list_of_names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _without_grades(table: Table, test_set: TestSet) -> str:
    """Return what is said of a table without grades."""
    system = next(iter(test_set.systems))
    columns = [] if len(test_set.systems) > 1 else possible_grades(table, test_set.left_out)
    hint = ""
    if columns:
        hint = f" If {joined(list(map(repr, columns)), MOST_NAMED, 'or')} has grades, give "
        hint += f"{argument_set('dimension', columns[0])}."
    form = "'grade'" if len(test_set.systems) == 1 else f"'grade_{system}'"
    return (
        f"{table.name} has no grades: expected columns named system.dimension or system.dimension.rater, such as "
        f"{shorten(system + '.content')}, or {form}; a long table with the columns item, system, dimension and "
        f"value; or JSON objects human: {{system: {{dimension: value}}}}.{hint}"
    )


def _read_graded_table(file: Any, opening: Opening) -> Table:
    if frame_kind(file):
        return read_frame(file)
    path = os.fspath(file)
    check_no_workbook(path)
    format = table_format(path)
    if not format or format in MEMORIES:
        formats = ".tsv, .csv, .jsonl, .json, .xlsx, .parquet, .arrow"
        raise InputError(f"{path}: expected a table of texts and grades ({formats}).")
    if format == "csv":
        check_no_appraise(path)
    return read_file(path, opening)


def _item_numbers(table: Table) -> dict[str, int]:
    """Return the number of each item, from 0, by its id, or by its number from 1."""
    column = column_called(table, ITEM)
    ids = [] if column is None else [str(cell) for cell in table.columns[column]]
    # without ids, or where they repeat
    if len(set(ids)) != len(table.lines):
        ids = [str(number) for number in range(1, len(table.lines) + 1)]
    return {name: number for number, name in enumerate(ids)}
