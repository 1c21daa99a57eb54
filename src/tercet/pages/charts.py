"""The scores of a comparison as dots with intervals, and which marks need a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .dots import Dot, DotChart, DotColumn, Mark, dot_charts

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable

#: Scores from which on the summary draws only the primary one of each metric.
_MOST_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Marks:
    """Which marks occur: a legend explains no others."""

    as_good: bool
    worse: bool
    lower: bool  # a score of which lower is better
    baseline: bool
    pairs: bool  # a significant difference
    intervals: str  # their level; empty where all are points

    def key(self) -> str:
        """Return what the dots and lines of a chart are."""
        tested = ["filled: not significantly worse"] * self.as_good + ["hollow: significantly worse"] * self.worse
        lines = [f"Lines: {self.intervals} intervals."] * bool(self.intervals)
        dashed = ["Dashed: the baseline’s score."] * self.baseline
        return " ".join([*lines, f"Diamond: {'; '.join(['best', *tested])}.", *dashed])


def primary_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    return next((table for table in tables if table.name == table.scorer.primary), tables[0])


def summary_charts(
    comparison: Comparison, titles: Sequence[str], order: Sequence[str], names: dict[str, str]
) -> list[DotChart]:
    """Return the scores of all systems as dots; of many scores, those that each metric sorts systems by."""
    chosen = list(zip(comparison.tables, titles, strict=True))
    if len(chosen) > _MOST_COLUMNS:
        tables = [table for table, _ in chosen]
        primary = [primary_table([each for each in tables if each.metric == table.metric]) for table in tables]
        chosen = [each for each, own in zip(chosen, primary, strict=True) if each[0] is own]
    return dot_charts([names[name] for name in order], [dot_column(comparison, *each, order) for each in chosen])


def dot_column(comparison: Comparison, table: ScoreTable, title: str, order: Sequence[str]) -> DotColumn:
    """Return the scores of one table with their intervals, in an order of the systems."""
    of_system = {row.system: row for row in table.rows}
    rows = [of_system[name] for name in order]
    tested = comparison.test is not None  # without a test, none is known to be worse
    marks: list[Mark] = ["best" if row.best else "filled" if row.as_good or not tested else "hollow" for row in rows]
    dots = [Dot(row.value, row.low, row.high, mark) for row, mark in zip(rows, marks, strict=True)]
    note = "" if table.higher_is_better else "lower is better"
    line = of_system[comparison.baseline].value
    return DotColumn(title, dots, note, line if tested and not math.isnan(line) else None)


def marks_of(comparison: Comparison, tables: Sequence[ScoreTable]) -> Marks:
    """Return the marks that occur in some tables."""
    others = [row.as_good for table in tables for row in table.rows if not row.best]
    lower = any(not table.higher_is_better for table in tables)
    drawn = any(row.low < row.high for table in tables for row in table.rows)
    level = f"{100 * comparison.confidence_level:g} %" if drawn else ""
    significant = any((table.pvalues < comparison.alpha).any() for table in tables)
    return Marks(
        True in others, False in others, lower, comparison.test is not None, significant, level if drawn else ""
    )
