"""A row of the table that explains a BERTScore."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its best match in the other text, and what it adds to the score.

    Attributes
    ----------
    token : str
        As the tokenizer spells it, such as ``##ing``.
    text : str
        The stretch of the text that it stands for; the spelling for a special token.
    span : (int, int) or None
        Where that stretch is in the text; None for special tokens.
    special : bool
        Whether the tokenizer put it there, as ``[CLS]``.
    weight : float
        Share in the text; the shares of a text sum to 1.
    cosine : float
        With its best match.
    match : int or None
        Index of the best match among the tokens of the other text; None where that has no token.
    match_text : str
    match_special : bool
        Whether the best match is a special token.
    contribution : float
        ``weight * cosine``: sums to the precision, or the recall.
    loss : float
        ``weight * (1 - cosine)``: sums to what is missing from 1.
    """

    token: str
    text: str
    span: tuple[int, int] | None
    special: bool
    weight: float
    cosine: float
    match: int | None
    match_text: str
    match_special: bool
    contribution: float
    loss: float
