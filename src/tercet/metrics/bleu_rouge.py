"""F of BLEU and ROUGE: clipped precisions of BLEU and recalls of ROUGE-N, from one pass over the tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.rows import PairRows, base_of_pairs, divide_or_zero, leave_out
from tercet.base.shared_options import (
    TOKENIZER_OF_WORDS,
    check_word_options,
    lemmatizer_option,
    shared_labels,
    stemmer_option,
)
from tercet.corpus.corpus import Corpus
from tercet.corpus.letters import dropped_letters_warning
from tercet.corpus.reading import Crossing, Indices, rows_by_engine, texts_and_reading
from tercet.corpus.stems import (
    lemmatizer_label,
    map_words,
    stemmer_label,
    texts_of_tokens,
    word_map,
)
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.chosen import engine
from tercet.engine.counting import crossed_matches, pair_matches
from tercet.engine.plain_bleu import brevity_penalties
from tercet.engine.ragged import TokenBatch
from tercet.explanation.explanation import NGRAM_LEVELS, Explanation, Matched
from tercet.explanation.levels import ngram_levels
from tercet.explanation.matches import Count, Word, ngram_counts, ngram_limits, words_of
from tercet.explanation.ngrams import prediction_words, written_tokens
from tercet.explanation.parts import (
    Heading,
    Line,
    Part,
    Share,
    Table,
    counts_table,
    order_names,
    orders_legend,
    reference_label,
)
from tercet.option_checks import integer, number
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

Counts: TypeAlias = "NDArray[np.int64]"


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
    about = from_card()
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
    ) = TOKENIZER_OF_WORDS
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

    @cached_property
    def _lowercase(self) -> bool:
        """Whether texts are lowercased: stems and lemmas are."""
        return self.lowercase or self.stemmer is not None or self.lemmatizer is not None

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same: ROUGE's tokenizer lowercases."""
        return self._lowercase or self.tokenizer == "rouge"

    @cached_property
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
        # The reference's n-grams need not get fewer with the order: each order may have another best reference.
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
        if self.tokenizer != "rouge":
            return None
        return dropped_letters_warning(corpus, None, chosen=True)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        parts = {
            "tok": tokenizer_label(self.tokenizer),
            "case": "lc" if self._lowercase or self.tokenizer == "rouge" else "mixed",
            "order": self.max_order,
            "beta": self.beta,
            "bp": self.brevity_penalty,
            "multi": self.multi_ref,
            "stem": stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            **shared_labels(self),
        }
        return Signature.of(self.name, parts)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the tokens."""
        if self.stemmer is None and self.lemmatizer is None:
            texts, reading = texts_and_reading(batch, self.tokenizer, lowercase=self._lowercase)
        else:
            tokens, _ = self.tokens(batch)
            texts = texts_of_tokens(tokens)
            reading = "none"
        takes_best = self.multi_ref == "best"
        rows: Array = rows_by_engine(
            batch, engine.bleu_rouge_rows, texts, reading, self.max_order, self.beta, takes_best
        )
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    def tokens(self, batch: Corpus, as_written: bool = False) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that returns the distinct ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokens, words = tokenize(batch, self.tokenizer, lowercase=self._lowercase)
        mapping = None if as_written else word_map(self)
        if mapping is None:
            return tokens, words
        return map_words(tokens, words(), mapping)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)

        def rows(texts: Indices, references: Indices) -> Array:
            crossed = tokens.crossed(texts, references)
            prediction_lengths, reference_lengths = (crossed.tokens.lengths[side] for side in crossed.pairs)
            matches = crossed_matches(crossed.tokens, crossed.n_items, self.max_order)
            lengths = np.column_stack([prediction_lengths, reference_lengths])
            totals, reference_totals = (
                np.maximum(side[:, None] - np.arange(self.max_order), 0)
                for side in (prediction_lengths, reference_lengths)
            )
            # With one reference, the matches of precision are the hits of recall.
            parts = [base_of_pairs(prediction_lengths), lengths, matches, totals, matches, reference_totals]
            return np.concatenate(parts, axis=1)

        return rows

    def best_references(self, tokens: TokenBatch) -> Counts:
        """Return which reference of each item that has any is the best, by order: shape (g, N).

        It is the one with the greatest F of ROUGE. Of equal ones it is the shortest, which has the greatest recall.
        """
        texts, references = tokens.pairs
        totals = np.maximum(tokens.tokens.lengths[:, None] - np.arange(self.max_order), 0)
        text_totals = totals[texts]
        reference_totals = totals[references]
        hits = pair_matches(tokens.tokens, texts, references, tokens.n_types, max_order=self.max_order).ngrams
        fmeasures = _f_beta(divide_or_zero(hits, text_totals), divide_or_zero(hits, reference_totals), self.beta)
        # `lexsort` sorts by its last key first: by item, then by the greatest F, then by the shortest reference.
        by_rank = [
            np.lexsort((order_totals, -order_fmeasures, texts))
            for order_totals, order_fmeasures in zip(reference_totals.T, fmeasures.T, strict=True)
        ]
        return np.stack(by_rank, axis=1)[tokens.pair_offsets[:-1][tokens.reference_counts > 0]]

    def finalize(self, totals: Array) -> Scores:
        """Return the F of all orders, its two sides, and the F of each order."""
        scores = self._scores(totals)
        return {name: scores[name] for name in self.score_names}

    def _scores(self, totals: Array) -> Scores:
        """Return the scores, and the precision and the recall of each order.

        If no prediction is long enough for an order, it has no precision; if no reference is, it has no recall. The
        means leave such orders out (BLEU's effective order).
        """
        max_order = self.max_order
        first = len(self.base_columns)
        length = totals[..., first]
        closest = totals[..., first + 1]
        # Then four counts, each in as many columns as there are orders.
        counts = totals[..., first + 2 : first + 2 + 4 * max_order].reshape(*totals.shape[:-1], 4, max_order)
        matches = counts[..., 0, :]
        ngrams = counts[..., 1, :]
        hits = counts[..., 2, :]
        reference_totals = counts[..., 3, :]
        precisions = divide_or_zero(matches, ngrams)
        recalls = divide_or_zero(hits, reference_totals)
        precision = _geometric_mean(precisions, ngrams > 0)
        if self.brevity_penalty:
            precision = precision * brevity_penalties(length, closest)
        recall = _arithmetic_mean(recalls, reference_totals > 0)
        by_order = _f_beta(precisions, recalls, self.beta)
        scores = {
            "bleu_rouge_f": _f_beta(precision, recall, self.beta),
            "bleu_rouge_precision": precision,
            "bleu_rouge_recall": recall,
            **{f"bleu_rouge_f_{order + 1}": by_order[..., order] for order in range(max_order)},
            "bleu_rouge_precisions": precisions,
            "bleu_rouge_recalls": recalls,
        }
        return {name: self.scale * value for name, value in scores.items()}

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when the F is 0 only because an order has no match."""
        order = self._first_unmatched(totals)
        if order is None:
            return None
        return (
            f"BLEU is 0 only because no n-gram of order {order} matches, and so is its F with ROUGE; "
            f"max_order={order - 1} leaves that order out."
        )

    def why_worst(self, totals: Array, corpus: Corpus) -> str:
        """Return which order of n-grams makes the F 0; "" where none does."""
        order = self._first_unmatched(totals)
        return "" if order is None else f"no n-gram of order {order} matches"

    def _first_unmatched(self, totals: Array) -> int | None:
        """Return the first order of which no n-gram matches, although words do; None where there is none."""
        first_match = self.columns.index("match1")
        first_total = self.columns.index("total1")
        matches = totals[first_match : first_match + self.max_order]
        ngrams = totals[first_total : first_total + self.max_order]
        unmatched = (ngrams > 0) & (matches == 0)
        if matches[0] == 0 or not unmatched.any():
            return None
        return int(unmatched.argmax()) + 1

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return each score as a float, and the precisions and recalls of the orders as lists."""
        return {name: value.tolist() for name, value in self._scores(totals).items()}

    def explained(self, batch: Corpus, context: Any = None) -> BleuRougeMatches:
        """Explain a batch of one item."""
        tokens, words = self.tokens(batch)
        plain, plain_words = self.tokens(batch, as_written=True)
        spelling = words()
        written_spelling = plain_words()
        orders = range(1, self.max_order + 1)
        texts = tokens.tokens.lists()
        written_texts = plain.tokens.lists()
        limits_of_references = ngram_limits(texts[1:], orders)
        limits_of_text = ngram_limits(texts[:1], orders)

        def marked(document: int, limits: Any) -> list[Word]:
            ids = texts[document]
            compared = [spelling[i] for i in ids]
            written = [written_spelling[i] for i in written_texts[document]]
            return words_of(compared, ngram_levels(ids, limits), written)

        row = self.segment_stats(batch).rows[0]
        scores = {name: value / self.scale for name, value in self._scores(row).items()}
        best = None
        if self.multi_ref == "best":
            best = self.best_references(tokens)[0].tolist()
        columns = dict(zip(self.columns, row.tolist(), strict=True))
        return BleuRougeMatches(
            prediction=marked(0, limits_of_references),
            references=[marked(document, limits_of_text) for document in range(1, len(texts))],
            orders=[
                BothSides(
                    order=n,
                    matches=int(columns[f"match{n}"]),
                    total=int(columns[f"total{n}"]),
                    reference=None if best is None else best[n - 1],
                    hits=columns[f"hit{n}"],
                    reference_total=columns[f"reference_total{n}"],
                    precision=float(scores["bleu_rouge_precisions"][n - 1]),
                    recall=float(scores["bleu_rouge_recalls"][n - 1]),
                    fmeasure=float(scores[f"bleu_rouge_f_{n}"]),
                    ngrams=ngram_counts(limits_of_text[n], limits_of_references[n], spelling),
                )
                for n in orders
            ],
            score=float(scores["bleu_rouge_f"]),
            precision=float(scores["bleu_rouge_precision"]),
            recall=float(scores["bleu_rouge_recall"]),
            signature=str(self.signature()),
        )

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds matched tokens: by their longest matched n-gram."""
        orders = range(1, self.max_order + 1)
        return Matched(
            NGRAM_LEVELS[: self.max_order], lambda batch: prediction_words(written_tokens(self, batch), orders)
        )


# F of BLEU's precision and ROUGE's recall, for any number of corpora at once.


def _f_beta(precision: Array, recall: Array, beta: float) -> Array:
    """Return the weighted harmonic mean; 0 where both are 0."""
    weight = beta * beta
    denominator = weight * precision + recall
    return np.where(
        denominator > 0, (1 + weight) * precision * recall / np.where(denominator > 0, denominator, 1.0), 0.0
    )


def _geometric_mean(values: Array, is_defined: NDArray[np.bool_]) -> Array:
    """Return the geometric mean of the defined values over the last axis; 0 if one is 0, or none is defined."""
    zero = (is_defined & (values <= 0)).any(axis=-1) | ~is_defined.any(axis=-1)
    logs = np.where(is_defined & (values > 0), np.log(np.where(values > 0, values, 1.0)), 0.0)
    return np.where(zero, 0.0, np.exp(logs.sum(axis=-1) / np.maximum(is_defined.sum(axis=-1), 1)))


def _arithmetic_mean(values: Array, is_defined: NDArray[np.bool_]) -> Array:
    """Return the mean of the defined values over the last axis; 0 where none is defined."""
    mean: Array = np.where(is_defined, values, 0.0).sum(axis=-1) / np.maximum(is_defined.sum(axis=-1), 1)
    return mean


# Why a prediction has its F of BLEU and ROUGE: the n-grams of each order, for precision and for recall.


@dataclass(frozen=True, slots=True)
class BothSides:
    """Both sides of one order.

    Attributes
    ----------
    order : int
    matches, total : int
        Clipped matches against all references, and n-grams of the prediction: precision divides them.
    reference : int or None
        Index of the reference that recall uses; None with ``multi_ref="average"``, which uses all together.
    hits, reference_total : float
        Clipped matches with that reference, and its n-grams: recall divides them.
    precision, recall, fmeasure : float
        From 0 to 1.
    ngrams : list of Count
        The different n-grams of the prediction, in the order of their first occurrence.
    """

    order: int
    matches: int
    total: int
    reference: int | None
    hits: float
    reference_total: float
    precision: float
    recall: float
    fmeasure: float
    ngrams: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class BleuRougeMatches(Explanation):
    """The matching behind the F of BLEU and ROUGE of one prediction.

    Attributes
    ----------
    prediction : list of Word
        The tokens; their level is the longest counted n-gram through them.
    references : list of list of Word
        Likewise for each reference: n-grams that it shares with the prediction.
    orders : list of BothSides
    score, precision, recall : float
        The F of all orders and its two sides, from 0 to 1.
    signature : str
    """

    prediction: list[Word]
    references: list[list[Word]]
    orders: list[BothSides]
    score: float
    precision: float
    recall: float
    signature: str

    @property
    def title(self) -> Heading:
        """The F of all orders and its two sides."""
        sides = {"F": self.score, "precision (BLEU)": self.precision, "recall (ROUGE)": self.recall}
        return Heading("", {name: Share(value) for name, value in sides.items()})

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and both sides."""
        names = order_names(len(self.orders))
        labels = [reference_label(index, len(self.references)) for index in range(len(self.references))]
        lines = [("prediction", self.prediction), *zip(labels, self.references, strict=True)]
        head = ("order", "matches", "of", "precision", "reference", "hits", "of", "recall", "F")
        rows = [self._row(name, order) for name, order in zip(names, self.orders, strict=True)]
        return [
            orders_legend(len(names)),
            *(Line(label, words, "{}-gram") for label, words in lines),
            Table("clipped matches", head, rows),
            *(
                counts_table(f"all {name}s of the prediction", order.ngrams)
                for name, order in zip(names, self.orders, strict=True)
            ),
        ]

    def _row(self, name: str, order: BothSides) -> tuple[object, ...]:
        # multi_ref="average" has no single reference, and its counts may be fractions.
        reference = "all" if order.reference is None else str(order.reference + 1)
        hits = int(order.hits) if order.hits.is_integer() else order.hits
        n_ngrams = int(order.reference_total) if order.reference_total.is_integer() else order.reference_total
        precision = Share(order.precision)
        recall = Share(order.recall)
        return (name, order.matches, order.total, precision, reference, hits, n_ngrams, recall, Share(order.fmeasure))
