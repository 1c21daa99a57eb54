"""XLIFF 1.2, as Trados writes it too (SDLXLIFF), and XLIFF 2 -> a memory of sources, targets and proposals."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from tercet.errors import InputError, shorten, warn
from tercet.files.limits import LIMITS, Limits
from tercet.files.rows import RaggedRows
from tercet.files.table import Memory
from tercet.files.xml import parse

# Elements within a text whose content is code of the document's format.
_CODES = frozenset({"bpt", "ept", "ph", "it"})

# A unit is a <trans-unit> or, in XLIFF 2, a <unit> with segments; a proposal an <alt-trans> or <match>.
_UNITS = ("trans-unit", "unit")
_PROPOSALS = ("alt-trans", "match")
_SOURCES = ("source", "seg-source")
_HOLDERS = (*_UNITS, "segment", *_PROPOSALS)

# What a unit is that holds no text but gettext's header, as PO files are converted.
_HEADER = "gettext-domain-header"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_CODE_POINT = re.compile(r"[0-9A-Fa-f]{1,6}")

# States of targets that no one has translated yet: tools copy the source there.
_UNTRANSLATED = ("new", "needs-translation", "initial")
_OTHER = "other"
_ID = "id"
_STATE = "state"
_LONGEST_NAME = 100

# The pieces of a <source> or <target>, each with the id of the segment that is marked around it, if any.
_MarkedPieces = list[tuple[str | None, str]]


@dataclass(slots=True)
class _Proposal:
    """A translation that a program or memory proposed; `segment` is the id of what it is for, where it says so."""

    origin: str
    segment: str
    text: str = ""
    #: Where it is given: a proposal may be a translation into another language, to look at.
    language: str = ""


@dataclass(slots=True)
class _XliffSegment:
    """A row to be: what is translated together."""

    id: str
    line: int
    state: str = ""
    source: str = ""
    target: str = ""
    #: Ids of what is marked within, to which proposals may refer.
    marks: set[str] = field(default_factory=set)


def read_xliff(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read the texts of a bilingual file, a row per unit or, where it is segmented, per segment.

    The columns are the languages of the sources and of the targets, and one for each origin of proposals
    (``<alt-trans>``, ``<mtc:match>``), such as ``de DeepL``; the second proposal of an origin for one segment is in
    ``de DeepL 2``. The content of inline codes (bpt, ept, ph, it) is not text and left out; that of g, pc, mrk
    and sub is kept, as is all white space. Empty targets are none, and so are those whose state says that they are
    not translated, of which a warning tells. What is not to be translated (``translate="no"``, also of a group around
    it) has no row, nor has the header of a PO file that was converted.
    `labels` has the id of each row and the state of its target (of SDLXLIFF, what its editor confirmed).
    """
    document = _Document(name, limits)
    parse(stream, name, limits, document, "XLIFF")
    return document.memory()


class _Document:
    """Collects rows from the parser's events; beside them, only the unit at hand is kept."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.rows = RaggedRows(name)
        self.labels: dict[str, list[Any]] = {_ID: [], _STATE: []}
        self.line: Callable[[], int] = lambda: 1
        self.stack: list[str] = []
        self.source = ""
        self.target = ""
        self.untranslated: Counter[str] = Counter()
        #: Names of origins as they were first spelled, by their columns in lower case.
        self.spellings: dict[str, str] = {}
        #: By the elements that are open, whether what is in them is to be translated.
        self.is_kept = [True]
        self.unit = self.segment = _XliffSegment("", 1)
        self.segments: list[_XliffSegment] = []
        self.proposals: list[_Proposal] = []
        #: By the element that holds them, texts of the unit at hand.
        self.texts: dict[str, _MarkedPieces] = {}
        self.confirmed: dict[str, str] = {}
        # The text that is being read, if any.
        self.pieces: _MarkedPieces | None = None
        self.marks: list[str | None] = []
        self.length = 0
        #: How many codes are open, one within the other: their content is no text.
        self.codes = 0

    def start(self, tag: str, attributes: dict[str, Any]) -> None:
        element = tag.rpartition("}")[2]
        if not self.stack and element != "xliff":
            raise self._error(f"found a document of <{shorten(element)[1:-1]}>; expected <xliff>")
        parent = self.stack[-1] if self.stack else ""
        self.stack.append(element)
        self.is_kept.append(self._is_kept(attributes))
        if self.pieces is not None:
            self._start_within(element, attributes)
        elif element == "xliff":
            self._languages(attributes.get("srcLang"), attributes.get("trgLang"))
        elif element == "file":
            self._languages(attributes.get("source-language"), attributes.get("target-language"))
        elif element in _UNITS:
            self._start_unit(attributes)
        elif element == "segment" and parent == "unit":
            self.segment = self._new_segment(attributes)
            self.segment.state = _trimmed_name(attributes.get(_STATE))
            self.segments.append(self.segment)
        elif element in _PROPOSALS:
            self._start_proposal(attributes)
        elif element == "seg" and parent == "seg-defs":
            # What Trados says of the segments of a unit.
            self.confirmed[attributes.get(_ID) or ""] = _trimmed_name(attributes.get("conf"))
        elif element in _SOURCES and parent in _HOLDERS:
            self._start_text()
        elif element == "target" and parent in _HOLDERS:
            self._start_text()
            if parent == "trans-unit":
                self.unit.state = _trimmed_name(attributes.get(_STATE))
            elif parent in _PROPOSALS:
                self.proposals[-1].language = attributes.get(_XML_LANG) or ""

    def _new_segment(self, attributes: dict[str, Any]) -> _XliffSegment:
        return _XliffSegment(_trimmed_name(attributes.get(_ID)), self.line())

    def _start_unit(self, attributes: dict[str, Any]) -> None:
        self.unit = self.segment = self._new_segment(attributes)
        self.segments = []
        self.proposals = []
        self.texts = {}
        self.confirmed = {}

    def _start_proposal(self, attributes: dict[str, Any]) -> None:
        origin = _OTHER
        for key in ("origin", "tool-id", "tool"):
            name = _trimmed_name(attributes.get(key))
            if name:
                origin = name
                break
        origin = self.spellings.setdefault(origin.casefold(), origin)
        segment = attributes.get("mid") or (attributes.get("ref") or "").lstrip("#")
        self.proposals.append(_Proposal(origin, segment))

    def _start_text(self) -> None:
        """Gather the text of a source or target from here on, until it ends."""
        self.pieces = []
        self.marks = [None]
        self.length = 0

    def _is_kept(self, attributes: dict[str, Any]) -> bool:
        if _HEADER in attributes.get("restype", ""):
            return False
        translate = attributes.get("translate")
        # An element that does not say so is as the one around it.
        return translate == "yes" or (translate != "no" and self.is_kept[-1])

    def _start_within(self, element: str, attributes: dict[str, Any]) -> None:
        self.codes += element in _CODES
        is_segment = element == "mrk" and attributes.get("mtype") == "seg"
        if element == "mrk" and not is_segment:
            self.segment.marks.add(attributes.get(_ID) or "")
        mark = self.marks[-1]
        if is_segment:
            mark = attributes.get("mid") or ""
        self.marks.append(mark)
        if element == "cp":
            # A character that XML cannot hold.
            self.data(self._character(attributes.get("hex") or ""))
        elif is_segment:
            # One without text is there, too.
            self.data("")

    def data(self, text: str) -> None:
        if self.pieces is not None and not self.codes:
            self.pieces.append((self.marks[-1], text))
            self.length += len(text)
            self.limits.check_line(self.length, f"{self.name}, line {self.unit.line}", "segment")

    def end(self, tag: str) -> None:
        element = self.stack.pop()
        is_kept = self.is_kept.pop()
        if self.pieces is None:
            if element in _UNITS and is_kept:
                self._end_unit()
            return
        self.codes -= element in _CODES
        self.marks.pop()
        if self.marks:
            return
        pieces = self.pieces
        self.pieces = None
        text = "".join(piece for _, piece in pieces)
        parent = self.stack[-1]
        if parent in _PROPOSALS:
            if element == "target":
                self.proposals[-1].text = text
        elif parent == "segment":
            # <seg-source> is of version 1.2, which has no segments.
            if element == "source":
                self.segment.source = text
            elif element == "target":
                self.segment.target = text
        else:
            self.texts[element] = pieces

    def close(self) -> None:
        """End the document; the parser calls it."""

    def memory(self) -> Memory:
        """Return what was gathered."""
        table = self.rows.table("units (<trans-unit> or <segment>) with texts")
        if self.target not in table.columns:
            problem = "has no target" if self.target else "names no language of its targets"
            raise InputError(f"{self.name} {problem}; expected a file with translations.")
        if self.untranslated:
            states = ", ".join(f"{state} ({count:,})" for state, count in self.untranslated.items())
            warn(f"{self.name}: targets whose state says that they are not translated are left out: {states}.")
        languages = [language for language in (self.source, self.target) if language in table.columns]
        columns = {name: table.columns[name] for name in dict.fromkeys([*languages, *table.columns])}
        labels = {name: cells for name, cells in self.labels.items() if any(cells)}
        return Memory(
            self.name,
            columns,
            table.lines,
            key_column=self.source,
            target_language=self.target,
            labels=labels,
        )

    def _end_unit(self) -> None:
        unit = self.unit
        texts = self.texts
        targets = texts.get("target") or []
        source_texts = _by_mark(texts.get("seg-source") or texts.get("source") or [])
        target_texts = _by_mark(targets)
        if source_texts.keys() & target_texts.keys():
            self.segments = []
            for mark, text in source_texts.items():
                segment = _XliffSegment(f"{unit.id} {mark}".strip(), unit.line)
                segment.state = self.confirmed.get(mark) or unit.state
                segment.source = text
                segment.target = target_texts.get(mark, "")
                segment.marks.add(mark)
                self.segments.append(segment)
        elif "source" in texts:
            unit.source = "".join(piece for _, piece in texts["source"])
            unit.target = "".join(piece for _, piece in targets)
            self.segments = [unit]
        else:
            for segment in self.segments:
                if segment.id:
                    segment.marks.add(segment.id)
                segment.id = f"{unit.id} {segment.id}".strip()
        proposals: dict[str, list[_Proposal]] = {}
        is_segmented = len(self.segments) > 1
        for proposal in self.proposals:
            if not proposal.text or not self._is_of_target(proposal.language):
                continue
            # What is for a unit of one segment need not say so.
            mark = ""
            if is_segmented:
                mark = proposal.segment
            proposals.setdefault(mark, []).append(proposal)
        for segment in self.segments:
            marks = [""]
            if is_segmented:
                marks = sorted(segment.marks)
            of_segment: list[_Proposal] = []
            for mark in marks:
                of_segment += proposals.get(mark, [])
            self._add(segment, of_segment)

    def _is_of_target(self, language: str) -> bool:
        """Return whether a language is that of the targets: "de" is, where they are in "de-AT"."""
        return not language or not self.target or _main_language(language) == _main_language(self.target)

    def _add(self, segment: _XliffSegment, proposals: Iterable[_Proposal]) -> None:
        if not segment.source:
            return
        row = {self.source: segment.source}
        if segment.target and segment.state.casefold() in _UNTRANSLATED:
            self.untranslated[segment.state] += 1
        elif segment.target:
            if not self.target:
                raise self._error("found a <target>, and no language of targets (target-language, trgLang) before it")
            row[self.target] = segment.target
        times: Counter[str] = Counter()
        for proposal in proposals:
            column = f"{self.target} {proposal.origin}"
            times[column] += 1
            if times[column] > 1:
                column += f" {times[column]}"
            row[column] = proposal.text
        self.rows.add(segment.line, row)
        self.labels[_ID].append(segment.id)
        self.labels[_STATE].append(segment.state)

    def _languages(self, source: Any, target: Any) -> None:
        """Take the languages of a file; those of further ones must be the same."""
        for role, code in (("source", source), ("target", target)):
            code = (code or "").strip()
            language = getattr(self, role)
            if len(code) > _LONGEST_NAME or any(map(str.isspace, code)):
                raise self._error(f"found the language {shorten(code)}; expected a code such as 'en'")
            if code and language and code.casefold() != language.casefold():
                raise self._error(
                    f"found a file with the {role} language {code!r} after one with {language!r}; expected files of "
                    "one pair of languages"
                )
            setattr(self, role, language or code)
        if self.source and self.source.casefold() == self.target.casefold():
            raise self._error(f"the language of sources and targets is {self.source!r}; expected two")

    def _character(self, code: str) -> str:
        number = 0
        if _CODE_POINT.fullmatch(code):
            number = int(code, 16)
        is_surrogate = 0xD800 <= number <= 0xDFFF
        if not 0 < number <= sys.maxunicode or is_surrogate:
            raise self._error(f"found <cp> with hex {shorten(code)}; expected the code of a character, such as 001A")
        return chr(number)

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self.name}, line {self.line()}: {problem}.")


def _main_language(code: str) -> str:
    """Return the language of a code without its region: "pt" of "pt-BR" and of "pt_BR"."""
    return re.split("[-_]", code.strip().casefold())[0]


def _trimmed_name(value: Any) -> str:
    return " ".join((value or "").split())[:_LONGEST_NAME]


def _by_mark(pieces: _MarkedPieces) -> dict[str, str]:
    """Return the texts of the segments that are marked in a text, by their ids."""
    texts: dict[str, list[str]] = {}
    for mark, piece in pieces:
        if mark is not None:
            texts.setdefault(mark, []).append(piece)
    return {mark: "".join(of_mark) for mark, of_mark in texts.items()}
