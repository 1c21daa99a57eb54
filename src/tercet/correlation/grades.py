"""Human grades of the outputs of systems, by several raters in several dimensions; scores of metrics beside them."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.checks import has_entries
from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten, warn
from tercet.files.frames import frame_kind, read_frame
from tercet.files.grade_columns import check_systems_of_grades, grade_columns, possible_grades
from tercet.files.mt_metrics_eval import Asked, MetricsFolder, read_metrics_folder
from tercet.files.numbers import Notation, Sign, notation_of, read_number, read_score
from tercet.files.read import MEMORIES, Opening, check_no_workbook, read_file, table_format
from tercet.files.roles import clear_role, guess_roles, role_of
from tercet.files.score_columns import (
    BETWEEN_GRADES,
    OBJECTS,
    begun_by,
    columns_of_scores,
    objects_by_system,
    score_columns,
    without_scores,
)
from tercet.files.summary_annotations import read_summary_annotations
from tercet.files.table import Table
from tercet.files.vocabulary import DIMENSION, ITEM, LANGUAGE_PAIRS, RATER, SYSTEM, TEXT, VALUE
from tercet.files.wmt_annotations import DOCUMENT, check_no_appraise, read_annotations, read_grades_alone
from tercet.markup import MOST_NAMED, joined
from tercet.statistics.clusters import Clusters
from tercet.test_sets.long_tables import column_called, rows_by_system, wide
from tercet.test_sets.names import names_of
from tercet.test_sets.read import read_test_sets
from tercet.test_sets.roles import Columns, end_of_fields
from tercet.test_sets.test_set import TestSet, without_texts

#: Dimension, rater, system, number of the item from 0, and value.
Row = tuple[str, str, str, int, Any]


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """Scores of one metric."""

    #: The metric, with its options if it occurs twice, and the score if it has several.
    label: str
    #: Empty for external scores.
    signature: str
    #: Of each system and item; higher is better: those of other metrics are negated. (ndarray, shape (n, m))
    scores: Array = field(repr=False)
    negated: bool = False
    #: None for external scores.
    metric: Metric | None = None
    #: The name of the score.
    score: str = ""
    #: What people call the score.
    title: str = ""
    #: 1, or 100 for percent: as in the original package, unless the options set another.
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """Grades by dimension."""

    systems: tuple[str, ...]
    n_items: int
    #: A single "" if raters are not named.
    raters: tuple[str, ...]
    #: For each dimension the grade of each rater, system and item; NaN where there is none. (dict of str to ndarray,
    #: shape (raters, n, m))
    values: dict[str, Array]
    #: External scores, in the same form. (dict of str to ndarray, shape (n, m))
    scores: dict[str, Array] = field(default_factory=dict)
    #: Dimensions of which lower grades are better.
    lower_is_better: tuple[str, ...] = ()

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[Row],
        systems: Iterable[str],
        n_items: int,
        read: Callable[[Any, str, Notation], float] = read_number,
        notation_of: Callable[[Sequence[Any], str], Notation] = notation_of,
    ) -> Grades:
        """Gather grades from rows of dimension, rater, system, number of the item from 0, and value."""
        places = {system: place for place, system in enumerate(systems)}
        rows = list(rows)
        cells: dict[str, list[Any]] = {}
        for dimension, *_, value in rows:
            cells.setdefault(dimension, []).append(value)
        notations = {
            dimension: notation_of(values, f"grades, {shorten(dimension)}") for dimension, values in cells.items()
        }
        by_dimension: dict[str, dict[tuple[str, int, int], float]] = {}
        raters: dict[str, int] = {}
        for dimension, rater, system, item, value in rows:
            number = read(
                value,
                f"the grade of {shorten(system)} on item {item + 1}, {shorten(dimension)}",
                notations[dimension],
            )
            grades = by_dimension.setdefault(dimension, {})
            key = (rater, places[system], item)
            raters.setdefault(rater, len(raters))
            earlier_number = grades.get(key, math.nan)
            # A sum is NaN where either is missing: a missing grade contradicts none, in whatever order they come.
            if earlier_number != number and not math.isnan(earlier_number + number):
                of_rater = f" of {shorten(rater)}" if rater else ""
                raise InputError(
                    f"There are two grades{of_rater} for {shorten(system)} on item {item + 1} in "
                    f"{shorten(dimension)}: {earlier_number:g} and {number:g}. Expected one; name the raters if "
                    "there are several."
                )
            grades[key] = number if math.isnan(earlier_number) else earlier_number
        values = {}
        for dimension, grades in by_dimension.items():
            table = np.full((len(raters), len(places), n_items), np.nan)
            for (rater, system_place, item), number in grades.items():
                table[raters[rater], system_place, item] = number
            values[dimension] = table
        return cls(tuple(places), n_items, tuple(raters), values)

    @classmethod
    def of_lists(cls, grades: Grades | Mapping[str, Any] | None, systems: list[str], n_items: int) -> Grades:
        """Return the grades of a test set, which may be given as plain lists."""
        if isinstance(grades, Grades):
            if grades.systems != tuple(systems) or grades.n_items != n_items:
                raise InputError(
                    f"The grades are of {len(grades.systems)} systems and {grades.n_items} items, the texts of "
                    f"{len(systems)} and {n_items}."
                )
            return grades
        if not isinstance(grades, Mapping) or not grades:
            raise InputError(
                f"Grades are missing: give a table with grades, or {argument('grades')}a mapping of systems to lists."
            )
        by_dimension = grades if all(isinstance(value, Mapping) for value in grades.values()) else {_GRADE: grades}
        return cls.of_rows(_rows(by_dimension, systems, n_items), systems, n_items)

    @property
    def dimensions(self) -> list[str]:
        """The names of the dimensions."""
        return list(self.values)

    def check(self, dimension: str) -> None:
        """Raise an OptionError for an unknown dimension."""
        if dimension not in self.values:
            raise OptionError(f"There is no dimension {shorten(dimension)}. {did_you_mean(dimension, self.values)}")

    def mean(self, dimension: str, standardize: bool = False) -> Array:
        """Return the mean of the raters' grades, or of their z-scores, shape (n, m); NaN where there is no grade.

        Of dimensions whose lower grades are better it is negated.
        """
        values = self.values[dimension]
        if dimension in self.lower_is_better:
            values = 0.0 - values  # no grade of -0
        if standardize:
            with warnings.catch_warnings():
                # numpy warns of a rater without a grade
                warnings.simplefilter("ignore", RuntimeWarning)
                middle = np.nanmean(values, axis=(1, 2), keepdims=True)
                spread = np.nanstd(values, axis=(1, 2), keepdims=True)
            values = (values - middle) / np.where(spread > 0, spread, 1.0)
        count = (~np.isnan(values)).sum(0)
        return np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)

    def agreement(self, dimension: str) -> dict[str, float]:
        """Return the agreement of the raters; empty if no output has two grades."""
        raters = self.values[dimension].reshape(len(self.raters), -1)
        if ((~np.isnan(raters)).sum(0) > 1).sum() == 0:
            return {}
        alphas = {f"alpha_{level}": krippendorff_alpha(raters, level) for level in ("ordinal", "interval")}
        return {**alphas, "raw": raw_agreement(raters)}

    def with_scores(self, names: Sequence[str], scores: Mapping[str, Array]) -> Grades:
        """Return grades with external scores: `scores`, and dimensions among `names`, which are no grades then."""
        # What a table had as scores is known already.
        dimensions = [name for name in names if name not in {*scores, *self.scores}]
        for name in dimensions:
            self.check(name)
        values = {name: cells for name, cells in self.values.items() if name not in dimensions}
        external_scores = {
            name: self.mean(name) if name in dimensions else scores[name]
            for name in names
            if name in dimensions or name in scores
        }
        return replace(self, values=values, scores={**self.scores, **external_scores})


def names_of_grades(value: Any, option: str) -> list[str]:
    """Return the names of grades that an option gives, one or several."""
    if isinstance(value, str):
        return [value]
    names: list[Any] = list(value) if has_entries(value) else [None]
    if all(isinstance(name, str) for name in names):
        return names
    raise InputError(f"{argument(option)} is a name or a list of names, got {shorten(value)}.")


def krippendorff_alpha(values: Array, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha of grades (raters, units): 1 - observed / expected disagreement.

    Two grades are apart by being different ("nominal"), by the grades between them ("ordinal"), or by their squared
    difference ("interval"). NaN where no unit has two grades, or all are the same. Source: Krippendorff 2011.
    """
    units = values[:, (~np.isnan(values)).sum(0) > 1]
    different = np.unique(units[~np.isnan(units)])
    if len(different) < 2:
        return float("nan")
    # how often each grade occurs in each unit, shape (units, grades)
    counts = np.stack([(units == grade).sum(0) for grade in different], axis=1).astype(np.float64)
    sizes = counts.sum(1)
    scaled = counts / (sizes - 1)[:, None]
    # pairs of grades of one unit, without a grade and itself
    together = scaled.T @ counts - np.diag(scaled.sum(0))
    total = together.sum(1)
    chance = (np.outer(total, total) - np.diag(total)) / (total.sum() - 1)
    places = {"nominal": different, "interval": different, "ordinal": np.cumsum(total) - total / 2}[level]
    apart = np.subtract.outer(places, places) ** 2 if level != "nominal" else np.not_equal.outer(places, places)
    return float(1 - (together * apart).sum() / (chance * apart).sum())


def raw_agreement(values: Array) -> float:
    """Return the share of equal grades among all pairs of grades of one unit; NaN without a pair."""
    equal, pairs = 0, 0
    for left, right in combinations(values, 2):
        equal += int((left == right).sum())
        pairs += int((~np.isnan(left + right)).sum())
    return equal / pairs if pairs else float("nan")


def _rows(lists: Mapping[str, Any], systems: list[str], n_items: int) -> Iterator[Row]:
    """Yield rows of grades, given by dimension and system as plain lists."""
    for name, by_system in lists.items():
        described = f"grades of {shorten(name)}"
        if not isinstance(by_system, Mapping) or set(by_system) != set(systems):
            names = ", ".join(map(repr, systems))
            raise InputError(f"Expected {described} for each system ({names}), got {shorten(by_system)}.")
        for system in systems:
            if not has_entries(by_system[system]) or not isinstance(by_system[system], Sized):
                raise InputError(
                    f"Expected {described} for {shorten(system)} as a list, one for each item, got "
                    f"{shorten(by_system[system])}."
                )
            if len(by_system[system]) != n_items:
                counted = f"{len(by_system[system])} {described} for {shorten(system)}"
                raise InputError(f"There are {counted}; expected {n_items}, one for each item.")
        yield from (
            (name, "", system, item, cell) for system in systems for item, cell in enumerate(by_system[system])
        )


# Tables of texts and grades -> a test set and its grades.

#: The column of JSON objects by system: grades by dimension.
_HUMAN = "human"
#: The dimension of grades that name none.
_GRADE = "grade"


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
    (:func:`tercet.files.grade_columns.grade_columns`); a column ``system`` may name the system of each row.
    `dimensions` names such columns, whatever they are called.

    Annotations of SummEval and FRANK are read in the shape in which they are published
    (:func:`tercet.files.summary_annotations.read_summary_annotations`).

    `path` may also be a data frame with the same columns. Columns are given as to :func:`tercet.read_test_sets`.
    `scores` are names of scores: dimensions of the grades, or columns as there. A table needs no references if
    `need_references` is False.

    A folder in the shape of mt-metrics-eval is read too: the language pair `lp`, with the reference that
    `reference_columns` names (:func:`tercet.files.mt_metrics_eval.read_metrics_folder`). Human scores of segments are
    dimensions; those of documents and systems are the dimensions ``mqm.doc`` and ``mqm.sys``, whose items are
    documents, or a single one.
    """
    kind = frame_kind(path)
    name = kind or os.fspath(path)
    if not kind and os.path.isdir(name):
        of_tables = {"grades": grades, "source_column": source_column, "system_column": system_column}
        of_tables |= {"cluster": cluster, "decimal": decimal}
        _check_nothing_said(name, {**of_tables, "encoding": encoding, "sheet": sheet})
        asked = Asked(lp, _listed(reference_columns), _listed(systems), dimensions, scores)
        return _of_folder(read_metrics_folder(name, asked))
    opening = Opening(encoding, sheet)
    opening.check([os.fspath(file) for file in (path, grades) if file is not None and not frame_kind(file)])
    table = replace(_table(path, opening), decimal=decimal)
    if system_column is not None:
        table.column(system_column)
    annotations = read_annotations(table, lp, _listed(reference_columns))
    if annotations is not None:
        for option, value in (("systems", systems), ("system_column", system_column)):
            if value:
                raise OptionError(f"{argument(option)} names columns; in {name!r} each row names its system.")
        table = annotations.table
        cluster = cluster or DOCUMENT
    elif lp is not None:
        raise OptionError(
            f"{argument('lp')} is for a folder of mt-metrics-eval, or a table of WMT's ESA scores; {name!r} is "
            "neither."
        )
    summaries = None
    if annotations is None:
        _warn_of_pairs(table)
        summaries = read_summary_annotations(table, dimensions)
    if summaries is not None:
        table = summaries.table
    long = _names_of_systems(table, system_column) is not None and column_called(table, ITEM) is not None
    joined_rows = None
    if long and not systems:
        test_set, ids = _pivot(
            table,
            names_of([name])[0],
            reference_columns,
            source_column,
            system_column,
            cluster,
            need_references=need_references,
        )
        fields = _fields_of_long(test_set, table, scores, system_column)
        if annotations is not None:
            fields = annotations.note
        if summaries is not None:
            fields = summaries.note
        test_set = replace(test_set, fields=fields)
    else:
        # Answers, True or False, may be texts; those of scores are no systems.
        roles = guess_roles(without_scores(table, scores))
        if not systems and roles.systems != guess_roles(table).systems:
            systems = roles.systems
        (test_set,) = read_test_sets(
            path,
            systems=systems,
            reference_columns=reference_columns,
            source_column=source_column,
            system_column=system_column,
            cluster=cluster,
            need_references=need_references,
            decimal=decimal,
            encoding=encoding,
            sheet=sheet,
        )
        columns = Columns(
            systems=_listed(systems),
            references=_listed(reference_columns),
            source=source_column,
            system_column=system_column,
            cluster=cluster,
            scores=[],
            slices=[],
            need_references=need_references,
        )
        joined_rows = _JoinedRows.of(table, columns, test_set)
        if joined_rows is not None:
            table = joined_rows.with_scores(scores)
        ids = _numbers(table)
    names, n_items = list(test_set.systems), len(test_set.references)
    if long:
        rows = list(_long(table, names, ids, system_column))
    else:
        rows = [*_wide(table, names), *_objects_of_grades(table, names)]
    graded_in = table
    if grades is not None:
        graded_in = replace(read_grades_alone(_table(grades, opening)), decimal=decimal)
        grades_alone = read_summary_annotations(graded_in, dimensions)
        if grades_alone is not None:
            graded_in = grades_alone.table
        rows += _long(graded_in, names, ids, system_column)
    if summaries is not None:
        rows = _of_outputs(rows, {(system, ids[item]) for item, system in summaries.missing}, graded_in.name)
    if not rows and set(names) == {"better", "worse"}:
        rows = [
            ("preference", "", system, item, int(system == "better")) for system in names for item in range(n_items)
        ]
    named: dict[str, list[str]] = {}
    if not long and all(row[0] in scores for row in rows):
        by_name, named = _named(table, joined_rows, test_set, scores, dimensions)
        rows += by_name
    if not rows:
        raise InputError(_without_grades(table, test_set))
    scores_of_rows = [row for row in rows if row[0] in scores]
    rows_of_grades = [row for row in rows if row[0] not in scores]
    human = Grades.of_rows(rows_of_grades, names, n_items, notation_of=graded_in.notation_of)
    rows_of_scores = [*_objects(table, OBJECTS, names), *scores_of_rows]
    external = Grades.of_rows(rows_of_scores, names, n_items, read_score, notation_of=table.notation_of)
    read = {dimension: external.mean(dimension) for dimension in external.dimensions}
    in_columns = [name for name in scores if name not in read]
    read |= {name: np.array([*score_columns(table, names, name).values()]) for name in in_columns}
    if not long:
        of_scores = {OBJECTS}.union(*(columns_of_scores(table, names, name) for name in in_columns))
        if joined_rows is None:
            fields = _fields(test_set, scores, of_scores, named)
        else:
            fields = joined_rows.fields(test_set, scores, named)
        test_set = replace(test_set, fields=fields)
    return test_set, replace(human, scores=read)


def _warn_of_pairs(table: Table) -> None:
    """Warn of rows of several language pairs, which figures pool."""
    column = column_called(table, LANGUAGE_PAIRS)
    pairs = sorted({str(cell) for cell in table.columns[column] if cell}) if column else []
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


def _of_outputs(rows: list[Row], missing: Container[tuple[str, int]], name: str) -> list[Row]:
    """Return the rows of grades but for those of outputs that are missing; a warning counts these."""
    kept = [row for row in rows if (row[2], row[3]) not in missing]
    n_graded = len({(row[2], row[3]) for row in rows if (row[2], row[3]) in missing and row[4] is not None})
    if n_graded:
        warn(f"{name} has grades of {n_graded:,} output{'s' * (n_graded > 1)} without a text: left out.")
    return kept


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


@dataclass(frozen=True, slots=True)
class _JoinedRows:
    """A table with a row for each item and system, whose rows were joined by what they share."""

    table: Table
    columns: Columns
    #: For each system the row of each item; None for an item of which it has none.
    rows: Mapping[str, Sequence[int | None]]

    @classmethod
    def of(cls, table: Table, columns: Columns, test_set: TestSet) -> _JoinedRows | None:
        """Return how the rows of a table were joined to a test set; None if they were not."""
        rows = rows_by_system(cls._wide(table, columns)[0])
        rows = {system: rows[system] for system in test_set.systems if system in rows}
        return cls(table, columns, rows) if rows else None

    def with_scores(self, scores: Sequence[str]) -> Table:
        """Return the table with a row for each item, and columns such as ``base.COMET``."""
        return self._wide(self.table, replace(self.columns, scores=list(scores)))[0]

    def further(self, test_set: TestSet) -> list[str]:
        """Return the columns that the test set does not use."""
        in_use = {*self.with_scores(()).columns} - {*test_set.left_out}
        return [column for column in self.table.columns if column not in in_use]

    def fields(self, test_set: TestSet, scores: Sequence[str], named: Mapping[str, Sequence[str]]) -> str:
        """Return which columns are what, in words."""
        roles = {**named, "scores": [name for name in scores if name in self.table.columns]}
        with_role = [column for columns in roles.values() for column in columns]
        left_out = [column for column in test_set.left_out if column not in with_role]
        note = self._wide(self.table, self.columns)[2]
        new_note = self._wide(self.table, replace(self.columns, scores=with_role))[2]
        fields = test_set.fields.removesuffix(f" {note}").removesuffix(end_of_fields({}, test_set.left_out))
        return f"{fields}{end_of_fields(roles, left_out)} {new_note}"

    @staticmethod
    def _wide(table: Table, columns: Columns) -> tuple[Table, Columns, str]:
        with warnings.catch_warnings():
            # It warned when the texts were read.
            warnings.simplefilter("ignore", UserWarning)
            return wide(table, columns)


def _named(
    table: Table,
    joined_rows: _JoinedRows | None,
    test_set: TestSet,
    scores: Sequence[str],
    dimensions: Sequence[str],
) -> tuple[list[Row], dict[str, list[str]]]:
    """Return rows from columns that are named as grades, and these columns and that of raters by role."""
    names = list(test_set.systems)
    rows_of: Mapping[str, Sequence[int | None]] = {system: range(len(table.lines)) for system in names}
    columns, systems = list(test_set.left_out), names
    if joined_rows is not None:
        table, rows_of, systems = joined_rows.table, joined_rows.rows, []
        columns = joined_rows.further(test_set)
    of_scores = {name for name in columns if name not in without_scores(table, scores).columns}
    columns = [column for column in columns if column not in of_scores]
    found = grade_columns(table, systems, columns, asked=dimensions)
    if not found:
        check_systems_of_grades(table, systems, columns)
        return [], {}
    in_use = [grade.column for grade in found]
    # Only where a row is of one system, its rater is of that system's grade.
    rater_column = column_called(table, RATER) if len(systems) < 2 else None
    raters = [""] * len(table.lines)
    if rater_column in columns and rater_column not in in_use:
        raters = ["" if cell is None else str(cell) for cell in table.columns[str(rater_column)]]
    rows = [
        (grade.dimension, grade.rater or raters[row], system, item, table.columns[grade.column][row])
        for grade in found
        for system in ([grade.system] if grade.system else names)
        for item, row in enumerate(rows_of[system])
        if row is not None
    ]
    return rows, {"grades": in_use, "raters": [str(rater_column)] if any(raters) else []}


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


def _fields(
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
    return test_set.fields.removesuffix(end_of_fields({}, test_set.left_out)) + end_of_fields(roles, left_out)


def _dimension_and_rater(rest: str) -> tuple[str, str]:
    """Return what follows the system in the name of a column, from the separator on: ``.content.anna``."""
    dimension, _, rater = rest[1:].partition(rest[0])
    return dimension, rater


def _table(file: Any, opening: Opening) -> Table:
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


def _numbers(table: Table) -> dict[str, int]:
    """Return the number of each item, from 0, by its id, or by its number from 1."""
    column = column_called(table, ITEM)
    ids = [] if column is None else [str(cell) for cell in table.columns[column]]
    # without ids, or where they repeat
    if len(set(ids)) != len(table.lines):
        ids = [str(number) for number in range(1, len(table.lines) + 1)]
    return {name: number for number, name in enumerate(ids)}


def _wide(table: Table, systems: Sequence[str]) -> Iterator[Row]:
    for column, cells in table.columns.items():
        begun = begun_by(column, systems, BETWEEN_GRADES)
        if begun is not None:
            system, rest = begun
            dimension, rater = _dimension_and_rater(rest)
            yield from ((dimension, rater, system, item, cell) for item, cell in enumerate(cells))


def _objects_of_grades(table: Table, systems: Sequence[str]) -> Iterator[Row]:
    """Yield the rows in objects by system of dimensions, or of grades alone; texts and numbers have none."""
    cells = table.columns.get(_HUMAN, [])
    if not any(isinstance(cell, dict) for cell in cells):
        return
    by_dimension = [
        {system: value if isinstance(value, dict | None) else {_GRADE: value} for system, value in cell.items()}
        if isinstance(cell, dict)
        else cell
        for cell in cells
    ]
    yield from _objects(replace(table, columns={**table.columns, _HUMAN: by_dimension}), _HUMAN, systems)


def _objects(table: Table, column: str, systems: Sequence[str]) -> Iterator[Row]:
    """Yield the rows in objects by system: for each dimension a value, or one per rater."""
    for item, system, by_dimension in objects_by_system(table, column, systems):
        for dimension, value in by_dimension.items():
            if isinstance(value, list):
                value = {str(number): grade for number, grade in enumerate(value, 1)}
            raters = value if isinstance(value, dict) else {"": value}
            for rater, grade in raters.items():
                yield dimension, rater, system, item, grade


def _names_of_systems(table: Table, asked: str | None) -> str | None:
    """Return the column that names the system of each row, if there is one: what the user says, or by its name."""
    return asked if asked in table.columns else column_called(table, SYSTEM)


def _columns_of_long(table: Table, system_column: str | None) -> dict[str, Any]:
    """Return the columns of grades of a long table, with the dimension of each row."""
    dimension, value = column_called(table, DIMENSION), column_called(table, VALUE)
    if dimension is not None and value is not None:
        return {value: table.columns[dimension]}
    # every other column of numbers is a dimension
    named = [column_called(table, names) for names in (ITEM, RATER, TEXT)]
    named.append(_names_of_systems(table, system_column))
    other_columns = {*named, *_references_of(table)}
    return {
        name: [name] * len(cells)
        for name, cells in table.columns.items()
        if name not in other_columns and _are_numbers(cells)
    }


def _fields_of_long(test_set: TestSet, table: Table, scores: Sequence[str], system_column: str | None) -> str:
    """Return which columns of a long table are what, with those of grades."""
    columns = [name for name in _columns_of_long(table, system_column) if name not in scores]
    rater = column_called(table, RATER)
    roles = {"grades": columns, "raters": [] if rater is None else [rater]}
    return test_set.fields.removesuffix(".") + end_of_fields(roles, [])


def _long(table: Table, systems: Sequence[str], ids: dict[str, int], system_column: str | None) -> Iterator[Row]:
    item, rater = column_called(table, ITEM), column_called(table, RATER)
    system = _names_of_systems(table, system_column)
    if item is None or system is None:
        raise InputError(
            f"{table.name}: a table of grades needs the columns item and system; at least one of them is missing."
        )
    columns = _columns_of_long(table, system_column)
    for row in range(len(table.lines)):
        key, system_name = str(table.columns[item][row]), table.columns[system][row]
        if key not in ids or system_name not in systems:
            culprit, place = (key, item) if key not in ids else (system_name, system)
            raise InputError(f"{table.place(row, place)}: {shorten(culprit)} is not in the table of texts.")
        rater_name = "" if rater is None else str(table.columns[rater][row] or "")
        for column, dimensions in columns.items():
            yield str(dimensions[row]), rater_name, system_name, ids[key], table.columns[column][row]


def _references_of(table: Table) -> list[str]:
    """Return the columns of a long table that their names make references: of numbers only where there are no others.

    Without texts only those that can be nothing else are references: ``human`` has grades.
    """
    text = column_called(table, TEXT)
    columns = [column for column in table.columns if column != text and role_of(column) == "reference"]
    if text is None:
        return [column for column in columns if clear_role(column) == "reference"]
    return [column for column in columns if not _are_numbers(table.columns[column])] or columns


def _are_numbers(cells: Sequence[Any]) -> bool:
    texts = [str(cell).replace(",", ".") for cell in cells if cell not in (None, "")]
    try:
        return bool([*map(float, texts)])
    except ValueError:
        return False


def _pivot(
    table: Table,
    name: str,
    reference_columns: str | Sequence[str],
    source_column: str | None,
    system_column: str | None,
    cluster: str | None,
    *,
    need_references: bool,
) -> tuple[TestSet, dict[str, int]]:
    """Return the texts of a long table: a row for each item and system, or several, which repeat the texts."""
    item, text = column_called(table, ITEM), column_called(table, TEXT)
    system = _names_of_systems(table, system_column)
    references = [reference_columns] if isinstance(reference_columns, str) else list(reference_columns)
    roles = {column: role_of(column) for column in table.columns if column != text}
    references = references or _references_of(table)
    if item is None or system is None or text is None or (need_references and not references):
        raise InputError(
            f"{table.name}: a long table needs the columns item, system, text and reference, with the grades; it has "
            f"{', '.join(map(repr, table.columns))}."
        )
    source = source_column or next((column for column, role in roles.items() if role == "source"), None)
    ids: dict[str, int] = {}
    texts: dict[tuple[str, int], str] = {}
    lists: list[list[str]] = []
    sources: list[str] = []
    labels: list[Any] = []
    for row in range(len(table.lines)):
        key, system_name, written_text = (table.columns[column][row] for column in (item, system, text))
        if not isinstance(system_name, str) or not isinstance(written_text, str):
            column, cell = (text, written_text) if isinstance(system_name, str) else (system, system_name)
            raise InputError(f"{table.place(row, column)}: expected a text, got {shorten(cell)}.")
        number = ids.setdefault(str(key), len(ids))
        if texts.setdefault((system_name, number), written_text) != written_text:
            raise InputError(
                f"{table.place(row, text)}: another text of {shorten(system_name)} for the item {shorten(key)}."
            )
        label = None if cluster is None else table.column(cluster)[row]
        if number < len(labels) and labels[number] != label:
            raise InputError(
                f"{table.place(row, str(cluster))}: {shorten(label)} for the item {shorten(key)}, which an earlier "
                f"row puts in {shorten(labels[number])}."
            )
        if number == len(lists):  # the first row of this item
            labels.append(label)
            cells = [table.columns[column][row] for column in references]
            flat = [reference for cell in cells for reference in (cell if isinstance(cell, list) else [cell])]
            lists.append([reference for reference in flat if reference])
            sources.append(str(table.columns[source][row] or "") if source else "")
    names = dict.fromkeys(system_name for system_name, _ in texts)
    for system_name, (key, number) in product(names, ids.items()):
        if (system_name, number) not in texts:
            raise InputError(f"{table.name}: the item {shorten(key)} has no text of {shorten(system_name)}.")
    systems = {system_name: [texts[system_name, number] for number in range(len(ids))] for system_name in names}
    clusters = None if cluster is None else Clusters.of(labels, len(labels), cluster)
    columns_used = [f"texts: {text!r} of each {system!r}"]
    if references:
        columns_used.append(f"references: {', '.join(map(repr, references))}")
    if source:
        columns_used.append(f"sources: {source!r}")
    fields = f"{table.name}: {'; '.join(columns_used)}."
    return TestSet(name, systems, lists, sources if source else None, fields=fields, clusters=clusters), ids


# Grades and scores of the same outputs; their weights in resamples, and the units of a figure.

Array = NDArray[np.float64]
#: The cluster of each item, from 0; without clusters each item is its own.
Numbers = NDArray[np.int64]

#: A correlation of points x and y, shape (N,), for each row of the weights that follow in chunks, shape (b, N).
OfPoints = Callable[[Array, Array, Iterator[Array]], Array]
#: A figure of each column of x and y, shape (n, c), for each row of weights (B, n): shape (B, c).
OfColumns = Callable[[Array, Array, Array], Array]

#: Array elements per step over resamples, and over columns.
_POINTS_AT_ONCE, _CELLS_AT_ONCE = 4_000_000, 2_000_000
#: Resamples of systems and of items that are combined in one step: a figure of all pairs of them, of which those that
#: belong together are the diagonal.
_STEP = 32


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Grades and scores of a metric, shape (n, m), of systems and items: NaN in both where an output has no grade.

    `systems` (B or 1, n) and `items` (B or 1, m) say how often each of them counts in each resample.
    """

    human: Array
    metric: Array
    systems: Array
    items: Array

    @classmethod
    def whole(cls, human: Array, metric: Array) -> Sample:
        """Return the sample in which everything counts once."""
        return cls(human, metric, np.ones((1, human.shape[0])), np.ones((1, human.shape[1])))

    def pooled(self, figure: OfPoints) -> Array:
        """Return a figure of all graded outputs pooled, shape (B,)."""
        is_graded = ~np.isnan(self.human)
        return figure(self.human[is_graded], self.metric[is_graded], self._weights())

    def within(self, figure: OfColumns) -> Array:
        """Return the mean over items of a figure of their systems, shape (B,); items without one are left out."""
        values = self.by_item(figure)
        is_defined = ~np.isnan(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = (np.where(is_defined, values, 0.0) * self.items).sum(-1) / (is_defined * self.items).sum(-1)
        return np.asarray(total, np.float64)

    def between(self, figure: OfColumns) -> Array:
        """Return a figure of the systems' mean scores, shape (B,)."""
        x, y = means(self.human, self.items).T, means(self.metric, self.items).T
        if len(self.items) == 1 or len(self.systems) == 1:
            return _by_column(figure, x, y, self.systems).ravel()
        parts = [slice(start, start + _STEP) for start in range(0, len(self.items), _STEP)]
        return np.concatenate([np.diag(figure(x[:, part], y[:, part], self.systems[part])) for part in parts])

    def by_item(self, figure: OfColumns) -> Array:
        """Return a figure of the systems of each item, for each resample of the systems, shape (B or 1, m)."""
        return _by_column(figure, self.human, self.metric, self.systems)

    def pair_sums(self, terms: Callable[[Array, Array], Sequence[Array]]) -> Array:
        """Return sums over the pairs of systems of all items of terms of their differences x and y, shape (k, B)."""
        of_pairs, sums = pair_weights(self.systems), []
        for part in _parts(self.human.shape[1], len(self.human), len(self.systems)):
            differences = pair_differences(self.human[:, part]), pair_differences(self.metric[:, part])
            sums.append([(of_pairs @ term * self.items[:, part]).sum(1) for term in terms(*differences)])
        return np.asarray(sum(map(np.array, sums)), np.float64)

    def _weights(self) -> Iterator[Array]:
        """Yield how often each graded output counts, in chunks of resamples, shape (b, N)."""
        rows, columns = np.nonzero(~np.isnan(self.human))
        step = max(1, _POINTS_AT_ONCE // max(1, len(rows)))
        for start in range(0, max(len(self.systems), len(self.items)), step):
            part = slice(start, start + step)
            systems, items = (
                weights[part] if len(weights) > 1 else weights for weights in (self.systems, self.items)
            )
            all_once = len(systems) == 1 and (systems == 1).all()
            yield items[:, columns] if all_once else systems[:, rows] * items[:, columns]


def graded(human: Array, metrics: Array) -> tuple[Array, Array]:
    """Return grades (n, m) and scores (k, n, m) of the systems that have both; NaN where any of them is missing."""
    is_graded = ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
    has_grades = is_graded.any(axis=1)
    return np.where(is_graded, human, np.nan)[has_grades], np.where(is_graded, metrics, np.nan)[:, has_grades]


def means(values: Array, items: Array) -> Array:
    """Return the mean score of each system over its graded outputs, shape (B, n)."""
    filled, is_graded = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # summed like numpy's mean, not as a product of matrices, so that ties are the same
        if len(items) == 1:
            return np.asarray(((filled * items).sum(1) / (is_graded * items).sum(1))[None], np.float64)
        return np.asarray((items @ filled.T) / (items @ is_graded.T), np.float64)


def pair_differences(values: Array) -> Array:
    """Return the pairwise differences of systems on each item, the first less the second, shape (pairs, m)."""
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second], np.float64)


def pair_weights(systems: Array) -> Array:
    """Return how often each pair of systems counts, shape (B, pairs); two copies of one system do not count."""
    first, second = np.triu_indices(systems.shape[1], 1)
    return np.asarray(systems[:, first] * systems[:, second], np.float64)


def _by_column(figure: OfColumns, x: Array, y: Array, systems: Array) -> Array:
    """Return a figure of all columns, as many at once as fit in memory."""
    parts = _parts(x.shape[1], len(x), len(systems))
    return np.concatenate([figure(x[:, part], y[:, part], systems) for part in parts], axis=1)


def _parts(n_columns: int, n_systems: int, n_rows: int) -> Iterator[slice]:
    step = max(1, _CELLS_AT_ONCE // max(1, n_systems * max(n_systems, n_rows)))
    for start in range(0, n_columns, step):
        yield slice(start, start + step)
