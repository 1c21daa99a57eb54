"""The packages that a metric can be explained against, as its room declares in ``peers``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from tercet.errors import TercetError

from .metric import Metric

#: References of each item.
Lists = Sequence[Sequence[str]]


class UnavailableError(TercetError):
    """The other package cannot be called here; says why."""


class Rule(NamedTuple):
    """A rule of another package without an option: what it decides, from our value to theirs.

    `applies` says whether the rule can change a score with the options under ``compat``.
    """

    name: str
    description: str
    ours: str
    theirs: str
    applies: Callable[[Any], bool]


class Peer(NamedTuple):
    """Another package, by its name in ``compat``: how to call it, and how to read its output.

    `scores` calls it on predictions and references with the options of a metric, and returns its scores from 0 to 1.
    `rules` are in the order of a chain, those that decide tokens first; `part` makes of a metric one that leaves off
    some of them, never the first. `percent`: it prints percent. `sentences`: our scores of single items
    under ``compat`` are its own sentence scores. `warning`: how its printed figure comes about, if that can mislead.
    """

    scores: Callable[[Sequence[str], Lists, Metric], dict[str, float]]
    rules: tuple[Rule, ...] = ()
    part: Callable[[Any, Collection[str]], Metric] | None = None
    percent: bool = False
    sentences: bool = False
    warning: str = ""

    def rules_of(self, metric: Metric) -> list[Rule]:
        """Return the rules that apply to the options of a metric under this ``compat``."""
        return [rule for rule in self.rules if rule.applies(metric)]

    def without(self, metric: Metric, off: Collection[str]) -> Metric:
        """Return the metric without some of the rules."""
        return self.part(metric, off) if self.part is not None else metric


class Peers(NamedTuple):
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
    """Return sacrebleu, of which `metrics` makes the metrics that give the scores of one of ours, by their names."""

    def scores(predictions: Sequence[str], references: Lists, metric: Metric) -> dict[str, float]:
        import sacrebleu

        # sacrebleu takes the first references of all items, then the second ones: None where an item has fewer
        most = max(map(len, references), default=0)
        streams = []
        for number in range(most):
            streams.append([of_item[number] if number < len(of_item) else None for of_item in references])
        their_metrics = metrics(sacrebleu, metric)
        return {
            name: theirs.corpus_score(list(predictions), streams).score / 100
            for name, theirs in their_metrics.items()
        }

    return Peer(scores, percent=True, sentences=True)
