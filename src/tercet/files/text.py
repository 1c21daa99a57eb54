"""Files of texts, a text per line, packed or not, or from the standard input -> lines."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import sys
import unicodedata
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO, NamedTuple, TypeAlias, cast

from tercet.errors import InputError, argument, warn

from .encodings import advice_on

#: The name that stands for the standard input.
STDIN = "-"


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open a file to read its bytes, unpacked where its name ends in .gz; ``-`` is the standard input."""
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        elif path.lower().endswith(".gz"):
            with gzip.open(path, "rb") as packed:
                yield cast(BinaryIO, packed)
        else:
            with open(path, "rb") as file:
                yield file
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def stream_lines(path: str) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8, without their ends; what is in memory does not grow with the file.

    A file may be of any size, a line as long as :class:`Limits` says.
    """
    with open_binary(path) as stream:
        check_beginning(stream, path)
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        number = 0
        n_within = 0
        first_within = 0
        try:
            while line := text.readline(LIMITS.line + 1):
                number += 1
                LIMITS.check_line(len(line), f"{path}, line {number}")
                if number == 1:
                    line = line.lstrip("\ufeff")
                    if not line.endswith("\n"):
                        _check_line_ends(line, path)
                if "\0" in line:
                    raise InputError(f"{path}, line {number}: found a NUL character; expected text saved as UTF-8.")
                line = line.rstrip("\r\n")
                if "\r" in line:
                    n_within += 1
                    first_within = first_within or number
                yield line
            if n_within:
                _warn_of_carriage_returns(path, n_within, first_within)
        except UnicodeDecodeError as error:
            raise InputError(f"{path!r} is not a text file in UTF-8: {error}.") from error
        finally:
            # What is open is closed by its opener, and the standard input not at all.
            text.detach()


def read_lines(path: str, *, encoding: str | None = None) -> list[str]:
    r"""Return the lines of a text file, blank ones too: a line is a segment, and its number counts.

    Lines end with ``\n`` or ``\r\n``, the last one with or without; other characters that some programs take for
    line ends (form feeds, U+2028) are part of the text. So is a ``\r`` elsewhere; a warning counts the lines.
    """
    name = _STANDARD_INPUT if path == STDIN else path
    with open_binary(path) as stream:
        text = decode(read_bytes(stream, name), name, encoding=encoding)
    lines = text.split("\n")
    # Nothing follows the last line end.
    if not text or text.endswith("\n"):
        lines.pop()
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
        within = [number for number, line in enumerate(lines, 1) if "\r" in line]
        if within:
            _warn_of_carriage_returns(name, len(within), within[0])
    return lines


def check_beginning(stream: BinaryIO, path: str) -> None:
    """Refuse what is no text with a segment per line, by the bytes that are read next."""
    beginning = b""
    if isinstance(stream, io.BufferedReader | gzip.GzipFile):
        beginning = stream.peek(_BEGINNING)
    _check_bytes(beginning, path)
    _check_text(beginning.decode("utf-8-sig", "ignore"), path)


def _warn_of_carriage_returns(name: str, n_lines: int, first: int) -> None:
    hold = "1 line holds" if n_lines == 1 else f"{n_lines:,} lines hold"
    warn(
        f"{name}: {hold} a carriage return (CR) that ends no line, the first on line {first}: read as part of the "
        "text, as sacrebleu does."
    )


# Bytes of a text file -> text, whatever program on whatever system wrote it.

# UTF-16 is read for those who have it, but not named: only UTF-8 is recommended.
_EXPECTED = "text saved as UTF-8"

_GZIP = b"\x1f\x8b"

#: The name of the standard input in messages: it has no file that could be renamed.
_STANDARD_INPUT = "the standard input"


def decode(data: bytes | bytearray, name: str, *, is_lines: bool = True, encoding: str | None = None) -> str:
    """Return the text of a file in UTF-8, or in UTF-16; line ends stay as they are.

    Markup, subtitles and catalogues are refused where `is_lines` says that a segment is expected per line.

    UTF-16 has a byte order mark, or makes lines of known letters in one byte order alone: other bytes do not. A user
    may name the `encoding` of files without a mark, and has named none where it is ""; None where none can be named.
    """
    _refuse_binary(data, name)
    named = ""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        used_encoding = "utf-16"
    elif data.startswith(BOM_UTF8):
        used_encoding = "utf-8-sig"
    else:
        named = encoding or ""
        used_encoding = named or _unmarked_utf16(data) or "utf-8-sig"
    hint = partial(advice_on, data, name, can_be_named=encoding is not None)
    try:
        text = data.decode(used_encoding)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].decode(used_encoding, "replace").count("\n") + 1
        found = f"{name}, line {line}: found the byte 0x{error.object[error.start]:02x}, which is not"
        if named:
            raise InputError(f"{found} {named}; expected that encoding, as {argument('encoding')} says.") from None
        if used_encoding == "utf-8-sig":
            raise InputError(f"{found} UTF-8; expected {_EXPECTED}. {hint()}") from None
        raise InputError(f"{found} UTF-16; expected {_EXPECTED}.") from None
    if named:
        _warn_of_utf8(data, name, named)
    # A file that was decoded as plain UTF-8, and saved with a mark again, has another one.
    text = text.lstrip("\ufeff")
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        advice = ""
        if not named and "utf-16" in hint():
            advice = f" {hint()}"
        raise InputError(f"{name}, line {line}: found a NUL character; expected {_EXPECTED}.{advice}")
    if "\n" not in text:
        _check_line_ends(text, name)
    if is_lines:
        _check_text(text, name)
    return text


def _warn_of_utf8(data: bytes | bytearray, name: str, encoding: str) -> None:
    """Warn of a file that may be in UTF-8, where a user names another encoding for all files."""
    if data.isascii() or codecs.lookup(encoding).name == "utf-8":
        return
    with suppress(UnicodeDecodeError):
        data.decode("utf-8")
        warn(f"{name}: its bytes may be UTF-8; they are read as {encoding}, as {argument('encoding')} says.")


def _check_line_ends(text: str, name: str) -> None:
    r"""Raise an InputError for the text of a file without ``\n`` where ``\r`` separates lines."""
    if 0 <= text.find("\r") < len(text) - 1:
        raise InputError(f"{name} has old Mac line ends (CR); expected LF or CRLF: save the file with those.")


def _refuse_binary(data: bytes | bytearray, name: str) -> None:
    """Raise an InputError for a binary or packed file, or one in UTF-32, by its first bytes."""
    _check_bytes(data, name)
    if data.startswith(_GZIP):
        advice = f"rename it to {name}.gz, or unpack it"
        # A file with this extension has been unpacked once: it was gzipped twice.
        if name == _STANDARD_INPUT or name.lower().endswith(".gz"):
            advice = "unpack it"
        raise InputError(f"{name} is gzipped: {advice}.")
    # Before UTF-16, whose byte order mark is the beginning of this one.
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise InputError(f"{name} is UTF-32, which is not supported; expected {_EXPECTED}.")


def _unmarked_utf16(data: bytes | bytearray) -> str:
    """Return the name of UTF-16 in the byte order that makes lines of text of these bytes, or "" for other bytes."""
    if b"\0" not in data or len(data) % 2:
        return ""
    fitting = []
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        characters = set(text) - {"\n", "\r", "\t"}
        if "\n" in text and not any(unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in characters):
            fitting.append(encoding)
    if len(fitting) != 1:
        return ""
    return fitting[0]


# Limits of file sizes: untrusted files must fit into memory.

Text: TypeAlias = str | bytes | bytearray

_CHUNK = 1 << 20
#: A packed file may hold so many times its bytes, and so many in any case: texts shrink to a tenth, rarely to a
#: fiftieth, while a file made to fill memory shrinks to a thousandth, or in Parquet to a millionth.
_TIMES = 200
_UNPACKED = 256 << 20
#: Lists and objects of a JSON file that are read in any case, and the bytes of the limit for each one more: an empty
#: one, two bytes in the file, takes 64 in memory, and one with an entry 240.
_CONTAINERS = 1_000_000
_BYTES_EACH = 256
#: Rows, and values of lists, that a packed file may have in any case: beyond, a text takes a byte of it at least.
_VALUES = 1_000_000


class Limits(NamedTuple):
    """Sizes of files that are read; larger ones are archives made to fill memory, or files of another kind."""

    #: Of the whole file, unpacked: 2 GiB, some five million segments with a reference.
    n_bytes: int = 2 << 30
    n_lines: int = 20_000_000
    #: Bytes of a line or a quoted cell: 64 MiB, a hundred long novels.
    line: int = 64 << 20
    #: Bytes of the file where it is packed, which bounds what it may hold.
    packed: int = 0

    def unpacking(self, packed: int, in_any_case: int = _UNPACKED) -> Limits:
        """Return the limits of what is in a packed file of so many bytes."""
        return self._replace(n_bytes=min(self.n_bytes, max(in_any_case, _TIMES * packed)), packed=packed)

    def of(self, stream: BinaryIO) -> Limits:
        """Return the limits of what is read from a stream, which may be that of a gzipped file."""
        if not isinstance(stream, gzip.GzipFile):
            return self
        return self.unpacking(os.fstat(stream.fileno()).st_size)

    def check(self, n_bytes: int, n_lines: int, name: str) -> None:
        """Raise an InputError for a file of more bytes or lines."""
        if n_bytes <= self.n_bytes and n_lines <= self.n_lines:
            return
        bound = f"{self.n_lines:,} lines"
        if n_bytes > self.n_bytes:
            bound = size(self.n_bytes)
        packed = ""
        if self.packed:
            packed = f" for a packed file of {size(self.packed)}"
        raise InputError(
            f"{name} holds more than {bound}, unpacked, which is the limit{packed}: split it into several files."
        )

    def check_values(self, n_values: int, name: str, values: str) -> None:
        """Raise an InputError for more rows, or values of lists, than a packed file that is not made to have them."""
        most = max(_VALUES, self.packed)
        if n_values > most:
            raise InputError(
                f"{name} holds {n_values:,} {values}; expected at most {most:,}, which is the limit for a packed "
                f"file of {size(self.packed)}."
            )

    def check_json(self, texts: Sequence[Text], name: str, free: int = 0) -> None:
        """Raise an InputError for JSON with more lists and objects, before it is parsed; some of a text are free."""
        most = max(_CONTAINERS, self.n_bytes // _BYTES_EACH)
        # The second takes longer, and is needed only where the first counts too many.
        for count in (_count_brackets, _count_containers):
            if sum(max(count(text) - free, 0) for text in texts) <= most:
                return
        raise InputError(f"{name} holds more than {most:,} lists and objects, which is the limit for its size.")

    def check_line(self, n_bytes: int, location: str, unit: str = "line") -> None:
        """Raise an InputError for a line, or what else is given, of more bytes."""
        if n_bytes > self.line:
            raise InputError(
                f"{location}: a {unit} of more than {size(self.line)}; expected a segment per line, or per cell."
            )


#: Limits of a file that a user names.
LIMITS = Limits()


def read_whole(stream: BinaryIO, name: str, limits: Limits, expected: str) -> bytearray:
    """Return all of a file that has no lines, or raise an InputError as soon as it is beyond the limits, or empty."""
    bounds = limits.of(stream)
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        bounds.check(len(data), 0, name)
    if not data or data.isspace():
        raise InputError(f"{name} is empty; expected {expected}.")
    return data


def read_bytes(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> bytearray:
    """Return all of a file, or raise an InputError as soon as it is, or has a line, beyond the limits."""
    bounds = limits.of(stream)
    data = bytearray()
    # The start of the line whose end has not been read, and the number of lines before it.
    start = 0
    n_lines = 0
    while chunk := stream.read(min(_CHUNK, bounds.line)):
        first = chunk.find(b"\n")
        last = chunk.rfind(b"\n")
        end = len(data) + len(chunk)
        if first >= 0:
            end = len(data) + first
        bounds.check_line(end - start, f"{name}, line {n_lines + 1}")
        if last >= 0:
            start = len(data) + last + 1
            n_lines += chunk.count(b"\n")
        data += chunk
        bounds.check(len(data), n_lines, name)
    return data


def drop_marks(data: bytearray) -> None:
    """Remove the byte order marks of UTF-8 from the beginning of a file."""
    while data.startswith(BOM_UTF8):
        del data[: len(BOM_UTF8)]


def _count_brackets(text: Text) -> int:
    """Return how many lists and objects JSON has at most: code and formulas within its texts have brackets, too."""
    if isinstance(text, str):
        return text.count("{") + text.count("[")
    return text.count(b"{") + text.count(b"[")


def _count_containers(text: Text) -> int:
    """Return how many lists and objects JSON has."""
    # Here, as commands that score nothing need no numpy.
    import numpy as np

    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    # Without escaped quotes, every quote opens or closes a text; a bracket within a text is no list.
    data = encoded.replace(b"\\\\", b"").replace(b'\\"', b"")
    number = 0
    inside = np.uint8(0)
    for start in range(0, len(data), _CHUNK):
        piece = np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - start), start)
        within = np.bitwise_xor.accumulate((piece == ord('"')).view(np.uint8)) ^ inside
        inside = within[-1]
        number += int((((piece == ord("{")) | (piece == ord("["))) & (within == 0)).sum())
    return number


def size(n_bytes: int) -> str:
    """Return a number of bytes in words."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n_bytes >= 1 << power:
            return f"{n_bytes / (1 << power):.3g} {unit}"
    return f"{n_bytes} bytes"


# Files that are no text with a segment per line, by their content: markup, subtitles, catalogues, binary files.

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


def _check_bytes(data: bytes | bytearray, name: str) -> None:
    """Raise an InputError for a known binary format, by its first bytes."""
    kinds = [kind for signature, kind in _BINARY.items() if data.startswith(signature)]
    if data.startswith(b"PK\x03\x04"):
        kinds = [kind for entry, kind in _ARCHIVES.items() if entry in data]
    # The first that fits.
    for description, advice in kinds:
        raise InputError(f"{name} is {description}, which is not supported yet; expected {_EXPECTED}: {advice}.")


def _check_text(text: str, name: str) -> None:
    """Raise an InputError for a text file of markup, subtitles or messages with their translations.

    Only strong signs count, at the beginning of the file: a first segment may contain ``<b>``, ``-->`` or ``msgid``.
    """
    beginning = text[:_BEGINNING].replace("\r\n", "\n").lstrip("\ufeff")
    kinds = [(description, advice) for pattern, description, advice in _LINES if pattern.match(beginning)]
    markup = _markup(beginning)
    if markup is not None:
        kinds = [markup]
    for description, advice in kinds:
        raise InputError(
            f"{name} is {description}, judging by its content, not a text with a segment per line: {advice}."
        )


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
