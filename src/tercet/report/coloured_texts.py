"""Texts as a page shows them: cut where they are long, and outputs in the colours of what matches a reference."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

from tercet.base.metric import Metric
from tercet.corpus.reading import read_batch
from tercet.errors import TercetError
from tercet.explanation.explanation import CHARACTER_LEVELS, NGRAM_LEVELS
from tercet.explanation.matches import Word

if TYPE_CHECKING:
    from tercet.comparison.scores import ScoreTable
    from tercet.test_sets.test_set import TestSet

#: Characters of a text that are shown.
LONGEST = 3_000
#: References of a segment that are shown.
MOST_REFERENCES = 8
#: A character, or what 13a reads as one.
_SIGNS = re.compile("(?s)&(?:quot|amp|lt|gt);|.")


@dataclass(frozen=True, slots=True)
class Text:
    """A text in pieces, each with its level: 0 for what does not match."""

    pieces: list[tuple[int, str]]
    left_out: int = 0  # characters


def plain(text: str) -> Text:
    """Return a text without colours."""
    if not text:
        return Text([])
    return Text([(0, text[:LONGEST])], max(0, len(text) - LONGEST))


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
    pieces = [(min(level, len(legend)), part) for level, part in pieces]
    has_ngrams = tuple(legend[:1]) in (NGRAM_LEVELS[:1], CHARACTER_LEVELS[:1])
    return _cut(_join(pieces, has_ngrams=has_ngrams))


def text_in_pieces(text: str, words: Sequence[Word], *, ascii_only: bool = False) -> list[tuple[int, str]] | None:
    """Return the text itself in pieces with the levels of its tokens.

    None if the tokens do not follow one another with only spaces and punctuation between:
    :func:`tokens_in_pieces` then shows the tokens. With `ascii_only` there may be other letters between, which the
    tokenizer of ROUGE drops.
    """
    pieces = _pieces_in_any_case(text, words, ascii_only=ascii_only)
    if pieces is not None:
        return pieces
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
    return [(level, "".join(islice(remaining_signs, len(part)))) for level, part in decoded_pieces]


def _pieces_in_any_case(text: str, words: Sequence[Word], *, ascii_only: bool) -> list[tuple[int, str]] | None:
    """Return the text in pieces, of tokens as they are written or in lower case; None if they are not in it."""
    pieces = _pieces_by_tokens(text, text, words, ascii_only=ascii_only)
    lowered = text.lower()
    # a letter may be two in lower case: then tokens stand elsewhere
    if pieces is None and len(lowered) == len(text):
        pieces = _pieces_by_tokens(text, lowered, words, ascii_only=ascii_only)
    return pieces


def tokens_in_pieces(words: Sequence[Word]) -> list[tuple[int, str]]:
    """Return the tokens as they are compared, with their levels, and blanks between."""
    pieces: list[tuple[int, str]] = []
    for word in words:
        if pieces:
            pieces.append((0, " "))
        pieces.append((word.level, word.text))
    return pieces


def _pieces_by_tokens(
    text: str, folded: str, words: Sequence[Word], *, ascii_only: bool
) -> list[tuple[int, str]] | None:
    """Return the text in pieces where the tokens stand in `folded`; None if they are not in it."""
    pieces = list[tuple[int, str]]()
    end = 0
    for word in words:
        written = word.text if word.written is None else word.written
        start = folded.find(written, end)
        if start < 0:
            return None
        if start > end:
            if _has_letters(text[end:start], ascii_only):
                return None
            pieces.append((0, text[end:start]))
        end = start + len(written)
        if written:
            pieces.append((word.level, text[start:end]))
    behind = text[end:]
    if _has_letters(behind, ascii_only):
        return None
    if behind:
        pieces.append((0, behind))
    return pieces


def _has_letters(text: str, ascii_only: bool) -> bool:
    if text.isspace():
        return False
    if ascii_only:
        return any(letter.isalnum() and letter.isascii() for letter in text)
    return any(map(str.isalnum, text))


def _join(pieces: Sequence[tuple[int, str]], *, has_ngrams: bool) -> list[tuple[int, str]]:
    """Join neighbours of one level, and blanks to what they are within; 1-grams in a row are no longer n-gram."""
    levels = [level for level, _ in pieces]
    for index in range(1, len(pieces) - 1):
        before, _ = pieces[index - 1]
        _, part = pieces[index]
        after, _ = pieces[index + 1]
        is_blank_within = before == after and not part.strip()
        is_between_one_grams = has_ngrams and before == 1
        if is_blank_within and not is_between_one_grams:
            levels[index] = before
    joined = []
    parts = [part for _, part in pieces]
    for level, run in groupby(zip(levels, parts, strict=True), key=itemgetter(0)):
        text = "".join(part for _, part in run)
        if text:
            joined.append((level, text))
    return joined


def _cut(pieces: list[tuple[int, str]]) -> Text:
    left_out = sum(len(part) for _, part in pieces) - LONGEST
    if left_out <= 0:
        return Text(pieces)
    shown_pieces = []
    room = LONGEST
    for level, part in pieces:
        if room > 0:
            shown_pieces.append((level, part[:room]))
        room -= len(part)
    return Text(shown_pieces, left_out)
