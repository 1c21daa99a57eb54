"""Counts of few pairs of texts, each with one reference, as plain Python numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tercet.columns.batch import Corpus
from tercet.engine.chosen import engine
from tercet.text.tokenizers import plain_reading

from .few_texts import bytes_of_few
from .few_tokens import MOST_TEXTS, number_few

_DOCUMENTS = np.arange(MOST_TEXTS)


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
        found = bytes_of_few(corpus)
        if found is None or (one_line and b"\n" in found[0]):
            return None
        n, (data, bounds) = corpus.n_items, found
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
        if max(sizes) > 64:
            return None
        matches, common = engine.pair_matches(
            ids.view(np.int32), offsets, _DOCUMENTS[:n], _DOCUMENTS[n : 2 * n], n_types, self._max_order,
            self._with_lcs, 512,
        )  # fmt: skip
        return FewCounts(matches.T.tolist(), sizes[:n], sizes[n:], common.tolist())
