"""A comparison as plain Python, for programs: the rows of its TSV file, and what its JSON has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tercet.comparison.result import Comparison
from tercet.comparison.runs.means import as_systems
from tercet.comparison.values.scores import ScoreTable, SystemScore
from tercet.comparison.values.sections import Section
from tercet.statistics.kinds_of_tests import WELCH
from tercet.table_formats import number_or_none

#: Columns of :func:`records_of`.
COLUMNS = (
    "test_set",
    "metric",
    "score",
    "system",
    "value",
    "low",
    "high",
    "interval",
    "difference",
    "difference_low",
    "difference_high",
    "pvalue",
    "adjusted_pvalue",
    "wins",
    "ties",
    "losses",
    "best",
    "as_good",
    "better",
    "signature",
    "rank_low",
    "rank_high",
    "group",
    "row",
)

#: What a row of :func:`records_of` is of: a system, or where systems have several runs, one output of one.
OF_SYSTEM, OF_OUTPUT = "system", "output"

#: Attributes of a comparison that its JSON has under the same names.
_SETTINGS = ("test", "n_resamples", "adjust", "confidence_level", "alpha", "seed", "interval")


def records_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a row for each score of each system, in the order of :data:`COLUMNS`.

    Where outputs are runs, the systems by the means of their runs come first, then each output.
    """
    if not comparison.joins_runs:
        return list(_records(comparison, OF_SYSTEM))
    return [*_records(as_systems(comparison), OF_SYSTEM), *_records(comparison, OF_OUTPUT)]


def _records(comparison: Comparison, kind: str) -> Iterator[dict[str, Any]]:
    for table in comparison.tables:
        table_fields = {
            "test_set": comparison.test_set.name,
            "metric": table.metric,
            "score": table.name,
            "interval": comparison.inference_of(table).interval,
            "better": table.better,
            "signature": table.signature,
            "row": kind,
        }
        for row in table.rows:
            rank_low, rank_high = row.rank or (None, None)
            entries = {**_numbers(comparison, row), **table_fields, "rank_low": rank_low, "rank_high": rank_high}
            yield {name: entries[name] for name in COLUMNS}


def _numbers(comparison: Comparison, row: SystemScore) -> dict[str, Any]:
    """Return what is known of a system's score; without a test, nothing of its difference from the baseline."""
    shown = row
    if comparison.test is None:
        shown = replace(row, against=None)
    # Too few units have no interval.
    difference_low = difference_high = None
    if shown.against is not None:
        difference_low, difference_high = map(number_or_none, shown.against.interval)
    return {
        "system": row.system,
        "value": row.value,
        "low": number_or_none(row.low),
        "high": number_or_none(row.high),
        "difference": shown.difference,
        "difference_low": difference_low,
        "difference_high": difference_high,
        "pvalue": shown.pvalue,
        "adjusted_pvalue": shown.adjusted_pvalue,
        "wins": shown.wins,
        "ties": shown.ties,
        "losses": shown.losses,
        "best": row.best,
        "as_good": row.as_good,
        "rank": None if row.rank is None else list(row.rank),
        "group": row.group,
    }


def entries_of(comparison: Comparison) -> dict[str, Any]:
    """Return scores, intervals and tests as the JSON has them."""
    test_set = comparison.test_set
    entries = {
        "test_set": test_set.name,
        "n_segments": test_set.n_segments,
        "clusters": None if test_set.clusters is None else test_set.clusters.to_dict(),
        **test_set.about,
        "baseline": comparison.baseline if comparison.test is not None else None,
        **{name: getattr(comparison, name) for name in _SETTINGS},
        "tables": [_entries_of_table(comparison, table) for table in comparison.tables],
        "facts": [row.to_dict() for row in comparison.facts],
        "warnings": comparison.warnings,
    }
    if comparison.tests_runs:
        # Outputs are not tested; their systems are.
        entries |= {"baseline": comparison.design.system_of_baseline, "test": WELCH.name, "adjust": "holm"}
    return entries


def _entries_of_table(comparison: Comparison, table: ScoreTable) -> dict[str, Any]:
    return {
        "metric": table.metric,
        "score": table.name,
        "higher_is_better": table.higher_is_better,
        "signature": table.signature,
        **(comparison.inference_of(table).to_dict() if table.is_exact else {}),
        "systems": [_numbers(comparison, row) for row in table.rows],
        "adjusted_pvalues": table.pvalues.tolist() if comparison.test is not None else None,
        "too_few": table.too_few,
        **_values_of_sections(table.sections),
    }


def _values_of_sections(sections: Sequence[Section]) -> dict[str, Any]:
    """Return the values of sections by their keys; the slices of all kinds in one list."""
    values = {section.key: section.value for section in sections}
    slices = [row for section in sections if section.key == "slices" for row in section.value]
    return {**values, "slices": slices} if slices else values
