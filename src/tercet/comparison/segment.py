"""Why a segment has its score: one segment of each system, explained by a metric."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from tercet.base.metric import Metric, corpus_stats, segment_lists, stats_of_systems, warn
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, shorten
from tercet.explanation.explanation import Explanation
from tercet.explanation.terminal import coloured, drawn, grid
from tercet.markup import clean, one_cell, visible
from tercet.tables import decimals

from .columns import in_percent
from .compare import system_stats
from .metric_specs import MeanOfMetrics, label_of, name_of
from .scores import LOWER, digits_of
from .test_sets import TestSet, check_baseline, check_has_texts, check_references, check_segment, warn_of_artefacts


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """One segment of all systems, with its scores and what is behind them."""

    test_set: TestSet
    #: With the options that were given.
    metric: str
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
    def heading(self) -> str:
        """The test set, the segment, and why it was chosen, on one line."""
        n_segments = f"segment {self.segment:,} of {self.test_set.n_segments:,}"
        return ", ".join(filter(None, [f"{one_cell(self.test_set.name)}, {n_segments}", self.chosen]))

    def label(self, system: str) -> str:
        """Return the name of a system with its scores."""
        digits = 4 if self.scale == 1 else 2
        scores = ", ".join(f"{name} {value:.{digits}f}" for name, value in self.scores[system].items())
        lower = "" if self.higher_is_better else " (lower is better)"
        return f"{one_cell(system)}: {scores}{lower}"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain Python for each system."""
        position = {"test_set": self.test_set.name, "segment": self.segment, "metric": self.metric}
        return [
            position | {"system": system, "scores": self.scores[system], "explanation": _plain(explanation)}
            for system, explanation in self.explanations.items()
        ]


def explain_segment(test_set: TestSet, metric: Metric, segment: int | None = None) -> ExplainedSegment:
    """Explain a segment, which counts from 1; by default the worst one, on average of the systems."""
    if isinstance(metric, MeanOfMetrics):
        raise OptionError(f"{shorten(name_of(metric))} is a mean of metrics; explain each of them by itself.")
    metric = metric.with_defaults(scale=100)
    check_has_texts(test_set, metric.name)
    if metric.takes_references:
        check_references(test_set.name, test_set.references, metric, f"{metric.name}:")
    corpus, systems = metric.as_scored(test_set.corpus()), list(test_set.systems)
    if segment is not None:
        check_segment(test_set, segment)
        context, chosen = metric.fit(corpus), ""
    else:
        stats, context = corpus_stats(metric, corpus)
        name = dict(zip(metric.score_names, metric.segment_names, strict=True))[metric.primary]
        values = [segment_lists(metric, system_stats)[name] for system_stats in stats.split(len(systems))]
        segment, chosen = _worst(test_set, np.array(values, float), metric, name)
    warn(metric, metric.corpus_warning(context, corpus))
    if metric.takes_references and not test_set.references[segment - 1]:
        raise InputError(f"{test_set.name}, segment {segment} has no reference to compare it with.")
    part = corpus.part(segment - 1, segment)
    part_stats = stats_of_systems(metric, part, context).split(len(systems))
    scores = {
        name: _first(segment_lists(metric, system_stats))
        for name, system_stats in zip(systems, part_stats, strict=True)
    }
    # Explanations hold shares, from 0 to 1: they are put on the metric's scale where they are shown.
    explainer = metric.segment_metric.with_options({"scale": 1}, idle=True)
    return ExplainedSegment(
        test_set=test_set,
        metric=label_of(metric),
        segment=segment,
        chosen=chosen,
        scale=metric.scale,
        higher_is_better=metric.higher_is_better,
        scores=scores,
        explanations={name: explainer.explained(part.system(index), context) for index, name in enumerate(systems)},
    )


def _worst(test_set: TestSet, values: Any, metric: Metric, name: str) -> tuple[int, str]:
    """Return the number of the worst segment that can be explained, and that it is."""
    means = values.mean(axis=0)
    if metric.takes_references:
        means[[not texts for texts in test_set.references]] = np.nan
    if np.isnan(means).all():
        raise InputError(f"{test_set.name} has no segment with a score of all systems; choose one with --segment.")
    worst = np.nanmin(means) if metric.higher_is_better else np.nanmax(means)
    ties = int(np.count_nonzero(means == worst))
    choice = f"the first of {ties:,} with the worst {name}" if ties > 1 else f"the worst by {name}"
    averaging = f", averaged over {len(values)} systems" if len(values) > 1 else ""
    return int(np.flatnonzero(means == worst)[0]) + 1, f"{choice}{averaging}; choose another with --segment"


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
        for system, explanation in segment.explanations.items():
            console.print()
            console.print(Text(segment.label(system), style="bold"))
            for part in drawn(explanation, segment.scores[system].values(), scale=segment.scale, colour=colour):
                console.print(part)
            console.print(Text(visible(getattr(explanation, "signature", ""))), soft_wrap=True)
        console.print()
    lines = "\n".join(map(str.rstrip, buffer.getvalue().splitlines())).rstrip()
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


def to_html(segments: Sequence[ExplainedSegment]) -> str:
    """Return explanations as one page."""
    parts = []
    for segment in segments:
        parts.append(f"<h1>{clean(segment.heading)}</h1>")
        if segment.test_set.source is not None:
            parts.append(f'<p dir="auto"><b>source</b> {clean(segment.test_set.source[segment.segment - 1])}</p>')
        for system, explanation in segment.explanations.items():
            parts.append(f"<h2>{clean(one_cell(system))}</h2>")
            # A user's own metric may explain itself by anything, with or without a method to_html.
            if isinstance(explanation, Explanation):
                parts.append(explanation.to_html(segment.scale))
            elif hasattr(explanation, "to_html"):
                parts.append(explanation.to_html())
            else:
                parts.append(f"<p>{clean(str(explanation))}</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Why segments score as they do</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><style>:root{color-scheme:light dark}'
        "body{font-family:sans-serif;max-width:60em;margin:0 auto;padding:1em}h1{font-size:1.3em}h2{font-size:1.1em}"
        "td,th{padding:0 .5em}</style></head><body>" + "\n".join(parts) + "</body></html>\n"
    )


def _first(lists: dict[str, list[float | None]]) -> dict[str, float]:
    return {name: values[0] for name, values in lists.items() if values[0] is not None}


def _plain(explanation: Any) -> Any:
    return explanation.to_dict() if hasattr(explanation, "to_dict") else explanation


# One segment of every system: text, scores, and matches in colour.


def side_by_side(
    test_set: TestSet,
    segment: int,
    metrics: Sequence[Metric],
    *,
    baseline: str | None = None,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Return a segment's source, references, and each system's text with its scores; segments count from 1.

    The first score of each metric is shown. With `colour`, texts are shown as the tokens of `bleu_multi`, and matched
    n-grams are coloured by order. The baseline comes first.
    """
    check_baseline(baseline, test_set.systems)
    check_segment(test_set, segment)
    check_has_texts(test_set, "a segment")
    for metric in metrics:
        if metric.takes_references:
            check_references(test_set.name, test_set.references, metric, f"-m {name_of(metric)}:")
    index = segment - 1
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    console.print(f"{one_cell(test_set.name)}, segment {segment}", style="bold", markup=False)
    table = Grid(show_header=True, show_lines=True, expand=True)
    table.add_column("", overflow="fold", ratio=1)
    corpus = test_set.corpus()
    warn_of_artefacts(test_set, corpus, metrics)
    metrics = [in_percent(metric, test_set) for metric in metrics]
    scores = [_first_scores(test_set, corpus, index, metric) for metric in metrics]
    bleu = next((metric for metric in metrics if metric.name == "bleu_multi"), None)
    for name, _ in scores:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=4)
    no_scores = [""] * len(scores)
    if test_set.source is not None:
        table.add_row("source", *no_scores, Text(visible(test_set.source[index])))
    for number, reference in enumerate(test_set.references[index], 1):
        table.add_row(f"reference {number}", *no_scores, Text(visible(reference)))
    for system in sorted(test_set.systems, key=lambda name: name != baseline):
        cells = []
        for metric, (_, by_system) in zip(metrics, scores, strict=True):
            value, digits = by_system[system], digits_of(metric, by_system.values())
            cells.append("" if value is None else decimals(value, digits))
        text = Text(visible(test_set.systems[system][index]))
        if colour and bleu is not None and test_set.references[index]:
            batch = corpus.part(index, index + 1).system(list(test_set.systems).index(system))
            text = coloured(bleu.explained(bleu.as_scored(batch)).prediction)
        table.add_row(Text(one_cell(system)), *cells, text)
    console.print(table)
    return buffer.getvalue()


def _first_scores(
    test_set: TestSet, corpus: Corpus, index: int, metric: Metric
) -> tuple[str, dict[str, float | None]]:
    """Return the score's name and values, from the whole test set: IDF and the tokenizer may depend on it."""
    name = dict(zip(metric.score_names, metric.segment_names, strict=True))[metric.primary]
    stats = system_stats(metric, corpus, test_set)
    values = [segment_lists(metric, of_system)[name][index] for of_system in stats]
    lower = "" if metric.higher_is_better else f" {LOWER}"
    return f"{name}{lower}", dict(zip(test_set.systems, values, strict=True))
