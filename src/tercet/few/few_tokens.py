"""Few texts -> token ids, in arrays that each thread keeps: making them takes longer than numbering some tokens."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from tercet.text.intern import empty_table
from tercet.text.intern_kernels import number_tokens
from tercet.text.workspace import make_workspace

#: The most bytes and texts of :func:`number_few`.
MOST_BYTES, MOST_TEXTS = 1 << 15, 128


class _Kept(threading.local):
    """The arrays of one thread, some 2 MB."""

    def __init__(self) -> None:
        self.work = tuple(make_workspace(MOST_BYTES))
        self.slots, self.keys, self.spans = empty_table(MOST_BYTES)
        self.state, self.ids = np.zeros(3, np.int64), np.empty(MOST_BYTES + 1, np.uint32)
        self.offsets, self.line_offsets = np.zeros((2, MOST_TEXTS + 1), np.int64)
        self.line_starts = np.empty(MOST_TEXTS + MOST_BYTES + 1, np.int64)


_kept = _Kept()


def number_few(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], reading: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64], int] | None:
    """Return ids, offsets and the number of types, as :func:`tercet.text.intern.intern_bytes` has them.

    The arrays are good until the next call of the same thread. None where tokens are so many and short that the table
    might not hold them.
    """
    kept = _kept
    slots = kept.slots[: 1 << max((len(data) >> 1).bit_length(), 6)]
    slots.fill(0)
    kept.state.fill(0)
    offsets.flags.writeable = False  # as all offsets, so that kernels are compiled once
    done = number_tokens(
        data, offsets, 0, reading, kept.work, slots, kept.keys, kept.spans, kept.state, kept.ids, kept.offsets,
        kept.line_starts, kept.line_offsets,
    )  # fmt: skip
    return (kept.ids, kept.offsets[: len(offsets)], int(kept.state[2])) if done == len(offsets) - 1 else None
