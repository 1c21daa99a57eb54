"""From checked texts to a result, for every metric: rows, then scores, intervals and scores of segments.

The rows are made by `pieces.py`, which calls `segment_stats` of the metric; lists of strings that nothing is asked of
take the road of `short_road.py`, which makes a result as here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet import numpy_later as np
from tercet.corpus.artefacts import warn_of_texts
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing
from tercet.corpus.styles import style_messages
from tercet.errors import InputError, warn
from tercet.result import Result, empty_result
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .definition import MetricDefinition
from .pieces import corpus_stats
from .rows import EMPTY, ITEMS, MISSING

if TYPE_CHECKING:
    from tercet.statistics.clusters import Clusters


def score_batch(metric: MetricDefinition, corpus: Corpus, cluster: Any = None) -> Result:
    """Score checked texts; intervals resample the clusters that are given by a label for each item."""
    clusters = None
    if cluster is not None:
        from tercet.statistics.clusters import Clusters

        clusters = Clusters.of(cluster, corpus.n_items)
        if metric.asked.confidence_level is None:
            warn_of(metric, "cluster= has no effect without confidence_level=: it says what the intervals resample.")
    stats = batch_stats(metric, corpus, heeds_style=True)
    warn_of(metric, metric.score_warning(stats.total()))
    return summarize(metric, stats, clusters)


def batch_stats(
    metric: MetricDefinition, corpus: Corpus, warned: set[str] | None = None, *, heeds_style: bool = False
) -> SegmentStats:
    """Return the statistics of checked texts, made in pieces: memory stays near the size of the texts.

    Of texts that arrive in parts, `warned` has the names of the metrics that have warned of earlier ones. With
    `heeds_style`, systems that write otherwise than the references are warned of: drop-ins do as their originals.
    """
    if not corpus.n_items:
        needed = "predictions and references" if metric.takes_references else "predictions"
        raise InputError(f"The corpus is empty: {needed} must have at least one item.")
    if metric.takes_references and not corpus.one_each:
        refuse_missing(metric, corpus.missing)
    corpus = metric.as_scored(corpus)
    stats, context = corpus_stats(metric, corpus)
    warn_of_corpus(metric, corpus, context, warned, heeds_style=heeds_style)
    return stats


def warn_of_corpus(
    metric: MetricDefinition,
    corpus: Corpus,
    context: Any,
    warned: set[str] | None = None,
    *,
    heeds_style: bool = False,
) -> None:
    """Warn of texts that the metric is not made for, and that are odd; with the arguments of :func:`batch_stats`."""
    if warned is None or metric.name not in warned:
        message = metric.corpus_warning(context, corpus)
        if message is not None:
            warn_of(metric, message)
            if warned is not None:
                warned.add(metric.name)
    if metric.takes_references:
        if not corpus.searched:
            warn_of_texts(corpus)
        # Asked for each metric: one that ignores case does not see what another one does.
        if heeds_style and not corpus.warned.is_silent:
            corpus.warned.say(style_messages(corpus, ignores_case=metric.ignores_case))


def refuse_missing(metric: MetricDefinition, missing: Sequence[int]) -> None:
    """Raise an InputError for items without reference, unless the metric's options allow them."""
    if metric.takes_references:
        check_missing(missing, metric.missing_references, metric.at_zero)


def summarize(metric: MetricDefinition, stats: SegmentStats, clusters: Clusters | None = None) -> Result:
    """Return the result that rows give: scores, and on request intervals and the scores of segments."""
    totals = stats.total()
    n_scored = totals.item(ITEMS)
    if not n_scored:
        raise InputError(metric.nothing_left)
    scored_stats = stats
    if n_scored != len(stats.rows):
        scored_stats = stats.selected(stats.column("items") > 0)
    entries = metric.report(metric.corpus_totals(stats), stats)
    additions = _additions(metric, stats, scored_stats, clusters)
    outcome = Outcome(
        signature=stats.signature,
        n_references=scored_stats.span("references"),
        totals=totals,
        entries=entries,
        stats=stats if metric.keeps_rows else None,
        additions=additions,
    )
    result = empty_result(metric.name, (attributes_of, metric, outcome))
    result.update(entries)
    for name in ("segments", "intervals"):
        if name in additions.attributes:
            result[name] = additions.attributes[name]
    if metric.asked.signature:
        result["signature"] = result.signature
    return result


class Additions(NamedTuple):
    """What the options of a call add to a result."""

    #: Its attributes ``segments``, ``intervals`` and ``n_clusters``, of which the first two are keys too.
    attributes: Mapping[str, Any] = {}
    #: Entries of its signature.
    notes: Mapping[str, str] = {}


def _additions(
    metric: MetricDefinition, stats: SegmentStats, scored_stats: SegmentStats, clusters: Clusters | None
) -> Additions:
    """Return the scores of all segments, and the intervals of those that count, where the call asks for them."""
    call = metric.asked
    attributes: dict[str, Any] = {}
    notes: dict[str, str] = {}
    if call.segments:
        attributes["segments"] = segment_lists(metric, stats)
    if call.confidence_level is not None:
        units = scored_stats
        unit = "item"
        if clusters is not None:
            scored_clusters = clusters.selected(stats.column("items") > 0)
            units = scored_clusters.stats(scored_stats)
            unit = "cluster"
            attributes["n_clusters"] = len(scored_clusters)
            notes["clusters"] = str(len(scored_clusters))
        attributes["intervals"], notes["ci"] = _intervals(metric, units, unit, call.confidence_level)
    return Additions(attributes, notes)


def _intervals(
    metric: MetricDefinition, units: SegmentStats, unit: str, confidence_level: float
) -> tuple[dict[str, list[float]], str]:
    """Return the bootstrap interval of each score, and what the signature says of them."""
    from tercet.statistics.intervals import FEWEST_UNITS, MOST_UNITS, bootstrap, too_few_units

    call = metric.asked
    bootstrapped = bootstrap(
        metric, units, n_resamples=call.n_resamples, confidence_level=confidence_level, seed=call.seed
    )
    intervals = {name: list(result.confidence_interval) for name, result in bootstrapped.items()}
    note = f"{confidence_level!r},{call.n_resamples},{call.seed},expanded"
    if len(units) > MOST_UNITS:
        note += f",{MOST_UNITS} groups"
    if len(units) < FEWEST_UNITS:
        warn_of(metric, too_few_units(len(units), unit))
    return intervals, note


class Outcome(NamedTuple):
    """What scoring found: the attributes of a result are made of it, when one is read."""

    #: Of the rows.
    signature: Signature
    #: How many references an item has, such as "1" or "1-4".
    n_references: str
    #: The sums of the rows.
    totals: Any
    #: The keys of the result, as the metric reported them.
    entries: Mapping[str, Any]
    #: The rows, where the metric keeps them.
    stats: SegmentStats | None = None
    additions: Additions = Additions()


def attributes_of(metric: MetricDefinition, outcome: Outcome) -> dict[str, Any]:
    """Return the attributes of a result."""
    notes = {**metric.notes(outcome.n_references), **outcome.additions.notes}
    if metric.asked.segments:
        # How segments are scored comes last; what is there keeps its position.
        notes |= metric.notes(outcome.n_references, segments=True)
    totals = outcome.totals
    return {
        "signature": str(outcome.signature.extended(notes)),
        "n_segments": int(totals[ITEMS]),
        "empty_predictions": int(totals[EMPTY]),
        "missing_references": int(totals[MISSING]),
        "intervals": None,
        "segments": None,
        **outcome.additions.attributes,
        **metric.details(totals, outcome.stats, outcome.entries),
    }


def segment_lists(metric: MetricDefinition, stats: SegmentStats) -> dict[str, list[float | None]]:
    """Return the scores of every item as lists, None for an item left out; empty ones of rows that were not kept."""
    if stats.items_per_row > 1:
        return {name: [] for name in metric.segment_names}
    scores_of_rows = metric.segment_metric.finalize(stats.rows)
    lists: dict[str, list[Any]] = {}
    for name, score in zip(metric.segment_names, metric.score_names, strict=True):
        lists[name] = scores_of_rows[score].tolist()
    for index in np.flatnonzero(stats.column("items") == 0).tolist():
        for scores in lists.values():
            scores[index] = None
    return lists


def warn_of(metric: MetricDefinition, message: str | None) -> None:
    """Warn, in the metric's name, at the line that called tercet or evaluate; None warns of nothing."""
    if message is not None:
        warn(f"{metric.name}: {message}")
