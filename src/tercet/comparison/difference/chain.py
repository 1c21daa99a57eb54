"""The chain between two packages: scorers that differ from their predecessor in one option or rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.corpus.corpus import Corpus
from tercet.corpus.tokenizers import tokenizer_label
from tercet.errors import OptionError
from tercet.metric.peers import Peer, Peers
from tercet.metric.scorer import Scorer
from tercet.registry import metric_class


@dataclass(frozen=True, slots=True)
class Step:
    """One option or rule on the way from our score to theirs, and the scorer with all changes so far.

    Unless shown `always`, it is left out where it changes no score.
    """

    name: str
    description: str
    from_value: Any
    to_value: Any
    scorer: Scorer
    always: bool = True


@dataclass(frozen=True, slots=True)
class Explained:
    """A metric against another package, with the reporting options, which both share."""

    metric: str
    against: str
    peers: Peers
    report: Mapping[str, Any]

    @property
    def peer(self) -> Peer:
        """The other package."""
        return self.peers.packages[self.against]

    def scorer(self, options: Mapping[str, Any], compat: str | None) -> Scorer:
        """Return a scorer; between steps, some options may have no effect."""
        return metric_class(self.metric).from_options({**options, **self.report, "compat": compat}, idle=True)

    def shared(self, scorer: Scorer, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given options that the other package has too."""
        shared: dict[str, Any] = {}
        for name in self.peers.decides:
            is_ours = name not in given or (name, given[name]) == ("tokenizer", "auto")
            if not is_ours and takes(self.metric, self.against, {**shared, name: given[name]}):
                shared[name] = given[name]
        if scorer.missing_references != "error":
            shared["missing_references"] = "skip"  # the package does not take them
        return shared

    def options_of(self, scorer: Scorer, batch: Corpus) -> dict[str, Any]:
        """Return the options in effect on these texts: without defaults, each rule in one spelling."""
        options = self.peers.spelled_out({name: getattr(scorer, name) for name in self.peers.decides})
        if options.get("tokenizer") == "auto":
            options["tokenizer"] = scorer.signature(scorer.fit(batch))["tok"]
        return {"missing_references": scorer.missing_references if batch.missing else "error", **options}

    def steps(self, ours: Scorer, theirs: Scorer, batch: Corpus) -> Iterator[Step]:
        """Yield the steps from our scorer to theirs; the last one covers the unnamed rules."""
        here, there = (self.options_of(each, batch) for each in (ours, theirs))
        compat = getattr(ours, "compat", None)
        if compat not in (None, self.against):  # between two packages: first the rules of only one
            names = ", ".join(rule.name for rule in self.peers.packages[compat].rules_of(ours))
            decides = f"what only compat={compat!r} does"
            yield Step("compat", decides, names, "ours", self.scorer(here, None), bool(names))
            compat = None
        for group in self._groups(here):
            changed = [name for name in group if here[name] != there[name]]
            if changed:
                values = _shown(here, changed), _shown(there, changed)
                here |= {name: there[name] for name in changed}
                decides = self.peers.decides.get(changed[0], "what happens to items without a reference")
                yield Step(changed[0], decides, *values, self.scorer(here, compat))
        target = self.scorer(there, self.against)
        rules = self.peer.rules_of(target) if compat is None else []
        for number, rule in enumerate(rules, 1):
            off = [other.name for other in rules[number:]]
            scorer = self.peer.without(target, off) if off else theirs
            yield Step(rule.name, rule.description, rule.ours, rule.theirs, scorer)
        yield Step("compat", f"the remaining rules of compat={self.against!r}", "ours", self.against, theirs, False)

    def _groups(self, options: Mapping[str, Any]) -> list[tuple[str, ...]]:
        """Return the options in order, grouped where they change together."""
        groups = [next((each for each in self.peers.together if name in each), (name,)) for name in options]
        return list(dict.fromkeys(groups))


def explained(scorer: Scorer, against: str, peers: Peers) -> Explained:
    """Return both sides, at our scale, with the scores that the other package has."""
    report = {"scale": scorer.scale, "confidence_level": None, "segments": False, **peers.aside(scorer)}
    if peers.names_scores:
        names = list(getattr(scorer, peers.names_scores))
        theirs = [name for name in names if takes(scorer.name, against, {peers.names_scores: [name]})]
        if not theirs:
            raise OptionError(f"{against} has none of the types {', '.join(names)}.")
        report[peers.names_scores] = theirs
    return Explained(scorer.name, against, peers, report)


def takes(metric: str, against: str, options: Mapping[str, Any]) -> bool:
    """Return whether the other package has these options, by the signature."""
    try:
        scorer = metric_class(metric).from_options({**options, "compat": against}, idle=True)
    except OptionError:
        return False
    return "equals" in scorer.signature(None)


def _shown(options: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of an option, or those of several as one text."""
    values = {name: _plain(options[name]) for name in names}
    first, *others = values
    further = [f"{name}={values[name]}" for name in others if values[name] not in (None, False)]
    return f"{values[first]} ({', '.join(further)})" if further else values[first]


def _plain(value: Any) -> Any:
    if callable(value):
        return tokenizer_label(value)
    return sorted(value) if isinstance(value, frozenset) else value
