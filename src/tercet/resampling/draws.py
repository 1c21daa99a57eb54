"""Random draws of segments, in chunks: the same seed gives the same, and those of sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .bootstrap_kernels import fill_counts

_CHUNK_CELLS = 1_000_000


def bootstrap_weights(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw segments with replacement and yield how often each was drawn, in chunks of shape (b, n).

    The draws are those of sacrebleu: ``default_rng(seed).choice(n, (B, n))``. Memory: two chunks of at most
    1,000,000 cells (or one row).
    """
    rng = np.random.default_rng(seed)
    dtype = np.int32 if n_segments <= 2**31 else np.int64  # the same draws in half the memory
    for size in _chunks(n_segments, n_resamples, 1):
        counts = np.zeros((size, n_segments))
        fill_counts(rng.integers(0, n_segments, (size, n_segments), dtype=dtype), counts)
        yield counts


def shuffle_masks(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Toss a coin for each segment and yield zeros and ones, in chunks of shape (b, n).

    The tosses are those of sacrebleu: ``default_rng(seed).integers(2, size=(B, n), dtype=bool)``.
    """
    rng = np.random.default_rng(seed)
    for size in _chunks(n_segments, n_resamples, 32):  # numpy draws 32 tosses at once, and throws away a rest
        yield rng.integers(2, size=(size, n_segments), dtype=bool).astype(np.float64)


def _chunks(n_segments: int, n_resamples: int, multiple: int) -> Iterator[int]:
    chunk = max(1, _CHUNK_CELLS // n_segments // multiple) * multiple
    for start in range(0, n_resamples, chunk):
        yield min(chunk, n_resamples - start)
