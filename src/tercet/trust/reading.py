"""Tables of texts and grades -> a test set and its grades."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tercet.comparison.names import names_of
from tercet.comparison.test_sets import TestSet, read_test_sets
from tercet.errors import InputError, shorten
from tercet.files.lines import open_binary
from tercet.files.read import READERS, check_no_workbook, table_format
from tercet.files.roles import role_of
from tercet.files.table import Table
from tercet.statistics.clusters import Clusters

from .grades import Grades, Row

#: Columns of a long table, by any of these names.
_ITEM = ("item", "id", "item_id", "segment", "segment_id", "seg_id", "doc_id", "docid")
_SYSTEM = ("system", "model", "system_name", "system_id")
_RATER = ("rater", "annotator", "judge", "rater_id", "annotator_id")
_DIMENSION = ("dimension", "aspect", "criterion")
_VALUE = ("value", "grade", "rating", "score")
_TEXT = ("text", "prediction", "hypothesis", "output", "candidate", "translation", "summary", "mt", "hyp")
#: Columns of JSON objects: by system, grades by dimension, and external scores.
_HUMAN, _SCORES = "human", "scores"
#: Separators of ``system.dimension.rater``.
_BETWEEN = ".:/|"


def read_graded(
    path: str | os.PathLike[str],
    *,
    grades: str | os.PathLike[str] | None = None,
    systems: str | Sequence[str] = (),
    reference_columns: str | Sequence[str] = (),
    source_column: str | None = None,
    cluster: str | None = None,
) -> tuple[TestSet, Grades]:
    """Read texts and their grades from a table (.tsv .csv .jsonl .xlsx .parquet .arrow, also gzipped).

    A wide table has a row for each item: the systems' texts, references, and columns of grades that are named
    ``system.dimension`` or ``system.dimension.rater`` (or with ``:``, ``/`` or ``|``). A long table has a row for
    each grade, with the columns ``item``, ``system``, ``rater``, ``dimension`` and ``value`` (or one column for each
    dimension), and ``text`` and ``reference``. JSON Lines may have ``human``, which holds for each system an object
    of dimensions, and ``scores`` of the same form for metrics. Where systems are called ``better`` and ``worse`` and
    have no grades, the first was preferred. `grades` is a long table without texts; its ``item`` is the ``id`` of the
    first table, or the number of its row, from 1. Columns are given as to :func:`tercet.read_test_sets`.
    """
    name = os.fspath(path)
    table = _table(name)
    long = _find(table, _SYSTEM) is not None and _find(table, _ITEM) is not None
    if long and not systems:
        test_set, ids = _pivot(table, names_of([name])[0], reference_columns, source_column, cluster)
    else:
        columns: dict[str, Any] = {"reference_columns": reference_columns, "source_column": source_column}
        columns["cluster"] = cluster
        (test_set,), ids = read_test_sets(path, systems=systems, **columns), _numbers(table)
    names, n_items = list(test_set.systems), len(test_set.references)
    rows = [*(_long(table, names, ids) if long else (*_wide(table, names), *_objects(table, _HUMAN, names)))]
    if grades is not None:
        rows += _long(_table(os.fspath(grades)), names, ids)
    if not rows and set(names) == {"better", "worse"}:
        rows = [("preference", "", each, item, int(each == "better")) for each in names for item in range(n_items)]
    if not rows:
        raise InputError(
            f"{table.name} has no grades: expected columns named system.dimension or system.dimension.rater, such as "
            f"{shorten(names[0] + '.content')}; a long table with the columns item, system, dimension and value; or "
            "JSON objects human: {system: {dimension: value}}."
        )
    found = Grades.of_rows(rows, names, n_items)
    extra = Grades.of_rows(_objects(table, _SCORES, names), names, n_items)
    scores = {each: extra.mean(each) for each in extra.dimensions}
    return test_set, Grades(found.systems, found.n_items, found.raters, found.values, scores)


def _table(path: str) -> Table:
    check_no_workbook(path)
    format = table_format(path)
    if not format or format == "tmx":
        ends = ".tsv, .csv, .jsonl, .xlsx, .parquet, .arrow"
        raise InputError(f"{path}: expected a table of texts and grades ({ends}).")
    with open_binary(path) as stream:
        return READERS[format](stream, path)


def _find(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with one of the names, in their order."""
    folded = {re.sub(r"[\s-]+", "_", column.strip().casefold()): column for column in reversed(table.columns)}
    return next((folded[name] for name in names if name in folded), None)


def _numbers(table: Table) -> dict[str, int]:
    """Return the number of each item, from 0, by its id, or by its number from 1."""
    column = _find(table, _ITEM)
    ids = [] if column is None else [str(cell) for cell in table.columns[column]]
    if len(set(ids)) != len(table.lines):
        ids = [str(number) for number in range(1, len(table.lines) + 1)]
    return {name: number for number, name in enumerate(ids)}


def _wide(table: Table, systems: Sequence[str]) -> Iterator[Row]:
    for column, cells in table.columns.items():
        for system in sorted(systems, key=len, reverse=True):
            between, rest = column[len(system) :][:1], column[len(system) + 1 :]
            if column.startswith(system) and rest and between in _BETWEEN:
                dimension, _, rater = rest.partition(between)
                yield from ((dimension, rater, system, item, cell) for item, cell in enumerate(cells))
                break


def _objects(table: Table, name: str, systems: Sequence[str]) -> Iterator[Row]:
    """Yield the rows in objects by system: for each dimension a value, or one per rater."""
    for item, cell in enumerate(table.columns.get(name, ())):
        if cell is None:
            continue
        if not isinstance(cell, dict) or not all(isinstance(own, dict | None) for own in cell.values()):
            place, form = table.place(item, name), "{system: {dimension: value}}"
            raise InputError(f"{place}: expected {form}, got {shorten(cell)}.")
        for system, own in cell.items():
            if system not in systems:
                continue
            for dimension, value in (own or {}).items():
                if isinstance(value, list):
                    value = {str(number): each for number, each in enumerate(value, 1)}
                raters = value if isinstance(value, dict) else {"": value}
                for rater, each in raters.items():
                    yield dimension, rater, system, item, each


def _long(table: Table, systems: Sequence[str], ids: dict[str, int]) -> Iterator[Row]:
    item, system, rater = (_find(table, names) for names in (_ITEM, _SYSTEM, _RATER))
    if item is None or system is None:
        raise InputError(
            f"{table.name}: a table of grades needs the columns item and system; at least one of them is missing."
        )
    dimension, value = _find(table, _DIMENSION), _find(table, _VALUE)
    if dimension is not None and value is not None:
        columns = {value: table.columns[dimension]}
    else:  # a column for each dimension
        known = {item, system, rater, _find(table, _TEXT)}
        columns = {
            name: [name] * len(cells)
            for name, cells in table.columns.items()
            if name not in known and _are_numbers(cells) and role_of(name) != "reference"
        }
    for row in range(len(table.lines)):
        key, of = str(table.columns[item][row]), table.columns[system][row]
        if key not in ids or of not in systems:
            what, place = (key, item) if key not in ids else (of, system)
            raise InputError(f"{table.place(row, place)}: {shorten(what)} is not in the table of texts.")
        who = "" if rater is None else str(table.columns[rater][row] or "")
        for column, dimensions in columns.items():
            yield str(dimensions[row]), who, of, ids[key], table.columns[column][row]


def _are_numbers(cells: Sequence[Any]) -> bool:
    given = [str(cell).replace(",", ".") for cell in cells if cell not in (None, "")]
    try:
        return bool([*map(float, given)])
    except ValueError:
        return False


def _pivot(
    table: Table, name: str, reference_columns: str | Sequence[str], source_column: str | None, cluster: str | None
) -> tuple[TestSet, dict[str, int]]:
    """Return the texts of a long table: a row for each item and system, or several, which repeat the texts."""
    item, system, text = _find(table, _ITEM), _find(table, _SYSTEM), _find(table, _TEXT)
    references = [reference_columns] if isinstance(reference_columns, str) else list(reference_columns)
    roles = {column: role_of(column) for column in table.columns if column != text}
    references = references or [column for column, role in roles.items() if role == "reference"]
    if item is None or system is None or text is None or not references:
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
        key, of, written = (table.columns[column][row] for column in (item, system, text))
        if not isinstance(of, str) or not isinstance(written, str):
            column, cell = (text, written) if isinstance(of, str) else (system, of)
            raise InputError(f"{table.place(row, column)}: expected a text, got {shorten(cell)}.")
        number = ids.setdefault(str(key), len(ids))
        if texts.setdefault((of, number), written) != written:
            raise InputError(f"{table.place(row, text)}: another text of {shorten(of)} for the item {shorten(key)}.")
        label = None if cluster is None else table.column(cluster)[row]
        if number < len(labels) and labels[number] != label:
            raise InputError(
                f"{table.place(row, str(cluster))}: {shorten(label)} for the item {shorten(key)}, which an earlier "
                f"row puts in {shorten(labels[number])}."
            )
        if number == len(lists):
            labels.append(label)
            cells = [table.columns[column][row] for column in references]
            flat = [each for cell in cells for each in (cell if isinstance(cell, list) else [cell])]
            lists.append([each for each in flat if each])
            sources.append(str(table.columns[source][row] or "") if source else "")
    names = dict.fromkeys(of for of, _ in texts)
    for of, (key, number) in product(names, ids.items()):
        if (of, number) not in texts:
            raise InputError(f"{table.name}: the item {shorten(key)} has no text of {shorten(of)}.")
    systems = {of: [texts[of, number] for number in range(len(ids))] for of in names}
    clusters = None if cluster is None else Clusters.of(labels, len(labels), cluster)
    named = "; ".join([f"texts: {text!r} of each {system!r}", f"references: {', '.join(map(repr, references))}"])
    fields = f"{table.name}: {named}{f'; sources: {source!r}' if source else ''}."
    return TestSet(name, systems, lists, sources if source else None, fields=fields, clusters=clusters), ids
