"""N-grams that one system matches more often than another, as compare-mt finds them (Neubig et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import ngram_ids
from tercet.engine.ragged import Ragged, ranges

from .segments import Pair
from .words import Words, matched, tally

#: Words of an n-gram at most, and n-grams of a list.
_LONGEST, _MOST = 4, 10
#: The least difference in matches: one may be chance.
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Ngram:
    """An n-gram, and how often two systems match it."""

    text: str
    matches: tuple[int, int]
    share: float  # share of the system with more matches, with 1 added to both (compare-mt's score)


def ngram_pairs(words: Words, pairs: Sequence[tuple[str, str]]) -> list[Pair[Ngram]]:
    """Return the n-grams of 1 to 4 words that the systems of each pair match more often than each other.

    An n-gram of a prediction matches as often as it occurs in the prediction, but not more often than in the
    reference of the segment that has most of it. N-grams are sorted by (a + 1) / (a + b + 2) of the numbers of
    matches; of equal ones those with most matches come first, then the longest. A part of one that is listed, or the
    same moved by a word, is left out where it has the same numbers, as is an n-gram with a single match more. Time is
    linear in the words of the systems of the pairs and of the references, but for sorting.
    """
    involved = list(dict.fromkeys(name for pair in pairs for name in pair))
    rows = np.concatenate([*(words.rows(name) for name in involved), words.references])
    owners, n = words.owners[rows], words.n_segments
    lengths = words.tokens.lengths[rows]
    values = words.tokens.values[ranges(words.tokens.offsets[:-1][rows], lengths)]
    tokens = Ragged(values, np.append(0, np.cumsum(lengths)))
    references = np.arange(len(involved) * n, len(rows))
    counts: dict[str, list[NDArray[np.int64]]] = {name: [] for name in involved}
    starts = []
    for order in range(1, _LONGEST + 1):
        units, n_types = ngram_ids(tokens, order, words.n_types)
        expected = tally(units, references, owners, n_types)
        for place, name in enumerate(involved):
            keys, found = matched(tally(units, np.arange(n) + place * n, owners, n_types), expected)
            counts[name].append(np.bincount(keys % n_types, found, minlength=n_types).astype(np.int64))
        first = np.zeros(n_types, np.int64)
        first[units.values[::-1]] = ranges(tokens.offsets[:-1], units.lengths)[::-1]  # where each stands first
        starts.append(first)
    orders = np.repeat(np.arange(1, _LONGEST + 1), [len(each) for each in starts])
    places = np.concatenate(starts)
    of_systems = {name: np.concatenate(own) for name, own in counts.items()}

    def listed(more: str, less: str, swapped: bool) -> list[Ngram]:
        a, b = of_systems[more], of_systems[less]
        share = (a + 1) / (a + b + 2)
        chosen = np.flatnonzero(a >= b + _LEAST)
        chosen = chosen[np.lexsort((places[chosen], -orders[chosen], -a[chosen], -share[chosen]))]
        kept: list[tuple[tuple[int, ...], tuple[int, int], float]] = []
        for each in chosen.tolist():
            ngram = tuple(values[places[each] : places[each] + orders[each]].tolist())
            matches = int(a[each]), int(b[each])
            if not any(matches == own and _covers(other, ngram) for other, own, _ in kept):
                kept.append((ngram, matches, float(share[each])))
            if len(kept) == _MOST:
                break
        return [
            Ngram(words.read(ngram), matches[::-1] if swapped else matches, clear) for ngram, matches, clear in kept
        ]

    return [
        Pair(one, other, [(other, listed(other, one, True)), (one, listed(one, other, False))])
        for one, other in pairs
    ]


def _covers(listed: tuple[int, ...], ngram: tuple[int, ...]) -> bool:
    """Return whether an n-gram is a part of one that is listed, or is it but for a word at either end."""
    size = len(ngram)
    if size == len(listed):
        return size > 1 and (ngram[1:] == listed[:-1] or ngram[:-1] == listed[1:])
    return any(listed[start : start + size] == ngram for start in range(len(listed) - size + 1))
