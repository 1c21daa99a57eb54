"""What each reading of a text is, in plain Python: a text -> the tokens of each of its lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from string import punctuation
from typing import Any

from .character_kinds import SET_APART_BY_ZH, UNSPACED

Lines = list[list[str]]

# Of mteval-v13a.pl, WMT's script for BLEU: what is replaced first, then what stands alone.
_MTEVAL_STEPS = (("<skipped>", ""), ("-\n", ""), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MTEVAL_RULES = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),  # marks, other than ' , - . (and blanks, to no effect)
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),  # full stop and comma, unless after a digit
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),  # or unless before one
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),  # hyphen after a digit
)
_LOWER_ASCII = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def _by_mteval(text: str, strip: bool) -> Lines:
    if strip:
        text = text.rstrip()
    for sign, instead in _MTEVAL_STEPS:
        text = text.replace(sign, instead)
    return _by_mteval_rules(f" {text} ")


def _by_mteval_rules(text: str) -> Lines:
    for pattern, replacement in _MTEVAL_RULES:
        text = pattern.sub(replacement, text)
    return _words_between_blanks(text)


def _by_zh(text: str) -> Lines:
    return _by_mteval_rules(re.sub(f"[{SET_APART_BY_ZH}]", r" \g<0> ", text.strip()))


def _words_between_blanks(text: str) -> Lines:
    return [line.split() for line in text.split("\n")]


def _words_of_ascii(text: str) -> Lines:
    return [re.findall("[a-z0-9]+", line) for line in text.split("\n")]


def _by_runs_of_white(text: str) -> Lines:
    """Split at blanks as jiwer: other white space that stands alone is part of a word, a run of any is a blank."""
    return [[word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word]]


@cache
def _any_script() -> Any:
    import regex

    return regex.compile(
        rf"(?V1)[{UNSPACED}&&[\p{{L}}\p{{N}}]]\p{{M}}*"  # of a script without blanks, one with its marks
        rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]][[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]--[{UNSPACED}]]*"
    )


def words_of_chrf(text: str) -> list[str]:
    """Return words as chrF++ splits them: what is between white space, with one mark of ASCII set apart."""
    return [part for word in text.split() for part in _parted(word)]


def _parted(word: str) -> tuple[str, ...]:
    """Part a word from the mark at its end, or else at its beginning."""
    if len(word) == 1:
        return (word,)
    if word[-1] in punctuation:
        return word[:-1], word[-1]
    if word[0] in punctuation:
        return word[0], word[1:]
    return (word,)


#: How texts are read, by the names of the tokenizers. "13a-unstripped" is evaluate's, which does not strip a text's
#: right end before the textual steps.
READINGS: dict[str, Callable[[str], Lines]] = {
    "rouge": lambda text: _words_of_ascii(text.lower()),
    "rouge-script": lambda text: _words_of_ascii(text.translate(_LOWER_ASCII)),
    "none": _words_between_blanks,
    "blanks": _by_runs_of_white,
    "13a": lambda text: _by_mteval(text, strip=True),
    "13a-unstripped": lambda text: _by_mteval(text, strip=False),
    "zh": _by_zh,
    "unicode": lambda text: [_any_script().findall(line) for line in unicodedata.normalize("NFC", text).split("\n")],
    "chrf-words": lambda text: [words_of_chrf(line) for line in text.split("\n")],
    "char": lambda text: [[c for c in line if not c.isspace()] for line in text.split("\n")],
    "char-and-blank": lambda text: [list(line) for line in re.findall("[^\n]*\n|[^\n]+", text)],
}
