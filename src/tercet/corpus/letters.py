"""The letters of a corpus, which show whether a tokenizer would drop or not split them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import reduce
from itertools import filterfalse
from operator import add
from typing import Any, NamedTuple

from tercet.engine.character_kinds import is_without_blanks
from tercet.engine.chosen import engine
from tercet.errors import shorten

from .corpus import Corpus, bytes_of, sampled
from .large import LargeCorpus


@dataclass(slots=True)
class LetterCounts:
    """Letters of the references of a corpus; counts of parts add up to those of the whole."""

    #: Letters a to z and A to Z, which ROUGE's tokenizer keeps.
    ascii: int
    #: Letters and marks of other scripts (and letters with accents), which it drops.
    other: int
    #: Letters of scripts that are written without blanks between words (Chinese, Japanese, Thai ...).
    without_blanks: int
    #: References with letters of which ROUGE's tokenizer keeps none.
    lost: int
    #: All references.
    references: int

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


def why_not_split(letters: LetterCounts | None) -> str:
    """Return that blanks do not split texts with such letters into words; "" where they do."""
    if letters is None or not letters.mostly_without_blanks:
        return ""
    return "the texts are not split into words"


def count_letters(batch: Corpus) -> LetterCounts:
    """Count the letters of all references of a batch; time is linear in the bytes.

    Predictions are left out, so that two systems on one test set are split alike.
    """
    if isinstance(batch, LargeCorpus):
        return reduce(add, map(count_letters, batch.parts()))
    strings = batch.strings
    references: Any = batch.references if strings is None else strings[1]
    try:
        counts = engine.letters(bytes_of(references) if strings is None else references)
        return LetterCounts(*counts, len(references))
    except ValueError:
        # Encoding the texts raises an error that names the item.
        _ = batch.texts
        raise


#: Languages without spaces whose words no tokenizer by name finds, by the script as Unicode calls it.
_UNSPACED_LANGUAGES = {"THAI": "Thai", "LAO": "Lao", "KHMER": "Khmer", "MYANMAR": "Burmese"}
#: The characters that are looked at of a reference: its first ones.
_FIRST_CHARACTERS = 200


def unspaced_language(corpus: Corpus) -> str | None:
    """Return the language of most letters without spaces, of references evenly spread; None if it is a further one.

    Chinese and Japanese are such: tokenizers have their names.
    """
    scripts: Counter[str] = Counter()
    for _, references in corpus.items(sampled(corpus.n_segments, FEW)):
        for reference in references:
            letters = filter(is_without_blanks, reference[:_FIRST_CHARACTERS])
            scripts.update(unicodedata.name(letter).partition(" ")[0] for letter in letters)
    if not scripts:
        return None
    ((script, _),) = scripts.most_common(1)
    return _UNSPACED_LANGUAGES.get(script)


#: Items whose words are compared, or up to twice as many: more would take longer than scoring all.
FEW = 16

_LETTER_BEYOND_ASCII = re.compile(r"[^\W\d_\x00-\x7f]").search
#: Not tried within a word: a long one of ASCII alone would take its square.
_WORDS_BEYOND_ASCII = re.compile(r"(?<![\w\u0300-\u036f])[\w\u0300-\u036f]*[^\W\x00-\x7f][\w\u0300-\u036f]*").findall
_KEPT_LETTERS = re.compile("[a-z0-9]+").findall


class EqualWords(NamedTuple):
    """Two words that are one after their letters were dropped."""

    of_prediction: str
    of_reference: str
    left: str

    def __str__(self) -> str:
        of_prediction, of_reference, left = map(shorten, self)
        return f"{of_prediction} and {of_reference} both become {left}"


def equal_words(prediction: str, references: Iterable[str]) -> EqualWords | None:
    """Return a word that only the prediction has, and one of a reference, of which ROUGE's tokenizer leaves the same.

    Words of which it leaves nothing match no word.
    """
    words = set(filterfalse(str.isascii, prediction.split()))
    if not words:
        return None
    for reference in references:
        reference_words = set(filterfalse(str.isascii, reference.split()))
        if words - reference_words and reference_words - words:
            equal = _equal(_words_beyond_ascii(words), _words_beyond_ascii(reference_words))
            if equal is not None:
                return equal
    return None


def _words_beyond_ascii(pieces: Iterable[str]) -> dict[str, None]:
    """Return the words with letters beyond ASCII in pieces of a text, in lower case, without marks around them."""
    text = unicodedata.normalize("NFC", " ".join(sorted(pieces))).lower()
    return dict.fromkeys(_WORDS_BEYOND_ASCII(text))


def _equal(words: dict[str, None], reference_words: dict[str, None]) -> EqualWords | None:
    """Return the two words that have most in common."""
    of_references = {" ".join(_KEPT_LETTERS(word)): word for word in reference_words if word not in words}
    of_prediction = {" ".join(_KEPT_LETTERS(word)): word for word in words if word not in reference_words}
    # Numbers are no words: of 5元 and 5个 the tokenizer leaves the same, and rightly.
    shared = [
        letters for letters in of_references.keys() & of_prediction.keys() if not letters.replace(" ", "").isdigit()
    ]
    longest = max(shared, key=lambda letters: (len(letters), letters), default="")
    if not longest:
        return None
    return EqualWords(of_prediction[longest], of_references[longest], longest)


def dropped_letters_warning(corpus: Corpus | None, counts: LetterCounts | None, *, chosen: bool) -> str | None:
    """Return what to warn of where ROUGE's tokenizer drops letters; None if that changes next to nothing.

    It does where two different words of an item become one, or where the references lose five in a hundred letters;
    `chosen` says that the user named this tokenizer, and is warned only of words. English with a few loan words is
    neither: of 'naïve' it leaves 'na ve', which is no other word. Without a corpus, the letters alone are judged.
    """
    # Letters are counted only where the count may decide: who named the tokenizer is warned of words alone.
    if counts is None and corpus is not None and not chosen:
        counts = count_letters(corpus)
    if counts is not None and not counts.other:
        return None
    words = None if corpus is None else _first_equal_words(corpus)
    if words is None and (chosen or counts is None or not counts.noticeably_dropped):
        return None
    if counts is None:
        assert corpus is not None
        counts = count_letters(corpus)
    return _message(corpus, counts, words)


def _first_equal_words(corpus: Corpus) -> EqualWords | None:
    """Return two words of the first item that has such, of items evenly spread."""
    for item in sampled(corpus.n_segments, FEW):
        predictions, references = corpus.item(item)
        for prediction in predictions:
            equal = equal_words(prediction, references)
            if equal is not None:
                return equal
    return None


def _message(corpus: Corpus | None, counts: LetterCounts, words: EqualWords | None) -> str:
    total = counts.ascii + counts.other
    message = (
        "the tokenizer of rouge_score keeps a-z and 0-9 only and drops "
        f"{counts.other:,} of {total:,} letters of the references ({100 * counts.other / max(total, 1):.2g} %)"
    )
    if 20 * counts.lost > counts.references:
        message += f", every letter of {counts.lost:,} of {counts.references:,} references"
    if corpus is not None:
        lists = enumerate(corpus.reference_lists(), corpus.first_item)
        with_letters = [item for item, texts in lists if any(map(_LETTER_BEYOND_ASCII, texts))]
        if with_letters:
            first = f"the first in item {with_letters[0]:,}"
            message += f", in {len(with_letters):,} of {corpus.n_segments:,} items, {first}"
    if words is not None:
        return f"{message}; {words}. Give tokenizer='unicode', which keeps them."
    return f"{message}. Give tokenizer='unicode', which keeps them, or tokenizer='rouge' to choose that."
