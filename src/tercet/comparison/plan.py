"""How many segments a test set needs to show a difference, before any system is trained."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tercet.base.metric import Metric
from tercet.base.options import check_value, check_values
from tercet.checks import known_keywords, number
from tercet.comparison.inputs.arguments import Arguments, check_test_set
from tercet.comparison.inputs.given_scores import check_below_scale, check_within
from tercet.comparison.notes.power import FEWEST_DIFFERENT, Spread, chances, paired_error
from tercet.comparison.values.scores import differ, scored_for_all
from tercet.comparison.values.sections import Section
from tercet.comparison.values.settings import CompareSettings, PlanSettings
from tercet.comparison.wording.decimals import between, figures, in_two_digits
from tercet.errors import argument, on_command_line
from tercet.names_as_shown import Name, Sentence, listed, one_cell, sentences_html
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.power import MANY
from tercet.statistics.progress import bars_within
from tercet.statistics.resampled_scores import bootstrap_scores
from tercet.statistics.stats import Scores, SegmentStats
from tercet.test_sets.test_set import TestSet

from .compare import compare_arguments
from .result import Comparison

#: How closely the resampled scores of two systems correlate: most pairs of newstest2017, by BLEU, chrF and ROUGE-L.
CORRELATION = (0.5, 0.85)
_WHY_CORRELATION = (
    "10th to 90th percentile of its 120 pairs of systems: BLEU 0.58 to 0.80, chrF 0.65 to 0.82, ROUGE-L 0.69 to 0.85"
)

NumberT = TypeVar("NumberT", int, float)

_check_difference = number("a number above 0, such as 0.5", lambda difference: difference > 0)


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """What a score asks of a test set. Pairs of numbers are the least and the greatest.

    Attributes
    ----------
    metric, score, title, signature : str
        The metric with its options; the score's name, and what people call it.
    n_segments : int
        How many segments of this test set are scored for all systems.
    n_units : int
        How many of them are resampled: the segments themselves, or their clusters.
    n_pairs : int
        Pairs of systems whose differences were resampled; 0 where there is one system.
    n_alike : int
        Pairs left out, as they differ in fewer than 15 units, or in no more than half of a few.
    standard_error : (float, float) or None
        Of a difference of two systems on this test set; None where nothing varies, NaN where resamples score NaN.
    smallest : (float, float) or None
        The smallest difference that this test set shows; None also where it has too few units to show any.
    needed : (int, int) or None
        Segments needed, or clusters; None also where they are more than could be counted.
    as_segments : (int, int) or None
        With clusters, how many segments would seem to be needed if they were independent.
    digits : int
        With how many decimals people read the score.
    """

    metric: str
    score: str
    title: str
    signature: str
    n_segments: int
    n_units: int
    n_pairs: int
    n_alike: int
    standard_error: tuple[float, float] | None
    smallest: tuple[float, float] | None
    needed: tuple[int, int] | None
    as_segments: tuple[int, int] | None = None
    digits: int = 2

    @property
    def is_known(self) -> bool:
        """Whether it is known how much the score varies."""
        error = self.standard_error
        return error is not None and not any(map(math.isnan, error))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python."""
        entries: dict[str, Any] = {}
        for name in ("metric", "score", "signature", "n_units", "n_pairs", "n_alike"):
            entries[name] = getattr(self, name)
        for name in ("standard_error", "smallest", "needed", "as_segments"):
            least_and_greatest = getattr(self, name)
            entries[name] = None if least_and_greatest is None else list(least_and_greatest)
        return entries


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan:
    """How many segments show a difference, by each score. A notebook shows it as sentences.

    Attributes
    ----------
    test_set : TestSet
        Whose segments say how much scores vary.
    difference, power, alpha : float
    scores : list of ScorePlan
    n_resamples, seed : int
    """

    test_set: TestSet
    difference: float
    power: float
    alpha: float
    n_resamples: int
    seed: int
    scores: list[ScorePlan] = field(default_factory=list)

    @property
    def unit(self) -> str:
        """What is counted, ``segment`` or ``cluster``."""
        return "segment" if self.test_set.clusters is None else "cluster"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain Python."""
        clusters = self.test_set.clusters
        systems = list(self.test_set.systems)
        return {
            "test_set": self.test_set.name,
            "n_segments": self.test_set.n_segments,
            "clusters": None if clusters is None else clusters.to_dict(),
            "systems": systems,
            "correlation": list(CORRELATION) if len(systems) == 1 else None,
            "difference": self.difference,
            "power": self.power,
            "alpha": self.alpha,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "unit": self.unit,
            "scores": [score.to_dict() for score in self.scores],
        }

    def sentences(self) -> list[Sentence]:
        """Return what the plan says."""
        sentences = [self._sentence_of(score) for score in self.scores]
        known = [score for score in self.scores if score.is_known]
        if any(score.n_units < MANY for score in known):
            few = f"With fewer than {MANY} {self.unit}s, how much scores vary is itself uncertain"
            sentences.append((f"{few}: take this as a guess.",))
        if known:
            sentences.append(self._source())
        return sentences

    def lines(self, plain: Callable[[str], str] = str) -> list[str]:
        """Return the sentences and the signatures; `plain` formats names."""
        signatures = dict.fromkeys(score.signature for score in self.scores)
        sentences = Section("plan", "", self.sentences(), None, None).lines(plain)
        return [*sentences, *map(plain, signatures)]

    def to_text(self) -> str:
        """Return what the plan says as lines of text."""
        return "\n".join(self.lines(one_cell))

    def __repr__(self) -> str:
        needed = []
        for score in self.scores:
            numbers = "?" if score.needed is None else between(score.needed, "{:,}".format)
            needed.append(f"{score.score} {numbers}")
        return (
            f"<Plan for a difference of {self.difference:g} on {self.test_set.name!r} (power {self.power:g}, alpha "
            f"{self.alpha:g}): {self.unit}s needed: {', '.join(needed)}>"
        )

    def _repr_html_(self) -> str:
        """Show the sentences in a notebook."""
        return "".join(sentences_html([sentence]) for sentence in self.sentences())

    def _sentence_of(self, score: ScorePlan) -> Sentence:
        unit = self.unit
        title = Name(score.title)
        if not score.is_known:
            why = "the score does not vary"
            if score.n_units < FEWEST_UNITS:
                why = f"{score.n_units} {unit}{'s' * (score.n_units > 1)} cannot tell how much scores vary"
            elif score.standard_error is not None:
                why = "resamples of this set score NaN, not a number"
            elif score.n_alike:
                why = f"no two systems differ in {_least_different(score.n_units)} {unit}s or more"
            return (title, f": how many {unit}s show a difference is not known, as {why}.")
        size = score.n_segments / score.n_units
        needed = f"more {unit}s than can be counted"
        if score.needed is not None:
            needed = f"about {_rounded_range(score.needed)} {unit}s"
            if round(size) > 1:
                segments = _rounded_range([math.ceil(count * size) for count in score.needed])
                needed += f" of about {size:.0f} segments ({segments} segments)"
        if score.n_pairs != 1:
            on_what = "the systems" if score.n_pairs else "how alike the other system is"
            needed += f", depending on {on_what}"
        if score.as_segments is not None:
            needed += f"; as single segments it would look like {_rounded_range(score.as_segments)}"
        has = f"This set has {score.n_units:,}, too few for any difference to be significant."
        if score.smallest is not None:
            smallest = between(score.smallest, lambda difference: figures(difference, score.digits))
            has = f"This set has {score.n_units:,}, which show {smallest} or more."
        if score.n_alike:
            pairs = "1 pair of systems differs" if score.n_alike == 1 else f"{score.n_alike:,} pairs differ"
            has += f" {pairs} in fewer than {_least_different(score.n_units)} {unit}s, and did not count."
        opening = f"To see a difference of {self.difference:g} "
        chance = f" ({chances(self.power, self.alpha)})"
        clusters = self.test_set.clusters
        if clusters is None or not clusters.name:
            return (opening, title, f"{chance}: {needed}. {has}")
        return (opening, title, f"{chance}, by ", Name(clusters.name), f": {needed}. {has}")

    def _source(self) -> Sentence:
        """Return where the figures are from."""
        names = list(self.test_set.systems)
        if len(names) == 1:
            low, high = CORRELATION
            return (
                "A rough estimate: with one system, ",
                Name(names[0]),
                f", there is no difference to resample. It is from how its score varies {self._resamples}, where the "
                f"resampled scores of another system are taken to correlate with its own by {low:g} to {high:g}, as "
                f"those of most systems of newstest2017 do ({_WHY_CORRELATION}).",
            )
        if len(names) == 2:
            return (
                "An estimate, from how the difference of ",
                *listed(names),
                f" varies {self._resamples}, not from how large it is.",
            )
        return (
            f"An estimate, from how the differences of all pairs of {len(names)} systems vary {self._resamples}, not "
            "from how large they are.",
        )

    @property
    def _resamples(self) -> str:
        return f"over {self.n_resamples:,} resamples of {self.unit}s (seed {self.seed})"


def _rounded_range(counts: Sequence[int]) -> str:
    return between(counts, in_two_digits)


@known_keywords
def plan(
    test_set: TestSet | Mapping[str, Any] | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    difference: float,
    references: Any = None,
    scores: Any = None,
    power: float = 0.8,
    alpha: float = 0.05,
    cluster: Any = None,
    seed: int = 12345,
    n_resamples: int = 1000,
    progress: bool = False,
) -> Plan:
    """Plan how many segments a test set needs, so that a difference between two systems is found significant.

    Parameters
    ----------
    test_set : TestSet or mapping of str to sequence of str, optional
        As for :func:`tercet.compare`: outputs on texts like those of the test set to come. How their differences vary
        under paired resampling says what is needed; of one system, how its score varies, and the answer is a wide
        range.
    metrics : str, Metric or iterable of them, optional
        As for :func:`tercet.compare`.
    difference : float
        The difference to be found, above 0, in the unit of the scores: 0.5 is half a point of BLEU, or half a percent
        of answers that are right or wrong.
    references : sequence of str or of sequences of str, optional
        With a mapping of systems; a TestSet has its own.
    scores : mapping of str or Column to mapping, or iterable of str or Column, optional
        Scores of another program, as for :func:`tercet.compare`.
    power : float
        With which probability the test is to find the difference, from 0.5 on and below 1.
    alpha : float
        Significance level, above 0 and below 1: differences with a smaller p are significant.
    cluster : sequence of str or int, optional
        A label per segment, the same for segments that are not independent. Clusters are then counted too.
    seed : int
        Seed of all resampling: the same seed gives the same numbers.
    n_resamples : int
        Resamples of the test set, by which the scores vary.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    Plan

    Raises
    ------
    InputError, OptionError
        As :func:`tercet.compare`, or for a difference that is not above 0, or as large as a share can be.

    Notes
    -----
    It is about the permutation test of two systems; of answers that are right or wrong, about McNemar's exact test,
    whose power is summed over how many answers only one of the systems has right: their share is that of the systems
    that are here. The difference between these has no part in it, only how much it varies. Of few units, no fewer
    are planned than can be significant at all. Where a comparison has several systems, more are needed.

    Examples
    --------
    >>> right = {"base": [0, 1, 1, 0, 1] * 40, "tuned": [1, 1, 0, 0, 1] * 40}
    >>> planned = plan(scores={"accuracy": right}, difference=5)
    >>> [(score.needed, [round(smallest, 1) for smallest in score.smallest]) for score in planned.scores]
    [((1291, 1291), [12.9, 12.9])]
    """
    checked_difference = check_value("plan", "difference", _check_difference, difference)
    options = {"power": power, "alpha": alpha, "seed": seed, "n_resamples": n_resamples, "progress": progress}
    settings = check_values("plan", options, PlanSettings.checks())
    show_progress = settings.pop("progress")
    aim = _Aim(checked_difference, **settings)
    if test_set is not None:
        check_test_set(test_set, "plan")
    arguments = Arguments(
        test_set=test_set, metrics=metrics, scores=scores, references=references, cluster=cluster, function="plan"
    )
    defaults = {name: getattr(CompareSettings, name) for name in CompareSettings.options() if name != "progress"}
    # How scores vary is resampled below.
    without_resamples = {**defaults, "test": None, "interval": None, "seed": aim.seed}
    comparison = compare_arguments(arguments, without_resamples, show_progress)
    how = argument("difference")
    if on_command_line():
        how += " "
    for table in comparison.tables:
        check_below_scale(table, aim.difference, how)
        check_within(table, aim.difference, "The difference of")
    with bars_within(show_progress):
        scores_planned = list(_score_plans(comparison, aim))
    return Plan(comparison.test_set, **aim._asdict(), scores=scores_planned)


class _Aim(NamedTuple):
    """What is to be found, how surely, and by how many resamples; the fields are those of a :class:`Plan`."""

    difference: float
    power: float
    alpha: float
    n_resamples: int
    seed: int

    def smallest(self, spreads: Sequence[Spread]) -> tuple[float, float] | None:
        """Return the smallest differences that a test set shows where differences vary so much."""
        return _least_and_greatest(spread.smallest(alpha=self.alpha, power=self.power) for spread in spreads)

    def needed(self, spreads: Sequence[Spread]) -> tuple[int, int] | None:
        """Return how many units show the difference where it varies so much."""
        return _least_and_greatest(
            spread.needed(self.difference, alpha=self.alpha, power=self.power) for spread in spreads
        )


def _score_plans(comparison: Comparison, aim: _Aim) -> Iterator[ScorePlan]:
    """Yield the plan by each score."""
    titles = dict(zip(map(id, comparison.tables), comparison.titles(), strict=True))
    clusters = comparison.test_set.clusters
    for _, tables in groupby(comparison.tables, lambda table: table.metric):
        first, *further = tables
        metric = first.scorer
        stats = list(first.stats.values())
        scored = [system_stats.selected(scored_for_all(stats)) for system_stats in stats]
        units = comparison.units_of(first)
        resampled = bootstrap_scores(metric, units, aim.n_resamples, aim.seed)
        alone = [] if clusters is None else bootstrap_scores(metric, scored, aim.n_resamples, aim.seed)
        for table in (first, *further):
            exact_scale = metric.scale if table.is_exact else None
            spreads, n_alike = _spreads(resampled, units, table.name, exact_scale)
            errors = [spread.error for spread in spreads]
            as_segments = None
            if clusters is not None:
                spreads_alone, _ = _spreads(alone, scored, table.name)
                as_segments = aim.needed(spreads_alone)
            standard_error = None
            if errors:
                standard_error = (float(np.min(errors)), float(np.max(errors)))
            yield ScorePlan(
                metric=table.metric,
                score=table.name,
                title=titles[id(table)],
                signature=table.signature,
                n_segments=len(scored[0]),
                n_units=len(units[0]),
                n_pairs=0 if len(units) == 1 else len(spreads),
                n_alike=n_alike,
                standard_error=standard_error,
                smallest=aim.smallest(spreads),
                needed=aim.needed(spreads),
                as_segments=as_segments,
                digits=table.digits,
            )


def _spreads(
    resampled: Sequence[Scores], units: Sequence[SegmentStats], name: str, exact_scale: float | None = None
) -> tuple[list[Spread], int]:
    """Return how much a score's differences vary, and how many pairs of systems are too alike to tell."""
    distributions = [scores[name] for scores in resampled]
    n_units = len(units[0])
    if n_units < FEWEST_UNITS:
        return [], 0
    if len(distributions) == 1:
        error = paired_error(np.zeros(len(distributions[0])), distributions[0])
        if error is None:
            return [], 0
        errors = [error * math.sqrt(2 * (1 - rho)) for rho in CORRELATION]
        return [_of_error(error, n_units, exact_scale) for error in errors], 0
    spreads = []
    n_alike = 0
    for first, second in combinations(range(len(units)), 2):
        n_different = int(differ(units[first], units[second]).sum())
        is_alike = n_different < _least_different(n_units)
        error = None if is_alike else paired_error(distributions[first], distributions[second])
        if error is None:
            n_alike += 1
        else:
            spreads.append(Spread(error, n_units, exact_scale, n_different / n_units))
    return spreads, n_alike


def _of_error(error: float, n_units: int, exact_scale: float | None) -> Spread:
    """Return the spread of two systems that are equally good, as the error of their difference has it."""
    if exact_scale is None:
        return Spread(error, n_units)
    # An item's difference is 1 or -1 where one alone is right: of no difference, its variance is the share of those.
    return Spread(error, n_units, exact_scale, min(1.0, n_units * (error / exact_scale) ** 2))


def _least_different(n_units: int) -> int:
    """Return in how many units systems must differ at least: in most, where they are few."""
    return min(FEWEST_DIFFERENT, n_units // 2 + 1)


def _least_and_greatest(numbers: Iterable[NumberT | None]) -> tuple[NumberT, NumberT] | None:
    """Return the least and the greatest number; None where there is none, or one is not known."""
    known = []
    for value in numbers:
        if value is None:
            return None
        known.append(value)
    return (min(known), max(known)) if known else None
