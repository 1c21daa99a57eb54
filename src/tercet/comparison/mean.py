"""The weighted mean of metrics: of the scores of each segment; the score of a corpus is the mean of its segments'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, did_you_mean
from tercet.metric.scorer import Scorer, Scores
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .saved_mean import SavedMean


@dataclass(frozen=True, slots=True)
class Contexts:
    """The context of each metric of a mean."""

    parts: tuple[Any, ...]

    def __add__(self, other: Contexts) -> Contexts:
        """Return the merged contexts of two parts of a corpus."""
        pairs = zip(self.parts, other.parts, strict=True)
        return Contexts(tuple(None if one is None else one + two for one, two in pairs))


class MeanScorer(Scorer):
    """A mean of metrics, with the options in its file."""

    name = primary = "mean"
    takes_systems = True
    columns = (*Scorer.base_columns, "value")
    score_names = ("mean",)

    def __init__(self, mean: SavedMean, given: Mapping[str, Any]) -> None:
        super().__init__(**given)
        self._mean = mean
        shared = {"scale": self.scale, "missing_references": self.missing_references}
        self._scorers = [make_scorer(part.metric, {**part.options, **shared}) for part in mean.parts]
        for part, scorer in zip(mean.parts, self._scorers, strict=True):
            if part.score not in scorer.score_names:
                hint = did_you_mean(part.score, scorer.score_names)
                raise InputError(f"{part.metric} with these options has no score {part.score!r}. {hint}")

    @property
    def needs_corpus(self) -> bool:
        """Whether one of the metrics must see the whole corpus."""
        return any(scorer.needs_corpus for scorer in self._scorers)

    def fit(self, batch: Corpus) -> Contexts:
        """Return the corpus-wide context of each metric."""
        return Contexts(tuple(scorer.fit(batch) for scorer in self._scorers))

    def signature(self, context: Any) -> Signature:
        """Return the metrics, their weights, and a digest of both and all options."""
        weights = ",".join(f"{part.weight:.3g}" for part in self._mean.parts)
        names = ",".join(part.metric for part in self._mean.parts)
        return Signature.of(self.name, {"of": names, "weights": weights, "digest": self._mean.digest})

    def segment_stats(self, batch: Corpus, context: Contexts) -> SegmentStats:
        """Return the rows: the base columns, and the weighted sum of the segment's scores."""
        total, base = np.zeros(batch.n_items), np.zeros((batch.n_items, len(self.base_columns)))
        for part, scorer, own in zip(self._mean.parts, self._scorers, context.parts, strict=True):
            stats = scorer.system_stats(batch, own)
            total += part.weight * scorer.segment_scores(stats.rows)[part.score]
            base = stats.rows[:, : base.shape[1]]
        total[base[:, 0] == 0] = 0.0
        return SegmentStats(self.signature(context), self.columns, np.column_stack([base, total]))

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the mean over items."""
        return {"mean": totals[..., -1] / np.maximum(totals[..., 0], 1)}
