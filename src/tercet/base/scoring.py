"""For a moment."""

from tercet.corpus.artefacts import Watch

from .metric import batch_stats, corpus_stats, each_piece, joined_context, pair_scores, score_batch, summarize, warn

__all__ = [
    "Watch",
    "batch_stats",
    "corpus_stats",
    "each_piece",
    "joined_context",
    "pair_scores",
    "score_batch",
    "summarize",
    "warn",
]
