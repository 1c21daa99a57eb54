"""Resamples: units drawn with replacement, or exchanged between systems, and the sums of rows in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine

from .progress import bar_of

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus

    from .exact import ExactSums
    from .stats import Formula, Scores, SegmentStats

#: Of intervals, and of what else resamples as they do.
N_RESAMPLES = 1000

#: The most by which the order in which floats are added changes a sum, relative to it.
ROUNDING = 1e-12
#: That for each root of the number of floats: 16 times the distance of two neighbouring floats.
_ROUNDING_OF_ONE = 16 * 2.0**-52


def apart(value: float, other: float) -> float:
    """Return the difference of two scores; 0 where they differ by rounding alone.

    >>> apart(0.1 + 0.2, 0.3)
    0.0
    """
    difference = value - other
    if abs(difference) <= ROUNDING * max(abs(value), abs(other)):
        return 0.0
    return difference


def standard_error(replicates: NDArray[np.float64]) -> float:
    """Return the standard deviation of the scores of resamples; 0 of a single one."""
    if len(replicates) < 2:
        return 0.0
    return float(np.std(replicates, ddof=1))


def rounding(n_units: int) -> float:
    """Return which relative differences of scores over so many units may be of rounding alone: smaller ones are ties.

    Rounding errors of a sum grow with the root of the number of floats (Higham 2002, *Accuracy and Stability of
    Numerical Algorithms*, section 4.2), so that scores of few units may be large and close to one another.
    """
    return min(ROUNDING, _ROUNDING_OF_ONE * math.sqrt(n_units))


class ConfidenceInterval(NamedTuple):
    """Bounds of a score."""

    low: float
    high: float


def bootstrap_scores(metric: Formula, systems: Sequence[SegmentStats], n_resamples: int, seed: int) -> list[Scores]:
    """Return the scores of corpora resampled with replacement, the same for each system."""
    metric.check_call(resampled=True)
    totals = resampled_totals([stats.rows for stats in systems], n_resamples, seed)
    return [metric.finalize(sums) for sums in totals]


# Sums of rows that are drawn with replacement, for several systems from the same draws.

#: Segments that are multiplied at a time: their rows and counts stay in the processor's cache.
_BLOCK = 1 << 13
#: Resamples that are multiplied at a time.
_RESAMPLES = 64
#: The most counts that are held.
_COUNTS = 1 << 24

#: The most numbers of tables that are multiplied side by side.
_CELLS = 1 << 22

Array = NDArray[np.float64]


def side_by_side(tables: Sequence[Array]) -> list[tuple[slice, Array]]:
    """Return tables of the same n rows beside each other, as many as one product should take, and which they are.

    One product of many columns takes a tenth of the time of a product for each table. Its sums can differ in their
    last bits, so that only tables of integers, whose sums are exact in any order, are put together.
    """
    groups: list[list[Array]] = []
    joins = False
    for table in tables:
        is_exact = _has_integers_alone(table)
        if joins and is_exact and sum(member.size for member in groups[-1]) + table.size <= _CELLS:
            groups[-1].append(table)
        else:
            groups.append([table])
        joins = is_exact
    joined = []
    start = 0
    for group in groups:
        # A large table is not copied.
        beside_each_other = group[0] if len(group) == 1 else np.hstack(group)
        joined.append((slice(start, start + len(group)), beside_each_other))
        start += len(group)
    return joined


def _has_integers_alone(table: Array) -> bool:
    """Return whether all numbers are integers, whose sums are exact in any order."""
    return bool((np.rint(table) == table).all())


def shared_columns(systems: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which columns of integers are the same for all systems, as what depends on references alone."""
    first_system, *further_systems = systems
    if not further_systems or not all(map(_has_integers_alone, systems)):
        return np.zeros(first_system.shape[1], bool)
    same: NDArray[np.bool_] = np.logical_and.reduce([(rows == first_system).all(axis=0) for rows in further_systems])
    return same


def resampled_totals(systems: Sequence[Array], n_resamples: int, seed: int) -> list[Array]:
    """Return the sums of the rows of each system, drawn with replacement, shape (n_resamples, k) each.

    The draws are those of :func:`bootstrap_weights`. Time: resamples times segments, once for the draws, and
    times the columns that are not the same in every row, for each system. Memory: these columns, and about 36 MB (or
    2 bytes a segment).
    """
    if not n_resamples:
        return [np.zeros((0, rows.shape[1])) for rows in systems]
    n = len(systems[0])
    rng = np.random.default_rng(seed)
    shared = shared_columns(systems)
    # a column that is the same in every row has the same sum in every resample
    varying_columns = [~(rows == rows[0]).all(axis=0) for rows in systems]
    for columns_of_system in varying_columns[1:]:
        columns_of_system &= ~shared
    tables = side_by_side(
        [np.ascontiguousarray(rows[:, varying]) for rows, varying in zip(systems, varying_columns, strict=True)]
    )
    ends = np.cumsum([varying.sum() for varying in varying_columns])[:-1]
    totals = [np.repeat(rows[:1] * n, n_resamples, axis=0) for rows in systems]
    chunk = max(1, min(_RESAMPLES, _COUNTS // n, n_resamples))
    with bar_of("resampling", "resamples", n_resamples) as bar:
        for first_resample in range(0, n_resamples, chunk):
            size = min(chunk, n_resamples - first_resample)
            counts = draw_counts(rng, size, n)
            sums = [np.zeros((size, table.shape[1])) for _, table in tables]
            for start in range(0, n, _BLOCK):
                weights = counts[:, start : start + _BLOCK].astype(np.float64)
                for sums_of_table, (_, table) in zip(sums, tables, strict=True):
                    sums_of_table += weights @ table[start : start + _BLOCK]
            sums_of_systems = np.split(np.hstack(sums), ends, axis=1)
            for total, varying, sums_of_system in zip(totals, varying_columns, sums_of_systems, strict=True):
                total[first_resample : first_resample + size, varying] = sums_of_system
            bar.update(size)
    if shared.any():
        for total in totals[1:]:
            total[:, shared] = totals[0][:, shared]
    return totals


# Random draws of segments, in chunks: the same seed gives the same, and those of sacrebleu.

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


def n_exchanges(n_segments: int, n_resamples: int) -> int | None:
    """Return in how many ways the outputs of two systems can be exchanged, where these are all tested.

    That is so where they are no more than the resamples that were asked for: then p is exact. None where chance
    draws some of them.
    """
    # 2**n of very many segments is not made.
    if n_segments > n_resamples.bit_length() or 1 << n_segments > n_resamples:
        return None
    return 1 << n_segments


def all_masks(n_segments: int) -> Iterator[NDArray[np.float64]]:
    """Yield each choice of segments, as zeros and ones, in chunks of shape (b, n); the first chooses none."""
    numbers = np.arange(2**n_segments)
    chunk = max(1, _CHUNK_CELLS // n_segments)
    for start in range(0, len(numbers), chunk):
        yield ((numbers[start : start + chunk, None] >> np.arange(n_segments)) & 1).astype(np.float64)


def exchange_masks(n_segments: int, n_resamples: int, seed: int) -> tuple[int, Iterator[NDArray[np.float64]]]:
    """Return how many exchanges of segments are tested, and their masks: all, where these are few, or tosses."""
    n_all = n_exchanges(n_segments, n_resamples)
    if n_all is None:
        return n_resamples, shuffle_masks(n_segments, n_resamples, seed)
    return n_all, all_masks(n_segments)


class Exchanges:
    """The masks of :func:`exchange_masks`, a bit each, of which those of some segments can be taken.

    Attributes
    ----------
    n_resamples : int
    """

    def __init__(self, n_segments: int, n_resamples: int, seed: int) -> None:
        self.n_resamples, masks = exchange_masks(n_segments, n_resamples, seed)
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
    chunk = max(1, _CHUNK_CELLS // n_segments // multiple) * multiple
    for start in range(0, n_resamples, chunk):
        yield min(chunk, n_resamples - start)


# A bootstrap whose draws depend only on the items, in any order or partition of the work.
#
# In each resample, an item is drawn a number of times that a Poisson distribution of mean 1 gives, by a hash of the
# seed, the item and the resample. For many items that is the same as drawing with replacement (Chamandy,
# Muralidharan, Najmi and Naidu 2012, "Estimating uncertainty for massive data streams").

Keys = NDArray[np.uint64]

#: From how many of 65,536 equally likely draws on an item counts once, twice and so on: their mean is 1 exactly.
_STEPS = (24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535)


@cache
def _weight_of() -> NDArray[np.uint8]:
    """Return how often each of these draws counts."""
    return np.searchsorted(_STEPS, np.arange(1 << 16), side="right").astype(np.uint8)


class PoissonBootstrap(NamedTuple):
    """How often each item is drawn in each resample, as a function of the seed and the item alone.

    Time: about 1 ns for each item, resample and 8 columns of counts or 4 of other numbers.
    """

    n_resamples: int
    seed: int

    def sums(self, rows: NDArray[np.float64], keys: Keys) -> ExactSums:
        """Return the sums (n_resamples, k) of the rows, in each resample as often as their items are drawn."""
        # It imports pyarrow, which a score of lists need not.
        from .exact import ExactSums

        # by 2**64 over the golden ratio, seeds that follow one another differ in many bits
        seeded = keys ^ np.uint64((self.seed * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)
        return ExactSums.weighted(
            rows, lambda digits: engine.poisson_sums(digits, seeded, _weight_of(), self.n_resamples), self.n_resamples
        )


def keys_of_ids(ids: Any) -> Keys:
    """Return 64 bits for each of an Arrow array of texts or integers; 7 and "7" are the same."""
    return _hashed(ids, np.zeros(len(ids), np.uint64))


def keys_of_texts(batch: Corpus) -> Keys:
    """Return 64 bits for each item, by its texts: items that are equal in all of them have the same."""
    keys = _hashed(batch.predictions, np.zeros(batch.n_items, np.uint64))
    # The prediction has the number 0, its first reference 1, its second 2.
    first_reference = np.repeat(batch.reference_offsets[:-1], batch.reference_counts)
    numbers = np.arange(len(batch.references)) - first_reference + 1
    of_references = _hashed(batch.references, numbers.astype(np.uint64))
    np.add.at(keys, np.repeat(np.arange(batch.n_items), batch.reference_counts), of_references)
    return keys


def _hashed(texts: Any, keys: Keys) -> Keys:
    texts = texts.cast("large_string")
    _, offsets, data = texts.buffers()
    if not len(texts):
        return keys
    bounds = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    return engine.hash_texts(np.frombuffer(data or b"", np.uint8), bounds, keys)
