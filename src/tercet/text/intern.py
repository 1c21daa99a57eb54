"""UTF-8 bytes -> token ids, one id for each different token, in one pass over the bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .intern_kernels import READ_AS, count_line_ends, most_types, number_tokens, rehash


@dataclass(frozen=True, slots=True)
class Interned:
    """Token ids of documents.

    Attributes
    ----------
    ids : ndarray of int32, shape (t,)
        Ids count up from 0 in the order of first occurrence.
    offsets : ndarray of int64, shape (d + 1,)
        Document i holds the tokens ``offsets[i]`` to ``offsets[i + 1]``.
    line_starts : ndarray of int64, shape (l + 1,)
        Line j (never an empty one) holds the tokens ``line_starts[j]`` to ``line_starts[j + 1]``.
    line_offsets : ndarray of int64, shape (d + 1,)
        Document i holds the lines ``line_offsets[i]`` to ``line_offsets[i + 1]``.
    n_types : int
        Number of different tokens.
    words : callable
        Gives the list of the different tokens, by id (made on demand: few scores need it).
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    line_starts: NDArray[np.int64]
    line_offsets: NDArray[np.int64]
    n_types: int
    words: Callable[[], list[str]]


def intern_bytes(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], table: NDArray[np.uint16], padded: bool = True
) -> Interned:
    """Split documents into tokens and give each different token an id.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8 bytes of all documents.
    offsets : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`.
    table : ndarray of uint16, shape (256,)
        What each byte is read as (plus 1; 0 separates tokens), and what it means: SINGLE, POINT, DASH or WIDE.
    padded : bool
        Whether a full stop at an end of a document counts as standing next to a blank (13a) or not (zh).

    Returns
    -------
    Interned

    Notes
    -----
    Time is linear in the bytes. Memory: 4 bytes for each byte of text (room for the ids, touched as far as there are
    tokens), and the hash table.
    """
    n_documents = len(offsets) - 1
    ids = np.empty(len(data) + 1, np.int32)
    token_offsets = np.empty(n_documents + 1, np.int64)
    line_offsets = np.empty(n_documents + 1, np.int64)
    has_marks = bool((table > READ_AS).any())
    n_line_ends = int(count_line_ends(data))
    line_starts = np.empty(n_documents + n_line_ends + 1, np.int64)
    state = np.zeros(3, np.int64)  # tokens, lines, types so far
    capacity = 1 << min(max((len(data) // 64).bit_length(), 10), 20)  # a guess at the vocabulary; grows if too small
    keys, values = np.zeros(capacity, np.uint64), np.empty(capacity, np.int32)
    starts, lengths = np.empty(capacity // 2, np.int64), np.empty(capacity // 2, np.int64)
    done = 0
    while True:
        # The kernel stops before a document that might overfill the table: an array that grows inside the hot
        # loop would make every step of it slower.
        done = number_tokens(
            data, offsets, done, table, padded, has_marks, n_line_ends > 0, state, keys, values, starts, lengths, ids,
            token_offsets, line_starts, line_offsets,
        )  # fmt: skip
        if done == n_documents:
            break
        room = int(state[2]) + int(most_types(int(offsets[done + 1] - offsets[done])))
        while capacity < 2 * room:
            capacity *= 4
        keys, values = rehash(keys, values, np.zeros(capacity, np.uint64), np.empty(capacity, np.int32))
        starts, lengths = _grown(starts, capacity // 2), _grown(lengths, capacity // 2)
    n_tokens, n_lines, n_types = (int(count) for count in state)
    token_offsets[n_documents] = n_tokens
    line_offsets[n_documents] = n_lines
    line_starts[n_lines] = n_tokens

    def words() -> list[str]:
        spans = zip(starts[:n_types].tolist(), lengths[:n_types].tolist(), strict=True)
        read_as = ((table & READ_AS).astype(np.int64) - 1).astype(np.uint8).tobytes()
        return [data[start : start + length].tobytes().translate(read_as).decode() for start, length in spans]

    return Interned(ids[:n_tokens], token_offsets, line_starts[: n_lines + 1], line_offsets, n_types, words)


def _grown(array: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    grown = np.empty(size, np.int64)
    grown[: len(array)] = array
    return grown
