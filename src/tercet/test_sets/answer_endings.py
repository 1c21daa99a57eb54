"""Columns that say how answers ended -> which of these failed, or were cut off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tercet.errors import shorten, warn
from tercet.files.columns.scores import columns_beside
from tercet.files.logs.endings import ENDING_COLUMNS, doubtful_errors, wrong_ends
from tercet.files.table import Table

from .test_set import TestSet


class EndingColumn(NamedTuple):
    """How the answers of a system ended, as a column of a file says."""

    system: str
    file: str
    column: str
    #: The name of the column without the system, one of `ENDING_COLUMNS`.
    name: str
    #: By segment.
    cells: Sequence[Any]


def ending_columns(table: Table, systems: Sequence[str], scores: Sequence[str]) -> list[EndingColumn]:
    """Return the columns, such as ``base.status``, that say how the answers of systems ended, and are no scores."""
    columns = []
    for name in ENDING_COLUMNS:
        if name in scores:
            continue
        for system, column in columns_beside(table, systems, name).items():
            columns.append(EndingColumn(system, table.name, column, name, table.columns[column]))
    return columns


def wrong_ends_of(columns: Iterable[EndingColumn], test_set: TestSet) -> dict[str, dict[int, str]]:
    """Return by system what is wrong with its answers, by segment; warn of columns that may say something else."""
    problems: dict[str, dict[int, str]] = {system: {} for system in test_set.systems}
    for system, file, column, name, cells in columns:
        for row, kind in wrong_ends(name, cells).items():
            problems[system].setdefault(row, kind)
        rows = doubtful_errors(name, cells)
        # An answer that is empty counts as that.
        if any(test_set.no_texts or test_set.systems[system][row].strip() for row in rows):
            warn(
                f"{file}: {shorten(column)} has a text in {len(rows):,} of {len(cells):,} rows. So many may be "
                "remarks, and are not counted as answers that failed. If they are errors, call the column "
                f"{column + '.message'!r}."
            )
    return problems
