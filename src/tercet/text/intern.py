"""UTF-8 bytes -> token ids, one id for each different token, some texts at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .edge_kernels import LOWER_WORDS
from .intern_kernels import CHUNK, FOREIGN, count_line_ends, number_tokens, rehash
from .workspace import make_workspace


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


def intern_bytes(data: NDArray[np.uint8], offsets: NDArray[np.int64], reading: int) -> Interned:
    """Split documents into tokens and give each different token an id.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8 bytes of all documents.
    offsets : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`.
    reading : int
        How the bytes are read: LOWER_WORDS, WORDS, BLANKS, MTEVAL or MTEVAL_ENDS of :mod:`.edge_kernels`.

    Returns
    -------
    Interned

    Notes
    -----
    Time is linear in the bytes. Memory: 4 bytes for each byte of text (room for the ids, touched as far as there are
    tokens), the hash table, and what :func:`.workspace.make_workspace` takes for the longest document or 8,192 bytes.
    """
    data, offsets = read_only(data), read_only(offsets)  # of one kind, so that kernels are compiled once
    n_documents = len(offsets) - 1
    size = len(data) if len(data) <= CHUNK else max(CHUNK, int(np.diff(offsets).max(initial=0)))
    work = make_workspace(size)
    n_line_ends = int(count_line_ends(data))
    ids = np.empty(len(data) + 1, np.uint32)
    token_offsets, line_offsets = np.zeros((2, n_documents + 1), np.int64)
    line_starts = np.empty(n_documents + n_line_ends + 1, np.int64)
    state = np.zeros(3, np.int64)  # tokens, lines, types so far
    capacity = 1 << min(max((len(data) // 8).bit_length(), 6), 17)  # a guess at the vocabulary; grows if too small
    slots, keys, spans = empty_table(capacity)
    done = 0
    while True:
        # The kernel stops before documents that might overfill the table: an array that grows inside the hot
        # loop would make every step of it slower.
        done = number_tokens(
            data, offsets, done, reading, tuple(work), slots, keys, spans, state, ids, token_offsets, line_starts,
            line_offsets,
        )  # fmt: skip
        if done == n_documents:
            break
        n_types = int(state[2])
        capacity *= 4
        while capacity < 2 * (n_types + size):
            capacity *= 4
        slots, larger_keys, larger_spans = empty_table(capacity)
        larger_keys[: len(keys)], larger_spans[: len(spans)] = keys, spans
        keys, spans = larger_keys, larger_spans
        rehash(keys, n_types, slots)
    n_tokens, n_lines, n_types = (int(count) for count in state)
    line_offsets[n_documents] = n_lines
    line_starts[n_lines] = n_tokens

    def types() -> list[str]:
        found = [data[start : start + size].tobytes().decode() for start, size in spans[1 : n_types + 1].tolist()]
        return [word.lower() for word in found] if reading == LOWER_WORDS else found

    return Interned(
        ids[:n_tokens].view(np.int32), token_offsets, line_starts[: n_lines + 1], line_offsets, n_types, types
    )  # fmt: skip


def empty_table(capacity: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return slots, keys and spans of an empty hash table; see :func:`.intern_kernels.number_tokens`."""
    keys, spans = np.empty((2, capacity // 2, 2), np.uint64)
    keys[0] = FOREIGN  # what no token has
    return np.zeros(capacity, np.uint32), keys, spans


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
