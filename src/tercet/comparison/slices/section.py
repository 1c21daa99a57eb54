"""What is said of a score in slices: where each system is better and worse, what was tested, and a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tercet.comparison.runs.means import design_of_systems, table_of_means
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.values.sections import Section
from tercet.comparison.values.slices import Slices
from tercet.comparison.wording.clauses import Clause, sentence
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, listed, one_cell
from tercet.statistics.inference import ADJUSTED, Inference
from tercet.statistics.paired_tests import least_pvalue
from tercet.statistics.rounding import apart
from tercet.table_formats import decimals

from .scores import ScoredSlices
from .significance import SliceScores
from .table import SliceRow, row_of_slice, table_of_slices

#: The most slices that a sentence names.
_MOST_SAID = 6
# How a system does in a slice.
_BETTER = "better in"
_WORSE = "worse in"
_SAME = "the same in"
_UNPROVEN = "no proven difference in"
#: Of slices in which no difference could be significant, however large.
_TOO_FEW = "too few to tell in"
_UNTESTED = "not tested in"

#: Before that it is better or worse, where a test shows it.
_PROVEN = "significantly "

#: In the order in which they are said.
_WORDS = (f"{_PROVEN}{_BETTER}", f"{_PROVEN}{_WORSE}", _BETTER, _WORSE, _SAME, _UNPROVEN, _TOO_FEW, _UNTESTED)


def slices_section(design: Design, table: ScoreTable, scored_slices: ScoredSlices) -> Section:
    """Return the slices of a score: each system's score in each, and its difference from the baseline."""
    slices = scored_slices.slices
    scores = scored_slices.by_score[table.name]
    if design.joins_runs:
        # Systems are what is scored there, and not their outputs.
        return _section(design_of_systems(design), table_of_means(table, design.alpha), slices, scores)
    return _section(design, table, slices, scores)


def _section(design: Design, table: ScoreTable, slices: Slices, scores: Sequence[SliceScores]) -> Section:
    rows = [row_of_slice(slice_scores, slices.by, design) for slice_scores in scores]
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
        table_of_slices(design, table, slices, rows),
        [row.to_dict() for row in rows],
    )


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
    design: Design, table: ScoreTable, rows: Sequence[SliceRow], small: Sequence[str]
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
    design: Design, table: ScoreTable, rows: Sequence[SliceRow], index: int, small: Sequence[str]
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
        return _SAME
    direction = _BETTER if finding.gain > 0 else _WORSE
    if not is_tested:
        return direction
    if finding.is_small:
        return _TOO_FEW
    if finding.is_significant:
        return f"{_PROVEN}{direction}"
    return _UNPROVEN if finding.is_tested else _UNTESTED


def _counted_slices(subject: Sentence, findings: Sequence[_Finding], is_tested: bool, digits: int) -> Sentence:
    """Return in how many slices a system is better and worse, and from where to where the differences go."""
    words = [_in_a_slice(finding, is_tested) for finding in findings]
    among = f"of {len(findings)} slices"
    proven = _PROVEN if is_tested else ""
    n_better = words.count(f"{proven}{_BETTER}")
    n_worse = words.count(f"{proven}{_WORSE}")
    counts = f"{proven}{_BETTER} {n_better or 'none'} {among}, {proven}{_WORSE} {n_worse or 'none'}"
    if not n_better and not n_worse:
        counts = f"{_UNPROVEN} any {among}"
        if set(words) == {_SAME}:
            counts = f"{_SAME} all {len(findings)} slices"
        elif set(words) == {_UNTESTED}:
            counts = f"{_UNTESTED} any {among}"
        elif set(words) == {_TOO_FEW}:
            counts = f"{_TOO_FEW} any {among}"
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


def _small_slices(design: Design, table: ScoreTable, rows: Sequence[SliceRow]) -> list[str]:
    """Return the slices of so few units that no difference could be significant there, however large."""
    inference = design.inference_of(table)
    n_tests = sum(len(row.pvalues) for row in rows)
    if not n_tests or inference.test is None:
        return []
    factor = _holm_factor(inference, n_tests)
    small = []
    for row in rows:
        least = least_pvalue(row.n_units)
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
    rows: Sequence[SliceRow],
    small: Sequence[str],
) -> Iterator[Sentence]:
    """Yield which slices show nothing, however large a difference, and what p is adjusted for."""
    names = {row.name for row in rows}
    unscored = [name for name in slices.names if name not in names]
    if unscored:
        yield _naming("No segment is scored for all systems in ", unscored)
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
