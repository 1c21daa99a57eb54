"""Why a segment has its score: one segment of each system, explained by a metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.base.pieces import corpus_stats, stats_of_systems
from tercet.base.scoring import segment_lists, warn_of
from tercet.comparison.specs.mean_of_metrics import MeanOfMetrics
from tercet.comparison.specs.metric_specs import label_of, name_of
from tercet.comparison.wording.decimals import digits_of_scale
from tercet.errors import InputError, OptionError, shorten
from tercet.names_as_shown import one_cell
from tercet.statistics.ranks import best_first
from tercet.test_sets.checks import check_has_texts, check_references, check_segment
from tercet.test_sets.test_set import TestSet

from .choice import segment_that_says_most


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """One segment of all systems, with its scores and what is behind them."""

    test_set: TestSet
    #: With the options that were given.
    metric: str
    #: The score by which systems are sorted, as in `scores`, and what people call it.
    name: str
    title: str
    #: The number of the segment, from 1.
    segment: int
    #: Why it was chosen, in words; "" if the user chose it.
    chosen: str
    scale: int
    higher_is_better: bool
    #: By system and name, as in a comparison.
    scores: dict[str, dict[str, float]]
    #: By system.
    explanations: dict[str, Any]

    @property
    def segment_in_words(self) -> str:
        """The segment, and why it was chosen, on one line."""
        n_segments = f"segment {self.segment:,} of {self.test_set.n_segments:,}"
        return ", ".join(filter(None, [n_segments, self.chosen]))

    @property
    def digits(self) -> int:
        """With how many decimals people read the scores."""
        return digits_of_scale(self.scale)

    @property
    def order(self) -> list[str]:
        """The systems, the best first, those without a score last."""
        systems = list(self.scores)
        values = [self.scores[system].get(self.name, math.nan) for system in systems]
        return [systems[index] for index in best_first(values, self.higher_is_better)]

    def label(self, system: str) -> str:
        """Return the name of a system with its scores."""
        scores = ", ".join(f"{name} {value:.{self.digits}f}" for name, value in self.scores[system].items())
        lower = "" if self.higher_is_better else " (lower is better)"
        return f"{one_cell(system)}: {scores}{lower}"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain Python for each system."""
        position = {"test_set": self.test_set.name, "segment": self.segment, "metric": self.metric}
        rows = []
        for system, explanation in self.explanations.items():
            if hasattr(explanation, "to_dict"):
                explanation = explanation.to_dict()
            rows.append({**position, "system": system, "scores": self.scores[system], "explanation": explanation})
        return rows


def explain_segment(test_set: TestSet, metric: Metric, segment: int | None = None) -> ExplainedSegment:
    """Explain a segment, counted from 1; by default what tells the systems apart best, of one system the worst."""
    if isinstance(metric, MeanOfMetrics):
        raise OptionError(f"{shorten(name_of(metric))} is a mean of metrics; explain each of them by itself.")
    metric = metric.with_defaults(scale=100)
    check_has_texts(test_set, metric.name)
    if metric.takes_references:
        check_references(test_set, metric, metric.name)
    corpus = metric.as_scored(test_set.corpus())
    systems = list(test_set.systems)
    name = dict(zip(metric.score_names, metric.segment_names, strict=True))[metric.primary]
    if segment is not None:
        check_segment(test_set, segment)
        context = metric.fit(corpus)
        why_chosen = ""
    else:
        stats, context = corpus_stats(metric, corpus)
        values = [segment_lists(metric, system_stats)[name] for system_stats in stats.split(len(systems))]
        choice = segment_that_says_most(test_set, np.array(values, float), metric)
        segment = choice.segment
        why_chosen = choice.why(metric)
    warn_of(metric, metric.corpus_warning(context, corpus))
    if metric.takes_references and not test_set.references[segment - 1]:
        raise InputError(f"{test_set.name}, segment {segment:,} has no reference to compare it with.")
    part = corpus.part(segment - 1, segment)
    part_stats = stats_of_systems(metric, part, context).split(len(systems))
    scores = {
        system: _first_values(segment_lists(metric, system_stats))
        for system, system_stats in zip(systems, part_stats, strict=True)
    }
    # Explanations hold shares, from 0 to 1: they are put on the metric's scale where they are shown.
    explainer = metric.segment_metric.with_options({"scale": 1}, may_be_idle=True)
    return ExplainedSegment(
        test_set=test_set,
        metric=label_of(metric),
        name=name,
        title=metric.score_title(metric.primary),
        segment=segment,
        chosen=why_chosen,
        scale=metric.scale,
        higher_is_better=metric.higher_is_better,
        scores=scores,
        explanations={
            system: explainer.explained(part.system(index), context) for index, system in enumerate(systems)
        },
    )


def _first_values(lists: dict[str, list[float | None]]) -> dict[str, float]:
    return {name: values[0] for name, values in lists.items() if values[0] is not None}
