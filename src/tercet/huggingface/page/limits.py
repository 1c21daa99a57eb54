"""How many texts the page takes, and how long ones: so that nobody waits long for another visitor."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from tercet.corpus.corpus import Corpus
from tercet.engine.chosen import engine
from tercet.errors import InputError

#: Most bytes of a file, and of any request.
MOST_BYTES = 10 << 20
#: Most bytes of a workbook, which is an archive, when it is unpacked.
MOST_UNPACKED = 50 << 20
#: Most characters of a text on the page, whose matches are drawn; of any text; and of all texts of a call.
TEXT_CHARACTERS, LONG_CHARACTERS, ALL_CHARACTERS = 10_000, 20_000, 5_000_000
#: Most products of the tokens of a prediction and its references, and of their lines, which count so many times:
#: what ROUGE-W takes time for, some seconds for each hundred million; and in plain Python, where pairs of words take
#: gigabytes as well.
MOST_PRODUCTS = 1_000_000_000 if engine.__name__ == "tercet.engine._engine" else 30_000_000
_LINES = 10
#: Most characters of an item in the mean; and where texts are compared with nothing: a language model reads them
#: whole, while those that compare by a network read what it takes at a time.
MEAN_CHARACTERS, MEAN_CHARACTERS_ALONE = 1000, 150
_TOKENS = re.compile(r"[^\W\u0e00-\U0010ffff]+|\S")  # words, and each character of scripts without blanks
#: Tokenizers that look for words of a dictionary, and most squares of the lengths of stretches without blanks or
#: marks: what they take time for.
_BY_DICTIONARY = ("ja", "jieba")
MOST_SQUARES = 200_000_000
_BREAKS = re.compile(r"\s+|(?<=\w)[^\w\s]{1,3}(?=\w)")
#: Most characters of a picture: a browser shows it at once, and a heat map of as many tokens takes seconds.
MOST_DRAWN = 3 << 20


def check_size(checked: Corpus, tokenizer: Any, most_items: int, takes_references: bool) -> None:
    """Raise an InputError for more texts than a page takes, or for longer ones."""
    predictions, references = checked.columns().values()
    n_items = len(predictions)
    if n_items > most_items:
        raise InputError(
            f"{n_items:,} items are more than the {most_items:,} that this page takes: load the metric and score "
            "them on your own machine."
        )
    texts = [*predictions, *chain.from_iterable(references)]
    longest = max(map(len, texts), default=0)
    if longest > LONG_CHARACTERS:
        raise InputError(f"A text has {longest:,} characters; this page takes texts of up to {LONG_CHARACTERS:,}.")
    n_characters = sum(map(len, texts))
    mean = MEAN_CHARACTERS if takes_references else MEAN_CHARACTERS_ALONE
    most = min(ALL_CHARACTERS, mean * most_items)
    # Each token of a text that is compared with nothing is read beside the others of it.
    targets = references if takes_references else [[text] for text in predictions]
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
    if tokenizer in _BY_DICTIONARY:
        stretches = [len(part) for text in texts for part in _BREAKS.split(text)]
        if sum(length * length for length in stretches) > MOST_SQUARES:
            raise InputError(
                f"Stretches of up to {max(stretches):,} characters without spaces or punctuation take the tokenizer "
                f"{tokenizer!r} too long here: this page takes shorter or fewer ones."
            )


def _n_tokens(text: str, tokenizer: Any) -> int:
    return len(text) if tokenizer == "char" else len(_TOKENS.findall(text))
