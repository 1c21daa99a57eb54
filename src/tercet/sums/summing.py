"""From a corpus to its sums, piece by piece: neither texts nor rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tercet.api import make_scorer
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, shorten
from tercet.metric.metric import Metric
from tercet.metric.pieces import each_piece
from tercet.metric.scorer import Scorer
from tercet.signature import Signature
from tercet.statistics.exact import ExactSums, check_summable
from tercet.statistics.poisson import Keys, PoissonBootstrap, keys_of_ids, keys_of_texts
from tercet.statistics.stats import SegmentStats

from .contexts import summable
from .sums import Sums

#: Sums besides those of a scorer's rows: the number of items, including those left out; their squared numbers of
#: references, which show whether all are equal; half of the bits of their keys, which reveal duplicates.
ADDED, SQUARES, KEYS = "items_added", "references_squared", "item_keys"
#: The numbers of items with 0, 1, 2 ... references, four packed into the digits of a sum, so that every engine adds
#: them up. The last one counts all items with 31 references or more.
SPREAD = tuple(f"items_of_{first}_to_{first + 3}_references" for first in range(0, 32, 4))
#: Before the names of the numbers of a scorer's context, such as letters.
CONTEXT = "texts_"


def summing_scorer(metric: str | Metric, options: Mapping[str, Any]) -> Scorer:
    """Return the scorer of a metric; OptionError for options whose results need more than sums."""
    scorer = make_scorer(metric, options)
    check_in_parts(scorer, passes=1)
    return scorer


def check_in_parts(scorer: Scorer, passes: int) -> None:
    """Raise an OptionError for options whose results need more than sums of parts, each read once or twice."""
    scorer.check_totals()
    # two passes fit all of a corpus, but the texts of a set depend on each other
    if scorer.needs_corpus and (passes == 1 or scorer.takes_sets):
        raise OptionError(f"{scorer.name} must see the whole corpus before it scores a part: {scorer.fit_first}")


def resampling_of(scorer: Scorer) -> PoissonBootstrap | None:
    """Return the requested bootstrap; None without intervals."""
    o = scorer.asked
    return None if o.confidence_level is None else PoissonBootstrap(o.n_resamples, o.seed)


def sums_columns(scorer: Scorer, context: Any) -> tuple[str, ...]:
    """Return the names of the sums that a scorer keeps, with those of its context."""
    return (*scorer.columns, ADDED, SQUARES, KEYS, *SPREAD, *(f"{CONTEXT}{name}" for name in summable(context)))


def sums_of(
    scorer: Scorer,
    corpus: Corpus,
    ids: Any = None,
    context: Any = None,
    seen: Callable[..., Any] | None = None,
    clusters: Any = None,
) -> Sums:
    """Return the sums of a corpus whose items are identified by ids (an Arrow array), or else by their texts.

    Items with the same label in `clusters`, another array, are resampled together.

    A scorer that must see the whole corpus is given its context. `seen` is called with the rows of each piece, in
    their order. Memory: a piece for each of ``n_jobs`` threads, and 32 bytes for each column of each resample.
    """
    scorer.check_missing([corpus.first_item + item for item in corpus.missing])
    keys = None if ids is None else _distinct_keys(ids, corpus.n_items, corpus.first_item)
    drawn_by = None if clusters is None else keys_of_ids(clusters)
    units = "clusters" if clusters is not None else "texts" if ids is None else "given"

    def summed(start: int, stop: int) -> tuple[Sums, SegmentStats]:
        batch = corpus.part(start, stop)
        own = keys_of_texts(batch) if keys is None else keys[start:stop]
        fitted = scorer.fit(batch) if context is None else context
        stats = scorer.segment_stats(batch, fitted)
        check_summable(stats.rows, stats.columns, batch.first_item)
        drawn = own if drawn_by is None else drawn_by[start:stop]
        return _sums(scorer, stats, own, drawn, None if context is not None else fitted, units), stats

    def passed_on(piece: tuple[Sums, SegmentStats]) -> Sums:
        if seen is not None:
            seen(piece[1])
        return piece[0]

    return reduce(add, map(passed_on, each_piece(scorer, corpus.n_items, summed)))


def _sums(scorer: Scorer, stats: SegmentStats, keys: Keys, drawn: Keys, context: Any, units: str) -> Sums:
    """Return the sums of rows, of the resamples in which the keys `drawn` draw them, and of a context's numbers."""
    signature, resampling = stats.signature, resampling_of(scorer)
    squares = stats.column("references") ** 2
    halves = (keys >> np.uint64(32)).astype(np.float64)
    sums = ExactSums.of(np.column_stack([stats.rows, np.ones(len(keys)), squares, halves])).beside(_spread(stats))
    if resampling is not None:
        signature = resampled(signature, resampling, units)
        none = ExactSums.zeros(resampling.n_resamples, 3 + len(SPREAD))
        sums = sums.stacked(resampling.sums(stats.rows, drawn).beside(none))
    sums = sums.beside(ExactSums.of_first(list(summable(context).values()), len(sums.digits)))
    return Sums(str(signature), sums_columns(scorer, context), sums)


def _distinct_keys(ids: Any, n_items: int, first_item: int) -> Keys:
    """Return the keys of an Arrow array of ids; InputError unless they are unique."""
    if len(ids) != n_items:
        raise InputError(f"There must be an id for each item, got {len(ids)} ids for {n_items} items.")
    keys = keys_of_ids(ids)
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        one, other = sorted(order[twice[0] : twice[0] + 2].tolist())
        names = f"items {first_item + one} and {first_item + other}"
        raise InputError(f"{names} have the same id, {shorten(ids[one].as_py())}: ids must differ.")
    return keys


def _spread(stats: SegmentStats) -> ExactSums:
    """Return the numbers of scored items with 0, 1, 2 ... references."""
    numbers = stats.column("references")[stats.column("items") > 0].astype(np.int64)
    found = ExactSums.zeros(1, len(SPREAD))
    most = found.digits.size - 1
    found.digits.flat[:] = np.bincount(np.minimum(numbers, most), minlength=most + 1)
    return found


def resampled(signature: Signature, resampling: PoissonBootstrap, ids: str) -> Signature:
    """Return a signature that also says how resamples were drawn."""
    return signature.extended({"resamples": f"poisson,{resampling.n_resamples},{resampling.seed}", "ids": ids})
