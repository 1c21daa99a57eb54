"""unitxt: a metric whose global score is that of the corpus, with intervals from its statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.api import scorer
from tercet.errors import needs

from .shared import corpus_scores, with_intervals

needs("tercet.harnesses.unitxt", "", "unitxt")

from unitxt.metrics import MapReduceMetric

Texts = tuple[str, list[str]]


class CorpusScores(MapReduceMetric[str, Texts]):
    """A metric of the suite for a task's ``metrics``.

    As in ``CorpusScores(metric="bleu", options={"lowercase": True})``, with options of :func:`tercet.scorer`;
    ``n_resamples`` and ``confidence_level`` are fields of unitxt's own.
    """

    metric: str
    options: dict[str, Any] = {}  # noqa: RUF012  a field: unitxt copies it
    main_score: str = None  # type: ignore[assignment]
    prediction_type = str

    def prepare(self) -> None:
        """Make the metric."""
        super().prepare()
        self.scorer = scorer(self.metric, **self.options)
        self.main_score = self.scorer.primary

    def map(self, prediction: str, references: list[str], task_data: dict[str, Any]) -> Texts:
        """Keep an item's texts."""
        return prediction, references

    def reduce(self, intermediates: Sequence[Texts]) -> dict[str, float]:
        """Return the scores of items."""
        result = self.scorer(*map(list, zip(*intermediates, strict=True)))
        return {name: result[name] for name in self.scorer.score_names}

    def reduce_and_bootstrap(self, intermediates: Sequence[Texts]) -> dict[str, Any]:
        """Return the scores of the corpus, with intervals by unitxt's names, and the signature."""
        options = {"confidence_level": self.confidence_level, "n_resamples": self.n_resamples}
        metric = with_intervals(self.scorer, options) if self.return_confidence_interval else self.scorer
        result = corpus_scores(metric, *map(list, zip(*intermediates, strict=True)))
        ends = {f"{name}_{end}": f"{name}_ci_{end}" for name in self.scorer.score_names for end in ("low", "high")}
        return {**{ends.get(name, name): value for name, value in result.items()}, "signature": result.signature}
