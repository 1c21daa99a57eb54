"""Texts -> token ids. Each tokenizer has a name for the signature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.engine.plain_text import READINGS
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError, shorten

from .corpus import Corpus
from .intern import Interned, bytes_used, intern_texts
from .mecab import MECAB_TOKENIZERS, mecab_label, split_by_mecab
from .splitters import has_blanks_alone, split_at_blanks, split_intl, split_ja, split_jieba
from .subword_models import is_subword_model, subword_label, subword_model

Splitter = Callable[[str], Iterable[str]]


def lowered_texts(texts: Any) -> Any:
    """Return the texts in lower case (:meth:`str.lower`); letters of ASCII alone are lowered all at once."""
    data, starts = bytes_used(texts)
    if data.max(initial=0) > 127:
        return _mapped(str.lower, texts)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(starts), pa.py_buffer(data.tobytes().lower()))


@cache
def _zh_pattern() -> Any:
    r"""Characters that sacrebleu's zh sets apart.

    Two of its ranges are written \u20000 to \u2a6d6 and \u2f800 to \u2fa1d, five digits after a \u that takes
    four: what they select is U+2001 to U+2A6D (curly quotes, dashes, arrows) and U+2F81 to U+2FA1.
    """
    return re.compile(
        "[\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef\u2e80-\u2eff"
        "\u2001-\u2a6d\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
        "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff]"
    )


def _by_zh(texts: Any) -> Interned:
    return intern_texts(_mapped(lambda text: _zh_pattern().sub(r" \g<0> ", text.strip()), texts), "zh")


def _by_blanks(texts: Any) -> Interned:
    """Split texts at blanks as jiwer does, for which white space of other kinds is a blank in runs alone."""
    given = texts.to_pylist()
    return intern_texts(texts, "none") if has_blanks_alone(given) else _by_python(given, split_at_blanks, False)


def _by_mecab(texts: Any, tokenizer: str) -> Interned:
    return intern_texts(_mapped(partial(split_by_mecab, tokenizer), texts), "none")


def _mapped(function: Callable[[str], str], texts: Any) -> Any:
    return pa.array([function(text) for text in texts.to_pylist()], pa.large_string())


_BYTE_TOKENIZERS: dict[str, Callable[[Any], Interned]] = {
    **{name: partial(intern_texts, reading=name) for name in READINGS if name != "zh"},
    "zh": _by_zh,
    "blanks": _by_blanks,
    **{name: partial(_by_mecab, tokenizer=name) for name in MECAB_TOKENIZERS},
}
_PYTHON_TOKENIZERS: dict[str, Splitter] = {"intl": split_intl, "ja": split_ja, "jieba": split_jieba}


def tokenizer_label(tokenizer: str | Splitter) -> str:
    """Return the name that stands for a tokenizer in a signature."""
    if isinstance(tokenizer, str):
        if tokenizer in MECAB_TOKENIZERS:
            return mecab_label(tokenizer)
        return subword_label(tokenizer) if is_subword_model(tokenizer) else tokenizer
    return getattr(tokenizer, "__qualname__", type(tokenizer).__qualname__)


def tokenize(
    batch: Corpus,
    tokenizer: str | Splitter,
    *,
    lowercase: bool = False,
    prepare: Callable[[str], str] | None = None,
    lines: bool = False,
) -> tuple[TokenBatch, Callable[[], list[str]]]:
    """Split the texts of a batch into tokens."""
    texts = batch.texts
    if prepare is not None:
        texts = _mapped(prepare, texts)
    if lowercase:
        texts = lowered_texts(texts)
    if isinstance(tokenizer, str) and tokenizer in _BYTE_TOKENIZERS:
        interned = _BYTE_TOKENIZERS[tokenizer](texts)
    elif isinstance(tokenizer, str) and is_subword_model(tokenizer):
        pieces = pa.array(subword_model(tokenizer).split(texts.to_pylist()), pa.large_string())
        interned = intern_texts(pieces, "none")
    else:
        splitter = _PYTHON_TOKENIZERS[tokenizer] if isinstance(tokenizer, str) else _checked(tokenizer)
        interned = _by_python(texts.to_pylist(), splitter, lines)
    words, lines_of = Ragged(interned.ids, interned.offsets), Ragged(interned.line_starts, interned.line_offsets)
    counts = interned.n_types, batch.first_item, batch.n_systems
    return TokenBatch(words, lines_of, batch.reference_offsets, *counts), interned.words


def _checked(tokenizer: Splitter) -> Splitter:
    name = tokenizer_label(tokenizer)

    def split(text: str) -> list[str]:
        tokens: Any = tokenizer(text)
        words: list[Any] = tokens.split() if isinstance(tokens, str) else [tokens]
        if isinstance(tokens, Iterable) and not isinstance(tokens, (str, Mapping, Set)):
            words = list(tokens)
        for word in words:
            if not isinstance(word, str):
                raise InputError(
                    f"The tokenizer {name} must return a list of strings, got {shorten(word)} for {shorten(text)}."
                )
        return words

    return split


def _by_python(texts: list[str], splitter: Splitter, lines: bool) -> Interned:
    types: dict[str, int] = {}
    ids: list[int] = []
    offsets, line_offsets = [0], [0]
    line_starts: list[int] = []
    for text in texts:
        for line in text.split("\n") if lines else (text,):
            words = splitter(line)
            start = len(ids)
            ids.extend([types.setdefault(word, len(types)) for word in words])
            if len(ids) > start:
                line_starts.append(start)
        offsets.append(len(ids))
        line_offsets.append(len(line_starts))
    of, starts, of_lines = (np.array(each, np.int64) for each in (offsets, [*line_starts, len(ids)], line_offsets))
    return Interned(np.array(ids, np.int32), of, starts, of_lines, len(types), lambda: list(types))
