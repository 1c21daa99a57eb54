"""The packages that a metric can be explained against, as its room declares in ``peers``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.errors import TercetError

from .metric import Metric

#: References of each item.
Lists = Sequence[Sequence[str]]


class UnavailableError(TercetError):
    """The other package cannot be called here; says why."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of another package without an option: what it decides, from our value to theirs.

    `applies` says whether the rule can change a score with the options under ``compat``.
    """

    name: str
    description: str
    ours: str
    theirs: str
    applies: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Peer:
    """Another package, by its name in ``compat``: how to call it, and how to read its output.

    `scores` calls it on predictions and references with the options of a scorer, and returns its scores from 0 to 1.
    `rules` are in the order of a chain, those that decide tokens first; `part` makes of a scorer one that leaves off
    some of them, never the first. `percent`: it prints percent. `sentences`: our scores of single items
    under ``compat`` are its own sentence scores. `warning`: how its printed figure comes about, if that can mislead.
    """

    scores: Callable[[Sequence[str], Lists, Metric], dict[str, float]]
    rules: tuple[Rule, ...] = ()
    part: Callable[[Any, Collection[str]], Metric] | None = None
    percent: bool = False
    sentences: bool = False
    warning: str = ""

    def rules_of(self, scorer: Metric) -> list[Rule]:
        """Return the rules that apply to the options of a scorer under this ``compat``."""
        return [rule for rule in self.rules if rule.applies(scorer)]

    def without(self, scorer: Metric, off: Collection[str]) -> Metric:
        """Return the scorer without some of the rules."""
        return self.part(scorer, off) if self.part is not None else scorer


@dataclass(frozen=True, slots=True)
class Peers:
    """The other packages of a metric, and which options lead from its score to theirs.

    `decides` says what each option that changes a score decides, in the order of a chain; those in `together` exclude
    or measure each other, and are changed at once. `names_scores` is the option that lists the scores, of which a
    package may lack some. `aside` gives values for the options of the report; `spelled_out` one way to write options.
    """

    packages: Mapping[str, Peer]
    decides: Mapping[str, str]
    together: tuple[tuple[str, ...], ...] = ()
    names_scores: str = ""
    aside: Callable[[Any], dict[str, Any]] = lambda options: {}
    spelled_out: Callable[[dict[str, Any]], dict[str, Any]] = lambda options: options


def by_sacrebleu(metrics: Callable[[Any, Any], dict[str, Any]]) -> Peer:
    """Return sacrebleu, of which `metrics` makes the metrics that give a scorer's scores, by their names."""

    def scores(predictions: Sequence[str], references: Lists, scorer: Metric) -> dict[str, float]:
        import sacrebleu

        longest = max(map(len, references), default=0)
        streams = [[each[place] if place < len(each) else None for each in references] for place in range(longest)]
        found = metrics(sacrebleu, scorer)
        return {name: metric.corpus_score(list(predictions), streams).score / 100 for name, metric in found.items()}

    return Peer(scores, percent=True, sentences=True)
