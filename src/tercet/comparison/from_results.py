"""Results of systems whose texts are not in memory, as a comparison for the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.comparison.inputs.settings import CompareSettings
from tercet.comparison.specs.metric_specs import label_of
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreTable, SystemScore, standings
from tercet.comparison.values.system_facts import facts_of_result
from tercet.comparison.wording.decimals import digits_of
from tercet.result import Result
from tercet.test_sets.test_set import TestSet

from .result import Comparison


@dataclass(frozen=True, slots=True)
class CountedSet(TestSet):
    """A test set without texts: its names, number of segments, and skipped files with reasons."""

    n_items: int = 0
    bad_files: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Any]:
        """The skipped files."""
        return {"bad_files": list(self.bad_files)}

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return self.n_items


def to_comparison(
    name: str,
    metrics: Sequence[Metric],
    results: Mapping[tuple[str, str], Result],
    confidence_level: float,
    seed: int,
) -> Comparison:
    """Return results by system and label of a metric as a comparison without texts, segments and tests."""
    systems = list(dict.fromkeys(system for system, _ in results))
    tables = []
    facts = []
    for metric in metrics:
        results_of_metric = {system: results[system, label_of(metric)] for system in systems}
        tables += [_score_table(metric, score, results_of_metric) for score in metric.score_names]
        facts += [facts_of_result(metric, system, result) for system, result in results_of_metric.items()]
    test_set = CountedSet(
        name=name,
        systems={system: [] for system in systems},
        references=[],
        source=None,
        n_items=max(result.n_segments for result in results.values()),
        bad_files=tuple(results[systems[0], label_of(metrics[0])].bad_files),
    )
    design = Design(
        test_set=test_set,
        baseline=systems[0],
        test=None,
        n_resamples=None,
        confidence_level=confidence_level,
        # Nothing is tested; the JSON has a level and a method all the same.
        alpha=CompareSettings.alpha,
        seed=seed,
        interval="Poisson",
        adjust=CompareSettings.adjust,
        runs={},
        slices=[],
    )
    return Comparison(design, tables, facts)


def _score_table(metric: Metric, score: str, results: Mapping[str, Result]) -> ScoreTable:
    values = {system: float(result[score]) for system, result in results.items()}
    higher_is_better = is_higher_better(metric, score)
    pvalues = np.full((len(values), len(values)), np.nan)
    compared = standings(
        list(values.values()), pvalues, alpha=CompareSettings.alpha, higher_is_better=higher_is_better
    )
    digits = digits_of(metric, values.values())
    rows = []
    for (system, value), standing in zip(values.items(), compared, strict=True):
        low = high = math.nan
        intervals = results[system].intervals
        if intervals is not None:
            low, high = intervals[score]
        rows.append(
            SystemScore(
                system=system,
                value=value,
                low=low,
                high=high,
                against=None,
                best=standing.is_best,
                as_good=standing.as_good,
                digits=digits,
            )
        )
    signature = next(iter(results.values())).signature
    return ScoreTable(
        metric=label_of(metric),
        name=score,
        signature=signature,
        rows=rows,
        pvalues=pvalues,
        segments={},
        higher_is_better=higher_is_better,
        scorer=metric,
        stats={},
    )
