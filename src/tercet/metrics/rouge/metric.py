"""ROUGE (Lin 2004): n-grams, longest common subsequences, weighted ones and skip-bigrams in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.rows import PairRows, as_rows, base_of_pairs, base_rows
from tercet.base.scoring import segment_lists
from tercet.base.shared_options import check_word_options, shared_labels
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus, encode
from tercet.corpus.letters import FEW, LetterCounts, count_letters, dropped_letters_warning
from tercet.corpus.reading import Crossing, Indices, is_read_by_engine
from tercet.corpus.sentences import split_sentences, truncate_bytes, truncate_words
from tercet.corpus.stems import (
    WordMap,
    lemmatizer_label,
    map_words,
    stemmer_for,
    stemmer_label,
    stopwords_for,
    stopwords_label,
    word_map,
)
from tercet.corpus.tokenizers import tokenize, tokenizer_label
from tercet.engine.chosen import engine
from tercet.engine.planned import TextPlan
from tercet.engine.ragged import TokenBatch, first_greatest
from tercet.errors import OptionError
from tercet.explanation.explanation import MATCH_LEVELS, Matched
from tercet.explanation.matches import Word
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .counts import (
    EPSILON,
    KEEP_CASE,
    PACKAGE_TYPES,
    PACKAGES,
    PackageCounter,
    PairCounter,
    PairCounts,
    check_types,
    mark_sentences,
    pair_scores,
    rows_of_texts,
    split_marked,
    types_for_engine,
)
from .matches import PairOfTexts, RougeMatches, TypeMatches
from .options import BY_LINE, DIALECTS, MEASURES, TABLE_TYPES, RougeOptions, RougeType, parse_types
from .perl import first_bytes_of_lines, first_words, recall_rank
from .perl import scores as scores_by_script
from .perl import stemmer as script_stemmer
from .perl import stopwords as script_stopwords
from .several_references import combine

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


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
    about = from_card()
    extras = ("languages",)
    takes_systems = True
    in_tables: ClassVar[Mapping[str, Any]] = {"rouge_types": list(TABLE_TYPES)}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "rouge_score": {"tokenizer": "rouge"},
        "rouge155": {"tokenizer": "rouge"},
        **{name: {"tokenizer": "none", "rouge_types": PACKAGE_TYPES} for name in PACKAGES},
    }
    dialects = DIALECTS
    fit_first = (
        "tokenizer='auto' chooses by the letters of all references. Give tokenizer='rouge' (it keeps a-z and 0-9) or "
        "tokenizer='unicode' (every script)."
    )

    def check(self) -> None:
        """Raise an OptionError for options that exclude each other, and for missing packages."""
        check_word_options(self)
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

    # What the options imply: made when it is first read.

    @cached_property
    def _signatures(self) -> dict[str, Signature]:
        """The signature by the label of the tokenizer: ``auto`` chooses one, and a callable need have no hash."""
        return {}

    @cached_property
    def _by_script(self) -> bool:
        """Whether the score is made as ROUGE-1.5.5.pl makes it."""
        return bool(self.compat == "rouge155")

    @cached_property
    def _package(self) -> str | None:
        """The package of Python whose score it is, or None."""
        return self.compat if self.compat in PACKAGES else None

    @cached_property
    def _cut_by_line(self) -> bool:
        """Whether texts are cut to their first bytes line by line, as the script does where a type needs lines."""
        by_line = any(rouge_type.kind in BY_LINE for rouge_type in self.types)
        return self._by_script and self.max_bytes is not None and by_line

    @cached_property
    def _cut_words(self) -> Callable[..., str]:
        """How texts are cut to their first words: the script counts words in its own way."""
        return first_words if self._by_script else truncate_words

    @cached_property
    def types(self) -> tuple[RougeType, ...]:
        """The types as values."""
        return parse_types(self.rouge_types)

    @cached_property
    def porter(self) -> bool:
        """Whether words of more than three letters get Porter's stem; rouge_score stems no tokens of a function."""
        return self.use_stemmer and not (self.compat == "rouge_score" and callable(self.tokenizer))

    @property
    def primary(self) -> str:  # type: ignore[override]
        """The first type."""
        return self.types[0].name

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        types = [f"{rouge_type.name}_{measure}" for rouge_type in self.types for measure in MEASURES]
        return (*self.base_columns, *types)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Precision, recall and F of an item are at most 1."""
        return tuple((name, "items") for name in self.columns[len(self.base_columns) :])

    @cached_property
    def score_names(self) -> tuple[str, ...]:
        """Each type; with ``output="all"`` also its precision and its recall."""
        names: list[str] = []
        for rouge_type in self.types:
            names.append(rouge_type.name)
            if self.output == "all":
                names += [f"{rouge_type.name}_precision", f"{rouge_type.name}_recall"]
        return tuple(names)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        return f"ROUGE-{score.removeprefix('rouge').replace('_', ' ')}"

    def fit(self, batch: Corpus) -> LetterCounts | None:
        """Return the counts of letters from which ``tokenizer="auto"`` chooses; None for other tokenizers."""
        return count_letters(batch) if self.tokenizer == "auto" else None

    @property
    def needs_corpus(self) -> Literal[False, "signed"]:
        """Whether the letters of the whole corpus choose the tokenizer, which is in the signature."""
        return "signed" if self.tokenizer == "auto" else False

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same: all tokenizers by name lowercase but "none"."""
        return isinstance(self.tokenizer, str) and self.tokenizer != "none"

    def _tokenizer(self, context: LetterCounts | None) -> str | Callable[[str], Iterable[str]]:
        if self.tokenizer != "auto":
            return self.tokenizer
        return "unicode" if context is not None and context.mostly_dropped else "rouge"

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise an OptionError also for the scores of every item, of which sums know nothing."""
        super().check_call(resampled=resampled, summed=summed)
        if summed and not self.use_aggregator:
            raise OptionError(
                f"{self.name}: use_aggregator=False needs the scores of every item, but only sums are kept here; "
                "tercet.score gives them."
            )

    def corpus_warning(self, context: LetterCounts | None, corpus: Corpus | None = None) -> str | None:
        """Return a warning when texts lose their letters, or would have lost them."""
        if context is not None and not context.other:
            return None
        tokenizer = self._tokenizer(context)
        if tokenizer == "unicode" and self.tokenizer == "auto":
            return _LETTERS_KEPT
        if tokenizer != "rouge" or (context is None and _is_ascii(corpus)):
            return None
        return dropped_letters_warning(corpus, context, chosen=self._names_tokenizer)

    def why_worst(self, totals: Any, corpus: Corpus) -> str:
        """Return that ROUGE's tokenizer drops most letters of the texts; "" where it does not."""
        if self.tokenizer != "rouge" or not count_letters(corpus).mostly_dropped:
            return ""
        return "ROUGE's tokenizer drops most letters of the texts"

    @cached_property
    def _names_tokenizer(self) -> bool:
        """Whether the user gave ROUGE's tokenizer."""
        return self.changed_options.get("tokenizer") == "rouge"

    def signature(self, context: LetterCounts | None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature(self._tokenizer(context))

    def _signature(self, tokenizer: str | Callable[[str], Iterable[str]]) -> Signature:
        label = tokenizer_label(tokenizer)
        if label in self._signatures:
            return self._signatures[label]
        parts = {
            "types": ",".join(rouge_type.name for rouge_type in self.types),
            "tok": label,
            "beta": self.beta if self.alpha is None else None,
            "alpha": self.alpha,
            "multi": self.multi_ref,
            "measure": self.output,
            "stem": "porter" if self.porter else stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            "stopwords": stopwords_label(self.stopwords),
            "words": self.max_words,
            "bytes": self.max_bytes,
            "split": self.sentence_split,
            **shared_labels(self),
            # With compat="rouge155" scores are rounded, so that only the contrary needs saying.
            "rounded": None if self.rounded is not False else self.rounded,
            "compat": self.compat,
            "equals": _equal_implementation(self, tokenizer),
        }
        self._signatures[label] = Signature.of(self.name, parts)
        return self._signatures[label]

    def segment_stats(self, batch: Corpus, context: LetterCounts | None) -> SegmentStats:
        """Return one row per item."""
        tokenizer = self._tokenizer(context)
        rows = None
        porter = self.porter or self.stemmer == "porter"
        # The engine stems no texts that keep their capitals, nor words that reach it as numbers.
        engine_stems = tokenizer != "none" and is_read_by_engine(tokenizer)
        if self._engine_types is not None and (engine_stems or not porter):
            rows = rows_of_texts(batch, tokenizer, self._engine_types, self, self._prepared, porter)
        if rows is None:
            tokens, _ = self.tokens(batch, context)
            counter = self.counter(tokens)
            triples = [self._item_scores(rouge_type, counter.count(rouge_type), tokens) for rouge_type in self.types]
            base = base_rows(batch, tokens.tokens.lengths[: tokens.n_items], self.missing_references)
            rows = np.concatenate([base, *triples], axis=1)
        return SegmentStats(self._signature(tokenizer), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: LetterCounts | None) -> PairRows:
        """Return what makes rows of pairs, with the first type alone, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch, context)
        # Pairs are compared by one score, so that the other types would be counted in vain.
        first_type_alone = self.with_options({"rouge_types": self.primary}, may_be_idle=True)
        n_base = len(self.base_columns)

        def rows(texts: Indices, references: Indices) -> Array:
            crossed = replace(tokens.crossed(texts, references), name_of=lambda row: crossing.name_of(texts[row]))
            crossed_rows = np.zeros((len(texts) * len(references), len(self.columns)))
            crossed_rows[:, :n_base] = base_of_pairs(crossed.tokens.lengths[crossed.pairs[0]])
            counts = first_type_alone.counter(crossed).count(first_type_alone.types[0])
            triples, _ = self.pair_scores(first_type_alone.types[0], counts)
            crossed_rows[:, n_base : n_base + len(MEASURES)] = triples
            return crossed_rows

        return rows

    @cached_property
    def _engine_types(self) -> tuple[tuple[str, float], ...] | None:
        """What the engine counts of texts, for each type; None where it cannot."""
        as_written = self.stopwords is None and self._word_map() in (None, stemmer_for("porter"))
        is_plain = self._package is None and not self._by_script and self.alpha is None
        return types_for_engine(self.types) if as_written and is_plain else None

    def tokens(
        self, batch: Corpus, context: LetterCounts | None, as_written: bool = False
    ) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that gives the different ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokenizer = self._tokenizer(context)
        lowercase = isinstance(tokenizer, str) and tokenizer not in KEEP_CASE
        if self.compat == "rouge155" and tokenizer == "rouge":
            # The script lowercases ASCII letters only, where rouge_score lowercases all before it drops the others.
            tokenizer = "rouge-script"
        elif self._package is not None and tokenizer == "none":
            tokenizer = split_marked
        prepare = self._prepared
        if self._cut_by_line:
            # Both cuts of each text in one batch, so that equal words have equal ids.
            cuts = (prepare, self._prepare(first_bytes_of_lines))
            texts = [cut(text) for cut in cuts if cut is not None for text in batch.texts.to_pylist()]
            batch = batch.with_texts(encode(texts))
            prepare = None
        tokens, words = tokenize(batch, tokenizer, lowercase=lowercase, prepare=prepare, lines=True)
        mapping = None if as_written else self._word_map()
        stopwords: Collection[str] = ()
        if self.stopwords is not None:
            stopwords = script_stopwords() if self.stopwords == "smart" else stopwords_for(self.stopwords)
        if mapping or stopwords:
            tokens, words = map_words(tokens, words(), mapping, stopwords)
        if self._cut_by_line:
            # The first half was truncated as a whole, the second line by line.
            n_documents = len(tokens.tokens.lengths)
            half = n_documents // 2
            tokens = replace(tokens.documents(0, half), cut_by_line=tokens.documents(half, n_documents))
        return tokens, words

    @cached_property
    def _prepared(self) -> Callable[[str], str] | None:
        return self._prepare()

    def _prepare(self, cut_bytes: Callable[..., str] = truncate_bytes) -> Callable[[str], str] | None:
        """Return the preprocessing of a text before tokenization."""
        steps: list[Callable[[str], str]] = []
        if self.sentence_split == "auto":
            steps.append(split_sentences)
        if self.max_words is not None:
            steps.append(partial(self._cut_words, limit=self.max_words))
        if self.max_bytes is not None:
            steps.append(partial(cut_bytes, limit=self.max_bytes))
        if self._package is not None and self.tokenizer == "none":
            steps.append(partial(mark_sentences, package=self._package))
        if not steps:
            # Texts are read as they are, which the engine does by itself.
            return None

        def prepare(text: str) -> str:
            for step in steps:
                text = step(text)
            return text

        return prepare

    def _word_map(self) -> WordMap | None:
        if self.porter:
            return script_stemmer() if self._by_script else stemmer_for("porter")
        return word_map(self)

    def _item_scores(self, rouge_type: RougeType, counts: PairCounts, tokens: TokenBatch) -> Array:
        """Return precision, recall and F of every item, shape (n, 3): 0 for an item without reference."""
        n_references = tokens.reference_counts
        has_reference = n_references > 0
        starts = tokens.pair_offsets[:-1][has_reference]
        if self._by_script and self.multi_ref == "average":
            # The script's option -f A adds up the counts of all references before it divides.
            counts = counts.pooled(starts)
            triples, _ = self.pair_scores(rouge_type, counts)
        else:
            triples, rank = self.pair_scores(rouge_type, counts)
            if self._by_script:
                triples = triples[first_greatest(rank, starts)]
            elif (n_references > 1).any():
                triples = combine(triples, starts, n_references[has_reference], self.multi_ref)
        if has_reference.all():
            return triples
        item_triples = np.zeros((tokens.n_items, len(MEASURES)))
        item_triples[has_reference] = triples
        return item_triples

    def pair_scores(self, rouge_type: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return precision, recall and F of each pair, shape (m, 3), and the criterion of its best reference."""
        if self._by_script:
            # The script weighs precision by alpha; by default, by the one that gives the F of beta.
            alpha = 1 / (1 + self.beta * self.beta) if self.alpha is None else self.alpha
            scores = scores_by_script(counts, alpha, rounded=self.rounded is not False)
            return scores, recall_rank(rouge_type.kind, counts)
        epsilon = 0.0 if self._package is None else EPSILON
        scores = pair_scores(counts, self.beta, epsilon, self.alpha)
        return scores, scores[:, 2]

    def counter(self, tokens: TokenBatch) -> PairCounter | PackageCounter:
        """Return the counter of the types."""
        if self._package is not None:
            return PackageCounter(tokens, self._package)
        return PairCounter(tokens, self.types, self._by_script)

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step; None where Python has a part in it."""
        if self._engine_types is None or self._prepared is not None or not self.use_aggregator:
            return None
        porter = self.porter or self.stemmer == "porter"
        # The best of several references is known after the roots of W, and is not all that counts by other rules.
        only_strings = self.multi_ref != "best" or any(rouge_type.kind == "W" for rouge_type in self.types)
        means = list(self._means.values())
        if self.tokenizer == "auto":
            rules = rules_of_plan(count_letters=True, only_strings=only_strings)
            return engine.rouge_plan(rules, None, self._engine_types, self.beta, porter, self.scale, means)
        if not is_read_by_engine(self.tokenizer) or (porter and self.tokenizer == "none"):
            return None
        rules = rules_of_plan(lowercase=self.tokenizer not in KEEP_CASE, only_strings=only_strings)
        return engine.rouge_plan(rules, self.tokenizer, self._engine_types, self.beta, porter, self.scale, means)

    def finalize(self, totals: Array) -> Scores:
        """Return the mean of each measure over the items."""
        means = engine.item_means(as_rows(totals, self.columns), self.scale)
        means = means.reshape(*totals.shape[:-1], means.shape[1])
        return {name: means[..., column] for name, column in self._means.items()}

    @cached_property
    def _means(self) -> dict[str, int]:
        """Which of the means each score is: those of the three measures of each type."""
        columns: dict[str, int] = {}
        first = 0
        for rouge_type in self.types:
            measures = {measure: column for column, measure in enumerate(MEASURES, start=first)}
            if self.output == "all":
                columns[rouge_type.name] = measures["fmeasure"]
                columns[f"{rouge_type.name}_precision"] = measures["precision"]
                columns[f"{rouge_type.name}_recall"] = measures["recall"]
            else:
                columns[rouge_type.name] = measures[self.output]
            first += len(MEASURES)
        return columns

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return one float a score, or the list of the items' with ``use_aggregator=False``."""
        if not self.use_aggregator and stats is not None:
            return dict(segment_lists(self, stats))
        (means,) = engine.item_means(as_rows(totals, self.columns), self.scale).tolist()
        return {name: means[column] for name, column in self._means.items()}

    def explained(self, batch: Corpus, context: Any = None) -> RougeMatches:
        """Explain a batch of one item."""
        context = self.fit(batch) if context is None else context
        matches = self._matches(batch, context)
        types = [matches(rouge_type)[0] for rouge_type in self.types]
        return RougeMatches(types, int(batch.reference_counts[0]), str(self.signature(context)))

    def _matches(self, batch: Corpus, context: Any) -> Callable[[RougeType], list[TypeMatches]]:
        """Return what gives the matching behind one type of each item of a batch."""
        tokens, words = self.tokens(batch, context)
        plain, plain_words = self.tokens(batch, context, as_written=True)
        counter = self.counter(tokens)
        spelling = words()
        written = plain_words()
        truncated = _lines_and_words(tokens, plain, written)
        truncated_lines, _ = truncated
        by_line = truncated
        if tokens.cut_by_line is not None and plain.cut_by_line is not None:
            by_line = _lines_and_words(tokens.cut_by_line, plain.cut_by_line, written)

        texts, references = tokens.pairs
        first_pairs = np.flatnonzero(np.diff(texts, prepend=-1))

        def matches(rouge_type: RougeType) -> list[TypeMatches]:
            counts = counter.count(rouge_type)
            scores, rank = self.pair_scores(rouge_type, counts)
            is_cut_by_line = by_line is not truncated and rouge_type.kind in BY_LINE
            lines, as_written = by_line if is_cut_by_line else truncated
            best_pairs = first_greatest(rank, first_pairs)
            type_matches = []
            for first_pair, best in zip(first_pairs.tolist(), best_pairs.tolist(), strict=True):
                text = int(texts[best])
                reference = int(references[best])
                remaining_counts = None
                if is_cut_by_line:
                    # A word counts as often as it occurs in the texts that were truncated as a whole.
                    prediction_counts = Counter(chain.from_iterable(truncated_lines[text]))
                    reference_counts = Counter(chain.from_iterable(truncated_lines[reference]))
                    remaining_counts = prediction_counts & reference_counts
                pair = PairOfTexts(lines[text], lines[reference], spelling, remaining_counts)
                matched_tokens = pair.matched_tokens(rouge_type, self.compat)
                precision, recall, fmeasure = scores[best].tolist()
                type_matches.append(
                    TypeMatches(
                        name=rouge_type.name,
                        kind=rouge_type.kind,
                        reference=best - first_pair,
                        precision=precision,
                        recall=recall,
                        fmeasure=fmeasure,
                        hits=float(counts.hits[best]),
                        prediction_total=float(counts.text_totals[best]),
                        reference_total=float(counts.reference_totals[best]),
                        prediction_words=pair.prediction_words(matched_tokens, as_written[text]),
                        reference_words=pair.reference_words(matched_tokens, as_written[reference]),
                        counts=matched_tokens.counts,
                    )
                )
            return type_matches

        return matches

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds the tokens that match: those of the score's own type.

        The score gives the lengths of their runs and the number of their skip-bigrams.
        """
        name = score.removesuffix("_precision").removesuffix("_recall")
        metric = self.with_options({"rouge_types": [name]}, may_be_idle=True)
        # The tokenizer that was chosen for all texts: a single text might choose another one.
        if tokenizer is not None and self.tokenizer == "auto":
            metric = metric.with_options({"tokenizer": tokenizer}, may_be_idle=True)
        rouge_type = metric.types[0]

        def words(batch: Corpus) -> list[list[Word]]:
            matches = metric._matches(batch, metric.fit(batch))
            return [item.prediction_words for item in matches(rouge_type)]

        return Matched(MATCH_LEVELS, words)


def _lines_and_words(
    tokens: TokenBatch, plain: TokenBatch, written: list[str]
) -> tuple[list[list[list[int]]], list[list[str]]]:
    """Return the documents as lines of ids, and the words of each as they were written."""
    return tokens.line_lists(), [[written[i] for i in ids] for ids in plain.tokens.lists()]


# Which implementation gives the same numbers.


def _equal_implementation(options: Rouge, tokenizer: str | Callable[[str], Iterable[str]]) -> str | None:
    """Return the name of the implementation that gives the same numbers with these options, if there is one."""
    if options.sentence_split != "newline" or options.missing_references != "error" or options.lemmatizer is not None:
        return None
    if options.compat == "rouge155":
        if (
            tokenizer != "rouge"
            or options.stemmer is not None
            or options.stopwords not in (None, "smart")
            or options.rounded is False
        ):
            return None
        return "ROUGE-1.5.5"

    if (
        options.beta != 1
        or options.multi_ref != "best"
        or (options.stopwords, options.max_words, options.max_bytes) != (None, None, None)
    ):
        return None
    if options.compat in PACKAGES:
        if tokenizer != "none" or options.stemmer is not None or options.porter:
            return None
        return options.compat

    if tokenizer != "rouge" or options.stemmer not in (None, "porter"):
        return None
    in_rouge_score = [rouge_type.kind in ("n", "L", "Lsum") for rouge_type in options.types]
    if not any(in_rouge_score):
        return None
    return "rouge_score" if all(in_rouge_score) else "rouge_score(N+L)"


# The warnings of ROUGE.

#: Where the letters of the references chose another tokenizer than ROUGE's own.
_LETTERS_KEPT = (
    "the tokenizer of rouge_score keeps a-z and 0-9 only and would drop more than half of the letters of "
    "these references; tokenizer='unicode' is used instead. Give tokenizer='unicode' or tokenizer='rouge' to choose."
)


def _is_ascii(corpus: Corpus | None) -> bool:
    """Return whether no letter of references is dropped: known of strings before words of a `FEW` are compared."""
    if corpus is None or corpus.strings is None or corpus.n_segments > 64 * FEW:
        return False
    return all(map(str.isascii, corpus.strings[1]))
