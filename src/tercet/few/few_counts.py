"""Counts of few pairs of texts, each with one reference, as plain Python numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch, Corpus
from tercet.columns.items import Items
from tercet.counting.pair_kernels import MOST_TOKENS, fill_short_pairs
from tercet.text.tokenizers import bytes_used, plain_reading

from .few_tokens import MOST_BYTES, MOST_TEXTS, number_few

#: More of them are faster in pieces.
_MOST_ITEMS = MOST_TEXTS // 2
_PAIRS, _DOCUMENTS = np.arange(_MOST_ITEMS), np.arange(MOST_TEXTS, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class FewCounts:
    """What ROUGE and BLEU count of n predictions and their references.

    Attributes
    ----------
    matches : list of list of int
        For each order from 1 on, the clipped matches of each pair.
    sizes, reference_sizes : list of int
        Tokens.
    common : list of int
        Lengths of the longest common subsequences, where they were asked for; else zeros.
    """

    matches: list[list[int]]
    sizes: list[int]
    reference_sizes: list[int]
    common: list[int]

    def __len__(self) -> int:
        return len(self.sizes)


class FewCounter:
    """Counts few pairs; what it cannot count is left to the way of all corpora.

    Parameters
    ----------
    tokenizer : {"13a", "none", "rouge"}
    max_order : int
    with_lcs : bool

    Examples
    --------
    >>> from tercet.columns.items import read_items
    >>> FewCounter("none", 2, True).count(read_items(["a cat sat"], ["a cat ran"]))
    FewCounts(matches=[[2], [1]], sizes=[3], reference_sizes=[3], common=[2])
    """

    def __init__(self, tokenizer: str, max_order: int, with_lcs: bool) -> None:
        self._plain = plain_reading(tokenizer)
        self._max_order, self._with_lcs = max_order, with_lcs

    def count(self, corpus: Corpus, one_line: bool = False) -> FewCounts | None:
        """Return the counts of each item; None for many items, several references, and odd texts.

        With `one_line`, also None for texts of several lines.
        """
        n = corpus.n_items
        if not 0 < n <= _MOST_ITEMS or not isinstance(corpus, Items | Batch):
            return None
        if corpus.reference_offsets.tolist() != list(range(n + 1)):
            return None
        data, bounds = _bytes_of_items(corpus) if isinstance(corpus, Items) else _bytes_of_batch(corpus)
        if not 0 < len(data) <= MOST_BYTES or (one_line and b"\n" in data):
            return None
        if not data.isascii() and self._plain.foreign.search(data):
            return None
        for sign in self._plain.changed:
            if sign in data:
                return None
        tokens = number_few(np.frombuffer(data, np.uint8), bounds, self._plain.reading)
        if tokens is None:
            return None
        ids, offsets, n_types = tokens
        edges = offsets.tolist()
        sizes = [end - start for start, end in pairwise(edges)]
        if max(sizes) > MOST_TOKENS:
            return None
        matches, common = np.zeros((n, self._max_order), np.int64), np.zeros(n, np.int64)
        fill_short_pairs(
            ids, offsets.view(np.uint64), _DOCUMENTS[:n], _DOCUMENTS[n : 2 * n], _PAIRS[:n], self._max_order,
            self._with_lcs, n_types, matches, common,
        )  # fmt: skip
        return FewCounts(matches.T.tolist(), sizes[:n], sizes[n:], common.tolist())


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
