"""Bytes of a text file -> text, whatever program on whatever system wrote it."""

from __future__ import annotations

import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE

from tercet.errors import InputError

from .content.other_formats import check_bytes, check_text

# UTF-16 is not named: it is read for those who have it, and no more to be recommended than any other.
_EXPECTED = "text saved as UTF-8"

_GZIP = b"\x1f\x8b"

#: The name of the standard input in messages: it has no file that could be renamed.
STANDARD_INPUT = "the standard input"


def decode(data: bytes | bytearray, name: str) -> str:
    """Return the text of a file in UTF-8, or in UTF-16; line ends stay as they are. Markup and the like are refused.

    UTF-16 has a byte order mark, or makes lines of known letters in one byte order alone: other bytes do not.
    """
    _check_beginning(data, name)
    utf16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    unmarked = "" if utf16 else _unmarked_utf16(data)
    encoding = "utf-16" if utf16 else unmarked or "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].decode(encoding, "replace").count("\n") + 1
        raise InputError(
            f"{name}, line {line}: found the byte 0x{error.object[error.start]:02x}, which is not "
            f"{'UTF-16' if utf16 else 'UTF-8'}; expected {_EXPECTED}."
        ) from None
    nul = text.find("\0")
    if nul >= 0:
        raise InputError(
            f"{name}, line {text.count(chr(10), 0, nul) + 1}: found a NUL character; expected {_EXPECTED}."
        )
    if "\n" not in text:
        check_line_ends(text, name)
    check_text(text, name)
    return text


def check_line_ends(text: str, name: str) -> None:
    r"""Raise an InputError for the text of a file without ``\n`` where ``\r`` separates lines."""
    if 0 <= text.find("\r") < len(text) - 1:
        raise InputError(f"{name} has old Mac line ends (CR); expected LF or CRLF: save the file with those.")


def _check_beginning(data: bytes | bytearray, name: str) -> None:
    """Raise an InputError for a known binary format, by its first bytes."""
    check_bytes(data, name)
    if data.startswith(_GZIP):
        # what comes from a file so named was unpacked once, and is gzipped twice
        renamed = "" if name == STANDARD_INPUT or name.lower().endswith(".gz") else f"rename it to {name}.gz, or "
        raise InputError(f"{name} is gzipped: {renamed}unpack it.")
    # before UTF-16, which begins with the same two bytes, and holds no NUL
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise InputError(f"{name} is UTF-32, which is not supported; expected {_EXPECTED}.")


def _unmarked_utf16(data: bytes | bytearray) -> str:
    """Return the name of UTF-16 in the byte order that makes lines of text of these bytes, or "" for other bytes."""
    fitting = []
    for encoding in ("utf-16-le", "utf-16-be") if b"\0" in data and len(data) % 2 == 0 else ():
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        others = set(text) - {"\n", "\r", "\t"}
        if "\n" in text and not any(unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in others):
            fitting.append(encoding)
    return fitting[0] if len(fitting) == 1 else ""
