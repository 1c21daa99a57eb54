"""Kernels that count what a text shares with one reference: clipped n-grams, and the longest common subsequence.

All counts come from sets of places in the reference, one bit each: where the token stands that the text has at i, and
from these, order by order, where the n-gram ends that ends at i in the text: ``(ends[i - 1] << 1) & places[i]``.
Clipping takes the lowest place that is still free. The longest common subsequence is that of Hyyro (2004): bit i of a
row is 0 where the textbook's table grows from column i to i + 1.

One kernel is for texts of up to 64 tokens, whose sets are one number each; the other for sets of several numbers, 64
tokens in each, which pays off up to some hundreds of tokens. What is an index is unsigned: numba adds a check to each
access by a signed one.
"""

import numpy as np

from tercet.core.bit_kernels import ALL, NONE, ONE, bit_count
from tercet.core.jit import kernel, part_of_kernel

_U64 = np.uint64

#: The longest documents whose sets of places are one number each.
MOST_TOKENS = 64


@part_of_kernel
def _clipped(ends, size):
    """Return how many n-grams of the text find an end in the reference that no earlier one has taken."""
    free = ALL
    for i in range(size):
        open_ends = ends[i] & free
        free ^= open_ends & (NONE - open_ends)  # the lowest bit is used up
    return bit_count(~free)


@part_of_kernel
def _common(places, size):
    """Return the length of the longest common subsequence."""
    row = ALL
    for i in range(size):
        row = (row + (row & places[i])) | (row & ~places[i])
    return bit_count(~row)


@kernel
def fill_short_pairs(ids, offsets, texts, references, chosen, max_order, with_lcs, n_types, counts, lengths):
    """Fill `counts`, shape (g, max_order), and, if asked for, `lengths`, of the pairs that are `chosen`.

    Their documents have up to 64 tokens. See :func:`tercet.counting.pairs.pair_matches`; `ids`, `offsets`, `texts`
    and `references` are unsigned, and `counts` and `lengths` zero before.
    """
    of_type = np.zeros(n_types, np.uint64)  # of each type, its places in the present reference
    places, ends = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for pair in chosen:
        begin, start = offsets[texts[pair]], offsets[references[pair]]
        size, length = offsets[texts[pair] + ONE] - begin, offsets[references[pair] + ONE] - start
        for i in range(length):
            of_type[ids[start + i]] |= ONE << i
        for i in range(size):
            places[i] = ends[i] = of_type[ids[begin + i]]
        for i in range(length):
            of_type[ids[start + i]] = NONE
        for order in range(max_order):
            if order > 0:
                for i in range(size - ONE, NONE, -1):
                    ends[_U64(i)] = (ends[_U64(i) - ONE] << ONE) & places[_U64(i)]
                ends[0] = NONE
            counts[pair, order] = _clipped(ends, size)
            if counts[pair, order] == 0:
                break
        if with_lcs:
            lengths[pair] = _common(places, size)


@part_of_kernel
def _clipped_rows(ends, size, n_words, free):
    """As :func:`_clipped`, for sets of several words: row i of `ends` begins at ``i * n_words``."""
    for word in range(n_words):
        free[word] = ALL
    for i in range(size):
        row, not_yet = _U64(i) * n_words, ALL
        for word in range(n_words):
            open_ends = ends[row + word] & free[word]
            taken = open_ends & (NONE - open_ends) & not_yet
            free[word] ^= taken
            not_yet &= _U64(taken != NONE) - ONE
    n = NONE
    for word in range(n_words):
        n += bit_count(~free[word])
    return n


@part_of_kernel
def _common_rows(table, rows, size, n_words, bits):
    """As :func:`_common`; a word hands its carry to the next."""
    for word in range(n_words):
        bits[word] = ALL
    for i in range(size):
        if rows[i] == 0:
            continue
        row, carry = _U64(rows[i]) * n_words, NONE
        for word in range(n_words):
            both = bits[word] & table[row + word]
            added = bits[word] + both
            total = added + carry
            carry = _U64(added < both) | _U64(total < carry)
            bits[word] = total | (bits[word] ^ both)
    n = NONE
    for word in range(n_words):
        n += bit_count(~bits[word])
    return n


@kernel
def fill_longer_pairs(ids, offsets, texts, references, chosen, max_order, with_lcs, n_types, counts, lengths):
    """Fill `counts` and `lengths` as :func:`fill_short_pairs` does, for documents of any length."""
    longest, longest_text = ONE, ONE
    for pair in chosen:
        longest = max(longest, offsets[references[pair] + ONE] - offsets[references[pair]])
        longest_text = max(longest_text, offsets[texts[pair] + ONE] - offsets[texts[pair]])
    most_words = (longest + _U64(63)) >> _U64(6)
    row_of = np.zeros(n_types, np.uint32)  # of each type in the present reference, from 1 on
    table = np.zeros((min(_U64(n_types), longest) + ONE) * most_words, np.uint64)  # their places; row 0 stays empty
    rows = np.empty(longest_text, np.uint32)  # of the tokens of the text
    ends, room = np.empty(longest_text * most_words, np.uint64), np.empty(most_words, np.uint64)
    for pair in chosen:
        begin, start = offsets[texts[pair]], offsets[references[pair]]
        size, length = offsets[texts[pair] + ONE] - begin, offsets[references[pair] + ONE] - start
        n_words = (length + _U64(63)) >> _U64(6)
        n_rows = np.uint32(0)
        for i in range(length):
            token = ids[start + i]
            if row_of[token] == 0:
                n_rows += np.uint32(1)
                row_of[token] = n_rows
                for word in range(n_words):
                    table[_U64(n_rows) * n_words + word] = NONE
            table[_U64(row_of[token]) * n_words + (_U64(i) >> _U64(6))] |= ONE << (_U64(i) & _U64(63))
        for word in range(n_words):
            table[word] = NONE
        for i in range(size):
            rows[i] = row_of[ids[begin + i]]
        for i in range(length):
            row_of[ids[start + i]] = 0
        for order in range(max_order):
            for i in range(size - ONE, -1, -1):
                here, places = _U64(i) * n_words, _U64(rows[_U64(i)]) * n_words
                if order == 0:
                    for word in range(n_words):
                        ends[here + word] = table[places + word]
                elif i == 0:
                    for word in range(n_words):
                        ends[word] = NONE
                else:
                    before, carry = here - n_words, NONE
                    for word in range(n_words):
                        bits = ends[before + word]
                        ends[here + word] = ((bits << ONE) | carry) & table[places + word]
                        carry = bits >> _U64(63)
            counts[pair, order] = _clipped_rows(ends, size, n_words, room)
            if counts[pair, order] == 0:
                break
        if with_lcs:
            lengths[pair] = _common_rows(table, rows, size, n_words, room)
