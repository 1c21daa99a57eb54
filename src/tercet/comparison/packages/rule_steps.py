"""The steps from our score to another package's: metrics that differ from their predecessor in one option or rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.base.metric import Metric
from tercet.base.peers import Peer, Peers
from tercet.corpus.corpus import Corpus
from tercet.corpus.tokenizers import tokenizer_label
from tercet.errors import OptionError
from tercet.registry import metric_class

from .peer_packages import takes


@dataclass(frozen=True, slots=True)
class Step:
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
class Sides:
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

    def steps(self, ours: Metric, theirs: Metric, batch: Corpus) -> Iterator[Step]:
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
        yield Step(
            name="compat",
            description=f"the remaining rules of compat={self.against!r}",
            from_value="ours",
            to_value=self.against,
            metric=theirs,
            always=False,
        )

    def _without_rules_of(self, compat: str, ours: Metric, our_values: Mapping[str, Any]) -> Step:
        """Return the step from a package to our own rules, with the options as they are."""
        rule_names = ", ".join(rule.name for rule in self.peers.packages[compat].rules_of(ours))
        return Step(
            name="compat",
            description=f"what only compat={compat!r} does",
            from_value=rule_names,
            to_value="ours",
            metric=self.with_options(our_values, None),
            always=bool(rule_names),
        )

    def _option_steps(
        self, our_values: Mapping[str, Any], their_values: Mapping[str, Any], compat: str | None
    ) -> Iterator[Step]:
        """Yield a step for each option that the two have otherwise; those that change together are one."""
        values = dict(our_values)
        for group in self._groups(our_values):
            changed = [name for name in group if our_values[name] != their_values[name]]
            if not changed:
                continue
            values |= {name: their_values[name] for name in changed}
            yield Step(
                name=changed[0],
                description=self.peers.decides.get(changed[0], "what happens to items without a reference"),
                from_value=_options_in_words(our_values, changed),
                to_value=_options_in_words(their_values, changed),
                metric=self.with_options(values, compat),
            )

    def _rule_steps(self, their_values: Mapping[str, Any], theirs: Metric) -> Iterator[Step]:
        """Yield a step for each rule of the other package that has a name."""
        target = self.with_options(their_values, self.against)
        rules = self.peer.rules_of(target)
        for number, rule in enumerate(rules, 1):
            # The last step has all rules, as `theirs` does.
            later_names = [later_rule.name for later_rule in rules[number:]]
            yield Step(
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


def sides_of(metric: Metric, against: str, peers: Peers) -> Sides:
    """Return both sides, at our scale, with the scores that the other package has."""
    report = {"scale": metric.scale, "confidence_level": None, "segments": False, **peers.aside(metric)}
    if peers.names_scores:
        names = list(getattr(metric, peers.names_scores))
        theirs = [name for name in names if takes(metric.name, against, {peers.names_scores: [name]})]
        if not theirs:
            raise OptionError(f"{against} has none of the types {', '.join(names)}.")
        report[peers.names_scores] = theirs
    return Sides(metric.name, against, peers, report)


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
