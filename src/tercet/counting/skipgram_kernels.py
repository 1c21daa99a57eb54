"""Kernel of shared skip-bigrams.

Tables of all pairs would take the square of the vocabulary; taken one left token at a time they take a row.
"""

import numpy as np

from tercet.core.jit import kernel


@kernel
def fill_skip_bigram_matches(ids, offsets, texts, references, gap, n_types, matches):
    """Fill `matches`, shape (g,); see :func:`tercet.skipgrams.skip_bigram_matches`."""
    longest = 1
    for pair in range(len(texts)):
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
    for pair in range(len(texts)):
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
