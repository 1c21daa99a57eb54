"""How many texts the page takes, how long ones, and how long it keeps files: so that nobody waits for long."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from tercet.engine.chosen import engine
from tercet.errors import InputError

#: Most bytes of a file, and of any request.
MOST_BYTES = 10 << 20
#: Seconds from the last use of a file until it is deleted.
KEPT_SECONDS = 600
#: Most bytes of a workbook, which is an archive, when it is unpacked.
MOST_UNPACKED = 50 << 20
#: Most characters of a text on the page, whose matches are drawn; of any text; and of all texts of a call.
TEXT_CHARACTERS = 10_000
_LONG_CHARACTERS = 20_000
ALL_CHARACTERS = 5_000_000
#: Most products of the tokens of a prediction and its references, and of their lines, which count so many times: what
#: edits and subsequences take time for, two seconds at most; and in plain Python, where pairs of words take gigabytes
#: as well.
_MOST_PRODUCTS = 1_000_000_000 if engine.__name__ == "tercet.engine._engine" else 30_000_000
_LINES = 10
#: Most pairs of equal tokens: ROUGE-W takes 5 to 25 ns for each, once for every type that is asked for.
_MOST_MATCHES = 200_000_000
#: Most characters of an item in the mean; and where texts are compared with nothing: a language model reads them
#: whole, while those that compare by a network read what it takes at a time.
_MEAN_CHARACTERS = 1000
_MEAN_CHARACTERS_ALONE = 150
# Words, and each character of scripts without blanks.
_TOKENS = re.compile(r"[^\W\u0e00-\U0010ffff]+|\S")
# The words of ROUGE, which splits at all other letters.
_ASCII_TOKENS = re.compile(r"[a-zA-Z0-9]+")
#: Tokenizers that look for words of a dictionary, and most squares of the lengths of stretches without blanks or
#: marks: what they take time for.
_BY_DICTIONARY = ("ja", "jieba")
_MOST_SQUARES = 200_000_000
_BREAKS = re.compile(r"\s+|(?<=\w)[^\w\s]{1,3}(?=\w)")
#: Most systems that are compared: every two of them are tested.
MOST_SYSTEMS = 20
#: Most characters of a picture: a browser shows it at once, and a heat map of as many tokens takes seconds.
MOST_DRAWN = 3 << 20


def check_size(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]] | None,
    options: Mapping[str, Any],
    most_items: int,
) -> None:
    """Raise an InputError for more texts than a page takes, or for longer ones.

    Of several systems, the predictions of all of them are counted, and the references for each.
    """
    n_items = len(predictions)
    tokenizer = options.get("tokenizer")
    if n_items > most_items:
        raise InputError(
            f"{n_items:,} items are more than the {most_items:,} that this page takes: load the metric and score "
            "them on your own machine."
        )
    texts = list(predictions)
    mean = _MEAN_CHARACTERS_ALONE
    # Where there are no references, a text stands in for them: a model reads each of its tokens beside the others.
    targets: Sequence[Sequence[str]] = [[text] for text in predictions]
    if references is not None:
        texts += chain.from_iterable(references)
        mean = _MEAN_CHARACTERS
        targets = references
    longest = max(map(len, texts), default=0)
    if longest > _LONG_CHARACTERS:
        raise InputError(f"A text has {longest:,} characters; this page takes texts of up to {_LONG_CHARACTERS:,}.")
    n_characters = sum(map(len, texts))
    most = min(ALL_CHARACTERS, mean * most_items)
    n_products = 0
    for prediction, compared in zip(predictions, targets, strict=True):
        n_products += _n_tokens(prediction, tokenizer) * sum(_n_tokens(text, tokenizer) for text in compared)
        n_products += _LINES * prediction.count("\n") * sum(text.count("\n") for text in compared)
    if n_characters > most or n_products > _MOST_PRODUCTS:
        raise InputError(
            f"The texts have {n_characters:,} characters; this page accepts up to {most:,}, and "
            "fewer when single texts are long."
        )
    n_weighted = sum(kind.startswith("rougeW") for kind in options.get("rouge_types", ()))
    # There are at most as many matches as products: below the limit, none need be counted.
    if n_weighted * n_products > _MOST_MATCHES:
        _check_matches(predictions, targets, tokenizer, n_weighted)
    if tokenizer in _BY_DICTIONARY:
        _check_stretches(texts, tokenizer)


def _check_matches(
    predictions: Sequence[str], targets: Sequence[Sequence[str]], tokenizer: Any, n_weighted: int
) -> None:
    """Refuse more pairs of equal tokens than so many types of ROUGE-W take a few seconds for."""
    n_matches = 0
    for prediction, compared in zip(predictions, targets, strict=True):
        n_matches += sum(_n_matches(prediction, text, tokenizer) for text in compared)
    if n_weighted * n_matches > _MOST_MATCHES:
        raise InputError(
            f"The texts have {n_matches:,} pairs of equal words, for which ROUGE-W takes longer than 5 seconds; "
            f"this page takes {_MOST_MATCHES // n_weighted:,}. Give fewer or shorter texts, or leave out rougeW."
        )


def _check_stretches(texts: Sequence[str], tokenizer: Any) -> None:
    """Refuse stretches without blanks or marks in which a tokenizer looks for words too long."""
    lengths: list[int] = []
    for text in texts:
        lengths += map(len, _BREAKS.split(text))
    if sum(length * length for length in lengths) > _MOST_SQUARES:
        raise InputError(
            f"Stretches of up to {max(lengths):,} characters without spaces or punctuation take the tokenizer "
            f"{tokenizer!r} too long here: this page takes shorter or fewer ones."
        )


def _n_tokens(text: str, tokenizer: Any) -> int:
    return max(map(len, _words(text, tokenizer)))


def _n_matches(prediction: str, reference: str, tokenizer: Any) -> int:
    """Return at most how many pairs of equal tokens two texts have; words with one beginning may have one stem."""
    most = 0
    for tokens, target_tokens in zip(_words(prediction, tokenizer), _words(reference, tokenizer), strict=True):
        counts = Counter(token[:2].casefold() for token in tokens)
        target_counts = Counter(token[:2].casefold() for token in target_tokens)
        n_matches = sum(count * target_counts[beginning] for beginning, count in counts.items())
        most = max(most, n_matches)
    return most


def _words(text: str, tokenizer: Any) -> list[Sequence[str]]:
    """Return the tokens of a text as several tokenizers split it: one of them has as many as the metric's own."""
    if tokenizer == "char":
        return [text]
    return [_TOKENS.findall(text), _ASCII_TOKENS.findall(text)]
