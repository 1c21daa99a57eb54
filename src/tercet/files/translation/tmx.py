"""TMX (Translation Memory eXchange 1.1 to 1.4b) -> a table with a column per language."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from tercet.errors import InputError, shorten
from tercet.files.limits import LIMITS, Limits
from tercet.files.rows import RaggedRows
from tercet.files.table import MOST_COLUMNS, Memory
from tercet.files.xml import parse

# Where the elements that carry text must stand.
_PARENTS = {"body": "tmx", "tu": "body", "tuv": "tu", "seg": "tuv"}

# Elements within a segment whose content is code of the document's format, not text.
_CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})

# Who wrote the text of a <tuv>: the first of these that differs between the texts of each unit.
_AUTHORS = ("creationid", "changeid")

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

#: Of a language, or an author.
_LONGEST_CODE = 100

Cells = list[str | None]


def read_tmx(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read the texts of a translation memory, a row per unit (``<tu>``) and a column per language.

    The columns are in the order in which their languages first occur, each spelled as it first is: languages
    that differ in case only, or in ``_`` for ``-``, are one. Where a unit has several texts of a language and each of
    its texts names its author, there is a column for each author, such as ``en DeepL`` (by ``creationid``, or
    ``changeid`` where only that differs); otherwise a second text goes to a column such as ``en 2``. The
    content of inline codes (bpt, ept, ph, it, ut) is not text and left out; that of hi, and of sub outside codes, is
    kept, as is all white space. ``lines`` has the line on which the tag of each ``<tu>`` begins.

    The file is read in pieces: beside the table, memory does not grow with it.
    """
    units = _TmxUnits(name, limits)
    parse(stream, name, limits, units, "TMX")
    return units.memory()


def pick_language(columns: Iterable[str], language: str) -> str:
    """Return the column of a language by its code or the beginning of it: "pt" finds "pt-BR", "en_us" "EN-US"."""
    codes = {_fold_code(column): column for column in columns}
    code = _fold_code(language.strip())
    if code in codes:
        return codes[code]
    # "en 2" is found by its whole name only: it is another text of "en", not another language.
    longer = [column for folded, column in codes.items() if folded.startswith(code + "-") and " " not in folded]
    if len(longer) == 1:
        return longer[0]
    if longer:
        raise InputError(f"{shorten(language)} matches several columns, {', '.join(longer)}: give the whole code.")
    raise InputError(f"no text is in the language {shorten(language)}; found: {', '.join(codes.values())}.")


def _by_author(language: str, texts: Mapping[str, Cells], authors: Mapping[str, Cells]) -> dict[str, Cells] | None:
    """Return the texts of a language in a column for each author, in the order in which the authors first occur."""
    spellings: dict[str, str] = {}
    columns_by_author: dict[str, Cells] = {}
    rows = list(zip(*texts.values(), strict=True))
    no_authors: Cells = [None] * len(rows)
    authors_of_columns = [authors.get(column, no_authors) for column in texts]
    authors_by_row = zip(*authors_of_columns, strict=True)
    for number, (cells, writers) in enumerate(zip(rows, authors_by_row, strict=True)):
        seen_authors = set[str]()
        for cell, writer in zip(cells, writers, strict=True):
            if cell is None:
                continue
            key = (writer or "").casefold()
            if not key or key in seen_authors or len(columns_by_author) == MOST_COLUMNS:
                return None
            seen_authors.add(key)
            column = columns_by_author.setdefault(f"{language} {spellings.setdefault(key, str(writer))}", [])
            column += [None] * (number - len(column))
            column.append(cell)
    for column in columns_by_author.values():
        column += [None] * (len(rows) - len(column))
    return columns_by_author


def _cut(element: str) -> str:
    return shorten(element)[1:-1]


def _fold_code(language: str) -> str:
    return language.casefold().replace("_", "-")


class _TmxUnits:
    """Collects rows from the parser's events; beside them, only the unit at hand is kept."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.rows = RaggedRows(name)
        self.authors = {kind: RaggedRows(name) for kind in _AUTHORS}
        self.source_language = ""
        self.line: Callable[[], int] = lambda: 1
        self.stack: list[str] = []
        self.spellings: dict[str, str] = {}
        self.unit_line = 0
        self.unit: dict[str, str] = {}
        self.written_by: dict[str, dict[str, str]] = {kind: {} for kind in _AUTHORS}
        self.columns: dict[str, list[str]] = {}
        self.times: Counter[str] = Counter()
        self.column = ""
        self.pieces: list[str] = []
        self.length = 0
        self.in_segment = False
        #: How many codes are open, one within the other: their content is no text.
        self.codes = 0

    def start(self, tag: str, attributes: dict[str, Any]) -> None:
        element = tag.rpartition("}")[2]
        parent = self.stack[-1] if self.stack else ""
        if not self.stack and element != "tmx":
            raise self._error(f"found a document of <{_cut(element)}>; expected <tmx>")
        if element in _PARENTS and parent != _PARENTS[element]:
            raise self._error(f"found <{element}> in <{_cut(parent)}>; expected it in <{_PARENTS[element]}>")
        self.stack.append(element)
        self.codes += element in _CODES
        if element == "tu":
            self.unit_line = self.line()
            self.unit = {}
            self.written_by = {kind: {} for kind in _AUTHORS}
            self.times.clear()
        elif element == "header" and parent == "tmx":
            language = (attributes.get("srclang") or "").strip()
            self.source_language = ""
            # "*all*" says that any language may be the source.
            if language != "*all*" and len(language) <= _LONGEST_CODE:
                self.source_language = language
        elif element == "tuv":
            self.column = self._column_of(attributes.get(_XML_LANG) or attributes.get("lang") or "")
            for kind, written_by in self.written_by.items():
                author = " ".join((attributes.get(kind) or "").split())
                if 0 < len(author) <= _LONGEST_CODE:
                    # One string for all units of an author.
                    written_by[self.column] = sys.intern(author)
        elif element == "seg":
            if self.column in self.unit:
                raise self._error("found a second <seg> in a <tuv>; expected one")
            self.pieces = []
            self.length = 0
            self.in_segment = True

    def data(self, text: str) -> None:
        if self.in_segment and not self.codes:
            self.pieces.append(text)
            self.length += len(text)
            self.limits.check_line(self.length, f"{self.name}, line {self.unit_line}", "segment")

    def end(self, tag: str) -> None:
        element = self.stack.pop()
        self.codes -= element in _CODES
        if element == "seg":
            self.unit[self.column] = "".join(self.pieces)
            self.in_segment = False
        elif element == "tu":
            self.rows.add(self.unit_line, self.unit)
            for kind, written_by in self.written_by.items():
                self.authors[kind].add(self.unit_line, written_by)

    def memory(self) -> Memory:
        """Return what was gathered; several texts of a language by their authors, where these differ."""
        table = self.rows.table("translation units (<tu>) in <body>")
        authors = [rows.table("").columns for rows in self.authors.values()]
        columns: dict[str, list[Any]] = {}
        unattributed: dict[str, int] = {}
        for language, names in self.columns.items():
            texts = {name: table.columns[name] for name in names if name in table.columns}
            by_author: dict[str, Cells] | None = None
            if len(texts) > 1:
                for author_cells in authors:
                    by_author = by_author or _by_author(language, texts, author_cells)
                if by_author is None:
                    _, second_texts, *_ = texts.values()
                    row = next(row for row, text in enumerate(second_texts) if text is not None)
                    unattributed[language] = table.lines[row]
            columns |= by_author or texts
        return Memory(table.name, columns, table.lines, key_column=self.source_language, unattributed=unattributed)

    def close(self) -> None:
        """End the document; the parser calls it."""

    def _column_of(self, language: str) -> str:
        """Return the name of the column for the next text of a language in this unit."""
        code = _fold_code(language)
        if not code or len(code) > _LONGEST_CODE or any(map(str.isspace, code)):
            raise self._error(
                f"found <tuv> with the language {shorten(language)}; expected a code in xml:lang, such as 'en'"
            )
        self.times[code] += 1
        if self.times[code] > MOST_COLUMNS:
            raise self._error(f"found more than {MOST_COLUMNS} texts of the language {language!r} in a unit")
        spelling = self.spellings.setdefault(code, language)
        column = spelling
        if self.times[code] > 1:
            column = f"{spelling} {self.times[code]}"
        columns = self.columns.setdefault(spelling, [])
        if column not in columns:
            columns.append(column)
        return column

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self.name}, line {self.line()}: {problem}.")
