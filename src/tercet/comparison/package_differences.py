"""Why two packages score the same texts differently: a chain of scores that differ in one rule each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import itemgetter
from typing import Any, NamedTuple

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.peers import Peer, Peers, UnavailableError
from tercet.base.scoring import batch_stats, score_batch, segment_lists
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_items
from tercet.corpus.tokenizers import tokenizer_label
from tercet.errors import OptionError, did_you_mean
from tercet.names_as_shown import joined
from tercet.registry import METRICS, metric_class
from tercet.specs import take_options

#: Scores closer than this are equal: their sums were only taken in another order.
SAME = 1e-9

#: Items whose scores are closer than this do not count as different: beyond, rounding makes every item differ.
_SAME_ITEM = 1e-4

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
    sides = _sides(our_metric, against, peers)
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
    sides: _Sides,
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


def _live(sides: _Sides, metric: Metric, items: Corpus) -> tuple[dict[str, float] | None, str]:
    """Return the package's own scores, and why some or all are missing."""
    # The package takes no item without a reference.
    scored_items = [item for item in zip(*items.columns().values(), strict=True) if item[1]]
    try:
        scores = sides.peer.scores([text for text, _ in scored_items], [texts for _, texts in scored_items], metric)
    except ModuleNotFoundError as error:
        return None, f"the package {error.name} is not installed"
    except UnavailableError as error:
        return None, str(error)
    missing = [name for name in metric.score_names if name not in scores]
    reason = f"{sides.against} fails at {', '.join(missing)} on these texts" if missing else ""
    return {name: metric.scale * value for name, value in scores.items()}, reason


def _scores_that_only_we_have(sides: _Sides, metric: Metric, options: Mapping[str, Any]) -> list[str]:
    """Return a warning of requested scores that the other package does not have."""
    option = sides.peers.names_scores
    requested = list(getattr(metric, option)) if option in options else []
    missing = [score for score in requested if score not in sides.report[option]]
    return [f"{sides.against} has no {', '.join(missing)}: not compared"] if missing else []


def _warnings(
    sides: _Sides,
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
    # Nearer than this, the sums of the package were only taken in another order.
    if live is not None and any(abs(live[name] - equal_to[name]) > 1e-6 * scale for name in live):
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


# The chain between two packages: metrics that differ from their predecessor in one option or rule.


@dataclass(frozen=True, slots=True)
class _Step:
    """One option or rule on the way from our score to theirs, and the metric with all changes so far.

    Unless shown `always`, it is left out where it changes no score.
    """

    name: str
    description: str
    from_value: Any
    to_value: Any
    metric: Metric
    always: bool = True


@dataclass(frozen=True, slots=True)
class _Sides:
    """A metric against another package, with the reporting options, which both share."""

    metric: str
    against: str
    peers: Peers
    report: Mapping[str, Any]

    @property
    def peer(self) -> Peer:
        """The other package."""
        return self.peers.packages[self.against]

    def with_options(self, options: Mapping[str, Any], compat: str | None) -> Metric:
        """Return the metric with these options; between steps, some options may have no effect."""
        return metric_class(self.metric).from_options({**options, **self.report, "compat": compat}, may_be_idle=True)

    def shared_options(self, metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given options that the other package has too."""
        shared: dict[str, Any] = {}
        for name in self.peers.decides:
            is_ours = name not in options or (name, options[name]) == ("tokenizer", "auto")
            if not is_ours and takes(self.metric, self.against, {**shared, name: options[name]}):
                shared[name] = options[name]
        if metric.missing_references != "error":
            # The package takes no item without a reference.
            shared["missing_references"] = "skip"
        return shared

    def options_of(self, metric: Metric, batch: Corpus) -> dict[str, Any]:
        """Return the options in effect on these texts: without defaults, each rule in one spelling."""
        options = self.peers.spelled_out({name: getattr(metric, name) for name in self.peers.decides})
        if options.get("tokenizer") == "auto":
            options["tokenizer"] = metric.signature(metric.fit(batch))["tok"]
        return {"missing_references": metric.missing_references if batch.missing else "error", **options}

    def steps(self, ours: Metric, theirs: Metric, batch: Corpus) -> Iterator[_Step]:
        """Yield the steps from our metric to theirs; the last one covers the unnamed rules."""
        our_values = self.options_of(ours, batch)
        their_values = self.options_of(theirs, batch)
        compat = getattr(ours, "compat", None)
        if compat not in (None, self.against):
            # Between two packages, the first step leaves the rules that only one has.
            yield self._without_rules_of(compat, ours, our_values)
            compat = None
        yield from self._option_steps(our_values, their_values, compat)
        if compat is None:
            yield from self._rule_steps(their_values, theirs)
        yield _Step(
            name="compat",
            description=f"the remaining rules of compat={self.against!r}",
            from_value="ours",
            to_value=self.against,
            metric=theirs,
            always=False,
        )

    def _without_rules_of(self, compat: str, ours: Metric, our_values: Mapping[str, Any]) -> _Step:
        """Return the step from a package to our own rules, with the options as they are."""
        rule_names = ", ".join(rule.name for rule in self.peers.packages[compat].rules_of(ours))
        return _Step(
            name="compat",
            description=f"what only compat={compat!r} does",
            from_value=rule_names,
            to_value="ours",
            metric=self.with_options(our_values, None),
            always=bool(rule_names),
        )

    def _option_steps(
        self, our_values: Mapping[str, Any], their_values: Mapping[str, Any], compat: str | None
    ) -> Iterator[_Step]:
        """Yield a step for each option that the two have otherwise; those that change together are one."""
        values = dict(our_values)
        for group in self._groups(our_values):
            changed = [name for name in group if our_values[name] != their_values[name]]
            if not changed:
                continue
            values |= {name: their_values[name] for name in changed}
            yield _Step(
                name=changed[0],
                description=self.peers.decides.get(changed[0], "what happens to items without a reference"),
                from_value=_options_in_words(our_values, changed),
                to_value=_options_in_words(their_values, changed),
                metric=self.with_options(values, compat),
            )

    def _rule_steps(self, their_values: Mapping[str, Any], theirs: Metric) -> Iterator[_Step]:
        """Yield a step for each rule of the other package that has a name."""
        target = self.with_options(their_values, self.against)
        rules = self.peer.rules_of(target)
        for number, rule in enumerate(rules, 1):
            # The last step has all rules, as `theirs` does.
            later_names = [later_rule.name for later_rule in rules[number:]]
            yield _Step(
                name=rule.name,
                description=rule.description,
                from_value=rule.ours,
                to_value=rule.theirs,
                metric=self.peer.without(target, later_names) if later_names else theirs,
            )

    def _groups(self, options: Mapping[str, Any]) -> list[tuple[str, ...]]:
        """Return the options in order, grouped where they change together."""
        groups: dict[tuple[str, ...], None] = {}
        for name in options:
            together = next((group for group in self.peers.together if name in group), (name,))
            groups[together] = None
        return list(groups)


def _sides(metric: Metric, against: str, peers: Peers) -> _Sides:
    """Return both sides, at our scale, with the scores that the other package has."""
    report = {"scale": metric.scale, "confidence_level": None, "segments": False, **peers.aside(metric)}
    if peers.names_scores:
        names = list(getattr(metric, peers.names_scores))
        theirs = [name for name in names if takes(metric.name, against, {peers.names_scores: [name]})]
        if not theirs:
            raise OptionError(f"{against} has none of the types {', '.join(names)}.")
        report[peers.names_scores] = theirs
    return _Sides(metric.name, against, peers, report)


def takes(metric: str, against: str, options: Mapping[str, Any]) -> bool:
    """Return whether the other package has these options, by the signature."""
    try:
        their_metric = metric_class(metric).from_options({**options, "compat": against}, may_be_idle=True)
    except OptionError:
        return False
    return "equals" in their_metric.signature(None)


def _options_in_words(options: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of an option, or those of several as one text."""
    values = {name: _plain_option(options[name]) for name in names}
    first, *other_names = values
    other_values = [f"{name}={values[name]}" for name in other_names if values[name] not in (None, False)]
    return f"{values[first]} ({', '.join(other_values)})" if other_values else values[first]


def _plain_option(value: Any) -> Any:
    if callable(value):
        return tokenizer_label(value)
    return sorted(value) if isinstance(value, frozenset) else value


# Which metrics can be explained against which packages, as their ``peers`` declare.


@cache
def peers_of(metric: str) -> Peers | None:
    """Return the packages that a metric declares in its file, or in ``peers.py`` if it is a folder; or None."""
    module = import_module(metric_class(metric).__module__)
    if hasattr(module, "PEERS"):
        peers: Peers = module.PEERS
        return peers
    name = f"{module.__package__}.peers"
    return None if find_spec(name) is None else import_module(name).PEERS


def packages() -> dict[str, list[str]]:
    """Return the names of the packages by metric."""
    return {metric: list(peers.packages) for metric in METRICS if (peers := peers_of(metric)) is not None}


def packages_in_words() -> str:
    """Return the packages and their metrics, in words."""
    metrics: dict[str, list[str]] = {}
    for metric, names in packages().items():
        metrics.setdefault(joined(names, word="or"), []).append(metric)
    return "; ".join(f"{names} for {joined(metric_names)}" for names, metric_names in metrics.items())


def checked_peers(metric: str, against: str) -> Peers:
    """Return the packages that a metric declares; OptionError for a pair that cannot be explained."""
    peers = peers_of(metric)
    if peers is None:
        raise OptionError(f"{joined(list(packages()))} can be explained against other packages, not {metric}.")
    if against not in peers.packages:
        hint = did_you_mean(str(against), list(peers.packages))
        raise OptionError(f"{metric} cannot be compared with {against!r}. {hint}")
    return peers
