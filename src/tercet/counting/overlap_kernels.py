"""Kernels of overlaps: how many units two documents share, as sets or as multisets, and n-grams as such units."""

import numpy as np

from tercet.core.jit import kernel

from .ngram_kernels import slot_of


@kernel
def fill_set_overlaps(ids, offsets, texts, references, seen, shared, either):
    """Fill `shared` and `either`, shape (m,): the sizes of intersection and union of the sets of each pair.

    `seen`, of each id the last pair that met it, holds -1 everywhere; one look at it for each token.
    """
    for pair in range(len(texts)):
        in_text, in_both = 2 * pair, 2 * pair + 1
        n_either, n_shared = 0, 0
        for p in range(offsets[texts[pair]], offsets[texts[pair] + 1]):
            n_either += seen[ids[p]] != in_text
            seen[ids[p]] = in_text
        for p in range(offsets[references[pair]], offsets[references[pair] + 1]):
            before = seen[ids[p]]
            n_shared += before == in_text
            n_either += before < in_text
            seen[ids[p]] = in_both
        shared[pair], either[pair] = n_shared, n_either


@kernel
def fill_multiset_overlaps(ids, offsets, texts, references, left, shared, either):
    """Fill `shared` and `either`, shape (m,): sums of the smaller and of the greater number of each unit.

    `left`, of each id how many the text has left, is all zero before and after.
    """
    for pair in range(len(texts)):
        begin, end = offsets[texts[pair]], offsets[texts[pair] + 1]
        start, stop = offsets[references[pair]], offsets[references[pair] + 1]
        n_shared = 0
        for p in range(begin, end):
            left[ids[p]] += 1
        for p in range(start, stop):
            n_shared += left[ids[p]] > 0
            left[ids[p]] -= 1
        for p in range(begin, end):
            left[ids[p]] = 0
        for p in range(start, stop):
            left[ids[p]] = 0
        shared[pair], either[pair] = n_shared, end - begin + stop - start - n_shared


@kernel
def number_ngrams_of_all(ids, offsets, order, numbers, keys, values):
    """Number the n-grams of all documents; return how many different ones there are.

    ``numbers[i]`` is the number of the n-gram that begins at token i, of order - 1 before and of `order` after: equal
    n-grams of any documents have equal numbers. `keys` is an empty table of open addressing, `values` its room.
    """
    n_types = 0
    for document in range(len(offsets) - 1):
        for i in range(offsets[document], offsets[document + 1] - order + 1):
            key = (np.uint64(numbers[i] + 1) << np.uint64(32)) | np.uint64(ids[i + order - 1])
            slot = slot_of(key, keys)
            if keys[slot] == 0:
                keys[slot], values[slot] = key, n_types
                n_types += 1
            numbers[i] = values[slot]
    return n_types
