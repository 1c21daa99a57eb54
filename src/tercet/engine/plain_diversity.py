"""What texts repeat of themselves, and of the others of their set, as rows of the metric diversity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np

from .plain_counts import Ids, Places, ngrams, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.float64]"


def diversity_rows(
    ids: Ids, offsets: Places, edges: Places, n_types: int, max_order: int, window: int, floors: bool, n_columns: int
) -> tuple[Rows, Rows]:
    """Return rows of the metric diversity, all zero from column 9 + 4 `max_order` on, and rows of BLEU.

    Set s has the texts ``edges[s]`` to ``edges[s + 1]``. A row has the base columns, 0, and pairs of a part and what
    it is a part of: 0 of 1 if the set has other texts, else of 0; for each order the text's part in the different
    n-grams of its set, each split among its occurrences, of its n-grams; the mean share of different tokens in its
    windows (Covington and McFall 2010; a shorter text is one), of 1; for each order the share of n-grams that repeat
    earlier ones, of 1. The rows of BLEU are those of the text against the others of its set, with base columns and
    further lengths of 0; `floors` as of :func:`.plain_rows.bleu_rows`. Time and memory: linear in tokens times
    `max_order`.
    """
    texts = rows_of(ids, offsets)
    rows = np.zeros((len(texts), n_columns))
    bleu = np.zeros((len(texts), 8 + (2 + floors) * max_order))
    rows[:, 0] = 1
    for first, end in pairwise(edges.tolist()):
        closest = _closest_others([len(text) for text in texts[first:end]])
        columns = [_counts_of_order(texts[first:end], n) for n in range(1, max_order + 1)]
        for place, text in enumerate(texts[first:end]):
            matches, shares, different = zip(*(counts[place] for counts in columns), strict=True)
            totals = [max(len(text) - n, 0) for n in range(max_order)]
            least = [max(total, 1) for total in totals]
            repeated = [(total - n) / floor for total, n, floor in zip(totals, different, least, strict=True)]
            parts = [0, *shares, _moving_ratio(text, window), *repeated]
            wholes = [end - first > 1, *totals, len(text) > 0, *(total > 0 for total in totals)]
            row = rows[first + place]
            row[1], row[5 : 9 + 4 * max_order] = not text, np.column_stack([parts, wholes]).ravel()
            lengths = [len(text), closest[len(text)], 0, 0]
            bleu[first + place, 4:] = [*lengths, *matches, *totals, *(least if floors else [])]
    return rows, bleu


def _counts_of_order(texts: list[list[int]], n: int) -> list[tuple[int, float, int]]:
    """Return for each text its matches with the others, its part in the set's n-grams, and how many it has."""
    counts = [ngrams(text, n) for text in texts]
    total: Counter[tuple[int, ...]] = Counter()
    greatest: dict[tuple[int, ...], list[int]] = {}  # the second, and the first
    for counts_of_text in counts:
        total.update(counts_of_text)
        for ngram, count in counts_of_text.items():
            greatest[ngram] = sorted([*greatest.get(ngram, [0, 0]), count])[1:]
    counts_of_texts = []
    for counts_of_text in counts:
        matches, share = 0, 0.0
        times: Counter[int] = Counter()
        for ngram, count in counts_of_text.items():
            second, most = greatest[ngram]
            matches += min(count, second if count == most else most)
            times[total[ngram]] += count
        # By rising totals, so that the sum does not depend on the order of the texts, to the last bit.
        for of_set in sorted(times):
            share += times[of_set] / of_set
        counts_of_texts.append((matches, share, len(counts_of_text)))
    return counts_of_texts


def _moving_ratio(text: Sequence[Any], window: int) -> float:
    """Return the mean share of different tokens: each counts in the windows that it is the first of its type in."""
    size, n_first = min(window, len(text)), 0
    before: dict[Any, int] = {}
    for place, token in enumerate(text):
        n_first += max(min(place, len(text) - size) - max(before.get(token, -1), place - size), 0)
        before[token] = place
    return n_first / max((len(text) - size + 1) * size, 1)


def _closest_others(lengths: list[int]) -> dict[int, int]:
    """Return for each length that of the other text closest to it, of two the shorter; alone, its own."""
    n_texts = Counter(lengths)
    return {
        length: length
        if n > 1
        else min((one for one in n_texts if one != length), key=lambda one: (abs(one - length), one), default=length)
        for length, n in n_texts.items()
    }
