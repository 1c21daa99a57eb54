"""Letters that people type in several ways, each written in one: of Arabic, Persian and the scripts of India.

The rules are few, and change no word into another that is spelled otherwise by those who know the language.
"""

from __future__ import annotations

import re
import unicodedata


def _digits(*zeros: str) -> dict[int, str]:
    """Return the digits that begin with these zeros, and those of ASCII that they are."""
    return {ord(zero) + value: str(value) for zero in zeros for value in range(10)}


#: Signs of vowels that follow their letter (tashkeel), the alef above it, and the stroke that makes a word longer.
_TASHKEEL = dict.fromkeys((*range(0x064B, 0x0660), 0x0670, 0x0640))
_DIGITS_OF_ARABIC = _digits("\u0660", "\u06f0")

#: As normalizers for search have them (Lucene's ArabicNormalizer, PyArabic), but for teh marbuta, which stays.
_ARABIC = {
    **_TASHKEEL,
    **_DIGITS_OF_ARABIC,
    **str.maketrans("\u0622\u0623\u0625\u0671", "\u0627" * 4),  # alef with madda, hamza, wasla
    **str.maketrans("\u0649\u06cc", "\u064a" * 2),  # yeh without dots, and Persian's
    **str.maketrans("\u06a9\u06aa", "\u0643" * 2),  # kaf of Persian and Sindhi
}


def arabic(text: str) -> str:
    """Return a text without signs of vowels, with one alef, one yeh, one kaf, and the digits of ASCII."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_ARABIC)


#: As Lucene's PersianNormalizer and Hazm have them, with the letters of Persian.
_PERSIAN = {
    **_TASHKEEL,
    **_DIGITS_OF_ARABIC,
    **str.maketrans("\u0649\u064a", "\u06cc" * 2),  # yeh of Arabic
    **str.maketrans("\u0643", "\u06a9"),  # kaf of Arabic
    **str.maketrans("\u06c0\u06c1", "\u0647" * 2),  # heh with yeh above, and Urdu's
}
#: A half-space that parts nothing, at the edge of a word.
_NEEDLESS_HALF_SPACE = "(?:(?<=\\s)|\\A)\u200c|\u200c(?=\\s|\\Z)"


def persian(text: str) -> str:
    """Return a text with Persian's yeh and kaf, the digits of ASCII, and half-spaces within words only."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    text = re.sub("\u200c+", "\u200c", text)
    text = re.sub(_NEEDLESS_HALF_SPACE, "", text)
    return text.translate(_PERSIAN)


#: The zero of each script of India.
_DIGITS_OF_INDIA = _digits(*"\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66")
#: Letters without a vowel that have a character of their own, and how they were written before (Unicode, chapter 12).
_FINAL_LETTERS = {
    "\u0d23\u0d4d\u200d": "\u0d7a",  # Malayalam's chillu letters
    "\u0d28\u0d4d\u200d": "\u0d7b",
    "\u0d30\u0d4d\u200d": "\u0d7c",
    "\u0d32\u0d4d\u200d": "\u0d7d",
    "\u0d33\u0d4d\u200d": "\u0d7e",
    "\u0d15\u0d4d\u200d": "\u0d7f",
    "\u09a4\u09cd\u200d": "\u09ce",  # Bengali's khanda ta
}
#: Vowels that were typed as another one with a sign (Unicode, "Vowel Letters" of each script).
_VOWELS = {
    "\u0905\u093e": "\u0906",
    "\u0905\u094b": "\u0913",
    "\u0905\u094c": "\u0914",
    "\u090f\u0947": "\u0910",
    "\u0985\u09be": "\u0986",
    "\u0a05\u0a3e": "\u0a06",
    "\u0a85\u0abe": "\u0a86",
}
_OF_ONE_CHARACTER = {**_FINAL_LETTERS, **_VOWELS}


def indic(text: str) -> str:
    """Return a text of a script of India with one way to write a letter, a danda for a bar, and digits of ASCII.

    Joiners only choose a shape and go, as in the normalizers of the Indic NLP Library.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    for written, character in _OF_ONE_CHARACTER.items():
        text = text.replace(written, character)
    text = re.sub("[\u200c\u200d]", "", text)
    text = re.sub(r"(?<=[\u0900-\u0d7f])(\s*)\|\|", "\\1\u0965", text)
    text = re.sub(r"(?<=[\u0900-\u0d7f])(\s*)\|", "\\1\u0964", text)
    return text.translate(_DIGITS_OF_INDIA)
