"""Texts to the rows of BLEU with ROUGE's recall, of GLEU and Jaccard similarity, in plain Python."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_bleu import bleu_rows
from .plain_ngrams import clipped, ngrams
from .plain_text import Offsets, Texts, Words, pairs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


def bleu_rouge_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, max_order: int, beta: float, best: bool,
    n_systems: int = 1,
) -> Array:  # fmt: skip
    """Count what BLEU's precision and ROUGE's recall are made of.

    The rows are those of :func:`.plain_bleu.bleu_rows` without the shortest and the average length, and then for each
    order the hits, which are the matches with one reference, and the n-grams of that reference: with `best` of the
    one with the greatest F (of equal ones the shortest, then the first), else the means of all.
    """
    if max_order < 1:
        raise ValueError(f"the order must be 1 or more: {max_order}")
    rows = np.zeros((n_systems * n, 6 + 4 * max_order))
    rows[:, : 6 + 2 * max_order] = np.delete(
        bleu_rows(texts, n, reference_offsets, reading, max_order, n_systems=n_systems), (6, 7), axis=1
    )
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        if not references:
            continue
        first_hits = 6 + 2 * max_order
        first_total = first_hits + max_order
        for order in range(1, max_order + 1):
            n_ngrams = max(len(words) - order + 1, 0)
            hits = [clipped(words, [reference], order) for reference in references]
            totals = [max(len(reference) - order + 1, 0) for reference in references]
            if best:
                chosen = _greatest_f(hits, totals, n_ngrams, beta)
                row[first_hits + order - 1] = hits[chosen]
                row[first_total + order - 1] = totals[chosen]
            else:
                row[first_hits + order - 1] = sum(hits) / len(references)
                row[first_total + order - 1] = sum(totals) / len(references)
    return rows


def _greatest_f(hits: list[int], totals: list[int], n_ngrams: int, beta: float) -> int:
    """Return which reference has the greatest F, of equal ones the shortest, then the one with the most hits."""
    ranks = []
    for reference, (n_hits, total) in enumerate(zip(hits, totals, strict=True)):
        f = f_of_shares(n_hits / max(n_ngrams, 1), n_hits / max(total, 1), beta)
        ranks.append((f, -total, n_hits, -reference))
    *_, reference = max(ranks)
    return -reference


def f_of_shares(precision: float, recall: float, beta: float) -> float:
    """Return the F of ROUGE."""
    weight = beta * beta
    mixed = recall + weight * precision
    return (1 + weight) * precision * recall / mixed if mixed > 0 else 0.0


def gleu_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, min_order: int, max_order: int, n_systems: int = 1
) -> Array:
    """Count the n-grams of all lengths that predictions share with their best references (Wu et al. 2016, section 6).

    Texts, and the first four columns of the rows, are as for :func:`.plain_bleu.bleu_rows`. Then come the matches
    with one reference, and the n-grams of the longer of both texts: of the reference with the greatest share, of
    equal ones the first. A pair without n-grams is the worst, as NLTK skips it. Without a reference, the
    prediction's own n-grams are counted.
    """
    if not 1 <= min_order <= max_order:
        raise ValueError(f"orders must be 1 or more, the shortest first: {min_order}, {max_order}")
    rows = np.empty((n_systems * n, 6))
    orders = range(min_order, max_order + 1)
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        pairs = []
        for reference in references or [[]]:
            longest = max(len(words), len(reference))
            matches = sum(clipped(words, [reference], order) for order in orders)
            n_ngrams = sum(max(longest - order + 1, 0) for order in orders)
            pairs.append((matches, n_ngrams))
        row[:4] = 1, not words, not references, len(references)
        row[4:] = max(pairs, key=_share)
    return rows


def gleu_scores(rows: Array, scale: float) -> Array:
    """Return the matches per n-gram, times `scale`, of rows of :func:`gleu_rows` or sums of them."""
    matches, ngrams = rows[:, 4:].T
    scores: Array = scale * (matches / np.maximum(ngrams, 1.0))
    return scores


def _share(pair: tuple[int, int]) -> float:
    """Return the share of matches; of no n-grams the least."""
    matches, n_ngrams = pair
    return matches / n_ngrams if n_ngrams else -1.0


def jaccard_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, order: int, multiset: bool, each: bool,
    n_systems: int = 1,
) -> tuple[Array, Array | None]:  # fmt: skip
    """Compare the n-grams of predictions and references as sets or multisets (Jaccard 1901).

    Texts, and the first four columns of the rows, are as for :func:`.plain_bleu.bleu_rows`. Then come the sizes of
    intersection and union, and before them the first divided by the second: of the reference with the greatest share,
    of equal ones the first; without a reference, of an empty text. With `each`, every reference also has a row in the
    second array. Time: linear in the tokens of all pairs.
    """
    if order < 1:
        raise ValueError(f"the order must be 1 or more: {order}")

    def units(words: Words) -> Counter[tuple[str, ...]]:
        counts = ngrams(words, order)
        return counts if multiset else Counter(set(counts))

    rows = np.empty((n_systems * n, 7))
    rows_of_references = []
    for row, (words, references) in zip(rows, pairs_of(texts, n, reference_offsets, reading, n_systems), strict=True):
        units_of_text = units(words)
        shares = []
        for reference in references or [[]]:
            units_of_reference = units(reference)
            intersection = (units_of_text & units_of_reference).total()
            union = (units_of_text | units_of_reference).total()
            shares.append((intersection / max(union, 1), intersection, union))
        row[:] = 1, not words, not references, len(references), *max(shares, key=itemgetter(0))
        if references:
            rows_of_references += shares
    if not each:
        return rows, None
    return rows, np.array(rows_of_references, float).reshape(-1, 3)
