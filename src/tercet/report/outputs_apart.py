"""The outputs whose ranks by grade and by score differ most: what a metric gets wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.correlation.metric_columns import MetricColumn
from tercet.correlation.result import Correlation
from tercet.correlation.samples import Array

#: Outputs shown of each dimension.
_WORST = 6


@dataclass(frozen=True, slots=True)
class RankedOutput:
    """An output, its grade and its score, each with its percentile."""

    item: int  # from 1
    references: Sequence[str]
    system: str
    text: str
    grade: float
    score: float
    grade_percentile: float
    score_percentile: float


def outputs_apart(correlation: Correlation, human: Array, column: MetricColumn) -> list[RankedOutput]:
    """Return the outputs whose ranks by grade and by score differ most."""
    is_graded = ~np.isnan(human) & ~np.isnan(column.scores)
    grade_percentiles = _percentiles(human, is_graded)
    score_percentiles = _percentiles(column.scores, is_graded)
    apart = np.nan_to_num(np.abs(grade_percentiles - score_percentiles))
    systems, items = np.unravel_index(np.argsort(-apart, axis=None, kind="stable")[:_WORST], apart.shape)
    names = list(correlation.test_set.systems)
    outputs = []
    for system, item in zip(systems.tolist(), items.tolist(), strict=True):
        name = names[system]
        outputs.append(
            RankedOutput(
                item=item + 1,
                references=correlation.test_set.references[item],
                system=name,
                text=correlation.test_set.systems[name][item],
                grade=float(human[system, item]),
                score=float(column.scores[system, item]),
                grade_percentile=float(grade_percentiles[system, item]),
                score_percentile=float(score_percentiles[system, item]),
            )
        )
    return outputs


def _percentiles(values: Array, is_graded: NDArray[np.bool_]) -> Array:
    """Return the percentile of each value among those of graded outputs; equal values share the middle of theirs."""
    graded_values = values[is_graded]
    in_order = np.sort(graded_values)
    n_lower = np.searchsorted(in_order, graded_values, "left")
    n_not_higher = np.searchsorted(in_order, graded_values, "right")
    percentiles = np.full(values.shape, np.nan)
    percentiles[is_graded] = 50 * (n_lower + n_not_higher) / len(graded_values)
    return percentiles
