"""Few texts -> numbers of characters, in arrays that each thread keeps."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from tercet.text.characters import N_CHARACTERS
from tercet.text.edge_kernels import BLANKS
from tercet.text.unicode_kernels import number_characters, space_marks

from .few_tokens import MOST_BYTES, MOST_TEXTS, number_few

Numbered = tuple[NDArray[np.uint32], NDArray[np.int64], int]


class _Kept(threading.local):
    """The arrays of one thread: some 5 MB, of which little is touched."""

    def __init__(self) -> None:
        self.numbers = np.zeros(N_CHARACTERS, np.uint32)  # all zero before and after a kernel
        self.points, self.ids = np.empty((2, MOST_BYTES), np.uint32)
        self.offsets, self.line_offsets = np.empty((2, MOST_TEXTS + 1), np.int64)
        self.line_starts = np.empty(MOST_BYTES + 1, np.int64)
        self.spaced, self.spaced_bounds = np.empty(2 * MOST_BYTES, np.uint8), np.empty(MOST_TEXTS + 1, np.int64)


_kept = _Kept()


def number_few_characters(data: NDArray[np.uint8], bounds: NDArray[np.int64], with_blanks: bool) -> Numbered:
    """Return ids, offsets and the number of types, as :func:`tercet.text.characters.intern_characters` has them.

    The arrays are good until the next call of the same thread.
    """
    kept = _kept
    bounds.flags.writeable = False  # as all offsets, so that kernels are compiled once
    _, _, n_types = number_characters(
        data, bounds, with_blanks, kept.numbers, kept.points, kept.ids, kept.offsets, kept.line_starts,
        kept.line_offsets,
    )  # fmt: skip
    return kept.ids, kept.offsets[: len(bounds)], int(n_types)


def number_few_chrf_words(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> Numbered | None:
    """Return the same of words as :func:`tercet.text.characters.intern_chrf_words` splits them; None for too many."""
    kept = _kept
    bounds.flags.writeable = False
    size = space_marks(data, bounds, kept.spaced, kept.spaced_bounds)
    if size > MOST_BYTES:
        return None
    return number_few(kept.spaced[:size], kept.spaced_bounds[: len(bounds)].copy(), BLANKS)
