"""From a corpus to the rows of its segments, in pieces that fit in the processor's cache: a corpus that is all there.

It is in memory, or in a file (`corpus/large.py`). Texts that arrive in parts, and of which the sums alone are kept,
are no pieces: `streaming/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from math import ceil
from operator import add
from typing import Any, TypeVar

from tercet import numpy_later as np
from tercet.corpus.corpus import Corpus
from tercet.corpus.large import LargeCorpus
from tercet.errors import OptionError
from tercet.statistics.progress import Bar, bar_of
from tercet.statistics.stats import SegmentStats, check_alike
from tercet.threads import in_threads

from .definition import MetricDefinition

#: Items that are encoded, tokenized and counted at a time.
PIECE = 1 << 13
#: Items at a time where a network embeds texts: among many, neighbours have similar lengths.
PIECE_OF_NETWORKS = 1 << 16

MadeT = TypeVar("MadeT")


def each_piece(
    metric: MetricDefinition, n_segments: int, work: Callable[[int, int], MadeT], n_systems: int = 1
) -> Iterator[MadeT]:
    """Return what `work` makes of each piece, given where it starts and stops, in order; ``n_jobs`` threads work."""
    n_jobs = metric.asked.n_jobs
    share_of_thread = ceil(n_segments / n_jobs)
    size = max(1, min(_largest_piece(metric, n_systems), share_of_thread))
    starts = range(0, max(1, n_segments), size)
    # The last one may stop beyond the end, where a part of a corpus stops by itself.
    return in_threads(lambda start: work(start, start + size), starts, n_jobs)


def corpus_stats(metric: MetricDefinition, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the rows of a corpus, as scored, system by system, and the context that the metric fitted to it.

    Of a large corpus, the sums of the rows stand for them.
    """
    n = corpus.n_segments
    if isinstance(corpus, LargeCorpus):
        return _sums_in_pieces(metric, corpus) or _stats_in_pieces(metric, corpus)
    if n > 1 and (metric.asked.n_jobs > 1 or n > _largest_piece(metric, corpus.n_systems)):
        return _stats_in_pieces(metric, corpus)
    context = metric.fit(corpus)
    return stats_of_systems(metric, corpus, context), context


def _stats_in_pieces(metric: MetricDefinition, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the rows of a corpus and its context, counted piece by piece.

    Each piece is counted in its own context, and again where the context of the whole corpus gives another signature.
    A metric whose signature cannot show that is fitted to the whole corpus first.
    """
    with bar_of("scoring", "segments", corpus.n_segments) as bar:
        pieces = _Pieces(metric, corpus, bar)
        contexts = pieces.fit() if metric.waits_for_corpus else pieces.fit_and_count()
        context = joined_context(contexts)
        pieces.count_otherwise_signed(context)
    return pieces.stats(), context


class _Pieces:
    """A corpus that is counted piece by piece."""

    def __init__(self, metric: MetricDefinition, corpus: Corpus, bar: Bar) -> None:
        self._metric = metric
        self._corpus = corpus
        self._bar = bar
        #: All rows, system by system.
        self._rows = np.empty((corpus.n_systems, corpus.n_segments, len(metric.columns)))
        #: By where a piece starts: its signature and columns, and the rows of its first system.
        self._counted: dict[int, SegmentStats] = {}

    def fit(self) -> list[Any]:
        """Return the context of each piece."""
        n_segments = self._corpus.n_segments
        size = _largest_piece(self._metric, self._corpus.n_systems)
        return [self._metric.fit(self._corpus.part(start, start + size)) for start in range(0, n_segments, size)]

    def fit_and_count(self) -> list[Any]:
        """Return the context of each piece, which is counted in it."""

        def work(start: int, stop: int) -> Any:
            batch = self._corpus.part(start, stop)
            context = self._metric.fit(batch)
            self._count(batch, start, context)
            return context

        return list(each_piece(self._metric, self._corpus.n_segments, work, self._corpus.n_systems))

    def count_otherwise_signed(self, context: Any) -> None:
        """Count in a context the pieces that were not counted, or whose rows have another signature."""
        signature = self._metric.signature(context)
        if self._counted and all(stats.signature == signature for stats in self._counted.values()):
            return

        def work(start: int, stop: int) -> None:
            if start not in self._counted or self._counted[start].signature != signature:
                self._count(self._corpus.part(start, stop), start, context)

        for _ in each_piece(self._metric, self._corpus.n_segments, work, self._corpus.n_systems):
            pass

    def _count(self, batch: Corpus, start: int, context: Any) -> None:
        stats = stats_of_systems(self._metric, batch, context)
        rows_of_piece = self._rows[:, start : start + batch.n_segments]
        rows_of_piece[:] = stats.rows.reshape(rows_of_piece.shape)
        self._counted[start] = replace(stats, rows=rows_of_piece[0])
        self._bar.update(batch.n_segments)

    def stats(self) -> SegmentStats:
        """Return the rows of all pieces."""
        parts = list(self._counted.values())
        check_alike(parts)
        return replace(parts[0], rows=self._rows.reshape(-1, self._rows.shape[2]))


def _sums_in_pieces(metric: MetricDefinition, corpus: LargeCorpus) -> tuple[SegmentStats, Any] | None:
    """Return the sums of the rows instead; None where no sum says what is asked: of segments that are left out."""
    if metric.waits_for_corpus:
        return None
    n = corpus.n_segments
    with bar_of("scoring", "segments", n) as bar:
        sums, context = _add_up(metric, corpus, bar)
        if sums is None or sums.signature != metric.signature(context):
            sums, _ = _add_up(metric, corpus, bar, context)
    # Only rows say which segments are left out.
    if sums is None or (sums.column("items") != n).any():
        return None
    return sums, context


def _add_up(
    metric: MetricDefinition, corpus: LargeCorpus, bar: Bar, context: Any = None
) -> tuple[SegmentStats | None, Any]:
    """Return the sums of all pieces, counted in a context or else each in its own, and these contexts joined.

    None stands for the sums where the pieces have several signatures.
    """
    contexts: list[Any] = []
    sums: SegmentStats | None = None
    are_alike = True
    for batch in corpus.parts(_largest_piece(metric, corpus.n_systems)):
        context_of_piece = metric.fit(batch) if context is None else context
        contexts.append(context_of_piece)
        stats = stats_of_systems(metric, batch, context_of_piece)
        if sums is None:
            nothing = np.zeros((corpus.n_systems, len(stats.columns)))
            sums = SegmentStats(stats.signature, stats.columns, nothing, items_per_row=0)
        are_alike = are_alike and stats.signature == sums.signature
        sums = sums.sums_with(stats)
        bar.update(batch.n_segments)
    return (sums if are_alike else None), joined_context(contexts)


def stats_of_systems(metric: MetricDefinition, batch: Corpus, context: Any) -> SegmentStats:
    """Return the rows of all systems of a batch, as scored; OptionError if there are fewer or more."""
    if metric.takes_systems or batch.n_systems == 1:
        stats = metric.segment_stats(batch, context)
    else:
        of_systems = [metric.segment_stats(batch.system(number), context) for number in range(batch.n_systems)]
        stats = SegmentStats.concatenate(of_systems)
    # A user's own metric may be wrong: a row too few would be a segment that silently does not count.
    if stats.rows.shape != (batch.n_items, len(stats.columns)):
        raise OptionError(
            f"{metric.name}: segment_stats must return {batch.n_items:,} rows of {len(stats.columns)} numbers, "
            f"one row per item. Got an array of shape {stats.rows.shape}."
        )
    return stats


def joined_context(contexts: Sequence[Any]) -> Any:
    """Return the context of a corpus from those of its parts; None where the metric has none."""
    return None if contexts[0] is None else reduce(add, contexts)


def _largest_piece(metric: MetricDefinition, n_systems: int) -> int:
    if metric.loads_model:
        return PIECE_OF_NETWORKS
    return max(1, PIECE // n_systems)
