"""The warnings of ROUGE."""

from __future__ import annotations

#: Where the letters of the references chose another tokenizer than ROUGE's own.
LETTERS_KEPT = (
    "the tokenizer of rouge_score keeps a-z and 0-9 only and would drop more than half of the letters of "
    "these references; tokenizer='unicode' is used instead. Give tokenizer='unicode' or tokenizer='rouge' to choose."
)
