"""An Excel workbook -> a table: its first sheet."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

from tercet.errors import InputError, level_of_caller, needs, shorten

from .limits import LIMITS, Limits, read_whole
from .table import MOST_COLUMNS, Row, Table, listed, table_of_rows

T = TypeVar("T")

#: Sheets that a warning names at most.
_MOST_NAMED = 5

#: Empty rows above a row that is not: beyond are cells that somebody left far below the table.
_MOST_EMPTY = 1000

#: Rows that a sheet may have, in any program.
_MOST_ROWS = 1 << 20

#: Signs in the XML of a sheet that some cells need a look: formulas, errors, merged cells.
_SIGNS = (b"<f", b":f>", b":f ", b't="e"', b"mergeCell")


def read_workbook(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read the first sheet of a workbook (.xlsx) that is not hidden; its first row holds the names of the columns.

    A cell is its text; of a number, of a date and of a formula's last result, what Python writes for it. Formats and
    pictures are passed over, and so are other sheets: a warning names those that hold something.

    Read by openpyxl, row by row. The whole file is in memory.
    """
    data = read_whole(stream, name, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise InputError(f"{name} is not an Excel workbook (.xlsx), or is damaged: save it again.") from None
    limits.unpacking(len(data)).check(unpacked, 0, name)
    sheets = _sheets(data, name)
    if len(sheets) > 1:
        name = f"{name}, sheet {shorten(sheets[0].title)}"
        filled = [each for each in sheets[1:] if (each.max_row, each.max_column) != (1, 1)]
        if filled:
            titles = ", ".join(shorten(each.title) for each in filled[:_MOST_NAMED])
            message = f"{name}: only this sheet is read, not {titles}: save the others as separate files."
            warnings.warn(message, stacklevel=level_of_caller())
    rows = listed(_reading(_rows(sheets[0], name), name), name)
    width = max((len(cells) for _, cells in rows), default=0)
    return table_of_rows([(line, cells + [""] * (width - len(cells))) for line, cells in rows], name)


def _sheets(data: bytearray, name: str) -> list[Any]:
    """Return the sheets that are not hidden, or all if all are."""
    needs(f"Reading {name}", "xlsx", "openpyxl")
    import openpyxl

    def loaded() -> Iterator[Any]:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        yield from visible or [book.worksheets[0]]

    return list(_reading(loaded(), name))


def _reading(found: Iterator[T], name: str) -> Iterator[T]:
    """Yield what is found, and turn what openpyxl raises on damaged parts of an archive into an InputError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of everything that it passes over
        try:
            yield from found
        except (InputError, GeneratorExit, MemoryError):
            raise
        except Exception as error:
            why = " ".join(str(error).split())[:200].rstrip(".")
            raise InputError(f"{name} is not an Excel workbook (.xlsx) that can be read: {why}.") from None


def _rows(sheet: Any, name: str) -> Iterator[Row]:
    """Yield the rows of a sheet down to the last that is not empty, without empty cells at their ends."""
    _check_cells(lambda: sheet.parent._archive.open(sheet._worksheet_path), name)  # openpyxl's own values lack this
    before = 0  # the last row that holds something
    for line, texts in _filled_rows(sheet):
        if line > _MOST_ROWS:
            raise InputError(f"{name}: found row {line:,}; expected at most {_MOST_ROWS:,}, which is the limit.")
        width = max((place for place in texts if place <= MOST_COLUMNS + 1), default=0)
        beyond = [place for place in texts if place > MOST_COLUMNS + 1]
        if beyond and width <= MOST_COLUMNS:  # else it is one column too many among others
            from openpyxl.utils import get_column_letter

            cell = f"{get_column_letter(min(beyond))}{line}"
            raise InputError(
                f"{name}, cell {cell}: found {shorten(texts[min(beyond)])} far to the right of the table; "
                f"expected at most {MOST_COLUMNS} columns. Clear that cell if it is a leftover."
            )
        if not texts or line <= before:  # of rows with the same number, the first is taken
            continue
        n_empty = line - before - 1
        if n_empty > _MOST_EMPTY:
            raise InputError(
                f"{name}: row {line:,} holds {shorten(texts[min(texts)])} below {n_empty:,} empty rows; "
                f"expected no gap between rows of more than {_MOST_EMPTY:,}. Delete what was left there."
            )
        yield from ((empty, []) for empty in range(before + 1, line))
        before = line
        yield line, [texts.get(place, "") for place in range(1, width + 1)]


def _filled_rows(sheet: Any) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the rows that are in the file with their numbers, and the cells with text by their places from 1.

    The package's own rows have all that are missing up to these numbers, which a file may choose as it likes.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    book = sheet.parent
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source, sheet._shared_strings, data_only=book.data_only, epoch=book.epoch,
            date_formats=book._date_formats, timedelta_formats=book._timedelta_formats,
        )  # fmt: skip
        for line, cells in parser.parse():
            texts = {cell["column"]: _text(cell["value"]) for cell in cells}
            yield line, {place: text for place, text in texts.items() if text}


def _check_cells(opened: Callable[[], BinaryIO], name: str) -> None:
    """Raise an InputError for a cell whose text is not what is in the file, from the XML of its sheet."""
    from defusedxml.ElementTree import iterparse

    with opened() as stream:
        before, suspicious = b"", False
        while not suspicious and (piece := stream.read(1 << 20)):
            suspicious = any(sign in before + piece for sign in _SIGNS)
            before = piece[-16:]
    if not suspicious:
        return
    with opened() as stream:
        for _, element in iterparse(stream):
            tag = element.tag.rpartition("}")[2]
            if tag == "row":
                element.clear()
            elif tag == "mergeCell":
                raise InputError(
                    f"{name}: the cells {element.get('ref')} are merged, so all but the first are empty; expected a "
                    "text in each. Unmerge them and fill the others."
                )
            elif tag == "c":
                parts = {each.tag.rpartition("}")[2]: each.text for each in element}
                kind, where = element.get("t"), f"{name}, cell {element.get('r')}"
                if kind == "e":
                    raise InputError(f"{where}: found the error {parts.get('v')}; expected a text, or an empty cell.")
                if "f" in parts and not parts.get("v") and kind != "str":
                    raise InputError(
                        f"{where}: the file has the formula {shorten('=' + (parts['f'] or ''))} and not its result. "
                        "Open it in a spreadsheet program and save it again, or save the sheet as CSV in UTF-8."
                    )


def _text(value: Any) -> str:
    """Return a cell as text: whole numbers without a fraction, and days without a time, as they are seen."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
