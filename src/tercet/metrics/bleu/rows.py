"""The row of a segment: what is counted, in which column."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np
from tercet.base.metric import Metric
from tercet.base.rows import base_of_pairs
from tercet.engine.counting import crossed_matches
from tercet.engine.ragged import TokenBatch

from .options import REFERENCE_LENGTHS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

# Columns by number, since looking for a name would take longer than the formula: those of `engine.bleu_rows`, behind
# the four that the rows of all metrics begin with.

LENGTH_COLUMN = len(Metric.base_columns)
REFERENCE_LENGTH_COLUMNS = {rule: LENGTH_COLUMN + 1 + number for number, rule in enumerate(REFERENCE_LENGTHS)}
FIRST_MATCH_COLUMN = LENGTH_COLUMN + 1 + len(REFERENCE_LENGTHS)


def column_names(max_order: int, floors: bool, next_order: bool) -> tuple[str, ...]:
    """Return the names of the columns of a row.

    The base columns; the tokens of the prediction, and of its references by each rule; the clipped matches of all
    orders, then the n-grams of all orders; and what NLTK's methods need: n-grams that are at least 1 an item
    (called floor, which is not the smoothing), matches and n-grams of the order above the highest.
    """
    orders = range(1, max_order + 1)
    names = [*Metric.base_columns, "length", *REFERENCE_LENGTHS]
    names += [f"match{n}" for n in orders]
    names += [f"total{n}" for n in orders]
    if floors:
        names += [f"floor{n}" for n in orders]
    if next_order:
        names += ["next_match", "next_floor"]
    return tuple(names)


def rows_of_pairs(tokens: TokenBatch, max_order: int, floors: bool, next_order: bool) -> Array:
    """Return the row of each prediction with each reference of one segment."""
    predictions_of_pairs, references_of_pairs = tokens.pairs
    lengths = tokens.tokens.lengths[predictions_of_pairs][:, None]
    reference_lengths = tokens.tokens.lengths[references_of_pairs][:, None]
    matches = crossed_matches(tokens.tokens, tokens.n_items, max_order + next_order)
    totals = np.maximum(lengths - np.arange(matches.shape[1]), 0)
    # A single reference is the closest, the shortest and the average one.
    parts = [base_of_pairs(lengths[:, 0]), lengths, *[reference_lengths] * len(REFERENCE_LENGTHS)]
    parts += [matches[:, :max_order], totals[:, :max_order]]
    if floors:
        parts.append(np.maximum(totals[:, :max_order], 1))
    if next_order:
        parts += [matches[:, -1:], np.maximum(totals[:, -1:], 1)]
    return np.concatenate(parts, axis=1)
