"""Why two packages give different numbers for the same texts: a chain of scores that differ in one rule each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.api import make_scorer
from tercet.columns.batch import Batch
from tercet.columns.corpus import Corpus
from tercet.columns.items import check_missing, read_items
from tercet.core.scorer import Scorer
from tercet.errors import OptionError, did_you_mean
from tercet.registry import METRICS, metric_class

from .compat_rules import rules_of, without
from .option_rules import Side, chain_scorer, option_steps, report_options, shared_options, side_of, takes
from .peers import PEERS, UnavailableError, their_scores
from .rule_scores import largest_gaps, segments_of, totals_of

#: Scores nearer than this are the same number, reached by sums in another order.
SAME = 1e-9

#: Items whose scores are nearer than this are not counted as different: five decimals make every item differ.
SAME_ITEM = 1e-4


@dataclass(frozen=True, slots=True)
class Rule:
    """One step of the chain: the score before and after one rule is changed from ours to theirs.

    Attributes
    ----------
    name : str
        The option to give for it; for what only ``compat`` does, a few words.
    description : str
        What the rule decides.
    from_value, to_value : object
        Our way and theirs.
    score_before, score_after : dict of str to float
        By the names of the scores.
    """

    name: str
    description: str
    from_value: Any
    to_value: Any
    score_before: Mapping[str, float]
    score_after: Mapping[str, float]

    @property
    def change(self) -> dict[str, float]:
        """What the rule adds to each score."""
        return {name: after - self.score_before[name] for name, after in self.score_after.items()}

    @property
    def has_effect(self) -> bool:
        """Whether the rule makes a difference on these texts."""
        return any(abs(change) > SAME for change in self.change.values())


@dataclass(frozen=True, slots=True)
class SegmentGap:
    """An item that the two score differently.

    Attributes
    ----------
    index : int
    ours, theirs : dict of str to float
        ``theirs`` are those of ``compat``.
    """

    index: int
    ours: Mapping[str, float]
    theirs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """Our number, theirs, and the rules that lead from the one to the other.

    Attributes
    ----------
    metric, against : str
    names : tuple of str
        The scores compared: those that the other package has.
    ours : dict of str to float
        With the options given.
    theirs : dict of str to float or None
        What the package itself gave when it was called; without the scores that it failed at, and None if it could
        not be called.
    unavailable : str
        Why it could not be called, or failed at; empty otherwise.
    equal_to : dict of str to float
        Our score with ``compat``: what theirs is.
    rules : tuple of Rule
        The first begins at `ours`, each other one where that before it ended, and the last ends at `equal_to`: what
        they add sums to the whole difference. How it is shared among them depends on their order.
    n_segments, n_segments_differ : int
        Items, and those whose scores differ by more than 0.0001 of the scale.
    largest_gaps : tuple of SegmentGap
        The items whose scores differ most, the greatest difference first.
    signatures : tuple of str
        Of `ours` and of `equal_to`.
    notes : tuple of str
        What else to know when the two numbers are read.
    """

    metric: str
    against: str
    names: tuple[str, ...]
    ours: Mapping[str, float]
    theirs: Mapping[str, float] | None
    unavailable: str
    equal_to: Mapping[str, float]
    rules: tuple[Rule, ...]
    n_segments: int
    n_segments_differ: int
    largest_gaps: tuple[SegmentGap, ...]
    signatures: tuple[str, str]
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the two numbers are the same."""
        return all(abs(self.ours[name] - self.equal_to[name]) <= SAME for name in self.names)

    def decisive(self, name: str | None = None) -> Rule | None:
        """Return the rule that changes a score most (the first one by default); None if none does."""
        name = self.names[0] if name is None else name
        effective = [rule for rule in self.rules if abs(rule.change[name]) > SAME]
        return max(effective, key=lambda rule: abs(rule.change[name]), default=None)


def explain_difference(
    metric: str,
    predictions: Any,
    references: Any,
    *,
    against: str,
    their_options: Mapping[str, Any] | None = None,
    n_gaps: int = 5,
    **options: Any,
) -> Difference:
    """Explain why another package gives another number for the same texts.

    Parameters
    ----------
    metric : {"bleu_multi", "chrf_multi", "ter", "rouge_nlws"}
    predictions, references
        As for :func:`tercet.score`.
    against : str
        The other package, by its name in the metric's option ``compat``.
    their_options : mapping, optional
        Options of the other package alone, under our names, such as ``{"smooth": True}``.
    n_gaps : int
        How many of the items that differ most are returned.
    **options
        Options of the metric. The other package is given them too where it has them; those that it does not have
        are rules of the chain. ``compat`` compares two other packages with each other.

    Returns
    -------
    Difference

    Raises
    ------
    OptionError
        On a metric, package or option that is not known, with the nearest one.
    InputError
        As for :func:`tercet.score`.

    Examples
    --------
    >>> found = explain_difference("bleu_multi", ["a b c d"], [["a b d e f g", "a b"]], against="evaluate")
    >>> [(rule.name, rule.from_value, rule.to_value, rule.has_effect) for rule in found.rules]
    [('reference_length', 'closest', 'shortest', False), ('right end', 'stripped', 'as it stands', False)]
    >>> found.same, found.ours == found.equal_to
    (True, True)
    """
    check_against(metric, against)
    scorer = make_scorer(metric, options)
    if "compat" in (their_options or {}):
        raise OptionError("Do not give 'compat' as an option of the other package: 'against' names it.")
    items = read_items(predictions, references)
    check_missing(items.missing, scorer.missing_references)
    batch = items.batch()
    report = report_options(scorer, against)
    given = {**shared_options(scorer, against, options), **(their_options or {})}
    ours = chain_scorer(metric, {**options, **report})
    theirs = chain_scorer(metric, {**given, **report, "compat": against})
    first, notes, ours_signature = totals_of(ours, batch)
    last, _, their_signature = totals_of(theirs, batch)
    rules = _chain(ours, against, report, batch, first, side_of(theirs, batch), last)
    segments = segments_of(ours, batch), segments_of(theirs, batch)
    differing = largest_gaps(*segments, SAME_ITEM * scorer.scale)
    live, reason = None, f"{against} has no options that say the same"
    if takes(metric, against, {**given, "missing_references": "error"}, report):
        live, reason = _live(against, _scorer(side_of(theirs, batch), report, against), items)
    return Difference(
        scorer.name, against, tuple(first), first, live, reason, last, rules,
        n_segments=sum(value is not None for value in next(iter(segments[0].values()))),
        n_segments_differ=len(differing),
        largest_gaps=tuple(SegmentGap(*gap) for gap in differing[:n_gaps]),
        signatures=(ours_signature, their_signature),
        notes=(
            *_uncompared(scorer, report, against, options), *notes,
            *_notes(against, scorer, last, live, segments[1]),
        ),
    )  # fmt: skip


def check_against(metric: str, against: str) -> None:
    """Raise an OptionError for a package that the metric has no ``compat`` for, or no explanation yet."""
    known = _packages(metric)
    if not known:
        explained = [name for name in METRICS if _packages(name)]
        raise OptionError(
            f"{', '.join(explained[:-1])} and {explained[-1]} can be explained against other packages, not {metric}."
        )
    if against not in known:
        hint = did_you_mean(str(against), known)
        raise OptionError(f"{metric} cannot be compared with {against!r}. {hint}")


def _packages(metric: str) -> list[str]:
    """Return the packages that explain a metric's scores: those that compare texts with references."""
    return (
        [name for name in list(metric_class(metric).presets) if name in PEERS]
        if metric_class(metric).takes_references
        else []
    )


def _scorer(side: Side, report: Mapping[str, Any], compat: str | None) -> Scorer:
    return chain_scorer(side.metric, {**side.options, **report, "compat": compat})


def _chain(
    scorer: Scorer, against: str, report: Mapping[str, Any], batch: Batch,
    first: Mapping[str, float], theirs: Side, last: Mapping[str, float],
) -> tuple[Rule, ...]:  # fmt: skip
    """Return the rules that lead from the first score to the last."""
    rules: list[Rule] = []
    here = first

    def step(name: str, description: str, values: tuple[Any, Any], there: Mapping[str, float]) -> None:
        nonlocal here
        rules.append(Rule(name, description, *values, here, there))
        here = there

    side, compat = side_of(scorer, batch), scorer.compat
    if compat not in (None, against):  # from one package to another: first what only the one does, back to ours
        there, *_ = totals_of(_scorer(side, report, None), batch)
        names = ", ".join(rule.name for rule in rules_of(scorer))
        if names or there != here:
            step("compat", f"what only compat={compat!r} does", (names, "ours"), there)
        compat = None
    for name, description, values, reached in option_steps(side, theirs):
        there, *_ = totals_of(_scorer(reached, report, compat), batch)
        step(name, description, values, there)
    target = _scorer(theirs, report, against)
    hidden = rules_of(target) if compat is None else ()
    for number, rule in enumerate(hidden, 1):
        off = [other.name for other in hidden[number:]]
        there = dict(last) if not off else totals_of(without(target, off), batch)[0]
        step(rule.name, rule.description, (rule.ours, rule.theirs), there)
    if here != last:  # nothing of the difference may go without a name
        step("compat", f"the remaining rules of compat={against!r}", ("ours", against), last)
    return tuple(rules)


def _live(against: str, scorer: Scorer, items: Corpus) -> tuple[dict[str, float] | None, str]:
    """Return the scores that the package itself gives, and why it gives none or not all."""
    filled = [pair for pair in zip(*items.columns().values(), strict=True) if pair[1]]
    try:
        return their_scores(against, [text for text, _ in filled], [texts for _, texts in filled], scorer)
    except UnavailableError as error:
        return None, str(error)


def _uncompared(scorer: Scorer, report: Mapping[str, Any], against: str, given: Mapping[str, Any]) -> list[str]:
    """Return a note of the types that were asked for and that the other package does not have."""
    asked = scorer.types if "rouge_types" in given else ()
    left = [each.name for each in asked if each.name not in report["rouge_types"]]
    return [f"{against} has no {', '.join(left)}: not compared"] if left else []


def _notes(
    against: str, scorer: Scorer, equal_to: Mapping[str, float], live: Mapping[str, float] | None,
    segments: Mapping[str, list[float | None]],
) -> list[str]:  # fmt: skip
    notes = []
    scale = scorer.scale
    if PEERS[against].percent and scale == 1:
        shown = ", ".join(f"{100 * value:.2f}" for value in equal_to.values())
        notes.append(f"{against} prints percent: {shown}")
    if PEERS[against].note:
        notes.append(PEERS[against].note)
    name = scorer.primary
    values = [value for value in segments.get(name, ()) if value is not None]
    if values and PEERS[against].sentences:
        mean, corpus = f"{sum(values) / len(values):.4g}", f"{equal_to[name]:.4g}"
        if mean != corpus:
            notes.append(f"the mean of {against}'s sentence scores is not its corpus score: {mean} and {corpus}")
    if live is not None and any(abs(live[name] - equal_to[name]) > 1e-6 * scale for name in live):
        notes.append(f"compat={against!r} does not equal {against} on these texts")
    return notes
