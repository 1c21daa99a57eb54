"""Stems, lemmas and stop-words: applied to the different words of a corpus only, never to every token."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache, lru_cache
from importlib.util import find_spec
from math import ceil
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError, OptionError, did_you_mean, needs, shorten
from tercet.option_checks import refuse
from tercet.signature import digest

from .tokenizers import tokenizer_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

WordMap = Callable[[str], str]

_SNOWBALL_CODES = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french",
    "de": "german", "hu": "hungarian", "it": "italian", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "es": "spanish", "sv": "swedish",
}  # fmt: skip

# pymorphy3 takes off prefix after prefix, in every way: longer words may take minutes, or more stack than there is.
_LONGEST_OF_PYMORPHY = 40


def stemmer_for(stemmer: str | WordMap) -> WordMap:
    """Return the function that stems one lower-cased word."""
    if callable(stemmer):
        return _with_checked_words("stemmer", stemmer)
    if stemmer == "porter":
        return _porter
    return _snowball(_SNOWBALL_CODES.get(stemmer, stemmer))


@lru_cache(maxsize=1 << 18)
def _porter(word: str) -> str:
    # As in rouge_score, words of up to three letters keep their capitals, too.
    return engine.porter(word.lower()) if len(word) > 3 else word


@cache
def _snowball(language: str) -> WordMap:
    needs("The 'stemmer' option", "languages", "nltk")
    from nltk.stem.snowball import SnowballStemmer

    if language not in _SNOWBALL_CODES.values():
        languages = ["porter", *_SNOWBALL_CODES, *_SNOWBALL_CODES.values()]
        raise OptionError(
            f"The 'stemmer' option knows no language {shorten(language)}. {did_you_mean(language, languages)}"
        )
    return lru_cache(maxsize=1 << 18)(SnowballStemmer(language).stem)


def lemmatizer_for(lemmatizer: str | WordMap) -> WordMap:
    """Return the function that gives the lemma of one word."""
    if callable(lemmatizer):
        return _with_checked_words("lemmatizer", lemmatizer)
    if _by_pymorphy(lemmatizer):
        return _pymorphy()
    return _simplemma(lemmatizer)


@cache
def _pymorphy() -> WordMap:
    import pymorphy3

    analyzer = pymorphy3.MorphAnalyzer(lang="ru")

    def lemma(word: str) -> str:
        if len(word) > _LONGEST_OF_PYMORPHY:
            return word.lower()
        return str(analyzer.parse(word)[0].normal_form).lower()

    return lru_cache(maxsize=1 << 18)(lemma)


@cache
def _simplemma(language: str) -> WordMap:
    needs("The 'lemmatizer' option", "languages", "simplemma")
    import simplemma

    def lemma(word: str) -> str:
        return str(simplemma.lemmatize(word, lang=language)).lower()

    # simplemma refuses a language only when it is asked for a lemma.
    try:
        lemma("a")
    except Exception:
        raise OptionError(
            f"The 'lemmatizer' option takes a language code that simplemma knows, such as 'en' or 'ru', or a "
            f"callable. Got {shorten(language)} instead."
        ) from None
    return lru_cache(maxsize=1 << 18)(lemma)


def stemmer_label(stemmer: str | WordMap | None) -> str | None:
    """Return the name that stands for a stemmer in a signature: ``ru`` and ``russian`` are one."""
    if stemmer is None:
        return None
    if isinstance(stemmer, str):
        return _SNOWBALL_CODES.get(stemmer, stemmer)
    return tokenizer_label(stemmer)


def lemmatizer_label(lemmatizer: str | WordMap | None) -> str | None:
    """Return the name of a lemmatizer in a signature: a language, and the package that knows its lemmas."""
    if lemmatizer is None:
        return None
    if not isinstance(lemmatizer, str):
        return tokenizer_label(lemmatizer)
    package = "pymorphy3" if _by_pymorphy(lemmatizer) else "simplemma"
    return f"{lemmatizer}({package})"


def _by_pymorphy(language: str) -> bool:
    """Return whether pymorphy3 makes the lemmas: of Russian, where it is installed."""
    return language == "ru" and find_spec("pymorphy3") is not None


def _with_checked_words(option: str, function: WordMap) -> WordMap:
    def apply(word: str) -> str:
        mapped: Any = function(word)
        if not isinstance(mapped, str):
            raise InputError(f"The {option} must return a string, got {shorten(mapped)} for {word!r}.")
        return mapped

    return apply


def stopwords_for(stopwords: str | Collection[str]) -> frozenset[str]:
    """Return stop-words: those given, or the list of the package stop-words for a language code."""
    if not isinstance(stopwords, str):
        return frozenset(stopwords)
    needs("A language code for the 'stopwords' option", "languages", "stop_words", package="stop-words")
    import stop_words

    try:
        return frozenset(stop_words.get_stop_words(stopwords))
    except stop_words.StopWordError:
        raise OptionError(
            f"The 'stopwords' option must be a collection of words or one of the language codes "
            f"{', '.join(sorted(stop_words.LANGUAGE_MAPPING))}. Got {shorten(stopwords)} instead."
        ) from None


def map_words(
    tokens: TokenBatch, words: list[str], mapping: WordMap | None, stopwords: Collection[str] = ()
) -> tuple[TokenBatch, Callable[[], list[str]]]:
    """Drop stop-words and give words that map to the same stem or lemma the same id.

    Returns the tokens, and a callable that gives the list of the different stems by id, as `tokenize` does.
    Cost: one call of `mapping` for each different word, one array lookup for each token.
    """
    stems: dict[str, int] = {}
    stem = str if mapping is None else mapping
    dropped = frozenset(stopwords)
    # The number of a stop-word is -1.
    numbers = []
    for word in words:
        numbers.append(-1 if word in dropped else stems.setdefault(stem(word), len(stems)))
    ids = np.array(numbers, np.int32)[tokens.tokens.values]
    merged = replace(tokens, tokens=Ragged(ids, tokens.tokens.offsets), n_types=len(stems))
    if -1 in numbers:
        merged = _without_dropped(merged)
    return merged, lambda: list(stems)


def texts_of_tokens(tokens: TokenBatch) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts with a word for each token, as a column, which the reading "none" of the engine finds.

    Words are numbers in base 64, all of the same length.
    """
    ids = tokens.tokens.values
    n_digits = max(1, ceil((tokens.n_types - 1).bit_length() / 6))
    words = np.full((len(ids), n_digits + 1), ord(" "), np.uint8)
    for digit in range(n_digits):
        words[:, digit] = ord("0") + (ids >> 6 * digit & 63)
    starts = (n_digits + 1) * tokens.tokens.offsets
    return words.reshape(-1), starts


def _without_dropped(tokens: TokenBatch) -> TokenBatch:
    is_counted = tokens.tokens.values >= 0
    counted_before = np.append(0, np.cumsum(is_counted))
    starts = counted_before[tokens.lines.values]
    # A line of stop-words alone is no line.
    filled = np.append(np.diff(starts) > 0, True)
    lines_before = np.append(0, np.cumsum(filled[:-1]))
    return replace(
        tokens,
        tokens=Ragged(tokens.tokens.values[is_counted], counted_before[tokens.tokens.offsets]),
        lines=Ragged(starts[filled], lines_before[tokens.lines.offsets]),
    )


def word_map(options: Any) -> WordMap | None:
    """Return the function of the options 'stemmer' and 'lemmatizer'; None if neither is given."""
    if options.stemmer is not None:
        return stemmer_for(options.stemmer)
    if options.lemmatizer is not None:
        return lemmatizer_for(options.lemmatizer)
    return None


def check_stopwords(value: Any, further_name: str = "") -> Any:
    """Check the option 'stopwords': a collection of words, the name of a list (or `further_name`), or None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(word, str) for word in value):
        return frozenset(value)
    names = f"a language code, {further_name}" if further_name else "a language code"
    raise refuse(f"a collection of words, {names} or None")


def stopwords_label(stopwords: str | Collection[str] | None) -> str | None:
    """Return the name of stop-words in a signature: that of a list, or a digest of the given words."""
    if stopwords is None or isinstance(stopwords, str):
        return stopwords
    return digest(sorted(stopwords))
