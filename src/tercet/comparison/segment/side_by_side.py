"""One segment of every system: text, scores, and matches in colour."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tercet.comparison.checks import check_baseline, check_references, check_segment
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.scores import LOWER
from tercet.comparison.test_sets import TestSet
from tercet.comparison.warnings_of_test_sets import warn_of_artefacts
from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.visible import one_cell, visible
from tercet.metric.metric import Metric
from tercet.metric.scorer import Scorer, segment_lists
from tercet.metric.scoring import batch_stats
from tercet.statistics.paired_tests import decimals

from .drawn import coloured


def side_by_side(
    test_set: TestSet,
    segment: int,
    metrics: Sequence[MetricSpec],
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
    for spec in metrics:
        if spec.takes_references:
            check_references(test_set.name, test_set.references, spec.options, f"-m {spec.metric}:")
    index = segment - 1
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    console.print(f"{one_cell(test_set.name)}, segment {segment}", style="bold", markup=False)
    table = Table(show_header=True, show_lines=True, expand=True)
    table.add_column("", overflow="fold", ratio=1)
    corpus = test_set.corpus()
    if any(spec.takes_references for spec in metrics):
        warn_of_artefacts(test_set, corpus)
    scorers = [spec.scorer(scale=100) for spec in metrics]
    scores = [_first_scores(list(test_set.systems), corpus, index, scorer) for scorer in scorers]
    of_words = next((each for each in scorers if isinstance(each, Metric) and each.name == "bleu_multi"), None)
    for name, _ in scores:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=4)
    blank = [""] * len(scores)
    if test_set.source is not None:
        table.add_row("source", *blank, Text(visible(test_set.source[index])))
    for number, reference in enumerate(test_set.references[index], 1):
        table.add_row(f"reference {number}", *blank, Text(visible(reference)))
    for system in sorted(test_set.systems, key=lambda name: name != baseline):
        values = [by_system[system] for _, by_system in scores]
        cells = ["" if value is None else decimals(value) for value in values]
        text = Text(visible(test_set.systems[system][index]))
        if colour and of_words is not None and test_set.references[index]:
            batch = corpus.part(index, index + 1).system(list(test_set.systems).index(system))
            text = coloured(of_words.explained(batch).prediction)
        table.add_row(Text(one_cell(system)), *cells, text)
    console.print(table)
    return buffer.getvalue()


def _first_scores(
    systems: Sequence[str], corpus: Corpus, index: int, scorer: Scorer
) -> tuple[str, dict[str, float | None]]:
    """Return the score's name and values, from the whole test set: IDF and the tokenizer may depend on it."""
    name = dict(zip(scorer.score_names, scorer.segment_names, strict=True))[scorer.primary]
    stats = batch_stats(scorer, corpus).split(len(systems))
    lists = [segment_lists(scorer, each)[name][index] for each in stats]
    lower = "" if scorer.is_higher_better(scorer.primary) else f" {LOWER}"
    return f"{name}{lower}", dict(zip(systems, lists, strict=True))
