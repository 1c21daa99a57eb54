"""Kernels that split bytes into tokens and give each different token an id.

Three steps a document: mark the words between blanks without a branch (a mispredicted one costs more than the work
on a letter), split the few words that hold marks, and number the tokens, one probe of a hash table each.

The key of a token is the number that its bytes, plus 1, write in base 257: exact for up to seven bytes; longer tokens
overflow, and are compared with their first occurrence, so ids are exact.
"""

import numpy as np

from tercet.core.jit import kernel

# What a byte is read as (its value plus 1, or 0 for a separator), and in the upper bits what else it means.
SEPARATOR = 0
READ_AS = 0x1FF
SINGLE, POINT, DASH, WIDE = 0x200, 0x400, 0x800, 0x1000
#   SINGLE  is a token of its own
#   POINT   full stop or comma of 13a: a token of its own unless digits stand on both sides
#   DASH    hyphen of 13a: a token of its own behind a digit
#   WIDE    may begin a white-space character outside ASCII
_MARKED = 1 << 31  # of a span: the word holds such a byte
_SIZE = _MARKED - 1  # of a span: the bytes of the word

_EMPTY = np.uint64(0)
_LONG = np.uint64(1) << np.uint64(63)  # of a key: more than seven bytes


@kernel
def count_ascii_letters(data):
    """Count the bytes A to Z and a to z."""
    count = 0
    for byte in data:
        count += ((byte | 0x20) - 97) & 0xFF < 26
    return count


@kernel
def count_line_ends(data):
    """Count the bytes that end a line."""
    count = 0
    for byte in data:
        count += byte == 10
    return count


@kernel
def most_types(n_bytes):
    """Bound on the different tokens in `n_bytes`: 256 of one byte, else a byte and a neighbour each."""
    return n_bytes // 2 + 257


@kernel
def _slot(key, mask):
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))


@kernel
def rehash(keys, values, new_keys, new_values):
    """Move every entry of an open-addressing table into a larger empty one."""
    mask = len(new_keys) - 1
    for old in range(len(keys)):
        if keys[old] != 0:
            slot = _slot(keys[old], mask)
            while new_keys[slot] != 0:
                slot = (slot + 1) & mask
            new_keys[slot] = keys[old]
            new_values[slot] = values[old]
    return new_keys, new_values


@kernel
def _mark_words(data, begin, end, table, keys, spans):
    """Write key and span of every word in ``data[begin:end]`` and return their number.

    A span is the size of a word, _MARKED where it holds a byte that means more than itself, and its end counted from
    `begin` in the upper half. Every byte writes to the place of the present or the next word; what stays is what its
    last byte wrote.
    """
    n_words, key, size, marked, before = 0, _EMPTY, 0, 0, 0
    for p in range(begin, end):
        entry = np.int64(table[data[p]])
        inside = np.int64(entry != SEPARATOR)
        n_words += before & (inside ^ 1)
        key = ((key << np.uint64(8)) + key + np.uint64(entry & READ_AS)) & (_EMPTY - np.uint64(inside))
        size = (size + 1) & -inside
        marked = (marked | entry) & -inside
        keys[n_words] = key
        spans[n_words] = (p + 1 - begin) << 32 | np.int64(marked > READ_AS) << 31 | size
        before = inside
    return n_words + before


@kernel
def _space_length(first, second, third):
    """Bytes of the white-space character outside ASCII that these bytes begin with (str.isspace), or 0."""
    if first == 0xC2:  # U+0085, U+00A0
        return 2 if second == 0x85 or second == 0xA0 else 0
    if first == 0xE1:  # U+1680
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE2:
        if second == 0x80:  # U+2000 to U+200A, U+2028, U+2029, U+202F
            return 3 if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0
        return 3 if second == 0x81 and third == 0x9F else 0  # U+205F
    return 3 if first == 0xE3 and second == 0x80 and third == 0x80 else 0  # U+3000


@kernel
def _split_word(data, start, stop, low, begin, end, table, padded, keys, spans, n_tokens):
    """Write the tokens of the word ``data[start:stop]`` from place `n_tokens` on; return the place behind them.

    The rules of 13a are four regular expressions applied one after the other. As rules for one position they are: a
    full stop or comma stands alone if the byte behind it is not a digit, or if the byte before it is neither a digit
    nor a full stop that was itself taken by this second condition; a hyphen stands alone behind a digit. The
    document is ``data[begin:end]``; beyond it stands a blank if `padded`, else nothing that a rule could match. The
    ends in spans are counted from `low`.
    """
    paired = -2  # the last full stop that was taken together with the byte before it
    key, size = _EMPTY, 0
    p = start
    while p <= stop:
        n_space, alone, entry = 0, False, 0
        if p < stop:
            entry = np.int64(table[data[p]])
            if entry & WIDE:
                n_space = _space_length(
                    data[p], data[p + 1] if p + 1 < stop else 0, data[p + 2] if p + 2 < stop else 0
                )
            elif entry & POINT:
                digit_before = data[p - 1] >= 48 and data[p - 1] <= 57 if p > begin else not padded
                digit_behind = data[p + 1] >= 48 and data[p + 1] <= 57 if p + 1 < end else not padded
                pairs = not digit_before and paired != p - 1
                if pairs:
                    paired = p
                alone = pairs or not digit_behind
            elif entry & DASH:
                alone = p > begin and data[p - 1] >= 48 and data[p - 1] <= 57
            else:
                alone = entry & SINGLE > 0
        if size > 0 and (alone or n_space > 0 or p == stop):
            keys[n_tokens], spans[n_tokens] = key, (p - low) << 32 | size
            n_tokens += 1
            key, size = _EMPTY, 0
        if n_space > 0:
            p += n_space
            continue
        if p < stop:
            key = (key << np.uint64(8)) + key + np.uint64(entry & READ_AS)
            size += 1
            if alone:
                keys[n_tokens], spans[n_tokens] = key, (p + 1 - low) << 32 | size
                n_tokens += 1
                key, size = _EMPTY, 0
        p += 1
    return n_tokens


@kernel
def number_tokens(
    data, offsets, first, table, padded, has_marks, has_lines, state, keys, values, starts, lengths, ids,
    token_offsets, line_starts, line_offsets,
):  # fmt: skip
    """Number the tokens of documents from `first` on; return the first one that the table may not hold.

    See :func:`tercet.intern.intern_bytes` for the arrays. `state` counts tokens, lines and types so far; `keys` and
    `values` are the hash table (ids by key); `starts` and `lengths` the bytes of each type's first occurrence.
    """
    n_tokens, n_lines, n_types = state[0], state[1], state[2]
    mask = len(keys) - 1
    room = min(len(keys) // 2, len(starts))
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    word_keys, word_spans = np.empty(longest // 2 + 2, np.uint64), np.empty(longest // 2 + 2, np.int64)
    token_keys, token_spans = np.empty(longest + 1, np.uint64), np.empty(longest + 1, np.int64)
    for document in range(first, len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        if n_types + most_types(end - begin) > room:
            state[0], state[1], state[2] = n_tokens, n_lines, n_types
            return document
        token_offsets[document] = n_tokens
        line_offsets[document] = n_lines
        low = begin
        while low < end:
            high = end
            if has_lines:
                high = low
                while high < end and data[high] != 10:
                    high += 1
            if has_marks:
                n_words = _mark_words(data, low, high, table, word_keys, word_spans)
                n_found = np.int64(0)
                for word in range(n_words):
                    span = word_spans[word]
                    if span & _MARKED:
                        stop = low + (span >> 32)
                        n_found = _split_word(
                            data, stop - (span & _SIZE), stop, low, begin, end, table, padded,
                            token_keys, token_spans, n_found,
                        )  # fmt: skip
                    else:
                        token_keys[n_found], token_spans[n_found] = word_keys[word], span
                        n_found += 1
            else:
                n_found = _mark_words(data, low, high, table, token_keys, token_spans)
            if n_found > 0:
                line_starts[n_lines] = n_tokens
                n_lines += 1
            for token in range(n_found):
                size = token_spans[token] & _SIZE
                start = low + (token_spans[token] >> 32) - size
                key = token_keys[token]
                if size > 7:
                    key |= _LONG
                slot = _slot(key, mask)
                found = -1
                while keys[slot] != _EMPTY:
                    if keys[slot] == key:
                        found = np.int64(values[slot])
                        if size > 7:
                            same = lengths[found] == size
                            if same:
                                other = starts[found]
                                for q in range(size):
                                    if table[data[other + q]] != table[data[start + q]]:
                                        same = False
                                        break
                            if not same:
                                found = -1
                        if found >= 0:
                            break
                    slot = (slot + 1) & mask
                if found < 0:
                    found = n_types
                    keys[slot] = key
                    values[slot] = found
                    starts[n_types] = start
                    lengths[n_types] = size
                    n_types += 1
                ids[n_tokens] = found
                n_tokens += 1
            low = high + 1
    state[0], state[1], state[2] = n_tokens, n_lines, n_types
    return len(offsets) - 1
