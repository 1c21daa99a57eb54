"""Parts of a corpus, each counted by itself, and put together as if the corpus had been given at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tercet.columns.batch import Batch, join_batches
from tercet.core.pieces import corpus_stats
from tercet.core.result import Result
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats
from tercet.scoring import batch_stats, score_batch, summarize, tell


@dataclass(frozen=True, slots=True)
class Part:
    """Items of a corpus: their statistics, their texts, or both.

    Attributes
    ----------
    n_items : int
    stats : SegmentStats or None
        One row an item; None where items cannot be counted without those of the other parts.
    context : object
        What the scorer learnt from the texts.
    batch : Batch or None
        The texts; None where the rows are the same, whatever the other parts are.
    """

    n_items: int
    stats: SegmentStats | None = None
    context: Any = None
    batch: Batch | None = None

    @classmethod
    def of_texts(cls, batch: Batch) -> Part:
        """Return a part that is to be counted when all parts are there."""
        return cls(batch.n_items, batch=batch)

    @classmethod
    def counted(cls, scorer: Scorer, batch: Batch) -> Part:
        """Return a part that is counted now, as far as that can be done.

        BERTScore with ``idf=True`` is left until all parts are there. ROUGE with ``tokenizer="auto"`` is counted with
        the tokenizer that this part chooses, and its texts are kept for the case that the corpus chooses another.
        """
        if not batch.n_items or (scorer.needs_corpus and not scorer.signature_tells):
            return cls.of_texts(batch)
        stats, context = corpus_stats(scorer, batch)
        return cls(batch.n_items, stats, context, batch if scorer.needs_corpus else None)

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        if self.stats is not None:
            return np.flatnonzero(self.stats.column("missing")).tolist()
        return [] if self.batch is None else self.batch.missing


def result_of_parts(scorer: Scorer, parts: Sequence[Part]) -> Result:
    """Return the result of a corpus in one or more parts, in their order: that of :func:`tercet.score`, to the bit.

    Raises
    ------
    InputError
        As :func:`tercet.score`, with the items' numbers in the corpus.

    Examples
    --------
    >>> from tercet.api import make_scorer
    >>> scorer = make_scorer("bleu_multi", {"max_order": 1})
    >>> texts = (["a b"], ["a c"]), (["d"], ["d"])
    >>> parts = [Part.counted(scorer, scorer.read(predictions, references)) for predictions, references in texts]
    >>> round(result_of_parts(scorer, parts)["bleu"], 4)
    0.6667
    """
    (*others, last) = parts
    if not others and last.stats is None and last.batch is not None:
        return score_batch(scorer, last.batch)
    stats = stats_of_parts(scorer, parts)
    tell(scorer, scorer.remark(stats.total()))
    return summarize(scorer, stats)


def stats_of_parts(scorer: Scorer, parts: Sequence[Part]) -> SegmentStats:
    """Return the statistics of a corpus in parts, in their order: those of :func:`~.api.batch_stats`, to the bit.

    Raises
    ------
    InputError
        As :func:`~.api.batch_stats`, with the items' numbers in the corpus.
    """
    ends = np.cumsum([part.n_items for part in parts]).tolist()
    starts = [end - part.n_items for part, end in zip(parts, ends, strict=True)]
    scorer.check_missing([start + index for part, start in zip(parts, starts, strict=True) for index in part.missing])
    found = [_filled(scorer, part, start) for part, start in zip(parts, starts, strict=True) if part.n_items]
    stats = [part.stats for part in found if part.stats is not None]
    if found and len(stats) == len(found):
        contexts = [part.context for part in found]
        context = None if contexts[0] is None else reduce(add, contexts)
        if not scorer.needs_corpus or {each.signature for each in stats} == {scorer.signature(context)}:
            tell(scorer, scorer.notice(context))
            return SegmentStats.concatenate(stats)
    return batch_stats(scorer, join_batches([part.batch for part in parts if part.batch is not None]))


def _filled(scorer: Scorer, part: Part, start: int) -> Part:
    """Return a part with its statistics, where those do not depend on the other parts."""
    if part.stats is not None or part.batch is None or scorer.needs_corpus:
        return part
    return Part.counted(scorer, part.batch.numbered(start))
