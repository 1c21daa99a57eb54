"""The score of a corpus that comes in parts: each leaves its statistics, and they add up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tercet.api import score_batch, summarize, tell
from tercet.columns.batch import Batch, join_batches
from tercet.columns.reading import read_batch
from tercet.core.result import Result
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats


@dataclass(frozen=True, slots=True)
class Counted:
    """A part: its statistics and what the scorer learnt from it, or its texts."""

    batch: Batch
    stats: SegmentStats | None
    context: Any


class Running:
    """A scorer and what it has seen so far.

    A part is counted when it comes, and its texts are let go. Two metrics need the whole corpus before they can
    count: BERTScore whose document frequencies are those of the corpus (``idf=True``), and ROUGE that chooses its
    tokenizer by the letters of the corpus (``tokenizer="auto"``). Their texts are kept until the end.

    Examples
    --------
    >>> from tercet.api import make_scorer
    >>> running = Running(make_scorer("bleu_multi", {"max_order": 1}))
    >>> for prediction, reference in [("a b", "a c"), ("d", "d")]:
    ...     running.add(running.count(read_batch([prediction], [reference])))
    >>> round(running.result()["bleu"], 4)
    0.6667
    """

    def __init__(self, scorer: Scorer[Any]) -> None:
        self.scorer = scorer
        self._items = 0
        self._parts: list[SegmentStats] = []
        self._context: Any = None
        self._kept = [read_batch([], [])]

    def count(self, batch: Batch) -> Counted:
        """Return what a part adds, without adding it.

        Raises
        ------
        InputError
            For items without reference under ``missing_references="error"``, by their number in the corpus.
        """
        self.scorer.check_missing([self._items + index for index in batch.missing])
        batch = replace(batch, first_item=self._items)
        if self.scorer.needs_corpus or not batch.n_items:
            return Counted(batch, None, None)
        context = self.scorer.fit(batch)
        return Counted(batch, self.scorer.segment_stats(batch, context), context)

    def add(self, part: Counted) -> None:
        """Add what a part adds."""
        self._items += part.batch.n_items
        if part.stats is None:
            self._kept.append(part.batch)
            return
        self._parts.append(part.stats)
        self._context = part.context if self._context is None else self._context + part.context

    def result(self) -> Result:
        """Return the result of all parts, which is that of the corpus given at once.

        Raises
        ------
        InputError
            For an empty corpus.
        """
        if not self._parts:
            return score_batch(self.scorer, join_batches(self._kept))
        stats = SegmentStats.concatenate(self._parts)
        tell(self.scorer, self.scorer.notice(self._context))
        tell(self.scorer, self.scorer.remark(stats))
        return summarize(self.scorer, stats)
