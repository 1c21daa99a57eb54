"""Several test sets, one verdict: scores over all of them, resampled within each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.checks import has_entries, known_keywords
from tercet.errors import InputError, OptionError, argument, shorten
from tercet.names_and_sentences import MOST_NAMED, Name, Sentence, all_of, joined
from tercet.registry import drawing
from tercet.statistics.draws import apart
from tercet.statistics.families import PairTests
from tercet.statistics.inference import untested
from tercet.statistics.intervals import FEWEST_UNITS, BootstrapResult, bootstraps, over_strata
from tercet.statistics.stats import SegmentStats
from tercet.tables import decimals, pvalue_text
from tercet.test_sets.test_set import TestSet

from .clauses import Clause, sentence
from .groups import groups_section
from .result import Comparison
from .runs import runs_section
from .score_rows import score_rows
from .scores import ScoreTable, SystemScore, digits_of
from .sections import Section

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
        counted = ""
        if self.test is not None:
            counted = "; wins, ties and losses count sets"
        means = f"Over {self.test_set.name}: means of their scores, {WEIGHTS[self.weight]}, resampled within each set"
        remarks = [f"{means}{counted}."]
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
        page: str = drawing("comparison as a page")([*self.comparisons, self], title=title)
        return page

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
    systems, keys, notes = _shared(sets)
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
    over_all = Overall(
        test_set=_without_texts(sets, systems),
        baseline=baseline,
        tables=[],
        test=test,
        n_resamples=n_resamples,
        adjust=first.adjust,
        interval=interval,
        confidence_level=first.confidence_level,
        alpha=first.alpha,
        seed=first.seed,
        runs=first.runs,
        comparisons=sets,
        weight=weight,
        notes=notes,
    )
    tables = {key: [_tables_of(comparison)[key] for comparison in sets] for key in keys}
    for metric_tables in _by_metric(tables).values():
        over_all.tables.extend(_over_sets(over_all, metric_tables))
    return over_all


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
    systems, keys, _ = _shared(comparisons)
    return len(systems) if keys else 0


#: A score that sets share: its metric, its name, its scale, and whether higher is better.
_Key = tuple[str, str, float, bool]
_Entry = TypeVar("_Entry")


def _tables_of(comparison: Comparison) -> dict[_Key, ScoreTable]:
    return {
        (table.metric, table.name, table.scorer.scale, table.higher_is_better): table for table in comparison.tables
    }


def _shared(sets: Sequence[Comparison]) -> tuple[list[str], list[_Key], list[str]]:
    """Return systems and scores that all sets have, and notes of the others."""
    names_of = [comparison.test_set.systems for comparison in sets]
    keys_of = [_tables_of(comparison).keys() for comparison in sets]
    systems, other_systems = _in_all(names_of)
    keys, other_keys = _in_all(keys_of)
    notes = []
    if other_systems:
        names = joined(list(map(shorten, other_systems)), MOST_NAMED)
        notes.append(f"Not in all test sets, and left out here: the systems {names}.")
    if other_keys:
        scores = dict.fromkeys(name for _, name, *_ in other_keys)
        names = joined(list(map(shorten, scores)), MOST_NAMED)
        where = "Not in all test sets, on one scale and in one direction"
        notes.append(f"{where}, and left out here: the scores {names}.")
    if sets[0].joins_runs and any(name not in systems for name in sets[0].test_set.systems):
        systems = []
    return systems, keys, notes


def _in_all(collections: Sequence[Collection[_Entry]]) -> tuple[list[_Entry], list[_Entry]]:
    """Return what all collections have, in the order of the first, and what only some have."""
    common = set(collections[0]).intersection(*collections)
    in_all = [entry for entry in collections[0] if entry in common]
    in_some: dict[_Entry, None] = {}
    for collection in collections:
        in_some.update(dict.fromkeys(entry for entry in collection if entry not in common))
    return in_all, list(in_some)


def _by_metric(tables: Mapping[_Key, list[ScoreTable]]) -> dict[Any, list[list[ScoreTable]]]:
    """Return the tables of each metric, which are resampled together: of each score those of all sets."""
    by_metric: dict[Any, list[list[ScoreTable]]] = {}
    for (metric, _, scale, _), score_tables in tables.items():
        by_metric.setdefault((metric, scale), []).append(score_tables)
    return by_metric


def _over_sets(over_all: Overall, tables: Sequence[Sequence[ScoreTable]]) -> Iterator[ScoreTable]:
    """Yield the table over all sets of each score of a metric."""
    strata = _strata(over_all, tables[0])
    intervals_of_sets = []
    for stratum in strata:
        intervals_of_sets.append(
            bootstraps(
                stratum.metric,
                stratum.systems,
                confidence_level=over_all.confidence_level,
                method=over_all.interval,
                seed=stratum.seed,
            )
        )
    # Of each score, a row for each set, with a column for each system.
    values_by_set = {}
    for score_tables in tables:
        values = [[_row_of(table, system).value for system in over_all.test_set.systems] for table in score_tables]
        values_by_set[score_tables[0].name] = np.array(values)
    weights = [stratum.weight for stratum in strata]
    tests = _pair_tests(over_all, strata, values_by_set)
    for score_tables in tables:
        name = score_tables[0].name
        intervals_of_score = [[intervals[name] for intervals in of_set] for of_set in intervals_of_sets]
        yield _table_over_sets(over_all, score_tables, weights, values_by_set[name], intervals_of_score, tests[name])


def _strata(over_all: Overall, tables: Sequence[ScoreTable]) -> list[Stratum]:
    """Return the sets as the metric scores them whose tables, one of each set, these are."""
    from tercet.statistics.paired_tests import Stratum

    units_of_sets = []
    for comparison, table in zip(over_all.comparisons, tables, strict=True):
        units_of_system = dict(zip(comparison.test_set.systems, comparison.units_of(table), strict=True))
        units_of_sets.append([units_of_system[system] for system in over_all.test_set.systems])
    weights = [1 / len(tables)] * len(tables)
    if over_all.weight == "segment":
        n_scored = [int(units[0].column("items").sum()) for units in units_of_sets]
        weights = [n / sum(n_scored) for n in n_scored]
    strata = []
    for number, (table, units) in enumerate(zip(tables, units_of_sets, strict=True)):
        strata.append(Stratum(table.scorer, units, weights[number], over_all.seed + _SEED_STEP * number))
    return strata


def _table_over_sets(
    over_all: Overall,
    score_tables: Sequence[ScoreTable],
    weights: Sequence[float],
    values_by_set: NDArray[np.float64],
    intervals_of_sets: Sequence[Sequence[BootstrapResult]],
    tests: PairTests,
) -> ScoreTable:
    """Return the table of one score over all sets, from its tables, values and intervals in each set."""
    first = score_tables[0]
    values = weights @ values_by_set
    intervals, differences = _intervals(over_all, intervals_of_sets, weights)
    n_units = sum(table.n_units for table in score_tables)
    too_few = over_all.too_few(tests.adjusted, n_units, over_all.inference)
    rows, adjusted_pvalues = score_rows(
        over_all,
        values,
        [interval.confidence_interval for interval in intervals],
        [difference.confidence_interval for difference in differences],
        tests,
        values_by_set.T.tolist(),
        higher_is_better=first.higher_is_better,
        digits=digits_of(first.scorer, values.tolist()),
        can_tell=too_few is None,
    )
    table = ScoreTable(
        metric=first.metric,
        name=first.name,
        signature=_signature([table.signature for table in score_tables], over_all.weight),
        rows=rows,
        pvalues=adjusted_pvalues,
        segments={},
        higher_is_better=first.higher_is_better,
        scorer=first.scorer,
        stats={},
        n_units=n_units,
        too_few=too_few,
    )
    if over_all.runs:
        resampled = [interval.bootstrap_distribution for interval in intervals]
        table.sections.append(runs_section(over_all, table, resampled, n_units))
    elif over_all.test is not None and too_few is None:
        table.sections.append(groups_section(table))
    table.sections.append(_sets_section(over_all, table, score_tables, weights))
    return table


def _intervals(
    over_all: Overall, intervals_of_sets: Sequence[Sequence[BootstrapResult]], weights: Sequence[float]
) -> tuple[list[BootstrapResult], list[BootstrapResult]]:
    """Return over all sets the interval of each system's score, and that of its difference from the baseline."""
    names = list(over_all.test_set.systems)
    baseline_in_sets = [of_systems[names.index(over_all.baseline)] for of_systems in intervals_of_sets]
    intervals = []
    differences = []
    for in_sets in zip(*intervals_of_sets, strict=True):
        intervals.append(over_strata(in_sets, weights))
        against_baseline = [score.less(baseline) for score, baseline in zip(in_sets, baseline_in_sets, strict=True)]
        differences.append(over_strata(against_baseline, weights))
    return intervals, differences


def _row_of(table: ScoreTable, system: str) -> SystemScore:
    return next(row for row in table.rows if row.system == system)


def _pair_tests(
    over_all: Overall, strata: Sequence[Stratum], values_by_set: Mapping[str, NDArray[np.float64]]
) -> dict[str, PairTests]:
    """Return p of each pair of systems for each score; NaN without a test."""
    n_systems = len(over_all.test_set.systems)
    if over_all.test is None or over_all.n_resamples is None:
        return dict.fromkeys(values_by_set, untested(n_systems))
    from tercet.statistics.paired_tests import null_distribution_of_strata, pvalues_of_pairs

    pairs = list(combinations(range(n_systems), 2))
    null = null_distribution_of_strata(strata, pairs, over_all.test, n_resamples=over_all.n_resamples)
    weights = [stratum.weight for stratum in strata]
    scores = {name: weights @ by_set for name, by_set in values_by_set.items()}
    n_units = sum(stratum.n_units for stratum in strata)
    results = pvalues_of_pairs(null, over_all.test, scores, n_units)
    return over_all.inference.adjusted(pairs, results, n_systems)


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


def _sets_section(
    over_all: Overall, table: ScoreTable, tables: Sequence[ScoreTable], weights: Sequence[float]
) -> Section:
    """Return in words how systems compare with the baseline over all sets, and where sets do not agree."""
    names = [comparison.test_set.name for comparison in over_all.comparisons]
    value = [
        {
            "test_set": name,
            "weight": weight,
            "values": {row.system: _row_of(part, row.system).value for row in table.rows},
        }
        for name, weight, part in zip(names, weights, tables, strict=True)
    ]
    sentences = []
    compared = [row for row in table.rows if row.difference is not None]
    if not over_all.runs and len(compared) <= MOST_NAMED:
        sentences = [_sentence(over_all, table, row, names, tables) for row in compared]
    return Section("sets", f"{table.title} over all test sets", sentences, None, value)


def _sentence(
    over_all: Overall, table: ScoreTable, row: SystemScore, names: Sequence[str], tables: Sequence[ScoreTable]
) -> Sentence:
    """Return how a system compares with the baseline over all sets, and in how many it is better and worse."""
    start = f"Over {over_all.test_set.name}, "
    system = Name(row.system)
    baseline = Name(over_all.baseline)
    gain = apart(row.value, _row_of(table, over_all.baseline).value)
    if np.isnan(gain):
        return (start, system, " cannot be compared with ", baseline, ", as a score is NaN.")
    p = row.adjusted_pvalue
    by = f"{decimals(abs(gain), row.digits)} {table.title}"
    if not gain:
        verb = "has the same score as"
        tested = f" in {table.title}"
    elif p is not None and p < over_all.alpha:
        is_better = (gain > 0) == table.higher_is_better
        verb = "is better than" if is_better else "is worse than"
        tested = f" by {by} ({over_all.p_label} {pvalue_text(p)})"
    else:
        verb = f"scores {by} higher than" if gain > 0 else f"scores {by} lower than"
        tested = ""
        if table.too_few is not None:
            tested = " (too few to test)"
        elif p is not None:
            tested = f" ({over_all.p_label} {pvalue_text(p)}, not significant)"
    signs = []
    for part in tables:
        gain_of_set = apart(_row_of(part, row.system).value, _row_of(part, over_all.baseline).value)
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
