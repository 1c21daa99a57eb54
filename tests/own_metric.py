"""Metrics of a user's own: word edits in plain Python, for which tercet's WER is the oracle; a score that is NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from tercet import Chrf, Metric
from tercet.base.options import option
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats


class WordErrors(Metric):
    """Edits of words for each word of the reference."""

    name, primary = "word_errors", "errors"
    higher_is_better = False
    unit = "rate"
    columns = (*Metric.base_columns, "edits", "words")
    score_names = ("errors",)

    lowercase: bool = option(default=False, doc="Lowercase the texts first.")

    def signature(self, context: Any = None) -> Signature:
        return Signature.of(self.name, {"case": "lc" if self.lowercase else "mixed"})

    def words(self, text: str) -> list[str]:
        return (text.lower() if self.lowercase else text).split()

    def segment_stats(self, batch: Any, context: Any = None) -> SegmentStats:
        rows = []
        for prediction, (reference,) in zip(*batch.columns().values(), strict=True):
            words, wanted = self.words(prediction), self.words(reference)
            rows.append([1, not words, 0, 1, edits(words, wanted), len(wanted)])
        return SegmentStats(self.signature(), self.columns, np.array(rows, float))

    def finalize(self, totals: Any) -> dict[str, Any]:
        return {"errors": self.scale * (totals[..., -2] / totals[..., -1])}


class Words(Metric):
    """Words of each text, without references."""

    name = primary = "words"
    takes_references = False
    columns = (*Metric.base_columns, "words")
    score_names = ("words",)

    def signature(self, context: Any = None) -> Signature:
        return Signature.of(self.name, {})

    def segment_stats(self, batch: Any, context: Any = None) -> SegmentStats:
        rows = [[1, not text, 0, 0, len(text.split())] for text in batch.columns()["predictions"]]
        return SegmentStats(self.signature(), self.columns, np.array(rows, float))

    def finalize(self, totals: Any) -> dict[str, Any]:
        return {"words": totals[..., -1] / totals[..., 0]}


class Unfinished(Metric):
    """A metric without scores."""

    name = "unfinished"


def edits(words: list[str], wanted: list[str]) -> int:
    """Return Levenshtein's distance."""
    row = list(range(len(wanted) + 1))
    for number, word in enumerate(words, 1):
        above, row = row, [number]
        for place, other in enumerate(wanted):
            row.append(min(row[-1] + 1, above[place + 1] + 1, above[place] + (word != other)))
    return row[-1]


class NanForZero(Chrf):
    """A metric whose score is NaN where chrF is 0."""

    name = "nan_for_zero"

    def finalize(self, totals: Any) -> Any:
        return {name: np.where(value == 0, np.nan, value) for name, value in super().finalize(totals).items()}
