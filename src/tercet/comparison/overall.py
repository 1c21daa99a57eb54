"""Several test sets, one verdict: scores over all of them, resampled within each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.wording.clauses import with_numbers
from tercet.errors import InputError, OptionError, argument, shorten
from tercet.names_as_shown import MOST_NAMED, all_of, joined
from tercet.option_checks import has_entries, known_keywords
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.stats import SegmentStats
from tercet.test_sets.test_set import TestSet

from .result import Comparison
from .strata import Strata

#: What a test set may weigh by.
WEIGHTS = {"set": "each weighing the same", "segment": "weighed by their segments"}


@dataclass(frozen=True, slots=True, eq=False)
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
        for unit, single in self._sets_with_units(range(1, 2)).items():
            names = joined([plain(name) for name in single], MOST_NAMED)
            remarks.append(f"Of one {unit}, whose part is not in the intervals: {names}.")
        for unit, small in self._sets_with_units(range(2, FEWEST_UNITS)).items():
            names = joined([plain(name) for name in small], MOST_NAMED)
            remarks.append(f"Of fewer than {FEWEST_UNITS} {unit}s, so that intervals may be too short: {names}.")
        return [*remarks, *self.notes]

    def _sets_with_units(self, numbers: range) -> dict[str, list[str]]:
        """Return by their unit the sets that have so few, which cannot tell well how much their scores vary."""
        names_of_sets = with_numbers([comparison.test_set.name for comparison in self.comparisons])
        names: dict[str, list[str]] = {}
        for name, comparison in zip(names_of_sets, self.comparisons, strict=True):
            if any(table.n_units in numbers for table in comparison.tables):
                names.setdefault(comparison.unit, []).append(name)
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
        # super() without arguments fails in dataclasses with slots.
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
    for tables_of_metric in by_metric.values():
        tables.extend(Strata.of(design, sets, weight, tables_of_metric[0]).tables(tables_of_metric))
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
    # One system is not tested, whatever was asked for.
    tested = [comparison for comparison in sets if len(comparison.test_set.systems) > 1]
    for name in ("test", "n_resamples", "adjust", "interval", "confidence_level", "alpha", "seed", "runs"):
        alike = tested if name in ("test", "n_resamples") else sets
        values = [getattr(comparison, name) for comparison in alike]
        for value in values[1:]:
            if value != values[0]:
                raise OptionError(
                    f"The comparisons differ in {name!r}: {shorten(values[0])} and {shorten(value)}. "
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
    if other_systems and any(comparison.joins_runs for comparison in sets):
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
