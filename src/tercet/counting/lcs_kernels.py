"""Kernels of longest common subsequences.

Lengths come from bit-vectors, as in :mod:`.pair_kernels`. Long references are taken 64 columns at a time; each token
of the text then hands its carry to the next 64.

Who needs the places of the matches keeps a bit for each cell of the table, which says where the way back goes on: a
match is seen in the tokens.
"""

import numpy as np

from tercet.core.bit_kernels import ALL, NONE, ONE, bit_count
from tercet.core.jit import kernel


@kernel
def fill_lcs_lengths(ids, offsets, texts, references, chosen, n_types, lengths):
    """Fill `lengths`, shape (g,), of the pairs that are `chosen`, of any length; see :mod:`.pairs`."""
    longest = 0
    for pair in chosen:
        longest = max(longest, offsets[texts[pair] + 1] - offsets[texts[pair]])
    local = np.full(n_types, -1, np.int64)
    places = np.zeros(n_types, np.uint64)
    found = np.empty(longest, np.int64)  # the tokens of the text that are in the reference
    carries = np.empty(longest, np.uint64)
    for pair in chosen:
        start, stop = offsets[references[pair]], offsets[references[pair] + 1]
        n_local = 0
        for i in range(start, stop):
            if local[ids[i]] < 0:
                local[ids[i]] = n_local
                n_local += 1
        n_found = 0
        for p in range(offsets[texts[pair]], offsets[texts[pair] + 1]):
            if local[ids[p]] >= 0:
                found[n_found] = local[ids[p]]
                carries[n_found] = NONE
                n_found += 1
        length = NONE
        for first in range(start, stop, 64):
            last = min(first + 64, stop)
            for i in range(first, last):
                places[local[ids[i]]] |= ONE << np.uint64(i - first)
            bits = ALL
            for j in range(n_found):
                place = places[found[j]]
                both = bits & place
                added = bits + both
                total = added + carries[j]
                carries[j] = np.uint64(added < both) | np.uint64(total < added)
                bits = total | (bits & ~place)
            length += bit_count(~bits)
            for i in range(first, last):
                places[local[ids[i]]] = NONE
        lengths[pair] = np.int64(length)
        for i in range(start, stop):
            local[ids[i]] = -1


@kernel
def fill_union_lcs_hits(
    ids, offsets, lines, line_offsets, texts, references, n_types, left_ids, left_offsets, steps, carries, marked,
    hits,
):  # fmt: skip
    """Fill `hits`, shape (g,); see :func:`tercet.lcs.union_lcs_hits`.

    `steps` is room for the way back, `carries` for the tokens of a text, `marked` for those of a line.
    """
    places = np.zeros(n_types, np.uint64)
    left = np.zeros(n_types, np.int64)  # how often the text still has each token
    theirs = np.zeros(n_types, np.int64)  # the same of the reference
    for pair in range(len(texts)):
        text, reference = texts[pair], references[pair]
        head = offsets[text]
        length = offsets[text + 1] - head
        for p in range(left_offsets[text], left_offsets[text + 1]):
            left[left_ids[p]] += 1
        for p in range(left_offsets[reference], left_offsets[reference + 1]):
            theirs[left_ids[p]] += 1
        total_hits = 0
        for line in range(line_offsets[reference], line_offsets[reference + 1]):
            start = lines[line]
            size = lines[line + 1] - start
            for i in range(size):
                marked[i] = 0
            for p in range(length):
                carries[p] = NONE
            for word in range((size + 63) >> 6):
                first, last = 64 * word, min(64 * word + 64, size)
                for i in range(first, last):
                    places[ids[start + i]] |= ONE << np.uint64(i - first)
                for other in range(line_offsets[text], line_offsets[text + 1]):
                    bits = ALL
                    for p in range(lines[other] - head, lines[other + 1] - head):
                        place = places[ids[head + p]]
                        both = bits & place
                        added = bits + both
                        total = added + carries[p]
                        carries[p] = np.uint64(added < both) | np.uint64(total < added)
                        bits = total | (bits & ~place)
                        steps[word * length + p] = bits
                for i in range(first, last):
                    places[ids[start + i]] = NONE
            for other in range(line_offsets[text], line_offsets[text + 1]):
                begin = lines[other] - head
                i, p = size - 1, lines[other + 1] - head - 1
                while i >= 0 and p >= begin:
                    if ids[start + i] == ids[head + p]:
                        marked[i] = 1
                        i -= 1
                        p -= 1
                    elif steps[(i >> 6) * length + p] >> np.uint64(i & 63) & ONE:
                        i -= 1
                    else:
                        p -= 1
            for i in range(size):
                token = ids[start + i]
                if marked[i] > 0 and left[token] > 0 and theirs[token] > 0:
                    left[token] -= 1
                    theirs[token] -= 1
                    total_hits += 1
        for p in range(left_offsets[text], left_offsets[text + 1]):
            left[left_ids[p]] = 0
        for p in range(left_offsets[reference], left_offsets[reference + 1]):
            theirs[left_ids[p]] = 0
        hits[pair] = total_hits
