"""Kernels of clipped n-gram matches with several references, and of long texts.

Texts of up to 64 tokens keep a bit for every position, as in :mod:`.pair_kernels`, and one for each position of the
text at which a matched n-gram ends, with any reference. Longer texts number their n-grams by hashing (number of the
prefix, last token).
"""

import numpy as np

from tercet.core.bit_kernels import ALL, NONE, ONE, bit_count
from tercet.core.jit import kernel, part_of_kernel


@part_of_kernel
def match_by_bits(ids, offsets, text, first, last, places, ends, free, matched):
    """Set a bit in ``matched[n]`` for each position of the text at which a matched n-gram ends.

    `places`, of each type the positions in the present reference, is all zero before and after; `ends` and `free`
    are room to work in.
    """
    begin, end = offsets[text], offsets[text + 1]
    max_order = len(matched) - 1
    for n in range(max_order + 1):
        matched[n] = NONE
    for reference in range(first, last):
        start = offsets[reference]
        stop = offsets[reference + 1]
        bit = ONE
        for p in range(start, stop):
            places[ids[p]] |= bit
            bit <<= ONE
        for n in range(max_order + 1):
            ends[n] = NONE
            free[n] = ALL
        bit = ONE
        for p in range(begin, end):
            place = places[ids[p]]
            for n in range(max_order, 0, -1):  # without a branch: whether it matches is hard to foresee
                here = place if n == 1 else (ends[n - 1] << ONE) & place
                ends[n] = here
                open_ends = here & free[n]
                free[n] ^= open_ends & (NONE - open_ends)  # the lowest bit is used up
                matched[n] |= bit & (NONE - np.uint64(open_ends != NONE))
            bit <<= ONE
        for p in range(start, stop):
            places[ids[p]] = NONE


@part_of_kernel
def slot_of(key, keys):
    """Return the slot of a key in the table, or the empty one in which it belongs."""
    mask = np.uint64(len(keys) - 1)
    slot = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33) & mask
    while keys[slot] != NONE and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@part_of_kernel
def number_ngrams(n, ids, ngrams, offsets, first, last, keys, most, here, seen_in):
    """Number the n-grams of the references, and note in `most` how often a reference has each at most.

    ``ngrams[i]`` is the number of the n-gram that begins at token i: of order n - 1 before, of order n after.
    """
    start, is_only = offsets[first], last - first == 1
    for reference in range(first, last):
        begin, end = np.uint64(offsets[reference] - start), np.uint64(offsets[reference + 1] - start)
        for i in range(begin, max(end, begin + np.uint64(n - 1)) - np.uint64(n - 1)):
            token = np.uint64(ids[i + np.uint64(n - 1)])
            key = (np.uint64(ngrams[i] + 1) << np.uint64(32)) | token
            slot = token if n == 1 else slot_of(key, keys)
            ngrams[i] = slot
            is_new = keys[slot] == NONE
            keys[slot] = key
            if is_only:  # without a branch: whether it is new is hard to foresee
                most[slot] = (0 if is_new else most[slot]) + 1
                continue
            if is_new:
                most[slot] = here[slot] = 0
                seen_in[slot] = reference
            if seen_in[slot] != reference:
                seen_in[slot] = reference
                here[slot] = 0
            here[slot] += 1
            most[slot] = max(most[slot], here[slot])


@part_of_kernel
def take_ngrams(n, ids, ngrams, keys, most):
    """Return how many n-grams of the text the references cover; each is taken out of `most`.

    ``ngrams[i]`` is as in :func:`number_ngrams`, or -1 where no reference has the n-gram.
    """
    matches = 0
    for i in range(np.uint64(max(len(ids) - n + 1, 0))):
        token = ids[i + np.uint64(n - 1)]
        if ngrams[i] < 0 or token < 0:
            ngrams[i] = -1
            continue
        key = (np.uint64(ngrams[i] + 1) << np.uint64(32)) | np.uint64(token)
        slot = np.uint64(token) if n == 1 else slot_of(key, keys)
        is_known = keys[slot] != NONE
        ngrams[i] = np.int64(slot) if is_known else -1
        is_left = np.int64(is_known) & np.int64(most[slot] > 0)
        most[slot] -= is_left
        matches += is_left
    return matches


@part_of_kernel
def match_by_numbers(ids, offsets, text, first, last, small_ids, counts):
    """Fill `counts`, shape (max_order,), of one text; `small_ids` of every type is -1 before and after.

    The tokens of the references get ids from 0 on. The number of an n-gram is its slot in a table of open addressing,
    in which the next order finds its own by (number of the n-gram without its last token, last token); that of a
    single token is its id.
    """
    start, begin = offsets[first], offsets[text]
    total, size = offsets[last] - start, offsets[text + 1] - begin
    reference_ids, reference_ngrams = np.empty(total, np.int64), np.zeros(total, np.int64)
    text_ids, text_ngrams = np.empty(size, np.int64), np.zeros(size, np.int64)
    n_small = 0
    for i in range(np.uint64(total)):
        token = np.uint64(ids[np.uint64(start) + i])
        is_new = small_ids[token] < 0
        small_ids[token] = n_small if is_new else small_ids[token]
        n_small += is_new
        reference_ids[i] = small_ids[token]
    for i in range(np.uint64(size)):
        text_ids[i] = small_ids[np.uint64(ids[np.uint64(begin) + i])]
    capacity = 16
    while capacity < 4 * total:
        capacity *= 2
    keys, most = np.empty(capacity, np.uint64), np.empty(capacity, np.int64)
    here, seen_in = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    for n in range(1, len(counts) + 1):
        keys[:] = NONE
        number_ngrams(n, reference_ids, reference_ngrams, offsets, first, last, keys, most, here, seen_in)
        counts[n - 1] = take_ngrams(n, text_ids, text_ngrams, keys, most)
        if counts[n - 1] == 0:
            break
    for i in range(total):
        small_ids[ids[start + i]] = -1


@kernel
def fill_clipped_matches(ids, offsets, texts, firsts, lasts, chosen, n_types, counts):
    """Fill `counts`, shape (g, max_order), of the groups that are `chosen`.

    A group is a text and the documents ``firsts[group]`` to ``lasts[group]``; see
    :func:`tercet.counting.ngrams.clipped_matches`.
    """
    max_order = counts.shape[1]
    places = np.zeros(n_types, np.uint64)
    ends, free = np.zeros(max_order + 1, np.uint64), np.zeros(max_order + 1, np.uint64)
    matched = np.zeros(max_order + 1, np.uint64)
    small_ids = np.full(n_types, -1, np.int64)
    for group in chosen:
        text, first, last = texts[group], firsts[group], lasts[group]
        widest = offsets[text + 1] - offsets[text]
        if widest == 0 or first == last:
            continue
        for reference in range(first, last):
            widest = max(widest, offsets[reference + 1] - offsets[reference])
        if widest <= 64:
            match_by_bits(ids, offsets, text, first, last, places, ends, free, matched)
            for n in range(1, max_order + 1):
                counts[group, n - 1] = np.int64(bit_count(matched[n]))
        else:
            match_by_numbers(ids, offsets, text, first, last, small_ids, counts[group])
