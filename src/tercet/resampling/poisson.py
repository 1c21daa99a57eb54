"""A bootstrap whose draws belong to the items: no order, partition or repetition of the work changes them.

In each resample, an item is drawn a number of times that a Poisson distribution of mean 1 gives, by a hash of the
seed, the item and the resample. For many items that is the same as drawing with replacement (Chamandy, Muralidharan,
Najmi and Naidu 2012, "Estimating uncertainty for massive data streams").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.core.exact import ExactSums

from .poisson_kernels import fill_weights, hash_texts

Keys = NDArray[np.uint64]

#: From how many of 65,536 equally likely draws on an item counts once, twice and so on: their mean is 1 exactly.
_STEPS = (24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535)
_WEIGHT_OF = np.searchsorted(_STEPS, np.arange(1 << 16), side="right").astype(np.uint8)
#: Items whose weights are in memory at a time, for a thousand resamples in 2 MB.
_ITEMS = 256


@dataclass(frozen=True, slots=True)
class PoissonBootstrap:
    """How often each item is drawn in each resample, as a function of the seed and the item alone.

    Attributes
    ----------
    n_resamples, seed : int

    Notes
    -----
    Time: 1 ns for each item and resample, and half of that again for 8 columns of counts or 4 of other numbers.
    """

    n_resamples: int
    seed: int

    def weights(self, keys: Keys) -> NDArray[np.float64]:
        """Return how often items are drawn, shape (n, n_resamples): from 0 to 8.

        Examples
        --------
        >>> keys = keys_of_ids(pa.array(["a", "b"]))
        >>> PoissonBootstrap(4, seed=1).weights(keys).tolist() == PoissonBootstrap(4, seed=1).weights(keys).tolist()
        True
        """
        found = np.empty((len(keys), self.n_resamples))
        self._fill(keys, found)
        return found

    def _fill(self, keys: Keys, weights: NDArray[np.float64]) -> None:
        seeded = keys ^ np.uint64((self.seed * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)
        fill_weights(seeded, _WEIGHT_OF, np.empty(-(-self.n_resamples // 4), np.uint64), weights)

    def sums(self, rows: NDArray[np.float64], keys: Keys) -> ExactSums:
        """Return the sums of the rows in each resample, shape (n_resamples, k)."""
        return ExactSums.weighted(rows, self._blocks(keys), self.n_resamples)

    def _blocks(self, keys: Keys) -> Iterator[NDArray[np.float64]]:
        """Yield the weights of some items at a time, in the same memory."""
        weights = np.empty((min(_ITEMS, len(keys)), self.n_resamples))
        for start in range(0, len(keys), _ITEMS):
            own = keys[start : start + _ITEMS]
            self._fill(own, weights[: len(own)])
            yield weights[: len(own)]


def keys_of_ids(ids: Any) -> Keys:
    """Return 64 bits for each of an Arrow array of texts or whole numbers; 7 and "7" are the same."""
    return _hashed(ids, np.zeros(len(ids), np.uint64))


def keys_of_texts(batch: Batch) -> Keys:
    """Return 64 bits for each item, by its texts: items that are equal in all of them have the same."""
    keys = _hashed(batch.predictions, np.zeros(batch.n_items, np.uint64))
    places = np.arange(len(batch.references)) - np.repeat(batch.reference_offsets[:-1], batch.reference_counts)
    # prediction, first and second reference are told apart: 0, 1, 2
    of_references = _hashed(batch.references, places.astype(np.uint64) + np.uint64(1))
    np.add.at(keys, np.repeat(np.arange(batch.n_items), batch.reference_counts), of_references)
    return keys


def _hashed(texts: Any, keys: Keys) -> Keys:
    texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    if len(texts):
        bounds = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
        hash_texts(np.frombuffer(data or b"", np.uint8), bounds, keys)
    return keys
