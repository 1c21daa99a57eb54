"""Kernels of shared skip-bigrams, which count pairs of the tokens that both texts have.

Of short texts a small table counts all pairs of the reference, and the text takes its own from it. Tokens of one
text only are number 0, whose row and column count nothing, and so are the places behind a text: each token then has
as many partners as any other, and no branch has to be foreseen. Of long texts a table would take the square of their
tokens; taken one left token at a time they take a row.
"""

import numpy as np

from tercet.core.bit_kernels import ONE
from tercet.core.jit import kernel

#: The most tokens of the shorter text of a pair whose table stays in the caches.
MOST_TOKENS_IN_TABLE = 200

_U32, _U64 = np.uint32, np.uint64
_IN_TEXT = _U32(0xFFFFFFFF)


@kernel
def fill_by_table(ids, offsets, texts, references, chosen, gap, n_types, matches):
    """Fill `matches`, shape (g,), of the pairs that are `chosen`; see :func:`.skipgrams.skip_bigram_matches`.

    `ids`, `offsets`, `texts` and `references` are unsigned; a negative `gap` stands for any.
    """
    longest = ONE
    for pair in chosen:
        longest = max(longest, offsets[texts[pair] + ONE] - offsets[texts[pair]])
        longest = max(longest, offsets[references[pair] + ONE] - offsets[references[pair]])
    any_gap = gap < 0
    room = longest if any_gap else longest + min(longest, _U64(gap) + ONE)
    own, other = np.zeros(room, np.uint32), np.zeros(room, np.uint32)  # the tokens' numbers in the table
    number_of = np.zeros(n_types, np.uint32)  # of the tokens that both have, from 1
    table = np.zeros((MOST_TOKENS_IN_TABLE + 1) ** 2, np.uint32)
    for pair in chosen:
        text, reference = offsets[texts[pair]], offsets[references[pair]]
        size, length = offsets[texts[pair] + ONE] - text, offsets[references[pair] + ONE] - reference
        for i in range(size):
            number_of[ids[text + i]] = _IN_TEXT
        n_common, n_own, n_other = _U32(0), _U64(0), _U64(0)
        for i in range(length):
            number = number_of[ids[reference + i]]
            if number == _IN_TEXT:
                n_common += _U32(1)
                number = n_common
                number_of[ids[reference + i]] = number
            other[n_other] = number
            n_other += _U64(number > _U32(0)) if any_gap else ONE  # what stands between does not matter
        for i in range(size):
            number = number_of[ids[text + i]]
            own[n_own] = number * _U32(number != _IN_TEXT)
            n_own += _U64(own[n_own] > _U32(0)) if any_gap else ONE
        for i in range(size):
            number_of[ids[text + i]] = _U32(0)
        reach = longest if any_gap else min(longest, _U64(gap) + ONE)
        if not any_gap:
            for i in range(reach):
                own[n_own + i] = _U32(0)
                other[n_other + i] = _U32(0)
        width = _U64(n_common) + ONE
        for i in range(n_other):
            row = _U64(other[i]) * width
            for j in range(i + ONE, n_other if any_gap else i + ONE + reach):
                table[row + other[j]] += _U32(1)
        total = _U64(0)
        for i in range(n_own):
            row, is_common = _U64(own[i]) * width, own[i] > _U32(0)
            for j in range(i + ONE, n_own if any_gap else i + ONE + reach):
                left = table[row + own[j]]
                is_shared = (left > _U32(0)) & (own[j] > _U32(0)) & is_common
                table[row + own[j]] = left - _U32(is_shared)
                total += _U64(is_shared)
        for i in range(width * width):
            table[i] = _U32(0)
        matches[pair] = np.int64(total)


@kernel
def fill_by_rows(ids, offsets, texts, references, chosen, gap, n_types, matches):
    """Fill `matches` as :func:`fill_by_table` does, for texts of any length."""
    longest = 1
    for pair in chosen:
        longest = max(longest, offsets[texts[pair] + 1] - offsets[texts[pair]])
        longest = max(longest, offsets[references[pair] + 1] - offsets[references[pair]])
    local = np.empty(n_types, np.int64)
    for token in range(len(local)):
        local[token] = -1
    sides = np.empty((2, longest), np.int64)  # local ids of the text and of the reference, -1 if not in both
    following = np.empty((2, longest), np.int64)  # the next position of the same token
    heads = np.empty((2, longest), np.int64)  # the first position of each token
    row = np.zeros((2, longest), np.int64)  # of the present left token: how often with each right one
    size = np.empty(2, np.int64)
    for pair in chosen:
        text, reference = offsets[texts[pair]], offsets[references[pair]]
        size[0] = offsets[texts[pair] + 1] - text
        size[1] = offsets[references[pair] + 1] - reference
        for i in range(size[1]):
            local[ids[reference + i]] = -2
        n_common = 0
        for i in range(size[0]):
            token = ids[text + i]
            if local[token] == -2:
                local[token] = n_common
                n_common += 1
            sides[0, i] = local[token]
        for i in range(size[1]):
            sides[1, i] = max(local[ids[reference + i]], -1)
        for i in range(size[1]):
            local[ids[reference + i]] = -1
        for side in range(2):
            if gap < 0:  # distances do not matter: keep the common tokens only
                kept = 0
                for i in range(size[side]):
                    if sides[side, i] >= 0:
                        sides[side, kept] = sides[side, i]
                        kept += 1
                size[side] = kept
            for token in range(n_common):
                heads[side, token] = -1
            for i in range(size[side] - 1, -1, -1):
                token = sides[side, i]
                if token >= 0:
                    following[side, i] = heads[side, token]
                    heads[side, token] = i
        total = 0
        for left in range(n_common):
            for side in range(2):
                i = heads[side, left]
                if gap < 0:
                    before = 0
                    for j in range(i, size[side]):
                        right = sides[side, j]
                        row[side, right] += before
                        before += right == left
                    continue
                while i >= 0:
                    for j in range(i + 1, min(size[side], i + gap + 2)):
                        if sides[side, j] >= 0:
                            row[side, sides[side, j]] += 1
                    i = following[side, i]
            for right in range(n_common):
                total += min(row[0, right], row[1, right])
                row[0, right] = 0
                row[1, right] = 0
        matches[pair] = total
