"""Characters as tokens, and the words of chrF: both by kernels, for any script."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .edge_kernels import BLANKS
from .intern import Interned, intern_bytes, read_only
from .unicode_kernels import number_characters, space_marks

#: Unicode has so many code points.
N_CHARACTERS = 0x110000


def intern_characters(data: NDArray[np.uint8], bounds: NDArray[np.int64], with_blanks: bool = False) -> Interned:
    """Give each different character of documents an id.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8 bytes of all documents.
    bounds : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`.
    with_blanks : bool
        Whether white space counts as characters.

    Notes
    -----
    Time is linear in the bytes. Memory: 12 bytes for each byte of text, and 4 MB, of which little is touched.

    Examples
    --------
    >>> text = "a да a".encode()
    >>> found = intern_characters(np.frombuffer(text, np.uint8), np.array([0, len(text)]))
    >>> found.ids.tolist(), found.words()
    ([0, 1, 2, 0], ['a', 'д', 'а'])
    """
    n_documents, size = len(bounds) - 1, int(bounds[-1] - bounds[0])
    ids, offsets = np.empty(size, np.uint32), np.empty(n_documents + 1, np.int64)
    line_starts, line_offsets = np.empty(size + 1, np.int64), np.empty(n_documents + 1, np.int64)
    points = np.empty(min(size, N_CHARACTERS), np.uint32)
    n, n_lines, n_types = number_characters(
        read_only(data), read_only(bounds), with_blanks, np.zeros(N_CHARACTERS, np.uint32), points, ids, offsets,
        line_starts, line_offsets,
    )  # fmt: skip
    return Interned(
        ids[:n].view(np.int32),
        offsets,
        line_starts[: n_lines + 1],
        line_offsets,
        int(n_types),
        lambda: list(map(chr, points[:n_types].tolist())),
    )


def intern_chrf_words(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> Interned:
    """Give an id to each different word of documents, as chrF++ splits them (Popovic 2017).

    A word stands between white space. Of longer words than one character, a mark of ASCII at the end is a word of
    its own, or else one at the beginning.

    Parameters
    ----------
    data, bounds
        As for :func:`intern_characters`.

    Notes
    -----
    Time is linear in the bytes.

    Examples
    --------
    >>> text = b'(so) "it is'
    >>> intern_chrf_words(np.frombuffer(text, np.uint8), np.array([0, len(text)])).words()
    ['(so', ')', '"', 'it', 'is']
    """
    spaced, spaced_bounds = np.empty(2 * int(bounds[-1] - bounds[0]), np.uint8), np.empty(len(bounds), np.int64)
    size = space_marks(read_only(data), read_only(bounds), spaced, spaced_bounds)
    return intern_bytes(spaced[:size], spaced_bounds, BLANKS)
