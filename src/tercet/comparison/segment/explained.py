"""Why a segment has its score: one segment of each system, explained by a metric."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from tercet.comparison.checks import check_references, check_segment
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.test_sets import TestSet
from tercet.errors import InputError, OptionError, shorten
from tercet.markup import clean
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.visible import one_cell, visible
from tercet.metric.metric import Metric
from tercet.metric.pieces import corpus_stats
from tercet.metric.scorer import segment_lists
from tercet.metric.scoring import warn

from .drawn import drawn, grid


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """One segment of all systems, with its scores and what is behind them."""

    test_set: TestSet
    metric: str  # with the options that were given
    segment: int  # from 1
    chosen: str  # why it was chosen, in words; empty if the user did
    scale: int
    higher_is_better: bool
    scores: dict[str, dict[str, float]]  # by system, as in a comparison
    explanations: dict[str, Any]  # by system

    @property
    def heading(self) -> str:
        """What is shown, on one line."""
        n_segments = f"segment {self.segment:,} of {self.test_set.n_segments:,}"
        return ", ".join(filter(None, [f"{one_cell(self.test_set.name)}, {n_segments}", self.chosen]))

    def label(self, system: str) -> str:
        """Return the name of a system with its scores."""
        digits, known = 4 if self.scale == 1 else 2, self.scores[system].items()
        lower = "" if self.higher_is_better else " (lower is better)"
        return f"{one_cell(system)}: {', '.join(f'{name} {value:.{digits}f}' for name, value in known)}{lower}"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain Python for each system."""
        where = {"test_set": self.test_set.name, "segment": self.segment, "metric": self.metric}
        return [
            where | {"system": system, "scores": self.scores[system], "explanation": _plain(found)}
            for system, found in self.explanations.items()
        ]


def explain_segment(test_set: TestSet, spec: MetricSpec, segment: int | None = None) -> ExplainedSegment:
    """Explain a segment, which counts from 1; by default the worst one, on average of the systems."""
    scorer = spec.scorer(scale=100)
    if not isinstance(scorer, Metric):
        raise OptionError(f"{shorten(spec.metric)} is a mean of metrics; explain each of them by itself.")
    if spec.takes_references:
        check_references(test_set.name, test_set.references, spec.options, f"{spec.metric}:")
    corpus, systems = test_set.corpus(), list(test_set.systems)
    if segment is not None:
        check_segment(test_set, segment)
        context, chosen = scorer.fit(corpus), ""
    else:
        stats, context = corpus_stats(scorer, corpus)
        name = dict(zip(scorer.score_names, scorer.segment_names, strict=True))[scorer.primary]
        values = [segment_lists(scorer, each)[name] for each in stats.split(len(systems))]
        segment, chosen = _worst(test_set, np.array(values, float), scorer, name)
    warn(scorer, scorer.corpus_warning(context, corpus))
    if spec.takes_references and not test_set.references[segment - 1]:
        raise InputError(f"{test_set.name}, segment {segment} has no reference to compare it with.")
    part = corpus.part(segment - 1, segment)
    scores = [segment_lists(scorer, each) for each in scorer.system_stats(part, context).split(len(systems))]
    own = scorer.with_options({**scorer.segment_options, "scale": 1}, idle=True)  # shares, shown on the scale given
    return ExplainedSegment(
        test_set, spec.label, segment, chosen, scorer.scale, scorer.is_higher_better(scorer.primary),
        {name: _first(own) for name, own in zip(systems, scores, strict=True)},
        {name: own.explained(part.system(place), context) for place, name in enumerate(systems)},
    )  # fmt: skip


def _worst(test_set: TestSet, values: Any, scorer: Metric, name: str) -> tuple[int, str]:
    """Return the number of the worst segment that can be explained, and that it is."""
    means = values.mean(axis=0)
    if scorer.takes_references:
        means[[not texts for texts in test_set.references]] = np.nan
    if np.isnan(means).all():
        raise InputError(f"{test_set.name} has no segment with a score of all systems; choose one with --segment.")
    worst = np.nanmin(means) if scorer.is_higher_better(scorer.primary) else np.nanmax(means)
    ties = int(np.count_nonzero(means == worst))
    first = f"the first of {ties:,} with the worst {name}" if ties > 1 else f"the worst by {name}"
    of = f", averaged over {len(values)} systems" if len(values) > 1 else ""
    return int(np.flatnonzero(means == worst)[0]) + 1, f"{first}{of}; choose another with --segment"


def to_text(found: Sequence[ExplainedSegment], *, width: int, colour: bool) -> str:
    """Return explanations for a terminal: source, then for each system the texts, their matches and the numbers."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    for each in found:
        console.print(Text(each.heading, style="bold"), soft_wrap=True)
        if each.test_set.source is not None:
            source = grid()
            source.add_row("source", Text(visible(each.test_set.source[each.segment - 1])))
            console.print(source)
        for system, why in each.explanations.items():
            console.print()
            console.print(Text(each.label(system), style="bold"))
            for part in drawn(why, each.scores[system].values(), scale=each.scale, colour=colour):
                console.print(part)
            console.print(Text(visible(getattr(why, "signature", ""))), soft_wrap=True)
        console.print()
    lines = "\n".join(map(str.rstrip, buffer.getvalue().splitlines())).rstrip()
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


def to_html(found: Sequence[ExplainedSegment]) -> str:
    """Return explanations as one page."""
    parts = []
    for each in found:
        parts.append(f"<h1>{clean(each.heading)}</h1>")
        if each.test_set.source is not None:
            parts.append(f'<p dir="auto"><b>source</b> {clean(each.test_set.source[each.segment - 1])}</p>')
        for system, why in each.explanations.items():
            parts.append(f"<h2>{clean(one_cell(system))}</h2>")
            if isinstance(why, Explanation):
                parts.append(why.to_html(each.scale))
            else:  # of a user's own metric
                parts.append(why.to_html() if hasattr(why, "to_html") else f"<p>{clean(str(why))}</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Why segments score as they do</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><style>:root{color-scheme:light dark}'
        "body{font-family:sans-serif;max-width:60em;margin:0 auto;padding:1em}h1{font-size:1.3em}h2{font-size:1.1em}"
        "td,th{padding:0 .5em}</style></head><body>" + "\n".join(parts) + "</body></html>\n"
    )


def _first(lists: dict[str, list[float | None]]) -> dict[str, float]:
    return {name: values[0] for name, values in lists.items() if values[0] is not None}


def _plain(found: Any) -> Any:
    return found.to_dict() if hasattr(found, "to_dict") else found
