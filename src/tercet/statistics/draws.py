"""Random draws of segments, in chunks: the same seed gives the same, and those of sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

_CHUNK_CELLS = 1_000_000
#: Draws per chunk.
_DRAWS = 1 << 16


def bootstrap_weights(n_segments: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw segments with replacement and yield how often each was drawn, in chunks of shape (b, n).

    The draws are those of sacrebleu: ``default_rng(seed).choice(n, (B, n))``. Memory: a chunk of at most
    1,000,000 cells (or one row).
    """
    rng = np.random.default_rng(seed)
    for size in _chunks(n_segments, n_resamples, 1):
        yield drawn(rng, size, n_segments).astype(np.float64)


def drawn(rng: np.random.Generator, n_resamples: int, n_segments: int) -> NDArray[np.uint16]:
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
    for size in _chunks(n_segments, n_resamples, 32):  # numpy draws 32 tosses at once, and throws away a rest
        yield rng.integers(2, size=(size, n_segments), dtype=bool).astype(np.float64)


def _chunks(n_segments: int, n_resamples: int, multiple: int) -> Iterator[int]:
    chunk = max(1, _CHUNK_CELLS // n_segments // multiple) * multiple
    for start in range(0, n_resamples, chunk):
        yield min(chunk, n_resamples - start)
