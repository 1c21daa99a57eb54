"""TSV and CSV -> a table.

The two differ in their quotes. A CSV is written by a program that puts a cell into quotes where it must and doubles
the quotes within. A TSV of machine translation is lines and tabs: a quote is a character of the text, and may well
stand alone. But pandas and spreadsheets quote their TSV as a CSV. So a TSV is read without quoting, unless

- every quote of the file stands where such a program would put it: around a whole cell, or doubled within one; and
- there is a sign of such a program: the header is quoted, or a cell holds doubled quotes, or only that way has every
  row as many cells as the header.

A TSV whose only quotes are around whole cells, ``"Yes."``, keeps them: no program had a reason to put them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from tercet.errors import InputError, shorten

from .decoding import decode
from .limits import LIMITS, Limits, read_bytes
from .table import MOST_COLUMNS, Row, Table, listed, table_of_rows


def read_tsv(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a table whose cells are separated by tabs, its first line the names of the columns."""
    text = decode(read_bytes(stream, name, limits), name)
    lines = enumerate(text.split("\n"), 1)
    plain = listed(((number, line.removesuffix("\r").split("\t", MOST_COLUMNS)) for number, line in lines), name)
    if plain[-1][1] == [""]:  # after the last line end
        plain.pop()
    quoted = _tried(text, "\t", name, limits, quotes_in_text=False) if '"' in text else []
    if quoted and _even(quoted):
        header_is_quoted = '"' in text.partition("\n")[0]
        if header_is_quoted or any('"' in cell for _, cells in quoted for cell in cells) or not _even(plain):
            return table_of_rows(quoted, name)
    return table_of_rows(plain, name)


def read_csv(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a table whose cells are separated by commas, semicolons or tabs, its first row the names of the columns.

    A cell in quotes may hold separators, line ends and doubled quotes; a quote elsewhere in a cell is a character.
    The separator is what splits the header into cells, and if there are several, every other row into as many; or a
    first line such as ``sep=;``, which Excel writes and reads, names it.
    """
    text = decode(read_bytes(stream, name, limits), name)
    named = re.match('sep=([^"\r])\r?\n', text)
    separator = named[1] if named else _separator(text, name, limits)
    rows = _Quoted(text, separator, name, limits).rows(start=named.end() if named else 0)
    return table_of_rows(listed(rows, name), name)


def _separator(text: str, name: str, limits: Limits) -> str:
    """Return the separator: the one that splits the header; of several, the one that splits all rows alike."""
    headers: dict[str, list[str]] = {}
    for separator in ",;\t":
        try:
            headers[separator] = next(_Quoted(text, separator, name, limits).rows(), (1, [""]))[1]
        except _TooManyCellsError:
            return separator
        except InputError:
            continue
    splitting = {separator: cells for separator, cells in headers.items() if len(cells) > 1}
    if len(splitting) < 2:
        return next(iter(splitting or headers), ",")
    alike = [separator for separator in splitting if _splits_alike(text, separator, name, limits)]
    if len(alike) < 2:
        return alike[0] if alike else max(splitting, key=lambda separator: len(splitting[separator]))
    found = ", and by ".join(f"{each!r} into {', '.join(map(shorten, splitting[each][:5]))}" for each in alike)
    raise InputError(
        f"{name}: the separator of the cells is ambiguous; every row splits as the header does: by {found}. Save the "
        "file as TSV (.tsv), or name the separator in its first line, such as sep=;"
    )


def _splits_alike(text: str, separator: str, name: str, limits: Limits) -> bool:
    rows = _tried(text, separator, name, limits)
    while rows and rows[-1][1] == [""]:  # lines at the end
        rows.pop()
    return _even(rows)


def _tried(text: str, separator: str, name: str, limits: Limits, *, quotes_in_text: bool = True) -> list[Row]:
    """Return the rows of a text; an empty list where they cannot be read so."""
    try:
        return listed(_Quoted(text, separator, name, limits, quotes_in_text=quotes_in_text).rows(), name)
    except InputError:
        return []


def _even(rows: list[Row]) -> bool:
    return len({len(cells) for _, cells in rows}) == 1


class _TooManyCellsError(InputError):
    """A row has more cells than a table has columns."""


class _Quoted:
    """A text with cells in quotes, read row by row.

    The csv module has one limit on the size of a cell for the whole process, ends a row at a CR within a cell, and
    does not know the line of an opening quote.
    """

    def __init__(self, text: str, separator: str, name: str, limits: Limits, *, quotes_in_text: bool = True) -> None:
        self.text, self.separator, self.name, self.limits = text, separator, name, limits
        self.quotes_in_text = quotes_in_text
        self.end_of_cell = re.compile(f"[{re.escape(separator)}\n]")

    def rows(self, start: int = 0) -> Iterator[Row]:
        position, line = start, 1 + self.text.count("\n", 0, start)
        while position < len(self.text):
            start, cells, more = position, list[str](), True
            while more:
                if len(cells) == MOST_COLUMNS:
                    raise _TooManyCellsError(f"{self.name}, line {line}: more than {MOST_COLUMNS} cells in a row.")
                cell, end = self._cell(position, len(cells) + 1)
                cells.append(cell)
                more = self.text.startswith(self.separator, end)
                position = end + 1
            yield line, cells
            line += self.text.count("\n", start, position)

    def _cell(self, start: int, number: int) -> tuple[str, int]:
        """Return the cell that begins at a place, and the place of the separator or line end after it."""
        if not self.text.startswith('"', start):
            end = self._end(start)
            cell = self.text[start:end]
            if not self.quotes_in_text and '"' in cell:
                raise self._error(start, f"a quote stands within cell {number}, which is not quoted")
            return cell if self.text.startswith(self.separator, end) else cell.removesuffix("\r"), end
        closing = self.text.find('"', start + 1)
        while closing >= 0 and self.text.startswith('"', closing + 1):  # doubled: a quote of the text
            closing = self.text.find('"', closing + 2)
        if closing < 0:
            raise self._error(start, f"the quote that opens cell {number} is never closed")
        if closing - start > self.limits.line:
            self.limits.check_line(closing - start, self._place(start), f"cell {number}")
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
        found = self.end_of_cell.search(self.text, start)
        return found.start() if found else len(self.text)

    def _error(self, position: int, found: str) -> InputError:
        return InputError(f"{self._place(position)}: {found}.")

    def _place(self, position: int) -> str:
        return f"{self.name}, line {self.text.count(chr(10), 0, position) + 1}"
