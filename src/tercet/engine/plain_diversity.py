"""What texts repeat of themselves, and of the others of their set, as rows of the metric diversity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tercet import numpy_later as np

from .plain_bleu import FIRST_MATCH, LENGTH
from .plain_ngrams import Ids, Places, ngrams, tokens_of_documents

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.float64]"


def diversity_rows(
    ids: Ids, offsets: Places, edges: Places, n_types: int, max_order: int, window: int, divisors: bool,
    n_columns: int,
) -> tuple[Rows, Rows]:  # fmt: skip
    """Return rows of the metric diversity, all zero from column 9 + 4 `max_order` on, and rows of BLEU.

    Set s has the texts ``edges[s]`` to ``edges[s + 1]``. A row has the base columns, 0, and pairs of a part and what
    it is a part of: 0 of 1 if the set has other texts, else of 0; for each order the text's part in the different
    n-grams of its set, each split among its occurrences, of its n-grams; the mean share of different tokens in its
    windows (Covington and McFall 2010; a shorter text is one), of 1; for each order the share of n-grams that repeat
    earlier ones, of 1. The rows of BLEU are those of the text against the others of its set, with base columns and
    further lengths of 0; `divisors` as of :func:`.plain_bleu.bleu_rows`. Time and memory: linear in tokens times
    `max_order`.
    """
    texts = tokens_of_documents(ids, offsets)
    rows = np.zeros((len(texts), n_columns))
    bleu = np.zeros((len(texts), FIRST_MATCH + (2 + divisors) * max_order))
    rows[:, 0] = 1
    for first, end in pairwise(edges.tolist()):
        texts_of_set = texts[first:end]
        has_others = end - first > 1
        closest = _closest_others([len(text) for text in texts_of_set])
        counts_by_order = [_counts_of_order(texts_of_set, n) for n in range(1, max_order + 1)]
        for index, text in enumerate(texts_of_set):
            counts = [counts_of_order[index] for counts_of_order in counts_by_order]
            n_ngrams = [max(len(text) - n, 0) for n in range(max_order)]
            at_least_one = [max(number, 1) for number in n_ngrams]
            matches = [counts_of_text.matches for counts_of_text in counts]
            shares = [counts_of_text.share for counts_of_text in counts]
            repeated = []
            for counts_of_text, number, divisor in zip(counts, n_ngrams, at_least_one, strict=True):
                repeated.append((number - counts_of_text.n_different) / divisor)
            parts = [0, *shares, _moving_ratio(text, window), *repeated]
            wholes = [has_others, *n_ngrams, len(text) > 0, *(number > 0 for number in n_ngrams)]
            row = rows[first + index]
            row[1] = not text
            row[5 : 9 + 4 * max_order] = np.column_stack([parts, wholes]).ravel()
            columns_of_bleu = [len(text), closest[len(text)], 0, 0, *matches, *n_ngrams]
            if divisors:
                columns_of_bleu += at_least_one
            bleu[first + index, LENGTH:] = columns_of_bleu
    return rows, bleu


class _Counts(NamedTuple):
    """What a text has of the n-grams of its set."""

    #: Those that the other texts have, too, each counted as often as in the one that has it most often.
    matches: int
    #: Its part in the different n-grams of the set, each split among its occurrences.
    share: float
    n_different: int


def _counts_of_order(texts: list[list[int]], n: int) -> list[_Counts]:
    """Return the counts of each text of a set."""
    counts = [ngrams(text, n) for text in texts]
    total: Counter[tuple[int, ...]] = Counter()
    greatest: dict[tuple[int, ...], list[int]] = {}  # its two greatest counts, the smaller first
    for counts_of_text in counts:
        total.update(counts_of_text)
        for ngram, count in counts_of_text.items():
            greatest[ngram] = sorted([*greatest.get(ngram, [0, 0]), count])[1:]
    counts_of_texts = []
    for counts_of_text in counts:
        matches = 0
        share = 0.0
        times: Counter[int] = Counter()
        for ngram, count in counts_of_text.items():
            second, most = greatest[ngram]
            most_of_others = second if count == most else most
            matches += min(count, most_of_others)
            times[total[ngram]] += count
        # By rising totals, so that the sum does not depend on the order of the texts, to the last bit.
        for of_set in sorted(times):
            share += times[of_set] / of_set
        counts_of_texts.append(_Counts(matches, share, len(counts_of_text)))
    return counts_of_texts


def _moving_ratio(text: Sequence[Any], window: int) -> float:
    """Return the mean share of different tokens: each counts in the windows that it is the first of its type in."""
    size = min(window, len(text))
    last_window = len(text) - size
    n_first = 0
    before: dict[Any, int] = {}  # where each type was last
    for position, token in enumerate(text):
        # Windows that hold the token and begin behind the one before of its type.
        n_first += max(min(position, last_window) - max(before.get(token, -1), position - size), 0)
        before[token] = position
    return n_first / max((len(text) - size + 1) * size, 1)


def _closest_others(lengths: list[int]) -> dict[int, int]:
    """Return for each length that of the other text closest to it, of two the shorter; alone, its own."""
    closest = {}
    n_texts = Counter(lengths)
    for length, n in n_texts.items():
        others = [other for other in n_texts if other != length or n > 1]
        closest[length] = length
        if others:
            closest[length] = min(others, key=lambda other: (abs(other - length), other))
    return closest
