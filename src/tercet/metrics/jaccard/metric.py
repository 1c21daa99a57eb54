"""Jaccard similarity (Jaccard 1901) of the words, stems, lemmas, n-grams or characters of texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import integer, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.letters import dropped_letters
from tercet.corpus.stems import check_stopwords, check_word_options, map_words, stopwords_for, word_map
from tercet.corpus.tokenizers import tokenize
from tercet.engine.counting import ngram_ids, overlaps
from tercet.engine.ragged import Ragged, TokenBatch, first_greatest
from tercet.errors import OptionError, did_you_mean
from tercet.metric.common_options import TOKENIZER, lemmatizer_option, stemmer_option
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.rows import PairRows, base_of_pairs
from tercet.metric.scorer import Scores
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import explain_batch, matched
from .signature import jaccard_signature

TOKENIZERS = ("unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none")

#: Options that a variant may change: tokens, n-grams, and their comparison.
VARIED = ("tokenizer", "lowercase", "ngram", "multiset", "stemmer", "lemmatizer", "stopwords", "multi_ref")

#: Limit on variants: each may tokenize and score every item once more.
MOST_VARIANTS = 20


def _check_variants(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(each, Mapping) for each in value.values()):
        raise refuse("a dict of dicts of options, such as {'lemma': {'lemmatizer': 'en'}}, or None")
    if not 0 < len(value) <= MOST_VARIANTS:
        raise refuse(f"a dict of 1 to {MOST_VARIANTS} variants; this one has {len(value):,}")
    return {_checked_name(name): _checked_options(name, each) for name, each in value.items()}


def _checked_name(name: Any) -> str:
    fits = isinstance(name, str) and name.isidentifier()
    if not fits or f"_{name}".endswith("_micro"):  # jaccard_micro is the other mean
        raise refuse(
            "a dict whose names are words of letters, digits and _, and do not end in micro; this one has "
            f"{name!r:.50}"
        )
    return str(name)


def _checked_options(name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    for each in changes:
        if each not in VARIED:
            raise refuse(
                f"a dict of variants; the variant {name!r} has {each!r:.50}, which no variant can change",
                did_you_mean(str(each), VARIED),
            )
    built = Jaccard.made(changes, called=f"the variant {name!r} of jaccard_sets")
    return {each: getattr(built, each) for each in changes}


Array = NDArray[np.float64]

Split = tuple[TokenBatch, Callable[[], list[str]]]

Splits = dict[tuple[str | int, bool], Split]

#: The columns of each variant: the score of the item, and the sizes of intersection and union.
PARTS = ("score", "shared", "either")


def similarity(shared: NDArray[Any], either: NDArray[Any]) -> Array:
    """Return intersection over union, shape (m,); 0 where both texts are empty."""
    shares: Array = shared / np.maximum(either, 1.0)
    return shares


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How much each prediction and one of its references have in common, pair by pair."""

    #: `shared`, `either`: Sizes of intersection and union. (ndarray, shape (m,))
    shared: Array
    either: Array
    #: First pair of each item; an item without a reference is paired with an empty text. (ndarray of int64, shape
    #: (n,))
    starts: NDArray[np.int64]
    #: Pairs of each item. (ndarray of int64, shape (n,))
    counts: NDArray[np.int64]

    @property
    def scores(self) -> Array:
        """Intersection over union, shape (m,)."""
        return similarity(self.shared, self.either)


class Jaccard(Metric):
    """Jaccard similarity: the share of words, stems or n-grams that two texts have in common.

    Examples
    --------
    >>> import tercet
    >>> pairs = tercet.Jaccard(ngram=2)
    >>> round(pairs(["the cat is on the mat"], ["the cat is lying on the mat"])["jaccard"], 4)
    0.5714
    """

    # A row holds the base columns and, for the options of the call and each variant, the score of the item and the
    # sizes of intersection and union: of its best reference, or averages over all.

    name = "jaccard_sets"
    short = "jaccard"
    about = ABOUT
    extras = ("languages",)
    takes_systems = True
    title = "Jaccard"
    primary = "jaccard"

    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = TOKENIZER
    lowercase: bool = option(
        default=True,
        doc="Lowercase the texts first.",
        only_with=OnlyWith('a tokenizer other than "rouge", which always does', lambda o: o.tokenizer != "rouge"),
    )
    ngram: int = option(
        default=1,
        doc='Compare runs of this many tokens; 1 compares single tokens. With the tokenizer "char" these are '
        "n-grams of characters. A text with fewer tokens has no n-grams.",
        check=integer(1, 20),
    )
    multiset: bool = option(
        default=False,
        doc="Count each token or n-gram as often as it occurs in a text. The score is then the sum of the smaller"
        " counts over the sum of the greater ones.",
    )
    stemmer: str | Callable[[str], str] | None = stemmer_option()
    lemmatizer: str | Callable[[str], str] | None = lemmatizer_option()
    stopwords: str | Collection[str] | None = option(
        default=None,
        doc="Words to leave out, as the tokenizer returns them. A string is a language code of the package "
        "stop-words.",
        check=check_stopwords,
    )
    multi_ref: Literal["best", "average"] = option(
        default="best",
        doc="How several references count. The most similar one (the first on ties), or the average of all.",
    )
    variants: Mapping[str, Mapping[str, Any]] | None = option(
        default=None,
        doc="Further scores in the same call. Each name adds `jaccard_<name>`. Its mapping holds the options "
        'that differ from those of the call: `{"lemma": {"lemmatizer": "en"}}` scores lemmas beside words. Up to '
        f"{MOST_VARIANTS} variants, which may change {', '.join(VARIED)}.",
        check=_check_variants,
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        for key, each in self.by_name.items():
            try:
                check_word_options(each)
                word_map(each)  # raises an error for an unknown language, with the variant's name
            except OptionError as error:
                if key == "jaccard":
                    raise
                name = key.removeprefix("jaccard_")
                where = f"The variant {name!r} of jaccard_sets, with the options of the call"
                raise OptionError(f"{where}: {error}") from None

    @cached_property
    def by_name(self) -> dict[str, Jaccard]:
        """The rules of each score: this metric's own, then those of its variants."""
        own = {name: value for name, value in self.given.items() if name != "variants"}
        named = {
            f"jaccard_{name}": Jaccard.made({**own, **each}, idle=True)
            for name, each in (self.variants or {}).items()
        }
        return {"jaccard": self, **named}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return (*self.base_columns, *(f"{name}_{part}" for name in self.by_name for part in PARTS))

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """The score of an item is at most 1, and what is shared a part of what is in either text."""
        shares = ((f"{name}_shared", f"{name}_either") for name in self.by_name)
        return (*((f"{name}_score", "items") for name in self.by_name), *shares)

    @property
    def score_names(self) -> tuple[str, ...]:
        """For each variant the mean over the items, and the score over all units together (micro)."""
        return tuple(f"{name}{end}" for name in self.by_name for end in ("", "_micro"))

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning when ROUGE's tokenizer makes different words equal."""
        return (
            dropped_letters(corpus, None, chosen=True)
            if "rouge" in [each.tokenizer for each in self.by_name.values()]
            else None
        )

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return jaccard_signature(self.name, self, self.by_name)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; variants with the same tokenizer and case share one tokenization."""
        splits: Splits = {}
        parts = []
        for variant in self.by_name.values():
            tokens, _ = self.tokens(batch, variant, splits)
            parts.append(self._item_parts(variant, self.overlaps(variant, tokens)))
        first, _ = self.tokens(batch, self, splits)
        base = self.base_rows(batch, first.tokens.lengths[: first.n_items])
        rows = np.concatenate([base, *parts], axis=1)
        rows[base[:, 0] == 0, len(self.base_columns) :] = 0.0  # items left out
        return SegmentStats(self.signature(context), self.columns, rows)

    def tokens(
        self, batch: Corpus, variant: Jaccard, splits: Splits | None = None, as_written: bool = False
    ) -> Split:
        """Return the tokens of a variant, and a callable that returns the distinct ones by id."""
        splits = {} if splits is None else splits
        named = variant.tokenizer if isinstance(variant.tokenizer, str) else id(variant.tokenizer)
        key = (named, variant.lowercase)
        if key not in splits:
            splits[key] = tokenize(batch, variant.tokenizer, lowercase=variant.lowercase)
        tokens, words = splits[key]
        mapping = None if as_written else word_map(variant)
        stopwords = () if variant.stopwords is None else stopwords_for(variant.stopwords)
        return map_words(tokens, words(), mapping, stopwords) if mapping or stopwords else (tokens, words)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, without variants, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch, self)
        units, n_types = ngram_ids(tokens.tokens, self.ngram, tokens.n_types)
        first = len(self.base_columns)

        def rows(texts: Places, references: Places) -> Array:
            pairs = np.repeat(texts, len(references)), np.tile(references, len(texts))
            shared, either = overlaps(units, *pairs, n_types, self.multiset)
            found = np.zeros((len(shared), len(self.columns)))
            found[:, :first] = base_of_pairs(tokens.tokens.lengths[pairs[0]])
            found[:, first : first + len(PARTS)] = np.column_stack([similarity(shared, either), shared, either])
            return found

        return rows

    def overlaps(self, variant: Jaccard, tokens: TokenBatch) -> Overlaps:
        """Return the intersection of each prediction with each of its references."""
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

    def _item_parts(self, variant: Jaccard, found: Overlaps) -> Array:
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
        for name in self.by_name:
            first = self.columns.index(f"{name}_{PARTS[0]}")
            score, shared, either = np.moveaxis(totals[..., first : first + len(PARTS)], -1, 0)
            scores[name] = self.scale * score / items
            scores[f"{name}_micro"] = self.scale * shared / np.where(either > 0, either, 1.0)
        return scores

    explained = explain_batch
    matched = matched
