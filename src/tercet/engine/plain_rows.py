"""Texts to the rows of BLEU and of ROUGE, in plain Python."""

from __future__ import annotations

from itertools import chain, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from .plain_counts import clipped, common_length
from .plain_text import READINGS, LoneSurrogateError, Texts, is_valid, strings

Array = NDArray[np.float64]
Offsets = NDArray[np.int64] | None
Words = list[str]


def bleu_rows(
    texts: Texts, n: int, reference_offsets: NDArray[np.int64] | None, reading: str, max_order: int
) -> Array:
    """Count what predictions share with their references: clipped n-grams (Papineni et al. 2002, section 2.1).

    Parameters
    ----------
    texts : list of str, or tuple of arrays
        As for :func:`.plain_text.intern`: the n predictions, then all references, item by item.
    n : int
        Number of items.
    reference_offsets : ndarray of int64, shape (n + 1,), optional
        Item i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``; None: each has one.
    reading : str
        How texts are split: a name in READINGS.
    max_order : int
        Longest n-gram.

    Returns
    -------
    ndarray of float64, shape (n, 8 + 2 max_order)
        ``items`` (1), ``empty`` (1 for a prediction without a token), ``missing`` (1 for an item without a
        reference), ``references``; tokens of the prediction; those of the closest reference (of two equally close
        ones the shorter), of the shortest, and their average, or of the prediction where there is none; for each
        order the matches, and the n-grams of the prediction.

    Raises
    ------
    LoneSurrogateError
        For a string that is not valid Unicode; names the text.
    TooMuchMemoryError
        Has the number of the item.

    Notes
    -----
    Time: linear in the tokens; where both texts have up to 512 tokens, in their product / 64. Memory: the rows, and
    some 100 bytes a token of the longest item.

    Examples
    --------
    >>> bleu_rows(["the the cat", "the cat sat", "a cat"], 1, np.array([0, 2]), "none", 2).tolist()
    [[1.0, 0.0, 0.0, 2.0, 3.0, 3.0, 2.0, 2.5, 2.0, 1.0, 3.0, 2.0]]
    """
    rows = np.empty((n, 8 + 2 * max_order))
    for row, (words, references) in zip(rows, _items(texts, n, reference_offsets, reading), strict=True):
        size, lengths = len(words), list(map(len, references)) or [len(words)]
        closest = min(lengths, key=lambda length: (abs(length - size), length))
        orders = range(1, max_order + 1)
        row[:4] = 1, not words, not references, len(references)
        row[4:8] = size, closest, min(lengths), sum(lengths) / len(lengths)
        row[8:] = [*(clipped(words, references, order) for order in orders), *(max(size - n + 1, 0) for n in orders)]
    return rows


def rouge_rows(
    texts: Texts,
    n: int,
    reference_offsets: NDArray[np.int64] | None,
    reading: str,
    orders: tuple[int, ...],
    beta: float,
    each: bool,
) -> tuple[Array, Array | None, bool]:
    """Score predictions beside each of their references by n-grams and longest common subsequences (Lin 2004).

    Parameters
    ----------
    texts, n, reference_offsets, reading
        As for :func:`bleu_rows`.
    orders : tuple of int
        Of up to 32 types, the order of n-grams, or 0 for the longest common subsequence.
    beta : float
        Weight of recall.
    each : bool
        Whether each reference gets a row of its own; else an item has, of each type, that with the greatest F, of
        equal ones the first.

    Returns
    -------
    rows : ndarray of float64, shape (n, 4 + 3 types)
        Four columns as for :func:`bleu_rows`, then precision, recall and F of each type, 0 for texts without tokens
        and items without reference; with `each`, the latter stand in `pairs` instead, and here is anything.
    pairs : ndarray of float64, shape (m, 3 types), or None
        A row for each reference; None without `each`.
    has_lines : bool
        Whether a line end stands in a text.

    Raises
    ------
    LoneSurrogateError, TooMuchMemoryError
        As for :func:`bleu_rows`.

    Notes
    -----
    Time and memory as for :func:`bleu_rows`; of a subsequence, time is the product of the tokens / 64, for texts of
    any length.

    Examples
    --------
    >>> rows, pairs, has_lines = rouge_rows(["the cat sat", "the cat ran"], 1, None, "rouge", (2, 0), 1.0, False)
    >>> rows[0, 4:].round(2).tolist(), pairs, has_lines
    ([0.5, 0.5, 0.5, 0.67, 0.67, 0.67], None, False)
    """
    items = _items(texts, n, reference_offsets, reading)
    rows, pairs = np.zeros((n, 4 + 3 * len(orders))), []
    for row, (words, references) in zip(rows, items, strict=True):
        row[:4] = 1, not words, not references, len(references)
        triples = [[_measures(words, reference, order, beta) for order in orders] for reference in references]
        pairs += triples
        if triples and not each:
            row[4:] = np.ravel([max(of_type, key=itemgetter(2)) for of_type in zip(*triples, strict=True)])
    has_lines = any("\n" in text for text in strings(texts))
    of_pairs = np.array(pairs, np.float64).reshape(len(pairs), 3 * len(orders))
    return rows, of_pairs if each else None, has_lines


def _items(texts: Texts, n: int, reference_offsets: Offsets, reading: str) -> list[tuple[Words, list[Words]]]:
    """Return the words of each prediction, and those of its references."""
    given, offsets = strings(texts), range(n + 1) if reference_offsets is None else reference_offsets.tolist()
    if len(given) != n + offsets[n]:
        raise ValueError("the lists of texts have changed")
    items = []
    for item, (start, stop) in enumerate(pairwise(offsets)):
        own = given[item], *given[n + start : n + stop]
        if not all(map(is_valid, own)):
            raise LoneSurrogateError(item)
        words, *references = (list(chain.from_iterable(READINGS[reading](text))) for text in own)
        items.append((words, references))
    return items


def _measures(words: Words, reference: Words, order: int, beta: float) -> tuple[float, float, float]:
    hits = clipped(words, [reference], order) if order else common_length(words, reference)
    less, weight = max(order - 1, 0), beta * beta
    precision, recall = hits / max(len(words) - less, 1), hits / max(len(reference) - less, 1)
    mixed = recall + weight * precision
    return precision, recall, (1 + weight) * precision * recall / mixed if mixed > 0 else 0.0
