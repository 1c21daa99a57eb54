"""From checked texts to a result, for every metric: rows, then scores, intervals and scores of segments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from itertools import product
from math import isqrt
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.artefacts import (
    Artefacts,
    artefacts_of,
    token_list_warning,
    warn_of,
    warn_of_artefacts,
    warn_of_token_lists,
)
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_texts
from tercet.corpus.reading import Crossing, Places
from tercet.errors import InputError, OptionError, level_of_caller
from tercet.result import Result
from tercet.statistics.bootstrap import bootstrap
from tercet.statistics.clusters import Clusters
from tercet.statistics.progress import bar_of
from tercet.statistics.stats import SegmentStats, check_alike

from .scorer import Scorer, segment_lists


def score_batch(scorer: Scorer, corpus: Corpus, cluster: Any = None) -> Result:
    """Score checked texts; intervals resample the clusters that are given by a label for each item."""
    clusters = None if cluster is None else Clusters.of(cluster, corpus.n_items)
    if clusters is not None and scorer.asked.confidence_level is None:
        warn(scorer, "cluster= has no effect without confidence_level=: it says what the intervals resample.")
    stats = batch_stats(scorer, corpus)
    warn(scorer, scorer.score_warning(stats.sums() if scorer.in_floats else stats.total()))
    return summarize(scorer, stats, clusters)


def batch_stats(scorer: Scorer, corpus: Corpus, warned: set[str] | None = None) -> SegmentStats:
    """Return the statistics of checked texts, made in pieces: memory stays near the size of the texts.

    Of texts that arrive in parts, `warned` has the names of the metrics that have warned of earlier ones.
    """
    if not corpus.n_items:
        needed = "predictions and references" if scorer.takes_references else "predictions"
        raise InputError(f"The corpus is empty: {needed} must have at least one item.")
    missing = corpus.missing
    if missing:
        scorer.check_missing(missing)
    stats, context = corpus_stats(scorer, corpus)
    if warned is None or scorer.name not in warned:
        message = scorer.corpus_warning(context, corpus)
        if message is not None:
            warn(scorer, message)
            if warned is not None:
                warned.add(scorer.name)
    if not corpus.searched and scorer.takes_references:
        warn_of_artefacts(corpus)
        warn_of_token_lists(corpus)
    return stats


def summarize(scorer: Scorer, stats: SegmentStats, clusters: Clusters | None = None) -> Result:
    """Return the result that statistics give: scores, and on request intervals and the scores of segments."""
    call = scorer.asked
    totals: Any = stats.sums() if scorer.in_floats else stats.total()
    n_scored, n_empty, n_missing = int(totals[0]), int(totals[1]), int(totals[2])
    if not n_scored:
        raise InputError(scorer.nothing_left)
    scored = stats.column("items") > 0
    scored_stats = stats if n_scored == len(stats) else stats.selected(scored)
    reference_span = scored_stats.span("references")
    entries = scorer.report(scorer.corpus_totals(stats), stats)
    notes: dict[str, str] = {}
    requested: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    if call.confidence_level is not None:
        units = scored_stats
        if clusters is not None:
            clusters = clusters.selected(scored)
            units, attributes["n_clusters"] = clusters.stats(scored_stats), len(clusters)
            notes["clusters"] = str(len(clusters))
        bootstrapped = bootstrap(
            scorer, units, n_resamples=call.n_resamples, confidence_level=call.confidence_level, seed=call.seed
        )
        intervals = {name: list(result.confidence_interval) for name, result in bootstrapped.items()}
        notes["ci"] = f"{call.confidence_level!r},{call.n_resamples},{call.seed}"
    if call.segments:
        requested["segments"] = segment_lists(scorer, stats)
        if scorer.segment_rule is not None:
            notes["seg"] = scorer.segment_rule
    if call.confidence_level is not None:
        requested["intervals"] = intervals

    def signature() -> str:
        return str(stats_signature.extended({**scorer.notes(reference_span), **notes}))

    stats_signature = stats.signature
    if call.signature:
        requested["signature"] = signature()
    return Result(
        {**entries, **requested} if requested else entries,
        metric=scorer.name,
        signature=signature,
        n_segments=n_scored,
        empty_predictions=n_empty,
        missing_references=n_missing,
        intervals=requested.get("intervals"),
        segments=requested.get("segments"),
        **attributes,
        **scorer.details(totals, stats, entries),
    )


def warn(scorer: Scorer, message: str | None) -> None:
    """Warn, in the scorer's name, at the line that called tercet or evaluate; None warns of nothing."""
    if message is not None:
        warnings.warn(f"{scorer.name}: {message}", UserWarning, stacklevel=level_of_caller())


class Watch:
    """Warns once of each artefact, and of references that are tokens, for texts that arrive in parts."""

    __slots__ = ("_all", "_warned")

    def __init__(self) -> None:
        self._all, self._warned = Artefacts(), set[str]()

    def see(self, corpus: Corpus) -> None:
        """Warn of what one side of the parts so far has alone, unless it was warned of before."""
        tokens = token_list_warning(corpus)
        if tokens is not None and "tokens" not in self._warned:
            self._warned.add("tokens")
            warn_of(tokens)
        by_system, first = artefacts_of(corpus), self._all.n_items
        if not by_system:
            self._all.n_items += corpus.n_items
            return
        for place, artefacts in enumerate(by_system):  # of groups, whose items a trainer passes one after the other
            self._all += artefacts.numbered(first + place, len(by_system))
        for name, message in self._all.messages().items():
            if name not in self._warned:
                self._warned.add(name)
                warn_of(message)


# From a corpus to statistics of its segments, piece by piece: a piece fits in the processor's cache.

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
        stats = scorer.system_stats(batch, context)
        of_piece = rows[:, start : start + batch.n_segments]
        of_piece[:] = stats.rows.reshape(of_piece.shape)
        if bar is not None:
            bar.total = max(bar.total, bar.n + batch.n_segments)  # of those that are counted again too
            bar.update(batch.n_segments)
        return replace(stats, rows=of_piece[0])

    contexts: list[Any]
    pieces: dict[int, SegmentStats] = {}

    def fitted_and_counted(start: int, stop: int) -> Any:
        batch = corpus.part(start, stop)
        context = scorer.fit(batch)
        pieces[start] = counted(batch, start, context)
        return context

    def settled(start: int, stop: int) -> SegmentStats:
        stats = pieces.get(start)
        if stats is not None and stats.signature == signature:
            return stats
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


# Many against many: the score of each hypothesis against each reference, in blocks that bound the memory.

#: Of a block: most pairs, and most texts and characters of a side (but one text at least).
PAIRS, TEXTS, CHARACTERS = 1 << 15, 1 << 10, 1 << 17


def pair_scores(scorer: Scorer, hypotheses: Any, references: Any) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not scorer.takes_references:
        raise OptionError(f"{scorer.name} scores texts without references: there are no pairs to compare.")
    hypothesis_texts = _texts(hypotheses, "hypotheses")
    reference_texts = hypothesis_texts if references is None else _texts(references, "references")
    if not hypothesis_texts or not reference_texts:
        return np.zeros((len(hypothesis_texts), len(reference_texts)))
    context = scorer.fit(Corpus(hypothesis_texts[:1] * len(reference_texts), reference_texts))
    warn(scorer, scorer.corpus_warning(context))
    crossing = Crossing.of(hypothesis_texts, reference_texts)
    rows_of = scorer.pair_rows(crossing, context)
    # repeats are scored once: candidates that a model samples are often equal
    distinct_texts, row_of = _different(crossing.hypotheses)
    distinct_references, column_of = _different(crossing.references)
    scores = np.empty((len(distinct_texts), len(distinct_references)))

    def fill(block: tuple[slice, slice]) -> None:
        rows = rows_of(distinct_texts[block[0]], distinct_references[block[1]])
        scores_of_block = scores[block]
        scores_of_block[:] = np.asarray(scorer.segment_scores(rows)[scorer.primary]).reshape(scores_of_block.shape)

    n_jobs = 1 if scorer.loads_model else scorer.asked.n_jobs  # a network has threads of its own
    blocks = [*_blocks(crossing.strings, distinct_texts, distinct_references, n_jobs)]
    if len(blocks) == 1 or n_jobs == 1:
        for block in blocks:
            fill(block)
    else:
        pool = ThreadPoolExecutor(n_jobs)
        try:
            [*pool.map(fill, blocks)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for running blocks
    if scores.shape == (len(hypothesis_texts), len(reference_texts)):
        return scores
    return scores[np.ix_(row_of, column_of)]


def _different(texts: Places) -> tuple[Places, Places]:
    """Return the different ones in the order in which they first come, and which of them each is."""
    place = {text: number for number, text in enumerate(dict.fromkeys(texts.tolist()))}
    return np.array([*place], np.int64), np.array([place[text] for text in texts.tolist()], np.int64)


def _texts(values: Any, name: str) -> list[str]:
    """Return a user's texts, checked; InputError names the first that is none, or cannot be encoded."""
    strings = read_texts(values, name).encoded().strings
    assert strings is not None
    return strings[0]


def _blocks(strings: list[str], texts: Places, references: Places, n_jobs: int) -> Iterable[tuple[slice, slice]]:
    """Return blocks of pairs, as square as can be: there the work that each text takes is shared by most pairs."""
    most_columns = min(TEXTS, max(isqrt(PAIRS), PAIRS // len(texts)))
    most_rows = min(TEXTS, PAIRS // min(most_columns, len(references)), -(-len(texts) // n_jobs))
    rows, columns = (
        _spans([len(strings[text]) for text in side.tolist()], size)
        for side, size in ((texts, most_rows), (references, most_columns))
    )
    return product(rows, columns)


def _spans(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices of at most so many texts, of `CHARACTERS` together (but one text at least)."""
    start, total = 0, 0
    for place, size in enumerate(sizes):
        if place > start and (place - start == most or total + size > CHARACTERS):
            yield slice(start, place)
            start, total = place, 0
        total += size
    yield slice(start, len(sizes))
