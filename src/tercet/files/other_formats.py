"""Files that are no text with a segment per line, by their content: markup, subtitles, catalogues, binary files."""

from __future__ import annotations

import gzip
import io
import re
from typing import BinaryIO

from tercet.errors import InputError

#: What a file is to be; UTF-16 is read for those who have it, but not named: only UTF-8 is recommended.
EXPECTED = "text saved as UTF-8"

#: What is needed of a file's beginning.
_BEGINNING = 1 << 16

_EXTRACT = "extract its texts, a segment per line, or save them as columns of a TSV file"
_MEMORY = (
    "extract its texts, a segment per line, or save them as TSV or as a translation memory (.tmx), which is read"
)
_END_IN = "let its name end in {}"
_SAVE = "save its text, a segment per line"

# Signatures of binary files, their formats, and what to do with them.
_BINARY = {
    b"\xd0\xcf\x11\xe0": ("a workbook (.xls) or document of old programs", "save the sheet as CSV in UTF-8"),
    b"PAR1": ("a Parquet file", _END_IN.format(".parquet")),
    b"ARROW1": ("an Arrow file", _END_IN.format(".arrow")),
    b"%PDF-": ("a PDF", _SAVE),
    b"{\\rtf1": ("a document in RTF", _SAVE),
    b"\x89PNG\r\n\x1a\n": ("an image (PNG)", "give a file of texts"),
    b"\xff\xd8\xff": ("an image (JPEG)", "give a file of texts"),
    b"GIF87a": ("an image (GIF)", "give a file of texts"),
    b"GIF89a": ("an image (GIF)", "give a file of texts"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it"),
    b"\xfd7zXZ\x00": ("packed by xz", "unpack it, or pack it by gzip (.gz)"),
    b"\x28\xb5\x2f\xfd": ("packed by zstd", "unpack it, or pack it by gzip (.gz)"),
    b"SQLite format 3\x00": ("an SQLite database", "save a table of it as TSV or CSV"),
}
# Of a ZIP archive, by the name of a file within it; any other archive comes last.
_ARCHIVES = {
    b"word/document.xml": ("a Word document (.docx)", _SAVE),
    b"ppt/presentation.xml": ("a presentation (.pptx)", _SAVE),
    b"application/vnd.oasis.opendocument.text": ("a document (.odt)", _SAVE),
    b"": (
        "a ZIP archive, as workbooks (.xlsx, .ods) and documents are",
        "let the name of an Excel workbook end in .xlsx, or save the sheet as CSV in UTF-8",
    ),
}

# Of markup, the elements by which its format is known; the pattern of each follows any declarations and comments.
_MARKUP = {
    r"tmx[\s>]": ("a translation memory (TMX)", _END_IN.format(".tmx")),
    r"xliff[\s>]": ("XLIFF", _END_IN.format(".xlf")),
    r"ts[\s>]": ("a catalogue of translations (Qt's TS)", _MEMORY),
    r"tt[\s>]": ("subtitles (TTML)", _EXTRACT),
    r"(?:srcset|refset|tstset|mteval)[\s>]": ("an SGML or XML file of a test set", _END_IN.format(".sgm")),
    r"dataset[\s>]": ("an XML file of a test set", _END_IN.format(".xml")),
    r"html[\s>]": ("HTML", _EXTRACT),
    r"": ("XML", _MEMORY),
}
_DECLARED = re.compile(r"\s*(?:(<\?xml\s[^>]*\?>|<!doctype\s[^>]*>)|<!--(?s:.*?)-->)", re.IGNORECASE)
# Without a declaration, a first text may well begin with <html>: an attribute or an element within is a sign too.
_UNDECLARED = re.compile(
    r"\s*<(?:(?:xliff|tmx)\s[^>]*\bversion\s*=|(?:srcset|refset|tstset)\s[^>]*\bsetid\s*=|mteval>\s*<"
    r"|html(?:\s[^>]*)?>\s*<(?:head|body)\b)",
    re.IGNORECASE,
)

_TIME = r"(?:\d+:)?\d\d:\d\d[.,]\d{1,3}[ \t]*-->[ \t]*(?:\d+:)?\d\d:\d\d[.,]\d{1,3}"
# Formats of lines: how each begins, what it is, and what to do.
_LINES = (
    (
        re.compile(rf"\s*WEBVTT(?:[ \t].*)?\n(?s:.*?)^{_TIME}", re.MULTILINE),
        "subtitles (WebVTT)",
        _END_IN.format(".vtt"),
    ),
    (re.compile(rf"\s*\d+[ \t]*\n{_TIME}"), "subtitles (SRT)", _END_IN.format(".srt")),
    (
        re.compile(r"\s*\[Script Info\][ \t]*\n(?s:.*?)^(?:Format|Dialogue|ScriptType):", re.MULTILINE),
        "subtitles (SSA)",
        _END_IN.format(".ass"),
    ),
    (
        re.compile(
            r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:msgctxt[ \t]+\".*\"[ \t]*\n)?"
            r"msgid[ \t]+\".*\"[ \t]*\n(?:[ \t]*\".*\"[ \t]*\n)*"
            r"(?:msgid_plural[ \t]+\".*\"[ \t]*\n(?:[ \t]*\".*\"[ \t]*\n)*)?msgstr(?:\[\d+\])?[ \t]+\""
        ),
        "a catalogue of translations (PO)",
        _END_IN.format(".po"),
    ),
)


def check_beginning(stream: BinaryIO, path: str) -> None:
    """Refuse what is no text with a segment per line, by the bytes that are read next."""
    beginning = b""
    if isinstance(stream, io.BufferedReader | gzip.GzipFile):
        beginning = stream.peek(_BEGINNING)
    check_bytes(beginning, path)
    check_text(beginning.decode("utf-8-sig", "ignore"), path)


def check_bytes(data: bytes | bytearray, name: str) -> None:
    """Raise an InputError for a known binary format, by its first bytes."""
    kinds = [kind for signature, kind in _BINARY.items() if data.startswith(signature)]
    if data.startswith(b"PK\x03\x04"):
        kinds = [kind for entry, kind in _ARCHIVES.items() if entry in data]
    if kinds:
        description, advice = kinds[0]
        raise InputError(f"{name} is {description}, which is not supported yet; expected {EXPECTED}: {advice}.")


def check_text(text: str, name: str) -> None:
    """Raise an InputError for a text file of markup, subtitles or messages with their translations.

    Only strong signs count, at the beginning of the file: a first segment may contain ``<b>``, ``-->`` or ``msgid``.
    """
    beginning = text[:_BEGINNING].replace("\r\n", "\n").lstrip("\ufeff")
    kind = _markup(beginning) or _format_of_lines(beginning)
    if kind is not None:
        description, advice = kind
        raise InputError(
            f"{name} is {description}, judging by its content, not a text with a segment per line: {advice}."
        )


def _format_of_lines(text: str) -> tuple[str, str] | None:
    """Return the format of lines that a text has, such as subtitles, and what to do with it; None for other texts."""
    for pattern, description, advice in _LINES:
        if pattern.match(text):
            return description, advice
    return None


def _markup(text: str) -> tuple[str, str] | None:
    """Return the format of a document in markup, and what to do with it; None for other texts."""
    start = 0
    is_declared = False
    while match := _DECLARED.match(text, start):
        start = match.end()
        is_declared = is_declared or match[1] is not None
    remaining = text[start:].lstrip()
    if not re.match(r"<[a-z]", remaining, re.IGNORECASE):
        return None
    # With a document on each line, it is the output of a system that writes markup.
    opening = re.split(r"[\s>]", text.lstrip(), maxsplit=1)[0]
    if text.startswith(opening) and f"\n{opening}" in text:
        return None
    if not is_declared and not _UNDECLARED.match(text, start):
        return None
    return next(kind for name, kind in _MARKUP.items() if re.match(f"<{name}", remaining, re.IGNORECASE))
