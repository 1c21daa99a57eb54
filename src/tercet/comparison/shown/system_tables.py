"""Tables for people with a row for each system: scores side by side, or below each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from tercet.comparison.result import Comparison
from tercet.comparison.values.scores import AS_GOOD, BESIDE_SCORES, SystemScore, against_in_words
from tercet.table_formats import Cell, Column, Group, Table, decimals, interval_text


def wide_table(
    comparison: Comparison, notes: Sequence[str], *, title: str = "", beside: Collection[str] = BESIDE_SCORES
) -> Table:
    """Return a table with a row for each system: each score with its interval and mark, and against the baseline.

    `beside` is what stands beside scores. Where there are ranks, the best by the first score is first, and where they
    are shown, lines are between its groups.
    """
    columns = [Column("system", "name")]
    rows: list[list[Any]] = [[system] for system in comparison.test_set.systems]
    for label, table in zip(comparison.score_labels(), comparison.tables, strict=True):
        columns.append(Column(label, after=table.arrow))
        columns += _columns_beside(comparison, beside)
        for cells, row in zip(rows, table.rows, strict=True):
            cells += _cells_of(comparison, row, beside)
    lines: Sequence[int] = ()
    if comparison.has_ranks:
        first = comparison.tables[0]
        rows = [rows[index] for index in first.order]
        lines = first.group_ends if "rank" in beside else ()
    signatures = list(dict.fromkeys(table.signature for table in comparison.tables))
    return Table(title, columns, rows, notes=notes, signatures=signatures, lines=lines)


def stacked_table(
    comparison: Comparison, notes: Sequence[str], *, title: str = "", beside: Collection[str] = BESIDE_SCORES
) -> Table:
    """Return a table with a row for each system by each score, below each other: the page of a paper is narrow.

    `beside` is what stands beside scores. Where there are ranks, the best by each score is first there, and where
    they are shown, lines are between its groups.
    """
    several = len(comparison.tables) > 1
    rows: list[list[Any]] = []
    groups = []
    lines: list[int] = []
    for score, table in zip(comparison.titles(), comparison.tables, strict=True):
        start = len(rows)
        groups.append(Group(start, score, table.arrow))
        order = table.order if comparison.has_ranks else range(len(table.rows))
        for index in order:
            row = table.rows[index]
            rows.append([row.system, *_cells_of(comparison, row, beside)])
        if comparison.has_ranks and "rank" in beside:
            lines += [start + end for end in table.group_ends]
    first = comparison.tables[0]
    head = Column("score") if several else Column(comparison.titles()[0], after=first.arrow)
    return Table(
        title,
        [Column("system", "name"), head, *_columns_beside(comparison, beside)],
        rows,
        notes=notes,
        signatures=list(dict.fromkeys(table.signature for table in comparison.tables)),
        lines=lines,
        groups=groups if several else (),
    )


def _columns_beside(comparison: Comparison, beside: Collection[str]) -> list[Column]:
    """Return the columns that stand beside that of a score, of those that are shown."""
    columns: list[Column] = []
    if comparison.test is None:
        return columns
    if "difference" in beside:
        columns.append(Column("difference", "difference"))
    if "p" in beside:
        columns.append(Column(comparison.p_label))
    if "rank" in beside and comparison.has_ranks:
        columns.append(Column("rank"))
    return columns


def _cells_of(comparison: Comparison, row: SystemScore, beside: Collection[str]) -> list[Any]:
    """Return a score with its interval and mark, and what stands beside it, of what is shown."""
    mark = AS_GOOD if row.as_good and not row.best else ""
    interval = interval_text(row.low, row.high, row.digits, narrow=True) if "interval" in beside else ""
    cells: list[Any] = [Cell(decimals(row.value, row.digits), row.best, f"{mark} ({interval})" if interval else mark)]
    if comparison.test is None:
        return cells
    against = against_in_words(row)
    if "difference" in beside:
        around = f" {row.interval_of_difference}" if row.interval_of_difference and "interval" in beside else ""
        cells.append(Cell(against.difference, after=around))
    if "p" in beside:
        cells.append(against.p)
    if "rank" in beside and comparison.has_ranks:
        cells.append(Cell("", after=row.places))
    return cells
