"""Texts in matching and other pieces, with the colours of tercet's explanations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.corpus.reading import read_batch
from tercet.errors import TercetError
from tercet.metric.drawing.matched import NGRAM_LEVELS
from tercet.metric.drawing.places import Word
from tercet.metric.metric import Metric

if TYPE_CHECKING:
    from tercet.comparison.scores import ScoreTable

_LONGEST = 3_000  # characters of a text that are shown


@dataclass(frozen=True, slots=True)
class Text:
    """A text in pieces, each with its level: 0 for what does not match."""

    pieces: list[tuple[int, str]]
    left_out: int = 0  # characters


def plain(text: str) -> Text:
    """Return a text without colours."""
    return Text([(0, text[:_LONGEST])] if text else [], max(0, len(text) - _LONGEST))


class Colours:
    """Colours outputs by the matches of a metric; without token matches, they stay plain."""

    def __init__(self, table: ScoreTable) -> None:
        tokenizer = next(iter(table.stats.values())).signature.get("tok")
        self._ascii_only = tokenizer == "rouge"
        scorer = table.scorer
        self._matched = scorer.matched(table.name, tokenizer) if isinstance(scorer, Metric) else None
        self.legend: tuple[str, ...] = () if self._matched is None else self._matched.levels
        self._known: dict[tuple[str, ...], Text] = {}

    def of(self, prediction: str, references: Sequence[str]) -> Text:
        """Return an output with its matches in colour; each output is explained once."""
        texts = prediction, *references
        if texts not in self._known:
            self._known[texts] = self._explained(prediction, references)
        return self._known[texts]

    def _explained(self, prediction: str, references: Sequence[str]) -> Text:
        if self._matched is None or not prediction or not references:
            return plain(prediction)
        scorer = self._matched.scorer
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = scorer.explained(read_batch([prediction], [list(references)]))
        except TercetError:
            return plain(prediction)
        words = [replace(word, level=min(word.level, len(self.legend))) for word in self._matched.words(found)]
        pieces = placed(prediction, words, self._ascii_only) or spelled(words)
        return _cut(_joined(pieces, self.legend[:1] == NGRAM_LEVELS[:1]))


def placed(text: str, words: Sequence[Word], ascii_only: bool = False) -> list[tuple[int, str]] | None:
    """Return the text itself in pieces with the levels of its tokens.

    None if the tokens do not follow one another with only spaces and punctuation between:
    :func:`spelled` then shows the tokens. With `ascii_only` there may be other letters between, which the tokenizer
    of ROUGE drops.
    """
    for folded in (text, text.lower()):
        if len(folded) == len(text) and (pieces := _found(text, folded, words, ascii_only)) is not None:
            return pieces
    return None


def spelled(words: Sequence[Word]) -> list[tuple[int, str]]:
    """Return the tokens as they are compared, with blanks between."""
    return [piece for word in words for piece in ((word.level, word.text), (0, " "))][:-1]


def _found(text: str, folded: str, words: Sequence[Word], ascii_only: bool) -> list[tuple[int, str]] | None:
    pieces, end = [], 0
    for word in words:
        written = word.text if word.written is None else word.written
        start = folded.find(written, end)
        if start < 0 or _holds_letters(text[end:start], ascii_only):
            return None
        pieces += [(0, text[end:start]), (word.level, text[start : start + len(written)])]
        end = start + len(written)
    if _holds_letters(text[end:], ascii_only):
        return None
    return [(level, part) for level, part in [*pieces, (0, text[end:])] if part]


def _holds_letters(text: str, ascii_only: bool) -> bool:
    return any(letter.isalnum() and (letter.isascii() or not ascii_only) for letter in text)


def _joined(pieces: Sequence[tuple[int, str]], ngrams: bool) -> list[tuple[int, str]]:
    """Join neighbours of one level, and blanks to what they are within; 1-grams in a row are no longer n-gram."""
    joined: list[tuple[int, str]] = []
    for index, (level, part) in enumerate(pieces):
        around = {pieces[index - 1][0], pieces[index + 1][0]} if 0 < index < len(pieces) - 1 else set()
        if not part.strip() and len(around) == 1 and not (ngrams and around == {1}):
            (level,) = around
        if joined and joined[-1][0] == level:
            joined[-1] = (level, joined[-1][1] + part)
        else:
            joined.append((level, part))
    return joined


def _cut(pieces: Sequence[tuple[int, str]]) -> Text:
    kept, room = [], _LONGEST
    for level, part in pieces:
        if room > 0:
            kept.append((level, part[:room]))
        room -= len(part)
    return Text(kept, max(0, -room))
