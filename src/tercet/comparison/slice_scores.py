"""Scores and tests of each slice of a test set, adjusted over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.markup import MOST_NAMED, Sentence, listed, one_cell
from tercet.statistics.bootstrap import ConfidenceInterval
from tercet.statistics.clusters import Clusters, clustered
from tercet.statistics.inference import ADJUSTED, Inference
from tercet.statistics.intervals import bootstraps
from tercet.statistics.stats import SegmentStats
from tercet.tables import Cell, Column, Table, decimals, interval_text, number_or_none, pvalue_text

from .columns import share_difference_interval, share_interval
from .scores import Comparison, ScoreTable
from .sections import Section
from .slice_tests import Part, slice_tests
from .slices import Slices

#: The most slices that a sentence names.
_MOST_SAID = 6


@dataclass(frozen=True, slots=True)
class SliceScores:
    """The scores of all systems in a slice."""

    name: str
    n_segments: int
    n_units: int
    values: list[float]
    bounds: list[ConfidenceInterval]
    #: Of the differences from the baseline.
    bounds_of_differences: list[ConfidenceInterval]
    #: Of the test against the baseline, alone and adjusted for all slices and systems; NaN without one.
    pvalues: list[float]
    adjusted_pvalues: list[float]


def sliced(
    comparison: Comparison,
    metric: Metric,
    scored: Sequence[SegmentStats],
    is_scored: NDArray[np.bool_],
    inference: Inference,
) -> list[tuple[Slices, dict[str, list[SliceScores]]]]:
    """Return the scores of a metric in each slice, by name: of the segments that are scored for all systems.

    A slice's draws are those that a test set of its segments would have: of a slice that is the whole, p and
    intervals are those of the whole.
    """
    clusters = comparison.test_set.clusters
    clusters = None if clusters is None else clusters.selected(is_scored)
    n_units = len(scored[0]) if clusters is None else len(clusters)
    results = []
    for slices in comparison.slices:
        parts = list(_parts(slices, scored, is_scored, clusters))
        tests = slice_tests(comparison, metric, parts, n_units, inference) if parts else {}
        scores_of: dict[str, list[SliceScores]] = {name: [] for name in metric.score_names}
        for number, part in enumerate(parts):
            bounds, bounds_of_differences = _bounds(comparison, metric, part, inference)
            values = part.scores(metric)
            for name in metric.score_names:
                alone, adjusted = tests[name]
                slice_scores = SliceScores(
                    name=part.name,
                    n_segments=len(part.rows[0]),
                    n_units=len(part.units[0]),
                    values=values[name].tolist(),
                    bounds=bounds[name],
                    bounds_of_differences=bounds_of_differences[name],
                    pvalues=alone[number].tolist(),
                    adjusted_pvalues=adjusted[number].tolist(),
                )
                scores_of[name].append(slice_scores)
        results.append((slices, scores_of))
    return results


def _parts(
    slices: Slices, scored: Sequence[SegmentStats], is_scored: NDArray[np.bool_], clusters: Clusters | None
) -> Iterator[Part]:
    numbers = slices.numbers[is_scored]
    for index, name in enumerate(slices.names):
        inside = numbers == index
        if not inside.any():
            continue
        rows = [stats.selected(inside) for stats in scored]
        if clusters is None:
            yield Part(name, rows, rows, np.flatnonzero(inside))
            continue
        # Those of a slice are numbered as they first occur there.
        of_slice = np.array(list(dict.fromkeys(clusters.numbers[inside].tolist())), np.int64)
        yield Part(name, rows, clustered(rows, clusters.selected(inside)), of_slice)


_Bounds = dict[str, list[ConfidenceInterval]]


def _bounds(comparison: Comparison, metric: Metric, part: Part, inference: Inference) -> tuple[_Bounds, _Bounds]:
    """Return the intervals of all systems in a slice, and those of their differences from the baseline."""
    level = comparison.confidence_level
    baseline = list(comparison.test_set.systems).index(comparison.baseline)
    intervals = bootstraps(
        metric, part.units, confidence_level=level, method=comparison.interval, seed=comparison.seed
    )
    bounds: _Bounds = {}
    bounds_of_differences: _Bounds = {}
    for name in metric.score_names:
        of_systems = [of_system[name] for of_system in intervals]
        differences = [of_system.less(of_systems[baseline]) for of_system in of_systems]
        bounds[name] = [of_system.confidence_interval for of_system in of_systems]
        bounds_of_differences[name] = [difference.confidence_interval for difference in differences]
        if inference.has_exact_intervals:
            rows_of_baseline = part.rows[baseline]
            bounds[name] = [share_interval(metric, stats, level) for stats in part.rows]
            bounds_of_differences[name] = [
                share_difference_interval(metric, rows_of_baseline, stats, level) for stats in part.rows
            ]
    return bounds, bounds_of_differences


def slices_section(
    comparison: Comparison, table: ScoreTable, slices: Slices, scores: Sequence[SliceScores]
) -> Section:
    """Return the slices of a score: each system's score in each, and its difference from the baseline."""
    systems, rows = list(comparison.test_set.systems), []
    baseline = systems.index(comparison.baseline)
    for one in scores:
        of_systems = [
            {
                "system": system,
                "value": one.values[place],
                "low": number_or_none(one.bounds[place].low),
                "high": number_or_none(one.bounds[place].high),
                "difference": None if place == baseline else one.values[place] - one.values[baseline],
                "difference_low": None if place == baseline else number_or_none(one.bounds_of_differences[place].low),
                "difference_high": None
                if place == baseline
                else number_or_none(one.bounds_of_differences[place].high),
                "pvalue": number_or_none(one.pvalues[place]) if not math.isnan(one.adjusted_pvalues[place]) else None,
                "adjusted_pvalue": number_or_none(one.adjusted_pvalues[place]),
            }
            for place, system in enumerate(systems)
        ]
        rows.append(
            {
                "by": slices.by,
                "slice": one.name,
                "n_segments": one.n_segments,
                "n_units": one.n_units,
                "systems": of_systems,
            }
        )
    sentences = [*_verdicts(comparison, table, rows, baseline), *_notes(comparison, table, slices, rows)]
    return Section(
        "slices", f"Slices by {one_cell(slices.by)}", sentences, _table(comparison, table, slices, rows), rows
    )


# What is said of slices.


@dataclass(frozen=True, slots=True)
class _Finding:
    """How a system does in a slice."""

    slice: str
    difference: float
    #: The difference, or its opposite where lower is better.
    gain: float
    is_significant: bool


def _verdicts(
    comparison: Comparison, table: ScoreTable, rows: Sequence[Mapping[str, Any]], baseline: int
) -> Iterator[Sentence]:
    """Yield where each system is better and worse than the baseline; of many systems, the best alone."""
    systems = list(comparison.test_set.systems)
    compared = [place for place in range(len(systems)) if place != baseline]
    if len(compared) > MOST_NAMED:
        compared = [next(place for place in table.order if place != baseline)]
    sign = 1 if table.higher_is_better else -1
    for place in compared:
        findings = []
        for row in rows:
            cell = row["systems"][place]
            difference, p = cell["difference"], cell["adjusted_pvalue"]
            if not math.isnan(difference):
                is_significant = p is not None and p < comparison.alpha
                findings.append(_Finding(row["slice"], difference, sign * difference, is_significant))
        if not findings:
            continue
        against = (" against ", systems[baseline]) if len(systems) > 2 else ()
        say = _counted if len(findings) > _MOST_SAID else _verdict
        yield say(("", systems[place], *against), findings, comparison.test is not None, table.rows[0].digits)
        if len(findings) == len(rows):
            yield from _reversal(systems[place], findings, table.rows[place].difference)


def _verdict(subject: Sentence, findings: Sequence[_Finding], is_tested: bool, digits: int) -> Sentence:
    """Return in which slices a system is better, worse and the same: those first where it is significantly so."""
    clauses = [
        (word, [one for one in findings if one.is_significant is flag and np.sign(one.gain) == sign])
        for flag in (True, False)
        for word, sign in (("better", 1), ("worse", -1), ("the same", 0))
    ]
    parts, joint = [*subject], ": " if len(subject) > 2 else " is "
    for word, of_clause in clauses:
        for number, one in enumerate(of_clause):
            if number:
                joint += " and " if number == len(of_clause) - 1 else ", "
            else:
                joint += f"{word} in "
            parts += [joint, one.slice]
            note = ", not significant" if is_tested and not one.is_significant else ""
            joint = f" ({decimals(one.difference, digits, signed=True)}{note})" if one.difference else ""
        joint += ", " if of_clause else ""
    return (*parts, f"{joint.removesuffix(', ')}.")


def _counted(subject: Sentence, findings: Sequence[_Finding], is_tested: bool, digits: int) -> Sentence:
    """Return in how many slices a system is better and worse, and where it is so most."""
    counted = [one for one in findings if one.is_significant or not is_tested]
    better, worse = sum(one.gain > 0 for one in counted), sum(one.gain < 0 for one in counted)
    most, least = (choose(findings, key=lambda one: one.gain) for choose in (max, min))
    verb = f"{': ' if len(subject) > 2 else ' is '}{'significantly ' if is_tested else ''}"
    return (
        *subject,
        f"{verb}better in {better} of {len(findings)} slices and worse in {worse}; best in ",
        most.slice,
        f" ({decimals(most.difference, digits, signed=True)}), last in ",
        least.slice,
        f" ({decimals(least.difference, digits, signed=True)}).",
    )


def _reversal(system: str, findings: Sequence[_Finding], whole: float | None) -> Iterator[Sentence]:
    """Yield that all slices differ in direction from the whole, which scores that are no means may do (Simpson)."""
    if len(findings) < 2 or not whole or any(one.difference * whole >= 0 for one in findings):
        return
    in_slices, over_all = ("better", "worse") if findings[0].gain > 0 else ("worse", "better")
    yield (
        "",
        system,
        f" is {in_slices} in every slice, but {over_all} over all: slices do not weigh the same in the scores of the "
        "two, which are no means over segments (Simpson's paradox).",
    )


def _notes(
    comparison: Comparison, table: ScoreTable, slices: Slices, rows: Sequence[Mapping[str, Any]]
) -> Iterator[Sentence]:
    """Yield which slices show nothing, however large a difference, and what p is adjusted for."""
    missing = [name for name in slices.names if name not in {row["slice"] for row in rows}]
    if missing:
        yield _naming("No segment is scored for all systems in ", missing)
    pvalues = [cell["pvalue"] for row in rows for cell in row["systems"] if cell["pvalue"] is not None]
    inference = comparison.inference_of(table)
    if not pvalues or inference.test is None:
        return
    by_holm = inference.adjust == "holm" or not inference.has_draws_of_slices
    # Holm multiplies the least p by their number, and all others by less; the step-down maximum does not.
    factor = len(pvalues) if by_holm else 1
    if inference.test.exchanges:
        is_small = [factor * 2.0 ** (1 - row["n_units"]) >= comparison.alpha for row in rows]
        small = [
            row["slice"]
            for row, too_small in zip(rows, is_small, strict=True)
            if too_small and not any((cell["adjusted_pvalue"] or 1) < comparison.alpha for cell in row["systems"])
        ]
        unit = "segments" if comparison.test_set.clusters is None else "clusters"
        if small:
            yield _naming(f"Too few {unit} for any difference to be significant: ", small)
    n_resamples = comparison.n_resamples if inference.test.is_resampled else 0
    if n_resamples and factor / (n_resamples + 1) >= comparison.alpha:
        yield (f"With {n_resamples:,} resamples, no p of {len(pvalues):,} can be significant: more would help.",)
    if len(pvalues) > 1:
        method = ADJUSTED["holm" if by_holm else "step-down"]
        yield (f"adj. p: against the baseline, adjusted for {len(pvalues):,} tests by {method}.",)


def _naming(start: str, names: Sequence[str]) -> Sentence:
    """Return a sentence that ends with names, of many with the first."""
    _, *parts, end = listed(names, _MOST_SAID)
    return (start, *parts, f"{end}.")


def _table(comparison: Comparison, table: ScoreTable, slices: Slices, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each slice; of three systems or more, for each system of each slice."""
    systems = list(comparison.test_set.systems)
    by, is_tested = Column(slices.by, "name"), comparison.test is not None
    units = [Column("segments"), *([] if comparison.test_set.clusters is None else [Column("clusters")])]
    tested = [Column("difference", "difference"), *([Column("adj. p")] if is_tested else [])]
    after = "" if table.higher_is_better else " ↓"
    cells: list[list[Any]] = []
    if len(systems) <= 2:
        columns = [by, *units, *(Column(system, after=after) for system in systems)]
        columns += tested if len(systems) == 2 else []
        for row in rows:
            compared = next((cell for cell in row["systems"] if cell["difference"] is not None), None)
            scores = [_with_interval(cell, table) for cell in row["systems"]]
            cells.append([row["slice"], *_n_units(row, units), *scores])
            if compared is not None:
                cells[-1] += _against(compared, table, is_tested)
        return Table("", columns, cells)
    columns = [by, *units, Column("system", "name"), Column(table.name, after=after), *tested]
    for row in rows:
        for cell in row["systems"]:
            against: list[Any] = ["", *([""] if is_tested else [])]
            if cell["difference"] is not None:
                against = _against(cell, table, is_tested)
            cells.append([row["slice"], *_n_units(row, units), cell["system"], _with_interval(cell, table), *against])
    return Table("", columns, cells)


def _n_units(row: Mapping[str, Any], columns: Sequence[Column]) -> list[str]:
    return [f"{row['n_segments']:,}", f"{row['n_units']:,}"][: len(columns)]


def _with_interval(cell: Mapping[str, Any], table: ScoreTable) -> Cell:
    shown = partial(decimals, digits=table.rows[0].digits)
    interval = interval_text(cell["low"], cell["high"], table.rows[0].digits).replace(" – ", "–")
    return Cell(shown(cell["value"]), after=f" ({interval})" if interval else "")


def _against(cell: Mapping[str, Any], table: ScoreTable, is_tested: bool) -> list[Any]:
    p, digits = cell["adjusted_pvalue"], table.rows[0].digits
    interval = interval_text(cell["difference_low"], cell["difference_high"], digits, signed=True)
    cells: list[Any] = [Cell(decimals(cell["difference"], digits, signed=True), after=f" {interval}".rstrip())]
    return [*cells, "" if p is None else pvalue_text(p)] if is_tested else cells
