"""Systems with several runs as a comparison of their means: verdicts and tables show them as any other systems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.statistics.named_tests import WELCH
from tercet.test_sets.test_set import TestSet

from .design import Design
from .result import Comparison
from .scores import ScoreTable, Standing, SystemScore, standings


def over_runs(comparison: Comparison) -> Comparison:
    """Return the comparison of systems by the means over their runs, tested by Welch's t.

    Its tables have a row for each system, and no scores of segments; what is computed is that of the section on runs.
    """
    tables = [table_of_means(table, comparison.alpha) for table in comparison.tables]
    return Comparison(tables=tables, **design_over_runs(comparison.design)._asdict())


def design_over_runs(design: Design) -> Design:
    """Return the design of the comparison of systems by the means over their runs."""
    test_set = design.test_set
    systems: dict[str, list[str]] = {system: [] for system in design.runs}
    return design._replace(
        test_set=TestSet(test_set.name, systems, test_set.references, None, clusters=test_set.clusters),
        baseline=design.system_of_baseline,
        test=WELCH.name,
        n_resamples=None,
        interval="Student",
        adjust="holm",
        runs={},
        slices=[],
    )


def runs_in_words(comparison: Comparison) -> str:
    """Return what the scores of systems with several runs are, and how they are tested, as a sentence."""
    numbers = {len(outputs) for outputs in comparison.runs.values()}
    runs = f"{numbers.pop():,} runs each" if len(numbers) == 1 else "their runs"
    means = f"Scores are means over {runs}"
    if not _any_tested(comparison):
        return f"{means}."
    return f"{means}; differences are tested by Welch's t over {comparison.unit}s and runs."


def _any_tested(comparison: Comparison) -> bool:
    """Return whether any two systems were tested: the spread of their runs may be unknown."""
    for table in comparison.tables:
        for section in table.sections:
            if section.key == "runs":
                pvalues: NDArray[np.float64] = np.array(section.value["adjusted_pvalues"], np.float64)
                if np.isfinite(pvalues[~np.eye(len(pvalues), dtype=bool)]).any():
                    return True
    return False


def table_of_means(table: ScoreTable, alpha: float) -> ScoreTable:
    """Return a score's table of the systems' means, of that of their outputs and its section on runs."""
    (section,) = (section for section in table.sections if section.key == "runs")
    adjusted: NDArray[np.float64] = np.array(section.value["adjusted_pvalues"], np.float64)
    systems = section.value["systems"]
    values = [system["value"] for system in systems]
    compared = standings(values, adjusted, alpha=alpha, higher_is_better=table.higher_is_better)
    rows = []
    for system, standing in zip(systems, compared, strict=True):
        rows.append(_score_of_system(system, table.digits, standing))
    return replace(table, rows=rows, pvalues=adjusted, segments={}, stats={}, is_exact=False, sections=[])


def _score_of_system(system: dict[str, Any], digits: int, standing: Standing) -> SystemScore:
    difference = system["difference"]
    low = high = None
    if difference is not None:
        margin = math.nan if system["margin"] is None else system["margin"]
        low = difference - margin
        high = difference + margin
    return SystemScore(
        system=system["system"],
        value=system["value"],
        low=system["low"],
        high=system["high"],
        difference=difference,
        difference_low=low,
        difference_high=high,
        pvalue=system["pvalue"],
        adjusted_pvalue=system["adjusted_pvalue"],
        wins=None,
        ties=None,
        losses=None,
        best=standing.is_best,
        as_good=standing.as_good,
        rank=None if system["rank"] is None else tuple(system["rank"]),
        group=system["group"],
        digits=digits,
    )
