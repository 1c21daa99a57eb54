"""What the script of a report needs of its tables: texts to copy, and the differences of all pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tercet.comparison.shown.tables import in_format
from tercet.table_formats import interval_text, number_or_none, pvalue_text

from .rendering import minus

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore


def copies(comparison: Comparison) -> dict[str, str]:
    """Return the texts to copy: those of ``tercet compare -f markdown`` and ``-f latex``."""
    return {form: in_format([comparison], form) for form in ("markdown", "latex")}


def table_data(comparison: Comparison, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the scores of all systems, and p of all pairs; systems are called as `names` has them."""
    systems = list(comparison.test_set.systems)
    baseline = None
    scores = [_score(table) for table in comparison.tables]
    if comparison.test is not None:
        baseline = systems.index(comparison.baseline)
        for score, table in zip(scores, comparison.tables, strict=True):
            score |= _pairs(table, comparison.alpha)
            score["mirrored"] = [_mirrored(row) for row in table.rows]
    return {"systems": [names[system] for system in systems], "baseline": baseline, "scores": scores}


def _score(table: ScoreTable) -> dict[str, Any]:
    return {
        "higher": table.higher_is_better,
        "digits": table.digits,
        "values": [number_or_none(row.value) for row in table.rows],
    }


def _pairs(table: ScoreTable, alpha: float) -> dict[str, Any]:
    """Return the distinct p, each as people read it and whether it is significant, and which of them each pair has.

    Pairs are those of each row with the rows after it.
    """
    number_of: dict[tuple[str, bool], int] = {}
    pairs = []
    for first in range(len(table.rows)):
        for second in range(first + 1, len(table.rows)):
            p = float(table.pvalues[first, second])
            text = "NaN" if math.isnan(p) else pvalue_text(p)
            is_significant = p < alpha
            pairs.append(number_of.setdefault((text, is_significant), len(number_of)))
    return {"p": list(number_of), "pairs": pairs}


def _mirrored(row: SystemScore) -> list[str]:
    """Return the interval of the baseline's difference from a system, and its counts: known without another test."""
    if row.against is None:
        return ["", ""]
    # subtracted, as the negative of 0.0 would be shown as -0.00
    low = 0.0 - row.against.interval.high
    high = 0.0 - row.against.interval.low
    interval = interval_text(low, high, row.digits, signed=True)
    counts = ""
    if row.counts is not None:
        counts = f"{row.losses}/{row.ties}/{row.wins}"
    return [minus(interval), counts]
