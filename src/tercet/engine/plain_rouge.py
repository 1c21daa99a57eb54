"""Texts to the rows of ROUGE, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from tercet import numpy_later as np

from .plain_ngrams import clipped, common_length, skip_bigrams
from .plain_porter import porter as stem
from .plain_readings import Lines
from .plain_rows import Array, f_of_shares
from .plain_subsequences import hit_lines, worth_of_runs
from .plain_text import Offsets, Texts, pairs_of_lines

#: Most bytes of the table from which the hits of a pair are traced back: 131,000 tokens against as many.
MOST_WAY_BACK = 1 << 31
MOST_TYPES = 32
#: The columns that all rows begin with.
_BASE = 4
#: A kind of ROUGE, and what it takes: "n" an order, "L" and "Lsum" 0, "S" and "SU" a gap, "W" a weight.
Type = tuple[str, float]


def rouge_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, types: Sequence[Type], beta: float, each: bool,
    n_systems: int = 1, porter: bool = False,
) -> tuple[Array, Array | None, bool]:  # fmt: skip
    """Score predictions beside each of their references by what they share (Lin 2004).

    Texts, and the first four columns of the rows, are as for :func:`.plain_bleu.bleu_rows`; a type is its kind with
    its order, gap (negative for any) or weight. Then come precision, recall and F of each type: of the reference with
    the greatest F, of equal ones the first. With `each`, every reference has a row in the second array instead. "W"
    has its roots as NumPy takes them. With `porter`, words are their stems, and texts are in lower case, or read as
    if they were. The last value says whether nothing was counted, as the table of "W", or of "Lsum" with several
    lines, would take more than 2 GiB.
    """
    kinds = [kind for kind, _ in types]
    if not 0 < len(kinds) <= MOST_TYPES or kinds.count("W") > 1:
        raise ValueError(f"there can be {MOST_TYPES} types, and one of W")
    items = pairs_of_lines(texts, n, reference_offsets, reading, n_systems, stem if porter else str)
    rows = np.zeros((n_systems * n, _BASE + 3 * len(types)))
    pairs = []  # texts with each of their references
    for row, (text, references) in zip(rows, items, strict=True):
        row[:_BASE] = 1, not text, not references, len(references)
        pairs += [(text, reference) for reference in references]
    if any(_has_table(kinds, *pair) and _way_back(*pair) > MOST_WAY_BACK for pair in pairs):
        return rows, np.zeros((0, 3 * len(types))) if each else None, True
    rows_of_pairs = np.empty((len(pairs), 3 * len(types)))
    for row_of_pair, (text, reference) in zip(rows_of_pairs, pairs, strict=True):
        measures: list[float] = []
        for kind, number in types:
            measures += _measures(text, reference, kind, number, beta)
        row_of_pair[:] = measures
    for index, (kind, number) in enumerate(types):
        if kind == "W":
            _take_roots(rows_of_pairs[:, 3 * index : 3 * index + 3], number, beta)
    if each:
        return rows, rows_of_pairs, False
    first = 0
    for row, (_, references) in zip(rows, items, strict=True):
        if references:
            rows_of_item = rows_of_pairs[first : first + len(references)]
            row[_BASE:] = _best_of_each_type(rows_of_item)
        first += len(references)
    return rows, None, False


def item_means(rows: Array, scale: float) -> Array:
    """Return the mean of each column behind the first four over the items, which the first counts, times `scale`."""
    return scale * rows[:, _BASE:] / np.maximum(rows[:, :1], 1.0)


def _best_of_each_type(rows_of_item: Array) -> list[float]:
    """Return for each type the measures of the reference with the greatest F, of equal ones the first."""
    best: list[float] = []
    for column in range(0, rows_of_item.shape[1], 3):
        measures = rows_of_item[:, column : column + 3]
        best += measures[measures[:, 2].argmax()].tolist()
    return best


def _has_table(kinds: list[str], text: Lines, reference: Lines) -> bool:
    return "W" in kinds or ("Lsum" in kinds and max(len(text), len(reference)) > 1)


def _way_back(text: Lines, reference: Lines) -> int:
    """Return the bytes that the greatest table of a pair takes, a bit a cell."""
    return 8 * sum(map(len, text)) * ((max(map(len, reference), default=0) + 63) >> 6)


def _measures(text: Lines, reference: Lines, kind: str, number: float, beta: float) -> tuple[float, float, float]:
    hits, most_of_text, most_of_reference = _counts(text, reference, kind, number)
    precision = hits / max(most_of_text, 1)
    recall = hits / max(most_of_reference, 1)
    return precision, recall, f_of_shares(precision, recall, beta)


def _take_roots(triples: Array, weight: float, beta: float) -> None:
    if weight != 1:
        triples[:, :2] **= 1 / weight
    triples[:, 2] = [f_of_shares(precision, recall, beta) for precision, recall, _ in triples.tolist()]


def _counts(text: Lines, reference: Lines, kind: str, number: float) -> tuple[float, float, float]:
    """Return the hits, and what precision and recall divide them by."""
    words = list(chain.from_iterable(text))
    reference_words = list(chain.from_iterable(reference))
    n = len(words)
    n_reference = len(reference_words)
    if kind == "n":
        order = int(number)
        hits = clipped(words, [reference_words], order)
        return hits, max(n - order + 1, 0), max(n_reference - order + 1, 0)
    if kind == "L":
        return common_length(words, reference_words), n, n_reference
    if kind == "Lsum":
        lines = hit_lines(text, reference, words, reference_words)
        return sum(map(len, lines)), n, n_reference
    if kind == "W":
        worth = [float(length) ** number for length in range(max(n, n_reference) + 2)]
        weighted = worth_of_runs(text, reference, words, reference_words, worth)
        return weighted, worth[n], sum(worth[len(line)] for line in reference) ** number
    pairs = skip_bigrams(words, int(number))
    reference_pairs = skip_bigrams(reference_words, int(number))
    hits = (pairs & reference_pairs).total()
    if kind == "S":
        return hits, pairs.total(), reference_pairs.total()
    # SU: words count, too.
    hits += clipped(words, [reference_words], 1)
    return hits, pairs.total() + n, reference_pairs.total() + n_reference
