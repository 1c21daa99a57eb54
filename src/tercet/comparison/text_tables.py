"""Comparisons as tables for a terminal: all scores, then each with its interval and tests."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tercet.metric.drawing.visible import one_cell
from tercet.statistics.paired_tests import decimals, pvalue_text

from .scores import AS_GOOD, BEST, LOWER, Comparison, ScoreTable, SystemScore

#: Least width of a system's name before columns are left out; greatest width of a header before it folds.
_NAME_WIDTH, _HEAD_WIDTH = 12, 20
_LONGEST_NAME = 30


def to_text(
    comparisons: Sequence[Comparison], width: int | None = None, colour: bool = False, verbose: bool = False
) -> str:
    """Return tables for a terminal: one of all scores where there are several, then one for each score.

    Columns that do not fit continue in a further table. `verbose` adds the metrics' facts, such as BLEU's lengths and
    precisions.
    """
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False, soft_wrap=False)
    room, several = console.width, len(comparisons) > 1
    if sum(len(comparison.tables) for comparison in comparisons) > 1:
        for summary in _summaries(comparisons, room):
            console.print(summary)
    for comparison in comparisons:
        for table in comparison.tables:
            shown, console.width = _rich_table(comparison, table, room)
            console.print(shown)
        for line in (*_below(comparison, verbose), *([""] if several else [])):
            console.print(line, soft_wrap=True, markup=False)
    for line in _legends(comparisons):
        console.print(line, soft_wrap=True, markup=False)
    return buffer.getvalue()


def _summaries(comparisons: Sequence[Comparison], width: int) -> Iterator[Table]:
    """Yield tables of all systems, each with as many scores as fit."""
    names = [one_cell(system) for each in comparisons for system in each.test_set.systems]
    sets = [one_cell(each.test_set.name) for each in comparisons]
    several = len(comparisons) > 1
    used = min(max(map(cell_len, [*names, "system"])), _LONGEST_NAME) + 4
    used += min(max(map(cell_len, [*sets, "test set"])), _LONGEST_NAME) + 3 if several else 0
    labels = comparisons[0].marked_labels()
    by_score = zip(*(each.tables for each in comparisons), strict=False)
    values = ([len(f"{decimals(row.value)} ") for table in tables for row in table.rows] for tables in by_score)
    heads = (min(cell_len(one_cell(label)), _HEAD_WIDTH) for label in labels)
    widths = [max(head, *own) for head, own in zip(heads, values, strict=True)]
    first = 0
    while first < len(labels):
        last, taken = first + 1, used + widths[first] + 3
        while last < len(labels) and taken + widths[last] + 3 <= width:
            taken += widths[last] + 3
            last += 1
        yield _summary(comparisons, range(first, last), widths)
        first = last


def _summary(comparisons: Sequence[Comparison], scores: range, widths: Sequence[int]) -> Table:
    """Return a table of some scores of all systems, with a section per test set."""
    several = len(comparisons) > 1
    title = f"All scores{'' if several else f' of {one_cell(comparisons[0].test_set.name)}'}"
    title += ", continued" if scores.start else ""
    shown = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("test set",) if several else ():
        shown.add_column(name, overflow="fold", max_width=_LONGEST_NAME)
    shown.add_column("system", overflow="fold", max_width=_LONGEST_NAME)
    labels = comparisons[0].marked_labels()
    for index in scores:
        shown.add_column(escape(one_cell(labels[index])), justify="right", overflow="fold", width=widths[index])
    for comparison in comparisons:
        for number, system in enumerate(comparison.test_set.systems):
            cells = [_value(comparison.tables[index].rows[number]) for index in scores]
            named = [escape(one_cell(comparison.test_set.name)) if number == 0 else ""] if several else []
            shown.add_row(*named, escape(one_cell(system)), *cells)
        shown.add_section()
    return shown


def _value(row: SystemScore) -> str:
    value = f"[bold]{decimals(row.value)}[/]" if row.best else decimals(row.value)
    return f"{value}{BEST if row.best else AS_GOOD if row.as_good else ' '}"


def _below(comparison: Comparison, verbose: bool) -> Iterator[str]:
    """Yield the lines below the tables of a test set."""
    if verbose:
        labels = comparison.metric_labels()
        for row in comparison.facts:
            if row.line:
                yield one_cell(f"{labels[row.metric]}, {row.system}: {row.line}")
    for signature in dict.fromkeys(table.signature for table in comparison.tables):
        yield one_cell(signature)
    yield from comparison.remarks(one_cell)


def _legends(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the legend, once if it is the same for all test sets."""
    legends = {one_cell(each.test_set.name): each.legend(one_cell, BEST) for each in comparisons}
    if len(set(legends.values())) == 1:
        yield next(iter(legends.values()))
    else:
        yield from (f"{name}: {legend}" for name, legend in legends.items())


def _rich_table(comparison: Comparison, table: ScoreTable, width: int) -> tuple[Table, int]:
    """Return a table with as many columns as fit, and its width."""
    level, counts = f"{100 * comparison.confidence_level:g} %", "wins/ties/losses"
    score = table.name if table.higher_is_better else f"{table.name} {LOWER}"
    columns: dict[str, list[str]] = {name: [] for name in ("system", score, level)}
    columns |= {name: [] for name in (("difference", comparison.p_label, counts) if comparison.test else ())}
    for row in table.rows:
        name = escape(one_cell(row.system)) + (" (baseline)" if comparison.test and row.difference is None else "")
        tested = _against(row) if comparison.test else ()
        cells = (name, _value(row), f"{decimals(row.low)} – {decimals(row.high)}", *tested)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    for name in (counts, level):
        if _room(columns) > width:
            columns.pop(name, None)
    options = comparison.options()[table.metric]
    given = f" ({options})" if options else ""
    title = one_cell(f"{comparison.test_set.name}: {table.title}{given}")
    shown = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left")
    shown.add_column("system", overflow="fold")
    for name in list(columns)[1:]:
        shown.add_column(name, justify="right", no_wrap=True)
    for cells in zip(*columns.values(), strict=True):
        shown.add_row(*cells)
    return shown, max(width, _room(columns))


def _room(columns: dict[str, list[str]]) -> int:
    """Return the width of a table in which long system names fold."""
    widths = [max(Text.from_markup(cell).cell_len for cell in [name, *cells]) for name, cells in columns.items()]
    return min(widths[0], _NAME_WIDTH) + sum(widths[1:]) + 3 * len(widths) + 1


def _against(row: SystemScore) -> tuple[str, str, str]:
    if row.difference is None:
        return "", "", ""
    p = "NaN" if row.adjusted_pvalue is None else pvalue_text(row.adjusted_pvalue)
    return decimals(row.difference, signed=True), p, f"{row.wins}/{row.ties}/{row.losses}"
