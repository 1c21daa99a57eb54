"""Scores and tests of each slice of a test set, adjusted over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.names_and_sentences import MOST_NAMED, Name, Sentence, listed, one_cell
from tercet.statistics.clusters import Clusters, clustered
from tercet.statistics.draws import apart
from tercet.statistics.inference import ADJUSTED, Inference
from tercet.statistics.stats import SegmentStats
from tercet.tables import Cell, Column, Table, decimals, interval_text, number_or_none, pvalue_text

from .clauses import Clause, sentence
from .design import Design
from .run_means import design_over_runs, table_of_means
from .run_scores import RunsInSlice
from .score_rows import bounds_of_systems
from .scores import ScoreTable
from .sections import Section
from .slice_runs import scores_over_runs
from .slice_tests import Part, ScoreInSlice, SliceScores, slice_tests
from .slices import Slices

#: The most slices that a sentence names.
_MOST_SAID = 6
#: What is said of slices in which no difference could be significant, however large.
_TOO_FEW = "too few to tell in"
#: How a system does in a slice, in the order in which it is said.
_WORDS = (
    "significantly better in",
    "significantly worse in",
    "better in",
    "worse in",
    "the same in",
    "no proven difference in",
    _TOO_FEW,
    "not tested in",
)


class ScoresOfSlices(NamedTuple):
    """Slices of one kind, and of each score by its name all systems in each of them."""

    slices: Slices
    by_score: Mapping[str, Sequence[SliceScores]]


def scores_of_slices(
    design: Design,
    metric: Metric,
    scored: Sequence[SegmentStats],
    is_scored: NDArray[np.bool_],
    inference: Inference,
) -> list[ScoresOfSlices]:
    """Return the scores of a metric in each slice: of the segments that are scored for all systems.

    A slice's draws are those that a test set of its segments would have: of a slice that is the whole, p and
    intervals are those of the whole. Where outputs are runs, the scores are of the systems, in their order.
    """
    clusters = design.test_set.clusters
    if clusters is not None:
        clusters = clusters.selected(is_scored)
    n_units = len(scored[0]) if clusters is None else len(clusters)
    results = []
    for slices in design.slices:
        parts = list(_slice_parts(slices, scored, is_scored, clusters))
        if design.joins_runs:
            by_score = scores_over_runs(design, metric, parts)
        else:
            by_score = _scores_of_parts(design, metric, parts, n_units, inference)
        results.append(ScoresOfSlices(slices, by_score))
    return results


def _scores_of_parts(
    design: Design, metric: Metric, parts: Sequence[Part], n_units: int, inference: Inference
) -> dict[str, list[SliceScores]]:
    """Return the scores of all systems in each slice, by name; the whole test set has `n_units` units."""
    scores_of: dict[str, list[SliceScores]] = {name: [] for name in metric.score_names}
    tests = slice_tests(design, metric, parts, n_units, inference) if parts else {}
    for number, part in enumerate(parts):
        intervals = design.intervals(metric, part.units)
        values = part.scores(metric)
        for name in metric.score_names:
            intervals_of_score = [of_system[name] for of_system in intervals]
            bounds = bounds_of_systems(design, metric, part.rows, intervals_of_score, inference)
            figures = zip(
                values[name].tolist(),
                bounds.of_scores,
                bounds.of_differences,
                tests[name].pvalues[number].tolist(),
                tests[name].adjusted[number].tolist(),
                strict=True,
            )
            systems = [ScoreInSlice(*of_system) for of_system in figures]
            scores_of[name].append(SliceScores(part.name, len(part.rows[0]), len(part.units[0]), systems))
    return scores_of


def _slice_parts(
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


def slices_section(design: Design, table: ScoreTable, of_slices: ScoresOfSlices) -> Section:
    """Return the slices of a score: each system's score in each, and its difference from the baseline."""
    slices = of_slices.slices
    scores = of_slices.by_score[table.name]
    if design.joins_runs:
        # Systems are what is scored there, and not their outputs.
        return _section(design_over_runs(design), table_of_means(table, design.alpha), slices, scores)
    return _section(design, table, slices, scores)


def _section(design: Design, table: ScoreTable, slices: Slices, scores: Sequence[SliceScores]) -> Section:
    rows = [_row_of_slice(slice_scores, slices.by, design) for slice_scores in scores]
    small = _small_slices(design, table, rows)
    sentences = [
        *_verdicts(design, table, rows, small),
        *_why_untested(design.systems, scores),
        *_notes_on_tests(design, table, slices, rows, small),
    ]
    return Section(
        "slices",
        f"Slices by {one_cell(slices.by)}",
        sentences,
        _table_of_slices(design, table, slices, rows),
        [row.to_dict() for row in rows],
    )


@dataclass(frozen=True, slots=True)
class _SystemInSlice:
    """A system's score in a slice, and its difference from the baseline: None for the baseline itself."""

    system: str
    value: float
    low: float | None
    high: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    #: None where nothing was tested.
    pvalue: float | None
    adjusted_pvalue: float | None
    #: Of a system with runs, their scores and the test over them.
    over_runs: RunsInSlice | None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python, those over runs beside the others."""
        entries = {field.name: getattr(self, field.name) for field in fields(self)}
        del entries["over_runs"]
        return entries if self.over_runs is None else {**entries, **self.over_runs._asdict()}


@dataclass(frozen=True, slots=True)
class _SliceRow:
    """A slice, and all systems in it."""

    by: str
    name: str
    n_segments: int
    n_units: int
    systems: Sequence[_SystemInSlice]

    @property
    def pvalues(self) -> list[float]:
        """The p of systems that were tested."""
        return [system.pvalue for system in self.systems if system.pvalue is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return the slice as plain Python."""
        return {
            "by": self.by,
            "slice": self.name,
            "n_segments": self.n_segments,
            "n_units": self.n_units,
            "systems": [system.to_dict() for system in self.systems],
        }


def _row_of_slice(scores: SliceScores, by: str, design: Design) -> _SliceRow:
    baseline = scores.systems[design.baseline_index]
    in_slice = []
    for system, score in zip(design.systems, scores.systems, strict=True):
        difference = difference_low = difference_high = None
        if score is not baseline:
            difference = score.value - baseline.value
            difference_low = number_or_none(score.bounds_of_difference.low)
            difference_high = number_or_none(score.bounds_of_difference.high)
        pvalue = None
        # What was not adjusted was not tested.
        if not math.isnan(score.adjusted_pvalue):
            pvalue = number_or_none(score.pvalue)
        in_slice.append(
            _SystemInSlice(
                system=system,
                value=score.value,
                low=number_or_none(score.bounds.low),
                high=number_or_none(score.bounds.high),
                difference=difference,
                difference_low=difference_low,
                difference_high=difference_high,
                pvalue=pvalue,
                adjusted_pvalue=number_or_none(score.adjusted_pvalue),
                over_runs=score.over_runs,
            )
        )
    return _SliceRow(by, scores.name, scores.n_segments, scores.n_units, in_slice)


# What is said of slices.


@dataclass(frozen=True, slots=True)
class _Finding:
    """How a system does in a slice."""

    slice: str
    difference: float
    #: The difference, or its opposite where lower is better.
    gain: float
    is_significant: bool
    is_tested: bool
    #: Whether no difference could be significant there, however large.
    is_small: bool


def _verdicts(
    design: Design, table: ScoreTable, rows: Sequence[_SliceRow], small: Sequence[str]
) -> Iterator[Sentence]:
    """Yield where each system is better and worse than the baseline; of many systems, the best alone."""
    systems = design.systems
    compared = [index for index in range(len(systems)) if index != design.baseline_index]
    if len(compared) > MOST_NAMED:
        compared = [next(index for index in table.order if index != design.baseline_index)]
    for index in compared:
        findings = list(_findings(design, table, rows, index, small))
        if not findings:
            continue
        subject: Sentence = (Name(systems[index]),)
        if len(systems) > 2:
            subject = (Name(systems[index]), " against ", Name(design.baseline))
        say = _counted_slices if len(findings) > _MOST_SAID else _named_slices
        yield say(subject, findings, design.test is not None, table.digits)
        if len(findings) == len(rows):
            yield from _reversal(systems[index], findings, table.rows[index].difference)


def _findings(
    design: Design, table: ScoreTable, rows: Sequence[_SliceRow], index: int, small: Sequence[str]
) -> Iterator[_Finding]:
    """Yield how a system does against the baseline in each slice where both have a score."""
    sign = 1 if table.higher_is_better else -1
    for row in rows:
        system = row.systems[index]
        # Only the baseline has no difference.
        if system.difference is None or math.isnan(system.difference):
            continue
        p = system.adjusted_pvalue
        yield _Finding(
            slice=row.name,
            difference=system.difference,
            gain=sign * apart(system.value, row.systems[design.baseline_index].value),
            is_significant=p is not None and p < design.alpha,
            is_tested=p is not None,
            is_small=row.name in small,
        )


def _named_slices(subject: Sentence, findings: Sequence[_Finding], is_tested: bool, digits: int) -> Sentence:
    """Return in which slices a system is better, worse and the same; of those that were tested, which are proven."""
    by_word: dict[str, list[_Finding]] = {}
    for finding in findings:
        by_word.setdefault(_in_a_slice(finding, is_tested), []).append(finding)
    clauses = []
    for word in _WORDS:
        names = []
        differences = []
        for finding in by_word.get(word, []):
            names.append(finding.slice)
            differences.append(decimals(finding.difference, digits, signed=True) if finding.gain else "")
        if names:
            clauses.append(Clause(word, tuple(names), tuple(differences)))
    return sentence(subject, ": ", clauses)


def _in_a_slice(finding: _Finding, is_tested: bool) -> str:
    """Return how a system does in a slice, as one of these words."""
    if not finding.gain:
        return "the same in"
    direction = "better in" if finding.gain > 0 else "worse in"
    if not is_tested:
        return direction
    if finding.is_small:
        return _TOO_FEW
    if finding.is_significant:
        return f"significantly {direction}"
    return "no proven difference in" if finding.is_tested else "not tested in"


def _counted_slices(subject: Sentence, findings: Sequence[_Finding], is_tested: bool, digits: int) -> Sentence:
    """Return in how many slices a system is better and worse, and from where to where the differences go."""
    words = [_in_a_slice(finding, is_tested) for finding in findings]
    of_all = f"of {len(findings)} slices"
    certain = "significantly " if is_tested else ""
    better = words.count(f"{certain}better in")
    worse = words.count(f"{certain}worse in")
    counts = f"{certain}better in {better or 'none'} {of_all}, {certain}worse in {worse or 'none'}"
    if not better and not worse:
        counts = f"no proven difference in any {of_all}"
        if set(words) == {"the same in"}:
            counts = f"the same in all {len(findings)} slices"
        elif set(words) == {"not tested in"}:
            counts = f"not tested in any {of_all}"
        elif set(words) == {_TOO_FEW}:
            counts = f"too few to tell in any {of_all}"
    parts: list[str] = [*subject, f": {counts}"]
    least = min(findings, key=lambda finding: finding.gain)
    most = max(findings, key=lambda finding: finding.gain)
    if most.gain != least.gain:
        parts += [f"; differences from {decimals(least.difference, digits, signed=True)} (", Name(least.slice), ")"]
        parts += [f" to {decimals(most.difference, digits, signed=True)} (", Name(most.slice), ")"]
    return (*parts, ".")


def _reversal(system: str, findings: Sequence[_Finding], whole: float | None) -> Iterator[Sentence]:
    """Yield that all slices differ in direction from the whole, which scores that are no means may do (Simpson)."""
    if len(findings) < 2 or not whole or any(finding.difference * whole >= 0 for finding in findings):
        return
    in_slices, over_all = ("better", "worse") if findings[0].gain > 0 else ("worse", "better")
    yield (
        Name(system),
        f" is {in_slices} in every slice, but {over_all} over all: slices do not weigh the same in the scores of the "
        "two, which are no means over segments (Simpson's paradox).",
    )


def _why_untested(systems: Sequence[str], scores: Sequence[SliceScores]) -> Iterator[Sentence]:
    """Yield why systems with several runs were not tested, and in which slices."""
    slices_of: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in scores:
        systems_of: dict[str, list[str]] = {}
        for system, score in zip(systems, one.systems, strict=True):
            if score.why_untested:
                systems_of.setdefault(score.why_untested, []).append(system)
        for reason, names in systems_of.items():
            slices_of.setdefault((reason, tuple(names)), []).append(one.name)
    for (reason, untested), slice_names in slices_of.items():
        where: Sentence = ("in any slice",)
        if len(slice_names) < len(scores):
            where = ("in ", *listed(slice_names, _MOST_SAID))
        subject: Sentence = ("No system is tested ",)
        # The baseline is not tested against itself.
        if len(untested) < len(systems) - 1:
            verb = "is" if len(untested) == 1 else "are"
            subject = (*listed(untested, MOST_NAMED), f" {verb} not tested ")
        yield (*subject, *where, f", as {reason}.")


def _small_slices(design: Design, table: ScoreTable, rows: Sequence[_SliceRow]) -> list[str]:
    """Return the slices of so few units that no difference could be significant there, however large."""
    inference = design.inference_of(table)
    n_tests = sum(len(row.pvalues) for row in rows)
    if not n_tests or inference.test is None:
        return []
    factor = _holm_factor(inference, n_tests)
    small = []
    for row in rows:
        least = 2.0 ** (1 - row.n_units)
        if inference.test.errs_more:
            # The bootstrap test calls equal systems different where no test of exchanges could.
            if least >= design.alpha:
                small.append(row.name)
        elif inference.test.exchanges and factor * least >= design.alpha:
            # Holm multiplies larger p by less than the least.
            adjusted = [system.adjusted_pvalue for system in row.systems]
            if not any(p is not None and p < design.alpha for p in adjusted):
                small.append(row.name)
    return small


def _holm_factor(inference: Inference, n_tests: int) -> int:
    """Return by how much the least p of all slices is multiplied; the step-down maximum does not multiply it."""
    return n_tests if _is_by_holm(inference) else 1


def _is_by_holm(inference: Inference) -> bool:
    """Return whether p of slices are adjusted by Holm's method, which those without common draws are in any case."""
    return inference.adjust == "holm" or not inference.resamples_slices_together


def _notes_on_tests(
    design: Design,
    table: ScoreTable,
    slices: Slices,
    rows: Sequence[_SliceRow],
    small: Sequence[str],
) -> Iterator[Sentence]:
    """Yield which slices show nothing, however large a difference, and what p is adjusted for."""
    names = {row.name for row in rows}
    missing = [name for name in slices.names if name not in names]
    if missing:
        yield _naming("No segment is scored for all systems in ", missing)
    n_tests = sum(len(row.pvalues) for row in rows)
    inference = design.inference_of(table)
    if not n_tests or inference.test is None:
        return
    factor = _holm_factor(inference, n_tests)
    if small:
        yield _naming(f"Too few {design.unit}s for any difference to be significant: ", small)
    n_resamples = design.n_resamples if inference.test.is_resampled else 0
    if n_resamples and factor / (n_resamples + 1) >= design.alpha:
        yield (f"With {n_resamples:,} resamples, no p of {n_tests:,} tests can be significant: more would help.",)
    if n_tests > 1:
        method = ADJUSTED["holm" if _is_by_holm(inference) else "step-down"]
        yield (f"adj. p: against the baseline, adjusted for {n_tests:,} tests by {method}.",)


def _naming(start: str, names: Sequence[str]) -> Sentence:
    """Return a sentence that ends with names, of many with the first."""
    return (start, *listed(names, _MOST_SAID), ".")


def _table_of_slices(design: Design, table: ScoreTable, slices: Slices, rows: Sequence[_SliceRow]) -> Table:
    """Return a row for each slice; of three systems or more, for each system of each slice."""
    units = [Column("segments", leaves=3)]
    if design.test_set.clusters is not None:
        units.append(Column("clusters", leaves=3))
    against = [Column("difference", "difference")]
    if design.test is not None:
        against.append(Column("adj. p"))
    before = [Column(slices.by, "name"), *units]
    after = "" if table.higher_is_better else " ↓"
    systems = design.systems
    cells: list[list[Any]] = []
    if len(systems) > 2:
        columns = [*before, Column("system", "name"), Column(table.name, after=after), *against]
        for row in rows:
            for system in row.systems:
                score = _with_interval(system, table)
                cells.append([*_cells_before(row, units), system.system, score, *_against(system, table, against)])
        return Table("", columns, cells)
    columns = [*before, *(Column(name, after=after) for name in systems)]
    if len(systems) == 2:
        columns += against
    for row in rows:
        cells_of_slice = [*_cells_before(row, units), *(_with_interval(system, table) for system in row.systems)]
        for system in row.systems:
            if system.difference is not None:
                cells_of_slice += _against(system, table, against)
        cells.append(cells_of_slice)
    return Table("", columns, cells)


def _cells_before(row: _SliceRow, units: Sequence[Column]) -> list[Any]:
    """Return the name of a slice, and how many segments, and clusters where there are such, are in it."""
    cells: list[Any] = [row.name, f"{row.n_segments:,}"]
    if len(units) > 1:
        cells.append(f"{row.n_units:,}")
    return cells


def _with_interval(system: _SystemInSlice, table: ScoreTable) -> Cell:
    interval = interval_text(system.low, system.high, table.digits).replace(" – ", "–")
    return Cell(decimals(system.value, table.digits), after=f" ({interval})" if interval else "")


def _against(system: _SystemInSlice, table: ScoreTable, columns: Sequence[Column]) -> list[Any]:
    """Return the cells of a difference from the baseline, and of its p where it has a column; else empty ones."""
    if system.difference is None:
        return [""] * len(columns)
    interval = interval_text(system.difference_low, system.difference_high, table.digits, signed=True)
    difference = decimals(system.difference, table.digits, signed=True)
    cells: list[Any] = [Cell(difference, after=f" {interval}".rstrip())]
    if len(columns) > 1:
        cells.append("" if system.adjusted_pvalue is None else pvalue_text(system.adjusted_pvalue))
    return cells
