"""Units drawn with replacement, or exchanged between two systems, at random: the draws of a seed are sacrebleu's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

#: The most counts or tosses of a chunk.
_CHUNK_CELLS = 1_000_000
#: Numbers that are drawn at a time.
_DRAWS = 1 << 16


def bootstrap_weights(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw segments with replacement and yield how often each was drawn, in chunks of shape (b, n).

    The draws are those of sacrebleu: ``default_rng(seed).choice(n, (B, n))``. Memory: a chunk of at most
    1,000,000 cells (or one row).
    """
    rng = np.random.default_rng(seed)
    for size in _chunk_sizes(n_segments, n_resamples, multiple=1):
        yield draw_counts(rng, size, n_segments).astype(np.float64)


def draw_counts(rng: np.random.Generator, n_resamples: int, n_segments: int) -> NDArray[np.uint16]:
    """Return how often each segment is drawn in each resample, shape (B, n)."""
    counts = np.zeros((n_resamples, n_segments), np.uint16)
    for start in range(0, counts.size, _DRAWS):
        # the same draws as of 64 bits, in half the memory
        draws = rng.integers(0, n_segments, min(_DRAWS, counts.size - start), dtype=np.int32)
        engine.add_draws(draws, start, n_segments, counts.reshape(-1))
    return counts


def shuffle_masks(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Toss a coin for each segment and yield zeros and ones, in chunks of shape (b, n).

    The tosses are those of sacrebleu: ``default_rng(seed).integers(2, size=(B, n), dtype=bool)``.
    """
    rng = np.random.default_rng(seed)
    # NumPy draws 32 tosses at once, and throws away a rest.
    for size in _chunk_sizes(n_segments, n_resamples, multiple=32):
        yield rng.integers(2, size=(size, n_segments), dtype=bool).astype(np.float64)


class Resamples(NamedTuple):
    """How many resamples a test takes, and whether they are all that there are: then p is exact."""

    number: int
    are_all: bool = False

    @classmethod
    def of_exchanges(cls, n_segments: int, n_asked: int) -> Resamples:
        """Return all exchanges of the outputs of two systems, where they are no more than asked for; else tosses."""
        # 2**n of very many segments is not made.
        if n_segments > n_asked.bit_length() or 1 << n_segments > n_asked:
            return cls(n_asked)
        return cls(1 << n_segments, are_all=True)


def all_masks(n_segments: int) -> Iterator[NDArray[np.float64]]:
    """Yield each choice of segments, as zeros and ones, in chunks of shape (b, n); the first chooses none."""
    numbers = np.arange(2**n_segments)
    chunk = max(1, _CHUNK_CELLS // n_segments)
    for start in range(0, len(numbers), chunk):
        yield ((numbers[start : start + chunk, None] >> np.arange(n_segments)) & 1).astype(np.float64)


class Exchanges:
    """Which segments are exchanged in each resample, a bit each: all choices, where these are few, or tosses.

    Attributes
    ----------
    resamples : Resamples
        As many as were asked for, or as there are choices.
    """

    def __init__(self, n_segments: int, n_asked: int, seed: int) -> None:
        self.resamples = Resamples.of_exchanges(n_segments, n_asked)
        masks = shuffle_masks(n_segments, n_asked, seed)
        if self.resamples.are_all:
            masks = all_masks(n_segments)
        self._packed = np.concatenate([np.packbits(mask.astype(bool), axis=1) for mask in masks])

    def masks(self, segments: NDArray[np.int64], resamples: slice) -> Iterator[NDArray[np.float64]]:
        """Yield the masks of some segments in some resamples, in chunks of shape (b, segments)."""
        byte, bit = np.divmod(segments, 8)
        # the first segment of a byte is its highest bit
        shift = (7 - bit).astype(np.uint8)
        chunk = max(1, _CHUNK_CELLS // len(segments))
        for start in range(resamples.start, resamples.stop, chunk):
            packed = self._packed[start : min(start + chunk, resamples.stop)]
            yield ((packed[:, byte] >> shift) & 1).astype(np.float64)


def _chunk_sizes(n_segments: int, n_resamples: int, multiple: int) -> Iterator[int]:
    """Yield how many resamples each chunk has: a multiple, but for the last chunk."""
    chunk = max(1, _CHUNK_CELLS // n_segments // multiple) * multiple
    for start in range(0, n_resamples, chunk):
        yield min(chunk, n_resamples - start)
