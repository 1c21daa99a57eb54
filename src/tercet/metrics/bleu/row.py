"""The row of an item of BLEU, which adds up with others: its columns, and the rows of pairs of tokenized texts.

What each column counts, and the rows of a corpus: `bleu_rows` of `engine/plain_bleu.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np
from tercet.base.rows import base_of_pairs
from tercet.engine.counting import crossed_matches
from tercet.engine.ragged import TokenBatch

from .options import REFERENCE_LENGTHS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


class BleuRow:
    """Which columns a row has."""

    def __init__(
        self, base_columns: tuple[str, ...], max_order: int, *, has_divisors: bool, has_next_order: bool
    ) -> None:
        self.max_order = max_order
        #: NLTK's divisors: the columns ``floor1`` ..., which are not of the smoothing "floor".
        self.has_divisors = has_divisors
        #: The order above the highest: ``next_match``, and its divisor, ``next_floor``.
        self.has_next_order = has_next_order
        orders = range(1, max_order + 1)
        names = [*base_columns, "length", *REFERENCE_LENGTHS]
        names += [f"match{n}" for n in orders]
        names += [f"total{n}" for n in orders]
        if has_divisors:
            names += [f"floor{n}" for n in orders]
        if has_next_order:
            names += ["next_match", "next_floor"]
        self.columns = tuple(names)

    @property
    def matches(self) -> slice:
        """The columns of the matches of each order."""
        first_column = self.columns.index("match1")
        return slice(first_column, first_column + self.max_order)

    @property
    def ngrams(self) -> slice:
        """The columns of the n-grams of each order."""
        first_column = self.columns.index("total1")
        return slice(first_column, first_column + self.max_order)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Chains of columns: in no row is one more than the next.

        Matches are some of the n-grams, and these no more than tokens. A longer n-gram is never more frequent than a
        shorter one; ``total1`` is the length, neither less nor more. The shortest length is the least.
        """
        orders = range(1, self.max_order + 1)
        matches = [(f"match{n}", f"total{n}") for n in orders]
        totals = [f"total{n}" for n in reversed(orders)]
        return (*matches, (*totals, "length"), ("length", "total1"), ("shortest", "closest"), ("shortest", "average"))

    def of_pairs(self, batch: TokenBatch) -> Array:
        """Return the row of each prediction with each reference of one segment."""
        predictions_of_pairs, references_of_pairs = batch.pairs
        lengths = batch.tokens.lengths[predictions_of_pairs][:, None]
        reference_lengths = batch.tokens.lengths[references_of_pairs][:, None]
        max_order = self.max_order
        matches = crossed_matches(batch.tokens, batch.n_items, max_order + self.has_next_order)
        ngrams = np.maximum(lengths - np.arange(matches.shape[1]), 0)
        # A single reference is the closest, the shortest and the average one.
        parts = [base_of_pairs(lengths[:, 0]), lengths, *[reference_lengths] * len(REFERENCE_LENGTHS)]
        parts += [matches[:, :max_order], ngrams[:, :max_order]]
        if self.has_divisors:
            parts.append(np.maximum(ngrams[:, :max_order], 1))
        if self.has_next_order:
            parts += [matches[:, -1:], np.maximum(ngrams[:, -1:], 1)]
        return np.concatenate(parts, axis=1)
