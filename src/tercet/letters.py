"""How much of a corpus the default tokenizer of ROUGE would drop."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from .columns import Batch
from .intern_kernels import count_ascii_letters


@dataclass(frozen=True, slots=True)
class LetterCounts:
    """Letters of a corpus; counts of parts add up to those of the whole.

    Attributes
    ----------
    ascii : int
        Letters a to z, which ROUGE's tokenizer keeps.
    other : int
        Letters and marks of other scripts (and letters with accents), which it drops.

    Examples
    --------
    >>> LetterCounts(3, 1) + LetterCounts(0, 9)
    LetterCounts(ascii=3, other=10)
    """

    ascii: int
    other: int

    def __add__(self, other: LetterCounts) -> LetterCounts:
        return LetterCounts(self.ascii + other.ascii, self.other + other.other)

    @property
    def mostly_dropped(self) -> bool:
        """Whether more than half of the letters would be dropped."""
        return self.other > self.ascii


def count_letters(batch: Batch) -> LetterCounts:
    """Count the letters of all texts of a batch; time is linear in the bytes."""
    _, _, data = batch.texts.buffers()
    if data is None:
        return LetterCounts(0, 0)
    raw = np.frombuffer(data, np.uint8)
    n_ascii = count_ascii_letters(raw)
    if raw.max(initial=0) < 0x80:
        return LetterCounts(n_ascii, 0)
    beyond = raw[raw >= 0x80]  # all bytes of all characters outside ASCII, and so text by itself
    points = np.frombuffer(beyond.tobytes().decode().encode("utf-32-le"), np.uint32)
    counts = np.bincount(points)
    used = np.flatnonzero(counts)
    other = sum(int(counts[point]) for point in used if unicodedata.category(chr(point))[0] in "LM")
    return LetterCounts(n_ascii, other)
