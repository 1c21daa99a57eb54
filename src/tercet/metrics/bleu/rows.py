"""Rows of BLEU from tokens, where the engine does not take the texts as they are: stems, NLTK, other tokenizers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import clipped_matches
from tercet.engine.ragged import TokenBatch
from tercet.metric.lengths import reference_lengths

Array = NDArray[np.float64]


def rows_of_tokens(base: Array, tokens: TokenBatch, max_order: int, of_nltk: bool, of_next_order: bool) -> Array:
    """Return the columns of `base`, lengths, matches and n-grams of each item, and what NLTK's methods need."""
    n, lengths = tokens.n_items, tokens.tokens.lengths
    orders = max_order + of_next_order
    matches = clipped_matches(tokens.tokens, np.arange(n), *tokens.reference_spans, orders, tokens.n_types)
    totals = np.maximum(lengths[:n, None] - np.arange(orders), 0)
    parts = [base, lengths[:n, None], reference_lengths(tokens)]
    parts += [matches[:, :max_order], totals[:, :max_order]]
    if of_nltk:
        parts.append(np.maximum(totals[:, :max_order], 1))
    if of_next_order:
        parts += [matches[:, -1:], np.maximum(totals[:, -1:], 1)]
    return np.concatenate(parts, axis=1).astype(np.float64)
