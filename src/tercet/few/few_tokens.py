"""Few texts -> token ids, in arrays that are kept: making them takes longer than numbering some tokens."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from tercet.text.intern import empty_table
from tercet.text.intern_kernels import number_tokens
from tercet.text.workspace import make_workspace

#: The most bytes of :func:`number_few`.
MOST_BYTES = 1 << 15


class _Kept(threading.local):
    """The arrays of one thread."""

    def __init__(self) -> None:
        self.work = tuple(make_workspace(MOST_BYTES))
        self.slots, self.keys, self.spans = empty_table(MOST_BYTES)


_kept = _Kept()


def number_few(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], reading: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64], int] | None:
    """Return ids, offsets and the number of types, as :func:`tercet.text.intern.intern_bytes` has them.

    Texts have up to MOST_BYTES bytes; None where tokens are so many and short that the table might not hold them.
    """
    size, n_documents = len(data), len(offsets) - 1
    slots = _kept.slots[: 1 << max((size >> 1).bit_length(), 6)]
    slots[:] = 0
    offsets.flags.writeable = False  # as all offsets, so that kernels are compiled once
    state, ids = np.zeros(3, np.int64), np.empty(size + 1, np.uint32)
    token_offsets, line_offsets = np.zeros((2, n_documents + 1), np.int64)
    line_starts = np.empty(n_documents + size + 1, np.int64)
    done = number_tokens(
        data, offsets, 0, reading, _kept.work, slots, _kept.keys, _kept.spans, state, ids, token_offsets, line_starts,
        line_offsets,
    )  # fmt: skip
    return (ids, token_offsets, int(state[2])) if done == n_documents else None
