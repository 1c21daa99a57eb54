"""The sums of a corpus's rows and of its resamples, exact: all that a result needs once the texts are discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.pieces import each_piece
from tercet.base.scoring import refuse_missing
from tercet.corpus.arrow_columns import check_arrow
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, MergeError, OptionError, first_line, shorten
from tercet.signature import Signature
from tercet.statistics.exact_sums import DECIMAL, ExactSums, check_summable
from tercet.statistics.poisson import Keys, PoissonBootstrap, keys_of_ids, keys_of_texts
from tercet.statistics.stats import SegmentStats

from .contexts import plain_context

#: Columns of a table besides the sums: how they were made, and 0 for the corpus or the number of a resample.
_SIGNATURE = "signature"
_RESAMPLE = "resample"


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact sums: the same to the bit in any order and grouping."""

    signature: str  # how the rows and any resamples were made; only sums with equal signatures merge
    columns: tuple[str, ...]  # names of the k columns
    exact: ExactSums  # of the corpus, and of B resamples, shape (1 + B, k)

    def __add__(self, other: Sums) -> Sums:
        """Return the sums of both; a MergeError when they were made in different ways."""
        if (self.signature, self.columns) != (other.signature, other.columns):
            raise MergeError(f"Sums of different signatures do not add up: {self.signature} and {other.signature}.")
        return replace(self, exact=self.exact + other.exact)

    def corpus_sum(self, column: str) -> float:
        """Return the sum of a column over the corpus."""
        index = self.columns.index(column)
        return float(ExactSums(self.exact.digits[:1, index : index + 1]).floats()[0, 0])

    def to_table(self) -> Any:
        """Return a pyarrow.Table with a row for the corpus (resample 0) and one for each resample.

        The sums are decimals with 18 digits after the point, which every engine adds exactly.
        """
        n_rows = len(self.exact.digits)
        labels = [pa.array([self.signature] * n_rows), pa.array(np.arange(n_rows, dtype=np.int32))]
        return pa.table([*labels, *self.exact.decimals()], names=[_SIGNATURE, _RESAMPLE, *self.columns])

    @classmethod
    def from_table(cls, table: Any, columns: tuple[str, ...] | None = None) -> Sums:
        """Return the sums of a table, as :meth:`to_table` returns it; rows of the same resample are added.

        Takes these columns, in order, or all. MergeError for a table of anything else, with different signatures, or
        with missing rows.
        """
        if columns is not None:
            names_of_sums = columns
        else:
            names_of_sums = tuple(name for name in table.column_names if name not in (_SIGNATURE, _RESAMPLE))
        _check_has_sums(table, names_of_sums)
        check_arrow(table, "the table of sums")
        try:
            signatures = table[_SIGNATURE].unique().to_pylist()
        except pa.ArrowException:  # of a type that cannot be compared
            signatures = []
        if len(signatures) != 1 or not isinstance(signatures[0], str):
            raise MergeError(f"Sums of different signatures do not add up: {shorten(signatures, 500)}.")
        numbers = _resample_numbers(table[_RESAMPLE])
        counts = np.bincount(numbers)
        if (counts != counts[0]).any():
            raise MergeError("The table lacks rows of some resamples: all parts must have those of all resamples.")
        sums = ExactSums.of_decimals([_decimals(name, table[name]) for name in names_of_sums])
        digits = sums.digits[np.argsort(numbers, kind="stable")]
        # Sorted by resample, the rows of a part stand at the same offset within those of each resample.
        n_parts = int(counts[0])
        total = ExactSums(digits[::n_parts])
        for offset in range(1, n_parts):
            total = total + ExactSums(digits[offset::n_parts])
        return cls(signatures[0], names_of_sums, total)


def _check_has_sums(table: Any, columns: Sequence[str]) -> None:
    """Raise a MergeError for a table without rows, or without each of the columns of sums once."""
    names = table.column_names
    for name in (_SIGNATURE, _RESAMPLE, *columns):
        if name not in names:
            raise _no_sums(f"no column {name!r}")
        if names.count(name) > 1:
            raise _no_sums(f"several columns {name!r}")
    if not table.num_rows:
        raise _no_sums("no rows")
    if not columns:
        raise _no_sums("no sums")


def _no_sums(content: str) -> MergeError:
    return MergeError(f"The table has {content}: expected sums of statistics, as tercet.arrow_statistics gives.")


def _resample_numbers(column: Any) -> NDArray[np.int64]:
    """Return the numbers of the resamples; MergeError if they are invalid."""
    if column.null_count or not pa.types.is_integer(column.type):
        raise MergeError(f"The column {_RESAMPLE!r} must hold the numbers of the resamples, from 0 on.")
    numbers: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    if numbers.min() < 0 or numbers.max() >= len(numbers):
        raise MergeError(
            f"The column {_RESAMPLE!r} must hold the numbers of the resamples, from 0 on: got {numbers.min()} to "
            f"{numbers.max()} in {len(numbers)} rows."
        )
    return numbers


def _decimals(name: str, column: Any) -> Any:
    """Return a column of sums as decimals; MergeError if an engine rounded or lost any."""
    damage = ""
    if pa.types.is_floating(column.type):
        damage = f"rounded, to the type {column.type}"
    elif column.null_count:
        damage = "incomplete"
    if damage:
        raise MergeError(f"The sums of {name!r} are {damage}; expected decimals, as tercet.arrow_statistics gives.")
    try:
        if pa.types.is_decimal(column.type) or pa.types.is_integer(column.type):
            return column.cast(DECIMAL)
        # Arrow's own cast lets texts of hundreds of digits overflow.
        decimals = [Decimal(text) for text in column.to_pylist()]
        return pa.chunked_array([pa.array(decimals, DECIMAL)])
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise MergeError(f"The column {name!r} holds no exact sums. {first_line(error)}") from None


# From a corpus to its sums, piece by piece: neither texts nor rows are kept.

# Sums besides those of a metric's rows.

#: The number of items, including those left out.
ADDED = "items_added"
#: Their squared numbers of references, which show whether all are equal.
SQUARES = "references_squared"
#: Half of the bits of their keys, which reveal duplicates.
KEYS = "item_keys"
#: The numbers of items with 0, 1, 2 ... references, four packed into the digits of a sum, so that every engine adds
#: them up. The last one counts all items with 31 references or more.
SPREAD = tuple(f"items_of_{first}_to_{first + 3}_references" for first in range(0, 32, 4))
#: Before the names of the numbers of a metric's context, such as letters.
CONTEXT = "texts_"


def summing_metric(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return a metric with these options; OptionError for options whose results need more than sums."""
    configured_metric = make_scorer(metric, options)
    check_in_parts(configured_metric, passes=1)
    return configured_metric


def check_in_parts(metric: Metric, passes: int) -> None:
    """Raise an OptionError for options whose results need more than sums of parts, each read once or twice."""
    metric.check_call(summed=True, resampled=True)
    # Two passes fit all of a corpus. Without references, it is the texts of a set that depend on each other.
    if metric.needs_corpus and (passes == 1 or not metric.takes_references):
        raise OptionError(f"{metric.name} must see the whole corpus before it scores a part: {metric.fit_first}")


def resampling_of(metric: Metric) -> PoissonBootstrap | None:
    """Return the requested bootstrap; None without intervals."""
    if metric.asked.confidence_level is None:
        return None
    return PoissonBootstrap(metric.asked.n_resamples, metric.asked.seed)


def sums_columns(metric: Metric, context: Any) -> tuple[str, ...]:
    """Return the names of the sums that a metric keeps, with those of its context."""
    context_columns = [f"{CONTEXT}{name}" for name in _summable(context)]
    return (*metric.columns, ADDED, SQUARES, KEYS, *SPREAD, *context_columns)


def _summable(context: Any) -> dict[str, int]:
    """Return a context as numbers that add up; empty for any other context."""
    plain = plain_context(context)
    if isinstance(plain, dict) and all(isinstance(number, int) for number in plain.values()):
        return plain
    return {}


def sums_of(
    metric: Metric,
    corpus: Corpus,
    ids: Any = None,
    context: Any = None,
    on_rows: Callable[..., Any] | None = None,
    clusters: Any = None,
) -> Sums:
    """Return the sums of a corpus whose items are identified by ids (an Arrow array), or else by their texts.

    Items with the same label in `clusters`, another array, are resampled together.

    A metric that must see the whole corpus is given its context. `on_rows` is called with the rows of each piece, in
    their order. Memory: a piece for each of ``n_jobs`` threads, and 32 bytes for each column of each resample.
    """
    scored = metric.as_scored(corpus)
    refuse_missing(metric, [scored.first_item + item for item in scored.missing])
    item_keys = None if ids is None else _distinct_keys(ids, scored.first_item)
    cluster_keys = None if clusters is None else keys_of_ids(clusters)
    pieces = _SummedPieces(metric, scored, context=context, item_keys=item_keys, cluster_keys=cluster_keys)
    return reduce(add, pieces.each_sums(on_rows))


@dataclass(frozen=True, slots=True)
class _SummedPieces:
    """A corpus that is summed piece by piece.

    Items are identified by `item_keys`, else by their texts; they are drawn by `cluster_keys`, else one by one.
    """

    metric: Metric
    corpus: Corpus
    context: Any  # of the whole corpus; None: each piece has its own
    item_keys: Keys | None
    cluster_keys: Keys | None

    def each_sums(self, on_rows: Callable[..., Any] | None) -> Iterator[Sums]:
        """Yield the sums of each piece."""
        for sums, stats in each_piece(self.metric, self.corpus.n_items, self._count_piece):
            if on_rows is not None:
                on_rows(stats)
            yield sums

    def _count_piece(self, start: int, stop: int) -> tuple[Sums, SegmentStats]:
        """Return the sums and the rows of a piece."""
        batch = self.corpus.part(start, stop)
        keys = keys_of_texts(batch) if self.item_keys is None else self.item_keys[start:stop]
        context = self.metric.fit(batch) if self.context is None else self.context
        stats = self.metric.segment_stats(batch, context)
        check_summable(stats.rows, stats.columns, batch.first_item)
        squares = stats.column("references") ** 2
        # The upper 32 bits of each key, which a float holds exactly.
        halves = (keys >> np.uint64(32)).astype(np.float64)
        rows = np.column_stack([stats.rows, np.ones(len(keys)), squares, halves])
        sums = ExactSums.of(rows).beside(_spread(stats))
        signature = stats.signature
        resampling = resampling_of(self.metric)
        if resampling is not None:
            signature = resampled(signature, resampling, self._units())
            drawn_keys = keys if self.cluster_keys is None else self.cluster_keys[start:stop]
            # The sums besides those of the rows are of the corpus alone: resamples have 0 there.
            no_sums = ExactSums.zeros(resampling.n_resamples, 3 + len(SPREAD))
            sums = sums.stacked(resampling.sums(stats.rows, drawn_keys).beside(no_sums))
        # A context of the whole corpus is known already: only those of pieces are summed.
        piece_context = context if self.context is None else None
        context_numbers = list(_summable(piece_context).values())
        sums = sums.beside(ExactSums.of_first(context_numbers, len(sums.digits)))
        return Sums(str(signature), sums_columns(self.metric, piece_context), sums), stats

    def _units(self) -> str:
        """Return the word of a signature for what is drawn."""
        if self.cluster_keys is not None:
            return "clusters"
        return "texts" if self.item_keys is None else "given"


def _distinct_keys(ids: Any, first_item: int) -> Keys:
    """Return the keys of an Arrow array of ids; InputError unless they are unique."""
    keys = keys_of_ids(ids)
    order = np.argsort(keys, kind="stable")
    duplicates = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(duplicates):
        first, second = sorted(order[duplicates[0] : duplicates[0] + 2].tolist())
        names = f"items {first_item + first} and {first_item + second}"
        raise InputError(f"{names} have the same id, {shorten(ids[first].as_py())}: ids must differ.")
    return keys


def _spread(stats: SegmentStats) -> ExactSums:
    """Return the numbers of scored items with 0, 1, 2 ... references."""
    numbers = stats.column("references")[stats.column("items") > 0].astype(np.int64)
    sums = ExactSums.zeros(1, len(SPREAD))
    last = sums.digits.size - 1
    sums.digits.flat[:] = np.bincount(np.minimum(numbers, last), minlength=last + 1)
    return sums


def resampled(signature: Signature, resampling: PoissonBootstrap, ids: str) -> Signature:
    """Return a signature that also says how resamples were drawn."""
    return signature.extended({"resamples": f"poisson,{resampling.n_resamples},{resampling.seed}", "ids": ids})
