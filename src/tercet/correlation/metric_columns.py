"""The scores of metrics that are compared: computed, or given with the texts; higher is better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.base.scoring import batch_stats
from tercet.comparison.inputs.given_scores import column_stats
from tercet.comparison.specs.metric_specs import name_of
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError
from tercet.files.columns.scores import is_lower_better
from tercet.metrics.column import Column
from tercet.test_sets.checks import check_references
from tercet.test_sets.test_set import TestSet

from .samples import Array


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """Scores of one metric."""

    #: The metric, with its options if it occurs twice, and the score if it has several.
    label: str
    #: Empty for external scores.
    signature: str
    #: Of each system and item; higher is better: those of other metrics are negated. (ndarray, shape (n, m))
    scores: Array = field(repr=False)
    negated: bool = False
    #: None for external scores.
    metric: Metric | None = None
    #: The name of the score.
    score: str = ""
    #: What people call the score.
    title: str = ""
    #: 1, or 100 for percent: as in the original package, unless the options set another.
    scale: int = 1


def columns_of_metric(metric: Metric, metric_name: str, test_set: TestSet, corpus: Corpus) -> Iterator[MetricColumn]:
    """Yield a column for each score of a metric, under the name `metric_name`."""
    if metric.takes_references:
        check_references(test_set, metric, name_of(metric))
    scorer = metric.with_defaults(scale=metric.original_scale)
    stats = batch_stats(scorer, corpus).split(corpus.n_systems)
    scores = [scorer.segment_metric.finalize(part.rows) for part in stats]
    is_scored = np.array([part.column("items") > 0 for part in stats])
    if not is_scored[0].any():
        raise InputError(scorer.nothing_left)
    references = stats[0].selected(is_scored[0]).span("references")
    # What is correlated are scores of segments.
    signature = str(stats[0].signature.extended(scorer.notes(references, segments=True)))
    distinct_scores: dict[str, Array] = {}
    for name in scorer.score_names:
        values = np.where(is_scored, [part_scores[name] for part_scores in scores], np.nan)
        earlier = distinct_scores.values()
        # Of several that are the same for every segment, and differ only for the corpus, the first counts.
        if not any(np.allclose(values, earlier_values, rtol=1e-9, equal_nan=True) for earlier_values in earlier):
            distinct_scores[name] = values
    for name, values in distinct_scores.items():
        label = metric_name if len(distinct_scores) == 1 else f"{metric_name} {name}"
        negated = not is_higher_better(scorer, name)
        title = scorer.score_title(name) if scorer.title else label
        yield MetricColumn(
            label=label,
            signature=signature,
            scores=-values if negated else values,
            negated=negated,
            metric=scorer,
            score=name,
            title=title,
            scale=scorer.scale,
        )


def external_column(column: Column, values: Array, test_set: TestSet) -> MetricColumn:
    """Return the scores of a column, with its direction, and with its policy for missing ones."""
    name = column.name
    policy = column
    if name in test_set.lower_is_better or (name not in test_set.scores and is_lower_better(name)):
        policy = column.with_defaults(better="lower")
    if policy.missing == "error":
        # It raises an error for a score that is missing.
        column_stats(policy, replace(test_set, scores={name: dict(zip(test_set.systems, values, strict=True))}))
    scores = values
    if policy.missing == "zero":
        scores = np.where(np.isnan(values), 0.0, values)
    negated = not policy.higher_is_better
    if negated:
        scores = -scores
    return MetricColumn(name, "", scores, negated=negated, title=name)
