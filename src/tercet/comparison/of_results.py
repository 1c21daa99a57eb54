"""Results of systems whose texts are not in memory, as a comparison for the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.metric.scorer import Scorer
from tercet.result import Result

from .facts import facts_of_result, some_best
from .metric_specs import MetricSpec
from .scores import Comparison, ScoreTable, SystemScore
from .test_sets import TestSet


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
    specs: Sequence[tuple[MetricSpec, Scorer]],
    results: Mapping[tuple[str, str], Result],
    confidence_level: float,
    seed: int,
) -> Comparison:
    """Return results by system and label of a metric as a comparison without texts, segments and tests."""
    systems = list(dict.fromkeys(system for system, _ in results))
    tables = [
        _table(spec, scorer, score, {system: results[system, spec.label] for system in systems})
        for spec, scorer in specs
        for score in scorer.score_names
    ]
    facts = [
        facts_of_result(spec.label, system, scorer, results[system, spec.label])
        for spec, scorer in specs
        for system in systems
    ]
    n_items = max(result.n_segments for result in results.values())
    bad = tuple(results[systems[0], specs[0][0].label].bad_files)
    test_set = CountedSet(name, {system: [] for system in systems}, [], None, n_items, bad)
    return Comparison(test_set, systems[0], tables, None, None, confidence_level, 0.05, seed, "Poisson", facts)


def _table(spec: MetricSpec, scorer: Scorer, score: str, results: Mapping[str, Result]) -> ScoreTable:
    values = {system: float(result[score]) for system, result in results.items()}
    higher = scorer.is_higher_better(score)
    known = [value for value in values.values() if not math.isnan(value)]
    top = (max if higher else min)(known, default=math.nan)
    any_best = some_best(list(values.values()), higher)
    rows = []
    for system, value in values.items():
        low, high = (results[system].intervals or {})[score]
        best = any_best and value == top
        rows.append(SystemScore(system, value, low, high, None, None, None, None, None, None, best, best or None))
    pvalues = np.full((len(rows), len(rows)), np.nan)
    signature = next(iter(results.values())).signature
    return ScoreTable(spec.label, score, signature, rows, pvalues, {}, higher, scorer, {})
