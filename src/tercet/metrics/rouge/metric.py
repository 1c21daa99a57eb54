"""ROUGE (Lin 2004): n-grams, longest common subsequences, weighted ones and skip-bigrams in one pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial, reduce
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.letters import LetterCounts, count_letters, dropped_letters
from tercet.corpus.sentences import split_sentences, truncate_bytes, truncate_words
from tercet.corpus.stems import WordMap, check_word_options, map_words, stemmer_for, stopwords_for, word_map
from tercet.corpus.texts import READINGS
from tercet.corpus.tokenizers import tokenize
from tercet.engine.ragged import TokenBatch, first_greatest
from tercet.errors import OptionError
from tercet.metric.rows import PairRows, base_of_pairs
from tercet.metric.scorer import Scores, segment_lists
from tercet.signature import Signature
from tercet.statistics.either import Either, as_floats, column, columns, where
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .counts import PairCounter, PairCounts
from .explain import explain_batch, matched
from .messages import LETTERS_KEPT
from .options import DIALECTS, MEASURES, RougeOptions
from .package import DEFAULT_TYPES, EPSILON, PACKAGES, PackageCounter, check_types, mark_sentences, split_marked
from .perl import first_bytes_of_lines, first_words, recall_rank
from .perl import scores as script_scores
from .perl import stemmer as script_stemmer
from .perl import stopwords as script_stopwords
from .references import combined, pair_scores
from .rows import KEEP_CASE, counted, rows_of_texts
from .signature import rouge_signature
from .types import BY_LINE, RougeType, is_type, parse_types

Array = NDArray[np.float64]


class Rouge(RougeOptions):
    """ROUGE: the n-grams, subsequences and pairs of words that predictions share with their references.

    Examples
    --------
    >>> import tercet
    >>> rouge = tercet.Rouge(rouge_types=["rouge1", "rougeL"], use_stemmer=True)
    >>> result = rouge(["the cat sits on the mat"], ["the cat sat on the mats"])
    >>> {name: round(value, 3) for name, value in result.items()}
    {'rouge1': 0.833, 'rougeL': 0.833}
    """

    # A row holds the base columns and, for each type, precision, recall and F of the item: its references are
    # already made one by `multi_ref`.

    name = "rouge_nlws"
    title = "ROUGE"
    short = "rouge"
    about = ABOUT
    extras = ("languages",)
    takes_systems = True
    in_floats = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "rouge_score": {"tokenizer": "rouge"},
        "rouge155": {"tokenizer": "rouge"},
        **{name: {"tokenizer": "none", "rouge_types": DEFAULT_TYPES} for name in PACKAGES},
    }
    dialects = DIALECTS
    replaces = (("rouge", "rouge_score"),)
    fit_first = (
        "tokenizer='auto' chooses by the letters of all references. Give tokenizer='rouge' (it keeps a-z and 0-9) or "
        "tokenizer='unicode' (every script)."
    )

    def check(self) -> None:
        """Raise an OptionError for options that exclude each other, and for missing packages."""
        check_word_options(self)
        self._signatures: dict[Any, Signature] = {}
        self._by_script = self.compat == "rouge155"
        self._cut = first_words if self._by_script else truncate_words
        by_line = any(each.kind in BY_LINE for each in self.types)
        self._cut_by_line = self._by_script and self.max_bytes is not None and by_line
        self._package = self.compat if self.compat in PACKAGES else None
        if self._package is not None:
            check_types(self._package, self.types)
        if self.porter and (self.stemmer is not None or self.lemmatizer is not None):
            raise OptionError(
                "The options 'use_stemmer', 'stemmer' and 'lemmatizer' exclude each other: give one of them."
            )
        if self.max_words is not None and self.max_bytes is not None:
            raise OptionError("The options 'max_words' and 'max_bytes' exclude each other: give one of them.")
        if self.alpha is not None and self.beta != 1:
            raise OptionError("The options 'alpha' and 'beta' exclude each other: give one of them.")
        if self._by_script and self.multi_ref == "jackknife":
            raise OptionError(
                "ROUGE-1.5.5 has no jackknife: with compat='rouge155' the 'multi_ref' option must be 'best' or "
                "'average'."
            )

    @classmethod
    def known_as(cls, name: str) -> str | None:
        """Return a hint for a user who takes a type, or a package, for a metric."""
        if is_type(name):
            return f"It is a type of {cls.name}: its option rouge_types takes {name}, as in rouge:rouge_types={name}."
        return super().known_as(name)

    @cached_property
    def types(self) -> tuple[RougeType, ...]:
        """The types as values."""
        return parse_types(self.rouge_types)

    @property
    def porter(self) -> bool:
        """Whether words of more than three letters get Porter's stem: with a function as tokenizer, not as there."""
        return self.use_stemmer and not (self.compat == "rouge_score" and callable(self.tokenizer))

    @property
    def primary(self) -> str:  # type: ignore[override]
        """The first type."""
        return self.types[0].name

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        types = [f"{each.name}_{measure}" for each in self.types for measure in MEASURES]
        return (*self.base_columns, *types)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Precision, recall and F of an item are at most 1."""
        return tuple((name, "items") for name in self.columns[len(self.base_columns) :])

    @property
    def score_names(self) -> tuple[str, ...]:
        """Each type; with ``output="all"`` also its precision and its recall."""
        names: list[str] = []
        for each in self.types:
            names.append(each.name)
            if self.output == "all":
                names += [f"{each.name}_precision", f"{each.name}_recall"]
        return tuple(names)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        return f"ROUGE-{score.removeprefix('rouge').replace('_', ' ')}"

    def fit(self, batch: Corpus) -> LetterCounts | None:
        """Return the counts of letters from which ``tokenizer="auto"`` chooses; None for other tokenizers."""
        return count_letters(batch) if self.tokenizer == "auto" else None

    @property
    def needs_corpus(self) -> bool:
        """Whether the letters of the whole corpus choose the tokenizer."""
        return bool(self.tokenizer == "auto")

    @property
    def signature_tells(self) -> bool:
        """Letters choose only the tokenizer, which is in the signature."""
        return True

    def _tokenizer(self, context: LetterCounts | None) -> str | Callable[[str], Iterable[str]]:
        if self.tokenizer != "auto":
            return self.tokenizer
        return "unicode" if context is not None and context.mostly_dropped else "rouge"

    def check_totals(self) -> None:
        """Raise an OptionError for options that need rows, not sums."""
        super().check_totals()
        if not self.use_aggregator:
            raise OptionError(
                f"{self.name}: use_aggregator=False needs the scores of every item, but only sums are kept here; "
                "tercet.score gives them."
            )

    def corpus_warning(self, context: LetterCounts | None, corpus: Corpus | None = None) -> str | None:
        """Return a warning when texts lose their letters, or would have lost them."""
        tokenizer = self._tokenizer(context)
        if tokenizer == "unicode" and self.tokenizer == "auto":
            return LETTERS_KEPT
        if tokenizer != "rouge":
            return None
        return dropped_letters(corpus, context, chosen=self.given.get("tokenizer") == "rouge")

    def signature(self, context: LetterCounts | None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        tokenizer = self._tokenizer(context)
        if tokenizer not in self._signatures:
            self._signatures[tokenizer] = rouge_signature(self.name, self, tokenizer)
        return self._signatures[tokenizer]

    def segment_stats(self, batch: Corpus, context: LetterCounts | None) -> SegmentStats:
        """Return one row per item."""
        tokenizer, rows = self._tokenizer(context), None
        if self._counted is not None and tokenizer in READINGS:
            rows = rows_of_texts(batch, str(tokenizer), self._counted, self)
        if rows is None:
            tokens, _ = self.tokens(batch, context)
            counter = self.counter(tokens)
            triples = [self._item_scores(each, counter.count(each), tokens) for each in self.types]
            rows = np.concatenate([self.base_rows(batch, tokens.tokens.lengths[: tokens.n_items]), *triples], axis=1)
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: LetterCounts | None) -> PairRows:
        """Return what makes rows of pairs, with the first type alone, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch, context)
        alone = self.with_options({"rouge_types": self.primary}, idle=True)
        first = len(self.base_columns)

        def rows(texts: Places, references: Places) -> Array:
            crossed = replace(tokens.crossed(texts, references), name_of=lambda place: crossing.name_of(texts[place]))
            found = np.zeros((len(texts) * len(references), len(self.columns)))
            found[:, :first] = base_of_pairs(crossed.tokens.lengths[crossed.pairs[0]])
            counts = alone.counter(crossed).count(alone.types[0])
            found[:, first : first + len(MEASURES)], _ = self.pair_scores(alone.types[0], counts)
            return found

        return rows

    @cached_property
    def _counted(self) -> tuple[tuple[str, float], ...] | None:
        """What the engine counts of texts as they are, for each type; None where it cannot."""
        simple = self._package is None and not self._by_script and self.stopwords is None and self._word_map() is None
        return counted(self.types) if simple and self._prepare() is None and self.alpha is None else None

    def tokens(
        self, batch: Corpus, context: LetterCounts | None, as_written: bool = False
    ) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that gives the different ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokenizer = self._tokenizer(context)
        lowercase = isinstance(tokenizer, str) and tokenizer not in KEEP_CASE
        if self.compat == "rouge155" and tokenizer == "rouge":
            tokenizer = "rouge-script"
        elif self._package is not None and tokenizer == "none":
            tokenizer = split_marked
        prepare = self._prepare()
        if self._cut_by_line:  # both cuts of each text at once, so that their words have the same ids
            cuts = prepare, self._prepare(first_bytes_of_lines)
            texts = [cut(text) for cut in cuts if cut is not None for text in batch.texts.to_pylist()]
            batch, prepare = batch.with_texts(pa.array(texts, pa.large_string())), None
        tokens, words = tokenize(batch, tokenizer, lowercase=lowercase, prepare=prepare, lines=True)
        mapping = None if as_written else self._word_map()
        stopwords: Collection[str] = ()
        if self.stopwords is not None:
            stopwords = script_stopwords() if self.stopwords == "smart" else stopwords_for(self.stopwords)
        if mapping or stopwords:
            tokens, words = map_words(tokens, words(), mapping, stopwords)
        if self._cut_by_line:
            n = len(tokens.tokens.lengths)
            tokens = replace(tokens.documents(0, n // 2), cut_by_line=tokens.documents(n // 2, n))
        return tokens, words

    def _prepare(self, cut_bytes: Callable[..., str] = truncate_bytes) -> Callable[[str], str] | None:
        """Return the preprocessing of a text before tokenization."""
        steps: list[Callable[[str], str]] = []
        if self.sentence_split == "auto":
            steps.append(split_sentences)
        if self.max_words is not None:
            steps.append(partial(self._cut, limit=self.max_words))
        if self.max_bytes is not None:
            steps.append(partial(cut_bytes, limit=self.max_bytes))
        if self._package is not None and self.tokenizer == "none":
            steps.append(partial(mark_sentences, package=self._package))
        return (lambda text: reduce(lambda made, step: step(made), steps, text)) if steps else None

    def _word_map(self) -> WordMap | None:
        if self.porter:
            return script_stemmer() if self._by_script else stemmer_for("porter")
        return word_map(self)

    def _item_scores(self, kind: RougeType, counts: PairCounts, tokens: TokenBatch) -> Array:
        """Return precision, recall and F of every item, shape (n, 3): 0 for an item without reference."""
        starts, n_references = tokens.pair_offsets[:-1], tokens.reference_counts
        filled = n_references > 0
        if self._by_script and self.multi_ref == "average":  # -f A: the counts of all references in one
            counts = counts.pooled(starts[filled])
            one, _ = self.pair_scores(kind, counts)
        else:
            one, rank = self.pair_scores(kind, counts)
            if self._by_script:
                one = one[first_greatest(rank, starts[filled])]
            elif (n_references > 1).any():
                one = combined(one, starts[filled], n_references[filled], self.multi_ref)
        if filled.all():
            return one
        result = np.zeros((tokens.n_items, 3))
        result[filled] = one
        return result

    def pair_scores(self, kind: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return precision, recall and F of each pair, shape (m, 3), and the criterion of its best reference."""
        if self._by_script:
            alpha = 1 / (1 + self.beta * self.beta) if self.alpha is None else self.alpha
            return script_scores(counts, alpha, self.rounded is not False), recall_rank(kind.kind, counts)
        scores = pair_scores(counts, self.beta, 0.0 if self._package is None else EPSILON, self.alpha)
        return scores, scores[:, 2]

    def counter(self, tokens: TokenBatch) -> PairCounter | PackageCounter:
        """Return the counter of the types."""
        if self._package is not None:
            return PackageCounter(tokens, self._package)
        return PairCounter(tokens, self.types, self._by_script)

    def finalize(self, totals: Either) -> Scores:
        """Return the mean of each measure over the items."""
        items, first = column(totals, 0), len(self.base_columns)
        n = where(items > 0, items, 1.0)
        scores: Scores = {}
        for number, each in enumerate(self.types):
            start = first + len(MEASURES) * number
            means = [self.scale * total / n for total in columns(totals, start, start + len(MEASURES))]
            values = dict(zip(MEASURES, means, strict=True))
            scores[each.name] = values["fmeasure" if self.output == "all" else self.output]
            if self.output == "all":
                scores[f"{each.name}_precision"] = values["precision"]
                scores[f"{each.name}_recall"] = values["recall"]
        return scores

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return one float a score, or the list of the items' with ``use_aggregator=False``."""
        if self.use_aggregator or stats is None:
            return dict(self.finalize(as_floats(totals)))
        return dict(segment_lists(self, stats))

    explained = explain_batch
    matched = matched
