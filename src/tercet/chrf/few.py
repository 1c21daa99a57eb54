"""chrF of few pairs: counts by kernels, and the arithmetic of :mod:`.measures` in plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Corpus
from tercet.core.result import Result
from tercet.core.scorer import Few
from tercet.engine.chosen import engine
from tercet.few.few_characters import Numbered, number_few_characters, number_few_chrf_words
from tercet.few.few_texts import MOST_ITEMS, bytes_of_few

from .measures import EPSILON
from .options import ChrfOptions, with_keys_of_evaluate, word_orders

#: N-grams of the prediction, of the reference, and matches, of each order.
Triples = Sequence[Sequence[int]]

#: In UTF-8, lone surrogates, which the way of all corpora refuses.
_HALF_CHARACTERS = re.compile(rb"\xed[\xa0-\xbf]")
#: The n-grams of longer texts are counted faster by hashing than by sets of their places.
MOST_BY_PLACES = 192
_DOCUMENTS = np.arange(2 * MOST_ITEMS)


class FewChrf(Few):
    """Scores few pairs of usual texts, each with one reference; :class:`.scorer.ChrfScorer` scores all others.

    Parameters
    ----------
    name : str
        Of the metric.
    options : ChrfOptions
    signature : callable
        Makes the signature of a result.
    """

    def __init__(self, name: str, options: ChrfOptions, signature: Callable[[], str]) -> None:
        self._name, self._options, self._signature = name, options, signature
        self._word_orders = word_orders(options)

    def score(self, corpus: Corpus) -> Result | None:
        """Return the result; None for what is scored in another way."""
        found = self._count(corpus)
        if found is None:
            return None
        counts, n_empty = found
        return Result(
            with_keys_of_evaluate(self._scores(counts.sum(axis=0).tolist()), self._options),
            metric=self._name,
            signature=self._signature,
            n_segments=len(counts),
            empty_predictions=n_empty,
        )

    def segments(self, corpus: Corpus) -> dict[str, list[float]] | None:
        """Return the scores of each item; None likewise."""
        found = self._count(corpus)
        if found is None:
            return None
        scores = [self._scores(each) for each in found[0].tolist()]
        return {name: [each[name] for each in scores] for name in self._word_orders}

    def _scores(self, counts: Triples) -> dict[str, float]:
        o = self._options
        return {
            name: f_score(counts[: o.char_order + order], o.beta, o.eps_smoothing, o.scale)
            for name, order in self._word_orders.items()
        }

    def _count(self, corpus: Corpus) -> tuple[NDArray[np.int64], int] | None:
        """Return the counts of each pair, shape (n, N, 3), and the number of empty predictions."""
        found = bytes_of_few(corpus)
        if found is None:
            return None
        data, bounds = found
        if not data.isascii() and (self._options.lowercase or _HALF_CHARACTERS.search(data)):
            return None
        data = data.lower() if self._options.lowercase else data
        texts = np.frombuffer(data, np.uint8)
        characters = number_few_characters(texts, bounds, self._options.whitespace)
        n_empty = int((np.diff(characters[1][: corpus.n_items + 1]) == 0).sum())
        counts = _pair_counts(characters, self._options.char_order)
        longest = max(self._word_orders.values())
        if not longest:
            return counts, n_empty
        words = number_few_chrf_words(texts, bounds)
        return None if words is None else (np.concatenate([counts, _pair_counts(words, longest)], axis=1), n_empty)


def _pair_counts(texts: Numbered, max_order: int) -> NDArray[np.int64]:
    """Return the counts of the orders of characters or of words, shape (n, max_order, 3)."""
    ids, offsets, n_types = texts
    sizes = np.diff(offsets)
    n = len(sizes) // 2
    counts = np.empty((n, max_order, 3), np.int64)
    totals = np.maximum(sizes[:, None] - np.arange(max_order), 0)
    counts[:, :, 1] = totals[n:]
    counts[:, :, 0] = totals[:n] * (totals[n:] > 0)
    pairs = _DOCUMENTS[:n], _DOCUMENTS[n : 2 * n]
    matches, _ = engine.pair_matches(
        ids.view(np.int32), offsets, *pairs, n_types, max_order, False, MOST_BY_PLACES
    )  # fmt: skip
    counts[:, :, 2] = matches
    return counts


def f_score(counts: Triples, beta: float, eps_smoothing: bool, scale: float) -> float:
    """Return the F of chrF, as :func:`.measures.f_scores` of one text or corpus.

    Examples
    --------
    >>> round(f_score([[4, 5, 3], [3, 4, 1], [0, 3, 0]], 2, False, 100), 2)
    44.41
    """
    factor, total = beta**2, 0.0
    precisions = recalls = 0.0
    reached = 0
    for predicted, referenced, matched in counts:
        if eps_smoothing:
            precision = matched / predicted if predicted else EPSILON
            recall = matched / referenced if referenced else EPSILON
            below = factor * precision + recall
            total += (1 + factor) * precision * recall / below if below else EPSILON
        elif predicted and referenced:
            precisions += matched / predicted
            recalls += matched / referenced
            reached += 1
    if eps_smoothing:
        return scale * total / len(counts)
    if not precisions:
        return 0.0
    precision, recall = precisions / reached, recalls / reached
    return scale * ((1 + factor) * precision * recall / (factor * precision + recall))
