"""TSV and CSV -> a table.

They differ in their quotes. A CSV is written by a program that puts a cell into quotes where it must and
doubles the quotes within. A TSV of machine translation is lines and tabs: a quote is a character of the text, and may
well stand alone. But pandas and spreadsheets quote their TSV as a CSV. So a TSV is read without quoting, unless

- every quote of the file stands where such a program would put it: around a whole cell, or doubled within one; and
- there is a sign of such a program: the header is quoted, or a cell holds doubled quotes, or only that way has every
  row as many cells as the header.

A TSV whose only quotes are around whole cells, ``"Yes."``, keeps them: no program had a reason to put them there.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import BinaryIO

from tercet.errors import InputError, shorten
from tercet.files.encodings import decode
from tercet.files.limits import LIMITS, Limits, read_bytes
from tercet.files.logs.promptfoo_tables import named_apart
from tercet.files.logs.recognition import log_in_table
from tercet.files.numbers import Notation, notation_of_file
from tercet.files.rows import Row, list_rows, table_of_rows
from tercet.files.table import MOST_COLUMNS, CsvDialect, Table

from .around_tables import body, header_index, table_rows


def read_tsv(stream: BinaryIO, name: str, limits: Limits = LIMITS, *, encoding: str | None = None) -> Table:
    """Read a table whose cells are separated by tabs, its first line the names of the columns."""
    text = decode(read_bytes(stream, name, limits), name, encoding=encoding)
    lines = enumerate(text.split("\n"), 1)
    if _DECLARED_TAB.match(text):
        next(lines)
    plain_rows = ((number, line.removesuffix("\r").split("\t", MOST_COLUMNS)) for number, line in lines)
    plain = list_rows(plain_rows, name)
    _, last_cells = plain[-1]
    # Nothing follows the last line end.
    if last_cells == [""]:
        plain.pop()
    rows = plain
    if '"' in text:
        quoted = _rows_if_readable(text, "\t", name, limits, quotes_in_text=False)
        if quoted and _even(quoted) and (_shows_quoting(text, quoted) or not _even(plain)):
            rows = quoted
    return table_or_results(rows, name)


def _shows_quoting(text: str, quoted: list[Row]) -> bool:
    """Return whether the header has quotes, or a cell has some within, which were doubled."""
    header, _, _ = text.partition("\n")
    if '"' in header:
        return True
    return any('"' in "\t".join(cells) for _, cells in quoted)


#: The first line that Excel writes and reads: here it says what is known.
_DECLARED_TAB = re.compile("sep=\t\r?\n", re.IGNORECASE)


def read_csv(stream: BinaryIO, name: str, limits: Limits = LIMITS, *, encoding: str | None = None) -> Table:
    """Read a table whose cells are separated by commas, semicolons or tabs, its first row the names of the columns.

    What people put around a table, such as a title above that row, is left out
    (:mod:`tercet.files.tables.around_tables`), here, in a TSV and in a workbook.

    A cell in quotes may hold separators, line ends and doubled quotes; a quote elsewhere in a cell is a character.
    The separator is what splits the header into cells, and if there are several, every other row into as many; or a
    first line such as ``sep=;``, which Excel writes and reads, names it.
    """
    data = read_bytes(stream, name, limits)
    text = decode(data, name, encoding=encoding)
    declaration = _DECLARATION.match(text)
    if declaration:
        separator = declaration[2]
        start = declaration.end()
    else:
        separator = _separator(text, name, limits)
        start = 0
    rows = _Quoted(text, separator, name, limits).rows(start)
    table = table_or_results(list_rows(rows, name), name)
    notation = table.notation
    if separator == ";":
        # Who separates cells by semicolons may write commas before decimals, and points between thousands.
        notation = Notation("")
    decimal = notation_of_file(table.columns.values(), notation).decimal
    has_mark = data.startswith((BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE))
    return replace(table, notation=notation, dialect=CsvDialect(separator, decimal, has_mark))


#: Rows among which the header of a CSV is looked for.
_FIRST_ROWS = 30
#: The first line that Excel writes and reads, as it is or quoted by a program that took it for a cell.
_DECLARATION = re.compile('("?)sep=([^"\r\n])\\1\r?\n', re.IGNORECASE)


def table_or_results(rows: list[Row], name: str) -> Table:
    """Return the log that rows are whose columns are those of results, or else their table."""
    table = table_of_rows(named_apart(table_rows(rows, name)), name)
    return log_in_table(table) or table


def _separator(text: str, name: str, limits: Limits) -> str:
    """Return the separator: the one that splits the header; of several, the one that splits all rows alike."""
    headers: dict[str, list[str]] = {}
    for separator in ",;\t":
        first_rows: list[Row] = []
        try:
            for row in islice(_Quoted(text, separator, name, limits).rows(), _FIRST_ROWS):
                first_rows.append(row)
        except _TooManyCellsError:
            if not first_rows:
                # It does split the header: reading the table says that there are too many cells.
                return separator
        except InputError:
            if not first_rows:
                continue
        headers[separator] = [""]
        if first_rows:
            _, headers[separator] = first_rows[header_index(first_rows)]
    splitting = {separator: cells for separator, cells in headers.items() if len(cells) > 1}
    if len(splitting) < 2:
        return next(iter(splitting or headers), ",")
    alike = [separator for separator in splitting if _even(_rows_if_readable(text, separator, name, limits))]
    if not alike:
        return max(splitting, key=lambda separator: len(splitting[separator]))
    if len(alike) == 1:
        return alike[0]
    splits = []
    for separator in alike:
        cells = ", ".join(map(shorten, splitting[separator][:5]))
        splits.append(f"by {separator!r} into {cells}")
    raise InputError(
        f"{name}: the separator of the cells is ambiguous; every row splits as the header does: "
        f"{', and '.join(splits)}. Save the file as TSV (.tsv), or name the separator in its first line, such as "
        "sep=;"
    )


def _rows_if_readable(
    text: str, separator: str, name: str, limits: Limits, *, quotes_in_text: bool = True
) -> list[Row]:
    """Return the rows of a text; an empty list where they cannot be read so."""
    try:
        return list_rows(_Quoted(text, separator, name, limits, quotes_in_text=quotes_in_text).rows(), name)
    except InputError:
        return []


def _even(rows: list[Row]) -> bool:
    """Return whether the header and all rows below it have as many cells."""
    return len({len(cells) for _, cells in body(rows)}) == 1


class _TooManyCellsError(InputError):
    """A row has more cells than a table has columns."""


class _Quoted:
    """A text with cells in quotes, read row by row.

    The csv module has one limit on the size of a cell for the whole process, ends a row at a CR within a cell, and
    does not know the line of an opening quote.
    """

    def __init__(self, text: str, separator: str, name: str, limits: Limits, *, quotes_in_text: bool = True) -> None:
        self.text = text
        self.separator = separator
        self.name = name
        self.limits = limits
        self.quotes_in_text = quotes_in_text
        self.end_of_cell = re.compile(f"[{re.escape(separator)}\n]")

    def rows(self, start: int = 0) -> Iterator[Row]:
        position = start
        line = 1 + self.text.count("\n", 0, start)
        while position < len(self.text):
            row_start = position
            cells: list[str] = []
            has_more = True
            while has_more:
                if len(cells) == MOST_COLUMNS:
                    raise _TooManyCellsError(f"{self.name}, line {line}: more than {MOST_COLUMNS} cells in a row.")
                cell, end = self._cell(position, len(cells) + 1)
                cells.append(cell)
                has_more = self.text.startswith(self.separator, end)
                position = end + 1
            yield line, cells
            line += self.text.count("\n", row_start, position)

    def _cell(self, start: int, number: int) -> tuple[str, int]:
        """Return the cell that begins at a position, and the position of the separator or line end after it."""
        if not self.text.startswith('"', start):
            end = self._end(start)
            cell = self.text[start:end]
            if not self.quotes_in_text and '"' in cell:
                raise self._error(start, f"a quote stands within cell {number}, which is not quoted")
            if not self.text.startswith(self.separator, end):
                cell = cell.removesuffix("\r")
            return cell, end
        closing = self.text.find('"', start + 1)
        # A doubled quote is a quote of the text.
        while closing >= 0 and self.text.startswith('"', closing + 1):
            closing = self.text.find('"', closing + 2)
        if closing < 0:
            raise self._error(start, f"the quote that opens cell {number} is never closed")
        if closing - start > self.limits.line:
            self.limits.check_line(closing - start, self._location(start), f"cell {number}")
        end = self._end(closing + 1)
        behind = self.text[closing + 1 : end]
        if behind.removesuffix("\r"):
            raise self._error(
                closing,
                f"the quote that closes cell {number} is followed by {shorten(behind)}; expected {self.separator!r} "
                "or the end of the line. A quote within a quoted cell is doubled",
            )
        return self.text[start + 1 : closing].replace('""', '"'), end

    def _end(self, start: int) -> int:
        match = self.end_of_cell.search(self.text, start)
        if match is None:
            return len(self.text)
        return match.start()

    def _error(self, position: int, problem: str) -> InputError:
        return InputError(f"{self._location(position)}: {problem}.")

    def _location(self, position: int) -> str:
        return f"{self.name}, line {self.text.count(chr(10), 0, position) + 1}"
