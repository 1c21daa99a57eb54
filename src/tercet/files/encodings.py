"""The bytes of a file -> its text: in UTF-8, UTF-16 or an encoding that a user names; what to do with other bytes."""

from __future__ import annotations

import codecs
import re
import unicodedata
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from contextlib import suppress
from functools import partial

from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten, warn

from .other_formats import EXPECTED, check_bytes, check_text

_GZIP = b"\x1f\x8b"
#: The name of the standard input in messages: it has no file that could be renamed.
STANDARD_INPUT = "the standard input"

#: Reads UTF-8 with or without a mark.
_UTF8 = "utf-8-sig"
#: Encodings that a message names.
_KNOWN = (
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "iso-8859-1", "iso-8859-15", "cp1250", "cp1251", "cp1253",
    "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "koi8_r", "koi8_u", "gb18030", "big5", "cp950",
    "shift_jis", "cp932", "euc_jp", "cp949", "euc_kr",
)  # fmt: skip
#: Encodings of Python that are for names on the internet, not for files.
_OF_NAMES = ("idna", "punycode")

#: Bytes of a file by which its encoding is guessed.
_BEGINNING = 1 << 16

_VOWELS_WITHIN_WORDS = "(?<=[а-яёіїєґ])[оеаиі](?=[а-яёіїєґ])"
#: Encodings that are guessed: whose they are, what is often among the characters beyond ASCII of a text that is in
#: it, and how often at least. The first that fits is named. Few files need a guess: expressions are texts until then.
_SIGNS = (
    ("cp932", "Japanese", "[ぁ-んァ-ヶ]", 0.25),
    ("cp949", "Korean", "[가-힣]", 0.9),
    ("gb18030", "Chinese", "[的一是不了在人有我他这中大来上国个到说们为和你地]", 0.08),
    ("cp950", "Chinese", "[的一是不了在人有我他這中大來上國個到說們為和你地]", 0.08),
    ("cp1255", "Hebrew", "[א-ת]{2,}", 0.9),
    ("cp1251", "Cyrillic", _VOWELS_WITHIN_WORDS, 0.18),
    ("koi8_r", "Cyrillic", _VOWELS_WITHIN_WORDS, 0.18),
    # Letters that stand alone or in twos among those of ASCII.
    ("cp1252", "Western European", "(?<![À-ÿ])[À-ÖØ-öø-ÿ]{1,2}(?![À-ÿ])|[ŒœŠšŽžŸ–—‘’“”„…€«»°§]", 0.9),
)


def decode(data: bytes | bytearray, name: str, *, is_lines: bool = True, encoding: str | None = None) -> str:
    """Return the text of a file in UTF-8, or in UTF-16; line ends stay as they are.

    Markup, subtitles and catalogues are refused where `is_lines` says that a segment is expected per line.

    UTF-16 has a byte order mark, or makes lines of known letters in one byte order alone: other bytes do not. A user
    may name the `encoding` of files without a mark, and has named none where it is ""; None where none can be named.
    """
    _refuse_binary(data, name)
    # A mark says more than the user, who names one encoding for all files.
    named = ""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        used_encoding = "utf-16"
    elif data.startswith(BOM_UTF8):
        used_encoding = _UTF8
    else:
        named = encoding or ""
        used_encoding = named or _unmarked_utf16(data) or _UTF8
    advice = partial(_advice_on, data, name, can_be_named=encoding is not None)
    try:
        text = data.decode(used_encoding)
    except UnicodeDecodeError as error:
        found = _wrong_byte(error, name, used_encoding)
        if named:
            raise InputError(f"{found} {named}; expected that encoding, as {argument('encoding')} says.") from None
        if used_encoding == _UTF8:
            raise InputError(f"{found} UTF-8; expected {EXPECTED}. {advice()}") from None
        raise InputError(f"{found} UTF-16; expected {EXPECTED}.") from None
    if named:
        _warn_of_utf8(data, name, named)
    # A file that was decoded as plain UTF-8, and saved with a mark again, has another one.
    text = text.lstrip("\ufeff")
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        message = f"{name}, line {line}: found a NUL character; expected {EXPECTED}."
        # Every second byte of UTF-16 is NUL: with another encoding the file may be read.
        if not named and "utf-16" in advice():
            message += f" {advice()}"
        raise InputError(message)
    if "\n" not in text:
        check_line_ends(text, name)
    if is_lines:
        check_text(text, name)
    return text


def _wrong_byte(error: UnicodeDecodeError, name: str, encoding: str) -> str:
    """Return the beginning of a sentence on the byte that an encoding does not have there."""
    data = error.object
    line = data[: error.start].decode(encoding, "replace").count("\n") + 1
    return f"{name}, line {line}: found the byte 0x{data[error.start]:02x}, which is not"


def check_encoding(encoding: str) -> None:
    """Raise an OptionError for what is no encoding of texts."""
    try:
        is_encoding = codecs.lookup(encoding).name not in _OF_NAMES
        # Others, such as that of hexadecimal digits, are refused by this.
        b"a".decode(encoding)
    except UnicodeDecodeError:
        # Of more bytes for a letter.
        is_encoding = True
    except (LookupError, TypeError, ValueError):
        is_encoding = False
    if not is_encoding:
        raise OptionError(
            f"{argument('encoding')} must be the name of an encoding of texts, such as cp1252, gb18030 or shift_jis. "
            f"Got {shorten(encoding)} instead. {did_you_mean(encoding, _KNOWN)}"
        )


def drop_marks(data: bytearray) -> None:
    """Remove the byte order marks of UTF-8 from the beginning of a file."""
    while data.startswith(BOM_UTF8):
        del data[: len(BOM_UTF8)]


def _warn_of_utf8(data: bytes | bytearray, name: str, encoding: str) -> None:
    """Warn of a file that may be in UTF-8, where a user names another encoding for all files."""
    if data.isascii() or codecs.lookup(encoding).name == "utf-8":
        return
    with suppress(UnicodeDecodeError):
        data.decode("utf-8")
        warn(f"{name}: its bytes may be UTF-8; they are read as {encoding}, as {argument('encoding')} says.")


def check_line_ends(text: str, name: str) -> None:
    r"""Raise an InputError for the text of a file without ``\n`` where ``\r`` separates lines."""
    if 0 <= text.find("\r") < len(text) - 1:
        raise InputError(f"{name} has old Mac line ends (CR); expected LF or CRLF: save the file with those.")


def _refuse_binary(data: bytes | bytearray, name: str) -> None:
    """Raise an InputError for a binary or packed file, or one in UTF-32, by its first bytes."""
    check_bytes(data, name)
    if data.startswith(_GZIP):
        advice = f"rename it to {name}.gz, or unpack it"
        # A file with this extension has been unpacked once: it was gzipped twice.
        if name == STANDARD_INPUT or name.lower().endswith(".gz"):
            advice = "unpack it"
        raise InputError(f"{name} is gzipped: {advice}.")
    # Before UTF-16, whose byte order mark is the beginning of this one.
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise InputError(f"{name} is UTF-32, which is not supported; expected {EXPECTED}.")


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


def _advice_on(data: bytes | bytearray, name: str, *, can_be_named: bool) -> str:
    """Return what to do with a file that is not in UTF-8, as a sentence; `can_be_named` if an option names others."""
    saving = "save it as UTF-8"
    if re.search(r"\.(csv|tsv|tab)$", name, re.IGNORECASE):
        saving = 'save it in Excel by File > Save As as "CSV UTF-8 (Comma delimited) (*.csv)"'
    encoding, whose = _guess_encoding(data)
    if encoding:
        advice = f"Its bytes look like {encoding} ({whose}): {saving}"
        naming = f"give {argument_set('encoding', encoding)}"
    else:
        advice = f"To read it, {saving}"
        naming = f"name its encoding, as in {argument_set('encoding', 'cp1252')}"
    if not can_be_named:
        return f"{advice}."
    return f"{advice}, or {naming}."


def _guess_encoding(data: bytes | bytearray) -> tuple[str, str]:
    """Return the encoding that the first bytes of a file look like, and whose it is; "" where they look like none."""
    beginning = bytes(data[:_BEGINNING])
    if len(data) > _BEGINNING:
        beginning = beginning[: beginning.rfind(b"\n") + 1] or beginning
    for encoding, offset_of_zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        # Of each letter of ASCII, one byte is zero.
        n_zeros = beginning[offset_of_zero::2].count(0)
        if len(data) % 2 == 0 and n_zeros > len(beginning) // 4 and not beginning[1 - offset_of_zero :: 2].count(0):
            return encoding, "two bytes for each letter"
    for encoding, whose, sign, share in _SIGNS:
        try:
            text = beginning.decode(encoding)
        except UnicodeDecodeError:
            continue
        n_beyond = sum(not character.isascii() for character in text)
        n_signs = sum(len(match) for match in re.findall(sign, text))
        if n_beyond and n_signs >= share * n_beyond:
            return encoding, whose
    return "", ""
