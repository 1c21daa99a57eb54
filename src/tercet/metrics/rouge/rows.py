"""Rows of ROUGE from texts as they are, in one call of the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.texts import lowered, of_texts
from tercet.engine.chosen import engine
from tercet.metric.rows import left_out
from tercet.metric.scorer import Scorer

from .options import MEASURES, RougeOptions
from .references import combined, measures
from .types import RougeType

Array = NDArray[np.float64]
_MOST_TYPES = 32
#: Tokenizers for which texts are not lowercased beforehand: the one does it, the other must not.
KEEP_CASE = ("rouge", "none")


def counted(types: Sequence[RougeType]) -> tuple[tuple[str, float], ...] | None:
    """Return each type as the engine takes it; None for more types than it takes."""
    if len(types) > _MOST_TYPES or sum(each.kind == "W" for each in types) > 1:
        return None
    numbers = {"n": "order", "S": "gap", "SU": "gap", "W": "weight"}
    return tuple((each.kind, getattr(each, numbers[each.kind]) if each.kind in numbers else 0) for each in types)


def rows_of_texts(
    batch: Corpus, tokenizer: str, types: tuple[tuple[str, float], ...], options: RougeOptions
) -> Array | None:
    """Return the rows of a batch; None where rougeLsum and rougeW need tokens: of several lines, or long texts."""
    texts = batch if tokenizer in KEEP_CASE else lowered(batch)
    roots = [(place, weight) for place, (kind, weight) in enumerate(types) if kind == "W"]
    each = options.multi_ref != "best" or (bool(roots) and not batch.one_each)
    found = of_texts(texts, engine.rouge_rows, tokenizer, types, options.beta, each)
    rows: Array = found[0]
    pairs, uncounted = found[1:]
    if uncounted:
        return None
    first = len(Scorer.base_columns)
    for place, weight in roots:
        table, start = (rows, first + 3 * place) if pairs is None else (pairs, 3 * place)
        precision, recall = table[:, start].copy(), table[:, start + 1].copy()
        table[:, start : start + 3] = measures(precision, recall, weight, options.beta)
    if pairs is not None:
        counts, of_items = batch.reference_counts, rows[:, first:]
        filled = counts > 0
        starts, n_references = (np.cumsum(counts) - counts)[filled], counts[filled]
        of_items[:] = 0.0
        for start in range(0, of_items.shape[1], len(MEASURES)):
            of_type = slice(start, start + len(MEASURES))
            of_items[filled, of_type] = combined(pairs[:, of_type], starts, n_references, options.multi_ref)
    if options.missing_references == "skip" and not batch.one_each:
        left_out(rows)
    return rows
