"""Transcripts as jiwer's transforms change them, before their words are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from string import whitespace

# In jiwer's order: "won't" before "n't", which is its end.
_CONTRACTIONS = {
    "won't": "will not", "can't": "can not", "let's": "let us", "n't": " not", "'re": " are", "'s": " is",
    "'d": " would", "'ll": " will", "'t": " not", "'ve": " have", "'m": " am",
}  # fmt: skip
_NON_WORD = re.compile(r"[<\[][^>\]]*[>\]]")
_BLANKS = dict.fromkeys(map(ord, whitespace), " ")


def transcript_change(lowercase: bool, no_punct: bool, standardize: bool) -> Callable[[str], str] | None:
    """Return what changes a text as these transforms of jiwer, or None."""
    # Blanks come last: marks that are removed leave runs of them.
    steps = (
        (standardize, _standardize),
        (lowercase, str.lower),
        (no_punct, _remove_punctuation),
        (standardize, _merge_blanks),
    )
    changes = [step for is_chosen, step in steps if is_chosen]

    def change(text: str) -> str:
        for step in changes:
            text = step(text)
        return text

    return change if changes else None


def _standardize(text: str) -> str:
    """Return a text as after ``wer_standardize``, but for runs of blanks, which marks that are removed can leave."""
    text = text.lower()
    for short, long in _CONTRACTIONS.items():
        text = text.replace(short, long)
    end = max(text.rfind(">"), text.rfind("]")) + 1  # behind the last one nothing can match
    return (_NON_WORD.sub("", text[:end]) + text[end:]).translate(_BLANKS)


def _remove_punctuation(text: str) -> str:
    """Return a text as after ``RemovePunctuation``."""
    return "".join([char for char in text if char.isalnum() or unicodedata.category(char)[0] != "P"])


def _merge_blanks(text: str) -> str:
    """Return a text as after ``RemoveMultipleSpaces``."""
    return re.sub(r"\s\s+", " ", text)
