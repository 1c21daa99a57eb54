"""What a difference may hide: that one segment makes it, that most go the other way, that equal texts differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreTable, SystemScore, scored_for_all
from tercet.comparison.values.sections import Section
from tercet.files.columns.scores import is_of_effort
from tercet.metrics.column import Column
from tercet.names_as_shown import MOST_NAMED, Name, Sentence
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.mcnemar import mcnemar
from tercet.statistics.stats import SegmentStats
from tercet.table_formats import decimals

#: A segment makes a difference where without it less than this share is left.
_LEFT = 0.25
#: So many standard errors, of the others, is a difference that looks like one.
_CLEAR = 2.0
#: Less than this share of a difference is of rounding.
_ROUNDING = 1e-9
#: Of fewer units, one is much in any case.
_FEWEST = 10


class _Caution(NamedTuple):
    """What to know of a system's difference from the baseline."""

    finding: dict[str, Any]
    sentence: Sentence


def cautions_section(design: Design, table: ScoreTable, units: Sequence[SegmentStats]) -> Section | None:
    """Return cautions on the differences from the baseline, by the rows of all systems; None where there are none."""
    baseline = next(index for index, row in enumerate(table.rows) if row.difference is None)
    baseline_without = table.scores_without_each(units[baseline])
    cautions: list[_Caution] = []
    for index, row in enumerate(table.rows):
        if index == baseline or row.difference is None or not math.isfinite(row.difference):
            continue
        left_without_each = table.scores_without_each(units[index]) - baseline_without
        cautions += _one_unit_decides(design, table, row, left_without_each)
        cautions += _all_differ_alike(design, table, row)
        cautions += _most_go_the_other_way(design, table, row)
        cautions += _equal_texts_differ(design, table, row)
    if not cautions:
        return None
    sentences = [caution.sentence for caution in cautions[: 2 * MOST_NAMED]]
    findings = [caution.finding for caution in cautions]
    return Section("cautions", f"Cautions on {table.title}", sentences, None, findings)


def _one_unit_decides(
    design: Design, table: ScoreTable, row: SystemScore, left_without_each: NDArray[np.float64]
) -> Iterator[_Caution]:
    """Yield that next to nothing of a difference would be left without one unit."""
    if row.difference is None:
        return
    decisive = _decisive_unit(left_without_each, row.difference)
    if decisive is None:
        return
    number, difference_left = decisive
    segment = _first_segment(design, table, number)
    unit = design.unit
    which = f"number {segment:,}" if unit == "segment" else f"that of segment {segment:,}"
    without = decimals(difference_left, row.digits, signed=True)
    whole = decimals(row.difference, row.digits, signed=True)
    text = f": one {unit}, {which}, makes the difference; without it, it would be {without} in place of {whole}."
    finding = {"system": row.system, "segment": segment, "difference_without_it": difference_left}
    yield _Caution(finding, (Name(row.system), text))


def _all_differ_alike(design: Design, table: ScoreTable, row: SystemScore) -> Iterator[_Caution]:
    """Yield that the interval of a difference has no width, as all units differ by the same."""
    is_apart = abs(row.difference or 0.0) > _ROUNDING * abs(row.value)
    if not is_apart or row.difference_low != row.difference_high or table.n_units < FEWEST_UNITS:
        return
    alike = f"all {table.n_units:,} {design.unit}s differ alike, so that the interval of the difference has no width"
    yield _Caution(
        {"system": row.system, "differ_alike": table.n_units},
        (Name(row.system), f": {alike}; it says little of others."),
    )


def _most_go_the_other_way(design: Design, table: ScoreTable, row: SystemScore) -> Iterator[_Caution]:
    """Yield that significantly more units speak against a difference than for it (sign test)."""
    if row.wins is None or row.ties is None or row.losses is None or not row.difference:
        return
    is_better = (row.difference > 0) == table.higher_is_better
    over_all, in_units = ("better", "worse") if is_better else ("worse", "better")
    for_it, against_it = (row.wins, row.losses) if is_better else (row.losses, row.wins)
    if against_it <= for_it or mcnemar(for_it, against_it) >= design.alpha:
        return
    of_all = row.wins + row.ties + row.losses
    why = "a few large differences outweigh many small ones."
    if not isinstance(table.scorer, Column):
        # Of a score that is no mean, long texts may weigh more.
        why = f"{design.unit}s do not weigh the same in this score, or {why}"
    text = f" is {over_all} over all, but {in_units} in {against_it:,} of {of_all:,} {design.unit}s: {why}"
    yield _Caution({"system": row.system, "wins": row.wins, "losses": row.losses}, (Name(row.system), text))


def _equal_texts_differ(design: Design, table: ScoreTable, row: SystemScore) -> Iterator[_Caution]:
    """Yield that texts which are the same in both systems have other scores: noise of a judge, or of a network."""
    test_set = design.test_set
    if test_set.no_texts or (isinstance(table.scorer, Column) and is_of_effort(table.name)):
        return
    apart = []
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
        difference = abs(score - baseline_score)
        if difference > _ROUNDING * max(abs(score), abs(baseline_score)):
            apart.append(difference)
    if not apart:
        return
    most = max(apart)
    size = decimals(most, row.digits) if most >= 10.0**-row.digits else f"{most:.1g}"
    segments = "1 segment"
    if len(apart) > 1:
        segments = f"{len(apart):,} segments"
        size = f"up to {size}"
    text = (
        f" and the baseline have {segments} with the same text but unequal scores, {size} apart: the score has "
        "noise of that size."
    )
    finding = {"system": row.system, "equal_texts_with_unequal_scores": len(apart), "most_apart": most}
    yield _Caution(finding, (Name(row.system), text))


def _first_segment(design: Design, table: ScoreTable, unit: int) -> int:
    """Return the number of a unit's first segment in the test set, from 1: those left out count, too."""
    scored = np.flatnonzero(scored_for_all(list(table.stats.values())))
    clusters = design.test_set.clusters
    if clusters is None:
        return int(scored[unit]) + 1
    in_cluster = clusters.selected(scored).numbers == unit
    return int(scored[in_cluster][0]) + 1


def _decisive_unit(left: NDArray[np.float64], difference: float) -> tuple[int, float] | None:
    """Return the unit without which next to nothing of a difference is left, and what is left; None for none.

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
        return number, 0.0 if is_rounding else float(left[number])
    return None
