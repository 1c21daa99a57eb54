"""Encodings of texts besides UTF-8: those that a user may name, and what the bytes of a file look like."""

from __future__ import annotations

import codecs
import re

from tercet.errors import OptionError, argument, argument_set, did_you_mean, shorten

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


def advice_on(data: bytes | bytearray, name: str, *, can_be_named: bool) -> str:
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
