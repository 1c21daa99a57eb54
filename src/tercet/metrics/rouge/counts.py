"""What each ROUGE type counts: hits, and what they are divided by, for every pair of prediction and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import (
    PairMatches,
    crossed_matches,
    pair_matches,
    skip_bigram_matches,
    skip_bigram_total,
    union_lcs_hits,
    way_back_bytes,
    weighted_lcs_hits,
)
from tercet.engine.plain_rouge import MOST_WAY_BACK
from tercet.engine.ragged import Ragged, TokenBatch
from tercet.errors import InputError

from .types import RougeType

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of m pairs of a prediction and one of its references."""

    #: (ndarray, shape (m,))
    hits: Array
    #: `text_totals`, `reference_totals`: Denominators of precision and recall. (ndarray, shape (m,))
    text_totals: Array
    reference_totals: Array
    #: The ratios are raised to 1 / root (ROUGE-W; else 1).
    root: float = 1.0
    #: ROUGE-W: what `reference_totals` are the power of, the sum of the weights of the lines. (ndarray, shape (m,),
    #: optional)
    reference_sums: Array | None = None

    def pooled(self, starts: NDArray[np.int64]) -> PairCounts:
        """Return the sums of the groups of pairs that begin at `starts`, added one after the other."""
        group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self.hits))))

        def added(values: Array) -> Array:
            return np.bincount(group, values, minlength=len(starts)).astype(np.float64)

        sums = None if self.reference_sums is None else added(self.reference_sums)
        return PairCounts(
            added(self.hits), added(self.text_totals), added(self.reference_totals), self.root, sums
        )  # fmt: skip


def power(values: Array, exponent: float) -> Array:
    """Return the power of each value, shape (m,), as C's `pow` gives it: NumPy's differs in last bits.

    On those bits it depends which of two equally good references is the best one.
    """
    if exponent == 1:
        return values
    return np.array([value**exponent for value in values.tolist()], np.float64)


class PairCounter:
    """Counts for the types of ROUGE; what several types need is counted once."""

    def __init__(self, tokens: TokenBatch, types: Sequence[RougeType], by_script: bool) -> None:
        self._tokens = tokens
        self._by_line = tokens if tokens.cut_by_line is None else tokens.cut_by_line
        self._by_script = by_script
        self._max_order = max(1 if each.kind == "SU" else each.order for each in types)
        self._with_lcs = any(each.kind in ("L", "Lsum") for each in types)
        self._lengths = tokens.tokens.lengths
        self._texts, self._references = tokens.pairs
        self._skip_hits: dict[int, NDArray[np.int64]] = {}

    def count(self, kind: RougeType) -> PairCounts:
        """Return the counts of one type."""
        if kind.kind == "n":
            return self._counts(
                self._matches.ngrams[:, kind.order - 1], np.maximum(self._lengths - kind.order + 1, 0)
            )
        if kind.kind == "W":
            return self._weighted(kind.weight)
        if kind.kind in ("S", "SU"):
            return self._skip(kind)
        if kind.kind == "L" and not self._by_script:
            return self._counts(self._matches.common, self._lengths)
        return self._counts(self._line_hits, self._lengths, self._by_line.tokens.lengths)

    def _counts(
        self, hits: NDArray[np.int64], totals: NDArray[np.int64], of_references: NDArray[np.int64] | None = None
    ) -> PairCounts:
        """Return counts whose totals are a number of each document, of references perhaps another one."""
        others = totals if of_references is None else of_references
        text_totals, reference_totals = totals[self._texts], others[self._references]
        return PairCounts(hits.astype(float), text_totals.astype(float), reference_totals.astype(float))

    @cached_property
    def _matches(self) -> PairMatches:
        """N-grams of all orders and, if a type asks for them, longest common subsequences."""
        return self._matches_of(self._tokens.tokens, self._max_order, self._with_lcs)

    def _matches_of(self, tokens: Ragged, max_order: int, with_lcs: bool = False) -> PairMatches:
        if self._tokens.is_crossed and not with_lcs:
            ngrams = crossed_matches(tokens, self._tokens.n_items, max_order)
            return PairMatches(ngrams, np.zeros(len(ngrams), np.int64))
        pairs = self._texts, self._references
        return pair_matches(tokens, *pairs, self._tokens.n_types, max_order=max_order, with_lcs=with_lcs)

    @cached_property
    def _line_hits(self) -> NDArray[np.int64]:
        t, n_lines = self._by_line, self._by_line.lines.lengths
        several = (n_lines[self._texts] > 1) | (n_lines[self._references] > 1)
        several |= self._by_line is not self._tokens  # a line that was cut by itself differs from the text's
        if not several.any():  # the union of one subsequence is that subsequence
            return self._matches.common
        hits = self._matches.common.copy()
        pairs = self._texts[several], self._references[several]
        self._check_memory(*pairs)
        hits[several] = union_lcs_hits(t.tokens, t.lines, *pairs, t.n_types, self._tokens.tokens)
        return hits

    def _check_memory(self, texts: NDArray[np.int64], references: NDArray[np.int64]) -> None:
        """Raise an InputError for a pair whose way back takes too much memory, before any is taken."""
        lengths = self._by_line.tokens.lengths
        memory = way_back_bytes(self._by_line.tokens, self._by_line.lines, texts, references)
        if memory.max(initial=0) <= MOST_WAY_BACK:
            return
        pair = int(np.argmax(memory > MOST_WAY_BACK))
        text, reference = texts[pair], references[pair]
        segment = self._tokens.first_item + text % (len(self._tokens.reference_offsets) - 1)
        name = self._tokens.name_of(int(text)) if self._tokens.name_of is not None else f"item {segment}"
        raise InputError(
            f"{name} is too long for ROUGE-W and ROUGE-L by lines (rougeLsum): its "
            f"prediction of {lengths[text]:,} tokens against a reference of {lengths[reference]:,} takes "
            f"{memory[pair] / 2**30:.1f} GiB of memory, but the limit is {MOST_WAY_BACK / 2**30:g}. Leave these "
            "types out of rouge_types, cut the texts with max_words, or give them lines, as by sentence_split='auto'."
        )

    def _weighted(self, weight: float) -> PairCounts:
        """ROUGE-W: recall divides by the weight of the sum of the weights of lines, as ROUGE-1.5.5 does."""
        t = self._by_line
        line_lengths = np.diff(t.lines.values)
        worth = np.array([float(k) ** weight for k in range(int(line_lengths.max(initial=0)) + 2)])
        # bincount adds line by line in their order, so one document's sum owes nothing to another's
        of_line = np.repeat(np.arange(len(self._lengths)), t.lines.lengths)
        line_sums = np.bincount(of_line, worth[line_lengths], minlength=len(self._lengths)).astype(np.float64)
        self._check_memory(self._texts, self._references)
        pairs = self._texts, self._references
        hits = weighted_lcs_hits(t.tokens, t.lines, *pairs, worth, t.n_types, self._tokens.tokens)
        return PairCounts(
            hits,
            power(self._lengths.astype(np.float64), weight)[self._texts],
            power(line_sums, weight)[self._references],
            root=weight,
            reference_sums=line_sums[self._references],
        )

    def _skip(self, kind: RougeType) -> PairCounts:
        t = self._tokens
        if kind.gap not in self._skip_hits:
            self._skip_hits[kind.gap] = skip_bigram_matches(
                t.tokens, self._texts, self._references, kind.gap, t.n_types
            )
        hits, totals = self._skip_hits[kind.gap], skip_bigram_total(self._lengths, kind.gap)
        if kind.kind == "SU" and self._by_script:
            hits = hits + self._matches_of(_without_last(t.tokens), 1).ngrams[:, 0]
            totals = totals + np.maximum(self._lengths - 1, 0)
        elif kind.kind == "SU":
            hits, totals = hits + self._matches.ngrams[:, 0], totals + self._lengths
        return self._counts(hits, totals)


def _without_last(tokens: Ragged) -> Ragged:
    """Return the rows without their last value."""
    filled = tokens.lengths > 0
    kept = np.ones(len(tokens.values), bool)
    kept[tokens.offsets[1:][filled] - 1] = False
    return replace(
        tokens, values=tokens.values[kept], offsets=tokens.offsets - np.concatenate([[0], np.cumsum(filled)])
    )
