"""The warnings of ROUGE."""

from __future__ import annotations

from tercet.corpus.letters import LetterCounts


def lost_letters(counts: LetterCounts, tokenizer: object) -> str | None:
    """Return a warning when references lose their letters in ROUGE's own tokenizer, or would have lost them."""
    if tokenizer == "unicode":
        return (
            "the tokenizer of rouge_score keeps a-z and 0-9 only and would drop more than half of the letters of "
            "these references; tokenizer='unicode' is used instead. Give tokenizer='unicode' or "
            "tokenizer='rouge' to choose."
        )
    if 20 * counts.lost > counts.references:
        return (
            "the tokenizer of rouge_score keeps a-z and 0-9 only and drops every letter of "
            f"{counts.lost} of {counts.references} references; tokenizer='unicode' keeps them."
        )
    return None
