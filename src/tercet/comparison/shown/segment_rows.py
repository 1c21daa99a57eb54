"""A row for each segment and system: its scores, its texts, and the columns of its file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal, NamedTuple

from tercet.comparison.result import Comparison
from tercet.table_formats import Column, Table, check_fits
from tercet.test_sets.test_set import TestSet

from .sheet_columns import WIDTHS, sheet_columns


def segments_of(comparison: Comparison, worst: int | None = None) -> Any:
    """Return a row for each segment and system as a data frame, or as a list where pandas is not installed.

    Of `worst` rows, those are by the first score.
    """
    test_set = comparison.test_set
    has_texts = not test_set.no_texts
    has_sources = has_texts and test_set.source is not None
    titles = [column.title for column in columns_before_texts([comparison])]
    titles_of_texts = []
    if has_sources:
        titles_of_texts.append("source")
    if has_texts:
        titles_of_texts += ["prediction", "references"]
    rows: list[dict[str, Any]] = []
    for row in segment_rows([comparison], worst_first=worst is not None):
        if len(rows) == worst:
            break
        by_title = dict(zip(titles, row.cells, strict=True))
        if has_sources:
            by_title["source"] = row.source
        if has_texts:
            by_title |= {"prediction": row.text, "references": row.references}
        rows.append(by_title)
    if find_spec("pandas") is None:
        return rows
    import pandas as pd

    return pd.DataFrame(rows, columns=[*titles, *titles_of_texts])


def segments_sheet(comparisons: Sequence[Comparison], *, worst_first: bool = False) -> Table:
    """Return a row for each segment and system: its scores and texts, with a column for each reference."""
    test_sets = [comparison.test_set for comparison in comparisons]
    most_references = max((len(texts) for test_set in test_sets for texts in test_set.references), default=0)
    labels = ["reference", *(f"reference {number}" for number in range(2, most_references + 1))][:most_references]
    has_sources = any(test_set.source is not None for test_set in test_sets)
    titles_of_texts = ["source", "prediction"] if has_sources else ["prediction"]
    columns = [*columns_before_texts(comparisons), *sheet_columns(titles_of_texts)]
    columns += [Column(label, width=WIDTHS["reference"]) for label in labels]

    def rows() -> Iterator[list[Any]]:
        for row in segment_rows(comparisons, worst_first=worst_first):
            texts = [row.source, row.text] if has_sources else [row.text]
            no_references = [None] * (most_references - len(row.references))
            yield [*row.cells, *texts, *row.references, *no_references]

    # The rows are made as they are written, so that their number is not known from them.
    n_rows = sum(len(test_set.references) * len(test_set.systems) for test_set in test_sets)
    return Table("Segments", columns, rows(), n_made=n_rows, has_filters=True)


def check_segments_fit(test_sets: Iterable[TestSet]) -> None:
    """Raise an InputError for more segments of all systems than a sheet has rows."""
    check_fits("Segments", sum(test_set.n_segments * len(test_set.systems) for test_set in test_sets))


class SegmentRow(NamedTuple):
    """A segment of a system."""

    #: Of the columns before the texts.
    cells: list[Any]
    source: str
    text: str
    references: list[str]


def segment_rows(comparisons: Sequence[Comparison], *, worst_first: bool) -> Iterator[SegmentRow]:
    """Yield a row for each segment and system."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles = dict.fromkeys(table.column_title for table in tables)
    has_ids = any(comparison.test_set.ids for comparison in comparisons)
    own_names = _own_names(comparisons)
    for comparison in comparisons:
        test_set = comparison.test_set
        scores = {table.column_title: table.segments for table in comparison.tables}
        own_columns = {system: _own_columns(test_set, own_names, system) for system in test_set.systems}
        for number, system in _segments_of_systems(comparison, worst_first=worst_first):
            source = "" if test_set.source is None else test_set.source[number]
            ids = []
            if has_ids:
                ids.append(test_set.ids[number] if test_set.ids else "")
            own_cells = [_own_cell(cells[number]) for cells in own_columns[system]]
            values = []
            for title in titles:
                # A score that only another test set has is missing here.
                values.append(scores[title][system][number] if title in scores else None)
            labels = [test_set.name, number + 1, *ids, *own_cells, system]
            text = test_set.systems[system][number]
            yield SegmentRow([*labels, *values], source, text, test_set.references[number])


def _segments_of_systems(comparison: Comparison, *, worst_first: bool) -> Iterable[tuple[int, str]]:
    """Return the segments, from 0, each of every system: in the order of the file, or by the first score."""
    test_set = comparison.test_set
    in_order = product(range(test_set.n_segments), test_set.systems)
    if not worst_first or not comparison.tables:
        return in_order
    table = comparison.tables[0]
    sign = 1 if table.higher_is_better else -1

    def badness(segment_of_system: tuple[int, str]) -> float:
        number, system = segment_of_system
        value = table.segments[system][number]
        # A segment without a score comes last.
        return math.inf if value is None or math.isnan(value) else sign * value

    return sorted(in_order, key=badness)


def columns_before_texts(comparisons: Sequence[Comparison]) -> list[Column]:
    """Return the columns of a segment that stand before its texts."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles: dict[str, Literal["lowest", "highest"]] = {}
    for table in tables:
        titles[table.column_title] = "lowest" if table.higher_is_better else "highest"
    ids = []
    if any(comparison.test_set.ids for comparison in comparisons):
        ids.append("id")
    other_titles = {*titles, *ids, *_TITLES_OF_SEGMENTS}
    return [
        *sheet_columns(("test_set", "segment", *ids)),
        *(Column(_own_title(name, other_titles), "text", width=22) for name in _own_names(comparisons)),
        *sheet_columns(("system",)),
        *(Column(title, number_format="0.00", worst=worst) for title, worst in titles.items()),
    ]


#: What columns of segments are called, but for scores, and for those of single references.
_TITLES_OF_SEGMENTS = ("test_set", "segment", "system", "source", "prediction", "candidate", "references")
_REFERENCE = re.compile(r"reference( \d+)?")


def _own_names(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the names of the files' own columns that are neither texts nor scores, each once."""
    names: dict[str, None] = {}
    for comparison in comparisons:
        names |= dict.fromkeys(comparison.test_set.own_columns)
        names |= dict.fromkeys(comparison.test_set.own_columns_by_system)
    return list(names)


def _own_columns(test_set: TestSet, names: Sequence[str], system: str) -> list[list[Any]]:
    """Return the cells of the file's own columns for a system; empty ones of columns that the file lacks."""
    no_cells = [None] * test_set.n_segments
    columns: list[list[Any]] = []
    for name in names:
        shared_cells = test_set.own_columns.get(name, no_cells)
        columns.append(test_set.own_columns_by_system.get(name, {}).get(system, shared_cells))
    return columns


def _own_title(name: str, other_titles: Container[str]) -> str:
    """Return the title of a file's own column, which another column may have too."""
    has_another = name in other_titles or _REFERENCE.fullmatch(name) is not None
    return f"{name} (of the file)" if has_another else name


def _own_cell(value: Any) -> Any:
    """Return a cell of a file's own column as a text or number; a list or an object as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
