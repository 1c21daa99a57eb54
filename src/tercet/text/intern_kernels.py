"""Kernels that give each different token of many texts a number.

Some texts at a time: :mod:`.edge_kernels` finds the places of their tokens; all tokens are looked up where their keys
belong in a hash table, without a branch; the few that were not found there, or are longer than a key, are looked up
again, one by one.

The key of a token is its first and its second eight bytes, each loaded at once: exact for up to sixteen. Of longer
tokens the second half is a hash, which no short token has, and they are compared with their first occurrence.
"""

import numpy as np

from tercet.core.bit_kernels import NONE, ONE, bit_count
from tercet.core.jit import kernel, part_of_kernel

from .edge_kernels import INSIDE, LOWER_WORDS, U64, count_before, find_edges
from .workspace import Workspace

U32 = np.uint32

#: Bytes of texts that are split at a time: what is made of them stays in the fastest cache.
CHUNK = 1 << 13
_LONGEST_KEY = U64(16)
#: A byte that UTF-8 never has, in the place of a token's eighth or sixteenth.
FOREIGN = U64(0xFE) << U64(56)
# What is kept of the first and of the second eight bytes, by the size of a token; nothing of longer ones.
_MASKS = np.array([[(1 << 8 * min(n, 8)) - 1, (1 << 8 * max(n - 8, 0)) - 1] for n in range(17)] + [[0, 0]], np.uint64)


@kernel
def count_ascii_letters(data):
    """Count the bytes A to Z and a to z."""
    count = 0
    for byte in data:
        count += ((byte | 0x20) - 97) & 0xFF < 26
    return count


@kernel
def mark_without_ascii(data, bounds, marks):
    """Mark the texts that have none of the letters A to Z and a to z."""
    for text in range(len(marks)):
        marks[text] = True
        for at in range(bounds[text], bounds[text + 1]):
            if ((data[at] | 0x20) - 97) & 0xFF < 26:
                marks[text] = False
                break


@kernel
def count_line_ends(data):
    """Count the bytes that end a line."""
    count = 0
    for byte in data:
        count += byte == 10
    return count


@part_of_kernel
def _home(low, high, shift):
    """Return the slot in which a key belongs."""
    return ((low ^ (high * U64(0xC2B2AE3D27D4EB4F))) * U64(0x9E3779B97F4A7C15)) >> shift


@part_of_kernel
def _shift_of(slots):
    """Return by how many bits a hash is shifted to become one of the slots, a power of two."""
    return U64(64) - bit_count(U64(len(slots) - 1))


@part_of_kernel
def _long_key(words, start, size):
    """Return what stands for the bytes behind the eighth of a long token."""
    key = size
    for p in range(start + U64(8), start + size - U64(8), U64(8)):
        key = (key ^ words[p]) * U64(0x9E3779B97F4A7C15)
        key ^= key >> U64(32)
    return (((key ^ words[start + size - U64(8)]) * U64(0x9E3779B97F4A7C15)) >> U64(8)) | FOREIGN


@part_of_kernel
def _same(data, one, other, size, lower):
    """Whether two tokens of the same size are the same; `lower`: they are of ASCII letters and digits in any case."""
    for q in range(size):
        different = data[one + q] ^ data[other + q]
        if different != 0 and not (lower and different == 32):
            return False
    return True


@kernel
def rehash(keys, n_types, slots):
    """Enter every type in a larger empty table."""
    shift, mask = _shift_of(slots), U64(len(slots) - 1)
    for number in range(1, n_types + 1):
        slot = _home(keys[number, 0], keys[number, 1], shift)
        while slots[slot] != 0:
            slot = (slot + ONE) & mask
        slots[slot] = number


@part_of_kernel
def _look_up(work, n, slots, keys, ids):
    """Write the number in the home slot of each token, right or not; return how many are wrong, listed in `missed`.

    Plain loops, one behind the other, take half the time of one that does all.
    """
    shift = _shift_of(slots)
    for token in range(n):
        start = U64(work.starts[token])
        size = min(U64(work.ends[token]) - start, _LONGEST_KEY + ONE)
        work.lows[token] = work.words[start] & _MASKS[size, U64(0)]
        work.highs[token] = work.words[start + U64(8)] & _MASKS[size, ONE]
    for token in range(n):
        work.homes[token] = _home(work.lows[token], work.highs[token], shift)
    for token in range(n):
        ids[token] = slots[work.homes[token]]
    n_missed = NONE
    for token in range(n):
        number = ids[token]
        work.missed[n_missed] = token
        n_missed += U64((keys[number, U64(0)] != work.lows[token]) | (keys[number, ONE] != work.highs[token]))
    for token in range(n):
        ids[token] -= U32(1)
    return n_missed


@part_of_kernel
def _look_up_again(data, base, lower, work, n_missed, slots, keys, spans, n_types, ids):
    """Find the tokens listed in `missed`, or give them new numbers; return the number of types."""
    shift, mask, words = _shift_of(slots), U64(len(slots) - 1), work.words
    for miss in range(n_missed):
        token = work.missed[miss]
        start = U64(work.starts[token])
        size = U64(work.ends[token]) - start
        low = words[start] & _MASKS[min(size, U64(8)), U64(0)]
        high = words[start + U64(8)] & _MASKS[min(size, _LONGEST_KEY), ONE]
        if size > _LONGEST_KEY:
            high = _long_key(words, start, size)
        slot = _home(low, high, shift)
        while slots[slot] != 0:
            number = slots[slot]
            if keys[number, U64(0)] == low and keys[number, ONE] == high:
                if size <= _LONGEST_KEY:
                    break
                if spans[number, ONE] == size and _same(data, spans[number, U64(0)], base + start, size, lower):
                    break
            slot = (slot + ONE) & mask
        if slots[slot] == 0:
            n_types += 1
            slots[slot] = n_types
            number = U64(n_types)
            keys[number, U64(0)], keys[number, ONE] = low, high
            spans[number, U64(0)], spans[number, ONE] = base + start, size
        ids[token] = slots[slot] - U32(1)
    return n_types


@kernel
def number_tokens(
    data, bounds, first, reading, arrays, slots, keys, spans, state, ids, token_offsets, line_starts, line_offsets
):  # fmt: skip
    """Number the tokens of documents from `first` on; return the first one that the table may not hold.

    Parameters
    ----------
    data, bounds, reading
        See :func:`.intern.intern_bytes`.
    arrays : tuple of ndarray
        Those of a Workspace for CHUNK bytes, or the longest document; or for all of them.
    slots : ndarray of uint32
        The hash table: numbers of types, from 1 on.
    keys, spans : ndarray of uint64, shape (k, 2)
        By these numbers, the keys of types, and the place and size of their first occurrence; the key of 0 is none.
    state : ndarray of int64, shape (3,)
        Tokens, lines and types so far.
    ids, token_offsets, line_starts, line_offsets
        Filled; see :class:`.intern.Interned`.
    """
    work = Workspace(*arrays)  # a plain tuple is given: cached kernels must not ask for a class
    n_tokens, n_lines, n_types = state[0], state[1], state[2]
    n_documents = len(bounds) - 1
    document = first
    while document < n_documents:
        stop = document + 1
        while stop < n_documents and bounds[stop + 1] - bounds[document] <= CHUNK:
            stop += 1
        base = bounds[document]
        chunk = data[base : bounds[stop]]
        work.begins[: len(chunk) // 64 + 1] = NONE
        for d in range(document, stop + 1):
            work.begins[(bounds[d] - base) >> 6] |= ONE << (U64(bounds[d] - base) & U64(63))
        n, n_line_ends = find_edges(chunk, reading, work)
        if n_types + np.int64(n) >= min(len(keys), len(slots) // 2):
            break

        starts = work.bits[INSIDE]
        for d in range(document, stop + 1):
            token_offsets[d] = n_tokens + count_before(starts, work.before, U64(bounds[d] - base))
        line_end = NONE
        for d in range(document, stop):
            line_offsets[d] = n_lines
            since = token_offsets[d]
            while line_end < n_line_ends and work.line_ends[line_end] < bounds[d + 1] - base:
                now = n_tokens + count_before(starts, work.before, U64(work.line_ends[line_end]))
                line_starts[n_lines] = since
                n_lines += now > since
                since = now
                line_end += ONE
            line_starts[n_lines] = since
            n_lines += token_offsets[d + 1] > since

        own = ids[n_tokens : n_tokens + np.int64(n)]
        n_missed = _look_up(work, n, slots, keys, own)
        n_types = _look_up_again(
            data, U64(base), reading == LOWER_WORDS, work, n_missed, slots, keys, spans, n_types, own
        )  # fmt: skip
        n_tokens += np.int64(n)
        document = stop
    state[0], state[1], state[2] = n_tokens, n_lines, n_types
    return document
