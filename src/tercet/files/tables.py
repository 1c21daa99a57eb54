"""TSV, CSV, JSON Lines and workbooks -> a table.

TSV and CSV differ in their quotes. A CSV is written by a program that puts a cell into quotes where it must and
doubles the quotes within. A TSV of machine translation is lines and tabs: a quote is a character of the text, and may
well stand alone. But pandas and spreadsheets quote their TSV as a CSV. So a TSV is read without quoting, unless

- every quote of the file stands where such a program would put it: around a whole cell, or doubled within one; and
- there is a sign of such a program: the header is quoted, or a cell holds doubled quotes, or only that way has every
  row as many cells as the header.

A TSV whose only quotes are around whole cells, ``"Yes."``, keeps them: no program had a reason to put them there.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, BinaryIO, TypeVar
from xml.etree.ElementTree import iterparse

from tercet.corpus.messages import is_chat, texts_of_chats
from tercet.errors import InputError, argument, argument_set, needs, shorten, warn
from tercet.names_and_sentences import joined

from .batches import batch
from .harness_logs import is_samples, samples_log
from .json_tables import object_in
from .json_values import field_of
from .numbers import Notation, notation_of_file
from .promptfoo_tables import named_apart
from .results import EXPECTED, read_results, results_log
from .roles import role_of
from .spreadsheets import body, header_index, table_rows
from .table import MOST_COLUMNS, CsvDialect, Log, RaggedRows, Row, Table, listed, table_of_rows
from .text import LIMITS, Limits, decode, drop_marks, read_bytes, read_whole
from .xml import check_part


def read_tsv(stream: BinaryIO, name: str, limits: Limits = LIMITS, *, encoding: str | None = None) -> Table:
    """Read a table whose cells are separated by tabs, its first line the names of the columns."""
    text = decode(read_bytes(stream, name, limits), name, encoding=encoding)
    lines = enumerate(text.split("\n"), 1)
    if _DECLARED_TAB.match(text):
        next(lines)
    plain_rows = ((number, line.removesuffix("\r").split("\t", MOST_COLUMNS)) for number, line in lines)
    plain = listed(plain_rows, name)
    # Nothing follows the last line end.
    if plain[-1][1] == [""]:
        plain.pop()
    rows = plain
    if '"' in text:
        quoted = _tried(text, "\t", name, limits, quotes_in_text=False)
        if quoted and _even(quoted) and (_shows_quoting(text, quoted) or not _even(plain)):
            rows = quoted
    return _table_or_results(rows, name)


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
    (:mod:`tercet.files.spreadsheets`), here, in a TSV and in a workbook.

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
    table = _table_or_results(listed(rows, name), name)
    notation = table.notation
    if separator == ";":
        # Who separates cells by semicolons may write commas before decimals, and points between thousands.
        notation = Notation("")
    decimal = notation_of_file(table.columns.values(), notation).decimal
    has_mark = data.startswith((BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE))
    return replace(table, notation=notation, dialect=CsvDialect(separator, decimal, has_mark))


#: The first line that Excel writes and reads, as it is or quoted by a program that took it for a cell.
_DECLARATION = re.compile('("?)sep=([^"\r\n])\\1\r?\n', re.IGNORECASE)


def _table_or_results(rows: list[Row], name: str) -> Table:
    table = table_of_rows(named_apart(table_rows(rows, name)), name)
    return results_log(table) or table


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
    alike = [separator for separator in splitting if _even(_tried(text, separator, name, limits))]
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


def _tried(text: str, separator: str, name: str, limits: Limits, *, quotes_in_text: bool = True) -> list[Row]:
    """Return the rows of a text; an empty list where they cannot be read so."""
    try:
        return listed(_Quoted(text, separator, name, limits, quotes_in_text=quotes_in_text).rows(), name)
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


# JSON Lines, an object per line -> a table.


def read_jsonl(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a table from a file with a JSON object on each line.

    A key that a line lacks, ``null`` and ``NaN`` (how pandas writes a missing text) are ``None``. Lines of
    white space are passed over.

    A key whose values are objects of texts, ``"hyps": {"system A": "text"}``, is read as a column for each of their
    keys. It is called ``system A``, and ``hyps.system A`` where another column has that name, or where only the
    whole name has the role: ``refs.A`` is a reference, ``A`` would be a system. The values of systems may also be
    lists with one text.

    Chats, lists of messages with role and content, are read as what the assistant said last; answers of SQuAD,
    objects of texts and of where each starts, as lists of texts.

    The samples that lm-evaluation-harness logs are a :class:`Log`, with a row per document, and so are
    answers of OpenAI's batches, and results of ragas and MLflow, here and in other tables. An array of objects is
    read under this name too: the harness wrote its samples so until its version 0.4.2.
    """
    data = read_bytes(stream, name, limits)
    if _ARRAY.match(data):
        return _json_in(data, name, limits)
    return recognized(_objects_in(data, name, limits))


def read_json(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a log or results in an object or archive; or a table, in any of the forms of pandas, datasets and W&B.

    These are JSON Lines, which datasets writes whatever the file is called, an object of columns and rows (of W&B),
    and what :func:`~tercet.files.json_tables.table_in` reads.
    """
    return _json_in(read_whole(stream, name, limits, EXPECTED), name, limits)


def _json_in(data: bytearray, name: str, limits: Limits) -> Table:
    drop_marks(data)
    if _JSON_LINES.match(data):
        return read_jsonl(io.BytesIO(data), name, limits)
    table = read_results(data, name, limits)
    if all(key in table.columns for key in _OF_SEGLST):
        raise InputError(
            f"{name} has segments of transcripts (SegLST), by its {joined(list(map(repr, _OF_SEGLST)))}. To have it "
            "read as such, let its name end in .seglst.json."
        )
    if isinstance(table, Log):
        return table
    return recognized(table)


#: The beginning of an array of objects.
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)*\s*\[\s*\{")
#: What only segments of SegLST have together.
_OF_SEGLST = ("session_id", "speaker", "words")
#: More than one line, of an object each.
_JSON_LINES = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


def recognized(table: Table) -> Table:
    """Return the log that a table of objects is, or the table, with texts instead of objects of them."""
    if is_samples(table):
        return samples_log(table)
    return batch(table) or results_log(table) or spread(table)


def read_objects(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Return a table of the objects as they are, a column for each of their keys."""
    return _objects_in(read_bytes(stream, name, limits), name, limits)


def _objects_in(data: bytearray, name: str, limits: Limits) -> Table:
    rows = RaggedRows(name)
    lines = decode(data, name).split("\n")
    limits.check_json(lines, name, free=1)
    for line, text in enumerate(lines, 1):
        if text and not text.isspace():
            rows.add(line, object_in(text, f"{name}, line {line}"))
    return rows.table("a JSON object per line")


def spread(table: Table) -> Table:
    """Return a table with texts instead of chats, and columns of texts instead of each column of objects."""
    columns_of_texts = {}
    for name, cells in table.columns.items():
        columns_of_texts[name] = _texts_of_answers(_without_chats(table, name, cells))
    with_texts = replace(table, columns=columns_of_texts)
    inner = _inner_names(with_texts)
    if not inner:
        return with_texts
    names: dict[tuple[str, str], str] = {}
    for outer, names_within in inner.items():
        for name in names_within:
            full_name = f"{outer}.{name}"
            names[outer, name] = full_name
            if role_of(name) == role_of(full_name):
                names[outer, name] = name
    counts = Counter([*names.values(), *(with_texts.columns.keys() - inner.keys())])
    columns: dict[str, list[Any]] = {}
    for outer, cells in with_texts.columns.items():
        spread_columns = {}
        if outer not in inner:
            spread_columns[outer] = cells
        for name in inner.get(outer, ()):
            full_name = f"{outer}.{name}"
            texts = _without_chats(with_texts, full_name, [field_of(cell, name) for cell in cells])
            if role_of(full_name) == "system":
                texts = [_alone(text) for text in texts]
            column = names[outer, name]
            if counts[column] > 1:
                column = full_name
            spread_columns[column] = texts
        for column in spread_columns.keys() & columns.keys():
            raise InputError(f"{table.name}: the column {shorten(column)} appears twice; expected distinct names.")
        columns |= spread_columns
    return replace(table, columns=columns)


def _without_chats(table: Table, column: str, cells: list[Any]) -> list[Any]:
    """Return the cells of a column that may hold systems, references or sources, with texts for chats."""
    if role_of(column) == "about" or not any(map(is_chat, cells)):
        return cells
    return texts_of_chats(cells, [table.location_on(line, column) for line in table.lines])


#: The keys of SQuAD's answers: their texts, and where in the passage each starts.
_OF_SQUAD = {"text", "answer_start"}


def _texts_of_answers(cells: list[Any]) -> list[Any]:
    """Return the cells of a column, with lists of texts for answers of SQuAD; None for an empty cell."""
    filled = [cell for cell in cells if cell is not None]
    if filled and all(isinstance(cell, dict) and cell.keys() == _OF_SQUAD for cell in filled):
        return [field_of(cell, "text") for cell in cells]
    if not all(isinstance(cell, list) for cell in filled):
        return cells
    answers = list(chain.from_iterable(filled))
    if not answers or not all(isinstance(answer, dict) and answer.keys() >= _OF_SQUAD for answer in answers):
        return cells
    # As SQuAD itself writes them: an object for each answer.
    texts: list[Any] = []
    for cell in cells:
        if cell is None:
            texts.append(None)
        else:
            texts.append([answer["text"] for answer in cell])
    return texts


def _inner_names(table: Table) -> dict[str, list[str]]:
    """Return the keys within each column of objects of texts, in the order in which they first occur."""
    inner = {}
    total = len(table.columns)
    for outer, cells in table.columns.items():
        lists = role_of(outer) in ("system", "reference")
        if not all(cell is None or _is_object_of_texts(cell, lists) for cell in cells):
            continue
        names: dict[str, None] = {}
        for line, cell in zip(table.lines, cells, strict=True):
            names |= dict.fromkeys(cell or ())
            if total + len(names) > MOST_COLUMNS:
                raise InputError(
                    f"{table.name}, line {line}: more than {MOST_COLUMNS} different columns, with those in "
                    f"{shorten(outer)}; expected rows that share their columns."
                )
        if names:
            inner[outer] = list(names)
            total += len(names)
    return inner


def _is_object_of_texts(cell: Any, lists: bool) -> bool:
    """Return whether a cell is an object of texts, with `lists` also of lists of texts and of chats."""
    if not isinstance(cell, dict):
        return False
    for text in cell.values():
        if text is None or isinstance(text, str):
            continue
        if not lists or not (_is_list_of_texts(text) or is_chat(text)):
            return False
    return True


def _alone(text: Any) -> Any:
    """Return the only text of a list; anything else as it is."""
    if isinstance(text, list) and len(text) == 1:
        return text[0]
    return text


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


# An Excel workbook -> a table: one of its sheets.

T = TypeVar("T")

#: Rows among which the header of a CSV is looked for.
_FIRST_ROWS = 30

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
    filled_rows = listed(_reading(_sheet_rows(chosen, table_name, seen), table_name), table_name)
    width = max((len(cells) for _, cells in filled_rows), default=0)
    rows = [(line, cells + [""] * (width - len(cells))) for line, cells in filled_rows]
    seen.check_merged(rows, table_name)
    seen.warn_of_hidden_rows(table_name)
    return _table_or_results(rows, table_name)


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

    def loaded() -> Iterator[Any]:
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

    return list(_reading(loaded(), name))


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
