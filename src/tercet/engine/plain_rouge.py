"""Texts to the rows of ROUGE, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from tercet import numpy_later as np

from .plain_counts import clipped, common_length, skip_bigrams
from .plain_porter import porter as stem
from .plain_rows import Array, Offsets, f_of_shares, pairs_of_lines
from .plain_subsequences import hit_lines, worth_of_runs
from .plain_text import Lines, Texts

#: Most bytes of the table from which the hits of a pair are traced back: 131,000 tokens against as many.
MOST_WAY_BACK = 1 << 31
MOST_TYPES = 32
#: A kind of ROUGE, and what it takes: "n" an order, "L" and "Lsum" 0, "S" and "SU" a gap, "W" a weight.
Type = tuple[str, float]


def rouge_rows(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, types: Sequence[Type], beta: float, each: bool,
    n_systems: int = 1, porter: bool = False,
) -> tuple[Array, Array | None, bool]:  # fmt: skip
    """Score predictions beside each of their references by what they share (Lin 2004).

    Texts, and the first four columns of the rows, are as for :func:`bleu_rows`; a type is its kind with its order,
    gap (negative for any) or weight. Then come precision, recall and F of each type: of the reference with the
    greatest F, of equal ones the first. With `each`, every reference has a row in the second array instead. "W" has
    its roots as NumPy takes them. With `porter`, words are their stems;
    texts are then in lower case, or read as if they were. The last value says whether all that is undefined: the
    table of "W", or of "Lsum" with several lines, would take more than 2 GiB.
    """
    items = pairs_of_lines(texts, n, reference_offsets, reading, n_systems, stem if porter else str)
    rows, pairs = np.zeros((n_systems * n, 4 + 3 * len(types))), []
    kinds = [kind for kind, _ in types]
    if not 0 < len(kinds) <= MOST_TYPES or kinds.count("W") > 1:
        raise ValueError(f"there can be {MOST_TYPES} types, and one of W")
    both = [(text, reference) for text, references in items for reference in references]
    uncounted = any(_way_back(*pair) > MOST_WAY_BACK for pair in both if _has_table(kinds, *pair))
    for row, (text, references) in zip(rows, items, strict=True):
        row[:4] = 1, not text, not references, len(references)
        triples = [] if uncounted else [
            [_measures(text, reference, *kind, beta) for kind in types] for reference in references
        ]  # fmt: skip
        pairs += triples
    of_pairs = np.array(pairs, np.float64).reshape(len(pairs), 3 * len(types))
    for place, (kind, number) in enumerate(types):
        if kind == "W" and not uncounted:
            _take_roots(of_pairs[:, 3 * place : 3 * place + 3], number, beta)
    last = 0
    for row, (_, references) in zip(rows, [] if each or uncounted else items, strict=False):
        first, last = last, last + len(references)
        for place in range(0, 3 * len(types) if references else 0, 3):
            of_type = of_pairs[first:last, place : place + 3]
            row[4 + place : 7 + place] = of_type[of_type[:, 2].argmax()]
    return rows, of_pairs if each else None, uncounted


def _has_table(kinds: list[str], text: Lines, reference: Lines) -> bool:
    return "W" in kinds or ("Lsum" in kinds and max(len(text), len(reference)) > 1)


def _way_back(text: Lines, reference: Lines) -> int:
    """Return the bytes that the greatest table of a pair takes, a bit a cell."""
    return 8 * sum(map(len, text)) * ((max(map(len, reference), default=0) + 63) >> 6)


def _measures(text: Lines, reference: Lines, kind: str, number: float, beta: float) -> tuple[float, float, float]:
    hits, of_text, of_reference = _counts(text, reference, kind, number)
    precision, recall = hits / max(of_text, 1), hits / max(of_reference, 1)
    return precision, recall, f_of_shares(precision, recall, beta)


def _take_roots(triples: Array, weight: float, beta: float) -> None:
    if weight != 1:
        triples[:, :2] **= 1 / weight
    triples[:, 2] = [f_of_shares(precision, recall, beta) for precision, recall, _ in triples.tolist()]


def _counts(text: Lines, reference: Lines, kind: str, number: float) -> tuple[float, float, float]:
    """Return the hits, and what precision and recall divide them by."""
    both = words, wanted = list(chain.from_iterable(text)), list(chain.from_iterable(reference))
    sizes = len(words), len(wanted)
    if kind == "n":
        order = int(number)
        return clipped(words, [wanted], order), *(max(size - order + 1, 0) for size in sizes)  # type: ignore[return-value]
    if kind == "L":
        return common_length(words, wanted), *sizes
    if kind == "Lsum":
        return sum(map(len, hit_lines(text, reference, *both))), *sizes
    if kind == "W":
        worth = [float(k) ** number for k in range(max(sizes) + 2)]
        hits = worth_of_runs(text, reference, *both, worth)
        return hits, worth[sizes[0]], sum(worth[len(line)] for line in reference) ** number
    pairs = [skip_bigrams(each, int(number)) for each in both]
    more = sizes if kind == "SU" else (0, 0)
    shared = clipped(words, [wanted], 1) if kind == "SU" else 0
    of_text, of_reference = (each.total() + extra for each, extra in zip(pairs, more, strict=True))
    return shared + (pairs[0] & pairs[1]).total(), of_text, of_reference
