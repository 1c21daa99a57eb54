"""Kernel of clipped n-gram matches.

Texts of up to 64 tokens keep a bit for every position: the set of places in the reference where the n-gram that
ends at the present token ends too is ``ends[n] = (ends[n - 1] << 1) & places[token]``; clipping takes the lowest
free bit. Longer texts number their n-grams by hashing (number of the prefix, last token).
"""

import numpy as np

from tercet.core.jit import kernel

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def bit_count(bits):
    """Return the number of ones among 64 bits (sums of pairs, fours, bytes)."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def fill_clipped_matches(ids, offsets, texts, first_reference, max_order, n_types, counts):
    """Fill `counts`, shape (g, max_order); see :func:`tercet.ngrams.clipped_matches`."""
    places = np.zeros(n_types, np.uint64)  # of each type, the positions in the present reference
    ends = np.zeros(max_order + 1, np.uint64)
    free = np.zeros(max_order + 1, np.uint64)
    matched = np.zeros(max_order + 1, np.uint64)  # positions in the text
    longest = 0
    for group in range(len(texts)):
        size = offsets[texts[group] + 1] - offsets[texts[group]]
        first, last = first_reference[group], first_reference[group + 1]
        total = offsets[last] - offsets[first]
        widest = size
        for reference in range(first, last):
            widest = max(widest, offsets[reference + 1] - offsets[reference])
        if widest > 64:
            longest = max(longest, size, total)
    local = np.empty(n_types if longest > 0 else 0, np.int64)
    for token in range(len(local)):
        local[token] = -1
    capacity = 16
    while capacity < 2 * longest:
        capacity *= 2
    keys = np.zeros(capacity, np.uint64)
    most, here = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    seen_in, number = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    reference_ids, reference_ngram = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    text_ids, text_ngram = np.zeros(longest, np.int64), np.zeros(longest, np.int64)

    for group in range(len(texts)):
        begin = offsets[texts[group]]
        size = offsets[texts[group] + 1] - begin
        first, last = first_reference[group], first_reference[group + 1]
        widest = size
        for reference in range(first, last):
            widest = max(widest, offsets[reference + 1] - offsets[reference])
        if size == 0 or first == last:
            continue
        if widest <= 64:
            for n in range(max_order + 1):
                matched[n] = _NONE
            for reference in range(first, last):
                start = offsets[reference]
                stop = offsets[reference + 1]
                bit = _ONE
                for p in range(start, stop):
                    places[ids[p]] |= bit
                    bit <<= _ONE
                for n in range(max_order + 1):
                    ends[n] = _NONE
                    free[n] = _ALL
                bit = _ONE
                for p in range(begin, begin + size):
                    place = places[ids[p]]
                    for n in range(max_order, 0, -1):  # without a branch: whether it matches is hard to foresee
                        end = place if n == 1 else (ends[n - 1] << _ONE) & place
                        ends[n] = end
                        open_ends = end & free[n]
                        free[n] ^= open_ends & (_NONE - open_ends)  # the lowest bit is used up
                        matched[n] |= bit & (_NONE - np.uint64(open_ends != _NONE))
                    bit <<= _ONE
                for p in range(start, stop):
                    places[ids[p]] = _NONE
            for n in range(1, max_order + 1):
                counts[group, n - 1] = bit_count(matched[n])
            continue

        start = offsets[first]
        total = offsets[last] - start
        n_local = 0
        for i in range(total):
            token = ids[start + i]
            if local[token] < 0:
                local[token] = n_local
                n_local += 1
            reference_ids[i] = local[token]
            reference_ngram[i] = 0
        for i in range(size):
            text_ids[i] = local[ids[begin + i]]
            text_ngram[i] = 0
        capacity = 16
        while capacity < 2 * total:
            capacity *= 2
        mask = capacity - 1
        for n in range(1, max_order + 1):
            for slot in range(capacity):
                keys[slot] = _NONE
            n_ngrams = 0
            for reference in range(first, last):
                low = offsets[reference] - start
                high = offsets[reference + 1] - start
                for i in range(low, high - n + 1):
                    key = (np.uint64(reference_ngram[i] + 1) << np.uint64(32)) | np.uint64(reference_ids[i + n - 1])
                    slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & mask
                    while keys[slot] != _NONE and keys[slot] != key:
                        slot = (slot + 1) & mask
                    if keys[slot] == _NONE:
                        keys[slot] = key
                        most[slot] = 0
                        here[slot] = 0
                        seen_in[slot] = reference
                        number[slot] = n_ngrams
                        n_ngrams += 1
                    if seen_in[slot] != reference:
                        seen_in[slot] = reference
                        here[slot] = 0
                    here[slot] += 1
                    most[slot] = max(most[slot], here[slot])
                    reference_ngram[i] = number[slot]
            matches = 0
            for i in range(size - n + 1):
                if text_ngram[i] < 0:
                    continue
                if text_ids[i + n - 1] < 0:
                    text_ngram[i] = -1
                    continue
                key = (np.uint64(text_ngram[i] + 1) << np.uint64(32)) | np.uint64(text_ids[i + n - 1])
                slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & mask
                while keys[slot] != _NONE and keys[slot] != key:
                    slot = (slot + 1) & mask
                if keys[slot] == _NONE:
                    text_ngram[i] = -1
                else:
                    text_ngram[i] = number[slot]
                    if most[slot] > 0:
                        most[slot] -= 1
                        matches += 1
            counts[group, n - 1] = matches
        for i in range(total):
            local[ids[start + i]] = -1
