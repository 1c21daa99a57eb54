"""Comparisons as tables for a terminal: the verdict, all scores, then each with its interval and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tercet.comparison.runs.means import as_systems
from tercet.comparison.values.scores import BEST, ScoreTable, SystemScore, against_in_words
from tercet.comparison.verdicts.legends import marks_in_words, rank_legend
from tercet.comparison.wording.decimals import percent
from tercet.names_as_shown import one_cell, short_names
from tercet.table_formats import Cell, Column, LeftOut, Table, decimals, to_terminal

from .table_width import Fitted, TerminalColumn, fitted, folded, left_out_in_words, printed

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.sections import Section

#: Greatest width of a header before it folds.
_HEAD_WIDTH = 20

#: Greatest width of a name in the table of all scores.
_LONGEST_NAME = 30

#: As rich's SIMPLE_HEAD, with a line between groups too.
_LINED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")

#: The width of tables in a log: every column has room.
_WITHOUT_END = 100_000


def to_text(
    comparisons: Sequence[Comparison],
    width: int | None = None,
    colour: bool = False,
    verbose: bool = False,
    *,
    plain: bool = False,
    wraps: bool = False,
    with_warnings: bool = False,
) -> str:
    """Return tables for a terminal: one of all scores where there are several, then one for each score.

    Scores that do not fit continue in a further table; of the table of a score, columns that do not fit are left out,
    and a line below says which. `verbose` adds the metrics' facts, such as BLEU's lengths and
    precisions. With `plain`, for logs, no line is drawn, and names and columns are whole whatever the width; `wraps`
    breaks long lines between words. `with_warnings` is for files: in a terminal, warnings stand above.
    """
    width = _WITHOUT_END if plain else Console(width=width, force_terminal=colour).width
    if len(comparisons) > 1:
        # Here, as one test set has no verdict over all.
        from tercet.comparison.overall import overall_first

        comparisons = overall_first(comparisons)
    displays = [_Display(comparison, width, plain) for comparison in comparisons]
    several = len(displays) > 1
    head: list[Any] = []
    for display in displays:
        head += _verdict_lines(display, several)
    for alike in _with_equal_scores(displays):
        n_scores = len(alike[0].comparison.tables)
        if n_scores * len(alike) > 1:
            head += _summaries(alike)
    text = to_terminal(head, width, colour, wraps=wraps)
    tables: list[Fitted] = []
    for display in displays:
        for table in display.comparison.tables:
            if plain and text:
                text += "\n"
            parts = list(_score_text(display, table))
            tables += [part for part in parts if isinstance(part, Fitted)]
            text += printed(parts, width, colour, wraps=wraps)
        below = list(_below(display, verbose, with_warnings))
        if several:
            # An empty line is between two test sets.
            below.append("")
        text += to_terminal(below, width, colour, wraps=wraps)
    text += to_terminal([*left_out_in_words(tables, "--plain"), *_legends(displays)], width, colour, wraps=wraps)
    if not plain:
        return text
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@dataclass(frozen=True, eq=False, repr=False)
class _Display:
    """How a comparison is shown: what its systems are called, in how much room, with lines or without."""

    comparison: Comparison
    width: int
    plain: bool

    def name(self, system: str) -> str:
        """Return the name of a system without what all of them share; in a log the whole, by which it is found."""
        return one_cell(self._names.get(system, system))

    @cached_property
    def _names(self) -> dict[str, str]:
        """The names of the systems that are shown shorter."""
        return {} if self.plain else short_names(list(self.comparison.test_set.systems))

    def grid(self, title: str, lines: box.Box = box.SIMPLE_HEAD) -> Grid:
        """Return a table without rows and columns."""
        return Grid(title=escape(title), box=None if self.plain else lines, title_justify="left")


def _verdict_lines(display: _Display, several: bool) -> Iterator[str]:
    """Yield what a comparison shows in sentences."""
    comparison = display.comparison
    if not comparison.design.has_others:
        return
    # Here, as there is no verdict on a single system.
    from tercet.comparison.verdicts.verdicts import verdict_in_words

    names = {system: display.name(system) for system in comparison.test_set.systems}
    sentences = verdict_in_words(comparison, names)
    if sentences:
        yield f"{one_cell(comparison.test_set.name)}: {sentences}" if several else sentences
        yield ""


def _with_equal_scores(displays: Sequence[_Display]) -> list[list[_Display]]:
    """Return the comparisons whose scores fit into one table: logs of different tasks have different scores."""
    by_scores: dict[tuple[tuple[str, int], ...], list[_Display]] = {}
    for display in displays:
        if display.comparison.joins_runs:
            display = replace(display, comparison=as_systems(display.comparison))
        # Shares and percents are not in one column.
        scales = (table.scorer.scale for table in display.comparison.tables)
        scores = tuple(zip(display.comparison.marked_labels(), scales, strict=True))
        by_scores.setdefault(scores, []).append(display)
    return list(by_scores.values())


def _summaries(alike: Sequence[_Display]) -> Iterator[Grid]:
    """Yield tables of all systems, each with as many scores as fit."""
    comparisons = [display.comparison for display in alike]
    names = [display.name(system) for display in alike for system in display.comparison.test_set.systems]
    test_set_names = [one_cell(comparison.test_set.name) for comparison in comparisons]
    several = len(comparisons) > 1
    # A column is 3 cells wider than its texts, and a table 1 cell wider than its columns, as in _room.
    names_width = min(max(map(cell_len, [*names, "system"])), _LONGEST_NAME) + 4
    if several:
        names_width += min(max(map(cell_len, [*test_set_names, "test set"])), _LONGEST_NAME) + 3
    labels = comparisons[0].marked_labels()
    tables_by_score = zip(*(comparison.tables for comparison in comparisons), strict=True)
    widths = []
    for label, tables in zip(labels, tables_by_score, strict=True):
        # Each value is followed by a mark, or else by a space.
        value_widths = [len(f"{decimals(row.value, row.digits)} ") for table in tables for row in table.rows]
        widths.append(max(min(cell_len(one_cell(label)), _HEAD_WIDTH), *value_widths))
    start = 0
    while start < len(labels):
        end = start + 1
        summary_width = names_width + widths[start] + 3
        while end < len(labels) and summary_width + widths[end] + 3 <= alike[0].width:
            summary_width += widths[end] + 3
            end += 1
        yield _summary(alike, range(start, end), widths)
        start = end


def _summary(alike: Sequence[_Display], scores: range, widths: Sequence[int]) -> Grid:
    """Return a table of some scores of all systems, the best by the first first, with a section per test set."""
    several = len(alike) > 1
    first = alike[0].comparison
    title = "All scores"
    if not several:
        title += f" of {one_cell(first.test_set.name)}"
    if scores.start:
        title += ", continued"
    summary = alike[0].grid(title)
    longest = None if alike[0].plain else _LONGEST_NAME
    if several:
        summary.add_column("test set", overflow="fold", max_width=longest)
    summary.add_column("system", overflow="fold", max_width=longest)
    labels = first.marked_labels()
    for index in scores:
        summary.add_column(escape(one_cell(labels[index])), justify="right", overflow="fold", width=widths[index])
    for display in alike:
        tables = display.comparison.tables
        order = tables[0].shown_order
        for row in order:
            cells = [_value(tables[index].rows[row]) for index in scores]
            names = [escape(folded(display.name(tables[0].rows[row].system), longest))]
            if several:
                # Only the first row of a section names its test set; in a log, every row.
                is_named = display.plain or row == order[0]
                names.insert(0, escape(one_cell(display.comparison.test_set.name)) if is_named else "")
            summary.add_row(*names, *cells)
        summary.add_section()
    return summary


def _value(row: SystemScore) -> str:
    value = _emphasize(decimals(row.value, row.digits), row.best)
    return f"{value}{row.mark or ' '}"


def _below(display: _Display, verbose: bool, with_warnings: bool) -> Iterator[str]:
    """Yield the lines below the tables of a test set."""
    comparison = display.comparison
    if verbose:
        labels = comparison.metric_labels()
        for row in comparison.facts:
            if row.line:
                yield one_cell(f"{labels[row.metric]}, {display.name(row.system)}: {row.line}")
    for signature in dict.fromkeys(table.signature for table in comparison.tables):
        yield one_cell(signature)
    yield from comparison.remarks(display.name)
    if with_warnings:
        for warning in comparison.warnings:
            yield f"warning: {one_cell(warning)}"


def _score_text(display: _Display, table: ScoreTable) -> Iterator[Fitted | str]:
    """Yield the tables of a score and what is said of it: its systems first, below its heading."""
    heading = _heading(display, table)
    if not display.comparison.joins_runs:
        yield _ranking(display, table, heading)
        yield from _sections_text(display, table.sections)
        return
    system_sections = []
    others = []
    for section in table.sections:
        if section.key == "runs":
            title = f"{section.title[:1].lower()}{section.title[1:]}"
            system_sections.append(replace(section, title=f"{heading}, {title}"))
        elif section.key == "slices":
            system_sections.append(section)
        else:
            others.append(section)
    yield from _sections_text(display, system_sections)
    yield _ranking(display, table, f"{heading}, each output")
    yield from _sections_text(display, others)


def _heading(display: _Display, table: ScoreTable) -> str:
    """Return what stands above the first table of a score."""
    comparison = display.comparison
    options = comparison.options()[table.metric]
    options_in_words = f" ({options})" if options else ""
    return one_cell(f"{comparison.test_set.name}: {table.title}{options_in_words}")


def _sections_text(display: _Display, sections: Sequence[Section]) -> Iterator[Fitted | str]:
    """Yield what else is said of a score, with an empty line before a table and at the end."""
    above = False
    for section in sections:
        if section.table is not None:
            yield from [""] if above else []
            yield _section_grid(display, section.title, section.table)
        yield from section.lines(display.name)
        above = above or section.table is not None or bool(section.sentences)
    if any(section.sentences for section in sections):
        yield ""


def _section_grid(display: _Display, title: str, table: Table) -> Fitted:
    """Return a section's table for a terminal."""
    columns = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        columns.append(_section_column(display, column, cells))
    return fitted(display.grid(title), columns, display.width)


def _section_column(display: _Display, column: Column, values: Sequence[Any]) -> TerminalColumn:
    """Return a column of a section, whose cells are numbers or names, perhaps with an interval."""
    title = f"{display.name(column.title)}{column.after}"
    if not display.plain:
        title = folded(title, _HEAD_WIDTH)
    cells = [value if isinstance(value, Cell) else Cell(value) for value in values]
    names = [display.name(str(cell.value)) for cell in cells]
    if column.kind == "name":
        return TerminalColumn(title, names, is_name=True, leaves=column.leaves)
    plain = [_emphasize(escape(name), cell.best) for name, cell in zip(names, cells, strict=True)]
    column_of_numbers = TerminalColumn(title, plain, leaves=column.leaves)
    if not any(cell.after for cell in cells):
        return column_of_numbers
    in_full = [_emphasize(escape(f"{name}{cell.after}"), cell.best) for name, cell in zip(names, cells, strict=True)]
    shortens = LeftOut.INTERVALS
    intervals = "intervals of scores"
    if column.kind == "difference":
        shortens = LeftOut.MARGINS
        intervals = "intervals of differences"
    return TerminalColumn(
        title, in_full, leaves=column.leaves, shorter=column_of_numbers, shortens=shortens, said=intervals
    )


def _emphasize(text: str, is_best: bool) -> str:
    return f"[bold]{text}[/]" if is_best else text


def _legends(displays: Sequence[_Display]) -> Iterator[str]:
    """Yield the legend, once if it is the same for all test sets."""
    comparisons = [display.comparison for display in displays]
    legends: list[tuple[str, str]] = []
    for display in displays:
        legend = display.comparison.legend(display.name, BEST)
        if display.comparison.joins_runs:
            legend = f"{marks_in_words(as_systems(display.comparison), BEST)} {legend}".strip()
        legends.append((one_cell(display.comparison.test_set.name), legend))
    if len({legend for _, legend in legends}) == 1:
        yield legends[0][1]
    else:
        # Test sets may share a name.
        yield from dict.fromkeys(f"{name}: {legend}" for name, legend in legends)
    yield from filter(None, dict.fromkeys(rank_legend(comparison, comparison.tables) for comparison in comparisons))


def _ranking(display: _Display, table: ScoreTable, title: str) -> Fitted:
    """Return the table of a score: the systems, their intervals, and how they differ from the baseline."""
    comparison = display.comparison
    rows = [table.rows[index] for index in table.shown_order]
    level = percent(comparison.confidence_level)
    columns: list[TerminalColumn] = []
    if comparison.has_ranks:
        columns.append(TerminalColumn("rank", [row.places for row in rows], leaves=LeftOut.RANKS))
    names = []
    for row in rows:
        name = display.name(row.system)
        names.append(f"{name} (baseline)" if comparison.test and row.is_baseline else name)
    columns.append(TerminalColumn("system", names, is_name=True))
    columns.append(TerminalColumn(f"{table.name}{table.arrow}", list(map(_value, rows))))
    intervals = [row.interval for row in rows]
    if any(intervals):
        columns.append(TerminalColumn(level, intervals, leaves=LeftOut.INTERVALS, said="intervals of scores"))
    if comparison.test:
        columns += _tested_columns(comparison, table, rows, level)
    lines = table.group_ends if comparison.has_ranks else []
    return fitted(display.grid(title, _LINED), columns, display.width, lines)


def _tested_columns(
    comparison: Comparison, table: ScoreTable, rows: Sequence[SystemScore], level: str
) -> list[TerminalColumn]:
    """Return the columns of the differences from the baseline, of p, and of how many segments are won."""
    differences, pvalues, counts = zip(*map(against_in_words, rows), strict=True)
    column = TerminalColumn("difference", differences)
    if any(row.interval_of_difference for row in rows):
        in_full = [
            escape(f"{difference} {row.interval_of_difference}".rstrip())
            for difference, row in zip(differences, rows, strict=True)
        ]
        column = TerminalColumn(
            f"difference [{level}]",
            in_full,
            shorter=column,
            shortens=LeftOut.MARGINS,
            said="intervals of differences",
        )
    return [
        column,
        TerminalColumn(comparison.p_label, pvalues),
        TerminalColumn("wins/ties/losses", counts, leaves=LeftOut.COUNTS),
    ]
