"""Texts as a page shows them: cut where they are long, and outputs in the colours of what matches a reference."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.base.metric import Metric
from tercet.corpus.reading import read_batch
from tercet.errors import TercetError
from tercet.explanation.explanation import CHARACTER_LEVELS, NGRAM_LEVELS
from tercet.explanation.matches import Word

from .text_pieces import Piece, joined_pieces, text_in_pieces, tokens_in_pieces

if TYPE_CHECKING:
    from tercet.comparison.values.scores import ScoreTable
    from tercet.test_sets.test_set import TestSet

#: Characters of a text that are shown.
LONGEST = 3_000
#: References of a segment that are shown.
MOST_REFERENCES = 8


@dataclass(frozen=True, slots=True)
class Text:
    """A text in pieces, each with its level."""

    pieces: list[Piece]
    left_out: int = 0  # characters


def plain(text: str) -> Text:
    """Return a text without colours."""
    if not text:
        return Text([])
    return Text([Piece(0, text[:LONGEST])], max(0, len(text) - LONGEST))


def source_of(test_set: TestSet, index: int) -> Text | None:
    """Return the source of a segment, if there is one."""
    if test_set.source is None:
        return None
    return plain(test_set.source[index])


def references_of(test_set: TestSet, index: int) -> list[Text]:
    """Return the references of a segment that are shown."""
    return [plain(reference) for reference in test_set.references[index][:MOST_REFERENCES]]


def more_references_of(test_set: TestSet, index: int) -> int:
    """Return how many references of a segment are not shown."""
    return max(0, len(test_set.references[index]) - MOST_REFERENCES)


class Colours:
    """Colours outputs by the matches of a metric; without token matches, they stay plain."""

    def __init__(self, table: ScoreTable) -> None:
        tokenizer = next(iter(table.stats.values())).signature.get("tok")
        self._ascii_only = tokenizer == "rouge"
        self._matched = None
        self.legend: tuple[str, ...] = ()
        if isinstance(table.scorer, Metric):
            self._matched = table.scorer.matched(table.name, tokenizer)
        if self._matched is not None:
            self.legend = self._matched.levels
        self._known: dict[tuple[str, ...], Text] = {}

    def text(self, prediction: str, references: Sequence[str]) -> Text:
        """Return an output with its matches in colour."""
        item = prediction, *references
        if item not in self._known:
            self.read([(prediction, references)])
        return self._known[item]

    def read(self, outputs: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Find the matches of outputs, each of them once; of many in one go, in less time than one by one."""
        to_explain = []
        for prediction, references in outputs:
            item = prediction, *references
            if item not in self._known:
                self._known[item] = plain(prediction)
                if prediction and references:
                    to_explain.append(item)
        self._explain(to_explain)

    def _explain(self, items: Sequence[tuple[str, ...]]) -> None:
        if self._matched is None or not items:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch = read_batch([item[0] for item in items], [list(item[1:]) for item in items])
                words_of_items = self._matched.words(batch)
        except TercetError:
            # one that cannot be explained, as it is too long, stays plain: the others are explained without it
            if len(items) > 1:
                for item in items:
                    self._explain([item])
            return
        for item, words in zip(items, words_of_items, strict=True):
            self._known[item] = in_colour(item[0], words, self.legend, ascii_only=self._ascii_only)


def in_colour(prediction: str, words: Sequence[Word], legend: Sequence[str], *, ascii_only: bool) -> Text:
    """Return a text with its tokens in the colours of their levels, which the legend names from 1 on."""
    pieces = text_in_pieces(prediction, words, ascii_only=ascii_only)
    if pieces is None:
        pieces = tokens_in_pieces(words)
    in_legend = [Piece(min(piece.level, len(legend)), piece.text) for piece in pieces]
    has_ngrams = tuple(legend[:1]) in (NGRAM_LEVELS[:1], CHARACTER_LEVELS[:1])
    return _cut(joined_pieces(in_legend, has_ngrams=has_ngrams))


def _cut(pieces: list[Piece]) -> Text:
    """Return a text of which the first characters are shown."""
    left_out = sum(len(piece.text) for piece in pieces) - LONGEST
    if left_out <= 0:
        return Text(pieces)
    shown_pieces = []
    room = LONGEST
    for level, part in pieces:
        if room > 0:
            shown_pieces.append(Piece(level, part[:room]))
        room -= len(part)
    return Text(shown_pieces, left_out)
