"""Jaccard similarity (Jaccard 1901) of the words, stems, lemmas, n-grams or characters of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import Ragged, TokenBatch, first_greatest
from tercet.core.options import Options
from tercet.core.scorer import Scorer, Scores
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.counting.overlaps import ngram_ids, overlaps
from tercet.errors import OptionError
from tercet.text.stems import check_word_options, map_words, stopwords_for, word_map
from tercet.text.tokenizers import tokenize

from .options import JaccardOptions
from .signature import jaccard_signature

Array = NDArray[np.float64]
Split = tuple[TokenBatch, Callable[[], list[str]]]
Splits = dict[tuple[str | int, bool], Split]

#: What a row holds of each variant: the score of the item, and the sizes of intersection and union.
PARTS = ("score", "shared", "either")


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How much each prediction and one of its references have in common, pair by pair.

    Attributes
    ----------
    shared, either : ndarray, shape (m,)
        Sizes of intersection and union.
    starts : ndarray of int64, shape (n,)
        First pair of each item; an item without a reference is paired with an empty text.
    counts : ndarray of int64, shape (n,)
        Pairs of each item.
    """

    shared: Array
    either: Array
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def scores(self) -> Array:
        """Intersection over union, shape (m,); 0 where both texts are empty."""
        return self.shared / np.maximum(self.either, 1.0)


class JaccardScorer(Scorer[JaccardOptions]):
    """Jaccard similarity of a corpus (the mean over its items), of its segments, and of resamples.

    A row holds the base columns and, for the options of the call and each variant, the score of the item and the
    sizes of intersection and union: of its best reference, or averages over all.

    Examples
    --------
    >>> from tercet.columns.reading import read_batch
    >>> scorer = JaccardScorer.from_options({"variants": {"stem": {"stemmer": "en"}}})
    >>> stats = scorer.segment_stats(read_batch(["Two cats sat."], [["two cat sat", "a dog"]]), None)
    >>> {name: float(value) for name, value in scorer.finalize(stats.total()).items()}
    {'jaccard': 0.5, 'jaccard_micro': 0.5, 'jaccard_stem': 1.0, 'jaccard_stem_micro': 1.0}
    """

    name: ClassVar[str] = "jaccard_sets"
    primary: ClassVar[str] = "jaccard"
    options_type: ClassVar[type[Options]] = JaccardOptions
    takes_systems: ClassVar[bool] = True

    def __init__(self, options: JaccardOptions) -> None:
        super().__init__(options)
        named = {f"jaccard_{name}": replace(options, **changes) for name, changes in (options.variants or {}).items()}
        self.variants: dict[str, JaccardOptions] = {"jaccard": options, **named}
        for key, each in self.variants.items():
            try:
                check_word_options(each)
                word_map(each)  # tells of a language that it does not know, with the variant's name
            except OptionError as error:
                if each is options:
                    raise
                name = key.removeprefix("jaccard_")
                where = f"The variant {name!r} of jaccard_sets, with the options of the call"
                raise OptionError(f"{where}: {error}") from None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return (*self.base_columns, *(f"{name}_{part}" for name in self.variants for part in PARTS))

    @property
    def score_names(self) -> tuple[str, ...]:
        """For each variant the mean over the items, and the score over all units together (micro)."""
        return tuple(f"{name}{end}" for name in self.variants for end in ("", "_micro"))

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return jaccard_signature(self.name, self.options, self.variants)

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; variants with the same tokenizer and case share one tokenization."""
        splits: Splits = {}
        parts = []
        for variant in self.variants.values():
            tokens, _ = self.tokens(batch, variant, splits)
            parts.append(self._item_parts(variant, self.overlaps(variant, tokens)))
        first, _ = self.tokens(batch, self.options, splits)
        base = self.base_rows(batch, first.tokens.lengths[: first.n_items])
        rows = np.concatenate([base, *parts], axis=1)
        rows[base[:, 0] == 0, len(self.base_columns) :] = 0.0  # items left out
        return SegmentStats(self.signature(context), self.columns, rows)

    def tokens(
        self, batch: Batch, variant: JaccardOptions, splits: Splits | None = None, as_written: bool = False
    ) -> Split:
        """Return the tokens of a variant, and a callable that returns the distinct ones by id.

        Parameters
        ----------
        batch : Batch
        variant : JaccardOptions
        splits : dict, optional
            Texts that were split before, by tokenizer and case; new ones are added.
        as_written : bool
            The words as they were before they got a stem or a lemma.
        """
        splits = {} if splits is None else splits
        named = variant.tokenizer if isinstance(variant.tokenizer, str) else id(variant.tokenizer)
        key = (named, variant.lowercase)
        if key not in splits:
            splits[key] = tokenize(batch, variant.tokenizer, lowercase=variant.lowercase)
        tokens, words = splits[key]
        mapping = None if as_written else word_map(variant)
        stopwords = () if variant.stopwords is None else stopwords_for(variant.stopwords)
        return map_words(tokens, words(), mapping, stopwords) if mapping or stopwords else (tokens, words)

    def overlaps(self, variant: JaccardOptions, tokens: TokenBatch) -> Overlaps:
        """Return what each prediction shares with each of its references."""
        units, n_types = ngram_ids(tokens.tokens, variant.ngram, tokens.n_types)
        n_references = tokens.reference_counts
        counts = np.maximum(n_references, 1)
        starts = np.cumsum(counts) - counts
        nothing = len(units.lengths)  # an empty document after all others
        references = np.full(int(counts.sum()), nothing)
        references[np.repeat(n_references > 0, counts)] = tokens.pairs[1]
        with_nothing = Ragged(units.values, np.append(units.offsets, units.offsets[-1]))
        texts = np.repeat(np.arange(tokens.n_items), counts)
        shared, either = overlaps(with_nothing, texts, references, n_types, variant.multiset)
        return Overlaps(shared.astype(np.float64), either.astype(np.float64), starts, counts)

    def _item_parts(self, variant: JaccardOptions, found: Overlaps) -> Array:
        """Return score, intersection and union of every item, shape (n, 3)."""
        pairs = np.column_stack([found.scores, found.shared, found.either])
        if variant.multi_ref == "average":
            means: Array = np.add.reduceat(pairs, found.starts, axis=0) / found.counts[:, None]
            return means
        return pairs[first_greatest(found.scores, found.starts)]

    def finalize(self, totals: Array) -> Scores:
        """Return the means over the items, and (micro) sums of intersections over sums of unions."""
        items = np.maximum(totals[..., 0], 1.0)
        scores: Scores = {}
        for name in self.variants:
            first = self.columns.index(f"{name}_{PARTS[0]}")
            score, shared, either = np.moveaxis(totals[..., first : first + len(PARTS)], -1, 0)
            scores[name] = self.options.scale * score / items
            scores[f"{name}_micro"] = self.options.scale * shared / np.where(either > 0, either, 1.0)
        return scores
