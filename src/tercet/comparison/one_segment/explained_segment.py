"""Why a segment has its score: one segment of each system, explained by a metric."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from tercet.base.metric import Metric
from tercet.base.pieces import corpus_stats, stats_of_systems
from tercet.base.scoring import segment_lists, warn_of
from tercet.comparison.specs.mean_of_metrics import MeanOfMetrics
from tercet.comparison.specs.metric_specs import label_of, name_of
from tercet.comparison.wording.decimals import digits_of_scale
from tercet.errors import InputError, OptionError, shorten
from tercet.explanation.terminal import drawn, grid
from tercet.names_as_shown import one_cell, visible
from tercet.statistics.ranks import best_first
from tercet.test_sets.checks import check_has_texts, check_references, check_segment
from tercet.test_sets.test_set import TestSet

#: Scores nearer than this are equal, as those of sums in another order.
_SAME = 1e-9


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
    def heading(self) -> str:
        """The name after the test set, for a terminal: with the option that chooses another."""
        hint = "choose another with --segment" if self.chosen else ""
        return "; ".join(filter(None, [f"{one_cell(self.test_set.name)}, {self.segment_in_words}", hint]))

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
        choice = _segment_that_says_most(test_set, np.array(values, float), metric)
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


def to_text(segments: Sequence[ExplainedSegment], *, width: int, colour: bool) -> str:
    """Return explanations for a terminal: source, then for each system the texts, their matches and the numbers."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    for segment in segments:
        console.print(Text(segment.heading, style="bold"), soft_wrap=True)
        if segment.test_set.source is not None:
            table = grid()
            table.add_row("source", Text(visible(segment.test_set.source[segment.segment - 1])))
            console.print(table)
        for system in segment.order:
            explanation = segment.explanations[system]
            console.print()
            console.print(Text(segment.label(system), style="bold"))
            for part in drawn(explanation, segment.scores[system].values(), scale=segment.scale, colour=colour):
                console.print(part)
            console.print(Text(visible(getattr(explanation, "signature", ""))), soft_wrap=True)
        console.print()
    lines = "\n".join(map(str.rstrip, buffer.getvalue().splitlines())).rstrip()
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


class _MostApart(NamedTuple):
    """The segment that tells the systems apart best, counted from 1."""

    segment: int
    n_pairs: int
    #: How many pairs of systems score differently, and how far apart two are on average.
    n_apart: int
    distance: float

    def why(self, metric: Metric) -> str:
        """Return why it was chosen, by the main score of a metric."""
        title = metric.score_title(metric.primary)
        mean = f"{self.distance:.{digits_of_scale(metric.scale)}f}"
        if self.n_pairs == 1:
            return f"in which the two systems differ most by {title}: {mean}"
        pairs = f"{self.n_apart:,} of {self.n_pairs:,} pairs score differently"
        if self.n_apart == self.n_pairs:
            pairs = "no two score the same"
        apart_by = f"the scores of any two are {mean} apart on average"
        return f"which tells the systems apart best by {title}: {pairs}; {apart_by}"


class _WorstScored(NamedTuple):
    """The segment that scores worst, counted from 1, and how many score as it does."""

    segment: int
    n_alike: int

    def why(self, metric: Metric) -> str:
        """Return why it was chosen, by the main score of a metric."""
        title = metric.score_title(metric.primary)
        if self.n_alike > 1:
            return f"the first of {self.n_alike:,} with the worst {title}"
        return f"the worst by {title}"


def _segment_that_says_most(test_set: TestSet, values: Any, metric: Metric) -> _MostApart | _WorstScored:
    """Return the segment that can be explained and says most, by its scores of all systems."""
    if metric.takes_references:
        values[:, [not texts for texts in test_set.references]] = np.nan
    if np.isnan(values).any(axis=0).all():
        raise InputError(f"{test_set.name} has no segment with a score of all systems; choose one with --segment.")
    return _most_apart(values) or _worst_scored(values, metric.higher_is_better)


def _most_apart(values: Any) -> _MostApart | None:
    """Return the segment in which most pairs of systems score differently; of several, by the most.

    None where no segment tells any two systems apart.
    """
    ordered = np.sort(values, axis=0)
    n_systems, n_segments = values.shape
    n_apart = np.zeros(n_segments)
    distance = np.zeros(n_segments)
    with np.errstate(invalid="ignore"):
        for lag in range(1, n_systems):
            differences = ordered[lag:] - ordered[:-lag]
            n_apart += (differences > _SAME).sum(axis=0)
            distance += differences.sum(axis=0)
    n_apart[~np.isfinite(distance)] = 0
    if not n_apart.any():
        return None
    index = int(np.argmax(np.where(n_apart == n_apart.max(), distance, -np.inf)))
    n_pairs = math.comb(n_systems, 2)
    return _MostApart(index + 1, n_pairs, int(n_apart[index]), float(distance[index]) / n_pairs)


def _worst_scored(values: Any, higher_is_better: bool) -> _WorstScored:
    """Return the segment that scores worst."""
    means = values.mean(axis=0)
    worst = np.nanmin(means) if higher_is_better else np.nanmax(means)
    alike = np.flatnonzero(means == worst)
    return _WorstScored(int(alike[0]) + 1, len(alike))


def _first_values(lists: dict[str, list[float | None]]) -> dict[str, float]:
    return {name: values[0] for name, values in lists.items() if values[0] is not None}
