"""Tables -> an Excel workbook: numbers as numbers, and every text as a text."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tercet.errors import InputError, level_of_caller, needs
from tercet.files.writing import write_file

#: The most rows of a sheet and characters (of UTF-16) of a cell in the format.
MOST_ROWS, MOST_CHARACTERS = 1_048_576, 32_767
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Bold(NamedTuple):
    """A cell that stands out."""

    value: Any


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its rows are made as they are written. Columns without a width are for numbers."""

    title: str
    head: Sequence[str]
    n_rows: int
    rows: Iterable[Sequence[Any]]
    widths: dict[str, int] = field(default_factory=dict)
    number_formats: dict[str, str] = field(default_factory=dict)


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


def write_workbook(path: str | os.PathLike[str], sheets: Sequence[Sheet]) -> None:
    r"""Write sheets, each with a header that stays in view.

    A text is never a formula. Characters that the format does not allow become escapes such as ``\x07``; a text that
    is longer than a cell may be is cut, and a warning counts such texts. InputError for more rows than a sheet has.
    """
    needs_workbooks()
    from openpyxl import Workbook

    for sheet in sheets:
        check_fits(sheet.title, sheet.n_rows)
    book, n_cut = Workbook(write_only=True), 0
    for sheet in sheets:
        n_cut += _add(book, sheet)
    with write_file(path) as file:
        book.save(file)
    if n_cut:
        texts = "text is" if n_cut == 1 else "texts are"
        warnings.warn(
            f"{n_cut:,} {texts} cut to the {MOST_CHARACTERS:,} characters that a cell of a workbook holds.",
            stacklevel=level_of_caller(),
        )


def _add(book: Any, sheet: Sheet) -> int:
    """Add a sheet, and return how many of its texts were cut."""
    from openpyxl.utils import get_column_letter

    added = book.create_sheet(sheet.title)
    added.freeze_panes = "A2"
    for number, name in enumerate(sheet.head, 1):
        added.column_dimensions[get_column_letter(number)].width = sheet.widths.get(name, max(10, len(name) + 2))
    cell = _cells(added)
    added.append([cell(Bold(name), None) for name in sheet.head])
    formats = [sheet.number_formats.get(name) for name in sheet.head]
    n_cut = 0
    for row in sheet.rows:
        cells = [cell(*each) for each in zip(row, formats, strict=True)]
        n_cut += sum(isinstance(own, str) and _is_long(own) for own in row)
        added.append(cells)
    return n_cut


def _cells(sheet: Any) -> Callable[[Any, str | None], Any]:
    """Return what makes a cell of a value, with a format if it is a number."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    bold = Font(bold=True)

    def cell(value: Any, number_format: str | None) -> Any:
        own = value.value if isinstance(value, Bold) else value
        if isinstance(own, float) and not math.isfinite(own):
            own = None  # which the format has no number for
        made = WriteOnlyCell(sheet, _text(own) if isinstance(own, str) else own)
        if isinstance(own, str):
            made.data_type = "s"  # not a formula, whatever it begins with
        elif number_format and isinstance(own, float):
            made.number_format = number_format
        if isinstance(value, Bold):
            made.font = bold
        return made

    return cell


def _is_long(text: str) -> bool:
    return 2 * len(text) > MOST_CHARACTERS and len(text.encode("utf-16-le", "surrogatepass")) > 2 * MOST_CHARACTERS


def _text(text: str) -> str:
    text = _NOT_ALLOWED.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    if _is_long(text):
        text = text.encode("utf-16-le")[: 2 * MOST_CHARACTERS - 2].decode("utf-16-le", "ignore") + "…"
    return text
