"""Rows of ROUGE from texts as they are, for n-grams and longest common subsequences, in one call of the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.core.scorer import Scorer, left_out
from tercet.engine.chosen import engine
from tercet.text.texts import lowered, of_texts

from .options import MEASURES, RougeOptions
from .references import combined
from .types import RougeType

Array = NDArray[np.float64]
_MOST_TYPES = 32


def orders_of(types: Sequence[RougeType]) -> tuple[int, ...] | None:
    """Return for each type the order of n-grams, or 0 for a subsequence; None where there is a type of another kind.

    Examples
    --------
    >>> orders_of([RougeType("rouge2", "n", order=2), RougeType("rougeLsum", "Lsum")])
    (2, 0)
    """
    if len(types) > _MOST_TYPES or not {each.kind for each in types} <= {"n", "L", "Lsum"}:
        return None
    return tuple(each.order if each.kind == "n" else 0 for each in types)


def rows_of_texts(batch: Batch, tokenizer: str, orders: tuple[int, ...], options: RougeOptions) -> Array | None:
    """Return the rows of a batch; None for texts of several lines, of which rougeLsum takes the union."""
    texts = batch if tokenizer == "rouge" else lowered(batch)
    found = of_texts(texts, engine.rouge_rows, tokenizer, orders, options.beta, options.multi_ref != "best")
    rows: Array = found[0]
    pairs, has_lines = found[1:]
    if has_lines and any(each.kind == "Lsum" for each in options.rouge_types):
        return None
    if pairs is not None:
        counts, measures = batch.reference_counts, rows[:, len(Scorer.base_columns) :]
        filled = counts > 0
        starts, n_references = batch.reference_offsets[:-1][filled], counts[filled]
        measures[:] = 0.0
        for first in range(0, measures.shape[1], len(MEASURES)):
            of_type = slice(first, first + len(MEASURES))
            measures[filled, of_type] = combined(pairs[:, of_type], starts, n_references, options.multi_ref)
    if options.missing_references == "skip" and not batch.one_each:
        left_out(rows)
    return rows
