"""An Excel workbook -> a table: one of its sheets."""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeVar
from xml.etree.ElementTree import iterparse

from tercet.errors import InputError, argument, argument_set, needs, shorten, warn
from tercet.files.limits import LIMITS, Limits, read_whole
from tercet.files.rows import Row, list_rows
from tercet.files.table import MOST_COLUMNS, Table
from tercet.files.xml import check_part

from .around_tables import header_index
from .delimited import table_or_results

T = TypeVar("T")

#: Sheets that a warning names at most.
_MOST_NAMED = 5

#: Empty rows above a row that is not: beyond are cells that somebody left far below the table.
_MOST_EMPTY = 1000

#: Rows that a sheet may have, in any program.
_MOST_ROWS = 1 << 20

#: Cells that a row may have, in any program.
_MOST_IN_ROW = 1 << 14

#: Signs in the XML of a sheet that some cells need a look: formulas, errors, merged cells.
_SIGNS = (b"<f", b":f>", b":f ", b't="e"', b"mergeCell")


def read_workbook(stream: BinaryIO, name: str, limits: Limits = LIMITS, *, sheet: str | int | None = None) -> Table:
    """Read a sheet of a workbook (.xlsx); its first row holds the names of the columns.

    It is the first sheet that is not hidden, or one that is given by its name, or by its number from 1 among those
    that are not hidden; "" where the user names none, and None where none can be named. A cell is its text; of a
    number, of a date and of a formula's last result, what Python writes for it. Formats and pictures are passed over,
    and so are other sheets: unless the sheet is given, a warning names those that hold something.

    Read by openpyxl, row by row. The whole file is in memory.
    """
    data = read_whole(stream, name, limits, "an Excel workbook")
    _check_archive(data, name, limits.unpacking(len(data)))
    all_sheets = _sheets(data, name)
    visible_sheets = [each for each in all_sheets if each.sheet_state == "visible"] or all_sheets[:1]
    chosen = _chosen_sheet(sheet, all_sheets, visible_sheets, name)
    table_name = name
    if len(visible_sheets) > 1 or chosen not in visible_sheets:
        table_name = f"{name}, sheet {shorten(chosen.title)}"
    if sheet is None or sheet == "":
        _warn_of_other_sheets(visible_sheets[1:], table_name, can_be_named=sheet is not None)
    seen = _Seen()
    filled_rows = list_rows(_reading(_sheet_rows(chosen, table_name, seen), table_name), table_name)
    width = max((len(cells) for _, cells in filled_rows), default=0)
    rows = [(line, cells + [""] * (width - len(cells))) for line, cells in filled_rows]
    seen.check_merged(rows, table_name)
    seen.warn_of_hidden_rows(table_name)
    return table_or_results(rows, table_name)


def _check_archive(data: bytearray, name: str, limits: Limits) -> None:
    """Raise an InputError for a workbook that is no archive, unpacks to too much, or whose XML could do harm."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            limits.check(unpacked, 0, name)
            for _ in _reading(_check_parts(archive, name, limits), name):
                pass
    except zipfile.BadZipFile:
        raise InputError(f"{name} is not an Excel workbook (.xlsx), or is damaged: save it again.") from None


def _warn_of_other_sheets(sheets: Sequence[Any], name: str, *, can_be_named: bool) -> None:
    """Warn of other sheets that hold something; `can_be_named` if an option names another sheet."""
    filled = [sheet for sheet in sheets if (sheet.max_row, sheet.max_column) != (1, 1)]
    if not filled:
        return
    titles = ", ".join(shorten(sheet.title) for sheet in filled[:_MOST_NAMED])
    advice = "save the others as separate files."
    if can_be_named:
        named = argument_set("sheet", filled[0].title)
        advice = f"{named} reads another one. To read several, save them as separate files."
    warn(f"{name}: only this sheet is read, not {titles}: {advice}")


def _chosen_sheet(
    sheet: str | int | None, all_sheets: Sequence[Any], visible_sheets: Sequence[Any], name: str
) -> Any:
    """Return the sheet of a name, or of a number from 1 among those that are not hidden; the first of these."""
    if sheet is None or sheet == "":
        return visible_sheets[0]
    for each in all_sheets:
        if each.title == str(sheet):
            return each
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(visible_sheets):
        return visible_sheets[int(sheet) - 1]
    titles = ", ".join(f"{number} {shorten(each.title)}" for number, each in enumerate(visible_sheets, 1))
    raise InputError(
        f"{name} has no sheet {shorten(sheet)} for {argument('sheet')}; expected the name or the number of one that "
        f"it has: {titles}."
    )


@dataclass
class _Seen:
    """What a sheet has besides the texts of its cells."""

    #: The rows with texts that are hidden, also by a filter.
    hidden: list[int] = field(default_factory=list)
    #: Cells of one row that are merged, by that row.
    merged: dict[int, str] = field(default_factory=dict)

    def check_merged(self, rows: list[Row], name: str) -> None:
        """Raise an InputError for merged cells, but for those of a title above the table."""
        first_line = 0
        if rows:
            first_line, _ = rows[header_index(rows)]
        for line, cells in self.merged.items():
            if line >= first_line:
                raise _merged_error(name, cells)

    def warn_of_hidden_rows(self, name: str) -> None:
        """Warn of rows that who looks at the sheet does not see."""
        if not self.hidden:
            return
        rows = "1 hidden row is read too, on"
        if len(self.hidden) > 1:
            rows = f"{len(self.hidden):,} hidden rows are read too, the first on"
        warn(
            f"{name}: {rows} line {self.hidden[0]:,}. To leave them out, delete them, or copy the visible rows to a "
            "sheet of their own."
        )


def _merged_error(name: str, cells: str | None) -> InputError:
    return InputError(
        f"{name}: the cells {cells} are merged, so all but the first are empty; expected a text in each. Unmerge "
        "them and fill the others."
    )


def _check_parts(archive: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[None]:
    """Raise an InputError for a part whose XML could do harm: openpyxl reads many, and any may have any name."""
    for entry in archive.infolist():
        with archive.open(entry) as part:
            yield None
            check_part(part, f"{name}, {entry.filename}", limits, "Excel")


def _sheets(data: bytearray, name: str) -> list[Any]:
    """Return the sheets, hidden ones too, in their order."""
    needs(f"Reading {name}", "xlsx", "openpyxl")
    from openpyxl.reader.excel import ExcelReader

    def load() -> Iterator[Any]:
        reader = ExcelReader(io.BytesIO(data), read_only=True, data_only=True)
        reader.read()
        for sheet, relation in reader.parser.find_sheets():
            # openpyxl passes over such a sheet, and the next one would be taken for the first.
            if relation.target not in reader.valid_files:
                raise InputError(
                    f"{name}: its sheet {shorten(sheet.name)} is to be in {shorten(relation.target)}, which is not "
                    "in the file: save it again."
                )
        sheets = reader.wb.worksheets
        if not sheets:
            raise InputError(f"{name} has no sheet with cells; expected one.")
        yield from sheets

    return list(_reading(load(), name))


def _reading(values: Iterator[T], name: str) -> Iterator[T]:
    """Yield what is found, and turn what openpyxl raises on damaged parts of an archive into an InputError."""
    with warnings.catch_warnings():
        # openpyxl warns of everything that it passes over.
        warnings.simplefilter("ignore")
        try:
            yield from values
        except (InputError, GeneratorExit, MemoryError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:200].rstrip(".")
            if isinstance(error, LookupError):
                # Such as a shared text by its number, or a part by its relationship.
                reason = f"something in it refers to what is not in the file ({reason})"
            raise InputError(f"{name} is not an Excel workbook (.xlsx) that can be read: {reason}.") from None


def _sheet_rows(sheet: Any, name: str, seen: _Seen) -> Iterator[Row]:
    """Yield the rows of a sheet down to the last that is not empty, without empty cells at their ends."""
    # From the XML: openpyxl's own values lack this.
    _check_cells(lambda: sheet.parent._archive.open(sheet._worksheet_path), name, seen)
    # The last row that holds something.
    last_line = 0
    for line, texts in _filled_rows(sheet, name, seen):
        if line > _MOST_ROWS:
            raise InputError(f"{name}: found row {line:,}; expected at most {_MOST_ROWS:,}, which is the limit.")
        width = max((column for column in texts if column <= MOST_COLUMNS + 1), default=0)
        beyond = [column for column in texts if column > MOST_COLUMNS + 1]
        # Otherwise it is one column too many among others.
        if beyond and width <= MOST_COLUMNS:
            from openpyxl.utils import get_column_letter

            cell = f"{get_column_letter(min(beyond))}{line}"
            raise InputError(
                f"{name}, cell {cell}: found {shorten(texts[min(beyond)])} far to the right of the table; "
                f"expected at most {MOST_COLUMNS} columns. Clear that cell if it is a leftover."
            )
        # Of rows with the same number, the first is taken.
        if not texts or line <= last_line:
            continue
        n_empty = line - last_line - 1
        if n_empty > _MOST_EMPTY:
            raise InputError(
                f"{name}: row {line:,} holds {shorten(texts[min(texts)])} below {n_empty:,} empty rows; "
                f"expected no gap between rows of more than {_MOST_EMPTY:,}. Delete what was left there."
            )
        for empty_line in range(last_line + 1, line):
            yield empty_line, []
        last_line = line
        yield line, [texts.get(column, "") for column in range(1, width + 1)]


def _filled_rows(sheet: Any, name: str, seen: _Seen) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the number of each row that is in the file, and its cells with text by the number of the column, from 1.

    The package's own rows have all that are missing up to these numbers, which a file may choose as it likes. Its way
    to them takes the parser of defusedxml, written in Python: what that refuses, `_check_parts` has refused.
    """
    from openpyxl.worksheet._reader import ROW_TAG, WorkSheetParser

    book = sheet.parent
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,
            data_only=book.data_only,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for _, element in iterparse(source):
            if element.tag != ROW_TAG:
                continue
            if len(element) > _MOST_IN_ROW:
                raise InputError(f"{name}: a row has {len(element):,} cells; expected at most {MOST_COLUMNS}.")
            is_hidden = element.get("hidden") in ("1", "true")
            line, cells = parser.parse_row(element)
            element.clear()
            texts = {cell["column"]: _cell_text(cell["value"]) for cell in cells}
            texts = {column: text for column, text in texts.items() if text}
            if is_hidden and texts:
                seen.hidden.append(line)
            yield line, texts


def _check_cells(open_sheet: Callable[[], BinaryIO], name: str, seen: _Seen) -> None:
    """Raise an InputError for a cell whose text is not what is in the file, from the XML of its sheet.

    Merged cells of one row may be a title's: they are kept for when it is known where the table begins.
    """
    with open_sheet() as stream:
        tail = b""
        suspicious = False
        while piece := stream.read(1 << 20):
            suspicious = any(sign in tail + piece for sign in _SIGNS)
            if suspicious:
                break
            # A sign may begin in one piece and end in the next.
            tail = piece[-16:]
    if not suspicious:
        return
    with open_sheet() as stream:
        for _, element in iterparse(stream):
            tag = element.tag.rpartition("}")[2]
            if tag == "row":
                element.clear()
            elif tag == "mergeCell":
                cells = element.get("ref")
                of_one_row = re.fullmatch(r"[A-Z]+(\d+):[A-Z]+\1", cells or "")
                if of_one_row is None:
                    raise _merged_error(name, cells)
                seen.merged.setdefault(int(of_one_row[1]), of_one_row[0])
            elif tag == "c":
                texts = {child.tag.rpartition("}")[2]: child.text for child in element}
                kind = element.get("t")
                location = f"{name}, cell {element.get('r')}"
                if kind == "e":
                    raise InputError(
                        f"{location}: found the error {texts.get('v')}; expected a text, or an empty cell."
                    )
                if "f" in texts and not texts.get("v") and kind != "str":
                    raise InputError(
                        f"{location}: the file has the formula {shorten('=' + (texts['f'] or ''))} and not its "
                        "result. Open it in a spreadsheet program and save it again, or save the sheet as CSV in "
                        "UTF-8."
                    )


def _cell_text(value: Any) -> str:
    """Return a cell as text: whole numbers without a fraction, and days without a time, as they are seen."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return str(value.date())
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
