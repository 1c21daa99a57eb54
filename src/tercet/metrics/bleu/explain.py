"""Why a prediction has its BLEU: the n-grams of each order that its references cover."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import NGRAM_LEVELS, Matched
from tercet.metric.drawing.places import Count, Word, ngram_counts, ngram_levels, ngram_limits, words_of
from tercet.metric.drawing.words_html import (
    counts_html,
    order_names,
    page_html,
    reference_label,
    table_html,
    words_html,
)

if TYPE_CHECKING:
    from .metric import Bleu


@dataclass(frozen=True, slots=True, eq=False)
class NgramMatches(Explanation):
    """The matching behind the BLEU of one prediction.

    Attributes
    ----------
    prediction : list of Word
        The tokens; their level is the longest counted n-gram through them.
    references : list of list of Word
        Likewise for each reference: n-grams that it shares with the prediction.
    ngrams : list of list of Count
        For each order the different n-grams of the prediction, by their first place.
    score : float
        ``bleu`` of this prediction alone, from 0 to 1.
    brevity_penalty : float
    signature : str
    """

    prediction: list[Word]
    references: list[list[Word]]
    ngrams: list[list[Count]]
    score: float
    brevity_penalty: float
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
        return {
            "prediction": [asdict(word) for word in self.prediction],
            "references": [[asdict(word) for word in words] for words in self.references],
            "ngrams": [[asdict(count) | {"counted": count.counted} for count in counts] for counts in self.ngrams],
            "counts": self.counts,
            "totals": self.totals,
            "score": self.score,
            "brevity_penalty": self.brevity_penalty,
            "signature": self.signature,
        }

    def to_html(self) -> str:
        """Return the texts with matched n-grams coloured by order, and the counts, a fragment of HTML."""
        legend_html, orders = order_names(len(self.ngrams))
        parts = [legend_html, words_html("prediction", self.prediction, "{}-gram")]
        for index, words in enumerate(self.references):
            parts.append(words_html(reference_label(index, len(self.references)), words, "{}-gram"))
        rows = [
            (name, hits, total, hits / total if total else 0.0)
            for name, hits, total in zip(orders, self.counts, self.totals, strict=True)
        ]
        parts.append(table_html("clipped matches", ("order", "matches", "of", "precision"), rows))
        for name, counts in zip(orders, self.ngrams, strict=True):
            parts.append(counts_html(f"all {name}s of the prediction", counts))
        title = f"BLEU {self.score:.4f}, brevity penalty {self.brevity_penalty:.4f}"
        return page_html(title, parts, self.signature)


def explain_batch(scorer: Bleu, batch: Corpus, context: Any = None) -> NgramMatches:
    """Explain a batch of one item."""
    tokens, words = scorer.tokens(batch)
    plain, plain_words = scorer.tokens(batch, as_written=True)
    stats = scorer.segment_stats(batch)
    scores = scorer.finalize(scorer.corpus_totals(stats))
    spelling, written, orders = words(), plain_words(), range(1, scorer.max_order + 1)
    text, *targets = tokens.tokens.lists()
    text_as_written, *targets_as_written = plain.tokens.lists()

    of_references, of_text = ngram_limits(targets, orders), ngram_limits([text], orders)

    def marked(own: list[int], as_written: list[int], limits: dict[int, Counter[tuple[int, ...]]]) -> list[Word]:
        return words_of([spelling[i] for i in own], ngram_levels(own, limits), [written[i] for i in as_written])

    return NgramMatches(
        prediction=marked(text, text_as_written, of_references),
        references=[marked(*each, of_text) for each in zip(targets, targets_as_written, strict=True)],
        ngrams=[ngram_counts(of_text[order], of_references[order], spelling) for order in orders],
        score=float(scores["bleu"]) / scorer.scale,
        brevity_penalty=float(scores["brevity_penalty"]),
        signature=str(scorer.signature()),
    )


def matched(scorer: Bleu, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matched tokens: by their longest matched n-gram."""
    return Matched(scorer, NGRAM_LEVELS[: scorer.max_order], lambda found: found.prediction)
