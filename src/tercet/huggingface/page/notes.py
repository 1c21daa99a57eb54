"""Notes on a score, shown on the page, that no metric warns of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from tercet.corpus.corpus import Corpus
from tercet.errors import shorten
from tercet.metric.scorer import Scorer

#: Most letters that a note names.
_MOST_LETTERS = 12


def segment_note(options: Mapping[str, Any]) -> str:
    """Return what says that a text was scored as a segment, and by which options that nobody chose."""
    given = " and ".join(f"{name}={value!r}" for name, value in options.items())
    return f"Scored as one segment, with {given}. A file is scored as a corpus, without that."


def dropped_letters(scorer: Scorer, batch: Corpus) -> list[str]:
    """Return a note on letters that ROUGE's own tokenizer leaves out, where the metric itself says nothing.

    It keeps a to z and digits, and so splits words at letters with accents.
    """
    if getattr(scorer, "tokenizer", None) not in ("auto", "rouge"):
        return []
    context = scorer.fit(batch)
    if scorer.signature(context).get("tok") != "rouge" or scorer.corpus_warning(context, batch) is not None:
        return []
    every = batch.texts.to_pylist()
    letters = {each for each in set().union(*every) if not each.isascii() and unicodedata.category(each)[0] in "LM"}
    if not letters:
        return []
    named = sorted(letters)[:_MOST_LETTERS]  # a mark stands on a circle, which shows where it belongs
    shown = ", ".join(f"\u25cc{each}" if unicodedata.category(each)[0] == "M" else each for each in named)
    more = f" and {len(letters) - _MOST_LETTERS} others" if len(letters) > _MOST_LETTERS else ""
    text = next(text for text in every if not letters.isdisjoint(text))
    word = next(word for word in text.split() if not letters.isdisjoint(word))
    left = " and ".join(map(repr, re.findall("[a-z0-9]+", word.lower()))) or "nothing"
    return [
        f"The tokenizer 'rouge' drops the letters {shown}{more}: of {shorten(word)} it leaves {left}. Choose the "
        "tokenizer 'unicode' to keep them."
    ]
