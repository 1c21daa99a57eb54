"""F of BLEU and ROUGE: clipped precisions of BLEU and recalls of ROUGE-N, from one pass over the tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import integer, number
from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.letters import dropped_letters
from tercet.corpus.stems import check_word_options, lemmatizer_label, map_words, stemmer_label, word_map
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.counting import clipped_matches, crossed_matches
from tercet.engine.ragged import TokenBatch
from tercet.metric.common_options import TOKENIZER, lemmatizer_option, stemmer_option
from tercet.metric.lengths import brevity_penalty, reference_lengths
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.rows import PairRows, base_of_pairs
from tercet.metric.scorer import Scores
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import explain_batch, matched
from .measures import arithmetic_mean, f_beta, geometric_mean, ratio

Array = NDArray[np.float64]

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """Counts of n predictions, and of m pairs of one and a reference, for each order."""

    #: `matches`, `totals`: Clipped matches against all references, and n-grams of the prediction: BLEU's. (ndarray of
    #: int64, shape (n, max_order))
    matches: Counts
    totals: Counts
    #: `hits`, `reference_totals`: Clipped matches with each reference, and its n-grams: ROUGE's. (ndarray of int64,
    #: shape (m, max_order))
    hits: Counts
    reference_totals: Counts
    #: Tokens of the documents.
    lengths: Counts


class BleuRouge(Metric):
    """F of BLEU's precision and ROUGE's recall.

    Examples
    --------
    >>> import tercet
    >>> both = tercet.BleuRouge(max_order=2)
    >>> round(both(["the cat is on the mat"], ["the cat is lying on the mat"])["bleu_rouge_f"], 4)
    0.8229
    """

    # A row holds the base columns, the tokens of the prediction and of the closest reference, and for each order
    # the clipped matches and the n-grams of the prediction, and the hits and the n-grams of the reference.

    name = "bleu_rouge_f"
    short = "bleu_rouge"
    about = ABOUT
    extras = ("languages",)
    takes_systems = True
    title = "BLEU-ROUGE"
    primary = "bleu_rouge_f"
    facts = ("bleu_rouge_precisions", "bleu_rouge_recalls")

    max_order: int = option(default=2, doc="The longest n-gram.", check=integer(1, 20))
    beta: float = option(
        default=1.0,
        doc="Weight of recall in F. At 1 both weigh the same; at 2 recall weighs twice as much as precision.",
        check=number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000),
    )
    brevity_penalty: bool = option(
        default=False,
        doc="Multiply the precision by BLEU's brevity penalty, which makes it BLEU itself. Without it, only "
        "recall punishes predictions that are too short. The F of a single order never has the penalty.",
    )
    multi_ref: Literal["best", "average"] = option(
        default="best",
        doc='How several references count in recall. "best": for each order, the one with the best F of ROUGE '
        '(the shortest on ties). "average": the n-grams of all references together, as ROUGE-1.5.5 with -f A.'
        " Precision always uses all references, as BLEU does.",
    )
    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = TOKENIZER
    lowercase: bool = option(
        default=True,
        doc="Lowercase the texts first.",
        only_with=OnlyWith(
            'a tokenizer other than "rouge", and without stemmer and lemmatizer, which always do',
            lambda o: o.tokenizer != "rouge" and o.stemmer is None and o.lemmatizer is None,
        ),
    )
    stemmer: str | Callable[[str], str] | None = stemmer_option("Lowercase and stem")
    lemmatizer: str | Callable[[str], str] | None = lemmatizer_option("Lowercase and lemmatize")

    def check(self) -> None:
        """Refuse options that exclude each other."""
        check_word_options(self)
        self._lowercase = self.lowercase or self.stemmer is not None or self.lemmatizer is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        orders = range(1, self.max_order + 1)
        parts = ("match", "total", "hit", "reference_total")
        return (*self.base_columns, "length", "closest", *(f"{part}{n}" for part in parts for n in orders))

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Matches are some of the n-grams of the prediction, and hits of the reference's."""
        orders = range(1, self.max_order + 1)
        parts = (("match", "total"), ("hit", "reference_total"))
        shares = ((f"{part}{n}", f"{whole}{n}") for part, whole in parts for n in orders)
        # not so of the reference's n-grams: each order may have another best reference
        totals = tuple(f"total{n}" for n in reversed(orders))
        return (*shares, totals, ("length", "total1", "length"))

    @property
    def score_names(self) -> tuple[str, ...]:
        """The F of all orders, its two sides, and the F of each order."""
        orders = (f"bleu_rouge_f_{n}" for n in range(1, self.max_order + 1))
        return ("bleu_rouge_f", "bleu_rouge_precision", "bleu_rouge_recall", *orders)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        return f"{self.title} {score.removeprefix('bleu_rouge_').replace('f', 'F', 1).replace('_', ' ')}"

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning when ROUGE's tokenizer makes different words equal."""
        return dropped_letters(corpus, None, chosen=True) if self.tokenizer == "rouge" else None

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on."""
        parts = {
            "tok": tokenizer_label(self.tokenizer),
            "case": "lc" if self._lowercase or self.tokenizer == "rouge" else "mixed",
            "order": self.max_order,
            "beta": self.beta,
            "bp": self.brevity_penalty,
            "multi": self.multi_ref,
            "stem": stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            "missing": None if self.missing_references == "error" else self.missing_references,
        }
        return Signature.of(self.name, parts)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the tokens."""
        tokens, _ = self.tokens(batch)
        counts, n = self.counts(tokens), tokens.n_items
        base = self.base_rows(batch, counts.lengths[:n])
        lengths = [counts.lengths[:n, None], reference_lengths(tokens)[:, :1]]
        recalled = self._recalled(counts, tokens.pair_offsets)
        rows = np.concatenate([base, *lengths, counts.matches, counts.totals, *recalled], axis=1).astype(np.float64)
        rows[base[:, 0] == 0, len(self.base_columns) :] = 0.0  # items left out
        return SegmentStats(self.signature(context), self.columns, rows)

    def tokens(self, batch: Corpus, as_written: bool = False) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that returns the distinct ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokens, words = tokenize(batch, self.tokenizer, lowercase=self._lowercase)
        mapping = None if as_written else word_map(self)
        return (tokens, words) if mapping is None else map_words(tokens, words(), mapping)

    def counts(self, tokens: TokenBatch) -> NgramCounts:
        """Return the counts for precision and recall; the matches are the same where every item has one reference."""
        n, order = tokens.n_items, self.max_order
        lengths, (texts, references) = tokens.tokens.lengths, tokens.pairs

        def matched(texts: Counts, firsts: Counts, lasts: Counts) -> Counts:
            return clipped_matches(tokens.tokens, texts, firsts, lasts, order, tokens.n_types)

        matches = matched(np.arange(n), *tokens.reference_spans)
        one_each = bool((np.diff(tokens.reference_offsets) == 1).all())
        totals = np.maximum(lengths[:, None] - np.arange(order), 0)
        hits = matches if one_each else matched(texts, references, references + 1)
        return NgramCounts(matches, totals[:n], hits, totals[references], lengths)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)

        def rows(texts: Places, references: Places) -> Array:
            crossed = tokens.crossed(texts, references)
            own, others = (crossed.tokens.lengths[side] for side in crossed.pairs)
            matches = crossed_matches(crossed.tokens, crossed.n_items, self.max_order)
            totals = (np.maximum(each[:, None] - np.arange(self.max_order), 0) for each in (own, others))
            parts = zip((matches, matches), totals, strict=True)
            return np.concatenate([base_of_pairs(own), np.column_stack([own, others]), *chain(*parts)], axis=1)

        return rows

    def best_references(self, counts: NgramCounts, pair_offsets: Counts) -> Counts:
        """Return which reference of each item that has any is the best, by order: shape (g, N).

        It is the one with the greatest F of ROUGE. Of equal ones it is the shortest, which has the greatest recall.
        """
        n_references = np.diff(pair_offsets)
        starts = pair_offsets[:-1][n_references > 0]
        owners = np.repeat(np.arange(len(n_references)), n_references)
        f = f_beta(ratio(counts.hits, counts.totals[owners]), ratio(counts.hits, counts.reference_totals), self.beta)
        by_rank = [
            np.lexsort(each) for each in zip(counts.reference_totals.T, -f.T, [owners] * len(f.T), strict=True)
        ]
        return np.stack(by_rank, axis=1)[starts]

    def _recalled(self, counts: NgramCounts, pair_offsets: Counts) -> tuple[Array, Array]:
        """Return the hits and the n-grams of recall, each of shape (n, N); 0 for an item without a reference."""
        n_references = np.diff(pair_offsets)
        filled = n_references > 0
        results = np.zeros((2, len(filled), self.max_order))
        if not filled.any():
            return results[0], results[1]
        starts = pair_offsets[:-1][filled]
        if self.multi_ref == "best":
            best = self.best_references(counts, pair_offsets)
        for result, values in zip(results, (counts.hits, counts.reference_totals), strict=True):
            if self.multi_ref == "best":
                result[filled] = np.take_along_axis(values, best, axis=0)
            else:
                result[filled] = np.add.reduceat(values, starts, axis=0) / n_references[filled, None]
        return results[0], results[1]

    def finalize(self, totals: Array) -> Scores:
        """Return the F of each order and of all, with their counts.

        If no prediction is long enough for an order, it has no precision; if no reference is, it has no recall. The
        means leave such orders out (BLEU's effective order).
        """
        n = self.max_order
        length, closest = totals[..., 4], totals[..., 5]
        matches, counted, hits, reference_totals = (totals[..., 6 + i * n : 6 + (i + 1) * n] for i in range(4))
        precisions, recalls = ratio(matches, counted), ratio(hits, reference_totals)
        precision = geometric_mean(precisions, counted > 0)
        if self.brevity_penalty:
            precision = precision * brevity_penalty(length, closest)
        recall = arithmetic_mean(recalls, reference_totals > 0)
        by_order = f_beta(precisions, recalls, self.beta)
        scores = {
            "bleu_rouge_f": f_beta(precision, recall, self.beta),
            "bleu_rouge_precision": precision,
            "bleu_rouge_recall": recall,
            **{f"bleu_rouge_f_{order + 1}": by_order[..., order] for order in range(n)},
            "bleu_rouge_precisions": precisions,
            "bleu_rouge_recalls": recalls,
        }
        return {name: self.scale * value for name, value in scores.items()}

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when the F is 0 only because an order has no match."""
        n = self.max_order
        matches, counted = (totals[6 + i * n : 6 + (i + 1) * n] for i in range(2))
        unmatched = (counted > 0) & (matches == 0)
        if matches[0] == 0 or not unmatched.any():
            return None
        order = int(unmatched.argmax())
        return (
            f"BLEU is 0 only because no n-gram of order {order + 1} matches, and so is its F with ROUGE; "
            f"max_order={order} leaves that order out."
        )

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return each score as a float, and the precisions and recalls of the orders as lists."""
        return {name: value.tolist() for name, value in self.finalize(totals).items()}

    explained = explain_batch
    matched = matched
