"""ROUGE of few pairs in plain Python: the arithmetic of :mod:`.references` and of the scorer, number by number."""

from __future__ import annotations

from collections.abc import Callable

from tercet.columns.batch import Corpus
from tercet.core.result import Result
from tercet.core.scorer import Few
from tercet.few.few_counts import FewCounter, FewCounts

from .options import MEASURES, RougeOptions
from .types import RougeType


class FewRouge(Few):
    """Scores few pairs of ASCII texts, each with one reference; :class:`.scorer.RougeScorer` scores all others.

    Parameters
    ----------
    name : str
        Of the metric.
    options : RougeOptions
        Those of words as they are written, n-grams and longest common subsequences.
    signature : callable
        Makes the signature of a result.
    """

    def __init__(self, name: str, options: RougeOptions, signature: Callable[[], str]) -> None:
        self._name, self._options, self._signature = name, options, signature
        kinds = {each.kind for each in options.rouge_types}
        self._one_line = "Lsum" in kinds
        order = max(1, *(each.order for each in options.rouge_types), 1)
        self._counter = FewCounter("rouge", order, kinds != {"n"})

    def score(self, corpus: Corpus) -> Result | None:
        """Return the result; None for what is scored in another way."""
        counts = self._counter.count(corpus, self._one_line)
        if counts is None:
            return None
        scale, n = self._options.scale, len(counts)
        return Result(
            {key: scale * sum(values) / n for key, values in self._values(counts).items()},
            metric=self._name, signature=self._signature, n_segments=n, empty_predictions=counts.sizes.count(0),
        )  # fmt: skip

    def segments(self, corpus: Corpus) -> dict[str, list[float]] | None:
        """Return the scores of each item; None likewise."""
        counts = self._counter.count(corpus, self._one_line)
        if counts is None:
            return None
        scale = self._options.scale
        return {key: [scale * value for value in values] for key, values in self._values(counts).items()}

    def _values(self, counts: FewCounts) -> dict[str, list[float]]:
        """Return the measures that are asked for, of each type and pair."""
        o, found = self._options, {}
        for kind in o.rouge_types:
            values = dict(zip(MEASURES, measures(counts, kind, o.beta), strict=True))
            found[kind.name] = values["fmeasure" if o.output == "all" else o.output]
            if o.output == "all":
                found |= {f"{kind.name}_precision": values["precision"], f"{kind.name}_recall": values["recall"]}
        return found


def measures(counts: FewCounts, kind: RougeType, beta: float) -> tuple[list[float], ...]:
    """Return precision, recall and F of each pair, for ROUGE-n and ROUGE-L; equal to :func:`.references.pair_scores`.

    Examples
    --------
    >>> measures(FewCounts([[2]], [4], [3], [1]), RougeType("rouge1", "n", order=1), 1.0)
    ([0.5], [0.6666666666666666], [0.5714285714285715])
    """
    weight, less = beta * beta, max(kind.order - 1, 0)
    all_hits = counts.matches[less] if kind.kind == "n" else counts.common
    precisions, recalls, both = [], [], []
    for hits, size, reference_size in zip(all_hits, counts.sizes, counts.reference_sizes, strict=True):
        precision = recall = f = 0.0
        if hits:
            precision, recall = hits / (size - less), hits / (reference_size - less)
            f = (1 + weight) * precision * recall / (recall + weight * precision)
        precisions.append(precision)
        recalls.append(recall)
        both.append(f)
    return precisions, recalls, both
