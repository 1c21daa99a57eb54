"""What the texts of sets share, and what each repeats: counts of n-grams, for all texts of all sets at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import Ragged

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class NgramCounts(NamedTuple):
    """Counts of the n-grams of one order, shape (t,) each."""

    #: Those that the other texts of the set cover: BLEU's clipped matches, with the others as references.
    matches: Numbers
    #: The text's part in the different n-grams of its set: each is split among its occurrences.
    shares: Array
    #: How many different ones the text has.
    different: Numbers


def ngram_counts(ngrams: Ragged, n_types: int, sets: Numbers) -> NgramCounts:
    """Count the n-grams of texts, of which text t belongs to ``sets[t]``.

    An n-gram counts as a match at most as often as in the other text that has it most often: the greatest count of
    its set, or the second one for the only text that has the greatest. Time: that of sorting the n-grams.
    """
    n = len(sets)
    texts, ids, counts = _counted(ngrams, n_types)
    if not len(texts):
        return NgramCounts(np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
    of_set = sets[texts] * n_types + ids
    order = np.argsort(of_set)
    ranked = counts[order]
    starts = np.flatnonzero(np.diff(of_set[order], prepend=-1))
    which = np.empty_like(order)
    which[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    most, totals = np.maximum.reduceat(ranked, starts)[which], np.add.reduceat(ranked, starts)[which]
    leads = counts == most
    second = np.maximum.reduceat(np.where(leads, 0, counts)[order], starts)[which]
    alone = leads & (np.bincount(which, leads)[which] == 1)
    matches = np.bincount(texts, np.minimum(counts, np.where(alone, second, most)), n).astype(np.int64)
    # by rising totals: a sum that does not depend on the order of the texts, to the bit
    base = int(totals.max()) + 1
    pairs, times = np.unique(np.repeat(texts * base + totals, counts), return_counts=True)
    shares = np.bincount(pairs // base, times / (pairs % base), n).astype(np.float64)
    return NgramCounts(matches, shares, np.bincount(texts, minlength=n))


def _counted(ngrams: Ragged, n_types: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return each text with each of its different n-grams, and how often it has it."""
    texts = np.repeat(np.arange(len(ngrams.lengths)), ngrams.lengths)
    keys, counts = np.unique(texts * n_types + ngrams.values, return_counts=True)
    base = max(1, n_types)
    return keys // base, keys % base, counts


def moving_ratios(tokens: Ragged, n_types: int, window: int) -> Array:
    """Return the mean share of different tokens in the windows of each text, shape (t,) (Covington and McFall 2010).

    A text that is shorter than the window is one. A token counts in the windows that it is the first of its type in.
    """
    lengths = tokens.lengths
    texts = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(texts)) - tokens.offsets[texts]
    size = np.minimum(window, lengths)
    keys = texts * n_types + tokens.values
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    before = np.full(len(texts), -1)
    before[order[again + 1]] = places[order[again]]
    first = np.maximum(np.maximum(before, places - size[texts]) + 1, 0)
    last = np.minimum(places, (lengths - size)[texts])
    found = np.bincount(texts, np.maximum(last - first + 1, 0), len(lengths))
    ratios: Array = found / np.maximum((lengths - size + 1) * size, 1)
    return ratios


def closest_others(lengths: Numbers, sets: Numbers) -> Numbers:
    """Return the length of the other text of the set that is closest to each, of two the shorter; alone, its own."""
    order = np.lexsort((lengths, sets))
    ranked, same = lengths[order], np.diff(sets[order]) == 0
    far = 2 * int(lengths.max(initial=0)) + 1  # farther than any
    below, above = np.full(len(order), far), np.full(len(order), far)
    below[1:][same] = above[:-1][same] = np.diff(ranked)[same]
    nearest = np.where(below <= above, ranked - below, ranked + above)
    closest = np.empty_like(lengths)
    closest[order] = np.where(np.minimum(below, above) == far, ranked, nearest)
    return closest
