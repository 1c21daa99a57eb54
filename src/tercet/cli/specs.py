"""The metrics given on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.comparison.metric_specs import MetricSpec, distinct, parse_metric


def read_specs(written: Sequence[str]) -> list[MetricSpec]:
    """Return the metrics, their options checked before any file is read."""
    specs = distinct(parse_metric(each) for each in written)
    for spec in specs:
        spec.scorer()
    return specs
