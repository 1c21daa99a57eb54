"""How many texts the page takes, and how long ones: so that nobody waits long for another visitor."""

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
#: Most bytes of a workbook, which is an archive, when it is unpacked.
MOST_UNPACKED = 50 << 20
#: Most characters of a text on the page, whose matches are drawn; of any text; and of all texts of a call.
TEXT_CHARACTERS, LONG_CHARACTERS, ALL_CHARACTERS = 10_000, 20_000, 5_000_000
#: Most products of the tokens of a prediction and its references, and of their lines, which count so many times: what
#: edits and subsequences take time for, two seconds at most; and in plain Python, where pairs of words take gigabytes
#: as well.
MOST_PRODUCTS = 1_000_000_000 if engine.__name__ == "tercet.engine._engine" else 30_000_000
_LINES = 10
#: Most pairs of equal tokens: ROUGE-W takes 5 to 25 ns for each, once for every type that is asked for.
MOST_MATCHES = 200_000_000
#: Most characters of an item in the mean; and where texts are compared with nothing: a language model reads them
#: whole, while those that compare by a network read what it takes at a time.
MEAN_CHARACTERS, MEAN_CHARACTERS_ALONE = 1000, 150
_TOKENS = re.compile(r"[^\W\u0e00-\U0010ffff]+|\S")  # words, and each character of scripts without blanks
_ASCII_TOKENS = re.compile(r"[a-zA-Z0-9]+")  # those of ROUGE, which splits words at all other letters
#: Tokenizers that look for words of a dictionary, and most squares of the lengths of stretches without blanks or
#: marks: what they take time for.
_BY_DICTIONARY = ("ja", "jieba")
MOST_SQUARES = 200_000_000
_BREAKS = re.compile(r"\s+|(?<=\w)[^\w\s]{1,3}(?=\w)")
#: Most systems that are compared: every two of them are tested.
MOST_SYSTEMS = 20
#: Most characters of a picture: a browser shows it at once, and a heat map of as many tokens takes seconds.
MOST_DRAWN = 3 << 20


def most_systems(n_rows: int, most_items: int) -> int:
    """Return how many systems of so many rows the page compares: their texts are its items."""
    return max(1, min(MOST_SYSTEMS, most_items // max(n_rows, 1)))


def check_size(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]] | None,
    options: Mapping[str, Any],
    most_items: int,
) -> None:
    """Raise an InputError for more texts than a page takes, or for longer ones.

    Of several systems, the predictions of all of them are counted, and the references for each.
    """
    n_items, tokenizer = len(predictions), options.get("tokenizer")
    if n_items > most_items:
        raise InputError(
            f"{n_items:,} items are more than the {most_items:,} that this page takes: load the metric and score "
            "them on your own machine."
        )
    # Each token of a text that is compared with nothing is read beside the others of it.
    targets = [[text] for text in predictions] if references is None else references
    texts = [*predictions, *chain.from_iterable(targets if references is not None else [])]
    longest = max(map(len, texts), default=0)
    if longest > LONG_CHARACTERS:
        raise InputError(f"A text has {longest:,} characters; this page takes texts of up to {LONG_CHARACTERS:,}.")
    n_characters = sum(map(len, texts))
    mean = MEAN_CHARACTERS_ALONE if references is None else MEAN_CHARACTERS
    most = min(ALL_CHARACTERS, mean * most_items)
    products = sum(
        _n_tokens(prediction, tokenizer) * sum(_n_tokens(text, tokenizer) for text in own)
        + _LINES * prediction.count("\n") * sum(text.count("\n") for text in own)
        for prediction, own in zip(predictions, targets, strict=True)
    )
    if n_characters > most or products > MOST_PRODUCTS:
        raise InputError(
            f"The texts have {n_characters:,} characters; this page accepts up to {most:,}, and "
            "fewer when single texts are long."
        )
    n_weighted = sum(kind.startswith("rougeW") for kind in options.get("rouge_types", ()))
    if n_weighted * products > MOST_MATCHES:  # else there are no more matches than that
        pairs = zip(predictions, targets, strict=True)
        matches = sum(_n_matches(prediction, text, tokenizer) for prediction, own in pairs for text in own)
        if n_weighted * matches > MOST_MATCHES:
            raise InputError(
                f"The texts have {matches:,} pairs of equal words, for which ROUGE-W takes longer than 5 seconds; "
                f"this page takes {MOST_MATCHES // n_weighted:,}. Give fewer or shorter texts, or leave out rougeW."
            )
    if tokenizer in _BY_DICTIONARY:
        stretches = [len(part) for text in texts for part in _BREAKS.split(text)]
        if sum(length * length for length in stretches) > MOST_SQUARES:
            raise InputError(
                f"Stretches of up to {max(stretches):,} characters without spaces or punctuation take the tokenizer "
                f"{tokenizer!r} too long here: this page takes shorter or fewer ones."
            )


def _n_tokens(text: str, tokenizer: Any) -> int:
    return max(map(len, _words(text, tokenizer)))


def _n_matches(prediction: str, reference: str, tokenizer: Any) -> int:
    """Return at most how many pairs of equal tokens two texts have; words with one beginning may have one stem."""
    n_matches = []
    for tokens in zip(_words(prediction, tokenizer), _words(reference, tokenizer), strict=True):
        times, target = (Counter(token[:2].casefold() for token in of_text) for of_text in tokens)
        n_matches.append(sum(count * target[token] for token, count in times.items()))
    return max(n_matches)


def _words(text: str, tokenizer: Any) -> list[Sequence[str]]:
    """Return the tokens of a text as several tokenizers split it: one of them has as many as the metric's own."""
    return [text] if tokenizer == "char" else [_TOKENS.findall(text), _ASCII_TOKENS.findall(text)]
