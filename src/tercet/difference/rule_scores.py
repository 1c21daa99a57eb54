"""Scores of a corpus and of its items, as the steps of an explanation need them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from tercet.columns.batch import Batch
from tercet.core.scorer import Scorer, segment_lists
from tercet.scoring import batch_stats, score_batch

Segments = dict[str, list[float | None]]


def totals_of(scorer: Scorer, batch: Batch) -> tuple[dict[str, float], list[str], str]:
    """Return the scores of the corpus by name, the warnings that came with them, and the signature."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = score_batch(scorer, batch)
    messages = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    return {name: float(result[name]) for name in scorer.score_names}, messages, result.signature


def segments_of(scorer: Scorer, batch: Batch) -> Segments:
    """Return the scores of every item by name; None for one that was left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stats = batch_stats(scorer, batch)
    return segment_lists(scorer, stats)


def largest_gaps(
    ours: Segments, theirs: Segments, same: float
) -> list[tuple[int, Mapping[str, float], Mapping[str, float]]]:
    """Return (index, ours, theirs) of the items that differ in any score by more than `same`, the greatest first.

    Examples
    --------
    >>> largest_gaps({"bleu": [0.1, 0.5, 0.2, None]}, {"bleu": [0.1, 0.4, 0.5, None]}, 1e-4)
    [(2, {'bleu': 0.2}, {'bleu': 0.5}), (1, {'bleu': 0.5}, {'bleu': 0.4})]
    """
    found = []
    for index, pairs in enumerate(zip(*(zip(ours[name], theirs[name], strict=True) for name in ours), strict=True)):
        mine = {name: own for name, (own, _) in zip(ours, pairs, strict=True) if own is not None}
        other = {name: own for name, (_, own) in zip(ours, pairs, strict=True) if own is not None}
        gap = max((abs(mine[name] - other[name]) for name in mine.keys() & other.keys()), default=0.0)
        if gap > same:
            found.append((gap, index, mine, other))
    return [(index, mine, other) for _, index, mine, other in sorted(found, key=lambda each: (-each[0], each[1]))]
