"""The tokenizer "unicode": words of letters, marks and digits; scripts written without blanks, by character."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .edge_kernels import BLANKS, WORDS
from .intern import Interned, intern_bytes
from .unicode_kernels import ALONE, APART, JOINER, LETTER, MARK, MARK_ALONE, space_words

_EXTENDERS = r"\u3005-\u3007\u3031-\u3035\u303c\u30fc\uff70\uff9e\uff9f"  # letters of no script of their own
#: Scripts that are written without blanks, as the inside of a set of the package regex.
UNSPACED = _EXTENDERS + r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"


def unicode_words(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Interned:
    """Number the words of documents in composed form (NFC); time is linear in the bytes.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8 bytes.
    offsets : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`, the first one at 0.

    Examples
    --------
    >>> text = "Привет, мир! 北京2008 café"
    >>> unicode_words(np.frombuffer(text.encode(), np.uint8), np.array([0, len(text.encode())])).words()
    ['Привет', 'мир', '北', '京', '2008', 'café']
    """
    if data.max(initial=0) < 0x80:
        return intern_bytes(data, offsets, WORDS)
    points = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
    kinds = np.zeros(int(points.max()) + 1, np.uint8)
    found = np.flatnonzero(np.bincount(points))
    kinds[found] = [_kind(chr(point)) for point in found]
    spaced, spaced_offsets = np.empty(len(data) + len(points), np.uint8), np.empty(len(offsets), np.int64)
    size = space_words(points, data, offsets, kinds, spaced, spaced_offsets)
    return intern_bytes(spaced[:size], spaced_offsets, BLANKS)


def is_composed(text: str) -> bool:
    """Return whether a text is in composed form (NFC)."""
    return unicodedata.is_normalized("NFC", text)


@cache
def _kinds() -> tuple[tuple[int, Any], ...]:
    import regex

    kinds = {
        ALONE: rf"[{UNSPACED}&&[\p{{L}}\p{{N}}]]", MARK_ALONE: rf"[{UNSPACED}&&\p{{M}}]",
        LETTER: r"[\p{L}\p{N}]", MARK: r"\p{M}", JOINER: r"[\u200c\u200d]",
    }  # fmt: skip
    return tuple((kind, regex.compile(f"(?V1){pattern}")) for kind, pattern in kinds.items())


@cache
def _kind(character: str) -> int:
    """Return what a character is to the kernel: the first kind that fits."""
    return next((kind for kind, pattern in _kinds() if pattern.match(character)), APART)
