"""What commands read: metrics, their options checked before any file is read, and what is said of test sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.test_sets.test_set import TestSet


def report_on(test_set: TestSet) -> TestSet:
    """Say what was taken as what, and warn of problems; those that reports show too are in the test set returned."""
    from tercet.errors import warn
    from tercet.names_as_shown import visible
    from tercet.test_sets.copied_systems import copy_warnings
    from tercet.test_sets.text_warnings import empty_references, empty_texts, odd_segments

    for note in filter(None, (test_set.fields, test_set.hint)):
        typer.echo(f"note: {visible(note)}", err=True)
    odd = empty_references(test_set) + copy_warnings(test_set) + odd_segments(test_set)
    for message in [*empty_texts(test_set), *odd]:
        warn(message)
    return replace(test_set, warnings=(*test_set.warnings, *odd), is_searched=True)


def read_metrics(metric_texts: Sequence[str]) -> list[Metric]:
    """Return the metrics given on the command line, their options checked before any file is read."""
    from tercet.comparison.specs.metric_specs import distinct, parse_metric

    return distinct(parse_metric(text, imports=True) for text in metric_texts)


def files_of_metrics(metrics: Iterable[Metric]) -> list[str]:
    """Return the files that metrics read: means of metrics, and files that options name, as in ``idf=news.idf``."""
    from tercet.comparison.specs.metric_specs import name_of

    files = []
    for metric in metrics:
        for value in (*metric.written.values(), name_of(metric)):
            if isinstance(value, str) and os.path.isfile(value):
                files.append(value)
    return files
