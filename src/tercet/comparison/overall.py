"""Several test sets, one verdict: scores over all of them, resampled within each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.checks import has_entries, known_keywords
from tercet.errors import InputError, OptionError, argument, shorten
from tercet.names_and_sentences import MOST_NAMED, Name, Sentence, all_of, joined
from tercet.statistics.draws import apart
from tercet.statistics.families import PairTests
from tercet.statistics.inference import untested
from tercet.statistics.intervals import FEWEST_UNITS, BootstrapResult, over_strata
from tercet.statistics.stats import SegmentStats
from tercet.tables import decimals, pvalue_text
from tercet.test_sets.test_set import TestSet

from .clauses import Clause, sentence
from .decimals import digits_of
from .design import Design
from .groups import groups_section
from .result import Comparison
from .runs import runs_section, scores_over_runs
from .score_rows import Bounds, Measured, score_rows
from .scores import ScoreTable, SystemScore, row_of
from .sections import Section
from .too_few import why_too_few

if TYPE_CHECKING:
    from tercet.statistics.paired_tests import Stratum

#: What a test set may weigh by.
WEIGHTS = {"set": "each weighing the same", "segment": "weighed by their segments"}

#: Sets are drawn independently: with one seed, those of equal size would draw alike.
_SEED_STEP = 1_000_003


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Overall(Comparison):
    """Systems compared over several test sets: a comparison whose scores are weighted means of those of the sets.

    Intervals resample the segments, or clusters, of each set; tests exchange them within each set. Wins, ties and
    losses count sets.

    Attributes
    ----------
    comparisons : list of Comparison
        Of each set.
    weight : {"set", "segment"}
        Whether each set weighs the same, or by the number of its segments.
    notes : list of str
        Which systems and scores are left out, as not all sets have them.
    """

    comparisons: list[Comparison] = field(default_factory=list)
    weight: str = "set"
    notes: list[str] = field(default_factory=list)

    def remarks(self, plain: Any = str) -> list[str]:
        """Return what the scores are, and what is left out; remarks on texts stand below each set."""
        wins = ""
        if self.test is not None:
            wins = "; wins, ties and losses count sets"
        means = f"Over {self.test_set.name}: means of their scores, {WEIGHTS[self.weight]}, resampled within each set"
        remarks = [f"{means}{wins}."]
        for unit, single in self._sets_of(range(1, 2)).items():
            names = joined([plain(name) for name in single], MOST_NAMED)
            remarks.append(f"Of one {unit}, whose part is not in the intervals: {names}.")
        for unit, small in self._sets_of(range(2, FEWEST_UNITS)).items():
            names = joined([plain(name) for name in small], MOST_NAMED)
            remarks.append(f"Of fewer than {FEWEST_UNITS} {unit}s, so that intervals may be too short: {names}.")
        return [*remarks, *self.notes]

    def _sets_of(self, numbers: range) -> dict[str, list[str]]:
        """Return by unit the sets that have so many, which cannot tell well how much their scores vary."""
        names: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            if any(table.n_units in numbers for table in comparison.tables):
                names.setdefault(comparison.unit, []).append(comparison.test_set.name)
        return names

    @property
    def counted(self) -> str:
        """What wins, ties and losses count."""
        return "test set"

    def units_of(self, table: ScoreTable) -> list[SegmentStats]:
        """Raise an InputError: what is resampled are the units of each set."""
        raise InputError(f"{self.test_set.name}: the units are those of each comparison in .comparisons.")

    def segments(self, worst: int | None = None) -> Any:
        """Raise an InputError: segments are those of each set."""
        raise InputError(f"{self.test_set.name}: the segments are those of each comparison in .comparisons.")

    def to_dict(self) -> dict[str, Any]:
        """Return scores, intervals and tests over all sets as plain Python."""
        entries = Comparison.to_dict(self)
        del entries["clusters"], entries["facts"]
        sets = [comparison.test_set.name for comparison in self.comparisons]
        return {"test_sets": sets, "weight": self.weight, **entries, "notes": self.notes}

    def to_html(self, title: str | None = None) -> str:
        """Return the report of all sets, with what holds over all of them first."""
        from tercet.report.comparison import to_html

        return to_html([*self.comparisons, self], title=title)

    def __repr__(self) -> str:
        names = ", ".join(repr(comparison.test_set.name) for comparison in self.comparisons)
        return (
            f"<Overall of {', '.join(map(repr, self.test_set.systems))} on {names}, {WEIGHTS[self.weight]}: "
            f"{', '.join(self.score_labels())}>"
        )


@known_keywords
def overall(comparisons: Sequence[Comparison], *, weight: str = "set") -> Overall:
    """Return one verdict over several test sets: weighted means of the scores that all of them have.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of two test sets or more with systems in common: ``[tercet.compare(test_set, "chrf") for test_set in sets]``.
    weight : {"set", "segment"}
        Whether each set weighs the same, or by the number of its segments that are scored.

    Returns
    -------
    Overall
        A comparison itself: with tables, ``to_dict()``, ``to_dataframe()``, ``to_html()``.

    Raises
    ------
    InputError
        For fewer than two comparisons, and for those with no system or score in common.
    OptionError
        For another weight, and for comparisons with different tests or settings.

    Notes
    -----
    Stratified: each set is resampled by itself, so that variances of the sets add up; p is of the weighted difference
    when outputs are exchanged within each set (or of its bootstrap), adjusted for all pairs as in the comparisons.
    Clusters of a set stay together. Where outputs are runs, systems are tested by Welch's t.

    Examples
    --------
    >>> import tercet
    >>> news = tercet.compare({"A": ["a cat", "it rains"], "B": ["a dog", "it rained"]}, "chrf",
    ...     references=["a cat", "it rained"])
    >>> chat = tercet.compare({"A": ["hi you"], "B": ["hi there"]}, "chrf", references=["hi there"])
    >>> both = tercet.overall([news, chat])
    >>> [(row.system, round(row.value, 1)) for row in both.tables[0].rows]
    [('A', 38.2), ('B', 91.9)]
    """
    if not isinstance(weight, str) or weight not in WEIGHTS:
        raise OptionError(f"The 'weight' option must be one of 'set', 'segment'. Got {shorten(weight)} instead.")
    sets: list[Any] = list(comparisons) if has_entries(comparisons) else [comparisons]
    _check_sets(sets)
    _check_alike(sets)
    systems, keys, notes = _what_is_shared(sets)
    first = sets[0]
    baseline = first.baseline if first.baseline in systems else next(iter(systems), "")
    if any(comparison.baseline != baseline for comparison in sets) and first.test is not None:
        notes.append(f"The sets have different baselines: here it is {shorten(baseline)}.")
    if not systems or not keys:
        lacking = "score" if systems else "system"
        raise InputError(f"The test sets have no {lacking} in common.")
    test = n_resamples = None
    if len(systems) > 1:
        test = first.test
        n_resamples = first.n_resamples
    interval = first.interval
    if interval == "BCa":
        # A weighted sum of sets has none.
        interval = "expanded"
    design = first.design._replace(
        test_set=_without_texts(sets, systems),
        baseline=baseline,
        test=test,
        n_resamples=n_resamples,
        interval=interval,
        slices=[],
    )
    tables_of_sets = [_tables_of(comparison) for comparison in sets]
    by_metric: dict[tuple[str, float], list[list[ScoreTable]]] = {}
    for key in keys:
        # The scores of a metric are resampled together: of each the tables of all sets.
        by_metric.setdefault((key.metric, key.scale), []).append([tables[key] for tables in tables_of_sets])
    tables: list[ScoreTable] = []
    for of_metric in by_metric.values():
        tables.extend(_Strata.of(design, sets, weight, of_metric[0]).tables(of_metric))
    return Overall(design, tables, comparisons=sets, weight=weight, notes=notes)


def sets_and_overall(comparisons: Sequence[Comparison]) -> tuple[list[Comparison], list[Overall]]:
    """Return the comparisons of test sets, and the one over all of them, if there is one."""
    over_all = [comparison for comparison in comparisons if isinstance(comparison, Overall)]
    return [comparison for comparison in comparisons if not isinstance(comparison, Overall)], over_all


def overall_first(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons in the order in which people read them: what holds over all test sets first."""
    sets, over_all = sets_and_overall(comparisons)
    return [*over_all, *sets]


def _check_sets(sets: Sequence[Any]) -> None:
    """Raise an InputError for what is no comparison, and for fewer than two."""
    for comparison in sets:
        if not isinstance(comparison, Comparison) or isinstance(comparison, Overall):
            raise InputError(f"{argument('comparisons')} must be those of tercet.compare, got {shorten(comparison)}.")
    if len(sets) < 2:
        raise InputError(f"{argument('comparisons')}: expected those of two test sets or more, got {len(sets)}.")


def _check_alike(sets: Sequence[Comparison]) -> None:
    """Raise an OptionError for comparisons with different tests or settings."""
    for name in ("test", "n_resamples", "adjust", "interval", "confidence_level", "alpha", "seed", "runs"):
        first, *further = [getattr(comparison, name) for comparison in sets]
        for value in further:
            if value != first:
                raise OptionError(
                    f"The comparisons differ in {name!r}: {shorten(first)} and {shorten(value)}. "
                    "Compare all test sets alike."
                )


def _without_texts(sets: Sequence[Comparison], systems: Sequence[str]) -> TestSet:
    """Return a test set with the number of segments of all sets, and none of their texts."""
    n_segments = sum(comparison.test_set.n_segments for comparison in sets)
    texts: dict[str, list[str]] = {system: [] for system in systems}
    references: list[list[str]] = [[] for _ in range(n_segments)]
    return TestSet(f"{all_of(len(sets))} test sets", texts, references, None)


def n_shared(comparisons: Sequence[Comparison]) -> int:
    """Return how many systems all test sets have; 0 if they have no score in common."""
    shared = _what_is_shared(comparisons)
    return len(shared.systems) if shared.keys else 0


class _Key(NamedTuple):
    """What must be the same of a score that sets share."""

    metric: str
    name: str
    scale: float
    higher_is_better: bool


_Entry = TypeVar("_Entry")


def _tables_of(comparison: Comparison) -> dict[_Key, ScoreTable]:
    """Return the tables of a comparison by what they share with those of other sets."""
    tables = {}
    for table in comparison.tables:
        tables[_Key(table.metric, table.name, table.scorer.scale, table.higher_is_better)] = table
    return tables


class _Shared(NamedTuple):
    """The systems and scores that all sets have, and notes of the others."""

    systems: list[str]
    keys: list[_Key]
    notes: list[str]


def _what_is_shared(sets: Sequence[Comparison]) -> _Shared:
    """Return what all sets have; no system where some lack an output that is a run."""
    names_of = [comparison.test_set.systems for comparison in sets]
    keys_of = [_tables_of(comparison).keys() for comparison in sets]
    systems, other_systems = _in_all(names_of)
    keys, other_keys = _in_all(keys_of)
    notes = []
    if other_systems:
        names = joined(list(map(shorten, other_systems)), MOST_NAMED)
        notes.append(f"Not in all test sets, and left out here: the systems {names}.")
    if other_keys:
        scores = dict.fromkeys(key.name for key in other_keys)
        names = joined(list(map(shorten, scores)), MOST_NAMED)
        where = "Not in all test sets, on one scale and in one direction"
        notes.append(f"{where}, and left out here: the scores {names}.")
    if sets[0].joins_runs and any(name not in systems for name in sets[0].test_set.systems):
        systems = []
    return _Shared(systems, keys, notes)


def _in_all(collections: Sequence[Collection[_Entry]]) -> tuple[list[_Entry], list[_Entry]]:
    """Return what all collections have, in the order of the first, and what only some have."""
    common = set(collections[0]).intersection(*collections)
    in_all = [entry for entry in collections[0] if entry in common]
    in_some: dict[_Entry, None] = {}
    for collection in collections:
        in_some.update(dict.fromkeys(entry for entry in collection if entry not in common))
    return in_all, list(in_some)


class _Strata(NamedTuple):
    """The sets as a metric scores them, each resampled by itself, and what is compared over all of them."""

    design: Design
    #: The names of the sets.
    names: list[str]
    sets: list[Stratum]
    weight: str

    @classmethod
    def of(
        cls, design: Design, comparisons: Sequence[Comparison], weight: str, tables: Sequence[ScoreTable]
    ) -> _Strata:
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
        tests = self._pair_tests(values_by_set)
        for score_tables in scores:
            name = score_tables[0].name
            intervals = []
            for of_set in intervals_of_sets:
                intervals.append([of_system[name] for of_system in of_set])
            yield self._table(score_tables, values_by_set[name], intervals, tests[name])

    def _pair_tests(self, values_by_set: Mapping[str, NDArray[np.float64]]) -> dict[str, PairTests]:
        """Return p of each pair of systems for each score; NaN without a test."""
        design = self.design
        n_systems = len(design.systems)
        if design.test is None or design.n_resamples is None:
            return dict.fromkeys(values_by_set, untested(n_systems))
        from tercet.statistics.paired_tests import null_distribution_of_strata, pvalues_of_pairs

        pairs = list(combinations(range(n_systems), 2))
        null = null_distribution_of_strata(self.sets, pairs, design.test, n_resamples=design.n_resamples)
        scores = {name: self.weights @ by_set for name, by_set in values_by_set.items()}
        n_units = sum(stratum.n_units for stratum in self.sets)
        results = pvalues_of_pairs(null, design.test, scores, n_units)
        return design.inference.adjusted(pairs, results, n_systems)

    def _table(
        self,
        score_tables: Sequence[ScoreTable],
        values_by_set: NDArray[np.float64],
        intervals_of_sets: Sequence[Sequence[BootstrapResult]],
        tests: PairTests,
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
            parts=values_by_set.T.tolist(),
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
        baseline_in_sets = [of_systems[self.design.baseline_index] for of_systems in intervals_of_sets]
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
        value = []
        for name, weight, part in zip(self.names, self.weights, score_tables, strict=True):
            values = {row.system: row_of(part, row.system).value for row in table.rows}
            value.append({"test_set": name, "weight": weight, "values": values})
        sentences = []
        compared = [row for row in table.rows if row.difference is not None]
        if not self.design.runs and len(compared) <= MOST_NAMED:
            sentences = [_sentence(self.design, table, row, self.names, score_tables) for row in compared]
        return Section("sets", f"{table.title} over all test sets", sentences, None, value)


def _signature(signatures: Sequence[str], weight: str) -> str:
    """Return the fields of the signatures of all sets, each with its different values, and how they are weighed."""
    fields: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for entry in signature.split("|"):
            name, _, value = entry.partition(":")
            fields.setdefault(name, {})[value] = None
    entries = []
    for name, values in fields.items():
        is_bare = list(values) == [""]
        entries.append(name if is_bare else f"{name}:{','.join(values)}")
    return "|".join([*entries[:-1], f"sets:{len(signatures)}", f"weight:{weight}", entries[-1]])


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
    p = row.adjusted_pvalue
    by = f"{decimals(abs(gain), row.digits)} {table.title}"
    if not gain:
        verb = "has the same score as"
        tested = f" in {table.title}"
    elif p is not None and p < design.alpha:
        is_better = (gain > 0) == table.higher_is_better
        verb = "is better than" if is_better else "is worse than"
        tested = f" by {by} ({design.p_label} {pvalue_text(p)})"
    else:
        verb = f"scores {by} higher than" if gain > 0 else f"scores {by} lower than"
        tested = ""
        if table.too_few is not None:
            tested = " (too few to test)"
        elif p is not None:
            tested = f" ({design.p_label} {pvalue_text(p)}, not significant)"
    signs = []
    for part in tables:
        gain_of_set = apart(row_of(part, row.system).value, row_of(part, design.baseline).value)
        signs.append(int(np.sign(gain_of_set)) * (1 if table.higher_is_better else -1))
    subject: Sentence = (start, system, f" {verb} ", baseline, tested)
    clauses = []
    # Single sets are not tested here.
    for sign, word in ((1, "ahead in"), (-1, "behind in"), (0, "the same in")):
        members = tuple(name for name, of_set in zip(names, signs, strict=True) if of_set == sign)
        if len(members) == len(names):
            clauses.append(Clause(f"{word} {all_of(len(names))}"))
        elif len(members) > MOST_NAMED:
            clauses.append(Clause(f"{word} {len(members)}"))
        elif members:
            clauses.append(Clause(word, members))
    return sentence(subject, ": ", clauses)
