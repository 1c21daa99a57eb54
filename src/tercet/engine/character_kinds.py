"""What a character is to the tokenizer "unicode", and what is in the compiled engine's table of characters.

The table is filled as characters are met, so that it is of the version of Unicode that Python and `regex` have.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

_EXTENDERS = r"\u3005-\u3007\u3031-\u3035\u303c\u30fc\uff70\uff9e\uff9f"  # letters of no script of their own
#: Scripts that are written without blanks, as the inside of a set of the package regex.
UNSPACED = _EXTENDERS + r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"

#: Characters that sacrebleu's zh sets apart, as the inside of a set of `re`: ranges alone. Two of sacrebleu's are
#: written \u20000 to \u2a6d6 and \u2f800 to \u2fa1d, five digits after a \u that takes four: what they select is
#: U+2001 to U+2A6D (curly quotes, dashes, arrows) and U+2F81 to U+2FA1.
SET_APART_BY_ZH = (
    "\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef\u2e80-\u2eff"
    "\u2001-\u2a6d\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff"
)

# Kinds: the lowest three bits of an entry. Any other character separates words.
APART = 0
LETTER = 1  # letter or digit of a script with blanks
CHARACTER_MARK = 2  # mark of such a script, or of all: begins a word where none is open
JOINER = 3  # goes on with a word of such letters
ALONE = 4  # letter or digit of a script without blanks: a token with the marks after it
MARK_ALONE = 5  # mark of such a script: only after a token of that kind
# The other bits.
UNCOMPOSED = 8  # NFC may change it, or the characters around it
COUNTED = 16  # a letter or mark, as `letters` counts them
WITHOUT_BLANKS = 32  # of a script that is written without blanks, by its name
KNOWN = 128  # an entry that has been made

# First letters of the Unicode names of characters of scripts that are written without blanks.
_WITHOUT_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC")


def entry(point: int) -> int:
    """Return the entry of the table for a character."""
    character = chr(point)
    kind = next((kind for kind, pattern in _kinds() if pattern.match(character)), APART)
    flags = UNCOMPOSED * may_be_changed(character) | COUNTED * is_counted(character)
    return KNOWN | kind | flags | WITHOUT_BLANKS * is_without_blanks(character)


def is_counted(character: str) -> bool:
    """Return whether a character is a letter or a mark."""
    return unicodedata.category(character)[0] in "LM"


def is_without_blanks(character: str) -> bool:
    """Return whether a letter is of a script that is written without blanks."""
    return unicodedata.name(character, "").startswith(_WITHOUT_BLANKS)


def may_be_changed(character: str) -> bool:
    """Return whether NFC may change a character, or join it with those around it, or move it."""
    if unicodedata.category(character)[0] == "M" or unicodedata.normalize("NFC", character) != character:
        return True
    return _not_always_composed().match(character) is not None


@cache
def _not_always_composed() -> Any:
    import regex

    return regex.compile(r"\P{NFC_Quick_Check=Yes}")


@cache
def _kinds() -> tuple[tuple[int, Any], ...]:
    import regex

    kinds = {
        ALONE: rf"[{UNSPACED}&&[\p{{L}}\p{{N}}]]", MARK_ALONE: rf"[{UNSPACED}&&\p{{M}}]",
        LETTER: r"[\p{L}\p{N}]", CHARACTER_MARK: r"\p{M}", JOINER: r"[\u200c\u200d]",
    }  # fmt: skip
    return tuple((kind, regex.compile(f"(?V1){pattern}")) for kind, pattern in kinds.items())
