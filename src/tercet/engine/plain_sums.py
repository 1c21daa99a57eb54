"""Sums of rows, of all or of those that are drawn at random, and of pairs of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Keys: TypeAlias = "NDArray[np.uint64]"
Floats: TypeAlias = "NDArray[np.float64]"

_STEP = 0x9E3779B97F4A7C15
_ALL = (1 << 64) - 1
#: Items whose weights are in memory at a time.
_ITEMS = 256


def sum_rows(rows: Floats) -> Floats:
    """Return the sum of each column, shape (k,): each row is added to those before it."""
    # Not in pairs, as `np.sum` adds: a sum of pieces, each added row after row, has the bits of the sum of all rows.
    totals: Floats = np.cumsum(rows, axis=0)[-1] if len(rows) else np.zeros(rows.shape[1])
    return totals + 0.0  # without -0.0


def hash_texts(data: NDArray[np.uint8], offsets: NDArray[np.int64], keys: Keys) -> Keys:
    """Return a new key of each text, from the one given and from the text's bytes, eight at a time."""
    found = []
    for key, start, stop in zip(keys.tolist(), offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        key = _mixed((key + (stop - start) * _STEP) & _ALL)
        for at in range(start, stop, 8):
            word = int.from_bytes(data[at : min(at + 8, stop)].tobytes(), "big")
            key = _mixed(((key ^ word) + _STEP) & _ALL)
        found.append(key)
    return np.array(found, np.uint64)


def _mixed(bits: Any) -> Any:
    """Return 64 bits that look random: the last steps of splitmix64 (Steele, Lea and Flood 2014)."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _ALL
    return bits ^ (bits >> 31)


def span_of_column(rows: Floats, column: int) -> tuple[float, float]:
    """Return the least and the greatest number of a column, of one or more rows."""
    return float(rows[:, column].min()), float(rows[:, column].max())


def add_draws(draws: NDArray[np.int32], start: int, n: int, counts: NDArray[np.uint16]) -> None:
    """Count in `counts` draws of n segments, of which n make a resample; the first is draw `start` of all."""
    if n < 1:
        raise ValueError(f"a resample has one segment or more: {n}")
    resamples = np.arange(start, start + len(draws)) // n
    np.add.at(counts, resamples * n + draws, np.uint16(1))


def poisson_sums(digits: Floats, keys: Keys, weight_of: NDArray[np.uint8], n_resamples: int) -> Floats:
    """Return the sums of digits times how often a hash of their item's key and of a resample says.

    The digits are whole numbers whose sums are below 2**53: no rounding touches them, and so their order is no
    matter. ``weight_of`` says how often an item is drawn for each 16 bits; the hash of a key has those of four
    resamples.
    """
    totals = np.zeros((len(digits), n_resamples))
    steps = np.arange(1, -(-n_resamples // 4) + 1, dtype=np.uint64) * np.uint64(_STEP)
    for start in range(0, len(keys), _ITEMS):
        part = slice(start, start + _ITEMS)
        draws = _mixed(keys[part, None] + steps).astype("<u8").view("<u2")[:, :n_resamples]
        totals += digits[:, part] @ weight_of[draws].astype(np.float64)
    return totals


def order_sums(starts: NDArray[np.int64], ranks: NDArray[np.int64], n_ranks: int, weights: Floats) -> Floats:
    """Return, for each row of weights, the weight of concordant less that of discordant pairs: Kendall's numerator.

    Points come sorted by x; from ``starts[g]`` to ``starts[g + 1]`` they have the same. `ranks` are those of y,
    dense, from 1 to `n_ranks`; the weights are whole numbers: how often each point counts.
    """
    sums = np.zeros(len(weights))
    seen = np.zeros((len(weights), n_ranks + 1))
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        for point in range(start, stop):
            below = seen[:, : ranks[point]].sum(axis=1)
            above = seen[:, ranks[point] + 1 :].sum(axis=1)
            sums += weights[:, point] * (below - above)
        for point in range(start, stop):
            seen[:, ranks[point]] += weights[:, point]
    return sums
