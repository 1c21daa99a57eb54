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
        both = "predictions and references" if scorer.takes_references else "predictions"
        raise InputError(f"The corpus is empty: {both} must have at least one item.")
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
    asked = scorer.asked
    totals: Any = stats.sums() if scorer.in_floats else stats.total()
    n_scored, n_empty, n_missing = int(totals[0]), int(totals[1]), int(totals[2])
    if not n_scored:
        raise InputError(scorer.nothing_left)
    scored = stats.column("items") > 0
    kept = stats if n_scored == len(stats) else stats.selected(scored)
    span = kept.span("references")
    entries = scorer.report(scorer.corpus_totals(stats), stats)
    notes: dict[str, str] = {}
    extra: dict[str, Any] = {}
    more: dict[str, Any] = {}
    if asked.confidence_level is not None:
        units = kept
        if clusters is not None:
            clusters = clusters.selected(scored)
            units, more["n_clusters"] = clusters.stats(kept), len(clusters)
            notes["clusters"] = str(len(clusters))
        found = bootstrap(
            scorer, units, n_resamples=asked.n_resamples, confidence_level=asked.confidence_level, seed=asked.seed
        )
        intervals = {name: list(each.confidence_interval) for name, each in found.items()}
        notes["ci"] = f"{asked.confidence_level!r},{asked.n_resamples},{asked.seed}"
    if asked.segments:
        extra["segments"] = segment_lists(scorer, stats)
        if scorer.segment_rule is not None:
            notes["seg"] = scorer.segment_rule
    if asked.confidence_level is not None:
        extra["intervals"] = intervals

    def signature() -> str:
        return str(stats_signature.extended({**scorer.notes(span), **notes}))

    stats_signature = stats.signature
    if asked.signature:
        extra["signature"] = signature()
    return Result(
        {**entries, **extra} if extra else entries,
        metric=scorer.name,
        signature=signature,
        n_segments=n_scored,
        empty_predictions=n_empty,
        missing_references=n_missing,
        intervals=extra.get("intervals"),
        segments=extra.get("segments"),
        **more,
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
        found, first = artefacts_of(corpus), self._all.n_items
        if not found:
            self._all.n_items += corpus.n_items
            return
        for place, own in enumerate(found):  # of groups, whose items a trainer passes one after the other
            self._all += own.numbered(first + place, len(found))
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


# Many against many: the score of each hypothesis against each reference, in blocks that bound the memory.

#: Of a block: most pairs, and most texts and characters of a side (but one text at least).
PAIRS, TEXTS, CHARACTERS = 1 << 15, 1 << 10, 1 << 17


def pair_scores(scorer: Scorer, hypotheses: Any, references: Any) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not scorer.takes_references:
        raise OptionError(f"{scorer.name} scores texts without references: there are no pairs to compare.")
    own = _texts(hypotheses, "hypotheses")
    others = own if references is None else _texts(references, "references")
    if not own or not others:
        return np.zeros((len(own), len(others)))
    context = scorer.fit(Corpus(own[:1] * len(others), others))
    warn(scorer, scorer.corpus_warning(context))
    crossing = Crossing.of(own, others)
    rows_of = scorer.pair_rows(crossing, context)
    (texts, of_texts), (given, of_given) = _different(crossing.hypotheses), _different(crossing.references)
    scores = np.empty((len(texts), len(given)))

    def fill(block: tuple[slice, slice]) -> None:
        rows = rows_of(texts[block[0]], given[block[1]])
        to = scores[block]
        to[:] = np.asarray(scorer.segment_scores(rows)[scorer.primary]).reshape(to.shape)

    n_jobs = 1 if scorer.loads_model else scorer.asked.n_jobs  # a network has threads of its own
    blocks = [*_blocks(crossing.strings, texts, given, n_jobs)]
    if len(blocks) == 1 or n_jobs == 1:
        for block in blocks:
            fill(block)
    else:
        pool = ThreadPoolExecutor(n_jobs)
        try:
            [*pool.map(fill, blocks)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for running blocks
    if scores.shape == (len(own), len(others)):
        return scores
    return scores[np.ix_(of_texts, of_given)]


def _different(side: Places) -> tuple[Places, Places]:
    """Return the different ones in the order in which they first come, and which of them each is."""
    place = {text: number for number, text in enumerate(dict.fromkeys(side.tolist()))}
    return np.array([*place], np.int64), np.array([place[text] for text in side.tolist()], np.int64)


def _texts(given: Any, name: str) -> list[str]:
    """Return a user's texts, checked; InputError names the first that is none, or cannot be encoded."""
    strings = read_texts(given, name).encoded().strings
    assert strings is not None
    return strings[0]


def _blocks(strings: list[str], texts: Places, references: Places, n_jobs: int) -> Iterable[tuple[slice, slice]]:
    """Return blocks of pairs, as square as can be: there the work that each text takes is shared by most pairs."""
    most = min(TEXTS, max(isqrt(PAIRS), PAIRS // len(texts)))
    own = min(TEXTS, PAIRS // min(most, len(references)), -(-len(texts) // n_jobs))
    rows, columns = (
        _spans([len(strings[text]) for text in side.tolist()], size)
        for side, size in ((texts, own), (references, most))
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
