"""An Excel workbook -> a table: its first sheet."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

from tercet.errors import InputError, level_of_caller, needs, shorten

from .limits import LIMITS, Limits
from .table import MOST_COLUMNS, Row, Table, listed, table_of_rows

T = TypeVar("T")

#: Sheets that a warning names at most.
_MOST_NAMED = 5

#: Empty rows above a row that is not: beyond are cells that somebody left far below the table.
_MOST_EMPTY = 1000

#: Signs in the XML of a sheet that some cells need a look: formulas, errors, merged cells.
_SIGNS = (b"<f", b":f>", b":f ", b't="e"', b"mergeCell")


def read_workbook(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read the first sheet of a workbook (.xlsx) that is not hidden; its first row holds the names of the columns.

    A cell is its text; of a number, of a date and of a formula's last result, what Python writes for it. Formats and
    pictures are passed over, and so are other sheets: a warning names those that hold something.

    Read by openpyxl, row by row. The whole file is in memory.
    """
    data = stream.read(limits.n_bytes + 1)
    limits.check(len(data), 0, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise InputError(f"{name} is not an Excel workbook (.xlsx), or is damaged: save it again.") from None
    limits.check(unpacked, 0, name)
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


def _sheets(data: bytes, name: str) -> list[Any]:
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
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    empty: list[Row] = []
    n_empty = 0
    for line, values in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_text(value) for value in values[: MOST_COLUMNS + 1]]
        while cells and not cells[-1]:
            cells.pop()
        beyond = [place for place in range(MOST_COLUMNS + 1, len(values)) if _text(values[place])]
        if beyond and len(cells) <= MOST_COLUMNS:  # else it is one column too many among others
            from openpyxl.utils import get_column_letter

            cell = f"{get_column_letter(beyond[0] + 1)}{line}"
            raise InputError(
                f"{name}, cell {cell}: found {shorten(_text(values[beyond[0]]))} far to the right of the table; "
                f"expected at most {MOST_COLUMNS} columns. Clear that cell if it is a leftover."
            )
        if not cells:
            n_empty += 1
            if n_empty <= _MOST_EMPTY:
                empty.append((line, cells))
            continue
        if n_empty > _MOST_EMPTY:
            raise InputError(
                f"{name}: row {line:,} holds {shorten(next(filter(None, cells)))} below {n_empty:,} empty rows; "
                "expected no gap between rows. Delete what was left there."
            )
        yield from empty
        empty, n_empty = [], 0
        yield line, cells


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
