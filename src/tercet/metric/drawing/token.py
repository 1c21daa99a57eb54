"""A row of the table that explains a BERTScore."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its best match in the other text, and what it adds to the score."""

    token: str  # as the tokenizer spells it, such as ##ing
    text: str  # the part of the text that it stands for; for a special token, its spelling
    span: tuple[int, int] | None  # where that part is in the text; None for special tokens
    special: bool  # added by the tokenizer, such as [CLS]
    weight: float  # share in the text; the shares of a text sum to 1
    cosine: float  # with its best match
    match: int | None  # index of the best match in the other text; None where that has no token
    match_text: str
    match_special: bool
    contribution: float  # weight * cosine: sums to the precision, or the recall
    loss: float  # weight * (1 - cosine): sums to what is missing from 1
