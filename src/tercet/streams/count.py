"""From a corpus to its sums, piece by piece: neither texts nor rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.api import make_scorer
from tercet.columns.arrow_items import check_arrow
from tercet.columns.batch import Batch, Corpus
from tercet.columns.containers import as_list
from tercet.core.exact import ExactSums, check_summable
from tercet.core.pieces import PIECE, PIECE_OF_NETWORKS
from tercet.core.scorer import Scorer
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.errors import InputError, OptionError, shorten
from tercet.resampling.poisson import Keys, PoissonBootstrap, keys_of_ids, keys_of_texts

from .learnt import numbers_of
from .totals import Totals

#: Sums besides those of a scorer's rows. How many items there are, with those that were left out. Their numbers of
#: references, squared: they tell whether all have the same. Half of the bits of their keys: they tell whether the
#: same items come twice.
ADDED, SQUARES, KEYS = "items_added", "references_squared", "item_keys"
#: How many items have 0, 1, 2 ... references, four such numbers packed into the digits of a sum, so that every engine
#: adds them up. The last one counts all items with 31 references or more.
SPREAD = tuple(f"items_of_{first}_to_{first + 3}_references" for first in range(0, 32, 4))
#: Before the names of what a scorer learnt from the texts, such as their letters.
LEARNT = "texts_"


def summing_scorer(metric: str, options: Mapping[str, Any]) -> Scorer:
    """Return the scorer of a metric, of which sums are kept and nothing else.

    Raises
    ------
    OptionError
        On an unknown metric, option or value, and for what cannot be had from sums.
    """
    scorer = make_scorer(metric, options)
    scorer.check_totals()
    if scorer.needs_corpus:
        raise OptionError(f"{scorer.name} must see the whole corpus before it scores a part: {scorer.fit_first}")
    return scorer


def resampling_of(scorer: Scorer) -> PoissonBootstrap | None:
    """Return the bootstrap that the options ask for; None without intervals."""
    o = scorer.asked
    return None if o.confidence_level is None else PoissonBootstrap(o.n_resamples, o.seed)


def count(
    scorer: Scorer,
    corpus: Corpus,
    ids: Any = None,
    context: Any = None,
    seen: Callable[[SegmentStats], Any] | None = None,
) -> Totals:
    """Return the sums of a corpus.

    Parameters
    ----------
    scorer : Scorer
    corpus : Corpus
    ids : pyarrow.Array of texts or whole numbers, optional
        What the items are called; without them they are known by their texts.
    context : object, optional
        What the scorer learnt from the whole corpus, where it must.
    seen : callable, optional
        Called with the rows of each piece, in their order.

    Raises
    ------
    InputError
        As :func:`tercet.score`, and for ids that are not one for each item, and different.

    Notes
    -----
    Memory: some pieces of 8,192 items, one for each of ``n_jobs`` threads; for intervals also the sums of the
    resamples, 32 bytes for each column of each.
    """
    scorer.check_missing(corpus.missing)
    keys = None if ids is None else _keys(ids, corpus.n_items)
    resampling = resampling_of(scorer)
    size = PIECE_OF_NETWORKS if scorer.loads_model else PIECE
    size = max(1, min(size, -(-corpus.n_items // scorer.asked.n_jobs)))
    starts = range(0, max(1, corpus.n_items), size)

    def count_piece(start: int) -> tuple[Totals, SegmentStats | None]:
        batch = corpus.part(start, start + size)
        own = keys_of_texts(batch) if keys is None else keys[start : start + size]
        ids_are = "texts" if keys is None else "given"
        totals, stats = _count_batch(scorer, batch, own, context, resampling, ids_are)
        return totals, None if seen is None else stats

    def totals_of(piece: tuple[Totals, SegmentStats | None]) -> Totals:
        totals, stats = piece
        if seen is not None and stats is not None:
            seen(stats)
        return totals

    if scorer.asked.n_jobs == 1 or len(starts) == 1:
        return reduce(add, map(totals_of, map(count_piece, starts)))
    with ThreadPoolExecutor(scorer.asked.n_jobs) as pool:
        return reduce(add, map(totals_of, pool.map(count_piece, starts)))


def _count_batch(
    scorer: Scorer,
    batch: Batch,
    keys: Keys,
    context: Any,
    resampling: PoissonBootstrap | None,
    ids: str,
) -> tuple[Totals, SegmentStats]:
    learnt = scorer.fit(batch) if context is None else context
    stats = scorer.segment_stats(batch, learnt)
    check_summable(stats.rows, stats.columns, batch.first_item)
    signature = stats.signature
    squares = stats.column("references") ** 2
    halves = (keys >> np.uint64(32)).astype(np.float64)
    sums = ExactSums.of(np.column_stack([stats.rows, np.ones(len(keys)), squares, halves])).beside(_spread(stats))
    if resampling is not None:
        signature = resampled(signature, resampling, ids)
        none = ExactSums.zeros(resampling.n_resamples, 3 + len(SPREAD))
        sums = sums.stacked(resampling.sums(stats.rows, keys).beside(none))
    numbers = numbers_of(learnt) if context is None else {}
    sums = sums.beside(ExactSums.of_first(list(numbers.values()), len(sums.digits)))
    columns = (*stats.columns, ADDED, SQUARES, KEYS, *SPREAD, *(f"{LEARNT}{name}" for name in numbers))
    return Totals(str(signature), columns, sums), stats


def _spread(stats: SegmentStats) -> ExactSums:
    """Return how many of the items that are scored have 0, 1, 2 ... references."""
    numbers = stats.column("references")[stats.column("items") > 0].astype(np.int64)
    found = ExactSums.zeros(1, len(SPREAD))
    most = found.digits.size - 1
    found.digits.flat[:] = np.bincount(np.minimum(numbers, most), minlength=most + 1)
    return found


def resampled(signature: Signature, resampling: PoissonBootstrap, ids: str) -> Signature:
    """Return a signature that also says how resamples were drawn."""
    return signature.extended({"resamples": f"poisson,{resampling.n_resamples},{resampling.seed}", "ids": ids})


def _keys(ids: Any, n_items: int) -> Keys:
    if len(ids) != n_items:
        raise InputError(f"There must be an id for each item, got {len(ids)} ids for {n_items} items.")
    keys = keys_of_ids(ids)
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        one, other = sorted(order[twice[0] : twice[0] + 2].tolist())
        raise InputError(f"items {one} and {other} have the same id, {shorten(ids[one].as_py())}: ids must differ.")
    return keys


def read_ids(ids: Any) -> Any:
    """Return ids as a user has them as an Arrow array.

    Raises
    ------
    InputError
        For what is neither text nor a whole number; names the first.
    """
    if isinstance(ids, (pa.Array, pa.ChunkedArray)):
        check_arrow(ids, "ids")
    if isinstance(ids, pa.ChunkedArray):
        ids = pa.concat_arrays(ids.chunks) if ids.num_chunks else pa.array([], pa.string())
    if not isinstance(ids, pa.Array):
        given = as_list(ids, "ids", "a string or a whole number per item", 1)
        return pa.array([_as_text(each, index) for index, each in enumerate(given)], pa.large_string())
    if pa.types.is_dictionary(ids.type):
        return read_ids(read_ids(ids.dictionary).cast(pa.large_string()).take(ids.indices))
    known = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
    if ids.null_count or (len(ids) and not any(is_kind(ids.type) for is_kind in known)):
        found = f"item {ids.is_null().index(True).as_py()} has no id" if ids.null_count else f"ids are {ids.type}"
        raise InputError(f"{found}; expected a string or a whole number for each item.")
    return ids


def _as_text(id: Any, item: int) -> str:
    if not isinstance(id, (str, int, np.integer)) or isinstance(id, bool):
        raise InputError(f"the id of item {item} must be a string or a whole number, got {shorten(id)}.")
    try:
        text = str(id)
        text.encode()
    except ValueError:  # a lone surrogate, or a number of thousands of digits
        raise InputError(f"the id of item {item} cannot be written in UTF-8: {shorten(id)}.") from None
    return text
