"""chrF (Popovic 2015) and chrF++ (Popovic 2017): F of the n-grams of characters, and of words, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import TokenBatch
from tercet.core.dialect import Dialect
from tercet.core.either import as_floats
from tercet.core.options import Options
from tercet.core.scorer import Scorer, Scores, left_out
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.engine.chosen import engine
from tercet.text.texts import lowered, of_texts
from tercet.text.tokenizers import tokenize

from .options import DIALECTS, PRESETS, ChrfOptions, with_keys_of_evaluate, word_orders
from .signature import chrf_signature

Array = NDArray[np.float64]

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
    in_floats: ClassVar[bool] = True
    options_type: ClassVar[type[Options]] = ChrfOptions
    takes_systems: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS

    def __init__(self, options: ChrfOptions) -> None:
        super().__init__(options)
        self.word_orders = word_orders(options)

    @cached_property
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
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        return chrf_signature(self.name, self.options)

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the characters times the orders times the references."""
        o = self.options
        rows = of_texts(
            lowered(batch) if o.lowercase else batch, engine.chrf_rows, o.char_order, [*self.word_orders.values()],
            o.whitespace, o.beta, o.eps_smoothing,
        )  # fmt: skip
        if o.missing_references == "skip" and not batch.one_each:
            rows[left_out(rows), len(self.base_columns) :] = 0.0
        return SegmentStats(self.signature(context), self.columns, rows)

    def words(self, batch: Batch) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the words that are counted, and a callable that gives the different ones by id."""
        return tokenize(batch, "chrf-words", lowercase=self.options.lowercase)

    def finalize(self, totals: Any) -> Scores:
        """Return chrF for each order of words."""
        o, first = self.options, len(self.base_columns)
        rows = np.array(totals, np.float64, order="C", ndmin=2).reshape(-1, len(self.columns))
        scores: dict[str, Any] = {}
        for name, word_order in self.word_orders.items():
            n_orders = o.char_order + word_order
            values = engine.f_scores(rows, first, n_orders, o.beta, o.eps_smoothing, o.scale)
            scores[name] = float(values[0]) if isinstance(totals, list) else values.reshape(totals.shape[:-1])
            first += n_orders * len(PARTS)
        return scores

    def report(self, totals: Any, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the scores, and the keys of evaluate's chrf: `score` is `chrf`."""
        return with_keys_of_evaluate(self.finalize(as_floats(totals)), self.options)
