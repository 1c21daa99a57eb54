"""A table, and a function for each format that writes it: lines, JSON, Markdown, LaTeX, workbooks and notebooks."""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from .errors import InputError, needs, warn
from .files.writing import write_file, write_text_file
from .names_as_shown import NOT_IN_XML, one_cell, scores_html

if TYPE_CHECKING:
    from .files.table import CsvDialect

#: The byte order mark, by which Excel reads a text file as UTF-8.
BOM = "\ufeff"


class Cell(NamedTuple):
    """A value that stands out: as the best, or by what follows it, such as a mark or its interval."""

    value: Any
    best: bool = False
    after: str = ""


class LeftOut(IntEnum):
    """What a table of scores leaves out in a terminal without room, the first step first."""

    #: How many segments are won, how many runs there are.
    COUNTS = 1
    #: Of scores.
    INTERVALS = 2
    #: The segments of slices, the spread of runs.
    SIZES = 3
    #: The intervals and margins of differences, which say more than those of scores.
    MARGINS = 4
    RANKS = 5


class Column(NamedTuple):
    """A column of names, texts, numbers or differences; only tables for programs have texts, which may be long."""

    title: str
    kind: Literal["name", "text", "number", "difference"] = "number"
    #: What follows the title, such as a mark.
    after: str = ""
    #: In a workbook, the width and the format of numbers; without a width, the title fits.
    width: int | None = None
    number_format: str | None = None
    #: In a terminal without room, the step at which it is left out, such as one of `LeftOut`; 0 for one that stays.
    leaves: int = 0
    #: In a workbook, which numbers are the worst and coloured so; none where it is "".
    worst: Literal["", "lowest", "highest"] = ""


class Group(NamedTuple):
    """Rows of a table that belong together: from which on, their name, and what follows it, such as a mark."""

    start: int
    name: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a title, and the lines around them.

    Tables for programs hold numbers and texts as they are, tables for people numbers as texts. Rows may be made as
    they are written; then `n_made` is their number. No text or name is escaped: each format does that.
    """

    title: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]
    above: Sequence[str] = ()
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()
    n_made: int = 0
    #: After how many rows a line is drawn, in LaTeX.
    lines: Sequence[int] = ()
    #: Which rows have a name above them, in LaTeX.
    groups: Sequence[Group] = ()
    #: Whether a workbook has a filter on each column.
    has_filters: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows) if isinstance(self.rows, Sequence) else self.n_made


# For programs: JSON, and a line for each row.


def json_text(value: Any) -> str:
    """Return a value as strict JSON: null for NaN and infinities."""
    return json.dumps(finite_or_none(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def json_line(value: Any) -> str:
    """Return a value as strict JSON on a line, without its end."""
    return json.dumps(finite_or_none(value), ensure_ascii=False, allow_nan=False)


def number_or_none(value: float) -> float | None:
    """Return a number as a plain float; None if it is NaN or infinite."""
    return float(value) if math.isfinite(value) else None


def finite_or_none(value: Any) -> Any:
    """Return a value with None for NaN and infinities, which strict JSON does not have."""
    if isinstance(value, dict):
        return {name: finite_or_none(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite_or_none(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_lines(table: Table, form: str) -> str:
    """Return a table as TSV or CSV."""
    buffer = io.StringIO()
    _write(buffer, table, form)
    return buffer.getvalue()


def write_lines(
    path: str | os.PathLike[str], table: Table, form: str, *, bom: bool = False, dialect: CsvDialect | None = None
) -> None:
    """Write a table as TSV, CSV or JSON Lines; `bom` begins TSV and CSV with a byte order mark.

    A CSV is written in the dialect of another, if it is given.
    """
    dialect_of_csv = dialect if form == "csv" else None
    has_mark = bom or (dialect_of_csv is not None and dialect_of_csv.has_mark)
    with write_text_file(path) as file:
        if has_mark and form != "jsonl":
            file.write(BOM)
        _write(file, table, form, dialect_of_csv)


def _write(file: TextIO, table: Table, form: str, dialect: CsvDialect | None = None) -> None:
    """Write the titles, then a row per line; in TSV, white space within a cell becomes a space."""
    titles = [column.title for column in table.columns]
    rows = map(_plain_values, table.rows)
    if form == "jsonl":
        file.writelines(f"{json_line(dict(zip(titles, row, strict=True)))}\n" for row in rows)
        return
    # Here, as a terminal needs no rows of TSV and CSV.
    import csv

    kinds = [column.kind for column in table.columns]
    # Rows of CSV are as RFC 4180 has them.
    options: dict[str, Any] = {}
    if form == "tsv":
        options = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None, "lineterminator": "\n"}
    has_comma = False
    if dialect is not None:
        options = {"delimiter": dialect.separator}
        # Where semicolons separate cells, commas stand before decimals, unless some number shows a point.
        has_comma = dialect.separator == ";" and dialect.decimal != "."
    writer = csv.writer(file, **options)
    writer.writerow(map(_name_cell, titles))
    for row in rows:
        cells = list(map(_line_cell, row, kinds))
        if has_comma:
            cells = _with_commas(cells, row)
        if form == "tsv":
            cells = [" ".join(cell.split()) for cell in cells]
        writer.writerow(cells)


def _plain_values(row: Sequence[Any]) -> list[Any]:
    """Return the values of a row, without what makes some stand out."""
    return [value.value if isinstance(value, Cell) else value for value in row]


def _with_commas(cells: Sequence[str], values: Sequence[Any]) -> list[str]:
    """Return cells with commas before the decimals of numbers."""
    written = []
    for cell, value in zip(cells, values, strict=True):
        written.append(cell.replace(".", ",") if isinstance(value, float) else cell)
    return written


def _line_cell(value: Any, kind: str) -> str:
    """Return a value as a cell of a line: texts as they are, "" for None, and several texts side by side."""
    if isinstance(value, str):
        return value if kind == "text" else _name_cell(value)
    if isinstance(value, list):
        return " | ".join(value)
    if value is None:
        return ""
    if value != value:  # NaN alone differs from itself
        return "NaN"
    return str(value)


#: Characters that start a formula in a spreadsheet; with an apostrophe before them, the cell is a text.
_FORMULAS = ("=", "+", "-", "@")


def _name_cell(name: str) -> str:
    """Return a name on one line, with an apostrophe if a spreadsheet would take it for a formula."""
    cell = one_cell(name)
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


# For people: terminals, Markdown, LaTeX, notebooks.


def decimals(value: float, digits: int = 2, *, signed: bool = False) -> str:
    """Return a score, or a difference of scores, with two decimals or as many as are given; NaN as NaN.

    >>> decimals(12.345), decimals(12.345, signed=True), decimals(math.nan, signed=True), decimals(0.85, 4)
    ('12.35', '+12.35', 'NaN', '0.8500')
    """
    if math.isnan(value):
        return "NaN"
    if signed:
        return f"{value:+.{digits}f}"
    return f"{value:.{digits}f}"


def interval_text(
    low: float | None, high: float | None, digits: int = 2, *, signed: bool = False, narrow: bool = False
) -> str:
    """Return an interval of a score, or in brackets that of a difference; nothing where there is none.

    A narrow one has no blanks.

    >>> interval_text(12.345, 13), interval_text(-0.5, 1.25, signed=True), interval_text(math.nan, math.nan)
    ('12.35 – 13.00', '[-0.50, +1.25]', '')
    """
    if low is None or high is None or math.isnan(low):
        return ""
    lower = decimals(low, digits, signed=signed)
    upper = decimals(high, digits, signed=signed)
    if signed:
        return f"[{lower}, {upper}]"
    return f"{lower}–{upper}" if narrow else f"{lower} – {upper}"


def pvalue_text(pvalue: float) -> str:
    """Return p as text: three decimals, four below 0.01; exact tests may be below those, too."""
    if pvalue < 0.00005:
        return "<0.0001"
    if pvalue < 0.01:
        return f"{pvalue:.4f}"
    return f"{pvalue:.3f}"


def to_terminal(parts: Iterable[Any], width: int | None, colour: bool, *, wraps: bool = False) -> str:
    """Return lines and tables of rich, which a terminal of a width has room for.

    No width breaks a line, unless `wraps` breaks it between words; one without blanks, as a signature, stays whole.
    """
    from rich.console import Console

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False, emoji=False)
    for part in parts:
        is_line = isinstance(part, str)
        console.print(part, soft_wrap=is_line and not (wraps and " " in part), markup=not is_line)
    return buffer.getvalue()


class _Style(NamedTuple):
    """How a format writes the cells of a table."""

    name: Callable[[str], str]
    best: str
    difference: str = "{}"
    #: What stands for a column of differences, where it is not the title.
    delta: str = ""
    #: What it writes for the signs that follow a value or a title.
    signs: Mapping[int, str] = {}
    #: How it writes what is no name and no difference.
    number: Callable[[str], str] = str

    def cells(self, table: Table) -> Iterator[list[str]]:
        """Yield the titles, then each row."""
        yield [f"{self._title(column)}{column.after.translate(self.signs)}" for column in table.columns]
        for row in table.rows:
            yield [self._cell(value, column.kind) for value, column in zip(row, table.columns, strict=True)]

    def _title(self, column: Column) -> str:
        if self.delta and column.kind == "difference":
            return self.delta
        return self.name(column.title)

    def _cell(self, value: Any, kind: str) -> str:
        text, best, after = value if isinstance(value, Cell) else Cell(value)
        if kind == "name":
            text = self.name(text)
        elif kind == "difference" and text:
            text = self.difference.format(text)
        else:
            text = self.number(str(text))
        if best:
            text = self.best.format(text)
        return f"{text}{after.translate(self.signs)}"


def to_markdown(tables: Iterable[Table]) -> str:
    """Return tables as Markdown, with the lines around them."""
    style = _Style(as_markdown, "**{}**")
    blocks = []
    for table in tables:
        head, *rows = style.cells(table)
        dashes = ["---" if column.kind == "name" else "---:" for column in table.columns]
        blocks += [f"**{as_markdown(table.title)}**"] if table.title else []
        blocks += map(as_markdown, table.above)
        blocks.append("\n".join(f"| {' | '.join(row)} |" for row in [head, dashes, *rows]))
        blocks += map(as_markdown, table.notes)
        # A backtick would end the code: an apostrophe is written instead.
        blocks += ["`{}`".format(one_cell(line).replace("`", "'")) for line in table.signatures]
    return "\n\n".join(blocks) + "\n"


def to_latex(tables: Iterable[Table]) -> str:
    """Return tables for LaTeX with booktabs, the lines around them as comments."""
    style = _Style(
        name=_as_latex,
        best="\\textbf{{{}}}",
        difference="${}$",
        delta="$\\Delta$",
        signs=str.maketrans(_LATEX_SIGNS | {"[": "$[", "]": "]$"}),
        number=_number_as_latex,
    )
    parts = []
    for table in tables:
        head, *rows = (f"{' & '.join(row)} \\\\\n" for row in style.cells(table))
        whole_row = f"\\multicolumn{{{len(table.columns)}}}{{@{{}}l}}"
        for row in table.lines:
            rows[row] = f"\\midrule\n{rows[row]}"
        for group in table.groups:
            name = f"{_as_latex(group.name)}{group.after.translate(style.signs)}"
            line = "\\midrule\n" if group.start else ""
            rows[group.start] = f"{line}{whole_row}{{\\textit{{{name}}}}} \\\\\n{rows[group.start]}"
        title = ""
        if table.title:
            title = f"{whole_row}{{\\textbf{{{_as_latex(table.title)}}}}} \\\\\n"
        above = "".join(f"% {one_cell(line)}\n" for line in table.above)
        below = "".join(f"% {one_cell(line)}\n" for line in [*table.notes, *table.signatures])
        sides = "".join("l" if column.kind == "name" else "r" for column in table.columns)
        parts.append(
            f"{above}\\begin{{tabular}}{{@{{}}{sides}@{{}}}}\n\\toprule\n"
            f"{title}{head}\\midrule\n{''.join(rows)}\\bottomrule\n\\end{{tabular}}\n{below}"
        )
    if not parts:
        return ""
    # The preamble of a paper needs it; as a comment, the file can be read by \\input as it is.
    return "% \\usepackage{booktabs}\n" + "\n".join(parts)


def to_notebook(table: Table) -> str:
    """Return a table without a title as HTML for a notebook, where a star marks the best."""
    head, *rows = _Style(str, "{}*", signs=str.maketrans({"–": " – "})).cells(table)
    return scores_html(head, rows, [*table.above, *table.notes, *table.signatures])


#: The formats for people that are texts.
FOR_PEOPLE = {"markdown": to_markdown, "latex": to_latex}


def as_markdown(text: str) -> str:
    """Return a text escaped for a Markdown table: no markup, HTML, link or cell separator."""
    # An underscore between two letters or digits is no markup.
    return re.sub(r"[\\`*\[\]<>|~&!$#]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", one_cell(text))


#: Signs that the letters of a paper lack, or that its dashes are written by.
_LATEX_SIGNS = {
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "±": "$\\pm$",
    "†": "$^\\dagger$",
    "↓": "$\\downarrow$",
    "–": "--",
    "—": "---",
}


def _number_as_latex(text: str) -> str:
    """Return a number, p or interval for LaTeX."""
    closed = text.replace(" – ", "–")
    return "".join(_LATEX_SIGNS.get(letter, letter) for letter in closed)


def _as_latex(text: str) -> str:
    """Return a text escaped for LaTeX, also where a bracket or star would belong to the command before it."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= _LATEX_SIGNS
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    # In braces: a line break or a command before them would take these for its argument.
    signs |= {sign: f"{{{sign}}}" for sign in "[]*"}
    return "".join(signs.get(letter, letter) for letter in one_cell(text))


# Workbooks of Excel: numbers as numbers, and every text as a text.

#: The most rows of a sheet and characters (of UTF-16) of a cell in the format.
MOST_ROWS = 1_048_576
MOST_CHARACTERS = 32_767


def check_fits(title: str, n_rows: int) -> None:
    """Raise an InputError for more rows, besides the header, than a sheet has."""
    if n_rows >= MOST_ROWS:
        raise InputError(
            f"The sheet {title!r} would have {n_rows + 1:,} rows, more than the {MOST_ROWS:,} that a workbook holds. "
            "Choose another format, such as tsv."
        )


def needs_workbooks() -> None:
    """Raise an OptionError where workbooks cannot be written."""
    needs("A workbook (.xlsx)", "xlsx", "openpyxl")


def write_workbook(path: str | os.PathLike[str], tables: Sequence[Table]) -> None:
    r"""Write a sheet for each table, with a header that stays in view.

    A text is never a formula. Characters that the format does not allow become escapes such as ``\x07``; a text that
    is longer than a cell may be is cut, and a warning counts such texts. InputError for more rows than a sheet has.
    """
    needs_workbooks()
    from openpyxl import Workbook

    for table in tables:
        check_fits(table.title, table.n_rows)
    book = Workbook(write_only=True)
    n_cut = sum(_add_sheet(book, table) for table in tables)
    with write_file(path) as file:
        book.save(file)
    if n_cut:
        texts = "text is" if n_cut == 1 else "texts are"
        warn(f"{n_cut:,} {texts} cut to the {MOST_CHARACTERS:,} characters that a cell of a workbook holds.")


def _add_sheet(book: Any, table: Table) -> int:
    """Add a sheet, and return how many of its texts were cut."""
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(table.title)
    # The header stays in view: all above and left of this cell is frozen.
    sheet.freeze_panes = "A2"
    for number, column in enumerate(table.columns, 1):
        width = column.width or max(10, len(column.title) + 2)
        sheet.column_dimensions[get_column_letter(number)].width = width
    cell = _cells(sheet)
    sheet.append([cell(Cell(column.title, best=True), None) for column in table.columns])
    formats = [column.number_format for column in table.columns]
    n_cut = 0
    for row in table.rows:
        n_cut += sum(isinstance(value, str) and _is_long(value) for value in row)
        sheet.append(list(map(cell, row, formats)))
    if table.n_rows:
        _add_filters_and_colours(sheet, table)
    return n_cut


#: The colour of the worst number of a column; the best one has none.
_WORST = "F4B183"
_BEST = "FFFFFF"


def _add_filters_and_colours(sheet: Any, table: Table) -> None:
    from openpyxl.formatting.rule import ColorScaleRule
    from openpyxl.utils import get_column_letter

    last_row = table.n_rows + 1
    if table.has_filters:
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{last_row}"
    for number, column in enumerate(table.columns, 1):
        if not column.worst:
            continue
        lowest = _BEST
        highest = _WORST
        if column.worst == "lowest":
            lowest = _WORST
            highest = _BEST
        rule = ColorScaleRule(start_type="min", start_color=lowest, end_type="max", end_color=highest)
        letter = get_column_letter(number)
        sheet.conditional_formatting.add(f"{letter}2:{letter}{last_row}", rule)


def _cells(sheet: Any) -> Callable[[Any, str | None], Any]:
    """Return what makes a cell of a value, with a format if it is a number."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    bold = Font(bold=True)

    def cell(value: Any, number_format: str | None) -> Any:
        content, best, _ = value if isinstance(value, Cell) else Cell(value)
        if isinstance(content, float) and not math.isfinite(content):
            # The format has no NaN and no infinity.
            content = None
        if isinstance(content, str):
            written_cell = WriteOnlyCell(sheet, _workbook_text(content))
            # A text is no formula, whatever it begins with.
            written_cell.data_type = "s"
        else:
            written_cell = WriteOnlyCell(sheet, content)
            if number_format and isinstance(content, float):
                written_cell.number_format = number_format
        if best:
            written_cell.font = bold
        return written_cell

    return cell


def _is_long(text: str) -> bool:
    # A character has at most two units of UTF-16: most texts are short enough without being encoded.
    return 2 * len(text) > MOST_CHARACTERS and len(text.encode("utf-16-le", "surrogatepass")) > 2 * MOST_CHARACTERS


def _workbook_text(text: str) -> str:
    text = re.sub(NOT_IN_XML, lambda match: match[0].encode("unicode_escape").decode(), text)
    if _is_long(text):
        # One character less, for the ellipsis; half a surrogate pair before it is dropped.
        text = text.encode("utf-16-le")[: 2 * MOST_CHARACTERS - 2].decode("utf-16-le", "ignore") + "…"
    return text
