"""What texts share, in the terms of metrics: functions of the engine, called for many texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tercet import numpy_later as np

from .chosen import engine
from .ragged import Ragged, TokenBatch, first_greatest

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.int64]"
Worth: TypeAlias = "NDArray[np.float64]"


class PairMatches(NamedTuple):
    """What g pairs share."""

    ngrams: Numbers  # clipped matches of the orders from 1 on, shape (g, max_order)
    common: Numbers  # length of the longest common subsequence, where it was asked for, else 0; shape (g,)


def pair_matches(
    tokens: Ragged, texts: Numbers, references: Numbers, n_types: int, *, max_order: int = 0, with_lcs: bool = False,
    most_by_places: int = 512,
) -> PairMatches:  # fmt: skip
    """Count what each text shares with its reference: clipped n-grams, and the longest common subsequence."""
    options = n_types, max_order, with_lcs, most_by_places
    return PairMatches(*engine.pair_matches(tokens.values, tokens.offsets, texts, references, *options))


def crossed_matches(tokens: Ragged, n_texts: int, max_order: int) -> Numbers:
    """Count the n-grams that each of the first documents shares with each of the others."""
    return engine.crossed_matches(tokens.values, tokens.offsets, n_texts, max_order)


def ngram_ids(tokens: Ragged, order: int, n_types: int) -> tuple[Ragged, int]:
    """Return the n-grams of every document as ids, and how many different ones there are.

    A document of fewer than `order` tokens has no n-gram.
    """
    if order == 1:
        return tokens, n_types
    values, offsets, n_types = engine.ngram_ids(tokens.values, tokens.offsets, n_types, order)
    return Ragged(values, offsets), n_types


def overlaps(
    units: Ragged, texts: Numbers, references: Numbers, n_types: int, multiset: bool
) -> tuple[Numbers, Numbers]:
    """Return the sizes of intersection and union of each pair, as sets or multisets of units."""
    return engine.overlaps(units.values, units.offsets, texts, references, n_types, multiset)


def nearest_edits(tokens: TokenBatch) -> tuple[Numbers, Numbers]:
    """Return the fewest edits to a reference: counts of each item, shape (n, 4), and the pairs, the first on ties.

    They are hits, substitutions, deletions and insertions. Without reference, all tokens are insertions.
    """
    texts, references = tokens.pairs
    found = engine.edit_counts(tokens.tokens.values, tokens.tokens.offsets, texts, references, tokens.n_types)
    nearest = first_greatest(-found[:, 1:].sum(axis=1), tokens.pair_offsets[:-1][tokens.reference_counts > 0])
    counts = np.zeros((tokens.n_items, 4), np.int64)
    counts[:, 3] = tokens.tokens.lengths[: tokens.n_items]
    counts[texts[nearest]] = found[nearest]
    return counts, nearest


def skip_bigram_total(lengths: Numbers, gap: int) -> Numbers:
    """Return how many skip-bigrams texts of these lengths have; a negative gap stands for any."""
    most = np.maximum(lengths - 1, 0)
    reach = most if gap < 0 else np.minimum(gap + 1, most)
    total: Numbers = reach * lengths - reach * (reach + 1) // 2
    return total


def skip_bigram_matches(tokens: Ragged, texts: Numbers, references: Numbers, n_types: int, gap: int) -> Numbers:
    """Count the skip-bigrams that each text shares with its reference, clipped: up to `gap` tokens are in between."""
    return engine.skip_bigram_matches(tokens.values, tokens.offsets, texts, references, n_types, gap)


def union_lcs_hits(
    tokens: Ragged, lines: Ragged, texts: Numbers, references: Numbers, n_types: int, left: Ragged
) -> Numbers:
    """Return the clipped hits of the union of longest common subsequences of texts of several lines.

    `lines` is as of :class:`tercet.engine.ragged.TokenBatch`. A token is hit at most as often as both documents have
    it in `left`. Memory: 16 bytes per type, and what :func:`way_back_bytes` says of the longest
    pair.
    """
    documents = tokens.values, tokens.offsets, lines.values, lines.offsets
    return engine.union_lcs_hits(*documents, texts, references, n_types, left.values, left.offsets)


def weighted_lcs_hits(
    tokens: Ragged, lines: Ragged, texts: Numbers, references: Numbers, weights: Worth, n_types: int, left: Ragged
) -> Worth:
    """Return the hits of texts of several lines, with weights for runs (Lin 2004, section 4; ROUGE-W of ROUGE-1.5.5).

    ``weights[k]`` is the worth of a run of k hits; as long as the longest line of a reference, and one more.
    """
    documents = tokens.values, tokens.offsets, lines.values, lines.offsets
    return engine.weighted_lcs_hits(*documents, texts, references, n_types, left.values, left.offsets, weights)


def way_back_bytes(tokens: Ragged, lines: Ragged, texts: Numbers, references: Numbers) -> Numbers:
    """Return the memory that the way back through the table of each pair takes, which finds the places of matches.

    A bit for each token of the text and each token of the longest line of the reference.
    """
    longest = np.zeros(len(lines.lengths), np.int64)
    np.maximum.at(longest, np.repeat(np.arange(len(longest)), lines.lengths), np.diff(lines.values))
    memory: Numbers = 8 * tokens.lengths[texts] * ((longest[references] + 63) >> 6)
    return memory
