"""A comparison as a fragment of HTML, for a page that has a style of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .charts import dot_column, marks_of, primary_table
from .dots import DotChart
from .names import short_names
from .rendering import render
from .verdicts import score_verdict

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore


def compared_html(comparison: Comparison, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the verdict by the primary score of one metric, a table and a plot of it, and its other scores folded.

    The page defines the colours as variables: ``--ink``, ``--soft``, ``--line``, ``--paper`` and ``--accent``.
    """
    names = short_names(list(comparison.test_set.systems))
    first = primary_table(comparison.tables)
    views = []
    for table in (first, *(each for each in comparison.tables if each is not first)):
        rows = _ordered(table)
        order = [row.system for row in rows]
        chart = DotChart([names[name] for name in order], [dot_column(comparison, table, table.title, order)])
        views.append((table, rows, score_verdict(comparison, table, names), chart))
    return render(
        "compared.html", c=comparison, views=views, names=names, notes=notes, lines=lines,
        marks=marks_of(comparison, comparison.tables),
    )  # fmt: skip


def _ordered(table: ScoreTable) -> list[SystemScore]:
    """Return the rows, the best first."""
    sign = -1.0 if table.higher_is_better else 1.0
    return sorted(table.rows, key=lambda row: math.inf if math.isnan(row.value) else sign * row.value)
