"""The score of a corpus that comes in parts: each leaves its statistics, and they add up."""

from __future__ import annotations

from tercet.columns.batch import Batch
from tercet.columns.reading import read_batch
from tercet.core.result import Result
from tercet.core.scorer import Scorer
from tercet.streams.parts import Part, result_of_parts


class Running:
    """A scorer and what it has seen so far.

    A part is counted when it comes, and its texts are let go. Those of two metrics are kept until the end, as the
    whole corpus decides how they are counted: BERTScore whose document frequencies are those of the corpus
    (``idf=True``), and ROUGE that chooses its tokenizer by the letters of the corpus (``tokenizer="auto"``).
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self._items = 0
        self._parts = [Part.of_texts(read_batch([], []))]

    def count(self, batch: Batch) -> Part:
        """Return what a part adds, without adding it."""
        self.scorer.check_missing([self._items + index for index in batch.missing])
        return Part.counted(self.scorer, batch.numbered(self._items))

    def add(self, part: Part) -> None:
        """Add what a part adds."""
        self._items += part.n_items
        self._parts.append(part)

    def result(self) -> Result:
        """Return the result of all parts, which is that of the corpus given at once."""
        return result_of_parts(self.scorer, self._parts)
