"""Files by their format -> tables; tables -> predictions and references, as the metrics take them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten

from .encodings import check_encoding
from .formats import READERS, SUFFIXES, check_no_workbook, table_format, unpacked
from .json_values import as_list
from .limits import LIMITS, Limits
from .lines import open_binary
from .other_formats import check_beginning

if TYPE_CHECKING:
    from .table import Table


#: Formats that do not say how texts are encoded; "" is a text file's.
_OF_ANY_ENCODING = ("", "tsv", "csv")


def read_table(path: str | os.PathLike[str], *, format: str | None = None, limits: Limits = LIMITS) -> Table:
    """Read a file of texts in columns, which is not gzipped."""
    file = Path(path)
    reader = READERS[_format(file, format)]
    try:
        with file.open("rb") as stream:
            return reader(stream, file.name, limits)
    except OSError as error:
        raise InputError(f"{file.name} cannot be read: {error.strerror or error}.") from None


class Opening(NamedTuple):
    """What a user says of files before they are read: each applies to those that it can be said of."""

    #: Of texts, TSV and CSV without a byte order mark; "" where nothing is said.
    encoding: str = ""
    #: Of workbooks, by its name or its number from 1; "" where nothing is said.
    sheet: str | int = ""

    def check(self, paths: Sequence[str]) -> None:
        """Raise an OptionError for what is none, or can be said of no file that is given."""
        if self.encoding:
            check_encoding(self.encoding)
        is_number = isinstance(self.sheet, int) and not isinstance(self.sheet, bool)
        if not is_number and not isinstance(self.sheet, str):
            raise OptionError(
                f"{argument('sheet')} must be the name of a sheet, or its number from 1. Got {shorten(self.sheet)} "
                "instead."
            )
        formats = {table_format(path) for path in paths if not os.path.isdir(path)}
        if self.encoding and not formats.intersection(_OF_ANY_ENCODING):
            raise OptionError(
                f"{argument('encoding')} is for text files, TSV and CSV; {paths[0]!r} is none. Other formats "
                "say themselves how their texts are encoded, or are in UTF-8."
            )
        if self.sheet != "" and "xlsx" not in formats:
            raise OptionError(f"{argument('sheet')} is for workbooks (.xlsx); {paths[0]!r} is none.")

    def of(self, format: str) -> dict[str, Any]:
        """Return what the reader of a format takes."""
        if format in _OF_ANY_ENCODING:
            return {"encoding": self.encoding}
        if format == "xlsx":
            return {"sheet": self.sheet}
        return {}


def read_file(path: str, opening: Opening | None = None) -> Table:
    """Read a table or log by the end of its name, perhaps compressed; ``-`` is the standard input."""
    format = table_format(path)
    settings = {}
    if opening is not None:
        settings = opening.of(format)
    with open_binary(path) as stream:
        return READERS[format](stream, path, **settings)


def items(table: Table, system: str, references: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the predictions of a system and the references of each item; an empty cell is no reference."""
    # Cards show it to users, beside `read_table`.
    return predictions_in(table, system), references_in(table, references)


def predictions_in(table: Table, system: str) -> list[str]:
    """Return the predictions of a system; each cell must have a text, which may be empty."""
    predictions = table.column(system)
    for row, cell in enumerate(predictions):
        if cell is None:
            hint = ""
            if table.filled_by:
                hint = f" If it is empty, as an empty cell of a CSV is: {table.filled_by.format(repr(system))}."
            raise InputError(f"{table.location(row, system)}: the prediction is missing; expected a text.{hint}")
        if not isinstance(cell, str):
            raise InputError(f"{table.location(row, system)}: expected a text, got {_value_and_type(cell)}.")
    return list(predictions)


def references_in(table: Table, columns: Sequence[str]) -> list[list[str]]:
    """Return the references of each item; an empty cell is none."""
    lists: list[list[str]] = [[] for _ in table.lines]
    names = columns
    if isinstance(columns, str):
        names = [columns]
    for column in names:
        for row, cell in enumerate(table.column(column)):
            for text in as_list(cell):
                if text is not None and not isinstance(text, str):
                    raise InputError(
                        f"{table.location(row, column)}: expected a text or a list of texts, got "
                        f"{_value_and_type(text)}."
                    )
                if text:
                    lists[row].append(text)
    return lists


def _format(path: Path, format: str | None) -> str:
    if format is not None:
        if format not in READERS:
            raise InputError(f"no format is called {format!r}. {did_you_mean(format, READERS)}")
        return format
    check_no_workbook(path.name)
    if unpacked(path.name) != path.name:
        raise InputError(f"{path.name} is, judging by its extension, gzipped: unpack it.")
    known_format = SUFFIXES.get(path.suffix.lower())
    if known_format is None:
        # What a file is explains more than the end of its name.
        with suppress(OSError), path.open("rb") as stream:
            check_beginning(stream, path.name)
        raise InputError(
            f"{path.name}: a file's format is taken from its extension; expected one of {' '.join(SUFFIXES)}, "
            f"or a format: {', '.join(READERS)}."
        )
    return known_format


def _value_and_type(cell: Any) -> str:
    return f"{shorten(cell)} ({type(cell).__name__})"
