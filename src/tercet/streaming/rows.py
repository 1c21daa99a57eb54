"""Parts of a corpus whose rows are kept and joined as if the corpus had been given at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.base.pieces import corpus_stats, joined_context
from tercet.base.scoring import batch_stats, refuse_missing, score_batch, summarize, warn_of
from tercet.corpus.artefacts import Artefacts, artefacts_of
from tercet.corpus.corpus import Corpus, Warned, join_batches
from tercet.corpus.reading import read_batch
from tercet.result import Result
from tercet.statistics.stats import SegmentStats


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Items of a corpus: their statistics and the context fitted to them, their texts, or both.

    `artefacts` are those of texts that were counted, unless they were searched before, for another metric.
    """

    stats: SegmentStats | None = None
    context: Any = None
    batch: Corpus | None = None
    artefacts: Artefacts | None = None
    #: What was said of the texts, also for other metrics.
    warned: Warned = field(default_factory=Warned, compare=False)

    @classmethod
    def uncounted(cls, batch: Corpus) -> KeptRows:
        """Return items that are counted once all parts have arrived."""
        return cls(batch=batch)

    @classmethod
    def counted(cls, metric: Metric, batch: Corpus) -> KeptRows:
        """Return items that are counted now, if possible.

        BERTScore with ``idf=True`` waits for all parts. ROUGE with ``tokenizer="auto"`` is counted with the tokenizer
        that this part chooses, and its texts are kept for the case that the corpus chooses another.
        """
        if not batch.n_items or metric.waits_for_corpus:
            return cls.uncounted(batch)
        scored = metric.as_scored(batch)
        stats, context = corpus_stats(metric, scored)
        artefacts = None
        if metric.takes_references and not scored.searched:
            artefacts = artefacts_of_one(scored)
            # So that the next metric does not search these texts once more.
            scored.warned.add_form(scored.normalizer)
        kept_batch = scored if metric.needs_corpus else None
        return cls(stats, context, kept_batch, artefacts, scored.warned)

    def __len__(self) -> int:
        if self.stats is not None:
            return len(self.stats)
        if self.batch is not None:
            return self.batch.n_items
        return 0

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        if self.stats is not None:
            return np.flatnonzero(self.stats.column("missing")).tolist()
        if self.batch is not None:
            return self.batch.missing
        return []


def artefacts_of_one(batch: Corpus) -> Artefacts:
    """Return the artefacts of a corpus of one system, also where it has none."""
    artefacts = artefacts_of(batch)
    if artefacts:
        return artefacts[0]
    return Artefacts(batch.n_items)


def result_of_rows(metric: Metric, parts: Sequence[KeptRows]) -> Result:
    """Return the result of a corpus in parts, in their order: that of :func:`tercet.score`, to the bit."""
    # The texts of a single part are the corpus.
    if len(parts) == 1 and parts[0].stats is None and parts[0].batch is not None:
        return score_batch(metric, parts[0].batch)
    stats = stats_of_rows(metric, parts)
    warn_of(metric, metric.score_warning(stats.total()))
    return summarize(metric, stats)


def stats_of_rows(metric: Metric, parts: Sequence[KeptRows]) -> SegmentStats:
    """Return the statistics of a corpus in parts; errors have the items' numbers in the corpus."""
    starts = []
    missing = []
    n_items = 0
    for part in parts:
        starts.append(n_items)
        missing += [n_items + index for index in part.missing]
        n_items += len(part)
    refuse_missing(metric, missing)
    filled_parts = [_with_stats(metric, part, start) for part, start in zip(parts, starts, strict=True) if len(part)]
    _warn_of_artefacts(filled_parts)
    stats = [part.stats for part in filled_parts if part.stats is not None]
    if filled_parts and len(stats) == len(filled_parts):
        context = joined_context([part.context for part in filled_parts])
        signatures = {part_stats.signature for part_stats in stats}
        if not metric.needs_corpus or signatures == {metric.signature(context)}:
            warn_of(metric, metric.corpus_warning(context))
            return SegmentStats.concatenate(stats)
    corpus = join_batches([part.batch for part in parts if part.batch is not None])
    # The parts with statistics were searched as they were counted.
    corpus.warned.is_silent = bool(stats)
    return batch_stats(metric, corpus)


def _warn_of_artefacts(parts: Sequence[KeptRows]) -> None:
    """Warn of what one side of the parts alone has, counted over all of them."""
    artefacts = Artefacts()
    for part in parts:
        if part.artefacts is not None:
            artefacts += part.artefacts
    if parts:
        parts[0].warned.say(artefacts.messages().values())


def _with_stats(metric: Metric, part: KeptRows, start: int) -> KeptRows:
    """Return a part with its statistics, where those do not depend on the other parts."""
    if part.stats is not None or part.batch is None or metric.needs_corpus:
        return part
    return KeptRows.counted(metric, part.batch.numbered(start))


class CountedParts:
    """A metric and the parts counted so far; texts are discarded, unless the metric needs the whole corpus."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._items = 0
        # Where no other part is added, the result is that of no items, which is an error.
        self._parts = [KeptRows.uncounted(read_batch([], []))]

    def count(self, batch: Corpus) -> KeptRows:
        """Return the rows of a part, without adding it; errors give the items' numbers in the corpus."""
        refuse_missing(self.metric, [self._items + index for index in batch.missing])
        return KeptRows.counted(self.metric, batch.numbered(self._items))

    def add(self, part: KeptRows) -> None:
        """Add the rows of a part."""
        self._items += len(part)
        self._parts.append(part)

    def result(self) -> Result:
        """Return the result of all parts, equal to that of the whole corpus."""
        return result_of_rows(self.metric, self._parts)
