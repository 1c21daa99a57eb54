"""The letters of a corpus, which show whether a tokenizer would drop or not split them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from itertools import filterfalse
from typing import Any, NamedTuple

from tercet.engine.chosen import engine
from tercet.errors import shorten

from .corpus import Corpus, places
from .intern import bytes_of


@dataclass(slots=True)
class LetterCounts:
    """Letters of the references of a corpus; counts of parts add up to those of the whole."""

    ascii: int  # letters a to z, which ROUGE's tokenizer keeps
    other: int  # letters and marks of other scripts (and letters with accents), which it drops
    # of scripts that are written without blanks between words (Chinese, Japanese, Thai ...)
    without_blanks: int
    lost: int  # references with letters of which ROUGE's tokenizer keeps none
    references: int  # all references

    def __add__(self, other: LetterCounts) -> LetterCounts:
        return LetterCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def mostly_dropped(self) -> bool:
        """Whether ROUGE's tokenizer would drop more than half of the letters."""
        return self.other > self.ascii

    @property
    def noticeably_dropped(self) -> bool:
        """Whether it would drop five in a hundred letters, or every letter of more than five in a hundred texts."""
        return 20 * self.other >= self.ascii + self.other > 0 or 20 * self.lost > self.references

    @property
    def mostly_without_blanks(self) -> bool:
        """Whether more than half of the letters are of scripts written without blanks."""
        return 2 * self.without_blanks > self.ascii + self.other


def count_letters(batch: Corpus) -> LetterCounts:
    """Count the letters of all references of a batch; time is linear in the bytes.

    Predictions are left out, so that two systems on one test set are split alike.
    """
    strings = batch.strings
    references: Any = batch.references if strings is None else strings[1]
    try:
        found = engine.letters(bytes_of(references) if strings is None else references)
        return LetterCounts(*found, len(references))
    except ValueError:
        _ = batch.texts  # its error names the item
        raise


#: Items whose words are compared, or up to twice as many: more would take longer than scoring all.
FEW = 16

_LETTER_BEYOND_ASCII = re.compile(r"[^\W\d_\x00-\x7f]").search
_WORDS_BEYOND_ASCII = re.compile(r"[\w\u0300-\u036f]*[^\W\x00-\x7f][\w\u0300-\u036f]*").findall
_LEFT = re.compile("[a-z0-9]+").findall


class EqualWords(NamedTuple):
    """Two words that are one after their letters were dropped."""

    of_prediction: str
    of_reference: str
    left: str

    def __str__(self) -> str:
        one, other, left = map(shorten, self)
        return f"{one} and {other} both become {left}"


def equal_words(prediction: str, references: Iterable[str]) -> EqualWords | None:
    """Return a word that only the prediction has, and one of a reference, of which ROUGE's tokenizer leaves the same.

    Words of which it leaves nothing match no word.
    """
    own = {*filterfalse(str.isascii, prediction.split())}
    if not own:
        return None
    for reference in references:
        others = {*filterfalse(str.isascii, reference.split())}
        if own - others and others - own:
            found = _equal(_words(own), _words(others))
            if found is not None:
                return found
    return None


def _words(pieces: Iterable[str]) -> dict[str, None]:
    """Return the words with letters beyond ASCII in pieces of a text, in lower case, without marks around them."""
    text = unicodedata.normalize("NFC", " ".join(sorted(pieces))).lower()
    return dict.fromkeys(_WORDS_BEYOND_ASCII(text))


def _equal(own: dict[str, None], others: dict[str, None]) -> EqualWords | None:
    """Return the two words that have most in common."""
    left = {" ".join(_LEFT(word)): word for word in others if word not in own}
    of_own = {" ".join(_LEFT(word)): word for word in own if word not in others}
    both = [each for each in left.keys() & of_own.keys() if not each.replace(" ", "").isdigit()]  # as of 5元, 5个
    shared = max(filter(None, both), key=lambda each: (len(each), each), default="")
    return EqualWords(of_own[shared], left[shared], shared) if shared else None


def dropped_letters(corpus: Corpus | None, counts: LetterCounts | None, *, chosen: bool) -> str | None:
    """Return what to warn of where ROUGE's tokenizer drops letters; None if that changes next to nothing.

    It does where two different words of an item become one, or where the references lose five in a hundred letters;
    `chosen` says that the user named this tokenizer, and is warned only of words. English with a few loan words is
    neither: of 'naïve' it leaves 'na ve', which is no other word. Without a corpus, the letters alone are judged.
    """
    if counts is not None and not counts.other:
        return None
    if counts is None and corpus is not None and not chosen:
        counts = count_letters(corpus)
    many = counts is not None and counts.noticeably_dropped
    judged = None if counts is not None and not counts.other else corpus
    words = None if judged is None else _first_equal_words(judged)
    if words is None and (chosen or not many):
        return None
    if counts is None:
        assert corpus is not None
        counts = count_letters(corpus)
    return _message(corpus, counts, words)


def _first_equal_words(corpus: Corpus) -> EqualWords | None:
    """Return two words of the first item that has such, of items evenly spread."""
    for item in places(corpus.n_segments, FEW):
        predictions, references = corpus.item(item)
        for prediction in predictions:
            found = equal_words(prediction, references)
            if found is not None:
                return found
    return None


def _message(corpus: Corpus | None, counts: LetterCounts, words: EqualWords | None) -> str:
    total = counts.ascii + counts.other
    said = (
        "the tokenizer of rouge_score keeps a-z and 0-9 only and drops "
        f"{counts.other:,} of {total:,} letters of the references ({100 * counts.other / max(total, 1):.2g} %)"
    )
    if 20 * counts.lost > counts.references:
        said += f", every letter of {counts.lost:,} of {counts.references:,} references"
    if corpus is not None:
        lists = enumerate(corpus.reference_lists(), corpus.first_item)
        there = [item for item, texts in lists if any(map(_LETTER_BEYOND_ASCII, texts))]
        if there:
            said += f", in {len(there):,} of {corpus.n_segments:,} items, the first in item {there[0]:,}"
    if words is not None:
        said += (
            f"; {shorten(words.of_prediction)} and {shorten(words.of_reference)} both become {shorten(words.left)}"
        )
        return f"{said}. Give tokenizer='unicode', which keeps them."
    return f"{said}. Give tokenizer='unicode', which keeps them, or tokenizer='rouge' to choose that."
