"""Kernels of longest common subsequences.

Lengths come from bit-vectors (Hyyro 2004): bit i of a row is 0 where the table of the textbook grows from column
i to i + 1, and one token of the other text updates 64 columns with one addition.
"""

import numpy as np

from .jit import kernel
from .ngram_kernels import bit_count

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _most_words(offsets, documents):
    """Words of 64 bits that the longest of these documents takes."""
    longest = 1
    for document in documents:
        longest = max(longest, offsets[document + 1] - offsets[document])
    return (longest + 63) >> 6


@kernel
def _mark_places(ids, start, stop, local, table):
    """Write in which places of ``ids[start:stop]`` each of its tokens stands, as a row of bits in `table`.

    ``local[token]`` becomes the row of the token; it must be -1 before.
    """
    n_words = (stop - start + 63) >> 6
    n_local = 0
    for i in range(stop - start):
        token = ids[start + i]
        if local[token] < 0:
            local[token] = n_local
            for word in range(n_words):
                table[n_local, word] = _NONE
            n_local += 1
        table[local[token], i >> 6] |= _ONE << np.uint64(i & 63)


@kernel
def fill_lcs_lengths(ids, offsets, texts, references, n_types, lengths):
    """Fill `lengths`, shape (g,); see :func:`tercet.lcs.lcs_lengths`."""
    most_words = _most_words(offsets, references)
    places = np.zeros(n_types, np.uint64)
    local = np.empty(n_types if most_words > 1 else 0, np.int64)
    for token in range(len(local)):
        local[token] = -1
    table = np.zeros((min(n_types, most_words * 64) if most_words > 1 else 0, most_words), np.uint64)
    row = np.zeros(most_words, np.uint64)
    for pair in range(len(texts)):
        begin, end = offsets[texts[pair]], offsets[texts[pair] + 1]
        start, stop = offsets[references[pair]], offsets[references[pair] + 1]
        size = stop - start
        if size <= 64:
            for i in range(size):
                places[ids[start + i]] |= _ONE << np.uint64(i)
            bits = _ALL
            for p in range(begin, end):
                place = places[ids[p]]
                bits = (bits + (bits & place)) | (bits & ~place)
            grown = ~bits
            if size < 64:
                grown &= (_ONE << np.uint64(size)) - _ONE
            lengths[pair] = bit_count(grown)
            for i in range(size):
                places[ids[start + i]] = _NONE
            continue
        n_words = (size + 63) >> 6
        _mark_places(ids, start, stop, local, table)
        for word in range(n_words):
            row[word] = _ALL
        for p in range(begin, end):
            token = local[ids[p]]
            if token < 0:
                continue
            carry = _NONE
            for word in range(n_words):
                bits = row[word]
                place = table[token, word]
                both = bits & place
                added = bits + both
                total = added + carry
                carry = np.uint64(added < both) | np.uint64(total < added)
                row[word] = total | (bits & ~place)
        length = 0
        for word in range(n_words):
            grown = ~row[word]
            if word == n_words - 1 and size & 63:
                grown &= (_ONE << np.uint64(size & 63)) - _ONE
            length += bit_count(grown)
        lengths[pair] = length
        for i in range(size):
            local[ids[start + i]] = -1


@kernel
def fill_union_lcs_hits(ids, offsets, lines, line_offsets, texts, references, n_types, hits):
    """Fill `hits`, shape (g,); see :func:`tercet.lcs.union_lcs_hits`."""
    longest = 1
    for line in range(len(lines) - 1):
        longest = max(longest, lines[line + 1] - lines[line])
    most_words = (longest + 63) >> 6
    local = np.empty(n_types, np.int64)
    for token in range(len(local)):
        local[token] = -1
    left = np.zeros(n_types, np.int64)  # how often the text still has each token
    nowhere = min(n_types, most_words * 64)
    table = np.zeros((nowhere + 1, most_words), np.uint64)  # the last row stays empty: tokens not found
    rows = np.zeros((longest + 1, most_words), np.uint64)  # rows[j]: behind j tokens of the text's line
    found = np.zeros(longest, np.int64)
    marked = np.zeros(most_words * 64, np.int64)
    for pair in range(len(texts)):
        text, reference = texts[pair], references[pair]
        for p in range(offsets[text], offsets[text + 1]):
            left[ids[p]] += 1
        total = 0
        for line in range(line_offsets[reference], line_offsets[reference + 1]):
            start, stop = lines[line], lines[line + 1]
            size = stop - start
            n_words = (size + 63) >> 6
            _mark_places(ids, start, stop, local, table)
            for i in range(size):
                marked[i] = 0
            for other in range(line_offsets[text], line_offsets[text + 1]):
                begin, end = lines[other], lines[other + 1]
                for word in range(n_words):
                    rows[0, word] = _ALL
                for j in range(end - begin):
                    token = local[ids[begin + j]]
                    if token < 0:
                        token = nowhere
                    found[j] = token
                    carry = _NONE
                    for word in range(n_words):
                        bits = rows[j, word]
                        place = table[token, word]
                        both = bits & place
                        added = bits + both
                        sum_ = added + carry
                        carry = np.uint64(added < both) | np.uint64(sum_ < added)
                        rows[j + 1, word] = sum_ | (bits & ~place)
                i, j = size - 1, end - begin
                while i >= 0 and j > 0:
                    bit = _ONE << np.uint64(i & 63)
                    if table[found[j - 1], i >> 6] & bit:
                        marked[i] = 1
                        i -= 1
                        j -= 1
                    elif rows[j, i >> 6] & bit:
                        i -= 1
                    else:
                        j -= 1
            for i in range(size):
                token = ids[start + i]
                local[token] = -1
                if marked[i] > 0 and left[token] > 0:
                    left[token] -= 1
                    total += 1
        for p in range(offsets[text], offsets[text + 1]):
            left[ids[p]] = 0
        hits[pair] = total


@kernel
def fill_weighted_lcs_hits(
    ids, offsets, lines, line_offsets, texts, references, weights, n_types, steps, worth, hits
):  # fmt: skip
    """Fill `hits`, shape (g,); see :func:`tercet.lcs.weighted_lcs_hits`.

    `worth` is room for a row of the table (weighted length of each prefix of a line), `steps` for the way back.
    """
    run = np.zeros(len(worth), np.int64)  # the consecutive matches that end at each place of the line
    match, back_in_reference, back_in_text = 0, 1, 2
    left = np.zeros(n_types, np.int64)
    marked = np.zeros(len(worth), np.int64)
    for pair in range(len(texts)):
        text, reference = texts[pair], references[pair]
        for p in range(offsets[text], offsets[text + 1]):
            left[ids[p]] += 1
        total = 0.0
        for line in range(line_offsets[reference], line_offsets[reference + 1]):
            start = lines[line]
            size = lines[line + 1] - start
            for i in range(size + 1):
                marked[i] = 0
            for other in range(line_offsets[text], line_offsets[text + 1]):
                begin, end = lines[other], lines[other + 1]
                for i in range(size + 1):
                    worth[i] = 0.0
                    run[i] = 0
                for j in range(end - begin):
                    token = ids[begin + j]
                    diagonal, diagonal_run, before = 0.0, 0, 0.0
                    for i in range(1, size + 1):
                        above, above_run = worth[i], run[i]
                        if ids[start + i - 1] == token:
                            worth[i] = diagonal + weights[diagonal_run + 1] - weights[diagonal_run]
                            run[i] = diagonal_run + 1
                            steps[j, i] = match
                        else:
                            run[i] = 0
                            if before >= above:
                                worth[i] = before
                                steps[j, i] = back_in_reference
                            else:
                                steps[j, i] = back_in_text
                        diagonal, diagonal_run, before = above, above_run, worth[i]
                i, j = size, end - begin
                while i > 0 and j > 0:
                    step = steps[j - 1, i]
                    if step == match:
                        marked[i - 1] = 1
                    if step != back_in_text:
                        i -= 1
                    if step != back_in_reference:
                        j -= 1
            length = 0
            for i in range(size):
                token = ids[start + i]
                if marked[i] > 0 and left[token] > 0:
                    left[token] -= 1
                    length += 1
                    if i == size - 1 or marked[i + 1] == 0:
                        total += weights[length]
                        length = 0
        for p in range(offsets[text], offsets[text + 1]):
            left[ids[p]] = 0
        hits[pair] = total
