"""An Excel workbook -> a table: its first sheet."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from tercet.errors import InputError

from .limits import LIMITS, Limits
from .table import MOST_COLUMNS, Row, Table, listed, table_of_rows


def read_workbook(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read the first sheet of a workbook (.xlsx), whose first row holds the names of the columns.

    A cell is its text; of a number, of a date and of a formula's last result, what Python writes for it. Other
    sheets, formats and pictures are passed over.

    Parameters
    ----------
    stream : binary file
    name : str
        Of the file, for messages.
    limits : Limits

    Returns
    -------
    Table
        Its lines are the numbers of the sheet's rows.

    Raises
    ------
    InputError
        For a file that is no workbook, or beyond the limits; otherwise as :func:`tercet.files.delimited.read_tsv`.

    Notes
    -----
    Read by openpyxl, row by row. The whole file is in memory.

    Examples
    --------
    >>> import openpyxl
    >>> book, file = openpyxl.Workbook(), io.BytesIO()
    >>> for row in (["mt", "ref", "grade"], ["el gato", "un gato", 4], ["42", 42, 3.5]):
    ...     book.active.append(row)
    >>> book.save(file)
    >>> _ = file.seek(0)
    >>> read_workbook(file, "test.xlsx").columns
    {'mt': ['el gato', '42'], 'ref': ['un gato', '42'], 'grade': ['4', '3.5']}
    """
    data = stream.read(limits.n_bytes + 1)
    limits.check(len(data), 0, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise InputError(f"{name} is not an Excel workbook (.xlsx), or is damaged: save it again.") from None
    limits.check(unpacked, 0, name)
    rows = listed(_rows(data, name), name)
    while rows and not any(rows[-1][1]):
        rows.pop()
    width = max((len(cells) for _, cells in rows), default=0)
    return table_of_rows([(line, cells + [""] * (width - len(cells))) for line, cells in rows], name)


def _rows(data: bytes, name: str) -> Iterator[Row]:
    """Yield the rows of the first sheet, without empty cells at their ends."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl tells of everything in a workbook that it passes over
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # what a file says of its size may be wrong
            for line, values in enumerate(sheet.iter_rows(values_only=True), 1):
                cells = [_text(value) for value in values[: MOST_COLUMNS + 1]]
                while cells and not cells[-1]:
                    cells.pop()
                yield line, cells
        except (InputError, GeneratorExit, MemoryError):
            raise
        except Exception as error:  # whatever parsing a damaged part of the archive raises
            why = " ".join(str(error).split())[:200].rstrip(".")
            raise InputError(f"{name} is not an Excel workbook (.xlsx) that can be read: {why}.") from None


def _text(value: Any) -> str:
    """Return what a cell holds as text; whole numbers without a fraction, as they are seen.

    Examples
    --------
    >>> _text(4.0), _text(None), _text(True)
    ('4', '', 'TRUE')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
