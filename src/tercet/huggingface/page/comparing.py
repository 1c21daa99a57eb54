"""Several systems of a file compared: what the page shows of them, and the report."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tercet.api import make_scorer
from tercet.comparison.compare import compare
from tercet.comparison.names import names_of
from tercet.comparison.scores import Comparison
from tercet.comparison.test_sets import TestSet
from tercet.errors import InputError
from tercet.files.table import Table
from tercet.metric.metric import Metric
from tercet.pages.charts import primary_table
from tercet.pages.compared import compared_html

from .limits import MOST_SYSTEMS
from .notes import dropped_letters
from .program import comparing, file_given
from .scoring import Demo


@dataclass(frozen=True, slots=True)
class Compared:
    """What the page shows; it can be pickled."""

    html: str
    signature: str
    rows: dict[str, list[Any]]
    entries: dict[str, Any]
    program: str
    titles: dict[str, str]  # the columns of the scores in `rows`, as people call them
    in_percent: bool


def compare_file(
    demo: Demo, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any],
    lines: Sequence[str],
) -> Compared:  # fmt: skip
    """Return the comparison of columns of a file, and the table of its items with a score of each system."""
    table, found = _compared(demo, path, systems, references, options)
    main = primary_table(found.tables)
    assert found.corpus is not None
    notes = [*dropped_letters(main.scorer, found.corpus), *found.remarks(), *found.warnings]
    texts = found.test_set
    name = dict(zip(main.scorer.score_names, main.scorer.segment_names, strict=True))[main.name]
    rows: dict[str, list[Any]] = {
        "line": table.lines,
        **{f"{name} {system}": scores for system, scores in main.segments.items()},
        **{f"prediction {system}": own for system, own in texts.systems.items()},
        **demo.joined_references(texts.references),
    }
    given = file_given(path, table, systems, references if demo.takes_references else [])
    html = compared_html(found, notes, lines)
    return Compared(
        html, main.signature, rows, found.to_dict(), comparing(given, _metric(demo, options)),
        {f"{name} {system}": f"{main.title} {system}" for system in main.segments},
        main.scorer.has_scale and main.scorer.scale == 100,
    )  # fmt: skip


def report_file(
    demo: Demo, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
) -> str:
    """Return the report on columns of a file, an HTML page."""
    _, found = _compared(demo, path, systems, references, options)
    return found.to_html()


def _compared(
    demo: Demo, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
) -> tuple[Table, Comparison]:
    if len(systems) > MOST_SYSTEMS:
        raise InputError(f"{len(systems)} systems are more than the {MOST_SYSTEMS} that this page compares.")
    table, texts, targets = demo.texts_of_file(path, systems, references)
    demo.check_size([*chain.from_iterable(texts.values())], targets * len(texts), options)
    with warnings.catch_warnings():  # the comparison keeps them
        warnings.simplefilter("ignore")
        test_set = TestSet(names_of([path])[0], texts, targets, None)
        return table, compare(test_set, _metric(demo, options))


def _metric(demo: Demo, options: Mapping[str, Any]) -> Metric:
    """Return the metric with options that change a comparison, which is in percent anyway."""
    return make_scorer(demo.metric, {name: each for name, each in options.items() if (name, each) != ("scale", 100)})
