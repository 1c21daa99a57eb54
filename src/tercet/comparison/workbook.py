"""Comparisons as an Excel workbook: scores, all pairs of systems, every segment, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from tercet.metric.drawing.visible import one_cell
from tercet.signature import __version__

from .scores import COLUMNS, Comparison, ScoreTable
from .test_sets import TestSet
from .workbook_file import Bold, Sheet, check_fits

_PAIRS = (
    *("test_set", "metric", "score", "better", "system", "other", "difference"),
    *("p adjusted for all pairs (Holm's method)", "system is significantly"),
)
_WIDTHS = {
    **dict.fromkeys(("test_set", "system", "other", "metric", "score"), 22),
    **dict.fromkeys(("source", "prediction", "reference", "signature", "note"), 60),
    "system is significantly": 24,
}


def sheets_of(comparisons: Sequence[Comparison]) -> list[Sheet]:
    """Return the sheets Scores, Pairs (of several systems), Segments (of texts in memory) and Notes."""
    sheets = [_scores(comparisons), _pairs(comparisons), segments_of(comparisons), _notes(comparisons)]
    return [sheet for sheet in sheets if sheet.n_rows]


def check_segments_fit(test_sets: Iterable[TestSet]) -> None:
    """Raise an InputError for more segments of all systems than a sheet has rows."""
    check_fits("Segments", sum(each.n_segments * len(each.systems) for each in test_sets))


def _scores(comparisons: Sequence[Comparison]) -> Sheet:
    rows = [
        [Bold(value) if record["best"] and name in ("system", "value") else value for name, value in record.items()]
        for each in comparisons
        for record in each.records()
    ]
    formats = dict.fromkeys(("value", "low", "high", "difference"), "0.00")
    formats |= dict.fromkeys(("pvalue", "adjusted_pvalue"), "0.0000")
    return Sheet("Scores", COLUMNS, len(rows), rows, _WIDTHS, formats)


def _pairs(comparisons: Sequence[Comparison]) -> Sheet:
    rows = [row for each in comparisons for table in each.tables for row in _pairs_of(each, table)]
    return Sheet("Pairs", _PAIRS, len(rows), rows, _WIDTHS, {"difference": "+0.00;-0.00;0.00", _PAIRS[-2]: "0.0000"})


def _pairs_of(comparison: Comparison, table: ScoreTable) -> Iterator[list[Any]]:
    where = [comparison.test_set.name, table.metric, table.name, table.better]
    for (i, one), (j, other) in combinations(enumerate(table.rows), 2):
        difference, p = one.value - other.value, float(table.pvalues[i, j])
        wins = (difference > 0) == table.higher_is_better
        verdict = ("▲ better" if wins else "▼ worse") if difference and p < comparison.alpha else ""
        yield [*where, one.system, other.system, difference, p, verdict]


def segments_of(comparisons: Sequence[Comparison]) -> Sheet:
    """Return a row for each segment and system: its scores and texts."""
    names = list(dict.fromkeys((table.metric, table.name) for each in comparisons for table in each.tables))
    titles = [f"{metric} {name}" for metric, name in names]
    most = max((len(texts) for each in comparisons for texts in each.test_set.references), default=0)
    labels = ["reference", *(f"reference {number}" for number in range(2, most + 1))][:most]
    sourced = any(each.test_set.source is not None for each in comparisons)
    head = ["test_set", "segment", "system", *titles, *(["source"] if sourced else []), "prediction", *labels]

    def rows() -> Iterator[list[Any]]:
        for each in comparisons:
            test_set = each.test_set
            scores = {(table.metric, table.name): table.segments for table in each.tables}
            for number, references in enumerate(test_set.references):
                source = ["" if test_set.source is None else test_set.source[number]] if sourced else []
                for system, texts in test_set.systems.items():
                    values = [scores[name][system][number] if name in scores else None for name in names]
                    filled = [*references, *[None] * (most - len(references))]
                    yield [test_set.name, number + 1, system, *values, *source, texts[number], *filled]

    n_rows = sum(len(each.test_set.references) * len(each.test_set.systems) for each in comparisons)
    return Sheet("Segments", head, n_rows, rows(), _WIDTHS | dict.fromkeys(labels, 60), dict.fromkeys(titles, "0.00"))


def _notes(comparisons: Sequence[Comparison]) -> Sheet:
    """Return what the numbers are, and what the metrics warned of."""
    rows = [
        [each.test_set.name, line]
        for each in comparisons
        for line in [each.legend(one_cell), *each.remarks(one_cell), *each.warnings, f"tercet {__version__}"]
    ]
    return Sheet("Notes", ("test_set", "note"), len(rows), rows, {**_WIDTHS, "note": 120})
