"""The n-grams that a prediction shares with its references, for metrics that count them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from .explanation import Explanation
from .levels import levels_of_predictions, ngram_levels
from .matches import Count, Ids, Word, ngram_counts, ngram_limits, words_of
from .parts import (
    Factor,
    Heading,
    Line,
    Part,
    Sentence,
    Share,
    Table,
    counts_table,
    order_names,
    orders_legend,
    reference_label,
)

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus
    from tercet.engine.ragged import TokenBatch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NgramTexts(Explanation):
    """The matching n-grams behind the score of one prediction.

    Attributes
    ----------
    prediction : list of Word
        The tokens; their level is the longest counted n-gram through them.
    references : list of list of Word
        Likewise for each reference: n-grams that it shares with the prediction.
    ngrams : list of list of Count
        For each order from 1 on the different n-grams of the prediction, in the order of their first occurrence.
    score : float
        Of this prediction alone, from 0 to 1; what else is a float here belongs to it.
    signature : str
    """

    called: ClassVar[str]
    prediction: list[Word]
    references: list[list[Word]]
    ngrams: list[list[Count]]
    score: float
    signature: str

    @property
    def counts(self) -> list[int]:
        """Clipped matches of each order: those of the score."""
        return [sum(count.counted for count in counts) for counts in self.ngrams]

    @property
    def totals(self) -> list[int]:
        """The prediction's n-grams of each order."""
        return [sum(count.prediction for count in counts) for counts in self.ngrams]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        ngrams = [[asdict(count) | {"counted": count.counted} for count in counts] for counts in self.ngrams]
        return {**asdict(self), "ngrams": ngrams, "counts": self.counts, "totals": self.totals}

    @property
    def title(self) -> Heading:
        """The score, and what else is a float."""
        numbers = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float):
                name = self.called if field.name == "score" else field.name.replace("_", " ")
                numbers[name] = Share(value)
        return Heading("", numbers)

    def precisions_table(self) -> Table:
        """Return the matches of each order."""
        rows = []
        for name, hits, total in zip(order_names(len(self.ngrams)), self.counts, self.totals, strict=True):
            precision = Share(hits / total if total else 0.0)
            rows.append((name, hits, total, precision))
        return Table("clipped matches", ("order", "matches", "of", "precision"), rows)

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and the counts."""
        orders = order_names(len(self.ngrams))
        parts: list[Part] = [orders_legend(len(orders)), Line("prediction", self.prediction, "{}-gram")]
        for index, words in enumerate(self.references):
            parts.append(Line(reference_label(index, len(self.references)), words, "{}-gram"))
        parts.append(self.precisions_table())
        for name, counts in zip(orders, self.ngrams, strict=True):
            parts.append(counts_table(f"all {name}s of the prediction", counts))
        return parts


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NgramMatches(NgramTexts):
    """The matching behind the BLEU of one prediction: with all references together.

    Attributes
    ----------
    brevity_penalty : float
    precisions : list of float
        Of each order, smoothed; from 0 to 1.
    length : int
        Tokens of the prediction.
    reference_length : float
        The length that the brevity penalty compares it with.
    """

    called = "BLEU"
    brevity_penalty: float
    precisions: list[float]
    length: int
    reference_length: float

    @property
    def title(self) -> Heading:
        """The score, and what is multiplied with the mean of the precisions."""
        return Heading("", {"BLEU": Share(self.score), "brevity penalty": Factor(self.brevity_penalty)})

    def precisions_table(self) -> Table:
        """Return the matches of each order, and the precision that counts where that is another."""
        # `super()` without arguments fails in a dataclass with slots, which is a copy of the class.
        table = super(NgramMatches, self).precisions_table()
        plain = [hits / max(total, 1) for hits, total in zip(self.counts, self.totals, strict=True)]
        if all(map(math.isclose, self.precisions, plain)):
            return table
        rows = [(*row, Share(precision)) for row, precision in zip(table.rows, self.precisions, strict=True)]
        return Table(table.caption, (*table.head, "smoothed"), rows)

    def parts(self) -> list[Part]:
        """Return the texts and the matches, with the lengths before them."""
        lengths = f"tokens: {self.length:,}; in the reference for the brevity penalty: {self.reference_length:g}"
        return [Sentence(lengths), *super(NgramMatches, self).parts()]


def ngram_fields(
    documents: Sequence[Ids],
    spelling: Sequence[str],
    orders: range,
    as_written: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    """Return the first fields of `NgramTexts` for a prediction and its references, as ids of words."""
    prediction_ids, *references_ids = documents
    limits_of_references = ngram_limits(references_ids, orders)
    limits_of_text = ngram_limits([prediction_ids], orders)
    words_of_documents = []
    for index, ids in enumerate(documents):
        # The prediction is compared with its references, each reference with the prediction.
        limits = limits_of_text if index > 0 else limits_of_references
        words = [spelling[token] for token in ids]
        written = as_written[index] if as_written else words
        words_of_documents.append(words_of(words, ngram_levels(ids, limits), written))
    prediction, *references = words_of_documents
    ngrams = [ngram_counts(limits_of_text[order], limits_of_references[order], spelling) for order in orders]
    # Shorter orders do not count, but `NgramTexts.ngrams` begins with order 1.
    ngrams[:0] = [[] for _ in range(1, orders.start)]
    return {"prediction": prediction, "references": references, "ngrams": ngrams}


class WrittenTokens(NamedTuple):
    """The tokens of a batch, and how its texts write them, before they get a stem or a lemma."""

    tokens: TokenBatch
    spelling: list[str]  # by id
    as_written: list[list[str]]  # of each text


def written_tokens(metric: Any, batch: Corpus) -> WrittenTokens:
    """Return the tokens that a metric counts in a batch: those of its method ``tokens``."""
    tokens, words = metric.tokens(batch)
    before, words_before = metric.tokens(batch, as_written=True)
    spelling_before = words_before()
    as_written = []
    for ids in before.tokens.lists():
        as_written.append([spelling_before[token] for token in ids])
    return WrittenTokens(tokens, words(), as_written)


def prediction_words(written: WrittenTokens, orders: range) -> list[list[Word]]:
    """Return the tokens of each prediction of a batch, as `ngram_fields` does."""
    tokens = written.tokens
    levels = levels_of_predictions(tokens, orders)
    word = cache(Word)  # one that is found again need not be made again
    predictions = tokens.tokens.lists()[: tokens.n_items]
    as_written = written.as_written[: tokens.n_items]
    words_of_predictions: list[list[Word]] = []
    for ids, levels_of_ids, written_words in zip(predictions, levels, as_written, strict=True):
        words = []
        for token, level, text in zip(ids, levels_of_ids, written_words, strict=True):
            compared = written.spelling[token]
            words.append(word(compared, level, None if compared == text else text))
        words_of_predictions.append(words)
    return words_of_predictions
