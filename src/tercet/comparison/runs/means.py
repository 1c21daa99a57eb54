"""Systems with several runs as a comparison of their means: verdicts and tables show them as any other systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.comparison.result import Comparison
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import DifferenceFromBaseline, ScoreTable, Standing, SystemScore, standings
from tercet.statistics.kinds_of_tests import WELCH
from tercet.test_sets.test_set import TestSet

if TYPE_CHECKING:
    from tercet.comparison.values.run_scores import SystemOverRuns


def as_systems(comparison: Comparison) -> Comparison:
    """Return the comparison of systems by the means over their runs, tested by Welch's t.

    Its tables have a row for each system, and no scores of segments; what is computed is that of the section on runs.
    """
    tables = [table_of_means(table, comparison.alpha) for table in comparison.tables]
    return Comparison(design_of_systems(comparison.design), tables)


def design_of_systems(design: Design) -> Design:
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
    if not any(table.over_runs.tests_any for table in comparison.tables if table.over_runs is not None):
        return f"{means}."
    return f"{means}; differences are tested by Welch's t over {comparison.unit}s and runs."


def table_of_means(table: ScoreTable, alpha: float) -> ScoreTable:
    """Return a score's table of the systems' means, of that of their outputs."""
    means = table.over_runs
    assert means is not None
    values = [system.value for system in means.systems]
    compared = standings(values, means.adjusted_pvalues, alpha=alpha, higher_is_better=table.higher_is_better)
    rows = []
    for system, standing in zip(means.systems, compared, strict=True):
        rows.append(_score_of_system(system, table.digits, standing))
    return replace(
        table,
        rows=rows,
        pvalues=means.adjusted_pvalues,
        segments={},
        stats={},
        is_exact=False,
        over_runs=None,
        sections=[],
    )


def _score_of_system(system: SystemOverRuns, digits: int, standing: Standing) -> SystemScore:
    against = None
    if system.against is not None:
        against = DifferenceFromBaseline(
            value=system.against.difference,
            interval=system.against.bounds,
            pvalue=system.pvalue,
            adjusted_pvalue=system.adjusted_pvalue,
            counts=None,
        )
    return SystemScore(
        system=system.system,
        value=system.value,
        low=system.low,
        high=system.high,
        against=against,
        best=standing.is_best,
        as_good=standing.as_good,
        rank=system.rank,
        group=system.group,
        digits=digits,
    )
