"""Edits of tokens that turn predictions into their nearest references, as rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from string import whitespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.counting import nearest_edits

from .corpus import Corpus
from .reading import ENGINE_TOKENIZERS, of_texts
from .tokenizers import has_blanks_alone, tokenize

Change = Callable[[str], str] | None


def edit_rows(batch: Corpus, tokenizer: Any, change: Change) -> NDArray[np.float64]:
    """Return the rows that :func:`tercet.engine.plain_alignments.edit_rows` defines, of texts changed before.

    With the tokenizer "char-and-blank" they are stripped, too, as before jiwer counts characters.
    """
    texts = [*(batch.strings or (batch.predictions.to_pylist(), batch.references.to_pylist()))]
    changed = [[change(text) for text in column] for column in texts] if change else texts
    if tokenizer == "char-and-blank":
        changed = [[text.strip() for text in column] for column in changed]
    # Without other white space, the engine splits into the same words.
    elif tokenizer == "blanks" and all(map(has_blanks_alone, changed)):
        tokenizer = "none"
    if tokenizer in (*ENGINE_TOKENIZERS, "char-and-blank"):
        rows: NDArray[np.float64] = of_texts(batch.with_strings(*changed), engine.edit_rows, tokenizer)
        return rows
    tokens, _ = tokenize(batch, tokenizer, prepare=change)
    empty, missing = tokens.tokens.lengths[: tokens.n_items] == 0, tokens.reference_counts == 0
    base = np.column_stack([np.ones(tokens.n_items), empty, missing, tokens.reference_counts])
    return np.hstack([base, nearest_edits(tokens)[0]])


# Texts as jiwer's transforms change them, before their words are compared.

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
    steps = (standardize, _standardized), (lowercase, str.lower), (no_punct, _bare), (standardize, _single_blanks)
    changes = [step for is_chosen, step in steps if is_chosen]

    def change(text: str) -> str:
        for step in changes:
            text = step(text)
        return text

    return change if changes else None


def _standardized(text: str) -> str:
    """Return a text as after ``wer_standardize``, but for runs of blanks, which marks that are removed can leave."""
    text = text.lower()
    for short, long in _CONTRACTIONS.items():
        text = text.replace(short, long)
    return _NON_WORD.sub("", text).translate(_BLANKS)


def _bare(text: str) -> str:
    """Return a text as after ``RemovePunctuation``."""
    return "".join([char for char in text if char.isalnum() or unicodedata.category(char)[0] != "P"])


def _single_blanks(text: str) -> str:
    """Return a text as after ``RemoveMultipleSpaces``."""
    return re.sub(r"\s\s+", " ", text)
