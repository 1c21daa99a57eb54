"""The bytes of few texts, one behind the other."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch, Corpus
from tercet.columns.items import Items
from tercet.text.tokenizers import bytes_used

from .few_tokens import MOST_BYTES, MOST_TEXTS

#: More of them are faster in pieces.
MOST_ITEMS = MOST_TEXTS // 2


def bytes_of_few(corpus: Corpus) -> tuple[bytes, NDArray[np.int64]] | None:
    """Return the bytes of all texts, and where each begins; None for many or long items, or several references.

    Examples
    --------
    >>> from tercet.columns.items import read_items
    >>> data, bounds = bytes_of_few(read_items(["a cat", "b"], ["c", "d"]))
    >>> data, bounds.tolist()
    (b'a catbcd', [0, 5, 6, 7, 8])
    """
    n = corpus.n_items
    if not 0 < n <= MOST_ITEMS or not isinstance(corpus, Items | Batch):
        return None
    if corpus.reference_offsets.tolist() != list(range(n + 1)):
        return None
    data, bounds = _bytes_of_items(corpus) if isinstance(corpus, Items) else _bytes_of_batch(corpus)
    return (data, bounds) if 0 < len(data) <= MOST_BYTES else None


def _bytes_of_items(items: Items) -> tuple[bytes, NDArray[np.int64]]:
    """Return the bytes of all texts, and where each begins."""
    texts = [*items.predictions, *items.references]
    joined = "".join(texts)
    if joined.isascii():
        return joined.encode(), np.array([0, *accumulate(map(str.__len__, texts))])
    encoded = [str.encode(text, "utf-8", "surrogatepass") for text in texts]
    return b"".join(encoded), np.array([0, *accumulate(map(len, encoded))])


def _bytes_of_batch(batch: Batch) -> tuple[bytes, NDArray[np.int64]]:
    data, starts = bytes_used(batch.texts)
    return data.tobytes(), starts
