"""Comparisons as tables, in every format, and the files of their segments."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from tercet.errors import InputError, shorten
from tercet.markup import one_cell, short_names
from tercet.signature import __version__
from tercet.tables import (
    FOR_PEOPLE,
    Cell,
    Column,
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

from .overall import Overall
from .scores import AS_GOOD, BEST, COLUMNS, LOWER, Comparison, ScoreTable, SystemScore, against, wide_table
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


def in_format(comparisons: Sequence[Comparison], form: str) -> str:
    """Return comparisons as json, tsv or csv, with all numbers, or as markdown or latex, as people read them."""
    if form == "json":
        sets, over_all = _split(comparisons)
        document: dict[str, Any] = {"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in sets]}
        return json_text(document | ({"overall": over_all[0].to_dict()} if over_all else {}))
    if form in FOR_PEOPLE:
        several = len(comparisons) > 1
        return FOR_PEOPLE[form](table for comparison in comparisons for table in _shown(comparison, several, form))
    return to_lines(_scores(comparisons), form)


def _split(comparisons: Sequence[Comparison]) -> tuple[list[Comparison], list[Overall]]:
    """Return the comparisons of test sets, and the one over all of them, if there is one."""
    over_all = [comparison for comparison in comparisons if isinstance(comparison, Overall)]
    return [comparison for comparison in comparisons if not isinstance(comparison, Overall)], over_all


def _shown(comparison: Comparison, several: bool, form: str) -> Iterator[Table]:
    """Yield the table of all scores, then those of their sections."""
    level = f"{comparison.in_parentheses()} "
    # One table has all scores, and lines by the first; Markdown has none.
    ranks = [line] if (line := comparison.rank_legend(comparison.tables[:1] if form == "latex" else ())) else []
    notes = [*comparison.section_lines(), f"{level}{comparison.legend()}".strip(), *ranks]
    notes += [*comparison.remarks(), *comparison.warnings]
    yield wide_table(comparison, notes, title=comparison.test_set.name if several else "")
    for label, table in zip(comparison.score_labels(), comparison.tables, strict=True):
        for section in table.sections:
            if section.table is not None:
                title = ": ".join([*([comparison.test_set.name] if several else []), label, section.title])
                yield replace(section.table, title=title)


def sheets_of(comparisons: Sequence[Comparison]) -> list[Table]:
    """Return the sheets Scores, Pairs (of several systems), of sections, Segments (of texts in memory) and Notes."""
    sheets = [_scores(comparisons), _pairs(comparisons), *_sections(comparisons)]
    sheets += [_segments(_split(comparisons)[0]), _notes(comparisons)]
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
    rows = [row for comparison in comparisons for table in comparison.tables for row in _pairs_of(comparison, table)]
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


def _segments(comparisons: Sequence[Comparison]) -> Table:
    """Return a row for each segment and system: its scores and texts, with a column for each reference."""
    test_sets = [comparison.test_set for comparison in comparisons]
    most_references = max((len(texts) for test_set in test_sets for texts in test_set.references), default=0)
    labels = ["reference", *(f"reference {number}" for number in range(2, most_references + 1))][:most_references]
    has_sources = any(test_set.source is not None for test_set in test_sets)
    columns = [*_score_columns(comparisons), *_columns([*(["source"] if has_sources else []), "prediction"])]
    columns += [Column(label, width=_WIDTHS["reference"]) for label in labels]
    rows = (
        [*scores, *([source] if has_sources else []), text, *texts, *[None] * (most_references - len(texts))]
        for scores, source, text, texts in _segment_rows(comparisons)
    )
    # The rows are made as they are written, so that their number is not known from them.
    n_rows = sum(len(test_set.references) * len(test_set.systems) for test_set in test_sets)
    return Table("Segments", columns, rows, n_made=n_rows)


def _score_columns(comparisons: Sequence[Comparison]) -> list[Column]:
    """Return the columns of a segment that stand before its texts."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles = dict.fromkeys(f"{table.metric} {table.name}" for table in tables)
    ids = ["id"] if any(comparison.test_set.ids for comparison in comparisons) else []
    return [
        *_columns(("test_set", "segment", *ids, "system")),
        *(Column(title, number_format="0.00") for title in titles),
    ]


def _segment_rows(comparisons: Sequence[Comparison]) -> Iterator[tuple[list[Any], str, str, list[str]]]:
    """Yield for each segment and system the cells of these columns, the source, the text and the references."""
    columns = [column.title for column in _score_columns(comparisons)]
    titles, has_ids = columns[columns.index("system") + 1 :], "id" in columns[: columns.index("system")]
    for comparison in comparisons:
        test_set = comparison.test_set
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        for number, references in enumerate(test_set.references):
            source = "" if test_set.source is None else test_set.source[number]
            for system, texts in test_set.systems.items():
                values = [scores[title][system][number] if title in scores else None for title in titles]
                ids = [test_set.ids[number] if test_set.ids else ""] if has_ids else []
                yield [test_set.name, number + 1, *ids, system, *values], source, texts[number], references


def _notes(comparisons: Sequence[Comparison]) -> Table:
    """Return what the numbers are, and what the metrics warned of."""
    rows = []
    for comparison in comparisons:
        notes = [*comparison.section_lines(one_cell), comparison.legend(one_cell), *comparison.remarks(one_cell)]
        notes += comparison.warnings
        rows += [[comparison.test_set.name, line] for line in [*notes, f"tercet {__version__}"]]
    return Table("Notes", _columns(("test_set", "note")), rows)


# Comparisons as tables for a terminal: the verdict, all scores, then each with its interval and tests.

#: Least width of a system's name before columns are left out; greatest width of a header before it folds.
_NAME_WIDTH, _HEAD_WIDTH = 12, 20
_LONGEST_NAME = 30
#: As rich's SIMPLE_HEAD, with a line between groups too.
_LINED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
#: The width of tables in a log: every column has room.
_WITHOUT_END = 100_000


@dataclass(frozen=True, slots=True)
class _Shown:
    """How a comparison is shown: what its systems are called, in how much room, with lines or without."""

    comparison: Comparison
    width: int
    plain: bool

    def name(self, system: str) -> str:
        """Return the name of a system without what all of them share; in a log the whole, by which it is found."""
        names = {} if self.plain else short_names(list(self.comparison.test_set.systems))
        return one_cell(names.get(system, system))

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
) -> str:
    """Return tables for a terminal: one of all scores where there are several, then one for each score.

    Columns that do not fit continue in a further table. `verbose` adds the metrics' facts, such as BLEU's lengths and
    precisions. With `plain`, for logs, no line is drawn, and names and columns are whole whatever the width; `wraps`
    breaks long lines between words.
    """
    width = _WITHOUT_END if plain else Console(width=width, force_terminal=colour).width
    shown = [_Shown(comparison, width, plain) for comparison in comparisons]
    several = len(shown) > 1
    parts: list[Any] = []
    # Logs of different tasks have different scores.
    by_scores: dict[tuple[tuple[str, int], ...], list[_Shown]] = {}
    for each in shown:
        parts += _verdict(each, several)
        # Shares and percents are not in one column.
        scales = (table.scorer.scale for table in each.comparison.tables)
        key = tuple(zip(each.comparison.marked_labels(), scales, strict=True))
        by_scores.setdefault(key, []).append(each)
    for labels, alike in by_scores.items():
        if len(labels) * len(alike) > 1:
            parts += _summaries(alike)
    text = to_terminal(parts, width, colour, wraps=wraps)
    for each in shown:
        for table in each.comparison.tables:
            rich_table, table_width = _rich_table(each, table)
            above = [""] if plain and text else []
            text += to_terminal([*above, rich_table, *_sections_text(each, table)], table_width, colour, wraps=wraps)
        # An empty line is between two test sets.
        text += to_terminal([*_below(each, verbose), *([""] if several else [])], width, colour, wraps=wraps)
    text += to_terminal(_legends(shown), width, colour, wraps=wraps)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines()) if plain else text


def _verdict(shown: _Shown, several: bool) -> Iterator[str]:
    """Yield what a comparison shows in sentences; what holds over several test sets stands in their sections."""
    comparison = shown.comparison
    if len(comparison.test_set.systems) > 1 and not isinstance(comparison, Overall):
        names = {system: shown.name(system) for system in comparison.test_set.systems}
        sentences = " ".join(map("".join, verdict_of(comparison, names)))
        if sentences:
            yield f"{one_cell(comparison.test_set.name)}: {sentences}" if several else sentences
            yield ""


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
            names = [escape(_folded(shown.name(tables[0].rows[place].system), longest))]
            if several:
                # Only the first row of a section names its test set; in a log, every row.
                is_named = shown.plain or number == 0
                names.insert(0, escape(one_cell(shown.comparison.test_set.name)) if is_named else "")
            summary.add_row(*names, *cells)
        summary.add_section()
    return summary


#: Where a name that is too long for its column goes on in the next line.
_JOINTS = re.compile(r"(?<=[-._/ ])")


def _folded(name: str, width: int | None) -> str:
    """Return a name in lines of a width, broken at its joints; a part that is too long is left to the table."""
    lines = [""]
    for part in _JOINTS.split(name):
        if width is None or not lines[-1] or cell_len(f"{lines[-1]}{part}".rstrip()) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(lines)


def _value(row: SystemScore) -> str:
    value = f"[bold]{decimals(row.value, row.digits)}[/]" if row.best else decimals(row.value, row.digits)
    return f"{value}{BEST if row.best else AS_GOOD if row.as_good else ' '}"


def _below(shown: _Shown, verbose: bool) -> Iterator[str]:
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


def _sections_text(shown: _Shown, table: ScoreTable) -> Iterator[Grid | str]:
    """Yield what else is said of a score, with an empty line before a table and at the end."""
    above = False
    for section in table.sections:
        if section.table is not None:
            yield from [""] if above else []
            yield _grid(shown, section.title, section.table)
        # The verdict has said what is said of runs.
        yield from section.lines(shown.name) if section.key != "runs" else []
        above = above or section.table is not None or bool(section.sentences)
    if any(section.sentences for section in table.sections):
        yield ""


def _grid(shown: _Shown, title: str, table: Table) -> Grid:
    """Return a section's table for a terminal."""
    grid = shown.grid(title)
    for column in table.columns:
        grid.add_column(
            escape(shown.name(column.title)) + column.after, justify="left" if column.kind == "name" else "right"
        )
    for row in table.rows:
        cells = [value if isinstance(value, Cell) else Cell(value) for value in row]
        texts = [f"{escape(shown.name(str(cell.value)))}{cell.after}" for cell in cells]
        grid.add_row(*(f"[bold]{text}[/]" if cell.best else text for text, cell in zip(texts, cells, strict=True)))
    return grid


def _legends(shown_sets: Sequence[_Shown]) -> Iterator[str]:
    """Yield the legend, once if it is the same for all test sets."""
    comparisons = [shown.comparison for shown in shown_sets]
    legends = {
        one_cell(shown.comparison.test_set.name): shown.comparison.legend(shown.name, BEST) for shown in shown_sets
    }
    if len(set(legends.values())) == 1:
        yield next(iter(legends.values()))
    else:
        yield from (f"{name}: {legend}" for name, legend in legends.items())
    yield from filter(None, dict.fromkeys(comparison.rank_legend(comparison.tables) for comparison in comparisons))


def _rich_table(shown: _Shown, table: ScoreTable) -> tuple[Grid, int]:
    """Return a table with as many columns as fit, and its width."""
    comparison, width = shown.comparison, shown.width
    level, counts_label = f"{100 * comparison.confidence_level:g} %", "wins/ties/losses"
    with_interval = "difference"
    if any(row.interval_of_difference for row in table.rows):
        with_interval += f" [{level}]"
    score = table.name if table.higher_is_better else f"{table.name} {LOWER}"
    labels = [*(["rank"] if comparison.has_ranks else []), "system", score, level]
    if comparison.test:
        labels += [with_interval, comparison.p_label, counts_label]
    columns: dict[str, list[str]] = {name: [] for name in labels}
    differences = []
    for row in [table.rows[place] for place in shown.order(table)]:
        texts = {"rank": row.places, "system": shown.name(row.system), score: _value(row), level: row.interval}
        if comparison.test:
            if row.difference is None:
                texts["system"] += " (baseline)"
            difference, texts[comparison.p_label], texts[counts_label] = against(row)
            texts[with_interval] = escape(f"{difference} {row.interval_of_difference}".rstrip())
            differences.append(difference)
        for name, column in columns.items():
            column.append(texts[name])
    if not any(columns[level]):
        del columns[level]
    # Where there is too little room, first the counts are left out, then the intervals, then the ranks.
    for name in (counts_label, level, with_interval, "rank"):
        if _room(columns) <= width:
            break
        if name != with_interval:
            columns.pop(name, None)
        elif comparison.test:
            columns = {"difference" if key == name else key: cells for key, cells in columns.items()}
            columns["difference"] = differences
    room = max(width, _room(columns))
    longest = max(map(cell_len, ["system", *columns["system"]]))
    names_width = min(longest, _NAME_WIDTH) + room - _room(columns)
    columns["system"] = [escape(_folded(name, names_width)) for name in columns["system"]]
    options = comparison.options()[table.metric]
    options_in_words = f" ({options})" if options else ""
    rich_table = shown.grid(one_cell(f"{comparison.test_set.name}: {table.title}{options_in_words}"), _LINED)
    for name in columns:
        if name == "system":
            rich_table.add_column(name, overflow="fold")
        else:
            rich_table.add_column(escape(name), justify="right", no_wrap=True)
    lines = table.lines if comparison.has_ranks else []
    for place, cells in enumerate(zip(*columns.values(), strict=True), 1):
        rich_table.add_row(*cells, end_section=place in lines)
    return rich_table, room


def _room(columns: dict[str, list[str]]) -> int:
    """Return the width of a table in which long system names fold."""
    widths = {
        name: max(
            cell_len(cell) if name == "system" else Text.from_markup(cell, emoji=False).cell_len
            for cell in [name, *cells]
        )
        for name, cells in columns.items()
    }
    return min(widths["system"], _NAME_WIDTH) + sum(widths.values()) - widths["system"] + 3 * len(widths) + 1


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


def export_segments(comparisons: Sequence[Comparison], path: Path, *, bom: bool = False) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    The ending of the path chooses the format: .csv, .jsonl, .xlsx (the sheet of segments of :func:`sheets_of`), else
    TSV. In TSV and CSV names are escaped, and references are joined by " | "; JSON Lines have a list of them, and
    null for a score that is none. Texts are written as they are, but for white space in TSV. `bom` begins TSV and CSV
    with a byte order mark.
    """
    ending = path.suffix.lower()
    if ending == ".xlsx":
        write_workbook(path, [_segments(comparisons)])
        return
    columns = [*_score_columns(comparisons), Column("candidate", "text"), Column("references", "text")]
    rows = ([*scores, text, list(texts)] for scores, _, text, texts in _segment_rows(comparisons))
    form = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(ending, "tsv")
    write_lines(path, Table("Segments", columns, rows), form, bom=bom)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
