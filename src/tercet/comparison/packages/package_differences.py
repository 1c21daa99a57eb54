"""Why two packages score the same texts differently: a chain of scores that differ in one rule each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.peers import UnavailableError
from tercet.base.scoring import batch_stats, score_batch, segment_lists
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_items
from tercet.errors import OptionError
from tercet.specs import take_options

from .peer_packages import checked_peers, takes
from .rule_steps import Sides, sides_of

#: Scores closer than this are equal: their sums were only taken in another order.
SAME = 1e-9

#: Items whose scores are closer than this do not count as different: rounding makes every item differ by less.
_SAME_ITEM = 1e-4

#: Closer than this, as a part of the scale, the package itself gives our score: it added up in another order.
_SAME_LIVE = 1e-6

#: Scores of items by name; None if left out.
Segments = Mapping[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class Rule:
    """The scores before and after one option, or a rule that only ``compat`` has, is changed from ours to theirs."""

    name: str
    description: str
    from_value: Any
    to_value: Any
    score_before: Mapping[str, float]
    score_after: Mapping[str, float]

    @property
    def change(self) -> dict[str, float]:
        """The effect of the rule on each score."""
        return {name: after - self.score_before[name] for name, after in self.score_after.items()}

    @property
    def has_effect(self) -> bool:
        """Whether the rule makes a difference on these texts."""
        return any(abs(change) > SAME for change in self.change.values())


@dataclass(frozen=True, slots=True)
class SegmentGap:
    """An item with different scores: ours, and theirs by ``compat``."""

    index: int
    ours: Mapping[str, float]
    theirs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """Our score, theirs, and the rules that lead from one to the other.

    `names` are the scores that both have. `theirs` is the output of the package itself, or None if it cannot be
    called (`unavailable` says why); `equal_to` is our score with ``compat``. The first rule begins at `ours` and the
    last ends at `equal_to`: their effects add up to the difference, and depend on their order. `largest_gaps` are
    among the `n_segments_differ` items that differ by more than 0.0001 of the scale. `signatures` are those of
    `ours` and `equal_to`; `notes` are warnings.
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
        """Whether the two scores are equal."""
        return all(abs(self.ours[name] - self.equal_to[name]) <= SAME for name in self.names)

    def decisive(self, name: str | None = None) -> Rule | None:
        """Return the rule that changes a score most (the first score by default); None if none does."""
        score = self.names[0] if name is None else name
        effective = [rule for rule in self.rules if abs(rule.change[score]) > SAME]
        return max(effective, key=lambda rule: abs(rule.change[score]), default=None)


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
    """Explain why another package, by its name in ``compat``, scores the same texts differently.

    The other package gets our options where it has them; the others are rules of the chain. `their_options` are for
    the other package only, under our names, such as ``{"smooth": True}``. With ``compat``, two other packages are
    compared.
    """
    name, our_options = take_options(metric, options)
    peers = checked_peers(name, against)
    our_metric = make_scorer(name, our_options)
    if "compat" in (their_options or {}):
        raise OptionError("Do not give 'compat' as an option of the other package: 'against' names it.")
    items = read_items(predictions, references)
    check_missing(items.missing, our_metric.missing_references)
    batch = our_metric.as_scored(items).encoded()
    sides = sides_of(our_metric, against, peers)
    options_of_package = {**sides.shared_options(our_metric, our_options), **(their_options or {})}
    ours = sides.with_options(our_options, getattr(our_metric, "compat", None))
    theirs = sides.with_options(options_of_package, against)
    our_totals = _totals(ours, batch)
    their_totals = _totals(theirs, batch)
    our_segments = _segments(ours, batch)
    their_segments = _segments(theirs, batch)
    differing = largest_gaps(our_segments, their_segments, _SAME_ITEM * our_metric.scale)
    live_scores = None
    reason = f"{against} has no equivalent options"
    # The package does not see items without a reference: `_live` leaves them out.
    if takes(name, against, {**options_of_package, "missing_references": "error", **sides.report}):
        live_scores, reason = _live(sides, sides.with_options(sides.options_of(theirs, batch), against), items)
    return Difference(
        metric=our_metric.name,
        against=against,
        names=tuple(our_totals.scores),
        ours=our_totals.scores,
        theirs=live_scores,
        unavailable=reason,
        equal_to=their_totals.scores,
        rules=tuple(
            _rules(sides, ours, theirs, batch, our_scores=our_totals.scores, their_scores=their_totals.scores)
        ),
        n_segments=sum(value is not None for value in next(iter(our_segments.values()))),
        n_segments_differ=len(differing),
        largest_gaps=tuple(differing[:n_gaps]),
        signatures=(our_totals.signature, their_totals.signature),
        notes=(
            *_scores_that_only_we_have(sides, our_metric, our_options),
            *our_totals.messages,
            *_warnings(sides, our_metric, equal_to=their_totals.scores, live=live_scores, segments=their_segments),
        ),
    )


def largest_gaps(ours: Segments, theirs: Segments, same: float) -> list[SegmentGap]:
    """Return the items that differ in any score by more than `same`, largest difference first."""
    gaps = []
    n_segments = len(next(iter(ours.values())))
    for index in range(n_segments):
        our_scores = _scores_at(ours, index)
        their_scores = _scores_at(theirs, index)
        in_both = our_scores.keys() & their_scores.keys()
        size = max((abs(our_scores[name] - their_scores[name]) for name in in_both), default=0.0)
        if size > same:
            gaps.append((size, SegmentGap(index, our_scores, their_scores)))
    # Sorting leaves ties in the order of the items.
    gaps.sort(key=itemgetter(0), reverse=True)
    return [gap for _, gap in gaps]


def _scores_at(segments: Segments, index: int) -> dict[str, float]:
    """Return the scores of an item that it has."""
    scores = {}
    for name, values in segments.items():
        value = values[index]
        if value is not None:
            scores[name] = value
    return scores


def _rules(
    sides: Sides,
    ours: Metric,
    theirs: Metric,
    batch: Corpus,
    *,
    our_scores: Mapping[str, float],
    their_scores: Mapping[str, float],
) -> list[Rule]:
    """Return the rules that lead from the first score to the last."""
    rules: list[Rule] = []
    scores_before = our_scores
    for step in sides.steps(ours, theirs, batch):
        is_last = step.metric is theirs
        scores_after = dict(their_scores) if is_last else _totals(step.metric, batch).scores
        if step.always or scores_after != scores_before:
            rules.append(
                Rule(
                    name=step.name,
                    description=step.description,
                    from_value=step.from_value,
                    to_value=step.to_value,
                    score_before=scores_before,
                    score_after=scores_after,
                )
            )
        scores_before = scores_after
    return rules


def _live(sides: Sides, metric: Metric, items: Corpus) -> tuple[dict[str, float] | None, str]:
    """Return the package's own scores, and why it does not give all of them."""
    # The package takes no item without a reference.
    scored_items = [item for item in zip(*items.columns().values(), strict=True) if item[1]]
    try:
        scores = sides.peer.scores([text for text, _ in scored_items], [texts for _, texts in scored_items], metric)
    except ModuleNotFoundError as error:
        return None, f"the package {error.name} is not installed"
    except UnavailableError as error:
        return None, str(error)
    failed = [name for name in metric.score_names if name not in scores]
    reason = f"{sides.against} fails at {', '.join(failed)} on these texts" if failed else ""
    return {name: metric.scale * value for name, value in scores.items()}, reason


def _scores_that_only_we_have(sides: Sides, metric: Metric, options: Mapping[str, Any]) -> list[str]:
    """Return a warning of requested scores that the other package does not have."""
    option = sides.peers.names_scores
    requested = list(getattr(metric, option)) if option in options else []
    only_ours = [score for score in requested if score not in sides.report[option]]
    return [f"{sides.against} has no {', '.join(only_ours)}: not compared"] if only_ours else []


def _warnings(
    sides: Sides,
    metric: Metric,
    *,
    equal_to: Mapping[str, float],
    live: Mapping[str, float] | None,
    segments: Segments,
) -> list[str]:
    """Return warnings of what the other package's numbers are, and of scores of ours that do not equal them."""
    sentences = []
    scale = metric.scale
    against = sides.against
    peer = sides.peer
    if peer.percent and scale == 1:
        percentages = ", ".join(f"{100 * value:.2f}" for value in equal_to.values())
        sentences.append(f"{against} prints percent: {percentages}")
    if peer.warning:
        sentences.append(peer.warning)
    name = metric.primary
    values = [value for value in segments.get(name, ()) if value is not None]
    if values and peer.sentences:
        mean = f"{sum(values) / len(values):.4g}"
        corpus = f"{equal_to[name]:.4g}"
        if mean != corpus:
            sentences.append(f"the mean of {against}'s sentence scores is not its corpus score: {mean} and {corpus}")
    if live is not None and any(abs(live[name] - equal_to[name]) > _SAME_LIVE * scale for name in live):
        sentences.append(f"compat={against!r} does not equal {against} on these texts")
    return sentences


class _Totals(NamedTuple):
    """The corpus scores by name, what the metric warned of, and its signature."""

    scores: dict[str, float]
    messages: list[str]
    signature: str


def _totals(metric: Metric, batch: Corpus) -> _Totals:
    """Return the corpus scores of a metric."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = score_batch(metric, batch)
    messages = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    scores = {name: float(result[name]) for name in metric.score_names}
    return _Totals(scores, messages, result.signature)


def _segments(metric: Metric, batch: Corpus) -> Segments:
    # Of the same texts, `_totals` has recorded the warnings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return segment_lists(metric, batch_stats(metric, batch))
