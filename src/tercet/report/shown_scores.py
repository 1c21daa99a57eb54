"""Which scores of a comparison the parts of a page show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

#: Scores from which on the summary draws only the primary one of each metric.
_MOST_COLUMNS = 6


def primary_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    for table in tables:
        if table.name == table.scorer.primary:
            return table
    return tables[0]


def by_metric(tables: Sequence[ScoreTable]) -> list[list[ScoreTable]]:
    """Return the scores of each metric."""
    tables_of: dict[str, list[ScoreTable]] = {}
    for table in tables:
        tables_of.setdefault(table.metric, []).append(table)
    return list(tables_of.values())


def shown_tables(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return the scores that stand side by side; of many scores, those that each metric sorts systems by."""
    if len(tables) <= _MOST_COLUMNS:
        return list(tables)
    return [primary_table(tables_of_metric) for tables_of_metric in by_metric(tables)]


def baseline_index(comparison: Comparison, rows: Sequence[SystemScore]) -> int:
    """Return which of the rows is that of the baseline."""
    return [row.system for row in rows].index(comparison.baseline)
