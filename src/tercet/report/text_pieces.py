"""A text in pieces, by how its tokens match: where they stand in it as it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from tercet.explanation.matches import Word

#: A character, or what 13a reads as one.
_SIGNS = re.compile("(?s)&(?:quot|amp|lt|gt);|.")


class Piece(NamedTuple):
    """A part of a text and its level: 0 for what does not match."""

    level: int
    text: str


def text_in_pieces(text: str, words: Sequence[Word], *, ascii_only: bool = False) -> list[Piece] | None:
    """Return the text itself in pieces with the levels of its tokens.

    None if the tokens do not follow one another with only spaces and punctuation between:
    :func:`tokens_in_pieces` then shows the tokens. With `ascii_only` there may be other letters between, which the
    tokenizer of ROUGE drops.
    """
    pieces_as_written = _pieces_in_any_case(text, words, ascii_only=ascii_only)
    if pieces_as_written is not None:
        return pieces_as_written
    # Tokenizer 13a of BLEU reads an entity as its character.
    signs = _SIGNS.findall(text)
    decoded = "".join(map(unescape, signs))
    if len(signs) == len(text) or len(decoded) != len(signs):
        return None
    # it may read one within another: &amp;lt; is <
    decoded_pieces = text_in_pieces(decoded, words, ascii_only=ascii_only)
    if decoded_pieces is None:
        return None
    remaining_signs = iter(signs)
    pieces = []
    for level, part in decoded_pieces:
        pieces.append(Piece(level, "".join(islice(remaining_signs, len(part)))))
    return pieces


def tokens_in_pieces(words: Sequence[Word]) -> list[Piece]:
    """Return the tokens as they are compared, with their levels, and blanks between."""
    pieces: list[Piece] = []
    for word in words:
        if pieces:
            pieces.append(Piece(0, " "))
        pieces.append(Piece(word.level, word.text))
    return pieces


def joined_pieces(pieces: Sequence[Piece], *, has_ngrams: bool) -> list[Piece]:
    """Return the pieces with neighbours of one level in one, and blanks in what they are within.

    1-grams in a row are no longer n-gram: the blanks between them stay apart.
    """
    levels = [piece.level for piece in pieces]
    for index in range(1, len(pieces) - 1):
        before = pieces[index - 1].level
        after = pieces[index + 1].level
        is_blank_within = before == after and not pieces[index].text.strip()
        is_between_one_grams = has_ngrams and before == 1
        if is_blank_within and not is_between_one_grams:
            levels[index] = before
    joined = []
    for level, run in groupby(zip(levels, pieces, strict=True), key=itemgetter(0)):
        text = "".join(piece.text for _, piece in run)
        if text:
            joined.append(Piece(level, text))
    return joined


def _pieces_in_any_case(text: str, words: Sequence[Word], *, ascii_only: bool) -> list[Piece] | None:
    """Return the text in pieces, of tokens as they are written or in lower case; None if they are not in it."""
    pieces = _pieces_by_tokens(text, text, words, ascii_only=ascii_only)
    lowered = text.lower()
    # a letter may be two in lower case: then tokens stand elsewhere
    if pieces is None and len(lowered) == len(text):
        pieces = _pieces_by_tokens(text, lowered, words, ascii_only=ascii_only)
    return pieces


def _pieces_by_tokens(text: str, folded: str, words: Sequence[Word], *, ascii_only: bool) -> list[Piece] | None:
    """Return the text in pieces where the tokens stand in `folded`; None if they are not in it."""
    pieces: list[Piece] = []
    end = 0
    for word in words:
        written = word.text if word.written is None else word.written
        start = folded.find(written, end)
        if start < 0:
            return None
        if start > end:
            if _has_letters(text[end:start], ascii_only):
                return None
            pieces.append(Piece(0, text[end:start]))
        end = start + len(written)
        if written:
            pieces.append(Piece(word.level, text[start:end]))
    behind = text[end:]
    if _has_letters(behind, ascii_only):
        return None
    if behind:
        pieces.append(Piece(0, behind))
    return pieces


def _has_letters(text: str, ascii_only: bool) -> bool:
    if text.isspace():
        return False
    if ascii_only:
        return any(letter.isalnum() and letter.isascii() for letter in text)
    return any(map(str.isalnum, text))
