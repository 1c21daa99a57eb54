"""Why a prediction has its BLEU: the n-grams of each order that its references cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.matched import NGRAM_LEVELS, Matched
from tercet.metric.drawing.ngrams import NgramTexts, compared

if TYPE_CHECKING:
    from .metric import Bleu


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NgramMatches(NgramTexts):
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

    brevity_penalty: float

    @property
    def title(self) -> str:
        """The line above the texts."""
        return f"BLEU {self.score:.4f}, brevity penalty {self.brevity_penalty:.4f}"


def explain_batch(scorer: Bleu, batch: Corpus, context: Any = None) -> NgramMatches:
    """Explain a batch of one item."""
    tokens, words = scorer.tokens(batch)
    plain, plain_words = scorer.tokens(batch, as_written=True)
    stats = scorer.segment_stats(batch)
    scores = scorer.finalize(scorer.corpus_totals(stats))
    written = plain_words()
    as_written = [[written[token] for token in ids] for ids in plain.tokens.lists()]
    return NgramMatches(
        **compared(tokens.tokens.lists(), words(), scorer.max_order, as_written),
        score=float(scores["bleu"]) / scorer.scale,
        brevity_penalty=float(scores["brevity_penalty"]),
        signature=str(scorer.signature()),
    )


def matched(scorer: Bleu, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matched tokens: by their longest matched n-gram."""
    return Matched(scorer, NGRAM_LEVELS[: scorer.max_order], lambda found: found.prediction)
