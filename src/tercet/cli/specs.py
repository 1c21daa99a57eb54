"""The metrics of a call as they are written on the command line, and the files that it reads."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tercet.comparison.metric_specs import MetricSpec, distinct, parse_metric


def read_specs(written: Sequence[str] | None) -> list[MetricSpec]:
    """Return the metrics, their options checked."""
    specs = distinct(parse_metric(each) for each in written or ["bleu_multi"])
    for spec in specs:
        spec.scorer()  # refuses options before the files are read and their oddities told
    return specs


def need_references(metrics: Sequence[MetricSpec]) -> bool:
    """Return whether one of the metrics compares with references."""
    return any(spec.takes_references for spec in metrics)


def read_files(
    files: Sequence[str], references: Sequence[str] | None, source: str | None, metrics: Sequence[MetricSpec]
) -> list[str]:
    """Return all files that are read; options of metrics may name some too."""
    values = (value for spec in metrics for value in spec.options.values() if isinstance(value, str))
    means = (spec.metric for spec in metrics)
    named = filter(os.path.isfile, [*values, *means])
    return [*files, *(references or ()), *(() if source is None else (source,)), *named]
