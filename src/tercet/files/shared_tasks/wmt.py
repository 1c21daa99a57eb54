"""Test sets of WMT (XML of wmt-format-tools) and of NIST (SGM or XML, as mteval reads them) -> a table."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from tercet.errors import InputError, shorten, warn
from tercet.files.encodings import decode
from tercet.files.limits import LIMITS, Limits, read_whole
from tercet.files.rows import RaggedRows
from tercet.files.table import Roles, Table, TableWithRoles
from tercet.files.xml import parse

#: The elements that hold the texts of a side, and the attributes that name whose they are.
_SIDES = {"src": ("source", ""), "ref": ("reference", "translator"), "hyp": ("system", "system")}
#: Of files of one side: its element, and the attribute. Elements of documents may name it, too, as mteval's do.
_SETS = {"srcset": ("source", ""), "refset": ("reference", "refid"), "tstset": ("system", "sysid")}
_ROOTS = ("dataset", "mteval", *_SETS)
#: What is said of documents, beside their names: a column each where some document has it.
_OF_DOCUMENTS = ("collection", "domain", "genre", "origlang")
_TESTSUITE = "testsuite"
_ID = "id"
_DOCUMENT = "doc"
_SOURCE = "source"
_REASONS = {_ID: "names the document and the segment", _DOCUMENT: "names the document"}

_BEGINNING = 1 << 16
#: What may stand before the first element; one after the other, so that the time is that of the text's length.
_BEFORE_ROOT = re.compile(r"\s*(?:<\?[^>]*>|<!--(?s:.*?)-->|<!doctype\s[^\[>]*(?:\[[^\]]*\]\s*)?>)", re.IGNORECASE)
_ROOT = re.compile(r"\s*<([a-z]+)[\s>/]", re.IGNORECASE)
#: A tag of SGM; what else is in angle brackets is text.
_TAG = re.compile(r"<(/?)(mteval|srcset|refset|tstset|doc|p|hl|seg)(\s[^<>]*)?>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(\w+)\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)""")
_REFERENCE = re.compile(r"&(amp|lt|gt|quot|apos|#[0-9]{1,7});")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def read_wmt(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Table:
    """Read a test set, a row per segment: its id, its document, and the texts of all sides.

    The columns of references are called as sacrebleu calls them, ``ref:A`` for the translator A or ``ref``, and those
    of systems as the systems. A file of one side, of mteval, has a column for each ``sysid`` or ``refid``. Segments
    without any reference in a file that has some, such as those of test suites, are left out with a warning.

    SGM need not be well-formed: a segment ends where the next begins, and an ampersand may stand for itself.
    """
    data = read_whole(stream, name, limits, "a test set of WMT")
    beginning = data[:_BEGINNING].decode("utf-8-sig", "ignore")
    root = _root(beginning)
    if root not in _ROOTS:
        # What the file is explains more.
        decode(data, name)
        element = "no element"
        if root:
            element = f"a document of <{shorten(root)[1:-1]}>"
        raise InputError(f"{name}: found {element}; expected a test set, of <{'>, <'.join(_ROOTS)}>.")
    segments = _WmtSegments(name, limits)
    if root == "dataset" or beginning.lstrip().startswith("<?xml"):
        parse(io.BytesIO(data), name, limits.of(stream), segments, "WMT")
    else:
        _scan(decode(data, name, is_lines=False), segments)
    return segments.table()


def _root(text: str) -> str:
    """Return the name of the first element in lower case; "" where there is none."""
    start = 0
    while before := _BEFORE_ROOT.match(text, start):
        start = before.end()
    root = _ROOT.match(text, start)
    if root is None:
        return ""
    return root[1].lower()


def _scan(text: str, segments: _WmtSegments) -> None:
    """Give the events of SGM to the target of a parser."""
    line = 1
    counted = 0
    end = 0
    segments.line = lambda: line
    for tag in _TAG.finditer(text):
        segments.data(_REFERENCE.sub(_character, text[end : tag.start()]))
        line += text.count("\n", counted, tag.start())
        counted = tag.start()
        end = tag.end()
        segments.finish()
        element = tag[2].lower()
        if not tag[1]:
            attributes = {}
            for key, value in _ATTRIBUTE.findall(tag[3] or ""):
                attributes[key] = _REFERENCE.sub(_character, value.strip("\"'"))
            segments.start(element, attributes)
    segments.data(_REFERENCE.sub(_character, text[end:]))
    segments.finish()


def _character(reference: re.Match[str]) -> str:
    code = reference[1]
    if code in _CHARACTERS:
        return _CHARACTERS[code]
    number = int(code[1:])
    is_character = 0 < number < 0x110000 and not 0xD800 <= number < 0xE000
    if not is_character:
        return reference[0]
    return chr(number)


class _WmtSegments:
    """Collects the texts of segments from the events of a parser."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.line: Callable[[], int] = lambda: 1
        #: By role, the columns, in the order of the file.
        self.columns: dict[str, list[str]] = {"source": [], "reference": [], "system": []}
        #: By document and segment, the line and the cells of a row.
        self.rows: dict[tuple[str, str], tuple[int, dict[str, str]]] = {}
        self.collection = ""
        self.document = {_DOCUMENT: ""}
        #: By role.
        self.languages: dict[str, str] = {}
        self.is_warned = False
        #: Of a file of one side, whose texts it has.
        self.side_name: str | None = None
        # The side at hand, and how many segments it has.
        self.role = ""
        self.column = ""
        self.n_segments = 0
        # The segment at hand, if any.
        self.segment = ""
        self.start_line = 0
        self.pieces: list[str] | None = None
        self.length = 0

    def start(self, tag: str, attributes: dict[str, Any]) -> None:
        element = tag.rpartition("}")[2].lower()
        values = {key.lower(): value for key, value in attributes.items()}
        if element == "collection":
            self.collection = values.get("id", "")
        elif element in _SETS:
            self.role, attribute = _SETS[element]
            self.side_name = values.get(attribute, "")
            self._start_side(self.side_name)
        elif element == "doc":
            self._start_document(values)
        elif element in _SIDES:
            self.role, attribute = _SIDES[element]
            self._check_language(values.get("lang") or values.get("language") or "")
            self._start_side(values.get(attribute, ""))
        elif element == "seg":
            self.n_segments += 1
            self.segment = values.get("id") or str(self.n_segments)
            self.start_line = self.line()
            self.pieces = []
            self.length = 0

    def data(self, text: str) -> None:
        if self.pieces is not None:
            self.pieces.append(text)
            self.length += len(text)
            self.limits.check_line(self.length, f"{self.name}, line {self.start_line}", "segment")

    def end(self, tag: str) -> None:
        if tag.rpartition("}")[2].lower() == "seg":
            self.finish()

    def close(self) -> None:
        """End the document; the parser calls it."""

    def finish(self) -> None:
        """Add the segment at hand, if there is one."""
        if self.pieces is None:
            return
        # Where a text is on lines of its own, their ends are none of it.
        lines = "".join(self.pieces).strip(" \t\r\n").split("\n")
        text = " ".join(line.strip(" \t\r") for line in lines)
        self.pieces = None
        if not self.column:
            raise self._error("found a <seg> outside of a source, a reference and a system")
        document = self.document[_DOCUMENT]
        key = (document, self.segment)
        if key not in self.rows:
            self.rows[key] = (self.start_line, {_ID: " ".join(filter(None, key)), **self.document})
        _, cells = self.rows[key]
        if self.column in cells:
            raise self._error(
                f"segment {shorten(self.segment)} of the document {shorten(document)} occurs again in "
                f"{shorten(self.column)}; expected it once"
            )
        cells[self.column] = text
        columns = self.columns[self.role]
        if self.column not in columns:
            columns.append(self.column)

    def table(self) -> Table:
        """Return what was gathered."""
        references = self.columns["reference"]
        systems = self.columns["system"]
        source = self.columns["source"]
        rows = list(self.rows.values())
        if references:
            rows = self._with_references(rows)
        gathered = RaggedRows(self.name)
        for line, cells in rows:
            gathered.add(line, cells)
        table = gathered.table("segments (<seg>)")
        cells_of = table.columns
        said = [column for column in _OF_DOCUMENTS if any(cells_of.get(column, ()))]
        names = [_ID, _DOCUMENT, *said, *source, *references, *systems]
        reasons = {**dict.fromkeys(said, "says it of the document"), **_REASONS}
        for role, columns_of_role in self.columns.items():
            reasons |= dict.fromkeys(columns_of_role, f"the file says that it is a {role}")
        source_column = None
        if source:
            source_column = source[0]
        roles = Roles(source_column, tuple(references), tuple(systems), reasons=reasons)
        return TableWithRoles(self.name, {column: cells_of[column] for column in names}, table.lines, roles=roles)

    def _with_references(self, rows: list[tuple[int, dict[str, str]]]) -> list[tuple[int, dict[str, str]]]:
        """Return the rows with some reference; a warning counts the others."""
        with_reference = []
        lacking = []
        for line, cells in rows:
            if any(cells.get(column) for column in self.columns["reference"]):
                with_reference.append((line, cells))
            else:
                lacking.append((line, cells))
        if not with_reference:
            raise InputError(f"{self.name}: no segment has a text of a reference; expected some.")
        if lacking:
            first_line, _ = lacking[0]
            n_of_suites = sum(_TESTSUITE in cells for _, cells in lacking)
            of_suites = ""
            if n_of_suites:
                of_suites = f", {n_of_suites:,} of them in test suites"
            warn(
                f"{self.name}: {len(lacking):,} of {len(rows):,} segments have no reference{of_suites}, the first on "
                f"line {first_line:,}: left out for every system."
            )
        return with_reference

    def _start_document(self, attributes: Mapping[str, str]) -> None:
        self.document = {_DOCUMENT: attributes.get("docid") or attributes.get("id") or ""}
        values = {"collection": self.collection, **attributes}
        for attribute in (*_OF_DOCUMENTS, _TESTSUITE):
            if values.get(attribute):
                self.document[attribute] = values[attribute]
        self.column = ""
        if self.side_name is not None:
            self._start_side(attributes.get("sysid") or attributes.get("refid") or self.side_name)

    def _start_side(self, name: str) -> None:
        self.n_segments = 0
        self.column = self._column_of_side(" ".join(name.split()))

    def _column_of_side(self, name: str) -> str:
        if self.role == "source":
            return _SOURCE
        if self.role == "reference":
            is_unnamed = name.casefold() in ("", "ref", "reference")
            return "ref" if is_unnamed else f"ref:{name}"
        column = name or "hyp"
        if column in {_ID, _DOCUMENT, _SOURCE, _TESTSUITE, *_OF_DOCUMENTS, *self.columns["reference"]}:
            return f"hyp:{column}"
        return column

    def _check_language(self, code: str) -> None:
        """Raise an InputError for a text of a side in another language than those before; of systems, warn once."""
        language = re.split("[-_]", code.casefold())[0]
        if not language:
            return
        expected = self.languages.setdefault(self.role, language)
        if language != expected:
            raise self._error(
                f"found a {self.role} in {shorten(code)} after one in {expected!r}; expected one pair of languages"
            )
        references = self.languages.get("reference", language)
        if self.role == "system" and language != references and not self.is_warned:
            # Files that WMT published have misspelled codes.
            self.is_warned = True
            warn(
                f"{self.name}, line {self.line()}: a system is in {shorten(code)}, and references in {references!r}."
            )

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self.name}, line {self.line()}: {problem}.")
