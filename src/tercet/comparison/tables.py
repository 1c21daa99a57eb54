"""Comparisons as tables, in every format, and the files of their segments."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tercet.checks import has_entries
from tercet.errors import InputError, OptionError, argument, shorten
from tercet.markup import one_cell, said, short_names
from tercet.signature import __version__
from tercet.tables import (
    FOR_PEOPLE,
    Cell,
    Column,
    Group,
    Table,
    check_fits,
    decimals,
    json_text,
    to_lines,
    to_terminal,
    write_lines,
    write_workbook,
)
from tercet.test_sets.test_set import TestSet

from .fitting import Fitted, Shown, fitted, folded, left_out_in_words, printed
from .overall import Overall
from .run_means import over_runs
from .scores import (
    AS_GOOD,
    BESIDE_SCORES,
    BEST,
    COLUMNS,
    LOWER,
    Comparison,
    ScoreTable,
    SystemScore,
    against,
    stacked_table,
    wide_table,
)
from .sections import Section
from .verdicts import verdict_of

_PVALUE = "p adjusted for all pairs"
#: In a workbook, the widths of columns, and the formats of numbers.
_WIDTHS = {
    **dict.fromkeys(("test_set", "system", "other", "metric", "score"), 22),
    **dict.fromkeys(("source", "prediction", "reference", "signature"), 60),
    "system is significantly": 24,
    "note": 120,
}
_NUMBERS = {
    **dict.fromkeys(("value", "low", "high", "difference", "difference_low", "difference_high"), "0.00"),
    **dict.fromkeys(("pvalue", "adjusted_pvalue", _PVALUE), "0.0000"),
}


def in_format(comparisons: Sequence[Comparison], form: str, columns: Iterable[str] | None = None) -> str:
    """Return comparisons as json, tsv or csv, with all numbers, or as markdown or latex, as people read them.

    `columns` chooses what people see beside each score, of :data:`BESIDE_SCORES`.
    """
    beside = BESIDE_SCORES if columns is None else _beside_scores(columns)
    if form == "json":
        sets, over_all = _split(comparisons)
        document: dict[str, Any] = {"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in sets]}
        return json_text(document | ({"overall": over_all[0].to_dict()} if over_all else {}))
    if form in FOR_PEOPLE:
        several = len(comparisons) > 1
        ordered = _overall_first(comparisons)
        return FOR_PEOPLE[form](
            table for comparison in ordered for table in _shown(comparison, several, form, beside)
        )
    return to_lines(_scores(comparisons), form)


def _beside_scores(columns: Any) -> tuple[str, ...]:
    """Return the names of what stands beside scores; OptionError for others."""
    names = [columns] if isinstance(columns, str) else list(columns) if has_entries(columns) else [columns]
    for name in names:
        if name not in BESIDE_SCORES:
            raise OptionError(
                f"{argument('columns')} names what stands beside each score: {', '.join(BESIDE_SCORES)}. "
                f"Got {shorten(name)}."
            )
    return tuple(names)


def _split(comparisons: Sequence[Comparison]) -> tuple[list[Comparison], list[Overall]]:
    """Return the comparisons of test sets, and the one over all of them, if there is one."""
    over_all = [comparison for comparison in comparisons if isinstance(comparison, Overall)]
    return [comparison for comparison in comparisons if not isinstance(comparison, Overall)], over_all


def _overall_first(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons in the order in which people read them: what holds over all test sets first."""
    sets, over_all = _split(comparisons)
    return [*over_all, *sets]


def _shown(comparison: Comparison, several: bool, form: str, beside: Sequence[str]) -> Iterator[Table]:
    """Yield the table of all scores, then those of their sections; where outputs are runs, their means first.

    `beside` is what stands beside scores.
    """
    names = {system: system for system in comparison.test_set.systems}
    verdict = _verdict_in_words(comparison, names)
    whole_table = stacked_table if form == "latex" else wide_table
    if comparison.joins_runs:
        of_systems = over_runs(comparison)
        of_marks = of_systems.legend(shown=beside)
        notes = [verdict, f"{of_systems.in_parentheses(beside)} {of_marks}".strip()]
        yield whole_table(of_systems, notes, title=comparison.test_set.name if several else "", shown=beside)
    level = f"{comparison.in_parentheses(beside)} "
    # LaTeX has lines between groups; Markdown has none.
    lined = comparison.tables if form == "latex" else ()
    ranks = comparison.rank_legend(lined) if "rank" in beside else ""
    notes = [] if comparison.joins_runs or not verdict else [verdict]
    notes += [*comparison.section_lines(), f"{level}{comparison.legend(shown=beside)}".strip()]
    notes += [ranks] if ranks else []
    notes += [*comparison.remarks(), *comparison.warnings]
    yield whole_table(comparison, notes, title=comparison.test_set.name if several else "", shown=beside)
    labels = comparison.titles() if form == "latex" else comparison.score_labels()
    for label, table in zip(labels, comparison.tables, strict=True):
        for section in table.sections:
            if section.table is not None:
                title = ": ".join([*([comparison.test_set.name] if several else []), label, section.title])
                shown = replace(section.table, title=title)
                yield _grouped(shown) if form == "latex" else shown


def _grouped(table: Table) -> Table:
    """Return a table whose rows begin with what they are part of, such as a slice, with that above them instead."""
    names = [place for place, column in enumerate(table.columns) if column.kind == "name"]
    start = names[-1]
    if not start:
        return table
    counted = [column.title for column in table.columns[1:start]]
    groups: list[Group] = []
    rows: list[Sequence[Any]] = []
    for row in table.rows:
        counts = [f"{count} {unit}" for count, unit in zip(row[1:start], counted, strict=True)]
        name = ", ".join([str(row[0]), *counts])
        if not groups or groups[-1].name != name:
            groups.append(Group(len(rows), name))
        rows.append(row[start:])
    return replace(table, columns=table.columns[start:], rows=rows, groups=groups)


def sheets_of(comparisons: Sequence[Comparison], *, worst_first: bool = False) -> list[Table]:
    """Return the sheets Scores, Pairs (of several systems), of sections, Segments (of texts in memory) and Notes.

    With `worst_first`, the segments of each test set go by its first score.
    """
    sheets = [_scores(comparisons), _pairs(comparisons), *_sections(comparisons)]
    sheets += [_segments(_split(comparisons)[0], worst_first=worst_first), _notes(comparisons)]
    return [sheet for sheet in sheets if sheet.n_rows]


def check_segments_fit(test_sets: Iterable[TestSet]) -> None:
    """Raise an InputError for more segments of all systems than a sheet has rows."""
    check_fits("Segments", sum(test_set.n_segments * len(test_set.systems) for test_set in test_sets))


def _columns(titles: Iterable[str]) -> list[Column]:
    return [Column(title, width=_WIDTHS.get(title), number_format=_NUMBERS.get(title)) for title in titles]


def _scores(comparisons: Sequence[Comparison]) -> Table:
    """Return a row for each score of each system."""
    rows = [
        [Cell(value, record["best"] and name in ("system", "value")) for name, value in record.items()]
        for comparison in comparisons
        for record in comparison.records()
    ]
    return Table("Scores", _columns(COLUMNS), rows)


def _pairs(comparisons: Sequence[Comparison]) -> Table:
    # Outputs that are runs are not tested; their systems are.
    shown = [over_runs(comparison) if comparison.joins_runs else comparison for comparison in comparisons]
    rows = [row for comparison in shown for table in comparison.tables for row in _pairs_of(comparison, table)]
    columns = _columns(("test_set", "metric", "score", "better", "system", "other"))
    columns += [
        Column("difference", number_format="+0.00;-0.00;0.00"),
        *_columns((_PVALUE, "system is significantly")),
    ]
    return Table("Pairs", columns, rows)


def _pairs_of(comparison: Comparison, table: ScoreTable) -> Iterator[list[Any]]:
    position = [comparison.test_set.name, table.metric, table.name, table.better]
    for (first_index, first), (second_index, second) in combinations(enumerate(table.rows), 2):
        difference, p = first.value - second.value, float(table.pvalues[first_index, second_index])
        wins = (difference > 0) == table.higher_is_better
        verdict = ""
        if difference and p < comparison.alpha:
            verdict = "▲ better" if wins else "▼ worse"
        yield [*position, first.system, second.system, difference, p, verdict]


def _sections(comparisons: Sequence[Comparison]) -> list[Table]:
    """Return a sheet for each kind of section with a table, of all scores, whose cells are as people read them."""
    rows: dict[tuple[str, ...], list[list[Any]]] = {}
    for comparison in comparisons:
        for table in comparison.tables:
            for section in table.sections:
                if section.table is None:
                    continue
                position = [comparison.test_set.name, table.metric, table.name]
                titles = ("value" if column.title == table.name else column.title for column in section.table.columns)
                rows.setdefault((section.key, *titles), []).extend([*position, *row] for row in section.table.rows)
    # Test sets with other numbers of systems have other columns: a sheet each.
    numbers: dict[str, int] = {}
    sheets = []
    for (key, *key_titles), key_rows in rows.items():
        numbers[key] = numbers.get(key, 0) + 1
        name = key.capitalize() if numbers[key] == 1 else f"{key.capitalize()} {numbers[key]}"
        sheets.append(Table(name, _columns(("test_set", "metric", "score", *key_titles)), key_rows))
    return sheets


def _segments(comparisons: Sequence[Comparison], *, worst_first: bool = False) -> Table:
    """Return a row for each segment and system: its scores and texts, with a column for each reference."""
    test_sets = [comparison.test_set for comparison in comparisons]
    most_references = max((len(texts) for test_set in test_sets for texts in test_set.references), default=0)
    labels = ["reference", *(f"reference {number}" for number in range(2, most_references + 1))][:most_references]
    has_sources = any(test_set.source is not None for test_set in test_sets)
    columns = [*_score_columns(comparisons), *_columns([*(["source"] if has_sources else []), "prediction"])]
    columns += [Column(label, width=_WIDTHS["reference"]) for label in labels]
    rows = (
        [*scores, *([source] if has_sources else []), text, *texts, *[None] * (most_references - len(texts))]
        for scores, source, text, texts in _segment_rows(comparisons, worst_first=worst_first)
    )
    # The rows are made as they are written, so that their number is not known from them.
    n_rows = sum(len(test_set.references) * len(test_set.systems) for test_set in test_sets)
    return Table("Segments", columns, rows, n_made=n_rows, has_filters=True)


def segments_of(comparison: Comparison, worst: int | None = None) -> Any:
    """Return a row for each segment and system as a data frame, or as a list where pandas is not installed.

    Of `worst` rows, those are by the first score.
    """
    test_set = comparison.test_set
    has_texts = not test_set.no_texts
    titles = [column.title for column in _score_columns([comparison])]
    titles += ["source"] if has_texts and test_set.source is not None else []
    titles += ["prediction", "references"] if has_texts else []
    rows: list[dict[str, Any]] = []
    for cells, source, text, references in _segment_rows([comparison], worst_first=worst is not None):
        if len(rows) == worst:
            break
        row = dict(zip(titles, cells, strict=False))
        if has_texts:
            row |= {"prediction": text, "references": references}
        if "source" in titles:
            row["source"] = source
        rows.append(row)
    if find_spec("pandas") is None:
        return rows
    import pandas as pd

    return pd.DataFrame(rows, columns=titles)


def _score_columns(comparisons: Sequence[Comparison]) -> list[Column]:
    """Return the columns of a segment that stand before its texts."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles: dict[str, Literal["lowest", "highest"]] = {}
    for table in tables:
        titles[f"{table.metric} {table.name}"] = "lowest" if table.higher_is_better else "highest"
    ids = ["id"] if any(comparison.test_set.ids for comparison in comparisons) else []
    other_titles = {*titles, *ids, *_TITLES_OF_SEGMENTS}
    return [
        *_columns(("test_set", "segment", *ids)),
        *(Column(_own_title(name, other_titles), "text", width=22) for name in _own_names(comparisons)),
        *_columns(("system",)),
        *(Column(title, number_format="0.00", worst=worst) for title, worst in titles.items()),
    ]


#: What columns of segments are called, but for scores.
_TITLES_OF_SEGMENTS = ("test_set", "segment", "system", "source", "prediction", "candidate", "references")


def _own_names(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the names of the files' own columns that are neither texts nor scores, each once."""
    names: dict[str, None] = {}
    for comparison in comparisons:
        names |= dict.fromkeys(comparison.test_set.own_columns)
        names |= dict.fromkeys(comparison.test_set.own_columns_by_system)
    return list(names)


def _own_columns(test_set: TestSet, names: Sequence[str], system: str) -> list[list[Any]]:
    """Return the cells of the file's own columns for a system; empty ones of columns that the file lacks."""
    no_cells = [None] * test_set.n_segments
    columns: list[list[Any]] = []
    for name in names:
        of_all = test_set.own_columns.get(name, no_cells)
        columns.append(test_set.own_columns_by_system.get(name, {}).get(system, of_all))
    return columns


def _own_title(name: str, other_titles: Container[str]) -> str:
    """Return the title of a file's own column, which another column may have too."""
    has_another = name in other_titles or name.startswith("reference")
    return f"{name} (of the file)" if has_another else name


def _own_cell(value: Any) -> Any:
    """Return a cell of a file's own column as a text or number; a list or an object as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _segment_rows(
    comparisons: Sequence[Comparison], *, worst_first: bool
) -> Iterator[tuple[list[Any], str, str, list[str]]]:
    """Yield for each segment and system the cells of these columns, the source, the text and the references."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles = dict.fromkeys(f"{table.metric} {table.name}" for table in tables)
    has_ids = any(comparison.test_set.ids for comparison in comparisons)
    own_names = _own_names(comparisons)
    for comparison in comparisons:
        test_set = comparison.test_set
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        own_columns = {system: _own_columns(test_set, own_names, system) for system in test_set.systems}
        for number, system in _places(comparison, worst_first=worst_first):
            source = "" if test_set.source is None else test_set.source[number]
            ids = [test_set.ids[number] if test_set.ids else ""] if has_ids else []
            own_cells = [_own_cell(cells[number]) for cells in own_columns[system]]
            values = [scores[title][system][number] if title in scores else None for title in titles]
            labels = [test_set.name, number + 1, *ids, *own_cells, system]
            yield [*labels, *values], source, test_set.systems[system][number], test_set.references[number]


def _places(comparison: Comparison, *, worst_first: bool) -> Iterable[tuple[int, str]]:
    """Return the segments of each system, from 0: in the order of the file, or by the first score."""
    test_set = comparison.test_set
    in_order = product(range(test_set.n_segments), test_set.systems)
    if not worst_first or not comparison.tables:
        return in_order
    table = comparison.tables[0]
    sign = 1 if table.higher_is_better else -1

    def badness(place: tuple[int, str]) -> float:
        number, system = place
        value = table.segments[system][number]
        # A segment without a score comes last.
        return math.inf if value is None or math.isnan(value) else sign * value

    return sorted(in_order, key=badness)


def _notes(comparisons: Sequence[Comparison]) -> Table:
    """Return what the numbers are, and what the metrics warned of."""
    rows = []
    for comparison in comparisons:
        notes = [*comparison.section_lines(one_cell), comparison.legend(one_cell), *comparison.remarks(one_cell)]
        notes += comparison.warnings
        rows += [[comparison.test_set.name, line] for line in [*notes, f"tercet {__version__}"]]
    return Table("Notes", _columns(("test_set", "note")), rows)


# Comparisons as tables for a terminal: the verdict, all scores, then each with its interval and tests.

#: Greatest width of a header before it folds, and of a name in the table of all scores.
_HEAD_WIDTH = 20
_LONGEST_NAME = 30
#: In a table of a score, what is left out where there is too little room, the first step first.
_COUNTS_LEAVE, _INTERVALS_LEAVE, _DIFFERENCE_SHORTENS, _RANKS_LEAVE = 1, 2, 4, 5
#: As rich's SIMPLE_HEAD, with a line between groups too.
_LINED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
#: The width of tables in a log: every column has room.
_WITHOUT_END = 100_000


@dataclass(frozen=True)
class _Shown:
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

    def order(self, table: ScoreTable) -> Sequence[int]:
        """Return the places of the rows: the best first, but two systems as they were given."""
        return table.order if len(table.rows) > 2 else range(len(table.rows))


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
    shown = [_Shown(comparison, width, plain) for comparison in _overall_first(comparisons)]
    several = len(shown) > 1
    parts: list[Any] = []
    # Logs of different tasks have different scores.
    by_scores: dict[tuple[tuple[str, int], ...], list[_Shown]] = {}
    for each in shown:
        parts += _verdict(each, several)
        if each.comparison.joins_runs:
            each = _Shown(over_runs(each.comparison), width, plain)
        # Shares and percents are not in one column.
        scales = (table.scorer.scale for table in each.comparison.tables)
        key = tuple(zip(each.comparison.marked_labels(), scales, strict=True))
        by_scores.setdefault(key, []).append(each)
    for labels, alike in by_scores.items():
        if len(labels) * len(alike) > 1:
            parts += _summaries(alike)
    text = to_terminal(parts, width, colour, wraps=wraps)
    tables: list[Fitted] = []
    for each in shown:
        for table in each.comparison.tables:
            above = [""] if plain and text else []
            drawn = [*above, *_score_text(each, table)]
            tables += [part for part in drawn if isinstance(part, Fitted)]
            text += printed(drawn, width, colour, wraps=wraps)
        # An empty line is between two test sets.
        text += to_terminal(
            [*_below(each, verbose, with_warnings), *([""] if several else [])], width, colour, wraps=wraps
        )
    text += to_terminal([*left_out_in_words(tables, "--plain"), *_legends(shown)], width, colour, wraps=wraps)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines()) if plain else text


def _verdict(shown: _Shown, several: bool) -> Iterator[str]:
    """Yield what a comparison shows in sentences."""
    comparison = shown.comparison
    names = {system: shown.name(system) for system in comparison.test_set.systems}
    sentences = _verdict_in_words(comparison, names)
    if sentences:
        yield f"{one_cell(comparison.test_set.name)}: {sentences}" if several else sentences
        yield ""


def _verdict_in_words(comparison: Comparison, names: Mapping[str, str]) -> str:
    """Return what a comparison shows in sentences; "" of a single system."""
    if len(comparison.test_set.systems) < 2:
        return ""
    return " ".join(map(said, verdict_of(comparison, names)))


def _summaries(alike: Sequence[_Shown]) -> Iterator[Grid]:
    """Yield tables of all systems, each with as many scores as fit."""
    comparisons = [shown.comparison for shown in alike]
    names = [shown.name(system) for shown in alike for system in shown.comparison.test_set.systems]
    test_set_names = [one_cell(comparison.test_set.name) for comparison in comparisons]
    several = len(comparisons) > 1
    # A column is 3 cells wider than its texts, and a table 1 cell wider than its columns, as in _room.
    names_width = min(max(map(cell_len, [*names, "system"])), _LONGEST_NAME) + 4
    if several:
        names_width += min(max(map(cell_len, [*test_set_names, "test set"])), _LONGEST_NAME) + 3
    labels = comparisons[0].marked_labels()
    tables_by_score = zip(*(comparison.tables for comparison in comparisons), strict=False)
    widths = []
    for label, tables in zip(labels, tables_by_score, strict=True):
        # Each value is followed by a mark, or by a space in its place.
        value_widths = [len(f"{decimals(row.value, row.digits)} ") for table in tables for row in table.rows]
        widths.append(max(min(cell_len(one_cell(label)), _HEAD_WIDTH), *value_widths))
    start = 0
    while start < len(labels):
        end, summary_width = start + 1, names_width + widths[start] + 3
        while end < len(labels) and summary_width + widths[end] + 3 <= alike[0].width:
            summary_width += widths[end] + 3
            end += 1
        yield _summary(alike, range(start, end), widths)
        start = end


def _summary(alike: Sequence[_Shown], scores: range, widths: Sequence[int]) -> Grid:
    """Return a table of some scores of all systems, the best by the first first, with a section per test set."""
    several, first = len(alike) > 1, alike[0].comparison
    title = f"All scores{'' if several else f' of {one_cell(first.test_set.name)}'}"
    title += ", continued" if scores.start else ""
    summary = alike[0].grid(title)
    longest = None if alike[0].plain else _LONGEST_NAME
    if several:
        summary.add_column("test set", overflow="fold", max_width=longest)
    summary.add_column("system", overflow="fold", max_width=longest)
    labels = first.marked_labels()
    for index in scores:
        summary.add_column(escape(one_cell(labels[index])), justify="right", overflow="fold", width=widths[index])
    for shown in alike:
        tables = shown.comparison.tables
        for number, place in enumerate(shown.order(tables[0])):
            cells = [_value(tables[index].rows[place]) for index in scores]
            names = [escape(folded(shown.name(tables[0].rows[place].system), longest))]
            if several:
                # Only the first row of a section names its test set; in a log, every row.
                is_named = shown.plain or number == 0
                names.insert(0, escape(one_cell(shown.comparison.test_set.name)) if is_named else "")
            summary.add_row(*names, *cells)
        summary.add_section()
    return summary


def _value(row: SystemScore) -> str:
    value = f"[bold]{decimals(row.value, row.digits)}[/]" if row.best else decimals(row.value, row.digits)
    return f"{value}{BEST if row.best else AS_GOOD if row.as_good else ' '}"


def _below(shown: _Shown, verbose: bool, with_warnings: bool) -> Iterator[str]:
    """Yield the lines below the tables of a test set."""
    comparison = shown.comparison
    if verbose:
        labels = comparison.metric_labels()
        for row in comparison.facts:
            if row.line:
                yield one_cell(f"{labels[row.metric]}, {shown.name(row.system)}: {row.line}")
    for signature in dict.fromkeys(table.signature for table in comparison.tables):
        yield one_cell(signature)
    yield from comparison.remarks(shown.name)
    if with_warnings:
        for warning in comparison.warnings:
            yield f"warning: {one_cell(warning)}"


def _score_text(shown: _Shown, table: ScoreTable) -> Iterator[Fitted | str]:
    """Yield the tables of a score and what is said of it: its systems first, below its heading."""
    heading = _heading(shown, table)
    if not shown.comparison.joins_runs:
        yield _ranking(shown, table, heading)
        yield from _sections_text(shown, table.sections)
        return
    of_systems = []
    others = []
    for section in table.sections:
        if section.key == "runs":
            of_systems.append(replace(section, title=f"{heading}, {section.title[:1].lower()}{section.title[1:]}"))
        elif section.key == "slices":
            of_systems.append(section)
        else:
            others.append(section)
    yield from _sections_text(shown, of_systems)
    yield _ranking(shown, table, f"{heading}, each output")
    yield from _sections_text(shown, others)


def _heading(shown: _Shown, table: ScoreTable) -> str:
    """Return what stands above the first table of a score."""
    comparison = shown.comparison
    options = comparison.options()[table.metric]
    options_in_words = f" ({options})" if options else ""
    return one_cell(f"{comparison.test_set.name}: {table.title}{options_in_words}")


def _sections_text(shown: _Shown, sections: Sequence[Section]) -> Iterator[Fitted | str]:
    """Yield what else is said of a score, with an empty line before a table and at the end."""
    above = False
    for section in sections:
        if section.table is not None:
            yield from [""] if above else []
            yield _section_grid(shown, section.title, section.table)
        yield from section.lines(shown.name)
        above = above or section.table is not None or bool(section.sentences)
    if any(section.sentences for section in sections):
        yield ""


def _section_grid(shown: _Shown, title: str, table: Table) -> Fitted:
    """Return a section's table for a terminal."""
    columns = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        columns.append(_section_column(shown, column, cells))
    return fitted(shown.grid(title), columns, shown.width)


def _section_column(shown: _Shown, column: Column, values: Sequence[Any]) -> Shown:
    """Return a column of a section, whose cells are numbers or names, perhaps with an interval."""
    title = f"{shown.name(column.title)}{column.after}"
    if not shown.plain:
        title = folded(title, _HEAD_WIDTH)
    cells = [value if isinstance(value, Cell) else Cell(value) for value in values]
    names = [shown.name(str(cell.value)) for cell in cells]
    if column.kind == "name":
        return Shown(title, names, is_name=True, leaves=column.leaves)
    plain = [_emphasized(escape(name), cell.best) for name, cell in zip(names, cells, strict=True)]
    column_of_numbers = Shown(title, plain, leaves=column.leaves)
    if not any(cell.after for cell in cells):
        return column_of_numbers
    in_full = [_emphasized(escape(f"{name}{cell.after}"), cell.best) for name, cell in zip(names, cells, strict=True)]
    is_difference = column.kind == "difference"
    # Of a difference the interval says more than that of a score.
    return Shown(
        title,
        in_full,
        leaves=column.leaves,
        shorter=column_of_numbers,
        shortens=_DIFFERENCE_SHORTENS if is_difference else _INTERVALS_LEAVE,
        said=f"intervals of {'differences' if is_difference else 'scores'}",
    )


def _emphasized(text: str, is_best: bool) -> str:
    return f"[bold]{text}[/]" if is_best else text


def _legends(shown_sets: Sequence[_Shown]) -> Iterator[str]:
    """Yield the legend, once if it is the same for all test sets."""
    comparisons = [shown.comparison for shown in shown_sets]
    legends = {}
    for shown in shown_sets:
        legend = shown.comparison.legend(shown.name, BEST)
        if shown.comparison.joins_runs:
            legend = f"{over_runs(shown.comparison).marks_in_words(BEST)} {legend}".strip()
        legends[one_cell(shown.comparison.test_set.name)] = legend
    if len(set(legends.values())) == 1:
        yield next(iter(legends.values()))
    else:
        yield from (f"{name}: {legend}" for name, legend in legends.items())
    yield from filter(None, dict.fromkeys(comparison.rank_legend(comparison.tables) for comparison in comparisons))


def _ranking(shown: _Shown, table: ScoreTable, title: str) -> Fitted:
    """Return the table of a score: the systems, their intervals, and how they differ from the baseline."""
    comparison, rows = shown.comparison, [table.rows[place] for place in shown.order(table)]
    level = f"{100 * comparison.confidence_level:g} %"
    columns: list[Shown] = []
    if comparison.has_ranks:
        columns.append(Shown("rank", [row.places for row in rows], leaves=_RANKS_LEAVE))
    names = [shown.name(row.system) for row in rows]
    if comparison.test:
        names = [
            f"{name} (baseline)" if row.difference is None else name for name, row in zip(names, rows, strict=True)
        ]
    columns.append(Shown("system", names, is_name=True))
    columns.append(Shown(table.name if table.higher_is_better else f"{table.name} {LOWER}", [*map(_value, rows)]))
    intervals = [row.interval for row in rows]
    if any(intervals):
        columns.append(Shown(level, intervals, leaves=_INTERVALS_LEAVE, said="intervals of scores"))
    if comparison.test:
        columns += _tested_columns(comparison, table, rows, level)
    lines = table.lines if comparison.has_ranks else []
    return fitted(shown.grid(title, _LINED), columns, shown.width, lines)


def _tested_columns(
    comparison: Comparison, table: ScoreTable, rows: Sequence[SystemScore], level: str
) -> list[Shown]:
    """Return the columns of the differences from the baseline, of p, and of how many segments are won."""
    differences, pvalues, counts = zip(*map(against, rows), strict=True)
    column = Shown("difference", differences)
    if any(row.interval_of_difference for row in rows):
        in_full = [
            escape(f"{difference} {row.interval_of_difference}".rstrip())
            for difference, row in zip(differences, rows, strict=True)
        ]
        column = Shown(
            f"difference [{level}]",
            in_full,
            shorter=column,
            shortens=_DIFFERENCE_SHORTENS,
            said="intervals of differences",
        )
    return [column, Shown(comparison.p_label, pvalues), Shown("wins/ties/losses", counts, leaves=_COUNTS_LEAVE)]


# Files for other programs: each system's texts with their references, and every score of every segment.

#: The longest name, in bytes, that every file system takes.
_LONGEST_FILE_NAME = 255


def export_paths(test_sets: Iterable[TestSet], folder: Path) -> dict[Path, tuple[TestSet, str]]:
    """Return the files that :func:`export_systems` would write, each with its test set and system.

    InputError where two systems would be written to one file, or the name of a file would be too long.
    """
    paths: dict[Path, tuple[TestSet, str]] = {}
    for test_set in test_sets:
        for system in test_set.systems:
            path = folder / f"{_file_name(system)}_{_file_name(test_set.name)}.tsv"
            if path in paths:
                earlier_set, earlier_system = paths[path]
                raise InputError(
                    f"Two systems would be written to {path.name}: {shorten(earlier_system)} of "
                    f"{shorten(earlier_set.name)} and {shorten(system)} of {shorten(test_set.name)}. Rename one of "
                    "them."
                )
            if len(os.fsencode(path.name)) > _LONGEST_FILE_NAME:
                raise InputError(
                    f"The name of the system {shorten(system)} of {shorten(test_set.name)} is too long for a file "
                    "name. Rename it."
                )
            paths[path] = (test_set, system)
    return paths


def export_systems(test_set: TestSet, folder: Path) -> list[Path]:
    """Write ``<system>_<test set>.tsv`` for each system: source, candidate, and a column for each reference.

    White space within a text becomes a space, so that each segment is one line. Characters that a file name cannot
    have become ``_``. Texts are otherwise unchanged, as other programs score them: even one that begins with ``=``,
    which a spreadsheet takes for a formula unless the columns are read as text. Returns the files.
    """
    paths = export_paths([test_set], folder)
    folder.mkdir(parents=True, exist_ok=True)
    most_references = max((len(texts) for texts in test_set.references), default=0)
    head = ["source", "candidate", "reference", *(f"reference{number}" for number in range(2, most_references + 1))]
    sources = test_set.source or [""] * len(test_set.references)
    for path, (_, system) in paths.items():
        texts = test_set.systems[system]
        rows = zip(sources, texts, test_set.references, strict=True)
        filled_rows = []
        for source, text, references in rows:
            no_references = [""] * (most_references - len(references))
            filled_rows.append([source, text, *references, *no_references])
        write_lines(path, Table("", [Column(name, "text") for name in head], filled_rows), "tsv")
    return list(paths)


def export_segments(
    comparisons: Sequence[Comparison], path: Path, *, bom: bool = False, worst_first: bool = False
) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    Before the system stand the file's own columns that hold neither texts nor scores, such as ids and comments.

    The ending of the path chooses the format: .csv, .jsonl, .xlsx (the sheet of segments of :func:`sheets_of`), else
    TSV. In TSV and CSV names are escaped, and references are joined by " | "; JSON Lines have a list of them, and
    null for a score that is none. Texts are written as they are, but for white space in TSV. `bom` begins TSV and CSV
    with a byte order mark. A CSV is written as that of the texts was: its separator, decimals and mark. With
    `worst_first`, the rows of each test set go by its first score.
    """
    ending = path.suffix.lower()
    if ending == ".xlsx":
        write_workbook(path, [_segments(comparisons, worst_first=worst_first)])
        return
    columns = [*_score_columns(comparisons), Column("candidate", "text"), Column("references", "text")]
    segment_rows = _segment_rows(comparisons, worst_first=worst_first)
    rows = ([*scores, text, list(texts)] for scores, _, text, texts in segment_rows)
    form = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(ending, "tsv")
    dialects = {comparison.test_set.dialect for comparison in comparisons}
    # Of files in several, none is more right than what programs expect.
    dialect = dialects.pop() if len(dialects) == 1 else None
    write_lines(path, Table("Segments", columns, rows), form, bom=bom, dialect=dialect)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
