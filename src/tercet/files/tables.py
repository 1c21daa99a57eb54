"""TSV, CSV, JSON and JSON Lines -> a table.

TSV and CSV differ in their quotes. A CSV is written by a program that puts a cell into quotes where it must and
doubles the quotes within. A TSV of machine translation is lines and tabs: a quote is a character of the text, and may
well stand alone. But pandas and spreadsheets quote their TSV as a CSV. So a TSV is read without quoting, unless

- every quote of the file stands where such a program would put it: around a whole cell, or doubled within one; and
- there is a sign of such a program: the header is quoted, or a cell holds doubled quotes, or only that way has every
  row as many cells as the header.

A TSV whose only quotes are around whole cells, ``"Yes."``, keeps them: no program had a reason to put them there.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, BinaryIO

from tercet.corpus.messages import is_chat, texts_of_chats
from tercet.errors import InputError, shorten
from tercet.names_as_shown import joined

from .batches import batch
from .json_tables import object_in
from .json_values import field_of
from .lm_eval_logs import is_samples, samples_log
from .numbers import Notation, notation_of_file
from .promptfoo_tables import named_apart
from .results import EXPECTED, read_results, results_log
from .roles import role_of
from .spreadsheets import body, header_index, table_rows
from .table import MOST_COLUMNS, CsvDialect, Log, RaggedRows, Row, Table, list_rows, table_of_rows
from .text import LIMITS, Limits, decode, drop_marks, read_bytes, read_whole


def read_tsv(stream: BinaryIO, name: str, limits: Limits = LIMITS, *, encoding: str | None = None) -> Table:
    """Read a table whose cells are separated by tabs, its first line the names of the columns."""
    text = decode(read_bytes(stream, name, limits), name, encoding=encoding)
    lines = enumerate(text.split("\n"), 1)
    if _DECLARED_TAB.match(text):
        next(lines)
    plain_rows = ((number, line.removesuffix("\r").split("\t", MOST_COLUMNS)) for number, line in lines)
    plain = list_rows(plain_rows, name)
    # Nothing follows the last line end.
    if plain[-1][1] == [""]:
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
    return recognize(_objects_in(data, name, limits))


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
    return recognize(table)


#: The beginning of an array of objects.
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)*\s*\[\s*\{")
#: What only segments of SegLST have together.
_OF_SEGLST = ("session_id", "speaker", "words")
#: More than one line, of an object each.
_JSON_LINES = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


def recognize(table: Table) -> Table:
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
