"""What a difference may hide: that one segment makes it, that most go the other way, that equal texts differ."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreEvidence, ScoreTable, SystemScore, scored_for_all
from tercet.comparison.values.sections import Section
from tercet.files.columns.scores import is_of_effort
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, Name, Sentence
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.mcnemar import mcnemar
from tercet.table_formats import decimals

#: A segment makes a difference where without it less than this share is left.
_LEFT = 0.25
#: So many standard errors, of the others, is a difference that looks like one.
_CLEAR = 2.0
#: Less than this share of a difference is of rounding.
_ROUNDING = 1e-9
#: Of fewer units, one is much in any case.
_FEWEST = 10


@dataclass(frozen=True, slots=True)
class _Caution(ABC):
    """What to know of a system's difference from the baseline: of its row in a table of scores."""

    table: ScoreTable
    row: SystemScore
    difference: float

    @abstractmethod
    def finding(self) -> dict[str, Any]:
        """Return it as plain Python, but for the system."""

    @abstractmethod
    def text(self, design: Design) -> str:
        """Return it in words, which follow the name of the system."""


def cautions_section(design: Design, evidence: ScoreEvidence) -> Section | None:
    """Return cautions on the differences from the baseline, by the rows of all systems; None where there are none."""
    table = evidence.table
    baseline_without = table.scores_without_each(evidence.units[design.baseline_index])
    cautions: list[_Caution] = []
    for index, row in enumerate(table.rows):
        if row.difference is None or not math.isfinite(row.difference):
            continue
        left_without_each = table.scores_without_each(evidence.units[index]) - baseline_without
        found = (
            _one_unit_decides(design, table, row, row.difference, left_without_each),
            _all_differ_alike(table, row, row.difference),
            _most_go_the_other_way(design, table, row, row.difference),
            _equal_texts_differ(design, table, row, row.difference),
        )
        cautions += [caution for caution in found if caution is not None]
    if not cautions:
        return None
    sentences: list[Sentence] = []
    for caution in cautions[: 2 * MOST_NAMED]:
        sentences.append((Name(caution.row.system), caution.text(design)))
    findings = [{"system": caution.row.system, **caution.finding()} for caution in cautions]
    return Section("cautions", f"Cautions on {table.title}", sentences, None, findings)


@dataclass(frozen=True, slots=True)
class _OneUnitDecides(_Caution):
    """Next to nothing of the difference would be left without one unit."""

    #: The number of the unit's first segment, from 1.
    segment: int
    difference_left: float

    def finding(self) -> dict[str, Any]:
        return {"segment": self.segment, "difference_without_it": self.difference_left}

    def text(self, design: Design) -> str:
        unit = design.unit
        which = f"number {self.segment:,}" if unit == "segment" else f"that of segment {self.segment:,}"
        without = decimals(self.difference_left, self.row.digits, signed=True)
        whole = decimals(self.difference, self.row.digits, signed=True)
        return f": one {unit}, {which}, makes the difference; without it, it would be {without} in place of {whole}."


def _one_unit_decides(
    design: Design, table: ScoreTable, row: SystemScore, difference: float, left_without_each: NDArray[np.float64]
) -> _OneUnitDecides | None:
    decisive = _decisive_unit(left_without_each, difference)
    if decisive is None:
        return None
    segment = _first_segment(design, table, decisive.number)
    return _OneUnitDecides(table, row, difference, segment, decisive.difference_left)


@dataclass(frozen=True, slots=True)
class _AllDifferAlike(_Caution):
    """The interval of the difference has no width, as all units differ by the same."""

    def finding(self) -> dict[str, Any]:
        return {"differ_alike": self.table.n_units}

    def text(self, design: Design) -> str:
        alike = f"all {self.table.n_units:,} {design.unit}s differ alike"
        return f": {alike}, so that the interval of the difference has no width; it says little of others."


def _all_differ_alike(table: ScoreTable, row: SystemScore, difference: float) -> _AllDifferAlike | None:
    is_apart = abs(difference) > _ROUNDING * abs(row.value)
    if not is_apart or row.difference_low != row.difference_high or table.n_units < FEWEST_UNITS:
        return None
    return _AllDifferAlike(table, row, difference)


@dataclass(frozen=True, slots=True)
class _MostGoTheOtherWay(_Caution):
    """Significantly more units speak against the difference than for it (sign test)."""

    is_better: bool
    n_against: int
    n_units: int

    def finding(self) -> dict[str, Any]:
        return {"wins": self.row.wins, "losses": self.row.losses}

    def text(self, design: Design) -> str:
        over_all, in_units = ("better", "worse") if self.is_better else ("worse", "better")
        why = "a few large differences outweigh many small ones."
        if not isinstance(self.table.scorer, Column):
            # Of a score that is no mean, long texts may weigh more.
            why = f"{design.unit}s do not weigh the same in this score, or {why}"
        of_all = f"{self.n_against:,} of {self.n_units:,} {design.unit}s"
        return f" is {over_all} over all, but {in_units} in {of_all}: {why}"


def _most_go_the_other_way(
    design: Design, table: ScoreTable, row: SystemScore, difference: float
) -> _MostGoTheOtherWay | None:
    if row.wins is None or row.ties is None or row.losses is None or not difference:
        return None
    is_better = (difference > 0) == table.higher_is_better
    for_it, against_it = (row.wins, row.losses) if is_better else (row.losses, row.wins)
    if against_it <= for_it or mcnemar(for_it, against_it) >= design.alpha:
        return None
    return _MostGoTheOtherWay(table, row, difference, is_better, against_it, row.wins + row.ties + row.losses)


@dataclass(frozen=True, slots=True)
class _EqualTextsDiffer(_Caution):
    """Texts that are the same in both systems have other scores: noise of a judge, or of a network."""

    n_texts: int
    most_apart: float

    def finding(self) -> dict[str, Any]:
        return {"equal_texts_with_unequal_scores": self.n_texts, "most_apart": self.most_apart}

    def text(self, design: Design) -> str:
        digits = self.row.digits
        size = decimals(self.most_apart, digits) if self.most_apart >= 10.0**-digits else f"{self.most_apart:.1g}"
        segments = "1 segment"
        if self.n_texts > 1:
            segments = f"{self.n_texts:,} segments"
            size = f"up to {size}"
        return (
            f" and the baseline have {segments} with the same text but unequal scores, {size} apart: the score has "
            "noise of that size."
        )


def _equal_texts_differ(
    design: Design, table: ScoreTable, row: SystemScore, difference: float
) -> _EqualTextsDiffer | None:
    test_set = design.test_set
    if test_set.no_texts or (isinstance(table.scorer, Column) and is_of_effort(table.name)):
        return None
    distances = []
    pairs = zip(
        test_set.systems[row.system],
        test_set.systems[design.baseline],
        table.segments[row.system],
        table.segments[design.baseline],
        strict=True,
    )
    for text, baseline_text, score, baseline_score in pairs:
        if text != baseline_text or not text or score is None or baseline_score is None:
            continue
        distance = abs(score - baseline_score)
        if distance > _ROUNDING * max(abs(score), abs(baseline_score)):
            distances.append(distance)
    if not distances:
        return None
    return _EqualTextsDiffer(table, row, difference, len(distances), max(distances))


def _first_segment(design: Design, table: ScoreTable, unit: int) -> int:
    """Return the number of a unit's first segment in the test set, from 1: those left out count, too."""
    scored = np.flatnonzero(scored_for_all(list(table.stats.values())))
    clusters = design.test_set.clusters
    if clusters is None:
        return int(scored[unit]) + 1
    in_cluster = clusters.selected(scored).numbers == unit
    return int(scored[in_cluster][0]) + 1


class _Decisive(NamedTuple):
    """A unit without which next to nothing of a difference is left, by its number from 0, and what is left."""

    number: int
    difference_left: float


def _decisive_unit(left: NDArray[np.float64], difference: float) -> _Decisive | None:
    """Return the unit without which next to nothing of a difference is left; None for none.

    `left` are the differences of all units but each in turn.
    """
    if len(left) < _FEWEST or not difference or not np.isfinite(left).all():
        return None
    sign = math.copysign(1.0, difference)
    number = int(np.argmin(sign * left))
    of_others = np.delete(left, number)
    # The jackknife's standard error (Efron and Tibshirani 1993, equation 11.5), of all units but this one.
    error = math.sqrt((len(of_others) - 1) / len(of_others) * float(((of_others - of_others.mean()) ** 2).sum()))
    is_clear = abs(difference) > _CLEAR * error
    if is_clear and sign * float(left[number]) < _LEFT * abs(difference):
        # What is left by rounding alone is nothing.
        is_rounding = abs(float(left[number])) < _ROUNDING * abs(difference)
        return _Decisive(number, 0.0 if is_rounding else float(left[number]))
    return None
