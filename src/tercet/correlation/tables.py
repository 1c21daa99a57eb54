"""A correlation as text, JSON, TSV, Markdown or LaTeX, and as HTML for a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tercet.comparison.shown.table_width import Fitted, TerminalColumn, fitted, in_parts, left_out_in_words, printed
from tercet.names_as_shown import clean, counted, one_cell, sentences_html
from tercet.table_formats import FOR_PEOPLE, Cell, Column, Table, json_text, pvalue_text, to_lines, to_notebook

from .answer import answer
from .figures import FigureValue
from .result import COLUMNS, Correlation, DimensionTable

#: Figures of the readable tables, where defined; JSON and TSV have all of them.
SHOWN = (
    "pooled.pearson",
    "pooled.kendall_b",
    "item.kendall_b",
    "item.acc_eq",
    "item.darr",
    "system.pearson",
    "system.pairwise_accuracy",
    "system.spa",
)
#: Before the p-value of a pair whose difference is significant.
MARKS = {"better": "▲ ", "worse": "▼ ", "": ""}
#: Figures beside the one of the ranking, before the last one, where there are many.
_FIRST_BESIDE = 4


def to_text(correlation: Correlation, width: int | None = None, colour: bool = False, *, wraps: bool = False) -> str:
    """Return the answers, then for each dimension the ranking and p between metrics, for a terminal.

    Figures that do not fit are left out, and a line below says which. `wraps` breaks long lines between words.
    """
    width = Console(width=width, force_terminal=colour).width
    parts: list[str | Fitted] = []
    for table in correlation.tables:
        parts += [*map(one_cell, answer_lines(correlation, table)), ""]
    for table in correlation.tables:
        parts.append(_ranking_table(correlation, table, width))
        if len(correlation.metrics) > 1:
            parts += _pvalues(correlation, table, width)
        parts += [*map(one_cell, note_lines(correlation, table)), ""]
    names = list(dict.fromkeys(name for table in correlation.tables for name in shown_figures(table)))
    tables = [part for part in parts if isinstance(part, Fitted)]
    below = left_out_in_words(tables, "-f tsv")
    below += [correlation.legend(), *correlation.tested(correlation.tables), *correlation.about(names)]
    return printed([*parts, *map(one_cell, [*below, *correlation.signatures()])], width, colour, wraps=wraps)


def _ranking_table(correlation: Correlation, table: DimensionTable, width: int) -> Fitted:
    items = "item" if table.n_items == 1 else "items"
    title = (
        f"{correlation.test_set.name}: {table.dimension}, {table.n_graded} graded outputs of {table.n_items} {items}"
    )
    titles = correlation.titles()
    cluster_heading = table.cluster_label.replace("cluster (p ", "cluster (p\n")
    columns = [
        TerminalColumn(cluster_heading, [table.cluster_of(label) for label in table.ranking]),
        TerminalColumn("metric", [one_cell(titles[label]) for label in table.ranking], is_name=True),
    ]
    names = shown_figures(table)
    for index, name in enumerate(names):
        heading = name.replace(".", "\n")
        figures = [table.figures[label][name] for label in table.ranking]
        if name == table.rank_by:
            columns.append(TerminalColumn(heading, [f"[bold]{with_interval(figure)}[/]" for figure in figures]))
        else:
            cells = [figure_text(figure.value) for figure in figures]
            # The last ones leave first.
            columns.append(TerminalColumn(heading, cells, leaves=len(names) - index, said=name))
    ranking = Grid(title=escape(one_cell(title)), box=box.SIMPLE_HEAD, title_justify="left")
    return fitted(ranking, columns, width)


def _pvalues(correlation: Correlation, table: DimensionTable, width: int) -> Iterator[Fitted]:
    """Yield p of each two metrics: as many columns as fit, and the others in further tables."""
    titles = correlation.titles()
    names = [f"{rank} {one_cell(titles[label])}" for rank, label in enumerate(table.ranking, 1)]
    rows = []
    for row in pairs(correlation, table):
        cells = []
        for p, outcome in row:
            if p is None:
                cells.append("")
            elif math.isnan(p):
                cells.append(f"{MARKS[outcome]}-")
            else:
                cells.append(f"{MARKS[outcome]}{pvalue_text(p)}")
        rows.append(cells)
    columns = [TerminalColumn(str(rank), cells) for rank, cells in enumerate(zip(*rows, strict=True), 1)]
    of_names = TerminalColumn(table.p_label, names, is_name=True)
    for columns_that_fit in in_parts(of_names, columns, width):
        yield fitted(Grid(box=box.SIMPLE_HEAD), columns_that_fit, width)


def in_format(correlation: Correlation, form: str) -> str:
    """Return a correlation as json, tsv or csv, with all numbers, or as markdown or latex, as people read it."""
    if form == "json":
        return json_text(correlation.to_dict())
    if form in FOR_PEOPLE:
        return FOR_PEOPLE[form](_figure_tables(correlation, alone=form == "latex"))
    return to_lines(sheet_of(correlation), form)


def sheet_of(correlation: Correlation) -> Table:
    """Return a row for each figure of each metric and dimension."""
    rows = []
    for record in correlation.records():
        # NaN, as of an undefined figure, is an empty cell.
        rows.append([None if value != value else value for value in record.values()])
    return Table("Figures", [Column(name) for name in COLUMNS], rows)


def _figure_tables(correlation: Correlation, *, alone: bool) -> Iterator[Table]:
    """Yield a table for each dimension: a row for each metric, the best first, and a column for each figure.

    The legend stands below the last one, or below each that is read `alone`, then without signatures.
    """
    titles = correlation.titles()
    for table in correlation.tables:
        names = _defined(SHOWN, table)
        if table.rank_by not in names:
            names = [table.rank_by, *names]
        best = {}
        for name in names:
            values = [figures[name].value for figures in table.figures.values()]
            best[name] = max((value for value in values if not math.isnan(value)), default=math.nan)
        # A metric alone is not the best of several.
        has_others = len(table.ranking) > 1
        rows = []
        for label in table.ranking:
            row: list[Any] = [table.cluster_of(label), titles[label]]
            for name in names:
                figure = table.figures[label][name]
                row.append(Cell(with_interval(figure), has_others and figure.value == best[name]))
            rows.append(row)
        is_last = table is correlation.tables[-1]
        notes = note_lines(correlation, table)
        if alone or is_last:
            tables = [table] if alone else correlation.tables
            notes += [correlation.legend(), *correlation.tests(tables)]
        yield Table(
            table.dimension,
            [Column(table.cluster_label), Column("metric", "name"), *map(Column, names)],
            rows,
            above=answer_lines(correlation, table),
            notes=notes,
            signatures=correlation.signatures() if is_last and not alone else [],
        )


def correlation_html(correlation: Correlation) -> str:
    """Return the answers, then the figures of each dimension with their intervals, as HTML for a notebook."""
    parts = []
    for table in correlation.tables:
        remarks = [(remark,) for remark in new_remarks(correlation, table)]
        parts.append(sentences_html([*answer(correlation, table), *remarks]))
    titles = correlation.titles()
    names = list(dict.fromkeys(name for table in correlation.tables for name in shown_figures(table)))
    for table in correlation.tables:
        figure_names = shown_figures(table)
        graded = f"{table.n_graded:,} graded outputs of {counted(table.n_items, 'item')}"
        rows = []
        for label in table.ranking:
            cells = [with_interval(table.figures[label][name]) for name in figure_names]
            rows.append([titles[label], table.cluster_of(label), *cells])
        notes = note_lines(correlation, table)
        if table is correlation.tables[-1]:
            notes += [correlation.legend(), *correlation.tests(correlation.tables)]
            notes += [*correlation.about(names), *correlation.signatures()]
        parts.append(f"<p><b><bdi>{clean(table.dimension)}</bdi></b>: {graded}</p>")
        columns = [Column("metric", "name"), *map(Column, [table.cluster_label, *figure_names])]
        parts.append(to_notebook(Table("", columns, rows, notes=notes)))
    return f"<div>{''.join(parts)}</div>"


# What readable forms show of a dimension: figures, cells, lines around tables.


def shown_figures(table: DimensionTable) -> list[str]:
    """Return the figure of the ranking, and those that stand beside it where room is scarce."""
    beside = [name for name in _defined(SHOWN, table) if name != table.rank_by]
    # DARR is for preferences, which it ranks: beside other figures it is left out.
    beside = [name for name in beside if name != "item.darr"] or beside
    if len(beside) > _FIRST_BESIDE:
        # The last one stays: SPA, by which WMT's metrics tasks compare metrics as judges of systems.
        beside = [*beside[:_FIRST_BESIDE], beside[-1]]
    return [table.rank_by, *beside]


def _defined(names: Iterable[str], table: DimensionTable) -> list[str]:
    """Return the names of the figures that a dimension has: every metric has the same."""
    figures = next(iter(table.figures.values()))
    return [name for name in names if name in figures]


class PairCell(NamedTuple):
    """What the test of two metrics says of one of them."""

    p: float | None  # adjusted; None of a metric and itself
    outcome: str  # whether it is significantly better or worse; "" of neither


def pairs(correlation: Correlation, table: DimensionTable) -> list[list[PairCell]]:
    """Return what the tests say of each metric, the best first, against each."""

    def pair(row: str, column: str) -> PairCell:
        p = None if row == column else table.pair_p(row, column)
        return PairCell(p, table.significance(row, column, correlation.alpha))

    return [[pair(row, column) for column in table.ranking] for row in table.ranking]


def agreement_lines(table: DimensionTable) -> list[str]:
    """Return the agreement of the raters, in words; nothing for one rater."""
    if not table.agreement:
        return []
    found = {name: figure_text(value) for name, value in table.agreement.items()}
    alpha = f"Krippendorff's alpha {found['alpha_ordinal']} (ordinal), {found['alpha_interval']} (interval)"
    return [f"Inter-rater agreement: {alpha}; share of equal grades {found['raw']}."]


def answer_lines(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the answer, and the warnings about it."""
    return [" ".join("".join(sentence) for sentence in answer(correlation, table)), *new_remarks(correlation, table)]


def new_remarks(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the warnings about a ranking that do not stand with an earlier one: what holds of all is said once."""
    earlier_tables = correlation.tables[: correlation.tables.index(table)]
    said_before = {remark for earlier in earlier_tables for remark in earlier.remarks}
    return [remark for remark in table.remarks if remark not in said_before]


def note_lines(correlation: Correlation, table: DimensionTable) -> list[str]:
    """Return the agreement of raters, and the best layers."""
    return [*agreement_lines(table), *(sweep.summary(correlation.alpha) for sweep in table.layers)]


def with_interval(figure: FigureValue) -> str:
    """Return a figure and its interval for a cell of a table."""
    if math.isnan(figure.low):
        return figure_text(figure.value)
    return f"{figure_text(figure.value)} ({figure_text(figure.low)} to {figure_text(figure.high)})"


def figure_text(value: float) -> str:
    """Return a figure as text."""
    return "-" if math.isnan(value) else f"{value:.3f}"
