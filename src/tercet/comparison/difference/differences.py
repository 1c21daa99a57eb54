"""Why two packages score the same texts differently: a chain of scores that differ in one rule each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.api import make_scorer
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_items
from tercet.errors import OptionError
from tercet.metric.peers import UnavailableError
from tercet.metric.scorer import Scorer, segment_lists
from tercet.metric.scoring import batch_stats, score_batch

from .chain import Explained, explained, takes
from .packages import checked_peers

#: Scores closer than this are equal: their sums were only taken in another order.
SAME = 1e-9

#: Items whose scores are closer than this do not count as different: beyond, rounding makes every item differ.
SAME_ITEM = 1e-4

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
    """Explain why another package, by its name in ``compat``, scores the same texts differently.

    The other package gets our options where it has them; the others are rules of the chain. `their_options` are for
    the other package only, under our names, such as ``{"smooth": True}``. With ``compat``, two other packages are
    compared.
    """
    peers = checked_peers(metric, against)
    scorer = make_scorer(metric, options)
    if "compat" in (their_options or {}):
        raise OptionError("Do not give 'compat' as an option of the other package: 'against' names it.")
    items = read_items(predictions, references)
    check_missing(items.missing, scorer.missing_references)
    batch = items.batch()
    pair = explained(scorer, against, peers)
    given = {**pair.shared(scorer, options), **(their_options or {})}
    ours, theirs = pair.scorer(options, getattr(scorer, "compat", None)), pair.scorer(given, against)
    first, messages, ours_signature = _totals(ours, batch)
    last, _, their_signature = _totals(theirs, batch)
    segments = _segments(ours, batch), _segments(theirs, batch)
    differing = largest_gaps(*segments, SAME_ITEM * scorer.scale)
    live, reason = None, f"{against} has no equivalent options"
    if takes(metric, against, {**given, "missing_references": "error", **pair.report}):
        live, reason = _live(pair, pair.scorer(pair.options_of(theirs, batch), against), items)
    return Difference(
        scorer.name, against, tuple(first), first, live, reason, last,
        rules=tuple(_rules(pair, ours, theirs, batch, first, last)),
        n_segments=sum(value is not None for value in next(iter(segments[0].values()))),
        n_segments_differ=len(differing),
        largest_gaps=tuple(differing[:n_gaps]),
        signatures=(ours_signature, their_signature),
        notes=(*_uncompared(pair, scorer, options), *messages, *_warnings(pair, scorer, last, live, segments[1])),
    )  # fmt: skip


def largest_gaps(ours: Segments, theirs: Segments, same: float) -> list[SegmentGap]:
    """Return the items that differ in any score by more than `same`, largest difference first."""
    found = []
    for index, pairs in enumerate(zip(*(zip(ours[name], theirs[name], strict=True) for name in ours), strict=True)):
        mine = {name: own for name, (own, _) in zip(ours, pairs, strict=True) if own is not None}
        other = {name: own for name, (_, own) in zip(ours, pairs, strict=True) if own is not None}
        gap = max((abs(mine[name] - other[name]) for name in mine.keys() & other.keys()), default=0.0)
        if gap > same:
            found.append((-gap, SegmentGap(index, mine, other)))
    return [each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].index))]


def _rules(
    pair: Explained, ours: Scorer, theirs: Scorer, batch: Corpus,
    first: Mapping[str, float], last: Mapping[str, float],
) -> list[Rule]:  # fmt: skip
    """Return the rules that lead from the first score to the last."""
    rules: list[Rule] = []
    here = first
    for step in pair.steps(ours, theirs, batch):
        there = dict(last) if step.scorer is theirs else _totals(step.scorer, batch)[0]
        if step.always or there != here:
            rules.append(Rule(step.name, step.description, step.from_value, step.to_value, here, there))
        here = there
    return rules


def _live(pair: Explained, scorer: Scorer, items: Corpus) -> tuple[dict[str, float] | None, str]:
    """Return the package's own scores, and why some or all are missing."""
    filled = [each for each in zip(*items.columns().values(), strict=True) if each[1]]
    try:
        scores = pair.peer.scores([text for text, _ in filled], [texts for _, texts in filled], scorer)
    except ModuleNotFoundError as error:
        return None, f"the package {error.name} is not installed"
    except UnavailableError as error:
        return None, str(error)
    missing = [name for name in scorer.score_names if name not in scores]
    reason = f"{pair.against} fails at {', '.join(missing)} on these texts" if missing else ""
    return {name: scorer.scale * value for name, value in scores.items()}, reason


def _uncompared(pair: Explained, scorer: Scorer, given: Mapping[str, Any]) -> list[str]:
    """Return a warning of requested scores that the other package does not have."""
    name = pair.peers.names_scores
    asked = list(getattr(scorer, name)) if name in given else []
    left = [each for each in asked if each not in pair.report[name]]
    return [f"{pair.against} has no {', '.join(left)}: not compared"] if left else []


def _warnings(
    pair: Explained, scorer: Scorer, equal_to: Mapping[str, float], live: Mapping[str, float] | None,
    segments: Segments,
) -> list[str]:  # fmt: skip
    found, scale, against, peer = [], scorer.scale, pair.against, pair.peer
    if peer.percent and scale == 1:
        shown = ", ".join(f"{100 * value:.2f}" for value in equal_to.values())
        found.append(f"{against} prints percent: {shown}")
    if peer.warning:
        found.append(peer.warning)
    name = scorer.primary
    values = [value for value in segments.get(name, ()) if value is not None]
    if values and peer.sentences:
        mean, corpus = f"{sum(values) / len(values):.4g}", f"{equal_to[name]:.4g}"
        if mean != corpus:
            found.append(f"the mean of {against}'s sentence scores is not its corpus score: {mean} and {corpus}")
    if live is not None and any(abs(live[name] - equal_to[name]) > 1e-6 * scale for name in live):
        found.append(f"compat={against!r} does not equal {against} on these texts")
    return found


def _totals(scorer: Scorer, batch: Corpus) -> tuple[dict[str, float], list[str], str]:
    """Return the corpus scores by name, their warnings, and the signature."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = score_batch(scorer, batch)
    messages = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    return {name: float(result[name]) for name in scorer.score_names}, messages, result.signature


def _segments(scorer: Scorer, batch: Corpus) -> Segments:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return segment_lists(scorer, batch_stats(scorer, batch))
