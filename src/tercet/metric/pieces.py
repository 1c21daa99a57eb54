"""From a corpus to statistics of its segments, piece by piece: a piece fits in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from tercet.corpus.corpus import Corpus
from tercet.statistics.progress import bar_of
from tercet.statistics.stats import SegmentStats, check_alike

from .scorer import Scorer

#: Items that are encoded, tokenized and counted at a time.
PIECE = 1 << 13
#: The same if a network embeds texts: among many, neighbours have similar lengths.
PIECE_OF_NETWORKS = 1 << 16

T = TypeVar("T")


def each_piece(scorer: Scorer, n_segments: int, work: Callable[[int, int], T], n_systems: int = 1) -> Iterator[T]:
    """Yield what `work` makes of each piece, given where it starts and stops, in order; ``n_jobs`` threads work."""
    n_jobs, size = scorer.asked.n_jobs, _largest_piece(scorer, n_systems)
    size = max(1, min(size, -(-n_segments // n_jobs)))
    starts = range(0, max(1, n_segments), size)
    stops = range(size, size * len(starts) + 1, size)
    if n_jobs == 1 or len(starts) == 1:
        yield from map(work, starts, stops)
        return
    pool = ThreadPoolExecutor(n_jobs)
    try:
        yield from pool.map(work, starts, stops)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for running pieces


def corpus_stats(scorer: Scorer, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the rows of a corpus, system by system, and the context that the scorer fitted to it.

    A piece is encoded once, and counted in the context of itself. It is counted again where the context of the corpus
    gives another signature; only scorers whose signature does not show that are fitted to the corpus first.
    """
    n, n_systems = corpus.n_segments, corpus.n_systems
    size = _largest_piece(scorer, n_systems)
    if n <= size and (scorer.asked.n_jobs == 1 or n == 1):
        context = scorer.fit(corpus)
        return scorer.system_stats(corpus, context), context

    rows = np.empty((n_systems, n, len(scorer.columns)))

    def counted(batch: Corpus, start: int, context: Any) -> SegmentStats:
        made = scorer.system_stats(batch, context)
        own = rows[:, start : start + batch.n_segments]
        own[:] = made.rows.reshape(own.shape)
        if bar is not None:
            bar.total = max(bar.total, bar.n + batch.n_segments)  # of those that are counted again too
            bar.update(batch.n_segments)
        return replace(made, rows=own[0])

    contexts: list[Any]
    pieces: dict[int, SegmentStats] = {}

    def fitted_and_counted(start: int, stop: int) -> Any:
        batch = corpus.part(start, stop)
        context = scorer.fit(batch)
        pieces[start] = counted(batch, start, context)
        return context

    def settled(start: int, stop: int) -> SegmentStats:
        made = pieces.get(start)
        if made is not None and made.signature == signature:
            return made
        return counted(corpus.part(start, stop), start, context)

    with bar_of("scoring", "segments", n) as bar:
        if scorer.needs_corpus and not scorer.signature_tells:
            contexts = [scorer.fit(corpus.part(start, start + size)) for start in range(0, n, size)]
        else:
            contexts = list(each_piece(scorer, n, fitted_and_counted, n_systems))
        context = joined_context(contexts)
        signature = scorer.signature(context)
        parts = list(each_piece(scorer, n, settled, n_systems))
    check_alike(parts)
    return replace(parts[0], rows=rows.reshape(n_systems * n, rows.shape[2])), context


def joined_context(contexts: Sequence[Any]) -> Any:
    """Return the context of a corpus from those of its parts; None where the scorer has none."""
    return None if contexts[0] is None else reduce(add, contexts)


def _largest_piece(scorer: Scorer, n_systems: int) -> int:
    return PIECE_OF_NETWORKS if scorer.loads_model else max(1, PIECE // n_systems)
