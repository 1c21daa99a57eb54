"""A comparison as a fragment of HTML, for a page that has a style of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .dots import Dot, DotChart, DotColumn
from .names import short_names
from .rendering import render
from .verdicts import score_verdict

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore


def compared_html(
    comparison: Comparison, tables: Sequence[ScoreTable], notes: Sequence[str], lines: Sequence[str] = ()
) -> str:
    """Return the verdict on the first table, its scores and a plot of them, and the others folded.

    The page defines the colours as variables: ``--ink``, ``--soft``, ``--line``, ``--paper`` and ``--accent``.
    """
    names = short_names(list(comparison.test_set.systems))
    views = [(table, _ordered(table), score_verdict(comparison, table, names)) for table in tables]
    charts = [_chart(rows, table, names) for table, rows, _ in views]
    return render(
        "compared.html", c=comparison, views=views, charts=charts, names=names, notes=notes, lines=lines,
        level=f"{100 * comparison.confidence_level:g} %",
    )  # fmt: skip


def _ordered(table: ScoreTable) -> list[SystemScore]:
    """Return the rows, the best first."""
    return sorted(table.rows, key=lambda row: -row.value if table.higher_is_better else row.value)


def _chart(rows: Sequence[SystemScore], table: ScoreTable, names: dict[str, str]) -> DotChart:
    dots = [Dot(row.value, row.low, row.high, _mark(row)) for row in rows]
    baseline = next(row.value for row in rows if row.difference is None)
    return DotChart([names[row.system] for row in rows], [DotColumn(table.name, dots, line=baseline)])


def _mark(row: SystemScore) -> Literal["best", "filled", "hollow"]:
    return "best" if row.best else "hollow" if row.as_good is False else "filled"
