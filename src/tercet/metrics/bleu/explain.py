"""Why a prediction has its BLEU: the n-grams of each order that its references cover."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.matched import NGRAM_LEVELS, Matched
from tercet.metric.drawing.ngrams import NgramTexts, compared
from tercet.metric.drawing.parts import Heading, Part, Sentence, Share, Table

if TYPE_CHECKING:
    from .metric import Bleu


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
        return Heading("", {"BLEU": Share(self.score), "brevity penalty": self.brevity_penalty})

    def precisions_table(self) -> Table:
        """Return the matches of each order, and the precision that counts where that is another."""
        table, smoothed = super(NgramMatches, self).precisions_table(), list(map(Share, self.precisions))
        plain = [hits / max(of, 1) for hits, of in zip(self.counts, self.totals, strict=True)]
        if all(map(math.isclose, smoothed, plain)):
            return table
        rows = [(*row, own) for row, own in zip(table.rows, smoothed, strict=True)]
        return Table(table.caption, (*table.head, "smoothed"), rows)

    def parts(self) -> list[Part]:
        """Return the texts and the matches, with the lengths before them."""
        lengths = f"tokens: {self.length:,}; in the reference for the brevity penalty: {self.reference_length:g}"
        return [Sentence(lengths), *super(NgramMatches, self).parts()]


def explain_batch(scorer: Bleu, batch: Corpus, context: Any = None) -> NgramMatches:
    """Explain a batch of one item."""
    tokens, words = scorer.tokens(batch)
    plain, plain_words = scorer.tokens(batch, as_written=True)
    stats = scorer.segment_stats(batch)
    scores = scorer.finalize(scorer.corpus_totals(stats))
    written = plain_words()
    as_written = [[written[token] for token in ids] for ids in plain.tokens.lists()]
    return NgramMatches(
        **compared(tokens.tokens.lists(), words(), range(1, scorer.max_order + 1), as_written),
        score=float(scores["bleu"]) / scorer.scale,
        brevity_penalty=float(scores["brevity_penalty"]),
        precisions=[float(each) / scorer.scale for each in scores["precisions"]],
        length=int(scores["translation_length"]),
        reference_length=float(scores["reference_length"]),
        signature=str(scorer.signature()),
    )


def matched(scorer: Bleu, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matched tokens: by their longest matched n-gram."""
    return Matched(scorer, NGRAM_LEVELS[: scorer.max_order], lambda found: found.prediction)
