"""What a report shows of a comparison, in the order in which it shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from tercet.comparison.scores import Comparison, ScoreTable, SystemScore

from .lengths import Buckets, bucket_scores, make_buckets
from .names import short_names
from .plots import SERIES, distribution_plot, interval_plot, length_plot
from .segments import Example, Pair, Segments


@dataclass(frozen=True, slots=True, eq=False)
class ScoreView:
    """A score as the template shows it.

    Attributes
    ----------
    table : ScoreTable
    rows : list of SystemScore
        The best system first.
    pairs : list of tuple
        For each of those rows the systems in the same order: ``"better"``, ``"worse"``, ``""`` or None for itself,
        and p.
    by_length : list of list of float
        For each of those rows the score of each bucket.
    best_by_length : list of float
        The best of each bucket.
    rule : str
        How the scores of buckets are made.
    series : list of tuple
        Colour, mark and system of the lines of the plot of lengths.
    intervals, lengths, distributions : str
        Plots, as SVG.
    """

    table: ScoreTable
    rows: list[SystemScore]
    pairs: list[list[tuple[str | None, float]]]
    by_length: list[list[float]]
    best_by_length: list[float]
    rule: str
    series: list[tuple[str, str, str]]
    intervals: str
    lengths: str
    distributions: str


@dataclass(frozen=True, slots=True, eq=False)
class MetricView:
    """A metric as the template shows it: its scores, and segments by the first of them.

    Attributes
    ----------
    label : str
    scores : list of ScoreView
    name : str
        The score that segments are chosen by.
    legend : sequence of str
        What the colours of the texts say; empty for texts without colours.
    pairs : list of Pair
    spread : Example or None
    """

    label: str
    scores: list[ScoreView]
    name: str
    legend: Sequence[str]
    pairs: list[Pair]
    spread: Example | None


@dataclass(frozen=True, slots=True, eq=False)
class TestSetView:
    """A comparison as the template shows it.

    Attributes
    ----------
    comparison : Comparison
    names : dict of str to str
        How the systems are called.
    buckets : Buckets
    metrics : list of MetricView
    least : float
        The least p, adjusted for all pairs, that so many resamples can give; 0 without a test.
    digest : str
        Of all texts.
    """

    comparison: Comparison
    names: dict[str, str]
    buckets: Buckets
    metrics: list[MetricView]
    least: float
    digest: str


def view(comparison: Comparison, prefix: str) -> TestSetView:
    """Return what a report shows of a comparison; ids within begin with `prefix`."""
    names = short_names(list(comparison.test_set.systems))
    first = comparison.tables[0].segments.values() if comparison.tables else [[]]
    scored = [index for index, score in enumerate(next(iter(first))) if score is not None]
    buckets = make_buckets(comparison.test_set.references, scored)
    metrics = []
    for number, label in enumerate(dict.fromkeys(table.metric for table in comparison.tables)):
        tables = [table for table in comparison.tables if table.metric == label]
        scores = [
            _score(comparison, table, names, buckets, f"{prefix}m{number}s{index}")
            for index, table in enumerate(tables)
        ]
        chosen = _primary(tables)
        segments = Segments(comparison, chosen)
        metrics.append(MetricView(label, scores, chosen.name, segments.legend, segments.pairs(), segments.spread()))
    n_pairs = len(names) * (len(names) - 1) // 2
    texts = [list(comparison.test_set.systems.items()), comparison.test_set.references, comparison.test_set.source]
    return TestSetView(
        comparison, names, buckets, metrics,
        least=n_pairs / (comparison.n_resamples + 1) if comparison.n_resamples is not None else 0.0,
        digest=sha256(json.dumps(texts).encode()).hexdigest()[:16],
    )  # fmt: skip


def _primary(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    return next((table for table in tables if table.name == table.scorer.primary), tables[0])


def _score(
    comparison: Comparison,
    table: ScoreTable,
    names: dict[str, str],
    buckets: Buckets,
    prefix: str,
) -> ScoreView:
    values = [row.value for row in table.rows]
    higher = table.higher_is_better
    order = sorted(range(len(values)), key=lambda index: (-values[index] if higher else values[index], index))
    rows = [table.rows[index] for index in order]
    called = [names[row.system] for row in rows]
    lengths, rule = bucket_scores(table, buckets)
    ordered, shown = [lengths[index] for index in order], _shown(rows)
    return ScoreView(
        table=table,
        rows=rows,
        pairs=[[_verdict(table, one, other, comparison.alpha, higher) for other in order] for one in order],
        by_length=ordered,
        best_by_length=[(max if higher else min)(column) for column in zip(*ordered, strict=True)],
        rule=rule,
        series=[(colour, mark, called[index]) for (colour, mark, _), index in zip(SERIES, shown, strict=False)],
        intervals=_intervals(comparison, table, rows, called, f"{prefix}i"),
        lengths=_lengths(table, ordered, shown, buckets, f"{prefix}l"),
        distributions=_distributions(table, rows, called, f"{prefix}d"),
    )


def _intervals(
    comparison: Comparison, table: ScoreTable, rows: Sequence[SystemScore], called: Sequence[str], prefix: str
) -> str:
    level = f"{100 * comparison.confidence_level:g} %"
    baseline = next(row.value for row in rows if row.difference is None)
    if comparison.test is None:
        rows = [replace(row, as_good=True) for row in rows]  # none is known to be worse
    listed = "; ".join(
        f"{name} {row.value:.2f} ({row.low:.2f} to {row.high:.2f})" for name, row in zip(called, rows, strict=True)
    )
    description = f"{table.name} of each system with {level} intervals: {listed}"
    return interval_plot(rows, called, baseline, f"{table.name}, {level} interval", description, prefix)


def _lengths(
    table: ScoreTable, ordered: Sequence[Sequence[float]], shown: Sequence[int], buckets: Buckets, prefix: str
) -> str:
    description = f"{table.name} by length of the reference in {buckets.unit}; the numbers are in the table below"
    texts = (f"{buckets.unit} of the reference", table.name, description)
    return length_plot(ordered, shown, buckets.labels, texts, prefix)


def _distributions(table: ScoreTable, rows: Sequence[SystemScore], called: Sequence[str], prefix: str) -> str:
    scores = [np.array([score for score in table.segments[row.system] if score is not None]) for row in rows]
    medians = "; ".join(f"{name} {np.median(own):.2f}" for name, own in zip(called, scores, strict=True))
    description = f"Histograms of the segments' {table.name}; medians: {medians}"
    return distribution_plot(scores, called, f"{table.name} of single segments", description, prefix)


def _shown(rows: Sequence[SystemScore]) -> list[int]:
    """Return the systems that get a colour: the best ones and the baseline."""
    shown = list(range(min(len(rows), len(SERIES))))
    baseline = next(index for index, row in enumerate(rows) if row.difference is None)
    return shown if baseline in shown else [*shown[:-1], baseline]


def _verdict(table: ScoreTable, one: int, other: int, alpha: float, higher: bool) -> tuple[str | None, float]:
    p = float(table.pvalues[one, other])
    if one == other:
        return None, p
    if p >= alpha:
        return "", p
    return ("better" if (table.rows[one].value > table.rows[other].value) == higher else "worse"), p
