"""Several systems of a visitor's file compared: what the page shows of them, and the report."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.comparison.compare import compare
from tercet.comparison.result import Comparison
from tercet.errors import InputError
from tercet.files.table import Table
from tercet.report.fragments import compared_html, segments_html
from tercet.report.shown_scores import primary_table
from tercet.test_sets.names_from_paths import names_of
from tercet.test_sets.test_set import TestSet

from .dropped_letters import dropped_letters
from .limits import MOST_SYSTEMS
from .programs import comparing
from .scoring import Demo


@dataclass(frozen=True, slots=True)
class PageComparison:
    """What the page shows; it can be pickled."""

    html: str
    segments: str  # as HTML
    signature: str
    rows: dict[str, list[Any]]
    entries: dict[str, Any]
    program: str


def compare_file(
    demo: Demo,
    path: str,
    systems: Sequence[str],
    references: Sequence[str],
    options: Mapping[str, Any],
    lines: Sequence[str],
) -> PageComparison:
    """Return the comparison of columns of a file, and the table of its items with a score of each system."""
    table, comparison = _compared(demo, path, systems, references=references, options=options)
    main = primary_table(comparison.tables)
    assert comparison.corpus is not None
    notes = [*dropped_letters(main.scorer, comparison.corpus), *comparison.remarks(), *comparison.warnings]
    texts = comparison.test_set
    segment_names = dict(zip(main.scorer.score_names, main.scorer.segment_names, strict=True))
    name = segment_names[main.name]
    rows: dict[str, list[Any]] = {"line": table.lines}
    for system, scores in main.segments.items():
        rows[f"{name} {system}"] = scores
    for system, predictions in texts.systems.items():
        rows[f"prediction {system}"] = predictions
    rows |= demo.joined_references(texts.references)
    source = demo.source(path, table, systems, references)
    return PageComparison(
        html=compared_html(comparison, notes, lines),
        segments=segments_html(comparison),
        signature=main.signature,
        rows=rows,
        entries=comparison.to_dict(),
        program=comparing(source, _metric(demo, options)),
    )


def report_file(
    demo: Demo, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
) -> str:
    """Return the report on columns of a file, an HTML page."""
    _, comparison = _compared(demo, path, systems, references=references, options=options)
    return comparison.to_html()


def _compared(
    demo: Demo, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
) -> tuple[Table, Comparison]:
    if len(systems) > MOST_SYSTEMS:
        raise InputError(f"{len(systems)} systems are more than the {MOST_SYSTEMS} that this page compares.")
    table, texts, targets = demo.texts_of_file(path, systems, references)
    demo.check_size(list(chain.from_iterable(texts.values())), targets * len(texts), options)
    with warnings.catch_warnings():  # the comparison keeps them
        warnings.simplefilter("ignore")
        (name,) = names_of([path])
        test_set = TestSet(name, texts, targets, None)
        return table, compare(test_set, _metric(demo, options))


def _metric(demo: Demo, options: Mapping[str, Any]) -> Metric:
    """Return the metric with options that change a comparison, which is in percent anyway."""
    changed_options = dict(options)
    if changed_options.get("scale") == 100:
        del changed_options["scale"]
    return make_scorer(demo.metric, changed_options)
