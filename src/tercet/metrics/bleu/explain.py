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
    """The matching behind the BLEU of one prediction: with all references together."""

    called = "BLEU"
    brevity_penalty: float


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
        signature=str(scorer.signature()),
    )


def matched(scorer: Bleu, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matched tokens: by their longest matched n-gram."""
    return Matched(scorer, NGRAM_LEVELS[: scorer.max_order], lambda found: found.prediction)
