"""The slices of a score as values, for programs, and as a table, for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from tercet.comparison.values.design import Design
from tercet.comparison.values.run_scores import RunsInSlice
from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.values.slices import Slices
from tercet.names_as_shown import counted
from tercet.statistics.rounding import apart
from tercet.table_formats import (
    Cell,
    Column,
    Group,
    LeftOut,
    Table,
    decimals,
    interval_text,
    number_or_none,
    pvalue_text,
)

from .significance import SliceScores


@dataclass(frozen=True, slots=True)
class SystemInSlice:
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
class SliceRow:
    """A slice, and all systems in it."""

    by: str
    name: str
    n_segments: int
    n_units: int
    systems: Sequence[SystemInSlice]

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


def row_of_slice(scores: SliceScores, by: str, design: Design) -> SliceRow:
    """Return a slice with the numbers of all systems, None for those that are none."""
    baseline = scores.systems[design.baseline_index]
    in_slice = []
    for system, score in zip(design.systems, scores.systems, strict=True):
        difference = difference_low = difference_high = None
        if score is not baseline:
            difference = apart(score.value, baseline.value)
            difference_low = number_or_none(score.bounds_of_difference.low)
            difference_high = number_or_none(score.bounds_of_difference.high)
        pvalue = None
        # What was not adjusted was not tested.
        if not math.isnan(score.adjusted_pvalue):
            pvalue = number_or_none(score.pvalue)
        in_slice.append(
            SystemInSlice(
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
    return SliceRow(by, scores.name, scores.n_segments, scores.n_units, in_slice)


def table_of_slices(design: Design, table: ScoreTable, slices: Slices, rows: Sequence[SliceRow]) -> Table:
    """Return a row for each slice; of three systems or more, for each system of each slice."""
    units = [Column("segments", leaves=LeftOut.SIZES)]
    if design.test_set.clusters is not None:
        units.append(Column("clusters", leaves=LeftOut.SIZES))
    against = [Column("difference", "difference")]
    if design.test is not None:
        against.append(Column("adj. p"))
    before = [Column(slices.by, "name"), *units]
    systems = design.systems
    cells: list[list[Any]] = []
    if len(systems) > 2:
        columns = [*before, Column("system", "name"), Column(table.name, after=table.arrow), *against]
        groups = []
        for row in rows:
            groups.append(Group(len(cells), _heading(row, has_clusters=len(units) > 1)))
            for system in row.systems:
                score = _with_interval(system, table)
                cells.append([*_cells_before(row, units), system.system, score, *_against(system, table, against)])
        return Table("", columns, cells, groups=groups)
    columns = [*before, *(Column(name, after=table.arrow) for name in systems)]
    if len(systems) == 2:
        columns += against
    for row in rows:
        cells_of_slice = [*_cells_before(row, units), *(_with_interval(system, table) for system in row.systems)]
        for system in row.systems:
            if system.difference is not None:
                cells_of_slice += _against(system, table, against)
        cells.append(cells_of_slice)
    return Table("", columns, cells)


def _heading(row: SliceRow, *, has_clusters: bool) -> str:
    """Return what stands above the systems of a slice where its columns are left out, as in LaTeX."""
    heading = f"{row.name}, {counted(row.n_segments, 'segment')}"
    return f"{heading}, {counted(row.n_units, 'cluster')}" if has_clusters else heading


def _cells_before(row: SliceRow, units: Sequence[Column]) -> list[Any]:
    """Return the name of a slice, and how many segments, and clusters where there are such, are in it."""
    cells: list[Any] = [row.name, f"{row.n_segments:,}"]
    if len(units) > 1:
        cells.append(f"{row.n_units:,}")
    return cells


def _with_interval(system: SystemInSlice, table: ScoreTable) -> Cell:
    interval = interval_text(system.low, system.high, table.digits, narrow=True)
    return Cell(decimals(system.value, table.digits), after=f" ({interval})" if interval else "")


def _against(system: SystemInSlice, table: ScoreTable, columns: Sequence[Column]) -> list[Any]:
    """Return the cells of a difference from the baseline, and of its p where it has a column; else empty ones."""
    if system.difference is None:
        return [""] * len(columns)
    interval = interval_text(system.difference_low, system.difference_high, table.digits, signed=True)
    difference = decimals(system.difference, table.digits, signed=True)
    cells: list[Any] = [Cell(difference, after=f" {interval}".rstrip())]
    if len(columns) > 1:
        cells.append("" if system.adjusted_pvalue is None else pvalue_text(system.adjusted_pvalue))
    return cells
