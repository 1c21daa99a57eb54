"""From the precision and recall of pairs to the measures of items with one or many references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import first_greatest
from tercet.statistics.stats import SegmentStats

MEASURES = ("precision", "recall", "f1")

Array = NDArray[np.float64]


def pair_measures(precision: Array, recall: Array, empty: NDArray[np.bool_], official: bool) -> Array:
    """Return precision, recall and their harmonic mean, shape (3, layers, pairs); 0 for pairs with an empty text."""
    measures = np.stack([precision, recall, np.zeros_like(precision)])
    if not official:
        measures[:2, :, empty] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * measures[0] * measures[1] / (measures[0] + measures[1])
    measures[2] = np.where(np.isnan(f1), 0.0, f1)
    measures[:2, :, empty] = 0.0
    return measures


def best_of_references(measures: Array, starts: NDArray[np.int64], by_f: bool) -> tuple[Array, NDArray[np.int64]]:
    """Return the measures of items, and which of their references gave them."""
    comparable = np.where(np.isnan(measures), np.inf, measures)
    values = np.empty((*measures.shape[:2], len(starts)))
    winners = np.empty(values.shape, np.int64)
    for side, layer in np.ndindex(*measures.shape[:2]):
        chosen = first_greatest(comparable[2 if by_f else side, layer], starts)
        values[side, layer] = measures[side, layer, chosen]
        winners[side, layer] = chosen - starts
    return values, winners


def padded_in_batch(lengths: NDArray[np.int64], batch_size: int) -> NDArray[np.bool_]:
    """Return which texts bert-score pads: all but the longest of each batch.

    The padding has similarity 0 to every token, so that no best match in such a text is negative there.
    """
    starts = np.arange(0, len(lengths), batch_size)
    widest = np.maximum.reduceat(lengths, starts) if len(lengths) else lengths
    padded: NDArray[np.bool_] = lengths < np.repeat(widest, batch_size)[: len(lengths)]
    return padded


def winning_references(stats: SegmentStats, ends: Sequence[str], all_layers: bool) -> dict[str, Any]:
    """Return which reference gave each item's scores, from 0, by measure; None for an item without reference."""
    best: dict[str, Any] = {}
    for measure in MEASURES:
        by_layer = [stats.column(f"best_{measure}{end}").astype(int).tolist() for end in ends]
        for winners in by_layer:
            for index in np.flatnonzero(stats.column("references") == 0).tolist():
                winners[index] = None
        best[measure] = by_layer if all_layers else by_layer[0]
    return best
