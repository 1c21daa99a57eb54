"""Edits of tokens that turn predictions into their nearest references, as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.counting import nearest_edits

from .corpus import Corpus
from .splitters import has_blanks_alone
from .texts import READINGS, of_texts
from .tokenizers import tokenize

Change = Callable[[str], str] | None


def edit_rows(batch: Corpus, tokenizer: Any, change: Change) -> NDArray[np.float64]:
    """Return the rows that :func:`tercet.engine.plain_alignments.edit_rows` defines, of texts changed before.

    With the tokenizer "char-and-blank" they are stripped, too, as before jiwer counts characters.
    """
    texts = [*(batch.strings or (batch.predictions.to_pylist(), batch.references.to_pylist()))]
    changed = [[change(text) for text in each] for each in texts] if change else texts
    if tokenizer == "char-and-blank":
        changed = [[text.strip() for text in each] for each in changed]
    elif tokenizer == "blanks" and all(map(has_blanks_alone, changed)):
        tokenizer = "none"
    if tokenizer in (*READINGS, "char-and-blank"):
        rows: NDArray[np.float64] = of_texts(batch.with_strings(*changed), engine.edit_rows, tokenizer)
        return rows
    tokens, _ = tokenize(batch, tokenizer, prepare=change)
    empty, missing = tokens.tokens.lengths[: tokens.n_items] == 0, tokens.reference_counts == 0
    base = np.column_stack([np.ones(tokens.n_items), empty, missing, tokens.reference_counts])
    return np.hstack([base, nearest_edits(tokens)[0]])
