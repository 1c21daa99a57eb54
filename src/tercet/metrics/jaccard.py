"""Jaccard similarity (Jaccard 1901) of the words, stems, lemmas, n-grams or characters of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.rows import PairRows, base_of_pairs, leave_out
from tercet.base.shared_options import (
    TOKENIZER_OF_WORDS,
    check_word_options,
    lemmatizer_option,
    shared_labels,
    stemmer_option,
)
from tercet.corpus.corpus import Corpus
from tercet.corpus.letters import dropped_letters_warning
from tercet.corpus.reading import Crossing, Indices, is_read_by_engine, rows_by_engine, texts_and_reading
from tercet.corpus.stems import (
    check_stopwords,
    lemmatizer_label,
    map_words,
    stemmer_label,
    stopwords_for,
    stopwords_label,
    texts_of_tokens,
    word_map,
)
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.chosen import engine
from tercet.engine.counting import ngram_ids, overlaps
from tercet.engine.ragged import TokenBatch, first_greatest
from tercet.errors import OptionError, did_you_mean
from tercet.explanation.explanation import MATCH_LEVELS, Explanation, Matched
from tercet.explanation.levels import ngram_levels
from tercet.explanation.matches import Count, Ids, Word, ngrams, words_of
from tercet.explanation.parts import Heading, Legend, Line, Part, Sentence, Share, counts_table
from tercet.option_checks import integer, refuse
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Options that a variant may change: tokens, n-grams, and their comparison.
_VARIED = ("tokenizer", "lowercase", "ngram", "multiset", "stemmer", "lemmatizer", "stopwords", "multi_ref")

#: Limit on variants: each may tokenize and score every item once more.
_MOST_VARIANTS = 20


def _check_variants(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(options, Mapping) for options in value.values()):
        raise refuse("a dict of dicts of options, such as {'lemma': {'lemmatizer': 'en'}}, or None")
    if not 0 < len(value) <= _MOST_VARIANTS:
        raise refuse(f"a dict of 1 to {_MOST_VARIANTS} variants; this one has {len(value):,}")
    return {_checked_name(name): _checked_options(name, options) for name, options in value.items()}


def _checked_name(name: Any) -> str:
    is_word = isinstance(name, str) and name.isidentifier()
    # The scores jaccard_micro and jaccard_<name>_micro exist for other names.
    if not is_word or f"_{name}".endswith("_micro"):
        raise refuse(
            "a dict whose names are words of letters, digits and _, and do not end in micro; this one has "
            f"{name!r:.50}"
        )
    return str(name)


def _checked_options(name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    for option_name in changes:
        if option_name not in _VARIED:
            raise refuse(
                f"a dict of variants; the variant {name!r} has {option_name!r:.50}, which no variant can change",
                did_you_mean(str(option_name), _VARIED),
            )
    variant = Jaccard.build(changes, called=f"the variant {name!r} of jaccard_sets")
    return {option_name: getattr(variant, option_name) for option_name in changes}


Array: TypeAlias = "NDArray[np.float64]"

Split = tuple[TokenBatch, Callable[[], list[str]]]

Splits = dict[tuple[str | int, bool], Split]

#: The columns of each variant: the score of the item, and the sizes of intersection and union.
_PARTS = ("score", "shared", "either")


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
    about = from_card()
    extras = ("languages",)
    takes_systems = True
    title = "Jaccard"
    primary = "jaccard"

    tokenizer: (
        Literal["unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = TOKENIZER_OF_WORDS
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
        f"{_MOST_VARIANTS} variants, which may change {', '.join(_VARIED)}.",
        check=_check_variants,
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        for key, variant in self.by_name.items():
            try:
                check_word_options(variant)
                word_map(variant)  # raises an error for an unknown language, with the variant's name
            except OptionError as error:
                if key == "jaccard":
                    raise
                name = key.removeprefix("jaccard_")
                raise OptionError(
                    f"The variant {name!r} of jaccard_sets, with the options of the call: {error}"
                ) from None

    @cached_property
    def by_name(self) -> dict[str, Jaccard]:
        """The rules of each score: this metric's own, then those of its variants."""
        common_options = {name: value for name, value in self.changed_options.items() if name != "variants"}
        variants = {
            f"jaccard_{name}": Jaccard.build({**common_options, **changes}, may_be_idle=True)
            for name, changes in (self.variants or {}).items()
        }
        return {"jaccard": self, **variants}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return (*self.base_columns, *(f"{name}_{part}" for name in self.by_name for part in _PARTS))

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """The score of an item is at most 1, and what is shared a part of what is in either text."""
        shares = ((f"{name}_shared", f"{name}_either") for name in self.by_name)
        return (*((f"{name}_score", "items") for name in self.by_name), *shares)

    @property
    def score_names(self) -> tuple[str, ...]:
        """For each variant the mean over the items, and the score over all units together (micro)."""
        return tuple(f"{name}{end}" for name in self.by_name for end in ("", "_micro"))

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same: ROUGE's tokenizer lowercases."""
        return self.lowercase or self.tokenizer == "rouge"

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning when ROUGE's tokenizer makes different words equal."""
        if "rouge" not in [variant.tokenizer for variant in self.by_name.values()]:
            return None
        return dropped_letters_warning(corpus, None, chosen=True)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        variants = list(self.by_name.values())
        common_parts = self._signature_parts()
        # Of a variant only what differs from the options of the call is written.
        changes: dict[str, str] = {}
        for name, variant in self.by_name.items():
            if name == "jaccard":
                continue
            parts_of_variant = variant._signature_parts().items()
            different = [f"{key}:{value}" for key, value in parts_of_variant if value != common_parts[key]]
            changes[name.removeprefix("jaccard_")] = ",".join(different)
        as_scikit_learn = not any(variant.multiset for variant in variants) and self.missing_references == "error"
        parts = {
            **common_parts,
            "variants": ";".join(f"{name}={change}" for name, change in changes.items()) or None,
            **shared_labels(self),
            "equals": "scikit-learn" if as_scikit_learn else None,
        }
        return Signature.of(self.name, parts)

    def _signature_parts(self) -> dict[str, object]:
        """Return what a signature says of the options that a variant may change."""
        return {
            "tok": tokenizer_label(self.tokenizer),
            "case": "lc" if self.lowercase or self.tokenizer == "rouge" else "mixed",
            "ngram": self.ngram,
            "of": "multisets" if self.multiset else "sets",
            "multi": self.multi_ref,
            "stem": stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            "stopwords": stopwords_label(self.stopwords),
        }

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; variants with the same tokenizer and case share one tokenization."""
        splits: Splits = {}
        first = len(self.base_columns)
        rows, *variants = (self._rows_of_variant(batch, variant, splits) for variant in self.by_name.values())
        rows = np.concatenate([rows, *(variant_rows[:, first:] for variant_rows in variants)], axis=1)
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    def _rows_of_variant(self, batch: Corpus, variant: Jaccard, splits: Splits) -> Array:
        """Return the base columns, and score, intersection and union of every item by the rules of a variant."""
        changed = variant.stemmer is not None or variant.lemmatizer is not None or variant.stopwords is not None
        if changed or (self.variants and not is_read_by_engine(variant.tokenizer)):
            tokens, _ = self.tokens(batch, variant, splits)
            texts = texts_of_tokens(tokens)
            reading = "none"
        else:
            texts, reading = texts_and_reading(batch, variant.tokenizer, lowercase=variant.lowercase)
        is_mean = variant.multi_ref == "average" and not batch.one_each
        rows: Array
        rows, pairs = rows_by_engine(
            batch, engine.jaccard_rows, texts, reading, variant.ngram, variant.multiset, is_mean
        )
        if is_mean:
            counts = batch.reference_counts
            starts = np.cumsum(counts) - counts
            has_reference = counts > 0
            sums = np.add.reduceat(pairs, starts[has_reference], axis=0)
            rows[has_reference, len(self.base_columns) :] = sums / counts[has_reference, None]
        return rows

    def tokens(
        self, batch: Corpus, variant: Jaccard, splits: Splits | None = None, as_written: bool = False
    ) -> Split:
        """Return the tokens of a variant, and a callable that returns the distinct ones by id."""
        if splits is None:
            splits = {}
        # A callable need not be hashable.
        tokenizer = variant.tokenizer if isinstance(variant.tokenizer, str) else id(variant.tokenizer)
        key = (tokenizer, variant.lowercase)
        if key not in splits:
            splits[key] = tokenize(batch, variant.tokenizer, lowercase=variant.lowercase)
        tokens, words = splits[key]
        mapping = None if as_written else word_map(variant)
        stopwords = () if variant.stopwords is None else stopwords_for(variant.stopwords)
        if not mapping and not stopwords:
            return tokens, words
        return map_words(tokens, words(), mapping, stopwords)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, without variants, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch, self)
        units, n_types = ngram_ids(tokens.tokens, self.ngram, tokens.n_types)
        first = len(self.base_columns)

        def rows(texts: Indices, references: Indices) -> Array:
            pairs = np.repeat(texts, len(references)), np.tile(references, len(texts))
            shared, either = overlaps(units, *pairs, n_types, self.multiset)
            crossed_rows = np.zeros((len(shared), len(self.columns)))
            crossed_rows[:, :first] = base_of_pairs(tokens.tokens.lengths[pairs[0]])
            crossed_rows[:, first : first + len(_PARTS)] = np.column_stack(
                [_similarity(shared, either), shared, either]
            )
            return crossed_rows

        return rows

    def overlaps(self, variant: Jaccard, tokens: TokenBatch) -> Overlaps:
        """Return the intersection of each prediction with each of its references, of which it has one at least."""
        units, n_types = ngram_ids(tokens.tokens, variant.ngram, tokens.n_types)
        texts, references = tokens.pairs
        starts = np.flatnonzero(np.diff(texts, prepend=-1))
        shared, either = overlaps(units, texts, references, n_types, variant.multiset)
        return Overlaps(shared.astype(np.float64), either.astype(np.float64), starts)

    def finalize(self, totals: Array) -> Scores:
        """Return the means over the items, and (micro) sums of intersections over sums of unions."""
        items = np.maximum(totals[..., 0], 1.0)
        scores: Scores = {}
        column = len(self.base_columns)
        for name in self.by_name:
            score, shared, either = (totals[..., column + part] for part in range(len(_PARTS)))
            column += len(_PARTS)
            scores[name] = self.scale * score / items
            scores[f"{name}_micro"] = self.scale * shared / np.where(either > 0, either, 1.0)
        return scores

    def explained(self, batch: Corpus, context: Any = None) -> JaccardMatches:
        """Explain a batch of one item."""
        splits: Splits = {}
        variants = [_matches(self, batch, name, splits)[0] for name in self.by_name]
        return JaccardMatches(variants, int(batch.reference_counts[0]), str(self.signature()))

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds the tokens that match: those of the score's own variant."""
        name = score.removesuffix("_micro")

        def words(batch: Corpus) -> list[list[Word]]:
            return [item.prediction for item in _matches(self, batch, name, {})]

        return Matched(MATCH_LEVELS, words)


def _similarity(shared: NDArray[Any], either: NDArray[Any]) -> Array:
    """Return intersection over union, shape (m,); 0 where both texts are empty."""
    shares: Array = shared / np.maximum(either, 1.0)
    return shares


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How much each prediction and one of its references have in common, pair by pair."""

    #: `shared`, `either`: Sizes of intersection and union. (ndarray, shape (m,))
    shared: Array
    either: Array
    #: First pair of each item. (ndarray of int64, shape (n,))
    starts: NDArray[np.int64]

    @property
    def scores(self) -> Array:
        """Intersection over union, shape (m,)."""
        return _similarity(self.shared, self.either)


# Why a prediction has its Jaccard similarity: which units (tokens or n-grams) occur in both texts, or in one.

Units = Counter[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class VariantMatches:
    """The intersection of a prediction and its most similar reference, by one variant.

    Attributes
    ----------
    name : str
        The key of its score.
    reference : int
        Index of the most similar reference, also where ``multi_ref`` takes the average of all.
    score : float
        Of this reference, from 0 to 1.
    shared, either : int
        Sizes of intersection and union.
    prediction, reference_words : list of Word
        The tokens; their level is 1 within a shared unit.
    units : list of Count
        All units (tokens or n-grams) of both texts, those of the prediction first.
    """

    name: str
    reference: int
    score: float
    shared: int
    either: int
    prediction: list[Word]
    reference_words: list[Word]
    units: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class JaccardMatches(Explanation):
    """The matching behind the Jaccard similarity of one prediction, variant by variant.

    Attributes
    ----------
    variants : list of VariantMatches
        The options of the call first.
    n_references : int
    signature : str
    """

    variants: list[VariantMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """What it is; each variant has its score."""
        return Heading("Jaccard similarity", {})

    def parts(self) -> list[Part]:
        """Return the texts with shared units in colour, variant by variant."""
        return [part for variant in self.variants for part in self._section(variant)]

    def _section(self, variant: VariantMatches) -> list[Part]:
        suffix = "" if self.n_references == 1 else f" with reference {variant.reference + 1} of {self.n_references}"
        return [
            Heading(f"{variant.name}{suffix}", {"": Share(variant.score)}),
            Sentence(f"in both texts: {variant.shared:,}; in either: {variant.either:,}"),
            Legend(["in both texts"]),
            Line("prediction", variant.prediction, "in both texts"),
            Line("reference", variant.reference_words, "in both texts"),
            counts_table("all that was compared", variant.units),
        ]


def _matches(metric: Jaccard, batch: Corpus, name: str, splits: Splits) -> list[VariantMatches]:
    """Return the intersection of each item's prediction and its most similar reference, by one variant."""
    variant = metric.by_name[name]
    tokens, words = metric.tokens(batch, variant, splits)
    plain, plain_words = metric.tokens(batch, variant, splits, as_written=True)
    overlaps = metric.overlaps(variant, tokens)
    spelling = words()
    written_spelling = plain_words()
    texts = tokens.tokens.lists()
    written_texts = plain.tokens.lists()

    def units(ids: Ids) -> Units:
        unit_counts = Counter(ngrams(ids, variant.ngram))
        if variant.multiset:
            return unit_counts
        return Counter(dict.fromkeys(unit_counts, 1))

    def marked(document: int, other_document: int) -> list[Word]:
        ids = texts[document]
        limits = units(texts[other_document])
        # Of a set, a unit that both texts have is marked wherever it occurs.
        if not variant.multiset:
            limits = Counter(dict.fromkeys(limits, len(ids)))
        levels = [int(level > 0) for level in ngram_levels(ids, {variant.ngram: limits})]
        compared = [spelling[i] for i in ids]
        written = [written_spelling[i] for i in written_texts[document]]
        return words_of(compared, levels, written)

    predictions, references = tokens.pairs
    first_pairs = overlaps.starts.tolist()
    best_pairs = first_greatest(overlaps.scores, overlaps.starts).tolist()
    matches = []
    for first_pair, pair in zip(first_pairs, best_pairs, strict=True):
        text = int(predictions[pair])
        reference = int(references[pair])
        prediction_units = units(texts[text])
        reference_units = units(texts[reference])
        matches.append(
            VariantMatches(
                name=name,
                reference=pair - first_pair,
                score=float(overlaps.scores[pair]),
                shared=int(overlaps.shared[pair]),
                either=int(overlaps.either[pair]),
                prediction=marked(text, reference),
                reference_words=marked(reference, text),
                units=[
                    Count(" ".join(spelling[i] for i in unit), prediction_units[unit], reference_units[unit])
                    for unit in prediction_units | reference_units
                ],
            )
        )
    return matches
