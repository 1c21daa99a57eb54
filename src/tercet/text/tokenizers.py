"""Texts -> token ids. Each tokenizer has a name that stands in the signature."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import Ragged, TokenBatch
from tercet.errors import InputError, shorten

from .characters import intern_characters, intern_chrf_words
from .edge_kernels import BLANKS, LOWER_WORDS, MTEVAL, MTEVAL_ENDS
from .intern import Interned, intern_bytes
from .mecab import MECAB_TOKENIZERS, mecab_label, split_by_mecab
from .splitters import split_intl, split_ja, split_jieba
from .subword_models import is_subword_model, subword_label, subword_model
from .unicode_words import is_composed, unicode_words

Splitter = Callable[[str], Iterable[str]]


def bytes_of(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of an Arrow column of texts (not a copy), and where each text begins."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    return np.frombuffer(data if data is not None else b"", np.uint8), starts


def bytes_used(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the same without what lies before and behind a slice."""
    data, starts = bytes_of(texts)
    return data[starts[0] : starts[-1]], starts - starts[0]


def lowered(texts: Any) -> Any:
    """Return the texts in lower case (:meth:`str.lower`); letters of ASCII alone are lowered all at once."""
    data, starts = bytes_used(texts)
    if data.max(initial=0) > 127:
        return _mapped(str.lower, texts)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(starts), pa.py_buffer(data.tobytes().lower()))


def _contains(data: NDArray[np.uint8], *needles: bytes) -> bool:
    """Return whether any of the needles stands in the bytes; their last byte alone is looked for first."""
    view = data.tobytes()
    return any(needle[-1:] in view and needle in view for needle in needles)


def _by_rouge(texts: Any, lower: bool = True) -> Interned:
    data, starts = bytes_of(texts)
    outside_ascii = data.max(initial=0) > 127
    if (
        lower and outside_ascii and _contains(data, "\u0130".encode(), "\u212a".encode())
    ):  # lower-cased, they are inside
        data, starts = bytes_of(_mapped(str.lower, texts))
    return intern_bytes(data, starts, LOWER_WORDS)


def _by_whitespace(texts: Any) -> Interned:
    return intern_bytes(*bytes_of(texts), BLANKS)


def _by_unicode(texts: Any) -> Interned:
    data, starts = bytes_used(texts)
    if data.max(initial=0) > 127 and not is_composed(data.tobytes().decode()):
        data, starts = bytes_used(_mapped(partial(unicodedata.normalize, "NFC"), texts))
    return unicode_words(data, starts)


_CHANGED_BY_13A = (b"&", b"<skipped>", b"-\n")


def _by_13a(texts: Any, strip: bool = True) -> Interned:
    data, starts = bytes_of(texts)
    if _contains(data, *_CHANGED_BY_13A):
        data, starts = bytes_of(_mapped(lambda text: _unescaped(text, strip), texts))
    return intern_bytes(data, starts, MTEVAL)


def _unescaped(text: str, strip: bool) -> str:
    """Apply the textual steps of mteval-v13a; strip the right end first, as sacrebleu does."""
    text = (text.rstrip() if strip else text).replace("<skipped>", "").replace("-\n", "")
    for entity, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, sign)
    return text


def _by_zh(texts: Any) -> Interned:
    pattern = _zh_pattern()
    spaced = _mapped(lambda text: pattern.sub(r" \g<0> ", text.strip()), texts)
    return intern_bytes(*bytes_of(spaced), MTEVAL_ENDS)


@cache
def _zh_pattern() -> Any:
    r"""Characters that sacrebleu's zh sets apart.

    Two of its ranges are written \u20000 to \u2a6d6 and \u2f800 to \u2fa1d, five digits behind a \u that takes
    four: what they select is U+2001 to U+2A6D (curly quotes, dashes, arrows) and U+2F81 to U+2FA1.
    """
    return re.compile(
        "[\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef\u2e80-\u2eff"
        "\u2001-\u2a6d\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
        "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff]"
    )


def _by_mecab(texts: Any, tokenizer: str) -> Interned:
    return _by_whitespace(_mapped(partial(split_by_mecab, tokenizer), texts))


def _by_subwords(texts: Any, tokenizer: str) -> Interned:
    return _by_whitespace(pa.array(subword_model(tokenizer).split(texts.to_pylist()), pa.large_string()))


def _mapped(function: Callable[[str], str], texts: Any) -> Any:
    return pa.array([function(text) for text in texts.to_pylist()], pa.large_string())


_BYTE_TOKENIZERS: dict[str, Callable[[Any], Interned]] = {
    "rouge": _by_rouge,
    "rouge-script": lambda texts: _by_rouge(texts, lower=False),
    "13a": _by_13a,
    "13a-unstripped": lambda texts: _by_13a(texts, strip=False),
    "zh": _by_zh,
    "none": _by_whitespace,
    "unicode": _by_unicode,
    "char": lambda texts: intern_characters(*bytes_of(texts)),
    "char-and-blank": lambda texts: intern_characters(*bytes_of(texts), with_blanks=True),
    "chrf-words": lambda texts: intern_chrf_words(*bytes_of(texts)),
    **{name: partial(_by_mecab, tokenizer=name) for name in MECAB_TOKENIZERS},
}
_PYTHON_TOKENIZERS: dict[str, Splitter] = {
    "intl": split_intl,
    "ja": split_ja,
    "jieba": split_jieba,
}


class PlainReading(NamedTuple):
    """How a tokenizer reads the bytes of texts that need nothing else.

    Attributes
    ----------
    reading : int
        As :func:`.intern.intern_bytes` takes it.
    changed : tuple of bytes
        Texts in which one of them stands are changed before they are split.
    foreign : pattern of bytes
        What stands in texts whose letters must be looked at first.
    """

    reading: int
    changed: tuple[bytes, ...]
    foreign: re.Pattern[bytes]


#: Characters from U+0800 on, but for punctuation and signs such as the euro's (U+2000 to U+213F). Below, there are
#: only scripts with blanks: Latin, Greek, Cyrillic, Hebrew, Arabic.
_OF_MANY_SCRIPTS = re.compile(rb"[\xe0\xe1\xe3-\xff]|\xe2[^\x80-\x84]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def plain_reading(tokenizer: str) -> PlainReading:
    """Return how the tokenizer 13a, none or rouge reads most texts."""
    if tokenizer == "13a":
        return PlainReading(MTEVAL, _CHANGED_BY_13A, _OF_MANY_SCRIPTS)
    if tokenizer == "none":
        return PlainReading(BLANKS, (), _OF_MANY_SCRIPTS)
    return PlainReading(LOWER_WORDS, (), _BEYOND_ASCII)


def tokenizer_label(tokenizer: str | Splitter) -> str:
    """Return the name that stands for a tokenizer in a signature.

    Raises
    ------
    OptionError
        For a tokenizer of sacrebleu whose package or file is missing: what is in them is part of its name.
    """
    if isinstance(tokenizer, str):
        if tokenizer in MECAB_TOKENIZERS:
            return mecab_label(tokenizer)
        return subword_label(tokenizer) if is_subword_model(tokenizer) else tokenizer
    return getattr(tokenizer, "__qualname__", type(tokenizer).__qualname__)


def tokenize(
    batch: Batch,
    tokenizer: str | Splitter,
    *,
    lowercase: bool = False,
    prepare: Callable[[str], str] | None = None,
    lines: bool = False,
) -> tuple[TokenBatch, Callable[[], list[str]]]:
    """Split the texts of a batch into tokens.

    Parameters
    ----------
    batch : Batch
    tokenizer : str or callable
        A name (rouge, 13a, intl, zh, ja, jieba, ja-mecab, ko-mecab, char, unicode, none), the name or path of a
        SentencePiece model, or a function from a text to its tokens.
    lowercase : bool
        Lower-case every text first (:meth:`str.lower`).
    prepare : callable, optional
        A function applied to every text before that, such as a cut.
    lines : bool
        Keep line ends: tokenizers that are Python functions then get one line at a time.

    Returns
    -------
    tokens : TokenBatch
    words : callable
        Gives the list of the different tokens, by id.

    Raises
    ------
    InputError
        When a callable returns anything else than strings.
    """
    texts = batch.texts
    if prepare is not None:
        texts = _mapped(prepare, texts)
    if lowercase:
        texts = lowered(texts)
    if isinstance(tokenizer, str) and tokenizer in _BYTE_TOKENIZERS:
        interned = _BYTE_TOKENIZERS[tokenizer](texts)
    elif isinstance(tokenizer, str) and is_subword_model(tokenizer):
        interned = _by_subwords(texts, tokenizer)
    else:
        splitter = _PYTHON_TOKENIZERS[tokenizer] if isinstance(tokenizer, str) else _checked(tokenizer)
        interned = _by_python(texts.to_pylist(), splitter, lines)
    tokens = TokenBatch(
        Ragged(interned.ids, interned.offsets),
        Ragged(interned.line_starts, interned.line_offsets),
        batch.reference_offsets,
        interned.n_types,
        batch.first_item,
    )
    return tokens, interned.words


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
    return Interned(
        np.array(ids, np.int32),
        np.array(offsets, np.int64),
        np.array([*line_starts, len(ids)], np.int64),
        np.array(line_offsets, np.int64),
        len(types),
        lambda: list(types),
    )
