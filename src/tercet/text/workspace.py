"""Arrays in which some texts at a time are split: made once, and filled anew for each chunk of texts."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Bytes behind the texts that may be loaded with a token's.
SLACK = 64


class Workspace(NamedTuple):
    """Arrays for up to s bytes, or b times 64 places.

    Attributes
    ----------
    text : ndarray of uint8, shape (s + SLACK,)
        The bytes as they are read, such as in lower case.
    words : ndarray of uint64
        The same memory: ``words[p]`` is the eight bytes from p on.
    flags, eights : ndarray of uint8, shape (64 b,), and of uint64, the same memory
        What each byte is, as flags.
    bits, octets : ndarray of uint64, shape (7, b), and of uint8, the same memory
        The flags gathered, each by itself.
    begins, cuts, before : ndarray of uint64, shape (b,)
        Where texts begin; where tokens are cut, and then where they end; how many start before each 64 places.
    starts, ends, line_ends : ndarray of uint32
        The places of tokens and of line ends.
    lows, highs, homes, missed : ndarray of uint64 and uint32
        Of each token the key and where it belongs in the hash table, and the tokens that are not there.
    """

    text: NDArray[np.uint8]
    words: NDArray[np.uint64]
    flags: NDArray[np.uint8]
    eights: NDArray[np.uint64]
    bits: NDArray[np.uint64]
    octets: NDArray[np.uint8]
    begins: NDArray[np.uint64]
    cuts: NDArray[np.uint64]
    before: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    line_ends: NDArray[np.uint32]
    lows: NDArray[np.uint64]
    highs: NDArray[np.uint64]
    homes: NDArray[np.uint32]
    missed: NDArray[np.uint32]


def make_workspace(size: int) -> Workspace:
    """Return arrays for texts of so many bytes: 40 bytes for each, of which usual texts touch about ten."""
    if sys.byteorder != "little":
        raise NotImplementedError("tercet's tokenizers need a processor that stores the lowest byte first.")
    n_blocks = size // 64 + 1
    text, flags = np.zeros(size + SLACK, np.uint8), np.zeros(64 * n_blocks, np.uint8)
    bits = np.zeros((7, n_blocks), np.uint64)
    words = np.ndarray(size + SLACK - 8, np.uint64, text, strides=(1,))
    begins, cuts, before = np.empty((3, n_blocks), np.uint64)
    starts, ends, line_ends, homes, missed = np.empty((5, size + 8), np.uint32)  # eight places are written at a time
    lows, highs = np.empty((2, size + 8), np.uint64)
    return Workspace(
        text, words, flags, flags.view(np.uint64), bits, bits.view(np.uint8), begins, cuts, before, starts, ends,
        line_ends, lows, highs, homes, missed,
    )  # fmt: skip
