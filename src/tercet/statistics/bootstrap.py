"""Bootstrap intervals from the rows alone; names are those of scipy.stats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.errors import OptionError, shorten

from .progress import bar_of

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus

    from .exact import ExactSums
    from .stats import Formula, Scores, SegmentStats

#: Of intervals, and of what else resamples as they do.
N_RESAMPLES = 1000

#: Smaller relative differences are ties: the order in which floats are added changes no more.
ROUNDING = 1e-12


class ConfidenceInterval(NamedTuple):
    """Bounds of a score."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult:
    """Interval, scores of all resamples, shape (n_resamples,), and their standard deviation."""

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: NDArray[np.float64]
    standard_error: float


def bootstrap_scores(metric: Formula, systems: Sequence[SegmentStats], n_resamples: int, seed: int) -> list[Scores]:
    """Return the scores of corpora resampled with replacement, the same for each system."""
    metric.check_call(resampled=True)
    totals = resampled_totals([stats.rows for stats in systems], n_resamples, seed)
    return [metric.finalize(sums) for sums in totals]


def bootstrap(metric: Formula, stats: SegmentStats, **settings: Any) -> dict[str, BootstrapResult]:
    """Return intervals of every score; settings are those of :func:`bootstraps`."""
    [result] = bootstraps(metric, [stats], **settings)
    return result


def bootstraps(
    metric: Formula,
    systems: Sequence[SegmentStats],
    *,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    method: str = "percentile",
    seed: int = 12345,
) -> list[dict[str, BootstrapResult]]:
    """Return intervals of every score of each system, from rows of the same n segments.

    "percentile" takes quantiles of the resampled scores, "BCa" corrects them for bias and skewness (Efron and
    Tibshirani 1993, sections 13.3 and 14.3): equal to ``scipy.stats.bootstrap`` for the same resamples.
    """
    if method not in ("percentile", "BCa"):
        raise OptionError(f"The method must be 'percentile' or 'BCa'. Got {shorten(method)} instead.")
    if n_resamples < 1 or seed < 0 or not 0 < confidence_level < 1:
        raise OptionError(
            "There must be at least one resample, a seed that is not negative, and a confidence level between 0 and "
            f"1. Got {n_resamples}, {seed} and {confidence_level} instead."
        )
    tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    resampled = bootstrap_scores(metric, systems, n_resamples, seed)
    return [
        _of_system(metric, stats, scores, tails, method) for stats, scores in zip(systems, resampled, strict=True)
    ]


def _of_system(
    metric: Formula, stats: SegmentStats, resampled: Scores, tails: NDArray[np.float64], method: str
) -> dict[str, BootstrapResult]:
    results = {}
    # the scores of the corpus without each segment in turn
    jackknife = metric.finalize(stats.total() - stats.rows) if method == "BCa" else {}
    observed = {name: float(value) for name, value in metric.finalize(metric.corpus_totals(stats)).items()}
    for name, distribution in resampled.items():
        levels = _bca_levels(tails, distribution, observed[name], jackknife[name]) if jackknife else tails
        error = float(np.std(distribution, ddof=1)) if len(distribution) > 1 else 0.0
        results[name] = BootstrapResult(_between(distribution, levels, observed[name]), distribution, error)
    return results


def percentile_interval(distribution: NDArray[np.float64], observed: float, level: float) -> ConfidenceInterval:
    """Return the percentile interval of a score by its resamples."""
    return _between(distribution, np.array([(1 - level) / 2, (1 + level) / 2]), observed)


def _between(distribution: NDArray[np.float64], levels: NDArray[np.float64], observed: float) -> ConfidenceInterval:
    bounds = _quantiles(distribution, levels)
    # a bound beside the score by a rounding error is the score, as where all resamples are equal
    bounds[np.abs(bounds - observed) <= ROUNDING * abs(observed)] = observed
    low, high = bounds.tolist()
    return ConfidenceInterval(low, high)


def _quantiles(values: NDArray[np.float64], levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantiles of values, to the bit those of np.quantile, which imports numpy.ma (30 ms)."""
    ordered, last = np.sort(values), len(values) - 1
    if np.isnan(ordered[last]):
        return np.full(len(levels), np.nan)
    places = last * levels
    below = places.astype(np.int64)
    low, part = ordered[below], places - below
    high = ordered[np.minimum(below + 1, last)]
    step = high - low
    # from the nearer of the two, as NumPy does
    return np.subtract(high, step * (1 - part), out=low + step * part, where=part >= 0.5)


def _bca_levels(
    tails: NDArray[np.float64], distribution: NDArray[np.float64], observed: float, jackknife: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the quantiles to take instead of the tails (Efron and Tibshirani 1993, equations 14.10 to 14.15)."""
    slack = ROUNDING * abs(observed)
    below = ((distribution < observed - slack).mean() + (distribution <= observed + slack).mean()) / 2
    differences = jackknife.mean() - jackknife
    spread = 6 * (differences**2).sum() ** 1.5
    if not 0 < below < 1 or spread == 0:  # all resamples on one side, or all equal: no correction
        return tails
    from statistics import NormalDist

    normal = NormalDist()
    bias, acceleration = normal.inv_cdf(float(below)), float((differences**3).sum() / spread)
    shifted = [bias + normal.inv_cdf(tail) for tail in tails.tolist()]
    return np.array([normal.cdf(bias + deviate / (1 - acceleration * deviate)) for deviate in shifted])


# Sums of rows that are drawn with replacement, for several systems from the same draws.

#: Segments that are multiplied at a time: their rows and counts stay in the processor's cache.
_BLOCK = 1 << 13
#: Resamples that are multiplied at a time, and the most counts held.
_RESAMPLES, _COUNTS = 64, 1 << 24

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
        whole = _is_whole(table)
        if joins and whole and sum(member.size for member in groups[-1]) + table.size <= _CELLS:
            groups[-1].append(table)
        else:
            groups.append([table])
        joins = whole
    ends = np.cumsum([len(group) for group in groups]).tolist()
    places = [slice(end - len(group), end) for end, group in zip(ends, groups, strict=True)]
    # a large table is not copied
    joined = (group[0] if len(group) == 1 else np.hstack(group) for group in groups)
    return list(zip(places, joined, strict=True))


def _is_whole(table: Array) -> bool:
    """Return whether all numbers are integers, whose sums are exact in any order."""
    return bool((np.rint(table) == table).all())


def shared_columns(systems: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which columns of integers are the same for all systems, as what depends on references alone."""
    first, *further_systems = systems
    if not further_systems or not all(map(_is_whole, systems)):
        return np.zeros(first.shape[1], bool)
    same: NDArray[np.bool_] = np.logical_and.reduce([(rows == first).all(axis=0) for rows in further_systems])
    return same


def resampled_totals(systems: Sequence[Array], n_resamples: int, seed: int) -> list[Array]:
    """Return the sums of the rows of each system, drawn with replacement, shape (n_resamples, k) each.

    The draws are those of :func:`bootstrap_weights`. Time: resamples times segments, once for the draws, and
    times the columns that are not the same in every row, for each system. Memory: these columns, and about 36 MB (or
    2 bytes a segment).
    """
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
        for first in range(0, n_resamples, chunk):
            size = min(chunk, n_resamples - first)
            counts = drawn(rng, size, n)
            sums = [np.zeros((size, table.shape[1])) for _, table in tables]
            for start in range(0, n, _BLOCK):
                weights = counts[:, start : start + _BLOCK].astype(np.float64)
                for total, (_, table) in zip(sums, tables, strict=True):
                    total += weights @ table[start : start + _BLOCK]
            columns = np.split(np.hstack(sums), ends, axis=1)
            for total, varying, chunk_sums in zip(totals, varying_columns, columns, strict=True):
                total[first : first + size, varying] = chunk_sums
            if bar is not None:
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


class Tosses:
    """The tosses of :func:`shuffle_masks`, a bit each, of which those of some segments can be taken."""

    def __init__(self, n_segments: int, n_resamples: int, seed: int) -> None:
        masks = shuffle_masks(n_segments, n_resamples, seed)
        self._packed = np.concatenate([np.packbits(mask.astype(bool), axis=1) for mask in masks])

    def of(self, segments: NDArray[np.int64], draws: slice) -> Iterator[NDArray[np.float64]]:
        """Yield the tosses of some segments in some draws, in chunks of shape (b, segments)."""
        byte, bit = np.divmod(segments, 8)
        # the first segment of a byte is its highest bit
        shift = (7 - bit).astype(np.uint8)
        chunk = max(1, _CHUNK_CELLS // len(segments))
        for start in range(draws.start, draws.stop, chunk):
            packed = self._packed[start : min(start + chunk, draws.stop)]
            yield ((packed[:, byte] >> shift) & 1).astype(np.float64)


def _chunks(n_segments: int, n_resamples: int, multiple: int) -> Iterator[int]:
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
_WEIGHT_OF = np.searchsorted(_STEPS, np.arange(1 << 16), side="right").astype(np.uint8)


@dataclass(frozen=True, slots=True)
class PoissonBootstrap:
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
            rows, lambda digits: engine.poisson_sums(digits, seeded, _WEIGHT_OF, self.n_resamples), self.n_resamples
        )


def keys_of_ids(ids: Any) -> Keys:
    """Return 64 bits for each of an Arrow array of texts or integers; 7 and "7" are the same."""
    return _hashed(ids, np.zeros(len(ids), np.uint64))


def keys_of_texts(batch: Corpus) -> Keys:
    """Return 64 bits for each item, by its texts: items that are equal in all of them have the same."""
    keys = _hashed(batch.predictions, np.zeros(batch.n_items, np.uint64))
    places = np.arange(len(batch.references)) - np.repeat(batch.reference_offsets[:-1], batch.reference_counts)
    # prediction, first and second reference have different numbers: 0, 1, 2
    of_references = _hashed(batch.references, places.astype(np.uint64) + np.uint64(1))
    np.add.at(keys, np.repeat(np.arange(batch.n_items), batch.reference_counts), of_references)
    return keys


def _hashed(texts: Any, keys: Keys) -> Keys:
    texts = texts.cast("large_string")
    _, offsets, data = texts.buffers()
    if not len(texts):
        return keys
    bounds = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    return engine.hash_texts(np.frombuffer(data or b"", np.uint8), bounds, keys)
