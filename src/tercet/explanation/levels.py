"""How far each token matches: the longest n-gram through it that counts, in one text or in a whole batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tercet import numpy_later as np
from tercet.engine.counting import ngram_ids
from tercet.engine.ragged import Ragged, TokenBatch, ranges

from .matches import Ids, Word, ngrams

if TYPE_CHECKING:
    from numpy.typing import NDArray

Indices: TypeAlias = "NDArray[np.int64]"


def ngram_levels(ids: Ids, limits: Mapping[int, Counter[tuple[int, ...]]]) -> list[int]:
    """Return for each token the longest counted n-gram through it; `limits` say how often each may count."""
    occurrences = []
    for order, counter in limits.items():
        numbers = {ngram: number for number, ngram in enumerate(counter)}
        hits = [(start, numbers[ngram]) for start, ngram in enumerate(ngrams(ids, order)) if ngram in numbers]
        if hits:
            starts, which = np.array(hits, np.int64).T
            limits_of_order = np.array(list(counter.values()), np.int64)
            occurrences.append(Occurrences(order, starts, which, limits_of_order))
    levels: list[int] = levels_of(len(ids), occurrences).tolist()
    return levels


def levels_of_predictions(tokens: TokenBatch, orders: Iterable[int]) -> list[list[int]]:
    """Return for each token of each prediction the longest n-gram through it that its references count."""
    return _levels(tokens.tokens, tokens.reference_counts, tokens.n_types, orders)


def levels_of_pairs(
    texts: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]], orders: Iterable[int]
) -> list[list[int]]:
    """Return for each token of each text the longest n-gram through it that its one reference counts."""
    types: dict[Hashable, int] = {}
    documents = [[types.setdefault(token, len(types)) for token in text] for text in (*texts, *references)]
    values = np.fromiter(chain.from_iterable(documents), np.int32)
    offsets = np.append(0, np.cumsum([len(ids) for ids in documents]))
    return _levels(Ragged(values, offsets), np.ones(len(texts), np.int64), len(types), orders)


def words_of_pairs(
    texts: Sequence[Sequence[str]], references: Sequence[Sequence[str]], orders: Iterable[int]
) -> list[list[Word]]:
    """Return the words of each text, which has one reference, with their levels."""
    word = cache(Word)  # one that is found again need not be made again
    levels = levels_of_pairs(texts, references, orders)
    words = []
    for text, levels_of_text in zip(texts, levels, strict=True):
        words.append(list(map(word, text, levels_of_text)))
    return words


def _levels(tokens: Ragged, reference_counts: Indices, n_types: int, orders: Iterable[int]) -> list[list[int]]:
    """Return the levels of the first documents; the others are their references, item by item."""
    n = len(reference_counts)
    owners = np.append(np.arange(n), np.repeat(np.arange(n), reference_counts))
    occurrences = []
    for order in orders:
        ngrams_of_texts, n_ngrams = ngram_ids(tokens, order, n_types)
        keys, limits = tally(ngrams_of_texts, np.arange(n, len(owners)), owners, n_ngrams)
        lengths = ngrams_of_texts.lengths[:n]
        keys_of_texts = owners[:n].repeat(lengths) * n_ngrams + ngrams_of_texts.values[: lengths.sum()]
        which = np.searchsorted(keys, keys_of_texts)
        hits = np.flatnonzero(np.append(keys, -1)[which] == keys_of_texts)
        starts = ranges(tokens.offsets[:n], lengths)
        occurrences.append(Occurrences(order, starts[hits], which[hits], limits))
    offsets = tokens.offsets[: n + 1]
    return Ragged(levels_of(int(offsets[-1]), occurrences), offsets).lists()


class Occurrences(NamedTuple):
    """Where the n-grams of an order stand that may count."""

    order: int
    starts: Indices  # ascending
    which: Indices  # the n-gram that starts there
    limits: Indices  # how often each n-gram may count


def levels_of(n_tokens: int, occurrences: Iterable[Occurrences]) -> Indices:
    """Return for each token the longest counted n-gram that goes through it.

    An n-gram counts as often as its limit says: where it stands within longer ones that count, then where it comes
    first.
    """
    levels = np.zeros(n_tokens, np.int64)
    for order, starts, which, limits in sorted(occurrences, key=attrgetter("order"), reverse=True):
        # a token that has a level has that of a longer n-gram
        unmarked = np.append(0, np.cumsum(levels == 0))
        is_outside = unmarked[starts + order] > unmarked[starts]
        remaining_counts = limits - np.bincount(which[~is_outside], minlength=len(limits))
        starts = starts[is_outside]
        which = which[is_outside]
        in_order = np.argsort(which, kind="stable")
        starts = starts[in_order]
        which = which[in_order]
        n_before = np.arange(len(which)) - np.searchsorted(which, which)
        counted_starts = starts[n_before < remaining_counts[which]]
        covered = (counted_starts[:, None] + np.arange(order)).ravel()
        levels[covered[levels[covered] == 0]] = order
    return levels


def tally(units: Ragged, rows: Indices, owners: Indices, n_types: int) -> tuple[Indices, Indices]:
    """Return how often each unit occurs in each segment: keys (segment times `n_types` plus unit) and counts.

    For a segment with several rows, such as references, the highest count of a row.
    """
    lengths = units.lengths[rows]
    values = units.values[ranges(units.offsets[:-1][rows], lengths)].astype(np.int64)
    keys, counts = np.unique(np.repeat(np.arange(len(rows)), lengths) * n_types + values, return_counts=True)
    keys_of_segments = owners[rows][keys // n_types] * n_types + keys % n_types
    # each segment has one row: nothing to merge
    if len(np.unique(owners[rows])) == len(rows):
        return keys_of_segments, counts
    merged, rows_of_merged = np.unique(keys_of_segments, return_inverse=True)
    most = np.zeros(len(merged), np.int64)
    np.maximum.at(most, rows_of_merged, counts)
    return merged, most
