"""chrF (Popovic 2015) and chrF++ (Popovic 2017): F of the n-grams of characters, and of words, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import TokenBatch, first_greatest
from tercet.core.dialect import Dialect
from tercet.core.options import Options
from tercet.core.scorer import Scorer, Scores
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.counting.pairs import pair_matches
from tercet.text.tokenizers import tokenize

from .measures import f_scores
from .options import DIALECTS, PRESETS, ChrfOptions, with_keys_of_evaluate, word_orders
from .signature import chrf_signature

Array = NDArray[np.float64]

#: The n-grams of longer texts are counted faster by hashing than by sets of their places.
MOST_BY_PLACES = 192
#: What a row holds of each order.
PARTS = ("prediction", "reference", "matches")


class ChrfScorer(Scorer[ChrfOptions]):
    """chrF of a corpus, of its segments, and of resamples; one score for each order of words.

    A row holds the base columns and, for each score and each order of characters (c1 to c6) and words (w1, w2), the
    n-grams of the prediction, those of the reference, and the matches. Of several references it is the one with the
    greatest F of the item. An order that the reference is too short for does not count in the prediction either.

    Examples
    --------
    >>> from tercet.columns.reading import read_batch
    >>> scorer = ChrfScorer.from_options({"char_order": 2, "word_order": 1})
    >>> stats = scorer.segment_stats(read_batch(["a cat"], [["a dog", "cats"]]))
    >>> dict(zip(stats.columns[4:], stats.rows[0, 4:].astype(int).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'chrf_c1_prediction': 4, 'chrf_c1_reference': 4, 'chrf_c1_matches': 3,
     'chrf_c2_prediction': 3, 'chrf_c2_reference': 3, 'chrf_c2_matches': 2,
     'chrf_w1_prediction': 2, 'chrf_w1_reference': 1, 'chrf_w1_matches': 0}
    """

    name: ClassVar[str] = "chrf_multi"
    primary: ClassVar[str] = "chrf"
    original_scale = 100  # of sacrebleu
    options_type: ClassVar[type[Options]] = ChrfOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS

    def __init__(self, options: ChrfOptions) -> None:
        super().__init__(options)
        self.word_orders = word_orders(options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return (*self.base_columns, *(
            f"{name}_{order}_{part}" for name in self.word_orders for order in self.orders(name) for part in PARTS
        ))  # fmt: skip

    @property
    def score_names(self) -> tuple[str, ...]:
        """``chrf``, for the first order of words, and ``chrf_w<order>`` for each further one."""
        return tuple(self.word_orders)

    def orders(self, name: str) -> list[str]:
        """Return the orders of n-grams of a score: c1 to c6 of characters, then w1 on of words."""
        characters = [f"c{n}" for n in range(1, self.options.char_order + 1)]
        return characters + [f"w{n}" for n in range(1, self.word_orders[name] + 1)]

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return chrf_signature(self.name, self.options)

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the characters times the orders times the references.

        Pairs of up to 192 characters are counted by sets of places, in their product / 64, which is faster.
        """
        o, longest = self.options, max(self.word_orders.values())
        characters = self.characters(batch)
        own, pairs = _counts(characters, o.char_order)
        if longest:
            own_words, word_pairs = _counts(self.words(batch)[0], longest)
            own, pairs = np.concatenate([own, own_words], axis=1), np.concatenate([pairs, word_pairs], axis=1)
        base = self.base_rows(batch, characters.tokens.lengths[: characters.n_items])
        parts = [base]
        for word_order in self.word_orders.values():
            n_orders = o.char_order + word_order
            rows = np.zeros((len(own), n_orders, len(PARTS)))
            rows[:, :, 0] = own[:, :n_orders]  # all that an item without a reference has
            filled = np.flatnonzero(batch.reference_counts)
            rows[filled] = pairs[self._best(pairs[:, :n_orders], batch.reference_offsets[:-1][filled]), :n_orders]
            parts.append(rows.reshape(len(own), n_orders * len(PARTS)))
        all_rows = np.concatenate(parts, axis=1)
        all_rows[base[:, 0] == 0, len(self.base_columns) :] = 0.0  # items left out
        return SegmentStats(self.signature(context), self.columns, all_rows)

    def characters(self, batch: Batch) -> TokenBatch:
        """Return the characters that are counted."""
        kind = "char-and-blank" if self.options.whitespace else "char"
        return tokenize(batch, kind, lowercase=self.options.lowercase)[0]

    def words(self, batch: Batch) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the words that are counted, and a callable that gives the different ones by id."""
        return tokenize(batch, "chrf-words", lowercase=self.options.lowercase)

    def _best(self, pairs: Array, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pair of each item that has the greatest F; those of an item follow each other."""
        o = self.options
        return first_greatest(
            f_scores(pairs, o.beta, o.eps_smoothing, 100), starts
        )  # as sacrebleu, to the last digit

    def finalize(self, totals: Array) -> Scores:
        """Return chrF for each order of words."""
        o, first = self.options, len(self.base_columns)
        scores: Scores = {}
        for name in self.word_orders:
            n_orders = len(self.orders(name))
            counts = totals[..., first : first + n_orders * len(PARTS)]
            by_order = counts.reshape(*counts.shape[:-1], n_orders, len(PARTS))
            scores[name] = f_scores(by_order, o.beta, o.eps_smoothing, o.scale)
            first += n_orders * len(PARTS)
        return scores

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the scores, and the keys of evaluate's chrf: `score` is `chrf`."""
        return with_keys_of_evaluate(super().report(totals, stats), self.options)


def _counts(tokens: TokenBatch, max_order: int) -> tuple[Array, Array]:
    """Return the n-grams of each prediction, shape (n, N), and what each reference and its prediction have.

    The latter has the shape (m, N, 3).
    """
    n, owners = tokens.n_items, tokens.owners
    totals = np.maximum(tokens.tokens.lengths[:, None] - np.arange(max_order), 0)
    matches = pair_matches(
        tokens.tokens, owners, n + np.arange(len(owners)), tokens.n_types, max_order=max_order,
        most_by_places=MOST_BY_PLACES,
    ).ngrams  # fmt: skip
    theirs = totals[n:]
    pairs = np.stack([np.where(theirs > 0, totals[owners], 0), theirs, matches], axis=-1)
    return totals[:n].astype(np.float64), pairs.astype(np.float64)
