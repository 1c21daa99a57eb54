"""Counts of few pairs of texts, each with one reference, as plain Python numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from tercet.columns.batch import Corpus
from tercet.columns.items import Items
from tercet.text.intern_kernels import READ_AS
from tercet.text.tokenizers import ascii_table

from .few_kernels import count_few

#: Longer texts and more of them are faster in pieces.
_MOST_ITEMS, _MOST_CHARACTERS = 64, 1 << 15


@dataclass(frozen=True, slots=True)
class PairOfTexts:
    """What ROUGE and BLEU count of a prediction and its reference.

    Attributes
    ----------
    matches : list of int
        Clipped matches of the orders from 1 on.
    size, reference_size : int
        Tokens of both.
    common : int
        Length of their longest common subsequence, where it was asked for; else 0.
    """

    matches: list[int]
    size: int
    reference_size: int
    common: int


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
    [PairOfTexts(matches=[2, 1], size=3, reference_size=3, common=2)]
    """

    def __init__(self, tokenizer: str, max_order: int, with_lcs: bool) -> None:
        self._table, self._unlike = ascii_table(tokenizer)
        self._given = self._table, bool((self._table > READ_AS).any()), max_order, with_lcs
        self._max_order = max_order

    def count(self, corpus: Corpus, one_line: bool = False) -> list[PairOfTexts] | None:
        """Return the counts of each item; None for many items, several references, and texts beyond ASCII.

        With `one_line`, also None for texts of several lines.
        """
        if not isinstance(corpus, Items) or not 0 < corpus.n_items <= _MOST_ITEMS:
            return None
        n = corpus.n_items
        if len(corpus.references) != n or corpus.reference_offsets.tolist() != list(range(n + 1)):
            return None
        texts = [*corpus.predictions, *corpus.references]
        joined = "".join(texts)
        if not joined.isascii() or not 0 < len(joined) <= _MOST_CHARACTERS or (one_line and "\n" in joined):
            return None
        if any(sign in joined for sign in self._unlike):
            return None
        offsets = np.array([0, *accumulate(map(str.__len__, texts))])
        counts = count_few(np.frombuffer(joined.encode(), np.uint8), offsets, *self._given).tolist()
        if not counts:  # very many different words
            return None
        orders = self._max_order
        return [PairOfTexts(row[:orders], *row[orders:]) for row in counts]
