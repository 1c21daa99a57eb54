"""ROUGE of few pairs in plain Python: the arithmetic of :mod:`.references` and of the scorer, number by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.columns.batch import Corpus
from tercet.core.result import Result
from tercet.few.few_counts import FewCounter, FewCounts

from .options import MEASURES, RougeOptions
from .types import RougeType


class FewRouge:
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
        o, counts = self._options, self._counter.count(corpus, self._one_line)
        if counts is None:
            return None
        means = {
            kind.name: [o.scale * sum(values) / len(counts) for values in measures(counts, kind, o.beta)]
            for kind in o.rouge_types
        }
        empty = counts.sizes.count(0)
        return Result(
            self._by_name(means), metric=self._name, signature=self._signature, n_segments=len(counts),
            empty_predictions=empty,
        )  # fmt: skip

    def segments(self, corpus: Corpus) -> dict[str, list[float]] | None:
        """Return the scores of each item; None likewise."""
        o, counts = self._options, self._counter.count(corpus, self._one_line)
        if counts is None:
            return None
        lists = {
            kind.name: [[o.scale * value for value in values] for values in measures(counts, kind, o.beta)]
            for kind in o.rouge_types
        }
        return self._by_name(lists)

    def _by_name(self, by_type: dict[str, list[Any]]) -> dict[str, Any]:
        output = self._options.output
        found = {}
        for name, values in by_type.items():
            found[name] = values[MEASURES.index("fmeasure" if output == "all" else output)]
            if output == "all":
                found |= {f"{name}_precision": values[0], f"{name}_recall": values[1]}
        return found


def measures(counts: FewCounts, kind: RougeType, beta: float) -> tuple[list[float], ...]:
    """Return precision, recall and F of each pair, for ROUGE-n and ROUGE-L; equal to :func:`.references.pair_scores`.

    Examples
    --------
    >>> measures(FewCounts([[2]], [4], [3], [1]), RougeType("rouge1", "n", order=1), 1.0)
    ([0.5], [0.6666666666666666], [0.5714285714285715])
    """
    weight, less = beta * beta, max(kind.order - 1, 0)
    hits = counts.matches[less] if kind.kind == "n" else counts.common
    precisions = [hit / max(size - less, 1) for hit, size in zip(hits, counts.sizes, strict=True)]
    recalls = [hit / max(size - less, 1) for hit, size in zip(hits, counts.reference_sizes, strict=True)]
    both = [
        (1 + weight) * precision * recall / (recall + weight * precision) if precision or recall else 0.0
        for precision, recall in zip(precisions, recalls, strict=True)
    ]
    return precisions, recalls, both
