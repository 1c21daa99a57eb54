"""Texts -> token ids. Each tokenizer has a name for the signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache
from typing import Any

from tercet.engine.chosen import engine
from tercet.engine.plain_readings import READINGS
from tercet.engine.plain_text import is_valid
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError, shorten
from tercet.option_checks import has_entries

from .corpus import Corpus, bytes_used, encode, intern_texts
from .mecab import MECAB_TOKENIZERS, mecab_label, split_by_mecab, split_ja
from .subword_models import SACREBLEU_MODELS, is_subword_model, subword_model
from .tokenizer_packages import optional_package

Splitter = Callable[[str], Iterable[str]]
_ToWords = Callable[[str], list[str]]

# Tokenizers that are Python functions: a text -> its tokens.


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


@cache
def _jieba() -> Any:
    jieba = optional_package("jieba", "jieba")
    jieba.setLogLevel("WARNING")
    return jieba


def _split_jieba(text: str) -> list[str]:
    """Split Chinese into words by jieba."""
    return [word for word in _jieba().lcut(text) if not word.isspace()]


_PYTHON_TOKENIZERS: dict[str, _ToWords] = {"intl": split_intl, "ja": split_ja, "jieba": _split_jieba}


def tokenizer_label(tokenizer: str | Splitter) -> str:
    """Return the name that stands for a tokenizer in a signature."""
    if isinstance(tokenizer, str):
        if tokenizer in MECAB_TOKENIZERS:
            return mecab_label(tokenizer)
        if is_subword_model(tokenizer):
            # Equal files have equal names, others do not.
            name = tokenizer if tokenizer in SACREBLEU_MODELS else "spm"
            return f"{name}[{subword_model(tokenizer).digest}]"
        return tokenizer
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
    if isinstance(tokenizer, str) and tokenizer in READINGS:
        texts = batch.texts
        if prepare is not None:
            texts = encode([prepare(text) for text in texts.to_pylist()])
        interned = intern_texts(lowered_texts(texts) if lowercase else texts, tokenizer)
        words = interned.words
    else:
        split, stand_ins = split_texts(batch, tokenizer, lowercase=lowercase, prepare=prepare, lines=lines)
        interned = intern_texts(encode(split), "none")
        token_of_word = {word: token for token, word in stand_ins.items()}

        def words() -> list[str]:
            return [token_of_word.get(word, word) for word in interned.words()]

    batch_tokens = TokenBatch(
        Ragged(interned.ids, interned.offsets),
        Ragged(interned.line_starts, interned.line_offsets),
        batch.reference_offsets,
        interned.n_types,
        batch.first_item,
        batch.n_systems,
    )
    return batch_tokens, words


def lowered_texts(texts: Any) -> Any:
    """Return the texts in lower case (:meth:`str.lower`); letters of ASCII alone are lowered all at once."""
    data, starts = bytes_used(texts)
    if data.max(initial=0) > 127:
        return encode(engine.lowered(texts.to_pylist()))
    import pyarrow as pa

    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(starts), pa.py_buffer(data.tobytes().lower()))


def changed_strings(
    batch: Corpus, *, lowercase: bool = False, prepare: Callable[[str], str] | None = None
) -> list[str]:
    """Return the texts of a batch as strings, changed by `prepare` and then in lower case, if these are asked for."""
    strings = batch.strings
    texts: list[str] = batch.texts.to_pylist() if strings is None else [*strings[0], *strings[1]]
    if prepare is not None:
        texts = list(map(prepare, texts))
    return engine.lowered(texts) if lowercase else texts


def split_texts(
    batch: Corpus,
    tokenizer: str | Splitter,
    *,
    lowercase: bool = False,
    prepare: Callable[[str], str] | None = None,
    lines: bool = False,
) -> tuple[list[str], Mapping[str, str]]:
    """Return the texts of a batch with blanks between their tokens, as the reading "none" of the engine splits them.

    Also return which words stand for tokens, of texts with some that hold white space or that it could not read.
    """
    texts = changed_strings(batch.checked(), lowercase=lowercase, prepare=prepare)
    if isinstance(tokenizer, str) and is_subword_model(tokenizer):
        return subword_model(tokenizer).split(texts), {}
    words: dict[str, str] = {}
    if not isinstance(tokenizer, str):
        # A user's function gets equal texts, too.
        splitter = _with_checked_tokens(tokenizer)
        return [_split(text, splitter, words, lines) for text in texts], words
    different = dict.fromkeys(texts, "")
    for text in different:
        if tokenizer in MECAB_TOKENIZERS:
            different[text] = split_by_mecab(tokenizer, text)
        else:
            different[text] = _split(text, _PYTHON_TOKENIZERS[tokenizer], words, lines)
    return [different[text] for text in texts], words


#: A word begins with it that stands for a token: a character that no text should have.
_STAND_IN = "\ufdd0"


def _split(text: str, splitter: _ToWords, words: dict[str, str], lines: bool) -> str:
    """Return a text, or each of its lines, with blanks between its tokens."""
    if lines and "\n" in text:
        return "\n".join([_split(line, splitter, words, False) for line in text.split("\n")])
    tokens = splitter(text)
    joined = " ".join(tokens)
    if _is_read_as(joined, tokens):
        return joined
    for token in dict.fromkeys(tokens):
        if token not in words:
            words[token] = token if _is_read_as(token, [token]) else f"{_STAND_IN}{len(words)}"
    return " ".join([words[token] for token in tokens])


def _is_read_as(text: str, tokens: list[str]) -> bool:
    return text.split() == tokens and _STAND_IN not in text and is_valid(text)


def _with_checked_tokens(tokenizer: Splitter) -> _ToWords:
    name = tokenizer_label(tokenizer)

    def split(text: str) -> list[str]:
        tokens: Any = tokenizer(text)
        if type(tokens) is list and engine.all_strings(tokens):
            return tokens
        words: list[Any] = tokens.split() if isinstance(tokens, str) else [tokens]
        if has_entries(tokens) and not isinstance(tokens, (str, Mapping, Set)):
            words = list(tokens)
        for word in words:
            if not isinstance(word, str):
                raise InputError(
                    f"The tokenizer {name} must return a list of strings, got {shorten(word)} for {shorten(text)}."
                )
        return words

    return split
