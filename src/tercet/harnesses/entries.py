"""What loggers are given: the numbers of a result or a comparison, and tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.comparison.scores import Comparison
from tercet.result import Result

Table = Callable[[list[str], list[list[Any]]], Any]


def entries(found: Result | Comparison, table: Table) -> dict[str, Any]:
    """Return what to log, with the tables that a logger makes of names of columns and rows."""
    return _of_comparison(found, table) if isinstance(found, Comparison) else _of_result(found, table)


def _of_result(result: Result, table: Table) -> dict[str, Any]:
    numbers = {name: value for name, value in result.items() if isinstance(value, int | float)}
    for name, (low, high) in (result.intervals or {}).items():
        numbers |= {f"{name}_low": low, f"{name}_high": high}
    found = {**numbers, "signature": result.signature}
    if result.segments:
        rows = zip(*result.segments.values(), strict=True)
        found["segments"] = table(
            ["segment", *result.segments], [[number, *row] for number, row in enumerate(rows, start=1)]
        )
    return {f"{result.metric}/{name}": value for name, value in found.items()}


def _of_comparison(comparison: Comparison, table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for label, each in zip(comparison.score_labels(), comparison.tables, strict=True):
        found[f"{label}/signature"] = each.signature
        for row in each.rows:
            numbers = {"": row.value, "_low": row.low, "_high": row.high, "_adjusted_pvalue": row.adjusted_pvalue}
            found |= {f"{row.system}/{label}{end}": value for end, value in numbers.items() if value is not None}
    records, texts = comparison.records(), comparison.test_set
    found["systems"] = table([*records[0]], [[*record.values()] for record in records])
    scores = dict(zip(comparison.score_labels(), (each.segments for each in comparison.tables), strict=True))
    found["segments"] = table(
        ["segment", "system", *scores, "prediction", "references"],
        [
            [number + 1, system, *(each[system][number] for each in scores.values()), text, "\n".join(references)]
            for number, references in enumerate(texts.references)
            for system, text in ((name, own[number]) for name, own in texts.systems.items())
        ],
    )
    return found
