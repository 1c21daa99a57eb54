"""What letters the references of a corpus have, and so which tokenizer would drop or not split them."""

from __future__ import annotations

import unicodedata
from dataclasses import astuple, dataclass

import numpy as np

from tercet.columns.batch import Batch

from .intern_kernels import count_ascii_letters, mark_without_ascii

# First letters of the Unicode names of characters of scripts that are written without blanks.
_WITHOUT_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC")


@dataclass(frozen=True, slots=True)
class LetterCounts:
    """Letters of the references of a corpus; counts of parts add up to those of the whole.

    Attributes
    ----------
    ascii : int
        Letters a to z, which ROUGE's tokenizer keeps.
    other : int
        Letters and marks of other scripts (and letters with accents), which it drops.
    without_blanks : int
        Those of scripts that are written without blanks between words (Chinese, Japanese, Thai ...).
    lost : int
        References with letters of which ROUGE's tokenizer keeps none.
    references : int
        All references.

    Examples
    --------
    >>> LetterCounts(3, 1, 0, 0, 1) + LetterCounts(0, 9, 9, 1, 2)
    LetterCounts(ascii=3, other=10, without_blanks=9, lost=1, references=3)
    """

    ascii: int
    other: int
    without_blanks: int
    lost: int
    references: int

    def __add__(self, other: LetterCounts) -> LetterCounts:
        return LetterCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def mostly_dropped(self) -> bool:
        """Whether ROUGE's tokenizer would drop more than half of the letters."""
        return self.other > self.ascii

    @property
    def mostly_without_blanks(self) -> bool:
        """Whether more than half of the letters are of scripts written without blanks."""
        return 2 * self.without_blanks > self.ascii + self.other


def count_letters(batch: Batch) -> LetterCounts:
    """Count the letters of all references of a batch; time is linear in the bytes.

    Predictions are left out, so that two systems on one test set are split alike.
    """
    texts = batch.texts[batch.n_items :]
    _, offsets, data = texts.buffers()
    if data is None or len(texts) == 0:
        return LetterCounts(0, 0, 0, 0, len(texts))
    bounds = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    raw = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
    n_ascii = int(count_ascii_letters(raw))
    if raw.max(initial=0) < 0x80:
        return LetterCounts(n_ascii, 0, 0, 0, len(texts))
    beyond = raw[raw >= 0x80]  # all bytes of all characters outside ASCII, and so text by itself
    points = np.frombuffer(beyond.tobytes().decode().encode("utf-32-le"), np.uint32)
    counts = np.bincount(points)
    letters = [chr(point) for point in np.flatnonzero(counts) if unicodedata.category(chr(point))[0] in "LM"]
    other = {letter: int(counts[ord(letter)]) for letter in letters}
    without_blanks = sum(other[x] for x in letters if unicodedata.name(x, "").startswith(_WITHOUT_BLANKS))
    marks = np.empty(len(texts), np.bool_)
    mark_without_ascii(raw, bounds - bounds[0], marks)
    none_kept = np.flatnonzero(marks).tolist()
    lost = sum(not other.keys().isdisjoint(texts[index].as_py()) for index in none_kept)
    return LetterCounts(n_ascii, sum(other.values()), without_blanks, lost, len(texts))
