"""Translation edit rates of few pairs without arrays of statistics: one pair a call takes a tenth of the time."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

import numpy as np

from tercet.columns.batch import Batch, Corpus
from tercet.columns.items import Items
from tercet.columns.ragged import Ragged
from tercet.core.result import Result
from tercet.core.scorer import Few

from .edits import edit_counts

#: More items are faster in pieces.
_MOST_ITEMS = 32
#: Characters of scripts without spaces, which are worth a warning, and those that cannot be encoded; and others.
_FOREIGN = re.compile("[\u0800-\u1fff\u2140-\U0010ffff]")


class FewTer(Few):
    """Scores few pairs of usual texts; :class:`.scorer.TerScorer` scores all others.

    Parameters
    ----------
    name : str
        Of the metric.
    scale : int
    split : callable
        From a text, and whether it is a reference, to its words.
    signature : callable
        Makes the signature of a result from the number of references.
    """

    def __init__(
        self, name: str, scale: int, split: Callable[[str, bool], list[str]], signature: Callable[[str], str]
    ) -> None:
        self._name, self._scale, self._split, self._signature = name, scale, split, signature

    def score(self, corpus: Corpus) -> Result | None:
        """Return the result; None for what is scored in another way."""
        rows = self._rows(corpus)
        if rows is None:
            return None
        edits, length = sum(row[0] for row in rows), sum(row[1] for row in rows)
        rate, references = self._rate(edits, length), str(rows[0][3])
        return Result(
            {"ter": rate, "score": rate, "num_edits": edits, "ref_length": length},
            metric=self._name,
            signature=lambda: self._signature(references),
            n_segments=len(rows),
            empty_predictions=sum(not row[2] for row in rows),
        )

    def segments(self, corpus: Corpus) -> dict[str, list[float]] | None:
        """Return the rate of each item; None likewise."""
        rows = self._rows(corpus)
        return None if rows is None else {"ter": [self._rate(edits, length) for edits, length, _, _ in rows]}

    def _rate(self, edits: int, length: float) -> float:
        return self._scale * (edits / length if length else float(edits > 0))

    def _rows(self, corpus: Corpus) -> list[tuple[int, float, int, int]] | None:
        """Return edits, average length of the references, words, and number of references of each item."""
        n = corpus.n_items
        if not 0 < n <= _MOST_ITEMS or not isinstance(corpus, Items | Batch):
            return None
        bounds = corpus.reference_offsets.tolist()
        if bounds != list(range(n + 1)) and (n > 1 or not bounds[1]):
            return None  # averages of several items are added up in another order
        if isinstance(corpus, Batch):
            texts = corpus.texts.to_pylist()
        else:  # of a type of its own, a text is its letters
            texts = [str.__str__(text) for text in (*corpus.predictions, *corpus.references)]
        if _FOREIGN.search("".join(texts)):
            return None
        words = [self._split(text, number >= n) for number, text in enumerate(texts)]
        types: dict[str, int] = {}
        ids = [types.setdefault(word, len(types)) for document in words for word in document]
        sizes = [len(document) for document in words]
        documents = Ragged(np.array(ids, np.int32), np.array([0, *accumulate(sizes)], np.int64))
        m = bounds[-1]
        of_pairs = np.arange(n) if n == m else np.zeros(m, np.int64)
        edits = edit_counts(documents, of_pairs, np.arange(n, n + m), len(types)).tolist()
        if n == 1:
            return [(min(edits), sum(sizes[1:]) / m, sizes[0], m)]
        return [(edits[i], float(sizes[n + i]), sizes[i], 1) for i in range(n)]
