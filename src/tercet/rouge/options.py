"""Options of rouge_nlws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tercet.core.dialect import Dialect
from tercet.core.options import Options, flag, integer, number, one_of, option, refuse, text_or_callable

from .types import RougeType, parse_types

TOKENIZERS = ("auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none")
MEASURES = ("precision", "recall", "fmeasure")


def _check_stopwords(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(word, str) for word in value):
        return frozenset(value)
    raise refuse("a collection of words, a language code, 'smart' (the list of ROUGE-1.5.5) or None")


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeOptions(Options):
    """Options of rouge_nlws; the card describes each."""

    rouge_types: tuple[RougeType, ...] = option(parse_types(None), parse_types)
    use_aggregator: bool = option(True, flag)
    use_stemmer: bool = option(False, flag)
    tokenizer: str | Callable[[str], Iterable[str]] = option("auto", one_of(*TOKENIZERS, callables=True))
    beta: float = option(1.0, number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000))
    multi_ref: str = option("best", one_of("best", "average", "jackknife"))
    stemmer: str | Callable[[str], str] | None = option(None, text_or_callable("a language"))
    lemmatizer: str | Callable[[str], str] | None = option(None, text_or_callable("a language code"))
    stopwords: str | frozenset[str] | None = option(None, _check_stopwords)
    max_words: int | None = option(None, integer(1, none=True))
    max_bytes: int | None = option(None, integer(1, none=True))
    sentence_split: str = option("newline", one_of("newline", "auto"))
    output: str = option("fmeasure", one_of(*MEASURES, "all"))
    rounded: bool | None = option(None, one_of(None, True, False))
    compat: str | None = option(None, one_of(None, "rouge_score", "rouge155", "rouge", "rouge_chinese"))


#: How evaluate's rouge answers unless it is told otherwise.
DIALECTS = {
    "rouge_score": Dialect({"compat": "rouge_score", "rouge_types": ["rouge1", "rouge2", "rougeL", "rougeLsum"]})
}
