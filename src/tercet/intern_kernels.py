"""Kernel that splits bytes into tokens and gives each different token an id.

Every token costs one probe of a hash table. Tokens of up to seven bytes are their own key; longer ones are hashed
and compared with their first occurrence, so ids are exact.
"""

import numpy as np

from .jit import kernel

# What a byte means to the scanner.
WORD, SPACE, LINE, SINGLE, POINT, DASH, WIDE = range(7)
#   SPACE   separates tokens
#   LINE    separates tokens and lines
#   SINGLE  is a token of its own
#   POINT   full stop or comma of 13a: a token of its own unless digits stand on both sides
#   DASH    hyphen of 13a: a token of its own behind a digit
#   WIDE    may begin a white-space character outside ASCII

_MIX = np.uint64(0x9E3779B97F4A7C15)
_EMPTY = np.uint64(0)


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
def scan(
    data, offsets, first, classes, padded, state, keys, values, starts, lengths, ids,
    token_offsets, line_starts, line_offsets,
):  # fmt: skip
    """Scan documents from `first` on; return the first one that the table may not hold, or their number.

    The rules of 13a are four regular expressions applied one after the other; written as rules for one
    position they are: a full stop or comma stands alone if the byte behind it is not a digit, or if the byte
    before it is neither a digit nor a full stop that was itself taken by this second condition; a hyphen
    stands alone behind a digit.
    """
    n_tokens, n_lines, n_types = state[0], state[1], state[2]
    mask = len(keys) - 1
    room = min(len(keys) // 2, len(starts))
    n_documents = len(offsets) - 1
    document = first
    while document < n_documents:
        begin, end = offsets[document], offsets[document + 1]
        if n_types + most_types(end - begin) > room:
            break
        token_offsets[document] = n_tokens
        line_offsets[document] = n_lines
        fresh_line = True
        paired = np.int64(-2)  # the last full stop that was taken together with the byte before it
        p = begin
        while p < end:
            kind = classes[data[p]]
            if kind == SPACE:
                p += 1
                continue
            if kind == LINE:
                fresh_line = True
                p += 1
                continue
            if kind == WIDE:
                n_space = _space_length(data[p], data[p + 1] if p + 1 < end else 0, data[p + 2] if p + 2 < end else 0)
                if n_space > 0:
                    p += n_space
                    continue
            start = p
            while p < end:  # one token: [start, p)
                kind = classes[data[p]]
                if kind == WORD:
                    p += 1
                    continue
                alone = False
                if kind in (SPACE, LINE):
                    break
                if kind == SINGLE:
                    alone = True
                elif kind == WIDE:
                    n_space = _space_length(
                        data[p], data[p + 1] if p + 1 < end else 0, data[p + 2] if p + 2 < end else 0
                    )
                    if n_space > 0:
                        break
                elif kind == POINT:
                    digit_before = data[p - 1] >= 48 and data[p - 1] <= 57 if p > begin else not padded
                    digit_behind = data[p + 1] >= 48 and data[p + 1] <= 57 if p + 1 < end else not padded
                    pairs = not digit_before and paired != p - 1
                    if pairs:
                        paired = p
                    alone = pairs or not digit_behind
                elif kind == DASH:
                    alone = p > begin and data[p - 1] >= 48 and data[p - 1] <= 57
                if alone:
                    if p == start:
                        p += 1
                    break
                p += 1
            size = p - start
            key = np.uint64(0)
            if size <= 7:
                for q in range(start, p):
                    key = (key << np.uint64(8)) | np.uint64(data[q])
                key |= np.uint64(size) << np.uint64(56)
            else:
                word = np.uint64(0)
                for q in range(start, p):
                    word = (word << np.uint64(8)) | np.uint64(data[q])
                    if (q - start) & 7 == 7:
                        key = (key ^ word) * _MIX
                        key ^= key >> np.uint64(29)
                        word = np.uint64(0)
                key = (key ^ word ^ np.uint64(size)) * _MIX
                key |= np.uint64(1) << np.uint64(63)
            slot = _slot(key, mask)
            found = np.int32(-1)
            while keys[slot] != _EMPTY:
                if keys[slot] == key:
                    found = values[slot]
                    if size > 7:
                        same = lengths[found] == size
                        if same:
                            other = starts[found]
                            for q in range(size):
                                if data[other + q] != data[start + q]:
                                    same = False
                                    break
                        if not same:
                            found = np.int32(-1)
                    if found >= 0:
                        break
                slot = (slot + 1) & mask
            if found < 0:
                found = np.int32(n_types)
                keys[slot] = key
                values[slot] = found
                starts[n_types] = start
                lengths[n_types] = size
                n_types += 1
            if fresh_line:
                line_starts[n_lines] = n_tokens
                n_lines += 1
                fresh_line = False
            ids[n_tokens] = found
            n_tokens += 1
        document += 1
    state[0], state[1], state[2] = n_tokens, n_lines, n_types
    return document
