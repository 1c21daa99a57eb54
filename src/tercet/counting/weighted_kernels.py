"""Kernel of weighted longest common subsequences, from match to match.

The worth of a cell is the greatest weight of a subsequence up to it; the way back (traceback) finds its matches.

A row of the textbook's table changes at few places, and is kept as a bit for each of them, and the worth there. The
rows of the text "the cat" for the reference "a cat, the cat", where k in a row are worth k * k:

              a     cat   the   cat          changes at
    the       0     0     1     1            "the"
    cat       0     1     1     4            both "cat"

Off the matches a cell is the greater of its left and its upper neighbour, so a match wipes out the changes behind it
up to the first that is worth more. A match itself is worth what its upper left neighbour gives, even where that is
less than its left neighbour: a dip, which the next row fills. The way back goes along matches, else up where the row
changes (there it rises), else left. Sums and ties are those of the textbook.
"""

import numpy as np

from tercet.core.bit_kernels import ALL, NONE, ONE, bit_count, is_set, lowest_bit
from tercet.core.jit import kernel, part_of_kernel

from .table_row import Row

_U32, _U64 = np.uint32, np.uint64


@part_of_kernel
def _highest_bit(bits):
    for shift in (1, 2, 4, 8, 16, 32):
        bits |= bits >> _U64(shift)
    return bit_count(bits) - ONE


@part_of_kernel
def _worth_at(row, place):
    """Return the worth of a cell: that of the last place up to it where the row changes."""
    word = place >> _U64(6)
    bits = row.changes[word] & (ALL >> (_U64(63) - (place & _U64(63))))
    while bits == NONE:
        word -= ONE
        bits = row.changes[word]
    return row.worth[(word << _U64(6)) + _highest_bit(bits)]


@part_of_kernel
def _spread(row, place, best, limit):
    """Let the cells behind a place be worth at least `best`, up to `limit`."""
    place += ONE
    while place < limit:
        word = place >> _U64(6)
        bits = row.changes[word] >> (place & _U64(63))
        if bits == NONE:
            place = (word + ONE) << _U64(6)
            continue
        place += lowest_bit(bits)
        if place >= limit or row.worth[place] > best:
            return
        row.changes[word] ^= ONE << (place & _U64(63))


@part_of_kernel
def _find_matches(row, j, place, weights):
    """Note what the matches of row j, the first one at `place`, are worth; return their number.

    A match goes on from its upper left neighbour, so that all are found before the row is changed.
    """
    n = NONE
    while place != NONE:
        before = place - ONE
        length = row.run[before] if row.row_of_run[before] == j - 1 else _U32(0)
        corner = _worth_at(row, before)
        row.above[n] = row.worth[place] if is_set(row.changes, place) else corner
        row.found[n] = corner + weights[length + _U32(1)] - weights[length]
        row.found_run[n] = length + _U32(1)
        n += ONE
        place = _U64(row.following[place])
    return n


@part_of_kernel
def _change(row, j, place, n_found, n_dips, size):
    """Make row j out of the one above it; return the number of its dips."""
    old, new = row.dips[j & 1], row.dips[1 - (j & 1)]
    n_new, dip, match = NONE, NONE, NONE
    while match < n_found or dip < n_dips:
        limit = place if match < n_found else size + ONE
        if dip < n_dips and old[dip] < limit:  # no match here any more: it is as great as its left neighbour
            hole = _U64(old[dip])
            dip += ONE
            before = _worth_at(row, hole - ONE)
            if before >= row.worth[hole]:
                row.changes[hole >> _U64(6)] &= ~(ONE << (hole & _U64(63)))
                _spread(row, hole, before, limit)
            continue
        if dip < n_dips and old[dip] == place:
            dip += ONE
        best, behind = row.found[match], _U64(row.following[place])
        if best <= _worth_at(row, place - ONE):
            new[n_new] = place
            n_new += ONE
        row.changes[place >> _U64(6)] |= ONE << (place & _U64(63))
        row.worth[place], row.run[place], row.row_of_run[place] = best, row.found_run[match], j
        limit, after = behind if behind != NONE else size + ONE, place + ONE
        if after < limit:
            if row.above[match] > best and not is_set(row.changes, after):
                row.changes[after >> _U64(6)] |= ONE << (after & _U64(63))
                row.worth[after] = row.above[match]
            else:
                _spread(row, place, best, limit)
        match += ONE
        place = behind
    return n_new


@part_of_kernel
def _fill_rows(ids, begin, n_rows, size, first, weights, row, kept, row_of):
    """Keep where each row of a line of the text changes; ``row_of[j]`` is that of row j, or the last that changed."""
    n_words = (size >> _U64(6)) + ONE
    for word in range(n_words):
        row.changes[word] = NONE
        kept[word] = NONE
    row.changes[0], row.worth[0] = ONE, 0.0
    for place in range(size + ONE):
        row.row_of_run[place] = -1
    n_kept, n_dips, row_of[0] = NONE, NONE, NONE
    for j in range(1, n_rows + 1):
        place = _U64(first[ids[begin + _U64(j - 1)]])
        if place != NONE or n_dips != NONE:
            n_dips = _change(row, j, place, _find_matches(row, j, place, weights), n_dips, size)
            n_kept += ONE
            for word in range(n_words):
                kept[n_kept * n_words + word] = row.changes[word]
        row_of[_U64(j)] = n_kept


@kernel
def fill_weighted_lcs_hits(
    ids, lines, line_offsets, texts, references, left_ids, left_offsets, weights, n_types, arrays, kept, row_of, hits
):  # fmt: skip
    """Fill `hits`, shape (g,); see :func:`tercet.counting.weighted.weighted_lcs_hits`.

    All numbers but weights and hits are unsigned. Places in a line count from 1; `first` is the first one of each
    type, ``row.following`` the next of the same, 0 none.
    """
    row = Row(*arrays)  # a plain tuple is given: cached kernels must not ask for a class
    first = np.zeros(n_types, np.uint32)
    left, theirs = np.zeros(n_types, np.uint32), np.zeros(n_types, np.uint32)
    for pair in range(len(texts)):
        text, reference = texts[pair], references[pair]
        for p in range(left_offsets[text], left_offsets[text + ONE]):
            left[left_ids[p]] += _U32(1)
        for p in range(left_offsets[reference], left_offsets[reference + ONE]):
            theirs[left_ids[p]] += _U32(1)
        total = 0.0
        for line in range(line_offsets[reference], line_offsets[reference + ONE]):
            start = lines[line]
            size = lines[line + ONE] - start
            n_words = (size >> _U64(6)) + ONE
            for i in range(size):
                place = size - i
                token = ids[start + place - ONE]
                row.following[place] = first[token]
                first[token] = place
                row.marked[place] = 0
            for other in range(line_offsets[text], line_offsets[text + ONE]):
                begin, n_rows = lines[other], lines[other + ONE] - lines[other]
                _fill_rows(ids, begin, np.int64(n_rows), size, first, weights, row, kept, row_of)
                i, j = size, n_rows
                while i > NONE and j > NONE:
                    if ids[start + i - ONE] == ids[begin + j - ONE]:
                        row.marked[i] = 1
                        i -= ONE
                        j -= ONE
                    elif is_set(kept[row_of[j] * n_words :], i):
                        j -= ONE
                    else:
                        i -= ONE
            row.marked[size + ONE] = 0
            length = NONE
            for i in range(ONE, size + ONE):
                token = ids[start + i - ONE]
                first[token] = 0
                if row.marked[i] > 0 and left[token] > 0 and theirs[token] > 0:
                    left[token] -= _U32(1)
                    theirs[token] -= _U32(1)
                    length += ONE
                    if row.marked[i + ONE] == 0:
                        total += weights[length]
                        length = NONE
        for p in range(left_offsets[text], left_offsets[text + ONE]):
            left[left_ids[p]] = _U32(0)
        for p in range(left_offsets[reference], left_offsets[reference + ONE]):
            theirs[left_ids[p]] = _U32(0)
        hits[pair] = total
