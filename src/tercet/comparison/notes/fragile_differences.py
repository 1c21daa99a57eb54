"""What a difference may hide: that one segment makes it, that most go the other way, that equal texts differ."""

from __future__ import annotations

import math
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
#: Less than this share of a score or difference is of rounding. It is more than `apart` allows for: where most of a
#: sum is taken away, the rest is off by as much as the sum was.
_NOISE = 1e-9
#: Of fewer units, one is much in any case.
_FEWEST = 10


class _Caution(NamedTuple):
    """What to know of a system's difference from the baseline: of its row in a table of scores."""

    row: SystemScore
    #: As plain Python, but for the system.
    finding: dict[str, Any]
    #: In words, which follow the name of the system.
    text: str


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
            _all_differ_alike(design, table, row, row.difference),
            _most_go_the_other_way(design, table, row, row.difference),
            _equal_texts_differ(design, table, row),
        )
        cautions += [caution for caution in found if caution is not None]
    if not cautions:
        return None
    sentences: list[Sentence] = []
    for caution in cautions[: 2 * MOST_NAMED]:
        sentences.append((Name(caution.row.system), caution.text))
    findings = [{"system": caution.row.system, **caution.finding} for caution in cautions]
    return Section("cautions", f"Cautions on {table.title}", sentences, None, findings)


def _one_unit_decides(
    design: Design, table: ScoreTable, row: SystemScore, difference: float, left_without_each: NDArray[np.float64]
) -> _Caution | None:
    """Caution where next to nothing of the difference would be left without one unit."""
    decisive = _decisive_unit(left_without_each, difference)
    if decisive is None:
        return None
    # The unit's first segment.
    segment = _first_segment(design, table, decisive.number)
    unit = design.unit
    which = f"number {segment:,}" if unit == "segment" else f"that of segment {segment:,}"
    without = decimals(decisive.difference_left, row.digits, signed=True)
    whole = decimals(difference, row.digits, signed=True)
    return _Caution(
        row,
        {"segment": segment, "difference_without_it": decisive.difference_left},
        f": one {unit}, {which}, makes the difference; without it, it would be {without} in place of {whole}.",
    )


def _all_differ_alike(design: Design, table: ScoreTable, row: SystemScore, difference: float) -> _Caution | None:
    """Caution where the interval of the difference has no width, as all units differ by the same."""
    is_apart = abs(difference) > _NOISE * abs(row.value)
    if not is_apart or row.difference_low != row.difference_high or table.n_units < FEWEST_UNITS:
        return None
    alike = f"all {table.n_units:,} {design.unit}s differ alike"
    return _Caution(
        row,
        {"differ_alike": table.n_units},
        f": {alike}, so that the interval of the difference has no width; it says little of others.",
    )


def _most_go_the_other_way(design: Design, table: ScoreTable, row: SystemScore, difference: float) -> _Caution | None:
    """Caution where significantly more units speak against the difference than for it (sign test)."""
    if row.counts is None or not difference:
        return None
    wins, _, losses = row.counts
    is_better = (difference > 0) == table.higher_is_better
    for_it, against_it = (wins, losses) if is_better else (losses, wins)
    if against_it <= for_it or mcnemar(for_it, against_it) >= design.alpha:
        return None
    over_all, in_units = ("better", "worse") if is_better else ("worse", "better")
    why = "a few large differences outweigh many small ones."
    if not isinstance(table.scorer, Column):
        # Of a score that is no mean, long texts may weigh more.
        why = f"{design.unit}s do not weigh the same in this score, or {why}"
    n_units = sum(row.counts)
    return _Caution(
        row,
        {"wins": wins, "losses": losses},
        f" is {over_all} over all, but {in_units} in {against_it:,} of {n_units:,} {design.unit}s: {why}",
    )


def _equal_texts_differ(design: Design, table: ScoreTable, row: SystemScore) -> _Caution | None:
    """Caution where texts that both systems share have other scores: noise of a judge, or of a network."""
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
        if distance > _NOISE * max(abs(score), abs(baseline_score)):
            distances.append(distance)
    if not distances:
        return None
    most_apart = max(distances)
    size = decimals(most_apart, row.digits) if most_apart >= 10.0**-row.digits else f"{most_apart:.1g}"
    segments = "1 segment"
    if len(distances) > 1:
        segments = f"{len(distances):,} segments"
        size = f"up to {size}"
    return _Caution(
        row,
        {"equal_texts_with_unequal_scores": len(distances), "most_apart": most_apart},
        f" and the baseline have {segments} with the same text but unequal scores, {size} apart: the score has noise "
        "of that size.",
    )


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
    others = np.delete(left, number)
    # The jackknife's standard error (Efron and Tibshirani 1993, equation 11.5), of all units but this one.
    error = math.sqrt((len(others) - 1) / len(others) * float(((others - others.mean()) ** 2).sum()))
    is_clear = abs(difference) > _CLEAR * error
    if is_clear and sign * float(left[number]) < _LEFT * abs(difference):
        # What is left by rounding alone is nothing.
        is_rounding = abs(float(left[number])) < _NOISE * abs(difference)
        return _Decisive(number, 0.0 if is_rounding else float(left[number]))
    return None
