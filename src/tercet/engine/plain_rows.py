"""Texts to the rows of BLEU and GLEU, in plain Python."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .plain_counts import clipped
from .plain_text import READINGS, Texts, texts_of_items

Array = NDArray[np.float64]
Offsets = NDArray[np.int64] | None
Words = list[str]


def bleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, max_order: int, floors: bool = False,
    next_order: bool = False, n_systems: int = 1,
) -> Array:  # fmt: skip
    """Count what predictions share with their references: clipped n-grams (Papineni et al. 2002, section 2.1).

    `texts`, as for :func:`.plain_text.intern`, are the n predictions of each system, then all references, item by
    item, which are split once for all systems: item i has ``reference_offsets[i]`` to ``reference_offsets[i + 1]``,
    or one where that is None. The rows, of one system behind those of the other, have 8 + 2 max_order columns: 1;
    whether the prediction has no token; whether there is no reference; number of references; tokens of the
    prediction; those of the closest reference (of two equally close ones the shorter), of the shortest, and their
    average (without a reference, the prediction's own length); for each order the matches, and the n-grams of the
    prediction. NLTK's methods need more: with `floors` the n-grams of each order that are at least 1, and with
    `next_order` the matches and these n-grams of the order above the highest. Time: linear in the tokens; where both
    texts have up to 512 tokens, in their product / 64.
    """
    rows = np.empty((n_systems * n, 8 + (2 + floors) * max_order + 2 * next_order))
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        size, lengths = len(words), list(map(len, references)) or [len(words)]
        closest = min(lengths, key=lambda length: (abs(length - size), length))
        row[:4] = 1, not words, not references, len(references)
        row[4:8] = size, closest, min(lengths), sum(lengths) / len(lengths)
        matches = [clipped(words, references, order) for order in range(1, max_order + next_order + 1)]
        totals = [max(size - order, 0) for order in range(max_order + 1)]
        at_least_one = [max(total, 1) for total in totals]
        further = [*(at_least_one[:-1] if floors else ()), *((matches[-1], at_least_one[-1]) if next_order else ())]
        row[8:] = *matches[:max_order], *totals[:-1], *further
    return rows


def gleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, min_order: int, max_order: int, n_systems: int = 1
) -> Array:
    """Count the n-grams of all lengths that predictions share with their best references (Wu et al. 2016, section 6).

    Texts, and the first four columns of the rows, are as for :func:`bleu_rows`. Then come the matches with one
    reference, and the n-grams of the longer of both texts: of the reference with the greatest share, of equal ones
    the first. A pair without n-grams is the worst, as NLTK skips it. Without a reference, the prediction's own
    n-grams are counted.
    """
    if not 1 <= min_order <= max_order:
        raise ValueError(f"orders must be 1 or more, the shortest first: {min_order}, {max_order}")
    rows, orders = np.empty((n_systems * n, 6)), range(min_order, max_order + 1)
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        pairs = []
        for reference in references or [[]]:
            longest = max(len(words), len(reference))
            ngrams = sum(max(longest - order + 1, 0) for order in orders)
            pairs.append((sum(clipped(words, [reference], order) for order in orders), ngrams))
        row[:4] = 1, not words, not references, len(references)
        row[4:] = max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else -1.0)
    return rows


def pairs_of(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, n_systems: int
) -> list[tuple[Words, list[Words]]]:
    """Return the words of each prediction, and those of its references, system by system."""
    split = READINGS[reading]
    items = [
        [[list(chain.from_iterable(split(text))) for text in side] for side in own]
        for own in texts_of_items(texts, n, reference_offsets, n_systems)
    ]
    return [(predictions[system], references) for system in range(n_systems) for predictions, references in items]
