"""How many segments a test set needs to show a difference, before any system is trained.

Here are the function and its result. How many segments each score needs is computed in `segments_needed.py`, by the
formulas of `statistics/power.py`, and said in `plan_sentences.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercet.base.metric import Metric
from tercet.base.options import check_value, check_values
from tercet.comparison.gates.checks import check_below_scale, check_within
from tercet.comparison.inputs.arguments import Arguments, Caller, check_test_set
from tercet.comparison.inputs.settings import CompareSettings, PlanSettings
from tercet.comparison.values.design import unit_of
from tercet.comparison.values.sections import Section
from tercet.comparison.wording.decimals import between
from tercet.errors import on_command_line
from tercet.names_as_shown import Sentence, one_cell, sentences_html
from tercet.option_checks import known_keywords, number
from tercet.statistics.progress import bars_within
from tercet.test_sets.test_set import TestSet

from .compare import compare_arguments
from .plan_sentences import plan_sentences
from .segments_needed import CORRELATION, Aim, ScorePlan, score_plans

_check_difference = number("a number above 0, such as 0.5", lambda difference: difference > 0)


@dataclass(frozen=True, slots=True, eq=False)
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
        return unit_of(self.test_set)

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
        aim = Aim(self.difference, self.power, self.alpha, self.n_resamples, self.seed)
        return plan_sentences(self.test_set, aim, self.scores)

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
    aim = Aim(checked_difference, **settings)
    caller = Caller("plan")
    if test_set is not None:
        check_test_set(test_set, caller)
    arguments = Arguments(
        caller, test_set=test_set, metrics=metrics, scores=scores, references=references, cluster=cluster
    )
    defaults = {name: getattr(CompareSettings, name) for name in CompareSettings.options() if name != "progress"}
    # How scores vary is resampled below.
    without_resamples = {**defaults, "test": None, "interval": None, "seed": aim.seed}
    comparison = compare_arguments(arguments, without_resamples, show_progress)
    number_text = f"{aim.difference:g}"
    as_given = f"--difference {number_text}" if on_command_line() else f"difference={number_text}"
    for table in comparison.tables:
        check_below_scale(table, aim.difference, as_given)
        check_within(table, aim.difference, f"The difference of {number_text}")
    with bars_within(show_progress):
        scores_planned = list(score_plans(comparison, aim))
    return Plan(comparison.test_set, **aim._asdict(), scores=scores_planned)
