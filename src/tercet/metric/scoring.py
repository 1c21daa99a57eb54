"""From checked texts to a result, for every metric: rows, then scores, intervals and scores of segments."""

from __future__ import annotations

import warnings
from typing import Any

from tercet.corpus.artefacts import Artefacts, artefacts_of, warn_of, warn_of_artefacts
from tercet.corpus.corpus import Corpus
from tercet.corpus.token_lists import token_list_warning, warn_of_token_lists
from tercet.errors import InputError, level_of_caller
from tercet.result import Result
from tercet.statistics.bootstrap import bootstrap
from tercet.statistics.clusters import Clusters
from tercet.statistics.stats import SegmentStats

from .pieces import corpus_stats
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
