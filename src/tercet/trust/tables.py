"""A correlation as text, JSON, TSV, Markdown or LaTeX."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tercet.comparison.tables import (
    as_latex,
    as_markdown,
    json_text,
    lines_of_csv,
    lines_of_tsv,
    table_cell,
    title_row,
)
from tercet.metric.drawing.visible import one_cell
from tercet.statistics.paired_tests import pvalue_text

from .result import COLUMNS, Correlation, DimensionTable
from .shown import MARKS, SHOWN, answer_lines, note_lines, number, pairs, shown_figures, with_interval


def to_text(found: Correlation, width: int | None = None, colour: bool = False) -> str:
    """Return the answers, then for each dimension the ranking and p between metrics, for a terminal."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)

    def say(lines: Sequence[str]) -> None:
        for line in lines:
            console.print(one_cell(line), soft_wrap=True, markup=False)

    for table in found.tables:
        say([*answer_lines(found, table), ""])
    for table in found.tables:
        console.print(_ranking(found, table))
        if len(found.metrics) > 1:
            console.print(_pvalues(found, table))
        say([*note_lines(found, table), ""])
    names = list(dict.fromkeys(name for table in found.tables for name in shown_figures(table)))
    say([found.legend(), *found.tested(found.tables), *found.about(names), *found.signatures()])
    return buffer.getvalue()


def _ranking(found: Correlation, table: DimensionTable) -> Table:
    title = f"{found.test_set.name}: {table.dimension}, {table.n_graded} graded outputs of {table.n_items} items"
    shown = Table(title=escape(one_cell(title)), box=box.SIMPLE_HEAD, title_justify="left")
    shown.add_column("cluster", justify="right")
    shown.add_column("metric", overflow="fold")
    names, titles = shown_figures(table), found.titles()
    for name in names:
        shown.add_column(name.replace(".", "\n"), justify="right")
    for label in table.ranking:
        figures = table.figures[label]
        cells = [
            f"[bold]{with_interval(figures[name])}[/]" if name == table.rank_by else number(figures[name].value)
            for name in names
        ]
        shown.add_row(str(table.clusters[label]), escape(one_cell(titles[label])), *cells)
    return shown


def _pvalues(found: Correlation, table: DimensionTable) -> Table:
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column(table.p_label, overflow="fold")
    for place, _ in enumerate(table.ranking, 1):
        shown.add_column(str(place), justify="right")
    for place, (label, row) in enumerate(zip(table.ranking, pairs(found, table), strict=True), 1):
        cells = ["" if p is None else f"{MARKS[way]}{_p(p)}" for p, way in row]
        shown.add_row(f"{place} {escape(one_cell(found.titles()[label]))}", *cells)
    return shown


def to_json(found: Correlation) -> str:
    """Return all numbers as JSON."""
    return json_text(found.to_dict())


def to_tsv(found: Correlation) -> str:
    """Return a line for each figure of each metric and dimension."""
    return lines_of_tsv(_rows(found))


def to_csv(found: Correlation) -> str:
    """Return the same as CSV."""
    return lines_of_csv(_rows(found))


def _rows(found: Correlation) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for row in found.records():
        yield [table_cell(None if value != value else value) for value in row.values()]


def to_markdown(found: Correlation) -> str:
    """Return a table for each dimension: a row for each metric, the best first, and a column for each figure."""
    parts = []
    for table in found.tables:
        head, *rows = _wide(found, table, lambda text: f"**{text}**", as_markdown)
        lines = [head, ["---:", "---", *["---:"] * (len(head) - 2)], *rows]
        shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        lines_above, notes = (map(as_markdown, of(found, table)) for of in (answer_lines, note_lines))
        parts.append("\n\n".join([f"**{as_markdown(table.dimension)}**", *lines_above, shown, *notes]))
    signatures = [f"`{one_cell(each).replace('`', chr(39))}`" for each in found.signatures()]
    return "\n\n".join([*parts, found.legend(), *signatures]) + "\n"


def to_latex(found: Correlation) -> str:
    """Return the same tables for LaTeX with booktabs."""
    parts = []
    for table in found.tables:
        head, *rows = _wide(found, table, lambda text: f"\\textbf{{{text}}}", as_latex)
        body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
        above, notes = (
            "".join(f"% {one_cell(line)}\n" for line in lines)
            for lines in (answer_lines(found, table), [*note_lines(found, table), found.legend()])
        )
        parts.append(
            f"{above}\\begin{{tabular}}{{rl{'r' * (len(head) - 2)}}}\n\\toprule\n"
            f"{title_row(table.dimension, len(head))}{' & '.join(head)} \\\\\n\\midrule\n"
            f"{body}\\bottomrule\n\\end{{tabular}}\n{notes}"
        )
    return "\n".join(parts)


def _wide(
    found: Correlation, table: DimensionTable, bold: Callable[[str], str], plain: Callable[[str], str]
) -> list[list[str]]:
    names = [name for name in SHOWN if name in next(iter(table.figures.values()))]
    names = names if table.rank_by in names else [table.rank_by, *names]
    best = {name: max(_known(each[name].value) for each in table.figures.values()) for name in names}
    rows = [["cluster", "metric", *map(plain, names)]]
    for label in table.ranking:
        figures = table.figures[label]
        shown = {name: with_interval(figures[name]) for name in names}
        cells = [bold(cell) if figures[name].value == best[name] else cell for name, cell in shown.items()]
        rows.append([str(table.clusters[label]), plain(found.titles()[label]), *cells])
    return rows


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _p(value: float) -> str:
    return "-" if math.isnan(value) else pvalue_text(value)
