"""A comparison as JSON, TSV, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tercet.errors import InputError, shorten
from tercet.explanation.places import one_cell
from tercet.files.writing import write_text_file
from tercet.signature import __version__
from tercet.statistics.paired_tests import decimals, pvalue_text

from .scores import AS_GOOD, BEST, COLUMNS, LOWER, Comparison, ScoreTable, SystemScore
from .test_sets import TestSet


def to_json(comparisons: Sequence[Comparison]) -> str:
    """Return all numbers as JSON: the version, and an object for each test set."""
    return json_text({"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in comparisons]})


def json_text(value: Any) -> str:
    """Return a value as strict JSON: null for NaN and infinities."""
    return json.dumps(finite(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def to_tsv(comparisons: Sequence[Comparison]) -> str:
    """Return a row per score and system; names as :func:`name_cell` writes them."""
    return lines_of_tsv(_rows(comparisons))


def to_csv(comparisons: Sequence[Comparison]) -> str:
    """Return the same as CSV."""
    return lines_of_csv(_rows(comparisons))


def _rows(comparisons: Sequence[Comparison]) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for comparison in comparisons:
        for row in comparison.records():
            yield [table_cell(value) for value in row.values()]


def table_cell(value: object) -> str:
    """Return a value as a cell of a TSV or CSV file: names as :func:`name_cell`, "" for None, or NaN."""
    if isinstance(value, str):
        return name_cell(value)
    if value is None:
        return ""
    # Only NaN differs from itself.
    return "NaN" if value != value else str(value)


def lines_of_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Return one line per row; cells hold no tabs."""
    return "".join("\t".join(row) + "\n" for row in rows)


def lines_of_csv(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows as CSV of RFC 4180: lines end with CR LF, and cells with a comma or quote are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class _Style:
    """How a format writes what a table for people holds."""

    plain: Callable[[str], str]
    bold: str
    as_good: str
    lower: str
    difference: str
    dash: str
    signed: str


def to_markdown(comparisons: Sequence[Comparison]) -> str:
    """Return a table with a row for each system: each score with its interval, difference and p."""
    style = _Style(
        plain=as_markdown,
        bold="**{}**",
        as_good=AS_GOOD,
        lower=LOWER,
        difference="difference",
        dash="–",
        signed="{}",
    )
    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, style)
        name = f"**{as_markdown(comparison.test_set.name)}**\n\n" if len(comparisons) > 1 else ""
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        # A backtick would end the code: an apostrophe takes its place.
        notes = _notes(comparison, as_markdown, lambda text: "`{}`".format(one_cell(text).replace("`", "'")))
        parts.append(f"{name}{body}\n{notes}")
    return "\n".join(parts)


def to_latex(comparisons: Sequence[Comparison]) -> str:
    """Return the same table for LaTeX with booktabs."""
    style = _Style(
        plain=as_latex,
        bold="\\textbf{{{}}}",
        as_good="$^\\dagger$",
        lower="$\\downarrow$",
        difference="$\\Delta$",
        dash="--",
        signed="${}$",
    )
    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, style)
        body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
        notes = "".join(f"% {line}\n" for line in _notes(comparison, one_cell, one_cell).splitlines() if line)
        name = title_row(comparison.test_set.name, len(head)) if len(comparisons) > 1 else ""
        parts.append(
            f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n"
            f"{name}{' & '.join(head)} \\\\\n\\midrule\n{body}"
            f"\\bottomrule\n\\end{{tabular}}\n{notes}"
        )
    return "\n".join(parts)


def title_row(name: str, width: int) -> str:
    """Return a first row of a LaTeX table that says what it is of."""
    return f"\\multicolumn{{{width}}}{{l}}{{\\textbf{{{as_latex(name)}}}}} \\\\\n"


def _wide(comparison: Comparison, style: _Style) -> list[list[str]]:
    """Return the header and a row per system: of each score value, interval and mark, and against the baseline."""
    tested = comparison.test is not None
    head = [style.plain("system")]
    rows = [[style.plain(system)] for system in comparison.test_set.systems]
    for label, table in zip(comparison.score_labels(), comparison.tables, strict=True):
        head.append(style.plain(label) + ("" if table.higher_is_better else f" {style.lower}"))
        head += [style.difference, style.plain(comparison.p_label)] if tested else []
        for cells, row in zip(rows, table.rows, strict=True):
            value = style.bold.format(decimals(row.value)) if row.best else decimals(row.value)
            mark = style.as_good if row.as_good and not row.best else ""
            cells.append(f"{value}{mark} ({decimals(row.low)}{style.dash}{decimals(row.high)})")
            if tested:
                difference, p = row.difference, row.adjusted_pvalue
                cells.append("" if difference is None else style.signed.format(decimals(difference, signed=True)))
                unknown = "" if difference is None else "NaN"
                cells.append(unknown if p is None else pvalue_text(p))
    return [head, *rows]


def _notes(comparison: Comparison, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    signatures = dict.fromkeys(table.signature for table in comparison.tables)
    level = f"In parentheses: {100 * comparison.confidence_level:g} % intervals. "
    remarks = "".join(f"\n\n{line}" for line in [*comparison.remarks(plain), *map(plain, comparison.warnings)])
    return level + comparison.legend(plain) + remarks + "\n\n" + "\n\n".join(map(code, signatures)) + "\n"


def as_markdown(text: str) -> str:
    """Return a name escaped for a Markdown table: no markup, HTML, link or cell separator."""
    # An underscore between two letters or digits is no markup.
    return re.sub(r"[\\`*\[\]<>|~&!$#]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", one_cell(text))


def as_latex(text: str) -> str:
    """Return a name escaped for LaTeX, also where a bracket or star would belong to the command before it."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    # In braces: a line break or a command before them would take these for its argument.
    signs |= {sign: f"{{{sign}}}" for sign in "[]*"}
    return "".join(signs.get(letter, letter) for letter in one_cell(text))


# Comparisons as tables for a terminal: all scores, then each with its interval and tests.

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
    console_width, several = console.width, len(comparisons) > 1
    if sum(len(comparison.tables) for comparison in comparisons) > 1:
        for summary in _summaries(comparisons, console_width):
            console.print(summary)
    for comparison in comparisons:
        for table in comparison.tables:
            rich_table, console.width = _rich_table(comparison, table, console_width)
            console.print(rich_table)
        for line in (*_below(comparison, verbose), *([""] if several else [])):
            console.print(line, soft_wrap=True, markup=False)
    for line in _legends(comparisons):
        console.print(line, soft_wrap=True, markup=False)
    return buffer.getvalue()


def _summaries(comparisons: Sequence[Comparison], width: int) -> Iterator[Table]:
    """Yield tables of all systems, each with as many scores as fit."""
    names = [one_cell(system) for comparison in comparisons for system in comparison.test_set.systems]
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
        value_widths = [len(f"{decimals(row.value)} ") for table in tables for row in table.rows]
        widths.append(max(min(cell_len(one_cell(label)), _HEAD_WIDTH), *value_widths))
    start = 0
    while start < len(labels):
        end, summary_width = start + 1, names_width + widths[start] + 3
        while end < len(labels) and summary_width + widths[end] + 3 <= width:
            summary_width += widths[end] + 3
            end += 1
        yield _summary(comparisons, range(start, end), widths)
        start = end


def _summary(comparisons: Sequence[Comparison], scores: range, widths: Sequence[int]) -> Table:
    """Return a table of some scores of all systems, with a section per test set."""
    several = len(comparisons) > 1
    title = f"All scores{'' if several else f' of {one_cell(comparisons[0].test_set.name)}'}"
    title += ", continued" if scores.start else ""
    summary = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left")
    if several:
        summary.add_column("test set", overflow="fold", max_width=_LONGEST_NAME)
    summary.add_column("system", overflow="fold", max_width=_LONGEST_NAME)
    labels = comparisons[0].marked_labels()
    for index in scores:
        summary.add_column(escape(one_cell(labels[index])), justify="right", overflow="fold", width=widths[index])
    for comparison in comparisons:
        for number, system in enumerate(comparison.test_set.systems):
            cells = [_value(comparison.tables[index].rows[number]) for index in scores]
            names = [escape(one_cell(system))]
            if several:
                # Only the first row of a section names its test set.
                names.insert(0, escape(one_cell(comparison.test_set.name)) if number == 0 else "")
            summary.add_row(*names, *cells)
        summary.add_section()
    return summary


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
    legends = {one_cell(comparison.test_set.name): comparison.legend(one_cell, BEST) for comparison in comparisons}
    if len(set(legends.values())) == 1:
        yield next(iter(legends.values()))
    else:
        yield from (f"{name}: {legend}" for name, legend in legends.items())


def _rich_table(comparison: Comparison, table: ScoreTable, width: int) -> tuple[Table, int]:
    """Return a table with as many columns as fit, and its width."""
    level, counts_label = f"{100 * comparison.confidence_level:g} %", "wins/ties/losses"
    score = table.name if table.higher_is_better else f"{table.name} {LOWER}"
    names = ["system", score, level]
    if comparison.test:
        names += ["difference", comparison.p_label, counts_label]
    columns: dict[str, list[str]] = {name: [] for name in names}
    for row in table.rows:
        name = escape(one_cell(row.system)) + (" (baseline)" if comparison.test and row.difference is None else "")
        tested = _against(row) if comparison.test else ()
        cells = (name, _value(row), f"{decimals(row.low)} – {decimals(row.high)}", *tested)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    # Where there is too little room, first the counts are left out, then the intervals.
    for name in (counts_label, level):
        if _room(columns) > width:
            columns.pop(name, None)
    options = comparison.options()[table.metric]
    options_in_words = f" ({options})" if options else ""
    title = one_cell(f"{comparison.test_set.name}: {table.title}{options_in_words}")
    rich_table = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left")
    rich_table.add_column("system", overflow="fold")
    for name in list(columns)[1:]:
        rich_table.add_column(name, justify="right", no_wrap=True)
    for cells in zip(*columns.values(), strict=True):
        rich_table.add_row(*cells)
    return rich_table, max(width, _room(columns))


def _room(columns: dict[str, list[str]]) -> int:
    """Return the width of a table in which long system names fold."""
    widths = [max(Text.from_markup(cell).cell_len for cell in [name, *cells]) for name, cells in columns.items()]
    return min(widths[0], _NAME_WIDTH) + sum(widths[1:]) + 3 * len(widths) + 1


def _against(row: SystemScore) -> tuple[str, str, str]:
    if row.difference is None:
        return "", "", ""
    p = "NaN" if row.adjusted_pvalue is None else pvalue_text(row.adjusted_pvalue)
    return decimals(row.difference, signed=True), p, f"{row.wins}/{row.ties}/{row.losses}"


# Files for other programs: each system's texts with their references, and every score of every segment.

#: The longest name, in bytes, that every file system takes.
_LONGEST_FILE_NAME = 255

#: The byte order mark, by which Excel reads a text file as UTF-8.
BOM = "\ufeff"

#: Characters that start a formula in a spreadsheet; with an apostrophe before them, the cell is a text.
_FORMULAS = ("=", "+", "-", "@")


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
        write_tsv(path, [head, *filled_rows])
    return list(paths)


def export_segments(comparisons: Sequence[Comparison], path: Path, *, bom: bool = False) -> None:
    """Write one row per segment and system: test set, number from 1, system, each score, text, references.

    The ending of the path chooses the format: .csv, .jsonl, .xlsx (the sheet of segments of
    :func:`~.workbook.sheets_of`), else TSV. In TSV and CSV names are written with :func:`name_cell`, and references
    are joined by " | "; JSON Lines have a list of them, and null for a score that is none. Texts are written as they
    are, but for white space in TSV. `bom` begins TSV and CSV with a byte order mark.
    """
    ending = path.suffix.lower()
    if ending == ".xlsx":
        from .workbook import segments_of, write_workbook

        write_workbook(path, [segments_of(comparisons)])
    elif ending in (".jsonl", ".ndjson"):
        rows = _segment_rows(comparisons)
        head = next(rows)
        with write_text_file(path) as file:
            for row in rows:
                file.write(json_line(dict(zip(head, row, strict=True))))
    else:
        cells = ([_segment_cell(value) for value in row] for row in _segment_rows(comparisons, name_cell))
        write = write_csv if ending == ".csv" else write_tsv
        write(path, cells, bom=bom)


def _segment_rows(comparisons: Sequence[Comparison], name: Callable[[str], str] = str) -> Iterator[list[Any]]:
    """Yield the head, then the row of each segment and system; `name` writes names."""
    tables = [table for comparison in comparisons for table in comparison.tables]
    titles = list(dict.fromkeys(f"{table.metric} {table.name}" for table in tables))
    yield ["test_set", "segment", "system", *map(name, titles), "candidate", "references"]
    for comparison in comparisons:
        test_set = comparison.test_set
        scores = {f"{table.metric} {table.name}": table.segments for table in comparison.tables}
        for number, references in enumerate(test_set.references):
            for system, texts in test_set.systems.items():
                values = [scores[title][system][number] for title in titles]
                position = [name(test_set.name), number + 1, name(system)]
                yield [*position, *values, texts[number], list(references)]


def _segment_cell(value: Any) -> str:
    if isinstance(value, list):
        return " | ".join(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    # Only NaN differs from itself.
    return "NaN" if value != value else repr(value)


def json_line(value: Any) -> str:
    """Return a value as a line of strict JSON: null for NaN and infinities."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """Return a value with None in place of NaN and infinities, which strict JSON does not have."""
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def name_cell(name: str) -> str:
    """Return a name on one line, with an apostrophe if a spreadsheet would take it for a formula."""
    cell = one_cell(name)
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def write_tsv(path: Path, rows: Iterable[Iterable[str]], *, bom: bool = False) -> None:
    """Write rows of texts, one per line: white space within a cell becomes a space."""
    with write_text_file(path) as file:
        file.write(BOM if bom else "")
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)


def write_csv(path: Path, rows: Iterable[Iterable[str]], *, bom: bool = False) -> None:
    """Write rows of texts as CSV of RFC 4180."""
    with write_text_file(path) as file:
        file.write(BOM if bom else "")
        csv.writer(file).writerows(rows)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
