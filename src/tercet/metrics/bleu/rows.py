"""Rows of BLEU from tokens, where the engine does not take the texts as they are: stems, NLTK, other tokenizers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import clipped_matches, crossed_matches
from tercet.engine.ragged import TokenBatch
from tercet.metric.lengths import reference_lengths
from tercet.metric.rows import base_of_pairs

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def rows_of_tokens(base: Array, tokens: TokenBatch, max_order: int, of_nltk: bool, of_next_order: bool) -> Array:
    """Return the columns of `base`, lengths, matches and n-grams of each item, and what NLTK's methods need."""
    n, orders = tokens.n_items, max_order + of_next_order
    matches = clipped_matches(tokens.tokens, np.arange(n), *tokens.reference_spans, orders, tokens.n_types)
    lengths = tokens.tokens.lengths[:n]
    return _rows(base, lengths, reference_lengths(tokens), matches, max_order, of_nltk, of_next_order)


def rows_of_pairs(tokens: TokenBatch, max_order: int, of_nltk: bool, of_next_order: bool) -> Array:
    """Return the same of each prediction with each reference of one segment."""
    texts, references = (tokens.tokens.lengths[side] for side in tokens.pairs)
    matches = crossed_matches(tokens.tokens, tokens.n_items, max_order + of_next_order)
    lengths = np.repeat(references[:, None], 3, axis=1)
    return _rows(base_of_pairs(texts), texts, lengths, matches, max_order, of_nltk, of_next_order)


def _rows(
    base: Array, lengths: Counts, of_references: NDArray[Any], matches: Counts, max_order: int, of_nltk: bool,
    of_next_order: bool,
) -> Array:  # fmt: skip
    totals = np.maximum(lengths[:, None] - np.arange(matches.shape[1]), 0)
    parts = [base, lengths[:, None], of_references]
    parts += [matches[:, :max_order], totals[:, :max_order]]
    if of_nltk:
        parts.append(np.maximum(totals[:, :max_order], 1))
    if of_next_order:
        parts += [matches[:, -1:], np.maximum(totals[:, -1:], 1)]
    return np.concatenate(parts, axis=1)
