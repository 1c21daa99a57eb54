"""The kernel of few items: it calls the kernels of tokens and of matches, and needs nothing kept between calls."""

import numpy as np

from tercet.core.jit import kernel
from tercet.counting.lcs_kernels import fill_lcs_lengths
from tercet.counting.ngram_kernels import fill_clipped_matches
from tercet.text.intern_kernels import most_types, number_tokens


@kernel
def count_few(data, offsets, table, has_marks, max_order, with_lcs):
    """Return the counts of n pairs, shape (n, max_order + 3): matches, tokens of both texts, and their LCS, or 0.

    The 2n documents that begin at `offsets` in the bytes `data` are the n predictions, then their references. The
    table is small, as it is made anew in each call: shape (0, max_order + 3) where it does not hold all words.
    """
    n_documents = len(offsets) - 1
    n = n_documents // 2
    longest = 0
    for document in range(n_documents):
        longest = max(longest, offsets[document + 1] - offsets[document])
    capacity = 64
    while capacity < 2 * (len(data) // 8 + most_types(longest)):
        capacity *= 2
    keys, values = np.zeros(capacity, np.uint64), np.empty(capacity, np.int32)
    starts, lengths = np.empty(capacity // 2, np.int64), np.empty(capacity // 2, np.int64)
    ids, line_starts = np.empty(len(data) + 1, np.int32), np.empty(n_documents + 1, np.int64)
    token_offsets, line_offsets = np.empty(n_documents + 1, np.int64), np.empty(n_documents + 1, np.int64)
    state = np.zeros(3, np.int64)
    done = number_tokens(
        data, offsets, 0, table, True, has_marks, False, state, keys, values, starts, lengths, ids, token_offsets,
        line_starts, line_offsets,
    )  # fmt: skip
    if done < n_documents:
        return np.empty((0, max_order + 3), np.int64)
    token_offsets[n_documents] = state[0]
    texts, references = np.arange(n), n + np.arange(n + 1)
    matches, common = np.zeros((n, max_order), np.int64), np.zeros(n, np.int64)
    fill_clipped_matches(ids, token_offsets, texts, references, max_order, state[2], matches)
    if with_lcs:
        fill_lcs_lengths(ids, token_offsets, texts, references[:n], state[2], common)
    found = np.empty((n, max_order + 3), np.int64)
    for pair in range(n):
        found[pair, :max_order] = matches[pair]
        found[pair, max_order] = token_offsets[pair + 1] - token_offsets[pair]
        found[pair, max_order + 1] = token_offsets[n + pair + 1] - token_offsets[n + pair]
        found[pair, max_order + 2] = common[pair]
    return found
