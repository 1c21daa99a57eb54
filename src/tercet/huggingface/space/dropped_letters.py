"""A note that the page adds to a score, since no metric warns of it: letters that ROUGE's tokenizer drops."""

from __future__ import annotations

import re
import unicodedata

from tercet.base.metric import Metric
from tercet.corpus.corpus import Corpus
from tercet.errors import shorten

#: Most letters that a note names.
_MOST_LETTERS = 12


def dropped_letters(metric: Metric, batch: Corpus) -> list[str]:
    """Return a note on letters that ROUGE's own tokenizer leaves out, where the metric itself says nothing.

    It keeps a to z and digits, and so splits words at letters with accents.
    """
    if getattr(metric, "tokenizer", None) not in ("auto", "rouge"):
        return []
    context = metric.fit(batch)
    if metric.signature(context).get("tok") != "rouge" or metric.corpus_warning(context, batch) is not None:
        return []
    all_texts = batch.texts.to_pylist()
    letters = set()
    for character in set().union(*all_texts):
        if not character.isascii() and unicodedata.category(character).startswith(("L", "M")):
            letters.add(character)
    if not letters:
        return []
    listed_letters = []
    for letter in sorted(letters)[:_MOST_LETTERS]:
        if unicodedata.category(letter).startswith("M"):
            # A mark, such as an accent, stands on a circle, which shows where it belongs.
            letter = f"\u25cc{letter}"
        listed_letters.append(letter)
    listing = ", ".join(listed_letters)
    if len(letters) > _MOST_LETTERS:
        listing += f" and {len(letters) - _MOST_LETTERS} others"
    text = next(text for text in all_texts if not letters.isdisjoint(text))
    word = next(word for word in text.split() if not letters.isdisjoint(word))
    pieces = " and ".join(map(repr, re.findall("[a-z0-9]+", word.lower()))) or "nothing"
    return [
        f"The tokenizer 'rouge' drops the letters {listing}: of {shorten(word)} it leaves {pieces}. "
        "Choose the tokenizer 'unicode' to keep them."
    ]
