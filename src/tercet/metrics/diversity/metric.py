"""Diversity of a set of texts: self-BLEU, distinct n-grams, MATTR, repetition, compression, and pairs by chrF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from threading import RLock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import integer
from tercet.corpus.corpus import Corpus
from tercet.corpus.tokenizers import tokenizer_label
from tercet.metric.common_options import TOKENIZER
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.scorer import Scores
from tercet.signature import Signature
from tercet.statistics.either import quotient
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import explain_batch
from .measures import measures_of
from .sets import Sets, read_sets, texts_of

Array = NDArray[np.float64]

#: Threads that need the rows of the same set wait for the first of them.
_ONE_AT_A_TIME = RLock()


class Diversity(Metric):
    """Diversity of the texts of a set, or of several sets.

    Source: Zhu et al. 2018 (self-BLEU), Li et al. 2016 (distinct-n), Covington and McFall 2010 (MATTR), Welleck et
    al. 2020 (rep-n), Shaib et al. 2024 (compression ratio).

    Examples
    --------
    >>> import tercet
    >>> diversity = tercet.Diversity(pairwise_chrf=True)
    >>> result = diversity(["the cat sat", "the cat ran", "a dog barked"])
    >>> round(result["distinct_1"], 3), round(result["pairwise_chrf"], 3)
    (0.778, 0.215)
    """

    # Of one set, the items are its texts. A row holds the base columns, and two numbers for each measure: the
    # text's part and what it is a part of, such as its share in the different n-grams of the set, and its n-grams.
    # Their sums are those of the set. Of several sets, the items are the sets: a row holds the set's score and 1.

    name = "diversity"
    short = "diversity"
    about = ABOUT
    extras = ("languages",)
    title = "diversity"
    primary = "self_bleu"
    higher_is_better = False
    takes_references = False
    takes_sets = True
    fit_first = "the rows of a text depend on all others of its set. tercet.score takes the whole."

    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = TOKENIZER
    lowercase: bool = option(
        default=True,
        doc="Lowercase the texts first.",
        only_with=OnlyWith('a tokenizer other than "rouge", which always does', lambda o: o.tokenizer != "rouge"),
    )
    max_order: int = option(default=4, doc="The longest n-gram.", check=integer(1, 20))
    window: int = option(
        default=50, doc="Tokens of the moving window of MATTR; a shorter text is one window.", check=integer(1)
    )
    smooth_method: Literal["exp", "nltk1"] = option(
        default="exp",
        doc='How self-BLEU counts orders without a match. "exp": as sacrebleu scores a sentence. "nltk1": by method '
        "1 of NLTK, as Texygen does.",
    )
    pairwise_chrf: bool = option(
        default=False,
        doc="Add the mean chrF of all pairs of different texts of a set. Its time grows with the square of the set.",
    )
    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc="No effect here: diversity takes no references. Accepted so that several metrics can share a call.",
    )

    @property
    def needs_corpus(self) -> bool:
        """Whether the rows of a part depend on the other parts: of one set they do."""
        return True

    @property
    def score_names(self) -> tuple[str, ...]:
        """All measures but the compression ratio, which is of a set alone."""
        orders = range(1, self.max_order + 1)
        pairs = ("pairwise_chrf",) if self.pairwise_chrf else ()
        return (
            "self_bleu", *(f"distinct_{n}" for n in orders), "mattr", *(f"rep_{n}" for n in orders), *pairs,
        )  # fmt: skip

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        names = {"self_bleu": "self-BLEU", "mattr": "MATTR", "pairwise_chrf": "pairwise chrF"}
        return names.get(score, score.replace("_", "-"))

    @cached_property
    def _measures(self) -> tuple[str, ...]:
        return (*self.score_names, "compression_ratio")

    @cached_property
    def _whole(self) -> list[int]:
        """The columns whose sum for a set is a whole number, though those of its texts are not."""
        whole = [self.columns.index(name) for name in self._measures if name.startswith(("distinct", "compression"))]
        return [*whole, len(self.columns) - 1]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        pairs = (name for measure in self._measures for name in (measure, f"{measure}_of"))
        return (*self.base_columns, "sets", *pairs)

    def is_higher_better(self, score: str) -> bool:
        """Return whether higher is better: what grows with diversity."""
        return score.startswith(("distinct", "mattr"))

    @classmethod
    def corpus(cls, predictions: Any, references: Any = None) -> Corpus:
        """Return a user's texts, or lists of texts, checked."""
        return read_sets(predictions)

    def signature(self, context: Sets | None = None) -> Signature:
        """Return the options that the score depends on."""
        parts = {
            "of": "sets" if context is not None and context.grouped else "texts",
            "tok": tokenizer_label(self.tokenizer),
            "case": "lc" if self.lowercase or self.tokenizer == "rouge" else "mixed",
            "order": self.max_order,
            "window": self.window,
            "smooth": self.smooth_method,
            "pairs": "chrf" if self.pairwise_chrf else None,
        }
        return Signature.of(self.name, parts)

    def fit(self, batch: Corpus) -> Sets:
        """Return the texts of each system."""
        return Sets.of(batch)

    def segment_stats(self, batch: Corpus, context: Sets | None = None) -> SegmentStats:
        """Return one row per item.

        Time: that of sorting the n-grams of the whole set, once, and of gzip; with pairs the square of the texts.
        Memory: about 150 bytes per token.
        """
        context = self.fit(batch) if context is None else context
        if not batch.n_items:
            rows = np.zeros((0, len(self.columns)))
        elif context.grouped:
            rows = self._rows_of_sets(batch)
        else:
            with _ONE_AT_A_TIME:
                if not context.found:
                    context.found.update(self._rows_of_texts(context.texts[0]))
            rows = np.stack([context.found[text] for text in texts_of(batch)])
        return SegmentStats(self.signature(context), self.columns, rows)

    def system_stats(self, batch: Corpus, context: Sets) -> SegmentStats:
        """Return the rows of all systems, each a set of its own."""
        if batch.n_systems == 1:
            return self.segment_stats(batch, context)
        each = zip(map(batch.system, range(batch.n_systems)), context.systems, strict=True)
        return SegmentStats.concatenate([self.segment_stats(own, texts) for own, texts in each])

    def _rows_of_texts(self, texts: list[str]) -> Iterable[tuple[str, Array]]:
        """Return the row of each text of a set; equal texts have equal ones."""
        measures, lengths = measures_of(self, texts, np.array([0, len(texts)]))
        return zip(texts, self._rows(measures, lengths, 0), strict=True)

    def _rows_of_sets(self, batch: Corpus) -> Array:
        edges = batch.reference_offsets
        measures, lengths = measures_of(self, batch.references.to_pylist(), edges)
        sums = np.add.reduceat(measures, edges[:-1])
        flat = sums.reshape(len(sums), -1)
        first = len(self.base_columns) + 1
        whole = [place - first for place in self._whole]
        flat[:, whole] = np.rint(flat[:, whole])
        known = sums[..., 1] > 0
        scores = np.stack([quotient(sums[..., 0], sums[..., 1]), known], axis=-1)
        return self._rows(scores, np.add.reduceat(lengths, edges[:-1]), 1)

    def _rows(self, measures: Array, lengths: NDArray[np.int64], sets: int) -> Array:
        """Return rows of items: what :meth:`base_rows` gives, whether they are sets, and their measures."""
        n = len(lengths)
        base = np.column_stack([np.ones(n), lengths == 0, np.zeros(n), np.zeros(n), np.full(n, sets)])
        return np.column_stack([base, measures.reshape(n, -1)])

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows: for one set, counts are the whole numbers that they stand for."""
        totals = stats.total()
        if not totals[len(self.base_columns)]:
            totals[self._whole] = np.rint(totals[self._whole])
        return totals

    def finalize(self, totals: Array) -> Scores:
        """Return the measures of a set; of several, their means."""
        first = len(self.base_columns) + 1
        scores: Scores = {}
        for place, name in enumerate(self._measures):
            part, whole = totals[..., first + 2 * place], totals[..., first + 2 * place + 1]
            scores[name] = quotient(part, whole) * (1 if name == "compression_ratio" else self.scale)
        return scores

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return all measures."""
        return {name: value.tolist() for name, value in self.finalize(totals).items()}

    explained = explain_batch
