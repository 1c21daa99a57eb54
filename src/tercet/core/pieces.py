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


def corpus_stats(scorer: Scorer[Any], corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the rows of a corpus, system by system, and what the scorer learned from it.

    One pass: a piece is encoded once, and counted with what it says of itself. Where the corpus decides otherwise,
    and the signature says so (such as of a tokenizer), a piece is counted again; scorers that need sums over the
    corpus get a pass for them first. With ``n_jobs``, threads take one piece each. Memory: the rows, and some pieces.
    """
    n, n_systems = corpus.n_segments, corpus.n_systems
    size = PIECE_OF_NETWORKS if scorer.loads_model else max(1, PIECE // n_systems)
    if n <= size and (scorer.options.n_jobs == 1 or n == 1):
        context = scorer.fit(corpus)
        return scorer.system_stats(corpus, context), context
    size = max(1, min(size, -(-n // scorer.options.n_jobs)))
    starts = range(0, n, size)

    rows = np.empty((n_systems, n, len(scorer.columns)))

    def put(start: int, made: SegmentStats) -> SegmentStats:
        """Return statistics whose rows are where they belong among all."""
        own = rows[:, start : start + size]
        own[:] = made.rows.reshape(own.shape)
        return replace(made, rows=own[0])

    def stats_of(start: int, context: Any) -> SegmentStats:
        return put(start, scorer.system_stats(corpus.part(start, start + size), context))

    def at_once(start: int) -> tuple[Any, SegmentStats]:
        batch = corpus.part(start, start + size)
        context = scorer.fit(batch)
        return context, put(start, scorer.system_stats(batch, context))

    def again(start: int, made: SegmentStats, context: Any) -> SegmentStats:
        return made if made.signature == scorer.signature(context) else stats_of(start, context)

    pool = ThreadPoolExecutor(scorer.options.n_jobs)

    def each(function: Callable[..., Any], *arguments: Any) -> list[Any]:
        several = scorer.options.n_jobs > 1 and len(starts) > 1
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
    return replace(parts[0], rows=rows.reshape(n_systems * n, rows.shape[2])), context


def _sum(contexts: Any) -> Any:
    return None if contexts[0] is None else reduce(add, contexts)
