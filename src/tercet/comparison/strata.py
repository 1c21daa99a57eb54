"""A metric over several test sets: each set is resampled by itself, and has its weight in the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.notes.groups import groups_section
from tercet.comparison.runs.section import runs_section
from tercet.comparison.runs.significance import scores_over_runs
from tercet.comparison.scoring.score_rows import Bounds, Measured, score_rows
from tercet.comparison.scoring.too_few import why_too_few
from tercet.comparison.values.design import Design
from tercet.comparison.values.scores import ScoreTable, SystemScore, row_of
from tercet.comparison.values.sections import Section
from tercet.comparison.wording.clauses import Clause, sentence, with_numbers
from tercet.comparison.wording.decimals import digits_of, figures
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, all_of
from tercet.signature import Signature
from tercet.statistics.intervals import BootstrapResult, over_strata
from tercet.statistics.p_tables import PTables, no_p
from tercet.statistics.rounding import apart
from tercet.table_formats import pvalue_text

from .result import Comparison

if TYPE_CHECKING:
    from tercet.statistics.paired_tests import Stratum

#: Sets are drawn independently: with one seed, those of equal size would draw alike.
_SEED_STEP = 1_000_003


class Strata(NamedTuple):
    """The sets as a metric scores them, each resampled by itself, and what is compared over all of them."""

    design: Design
    #: The names of the sets.
    names: list[str]
    sets: list[Stratum]
    weight: str

    @classmethod
    def of(
        cls, design: Design, comparisons: Sequence[Comparison], weight: str, tables: Sequence[ScoreTable]
    ) -> Strata:
        """Return the strata of a metric, of which these are the tables of one score, one of each set."""
        from tercet.statistics.paired_tests import Stratum

        units_of_sets = []
        for comparison, table in zip(comparisons, tables, strict=True):
            units_of_system = dict(zip(comparison.test_set.systems, comparison.units_of(table), strict=True))
            units_of_sets.append([units_of_system[system] for system in design.systems])
        weights = [1 / len(tables)] * len(tables)
        if weight == "segment":
            n_scored = [int(units[0].column("items").sum()) for units in units_of_sets]
            weights = [n / sum(n_scored) for n in n_scored]
        strata = []
        for number, (table, units) in enumerate(zip(tables, units_of_sets, strict=True)):
            strata.append(Stratum(table.scorer, units, weights[number], design.seed + _SEED_STEP * number))
        names = [comparison.test_set.name for comparison in comparisons]
        return cls(design, names, strata, weight)

    @property
    def weights(self) -> list[float]:
        """What each set weighs."""
        return [stratum.weight for stratum in self.sets]

    def tables(self, scores: Sequence[Sequence[ScoreTable]]) -> Iterator[ScoreTable]:
        """Yield the table over all sets of each score of the metric, from its tables of the sets."""
        intervals_of_sets = []
        for stratum in self.sets:
            design_of_set = self.design._replace(seed=stratum.seed)
            intervals_of_sets.append(design_of_set.intervals(stratum.metric, stratum.systems))
        # Of each score, a row for each set, with a column for each system.
        values_by_set = {}
        for score_tables in scores:
            values = []
            for table in score_tables:
                values.append([row_of(table, system).value for system in self.design.systems])
            values_by_set[score_tables[0].name] = np.array(values)
        tests = self._p_tables(values_by_set)
        for score_tables in scores:
            name = score_tables[0].name
            intervals = []
            for intervals_of_set in intervals_of_sets:
                intervals.append([interval_by_score[name] for interval_by_score in intervals_of_set])
            yield self._table(score_tables, values_by_set[name], intervals, tests[name])

    def _p_tables(self, values_by_set: Mapping[str, NDArray[np.float64]]) -> dict[str, PTables]:
        """Return p of each pair of systems for each score; NaN without a test."""
        design = self.design
        n_systems = len(design.systems)
        inference = design.inference
        if inference.test is None or design.n_resamples is None:
            return dict.fromkeys(values_by_set, no_p(n_systems))
        from tercet.statistics.paired_tests import strata_test

        pairs = list(combinations(range(n_systems), 2))
        scores = {name: self.weights @ by_set for name, by_set in values_by_set.items()}
        results = strata_test(self.sets, scores, pairs, inference.test, n_resamples=design.n_resamples)
        return inference.tables_of_pairs(pairs, results, n_systems)

    def _table(
        self,
        score_tables: Sequence[ScoreTable],
        values_by_set: NDArray[np.float64],
        intervals_of_sets: Sequence[Sequence[BootstrapResult]],
        tests: PTables,
    ) -> ScoreTable:
        """Return the table of one score over all sets, from its tables, values and intervals in each set."""
        design = self.design
        first = score_tables[0]
        values = self.weights @ values_by_set
        intervals, differences = self._intervals(intervals_of_sets)
        n_units = sum(table.n_units for table in score_tables)
        too_few = why_too_few(design, tests.adjusted, n_units, design.inference)
        score = Measured(
            values=values,
            bounds=Bounds(
                [interval.confidence_interval for interval in intervals],
                [difference.confidence_interval for difference in differences],
            ),
            tests=tests,
            counted_scores=values_by_set.T.tolist(),
            higher_is_better=first.higher_is_better,
            digits=digits_of(first.scorer, values.tolist()),
        )
        rows, adjusted_pvalues = score_rows(design, score, can_tell=too_few is None)
        table = ScoreTable(
            metric=first.metric,
            name=first.name,
            signature=_signature([table.signature for table in score_tables], self.weight),
            rows=rows,
            pvalues=adjusted_pvalues,
            segments={},
            higher_is_better=first.higher_is_better,
            scorer=first.scorer,
            stats={},
            n_units=n_units,
            too_few=too_few,
            cannot_tell=first.cannot_tell if all(table.cannot_tell for table in score_tables) else "",
        )
        sections = [self._section(table, score_tables)]
        if design.runs:
            resampled = [interval.bootstrap_distribution for interval in intervals]
            table = replace(table, over_runs=scores_over_runs(design, table, resampled))
            sections.insert(0, runs_section(design, table))
        elif design.test is not None and too_few is None:
            sections.insert(0, groups_section(table))
        return replace(table, sections=sections)

    def _intervals(
        self, intervals_of_sets: Sequence[Sequence[BootstrapResult]]
    ) -> tuple[list[BootstrapResult], list[BootstrapResult]]:
        """Return over all sets the interval of each system's score, and that of its difference from the baseline."""
        baseline_in_sets = [intervals_of_set[self.design.baseline_index] for intervals_of_set in intervals_of_sets]
        intervals = []
        differences = []
        for in_sets in zip(*intervals_of_sets, strict=True):
            intervals.append(over_strata(in_sets, self.weights))
            against_baseline = [
                score.less(baseline) for score, baseline in zip(in_sets, baseline_in_sets, strict=True)
            ]
            differences.append(over_strata(against_baseline, self.weights))
        return intervals, differences

    def _section(self, table: ScoreTable, score_tables: Sequence[ScoreTable]) -> Section:
        """Return in words how systems compare with the baseline over all sets, and where sets do not agree."""
        values_by_set = []
        for name, weight, part in zip(self.names, self.weights, score_tables, strict=True):
            values = {row.system: row_of(part, row.system).value for row in table.rows}
            values_by_set.append({"test_set": name, "weight": weight, "values": values})
        sentences = []
        compared = [row for row in table.rows if not row.is_baseline]
        if not self.design.runs and len(compared) <= MOST_NAMED:
            names = with_numbers(self.names)
            sentences = [_sentence(self.design, table, row, names, score_tables) for row in compared]
        return Section("sets", f"{table.title} over all test sets", sentences, None, values_by_set)


def _signature(lines: Sequence[str], weight: str) -> str:
    """Return the fields of the signatures of all sets, each with its different values, and how they are weighed."""
    signatures = [Signature.parse(line) for line in lines]
    values_by_name: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for name, value in signature.items():
            values_by_name.setdefault(name, {})[value] = None
    entries = {name: ",".join(values) for name, values in values_by_name.items()}
    merged = Signature(signatures[0].metric, entries)
    return str(merged.extended({"sets": str(len(signatures)), "weight": weight}))


def _sentence(
    design: Design, table: ScoreTable, row: SystemScore, names: Sequence[str], tables: Sequence[ScoreTable]
) -> Sentence:
    """Return how a system compares with the baseline over all sets, and in how many it is better and worse."""
    start = f"Over {design.test_set.name}, "
    system = Name(row.system)
    baseline = Name(design.baseline)
    gain = apart(row.value, row_of(table, design.baseline).value)
    if np.isnan(gain):
        return (start, system, " cannot be compared with ", baseline, ", as a score is NaN.")
    verb, tested = _verb_and_test(design, table, row, gain)
    return sentence((start, system, f" {verb} ", baseline, tested), ": ", _in_sets(design, row.system, names, tables))


class _VerbAndTest(NamedTuple):
    """How a system compares with the baseline over all sets: what stands between their names, and behind them."""

    verb: str
    tested: str


def _verb_and_test(design: Design, table: ScoreTable, row: SystemScore, gain: float) -> _VerbAndTest:
    """Return how a system with this difference compares with the baseline over all sets."""
    if not gain:
        return _VerbAndTest("has the same score as", f" in {table.title}")
    by = f"{figures(abs(gain), row.digits)} {table.title}"
    p = row.adjusted_pvalue
    if p is not None and p < design.alpha:
        is_better = (gain > 0) == table.higher_is_better
        tested = f" by {by} ({design.p_label} {pvalue_text(p)})"
        return _VerbAndTest("is better than" if is_better else "is worse than", tested)
    verb = f"scores {by} higher than" if gain > 0 else f"scores {by} lower than"
    if table.too_few is not None:
        return _VerbAndTest(verb, " (too few to test)")
    if p is None:
        return _VerbAndTest(verb, "")
    return _VerbAndTest(verb, f" ({design.p_label} {pvalue_text(p)}, not significant)")


def _in_sets(design: Design, system: str, names: Sequence[str], tables: Sequence[ScoreTable]) -> list[Clause]:
    """Return in which sets a system is ahead of the baseline, behind it and the same; single sets are not tested."""
    signs = []
    for table in tables:
        gain = apart(row_of(table, system).value, row_of(table, design.baseline).value)
        signs.append(int(np.sign(gain)) * (1 if table.higher_is_better else -1))
    clauses = []
    for sign, word in ((1, "ahead in"), (-1, "behind in"), (0, "the same in")):
        members = tuple(name for name, sign_of_set in zip(names, signs, strict=True) if sign_of_set == sign)
        if len(members) == len(names):
            clauses.append(Clause(f"{word} {all_of(len(names))}"))
        elif len(members) > MOST_NAMED:
            clauses.append(Clause(f"{word} {len(members)}"))
        elif members:
            clauses.append(Clause(word, members))
    return clauses
