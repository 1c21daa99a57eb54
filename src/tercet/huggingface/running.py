"""The score of a corpus that arrives in parts: the rows of each are kept and joined at the end."""

from __future__ import annotations

from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import read_batch
from tercet.metric.scorer import Scorer
from tercet.result import Result
from tercet.sums.rows import Rows, result_of_rows


class Running:
    """A scorer and the parts counted so far; texts are discarded, unless the metric needs the whole corpus."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self._items = 0
        self._parts = [Rows.of_texts(read_batch([], []))]

    def count(self, batch: Corpus) -> Rows:
        """Return the rows of a part, without adding it; errors give the items' numbers in the corpus."""
        self.scorer.check_missing([self._items + index for index in batch.missing])
        return Rows.counted(self.scorer, batch.numbered(self._items))

    def add(self, part: Rows) -> None:
        """Add the rows of a part."""
        self._items += len(part)
        self._parts.append(part)

    def result(self) -> Result:
        """Return the result of all parts, equal to that of the whole corpus."""
        return result_of_rows(self.scorer, self._parts)
