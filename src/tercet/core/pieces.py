"""From a corpus to statistics of its segments, piece by piece: what a piece needs stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tercet.columns.batch import Corpus

from .scorer import Scorer
from .stats import SegmentStats, check_alike

#: Items that are encoded, tokenized and counted at a time.
PIECE = 1 << 13
#: The same where a network embeds texts: many of them have neighbours of their length.
PIECE_OF_NETWORKS = 1 << 16


def corpus_stats(scorer: Scorer, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the statistics of every item of a corpus, and what the scorer learned from it.

    Notes
    -----
    One pass: a piece is encoded once, and counted with what it says of itself. Where the corpus decides otherwise,
    and the signature tells (such as of a tokenizer), a piece is counted again; scorers that need sums over the
    corpus get a pass for them first. With ``n_jobs``, threads take one piece each. Memory: the rows, and some pieces.
    """
    size = PIECE_OF_NETWORKS if scorer.loads_model else PIECE
    if corpus.n_items <= size and (scorer.asked.n_jobs == 1 or corpus.n_items == 1):
        batch = corpus.part(0, corpus.n_items)
        context = scorer.fit(batch)
        return scorer.segment_stats(batch, context), context
    size = max(1, min(size, -(-corpus.n_items // scorer.asked.n_jobs)))
    starts = range(0, corpus.n_items, size)

    rows = np.empty((corpus.n_items, len(scorer.columns)))

    def put(start: int, made: SegmentStats) -> SegmentStats:
        """Return statistics whose rows are where they belong among all."""
        own = rows[start : start + size]
        own[:] = made.rows
        return replace(made, rows=own)

    def stats_of(start: int, context: Any) -> SegmentStats:
        return put(start, scorer.segment_stats(corpus.part(start, start + size), context))

    def at_once(start: int) -> tuple[Any, SegmentStats]:
        batch = corpus.part(start, start + size)
        context = scorer.fit(batch)
        return context, put(start, scorer.segment_stats(batch, context))

    def again(start: int, made: SegmentStats, context: Any) -> SegmentStats:
        return made if made.signature == scorer.signature(context) else stats_of(start, context)

    pool = ThreadPoolExecutor(scorer.asked.n_jobs)

    def each(function: Callable[..., Any], *arguments: Any) -> list[Any]:
        several = scorer.asked.n_jobs > 1 and len(starts) > 1
        return list((pool.map if several else map)(function, *arguments))

    try:
        if scorer.needs_corpus and not scorer.signature_tells:
            context = _sum([scorer.fit(corpus.part(start, start + size)) for start in starts])
            parts = each(lambda start: stats_of(start, context), starts)
        else:
            contexts, made = zip(*each(at_once, starts), strict=True)
            context = _sum(contexts)
            parts = each(lambda start, one: again(start, one, context), starts, made)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for what is under way
    check_alike(parts)
    return replace(parts[0], rows=rows), context


def _sum(contexts: Any) -> Any:
    return None if contexts[0] is None else reduce(add, contexts)
