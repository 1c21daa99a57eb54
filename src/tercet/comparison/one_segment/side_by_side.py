"""A segment of all systems side by side, in a terminal: texts, scores, and matches in colour."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from tercet.base.metric import Metric
from tercet.base.scoring import segment_lists
from tercet.comparison.inputs.given_scores import as_compared
from tercet.comparison.metric_tables import system_stats
from tercet.comparison.specs.metric_specs import name_of
from tercet.comparison.values.scores import LOWER
from tercet.comparison.wording.decimals import digits_of
from tercet.corpus.corpus import Corpus
from tercet.explanation.terminal import coloured
from tercet.names_as_shown import one_cell, visible
from tercet.table_formats import decimals
from tercet.test_sets.checks import check_baseline, check_has_texts, check_references, check_segment
from tercet.test_sets.test_set import TestSet
from tercet.test_sets.text_warnings import warn_of_artefacts


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
            check_references(test_set, metric, name_of(metric))
    index = segment - 1
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    console.print(f"{one_cell(test_set.name)}, segment {segment}", style="bold", markup=False)
    table = Grid(show_header=True, show_lines=True, expand=True)
    table.add_column("", overflow="fold", ratio=1)
    corpus = test_set.corpus()
    warn_of_artefacts(test_set, corpus, metrics)
    metrics_as_compared = [as_compared(metric, test_set) for metric in metrics]
    scores = [_first_scores(test_set, corpus, index, metric) for metric in metrics_as_compared]
    bleu = next((metric for metric in metrics_as_compared if metric.name == "bleu_multi"), None)
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
        for metric, (_, by_system) in zip(metrics_as_compared, scores, strict=True):
            value = by_system[system]
            digits = digits_of(metric, by_system.values())
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
    values = [segment_lists(metric, rows_of_system)[name][index] for rows_of_system in stats]
    lower = "" if metric.higher_is_better else f" {LOWER}"
    return f"{name}{lower}", dict(zip(test_set.systems, values, strict=True))
