"""Texts to the rows of ROUGE, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from .plain_counts import clipped, common_length, skip_bigrams
from .plain_porter import porter as stem
from .plain_rows import Array, Offsets, Words, pairs_of
from .plain_subsequences import worth_of_runs
from .plain_text import Texts, strings

#: Most bytes of the table from which the hits of a pair are traced back: 131,000 tokens against as many.
MOST_WAY_BACK = 1 << 31
MOST_TYPES = 32
#: A kind of ROUGE, and what it takes: "n" an order, "L" and "Lsum" 0, "S" and "SU" a gap, "W" a weight.
Type = tuple[str, float]


def rouge_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, types: Sequence[Type], beta: float, each: bool,
    n_systems: int = 1, porter: bool = False,
) -> tuple[Array, Array | None, bool]:  # fmt: skip
    """Score predictions beside each of their references by what they share (Lin 2004), texts as one line each.

    Texts, and the first four columns of the rows, are as for :func:`bleu_rows`; a type is its kind with its order,
    gap (negative for any) or weight. Then come precision, recall and F of each type: of the reference with the
    greatest F, of equal ones the first. With `each`, every reference has a row in the second array instead. With
    `porter`, words are their stems; texts are then in lower case, or read as if they were. Of "W", the caller raises
    precision and recall to the power of 1 / weight, and computes F. The last value says whether all that is
    undefined: "Lsum" or "W" meets a line end, or the table of "W" would take more than 2 GiB.
    """
    items = pairs_of(texts, n, reference_offsets, reading, n_systems, stem if porter else str)
    rows, pairs = np.zeros((n_systems * n, 4 + 3 * len(types))), []
    kinds = [kind for kind, _ in types]
    if len(kinds) > MOST_TYPES or kinds.count("W") > 1:
        raise ValueError(f"there can be {MOST_TYPES} types, and one of W")
    in_lines = ("Lsum" in kinds or "W" in kinds) and any("\n" in text for text in strings(texts))
    if in_lines or ("W" in kinds and max(map(_way_back, items), default=0) > MOST_WAY_BACK):
        n_pairs = sum(len(references) for _, references in items)
        return rows, np.zeros((n_pairs, 3 * len(types))) if each else None, True
    for row, (words, references) in zip(rows, items, strict=True):
        row[:4] = 1, not words, not references, len(references)
        triples = [[_measures(words, reference, *kind, beta) for kind in types] for reference in references]
        pairs += triples
        if triples and not each:
            row[4:] = np.ravel([max(of_type, key=itemgetter(2)) for of_type in zip(*triples, strict=True)])
    of_pairs = np.array(pairs, np.float64).reshape(len(pairs), 3 * len(types))
    return rows, of_pairs if each else None, False


def _way_back(item: tuple[Words, list[Words]]) -> int:
    """Return the bytes that the greatest table of an item takes, a bit a cell."""
    words, references = item
    return max((8 * len(words) * ((len(reference) + 63) >> 6) for reference in references), default=0)


def _measures(text: Words, reference: Words, kind: str, number: float, beta: float) -> tuple[float, float, float]:
    hits, of_text, of_reference = _counts(text, reference, kind, number)
    precision, recall, weight = hits / max(of_text, 1), hits / max(of_reference, 1), beta * beta
    mixed = recall + weight * precision
    return precision, recall, (1 + weight) * precision * recall / mixed if mixed > 0 else 0.0


def _counts(text: Words, reference: Words, kind: str, number: float) -> tuple[float, float, float]:
    """Return the hits, and what precision and recall divide them by."""
    both = text, reference
    if kind == "n":
        order = int(number)
        return clipped(text, [reference], order), *(max(len(each) - order + 1, 0) for each in both)  # type: ignore[return-value]
    if kind in ("L", "Lsum"):
        return common_length(text, reference), len(text), len(reference)
    if kind == "W":
        worth = [float(k) ** number for k in range(max(map(len, both)) + 2)]
        hits = worth_of_runs([text], [reference], text, reference, worth)
        return hits, worth[len(text)], worth[len(reference)] ** number
    pairs = [skip_bigrams(each, int(number)) for each in both]
    words = [len(each) if kind == "SU" else 0 for each in both]
    shared = clipped(text, [reference], 1) if kind == "SU" else 0
    of_text, of_reference = (each.total() + more for each, more in zip(pairs, words, strict=True))
    return shared + (pairs[0] & pairs[1]).total(), of_text, of_reference
