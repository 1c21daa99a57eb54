"""N-grams that one system matches more often than another, as compare-mt finds them (Neubig et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import ngram_ids
from tercet.engine.ragged import Ragged, ranges
from tercet.explanation.levels import tally

from .segments import Pair, SystemPair
from .words import Array, Words, shared_counts

#: Words of an n-gram, at most.
_LONGEST_NGRAM = 4
#: N-grams of a list, at most.
_MOST = 10
#: The least difference in matches: one may be chance.
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Ngram:
    """An n-gram that one of two systems matches more often than the other."""

    text: str
    matches: dict[str, int]  # by system
    share: float  # share of the system with more matches, with 1 added to both (compare-mt's score)


def ngram_pairs(words: Words, pairs: Sequence[SystemPair]) -> list[Pair[Ngram]]:
    """Return the n-grams of 1 to 4 words that the systems of each pair match more often than each other.

    An n-gram of a prediction matches as often as it occurs in the prediction, but not more often than in the
    reference of the segment that has most of it. N-grams are sorted by (a + 1) / (a + b + 2) of the numbers of
    matches; of equal ones those with most matches come first, then the longest. Left out are a part of
    one that is listed, and one that is moved by a word from it, where the numbers are equal; and an n-gram with a
    single match more. Time is linear in the words of the systems of the pairs and of the references, but for sorting.
    """
    counts = _count_ngrams(words, list(dict.fromkeys(chain.from_iterable(pairs))))
    ngrams_of_pairs = []
    for baseline, system in pairs:
        groups = {system: counts.more_often(system, baseline), baseline: counts.more_often(baseline, system)}
        ngrams_of_pairs.append(Pair(baseline, system, groups))
    return ngrams_of_pairs


@dataclass(frozen=True, slots=True, eq=False)
class _NgramCounts:
    """The n-grams of some systems and of the references, and how often each system matches them."""

    words: Words
    values: NDArray[Any]  # the words of all texts
    orders: Array  # of each n-gram
    starts: Array  # where each n-gram stands first among the words
    matches: dict[str, Array]  # of each n-gram, by system

    def more_often(self, system: str, rival: str) -> list[Ngram]:
        """Return the n-grams that a system matches more often than its rival does, as `ngram_pairs` says."""
        matches = self.matches[system]
        rival_matches = self.matches[rival]
        shares = (matches + 1) / (matches + rival_matches + 2)
        chosen = np.flatnonzero(matches >= rival_matches + _LEAST)
        # the last key counts first
        keys = (self.starts[chosen], -self.orders[chosen], -matches[chosen], -shares[chosen])
        ngrams: list[Ngram] = []
        listed: dict[tuple[int, int], list[tuple[int, ...]]] = {}  # by their numbers of matches
        for index in chosen[np.lexsort(keys)].tolist():
            start = self.starts[index]
            ids = tuple(self.values[start : start + self.orders[index]].tolist())
            numbers = int(matches[index]), int(rival_matches[index])
            with_same_numbers = listed.setdefault(numbers, [])
            if any(_covers(earlier, ids) for earlier in with_same_numbers):
                continue
            with_same_numbers.append(ids)
            n_matches, n_rival_matches = numbers
            by_system = {system: n_matches, rival: n_rival_matches}
            ngrams.append(Ngram(self.words.read(ids), by_system, float(shares[index])))
            if len(ngrams) == _MOST:
                break
        return ngrams


def _count_ngrams(words: Words, systems: Sequence[str]) -> _NgramCounts:
    rows = np.concatenate([*map(words.rows, systems), words.references])
    owners = words.owners[rows]
    n = words.n_segments
    lengths = words.tokens.lengths[rows]
    values = words.tokens.values[ranges(words.tokens.offsets[:-1][rows], lengths)]
    tokens = Ragged(values, np.append(0, np.cumsum(lengths)))
    references = np.arange(len(systems) * n, len(rows))
    matches: dict[str, list[Array]] = {name: [] for name in systems}  # of each order
    starts = []
    for order in range(1, _LONGEST_NGRAM + 1):
        units, n_types = ngram_ids(tokens, order, words.n_types)
        reference_tally = tally(units, references, owners, n_types)
        for number, name in enumerate(systems):
            prediction_tally = tally(units, np.arange(n) + number * n, owners, n_types)
            keys, matches_by_key = shared_counts(prediction_tally, reference_tally)
            matches[name].append(np.bincount(keys % n_types, matches_by_key, minlength=n_types).astype(np.int64))
        # Where each n-gram starts first: written from the end, so that its first start is written last.
        first_starts = np.zeros(n_types, np.int64)
        first_starts[units.values[::-1]] = ranges(tokens.offsets[:-1], units.lengths)[::-1]
        starts.append(first_starts)
    return _NgramCounts(
        words=words,
        values=values,
        orders=np.repeat(np.arange(1, _LONGEST_NGRAM + 1), list(map(len, starts))),
        starts=np.concatenate(starts),
        matches={name: np.concatenate(matches_by_order) for name, matches_by_order in matches.items()},
    )


def _covers(listed: tuple[int, ...], ngram: tuple[int, ...]) -> bool:
    """Return whether an n-gram is a part of one that is listed, or is it but for a word at either end."""
    size = len(ngram)
    if size == len(listed):
        return size > 1 and (ngram[1:] == listed[:-1] or ngram[:-1] == listed[1:])
    return any(listed[start : start + size] == ngram for start in range(len(listed) - size + 1))
