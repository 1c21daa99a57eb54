"""BLEU of few pairs in plain Python: the arithmetic of :mod:`.smoothing` and :mod:`tercet.counting.lengths`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.columns.batch import Corpus
from tercet.core.result import Result
from tercet.core.scorer import Few
from tercet.few.few_counts import FewCounter, FewCounts

from .options import BleuOptions, interpretation
from .smoothing import SMOOTH_VALUES, Counts

#: Logarithms of more of them are taken faster all at once.
_MOST_SENTENCES = 16
#: The methods of :func:`.smoothing.precisions` that stand here.
METHODS = ("none", "exp", "floor", "add-k")


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over pairs: matches and n-grams of each order, and the tokens of both sides."""

    matches: Sequence[int]
    totals: Sequence[int]
    length: int
    reference_length: int


class FewBleu(Few):
    """Scores few pairs of usual texts, each with one reference; :class:`.scorer.BleuScorer` scores all others.

    Parameters
    ----------
    name : str
        Of the metric.
    options : BleuOptions
        Those of words as they are written, without weights and grid.
    method : str
        One of `METHODS`.
    signature : callable
        Makes the signature of a result.
    why_zero : callable
        Says why a corpus of such counts scores 0, where that is worth a remark.
    """

    def __init__(
        self, name: str, options: BleuOptions, method: str, signature: Callable[[], str],
        why_zero: Callable[[Counts], str | None],
    ) -> None:  # fmt: skip
        self._name, self._options, self._method, self._signature = name, options, method, signature
        self._why_zero = why_zero
        self._counter = FewCounter(str(options.tokenizer), options.max_order, False)

    def score(self, corpus: Corpus) -> Result | None:
        """Return the result; None for what is scored in another way."""
        o, counts = self._options, self._counter.count(corpus)
        if counts is None:
            return None
        sums = summed(counts)
        values, penalty, bleu = self._scores(sums, self._method, o.effective_order)
        length, reference_length = sums.length, sums.reference_length
        entries: dict[str, Any] = {
            "bleu": bleu,
            "precisions": [o.scale * value for value in values],
            "brevity_penalty": penalty,
            "length_ratio": length / reference_length if reference_length else 0.0,
            "translation_length": length,
            "reference_length": float(reference_length) if o.reference_length == "average" else reference_length,
        }
        usual = o.max_order == 4
        return Result(
            entries,
            metric=self._name,
            signature=self._signature,
            n_segments=len(counts),
            empty_predictions=counts.sizes.count(0),
            counts=list(sums.matches),
            totals=list(sums.totals),
            interpretation=interpretation(bleu * 100 / o.scale) if usual else None,
        )

    def remark(self, result: Result) -> str | None:
        """Return why the score of a result is 0, where that is worth a warning."""
        if result["bleu"]:  # as most are: nothing is made for them
            return None
        matches, totals = (np.array(each, dtype=np.float64) for each in (result.counts, result.totals))
        return self._why_zero(Counts(matches, totals, np.array(float(result["translation_length"]))))

    def segments(self, corpus: Corpus) -> dict[str, list[float]] | None:
        """Return the scores of each item, as sacrebleu scores sentences; None likewise."""
        counts = self._counter.count(corpus) if corpus.n_items <= _MOST_SENTENCES else None
        if counts is None:
            return None
        method = "exp" if self._method == "none" else self._method
        each = zip(zip(*counts.matches, strict=True), counts.sizes, counts.reference_sizes, strict=True)
        return {
            "bleu": [
                self._scores(Sums(hits, [max(size - n, 0) for n in range(len(hits))], size, reference), method, True)[
                    2
                ]
                for hits, size, reference in each
            ]
        }

    def _scores(self, sums: Sums, method: str, effective: bool) -> tuple[list[float], float, float]:
        """Return the precisions, the penalty and BLEU."""
        values, reached = precisions(sums, method, self._options.smooth_value)
        penalty = brevity_penalty(sums)
        mean = geometric_mean(values, 1 / len(values), reached if effective else None) if sums.matches[0] else 0.0
        return values, penalty, self._options.scale * penalty * mean


def summed(counts: FewCounts) -> Sums:
    """Return the sums over pairs.

    Examples
    --------
    >>> summed(FewCounts([[2, 1], [1, 0]], [3, 1], [4, 1], [0, 0]))
    Sums(matches=[3, 1], totals=[4, 2], length=4, reference_length=5)
    """
    totals = [sum([size - n for size in counts.sizes if size > n]) for n in range(len(counts.matches))]
    return Sums([sum(hits) for hits in counts.matches], totals, sum(counts.sizes), sum(counts.reference_sizes))


def precisions(sums: Sums, method: str, value: float | None) -> tuple[list[float], int]:
    """Return the precisions of each order and how many were reached, as :func:`.smoothing.precisions` of one corpus.

    Examples
    --------
    >>> precisions(Sums([3, 0], [4, 2], 4, 5), "exp", None)
    ([0.75, 0.25], 2)
    """
    amount = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    found, reached, halves = [0.0] * len(sums.matches), 0, 1.0
    for order, (matches, total) in enumerate(zip(sums.matches, sums.totals, strict=True)):
        added = amount if method == "add-k" and order else 0.0
        hits, possible = matches + added, total + added
        if not possible > 0:
            break
        reached += 1
        if hits == 0 and method == "exp":
            halves *= 2.0
            found[order] = 1.0 / (halves * possible)
        elif hits == 0 and method == "floor":
            found[order] = amount / possible
        else:
            found[order] = hits / possible
    return (found if any(sums.matches) else [0.0] * len(found)), reached


def geometric_mean(values: Sequence[float], weight: float, reached: int | None) -> float:
    """Return the weighted geometric mean, each order with the same weight, as :func:`.smoothing.geometric_mean`.

    Logarithms are NumPy's, whose last bits are not those of Python's.

    Examples
    --------
    >>> geometric_mean([0.5, 0.125], 0.5, None)
    0.25
    """
    used = values if reached is None else values[:reached]
    if 0.0 in used:
        return 0.0
    exponent = sum((np.log(used) * weight).tolist())
    if reached is not None:
        whole = sum([weight] * len(values))
        kept = sum([weight] * reached)
        exponent *= whole / kept if kept > 0 else 0.0
    return float(np.exp(exponent))


def brevity_penalty(sums: Sums) -> float:
    """Return the penalty for predictions that are shorter than their references."""
    if not sums.length < sums.reference_length:
        return 1.0
    return float(np.exp(1 - max(sums.reference_length / sums.length, 1.0))) if sums.length else 0.0
