"""Tokenizers that are Python functions: a text -> its tokens; and the packages that only some of them need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from tercet.errors import needs


def optional_package(module: str, tokenizer: str, package: str = "") -> Any:
    """Return a module that a tokenizer needs."""
    needs(f"The tokenizer {tokenizer!r}", "languages", module, package=package)
    return import_module(module)


@cache
def _intl_patterns() -> tuple[tuple[Any, str], ...]:
    import regex

    return (
        (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
        (regex.compile(r"\p{S}"), r" \g<0> "),
    )


def split_intl(text: str) -> list[str]:
    """Split as mteval-v14 with --international-tokenization (sacrebleu's intl); the right end is stripped first."""
    text = text.rstrip()
    for pattern, replacement in _intl_patterns():
        text = pattern.sub(replacement, text)
    return text.split()


#: White space other than blanks.
_WHITE = [char for char in map(chr, range(0x3001)) if char.isspace() and char != " "]


def has_blanks_alone(texts: Iterable[str]) -> bool:
    """Return whether there is no white space but blanks: texts are then split the same at any."""
    joined = "".join(texts)
    return not any(each in joined for each in _WHITE)


def split_at_blanks(text: str) -> list[str]:
    """Split at blanks as jiwer: other white space that stands alone is part of a word, a run of any is a blank."""
    return [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word]


_MECAB_LIMIT = 100_000  # characters; MeCab's stack overflows at about a million


@cache
def _ja_tagger() -> Any:
    fugashi = optional_package("fugashi", "ja")
    unidic = optional_package("unidic_lite", "ja", "unidic-lite")
    return fugashi.Tagger(f"-d {unidic.DICDIR} -r {unidic.DICDIR}/dicrc -Owakati")


def split_ja(text: str) -> list[str]:
    """Split Japanese into words by MeCab with the dictionary unidic-lite."""
    tagger, words = _ja_tagger(), []
    for line in text.replace("\0", " ").splitlines():
        for start in range(0, len(line), _MECAB_LIMIT):
            words += tagger.parse(line[start : start + _MECAB_LIMIT].strip()).split()
    return words


def split_jieba(text: str) -> list[str]:
    """Split Chinese into words by jieba."""
    jieba = optional_package("jieba", "jieba")
    jieba.setLogLevel("WARNING")
    return [word for word in jieba.lcut(text) if not word.isspace()]
