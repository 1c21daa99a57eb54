"""A column of texts -> token ids, one id for each different token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.plain_text import strings


@dataclass(frozen=True, slots=True)
class Interned:
    """Token ids of documents, as :func:`tercet.engine.plain_text.intern` returns them."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    line_starts: NDArray[np.int64]
    line_offsets: NDArray[np.int64]
    n_types: int  # number of different tokens
    # returns the list of the different tokens, by id (made on demand: most scores do not need it)
    words: Callable[[], list[str]]


def intern_texts(texts: Any, reading: str) -> Interned:
    """Split the texts of an Arrow column as :func:`tercet.engine.plain_text.intern` does; time is linear."""
    ids, offsets, line_starts, line_offsets, words, bounds = engine.intern(bytes_of(texts), reading)
    return Interned(ids, offsets, line_starts, line_offsets, len(bounds) - 1, lambda: strings((words, bounds)))


def bytes_of(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of an Arrow column of texts (not a copy), and where each text begins."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    return np.frombuffer(data if data is not None else b"", np.uint8), starts


def bytes_used(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the same without the texts outside a slice."""
    data, starts = bytes_of(texts)
    return data[starts[0] : starts[-1]], starts - starts[0]
