"""Texts to the rows of BLEU, in plain Python."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .plain_counts import clipped
from .plain_text import READINGS, LoneSurrogateError, Texts, is_valid, texts_of_items

Array = NDArray[np.float64]
Offsets = NDArray[np.int64] | None
Words = list[str]


def bleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, max_order: int, n_systems: int = 1
) -> Array:
    """Count what predictions share with their references: clipped n-grams (Papineni et al. 2002, section 2.1).

    Parameters
    ----------
    texts : list of str, or tuple of arrays
        As for :func:`.plain_text.intern`: the n predictions of each system, then all references, item by item.
    n : int
        Number of items.
    reference_offsets : ndarray of int64, shape (n + 1,), optional
        Item i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``; None: each has one.
    reading : str
        How texts are split: a name in READINGS.
    max_order : int
        Longest n-gram.
    n_systems : int
        Systems that wrote predictions for the same items: the references of an item are split once for all of them.

    Returns
    -------
    ndarray of float64, shape (n_systems n, 8 + 2 max_order)
        The rows of one system after those of the other:
        ``items`` (1), ``empty`` (1 for a prediction without a token), ``missing`` (1 for an item without a
        reference), ``references``; tokens of the prediction; those of the closest reference (of two equally close
        ones the shorter), of the shortest, and their average (without a reference, the prediction's own length); for
        each order the matches, and the n-grams of the prediction.

    Notes
    -----
    Time: linear in the tokens; where both texts have up to 512 tokens, in their product / 64. Memory: the rows, and
    some 100 bytes a token of the longest item.
    """
    rows = np.empty((n_systems * n, 8 + 2 * max_order))
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        size, lengths = len(words), list(map(len, references)) or [len(words)]
        closest = min(lengths, key=lambda length: (abs(length - size), length))
        orders = range(1, max_order + 1)
        row[:4] = 1, not words, not references, len(references)
        row[4:8] = size, closest, min(lengths), sum(lengths) / len(lengths)
        row[8:] = [*(clipped(words, references, order) for order in orders), *(max(size - n + 1, 0) for n in orders)]
    return rows


def pairs_of(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, n_systems: int
) -> list[tuple[Words, list[Words]]]:
    """Return the words of each prediction, and those of its references, system by system."""
    split = READINGS[reading]
    items = []
    for item, own in enumerate(texts_of_items(texts, n, reference_offsets, n_systems)):
        if not all(map(is_valid, chain(*own))):
            raise LoneSurrogateError(item)
        items.append([[list(chain.from_iterable(split(text))) for text in side] for side in own])
    return [(predictions[system], references) for system in range(n_systems) for predictions, references in items]
