"""How Tercom changes a text before it is split at white space, by the rules that sacrebleu made of it.

Some of its rules select other characters than they seem to, which is kept:

- Its punctuation marks are those of ASCII but the apostrophe, comma, hyphen and full stop, which have other rules.
  It sets spaces apart, too, which changes no word and takes most of the time: not done here.
- The block of enclosed letters ends at U+3F22 instead of U+32FF. The characters in between are set apart anyhow.
- A rule to set kana apart holds at the beginning of a text only. As a text begins with a space when its turn comes,
  it never holds: words in kana stay as they are. It is left out here, as is the rule for a possessive at the very
  end, where there is always a space.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARKS = re.compile(r"[!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]")
_POINT_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])-")

_CJK_MARKS = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_MARKS = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
#: Ideographs, their radicals and strokes, enclosed and compatibility forms, and the marks.
_CJK = re.compile(
    f"[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_CJK_MARKS}{_FULL_WIDTH_MARKS}]"
)
_REMOVED = re.compile(r"[.,?:;!\"()]")
_REMOVED_CJK = re.compile(f"[{_CJK_MARKS}{_FULL_WIDTH_MARKS}]")


def normalization(
    normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> Callable[[str], str] | None:
    """Return the function that separates the words of a text by spaces; None if not needed.

    Time: some ten passes of regular expressions over the text.
    """
    if not (normalized or no_punct):
        return None
    return partial(_changed, normalized, no_punct, asian_support, case_sensitive)


def _changed(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool, text: str) -> str:
    text = str.rstrip(text)  # from here on a str, whose methods do what they say
    if not case_sensitive:
        text = text.lower()
    if normalized:
        text = _normalized(text)
        if asian_support:
            text = _CJK.sub(r" \g<0> ", text)
    if no_punct:
        text = _REMOVED.sub("", text)
        if asian_support:
            text = _REMOVED_CJK.sub("", text)
    return " ".join(text.split())


def _normalized(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    text = _MARKS.sub(r" \g<0> ", f" {text} ")
    text = text.replace("'s ", " 's ")
    text = _POINT_AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _POINT_BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 - ", text)
