"""BLEU (Papineni et al. 2002): one pass over the texts, many weightings, smoothings and length rules.

    BLEU = brevity penalty * exp(sum over the orders n of weight_n * log precision_n)

The N weights are 1 / N, unless the option `weights` gives others.

The precision of order n is the share of the predictions' n-grams that match a reference, each counted at most as
often as it occurs in the one reference that has it most often (clipped): "the the the" has one match where each
reference has one "the". Precision alone would favour short texts, hence the penalty: 1 for predictions at least as
long as their references, else exp(1 - reference length / prediction length). Of several references the closest in
length counts, of two as close the shorter one (or as `reference_length` says). Matches, n-grams and lengths are
summed over all items before anything is divided.

An order without a match would make the score 0, and is smoothed (Chen and Cherry 2014). Its precision, of N n-grams:

    none     0
    exp      1 / (2N) for the first such order, 1 / (4N) for the next, and so on
    floor    0.1 / N
    add-k    (M + 1) / (N + 1) for all orders but the first, also where there are M matches
    add-one  (M + 1) / (N + 1) for all orders: evaluate's smooth=True

0.1 and 1 are the defaults of smooth_value. Where no word matches, BLEU is 0, except by add-one. None, exp and floor
do not smooth an order of which the predictions have no n-gram (N = 0): BLEU is then 0, unless effective_order=True
takes the mean over the other orders. Add-k and add-one make (0 + 1) / (0 + 1) = 1 of it, which effective_order leaves
in.

A segment is scored as sacrebleu's sentence_bleu scores it: by effective order, and by exp where the corpus has no
smoothing. With compat="nltk" it is scored as the corpus is.

How texts are counted, and the formula step by step: `engine/plain_bleu.py`. Compiled, as it runs: `engine/rows.pxi`,
`bleu.pxi`.

The packages, whose numbers the presets give (`compat`):

    sacrebleu  exp; the same to the last bit
    evaluate   none, or add-one; the shortest reference; its tokenizer 13a leaves blanks at the end of a text
    NLTK       none, and methods of its own (nltk1 to nltk7: `nltk_precisions` of `engine/plain_bleu.py`); texts
               are split at blanks. With none, an order without a match has the smallest normal float as its
               precision. A text that is too short for an order counts as having one n-gram. Methods 5 to 7 look at
               the last item in place of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.has_tokenizer import HasTokenizer
from tercet.base.options import option
from tercet.base.rows import PairRows, as_rows, leave_out
from tercet.base.shared_options import check_word_options, lemmatizer_option, shared_labels, stemmer_option
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import Crossing, is_read_by_engine, rows_by_engine, texts_and_reading
from tercet.corpus.stems import (
    lemmatizer_label,
    map_words,
    stemmer_label,
    texts_of_tokens,
    word_map,
)
from tercet.corpus.subword_models import is_subword_model
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.planned import Entry, TextPlan
from tercet.engine.ragged import TokenBatch
from tercet.errors import OptionError
from tercet.option_checks import integer, number
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .equal_implementation import equal_implementation
from .grid import Grid, grid_of, methods_of_grid
from .messages import interpretation, line_of_sacrebleu, no_resamples
from .options import (
    ADD_ONE,
    DIALECTS,
    OF_LAST_ITEM,
    OF_NEXT_ORDER,
    PRESETS,
    SMOOTH_VALUES,
    TOKENIZER_OF_BLEU,
    ReferenceLength,
    SmoothMethod,
    TokenizerName,
    check_grid,
    check_smoothing,
    check_weights,
)
from .row import BleuRow
from .weightings import Weightings, weightings_of
from .why_zero import WhyZero

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tercet.explanation.explanation import Matched
    from tercet.explanation.ngrams import NgramMatches

Array: TypeAlias = "NDArray[np.float64]"


class FormulaSettings(NamedTuple):
    """What the formula takes besides sums: the arguments of :func:`.plain_bleu.bleu_scores`, in its order."""

    length_column: int  # of the references, by the rule that counts
    method: str
    smooth_value: float
    effective: bool
    #: Of the orders, for each weighting: lists, as a compiled plan does without NumPy, which takes long to import.
    weights: Any
    scale: float


class Bleu(HasTokenizer):
    """BLEU: the n-grams that predictions share with their references.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(scale=100)
    >>> result = bleu(["The cat sat on a mat."], [["The cat sat on the mat.", "A cat was sitting on a mat."]])
    >>> round(result["bleu"], 1)
    79.5
    """

    name = "bleu_multi"  # bleu is its short name, that of the folder
    about = from_card()
    takes_systems = True
    title = "BLEU"
    primary = "bleu"
    presets = PRESETS
    dialects = DIALECTS
    facts = (
        "translation_length",
        "reference_length",
        "length_ratio",
        "brevity_penalty",
        "precisions",
        "counts",
        "totals",
    )

    tokenizer: TokenizerName | str | PathLike[str] | Callable[[str], Iterable[str]] = TOKENIZER_OF_BLEU
    lowercase: bool = option(default=False, doc="Lowercase the texts first.")
    max_order: int = option(default=4, doc="The longest n-gram.", check=integer(1, 20))
    weights: Sequence[float] | Mapping[str, Sequence[float]] | None = option(
        default=None,
        doc="Weights of the n-gram orders, uniform by default. Each name of a mapping adds a score `bleu_<name>` "
        "besides bleu, up to 100 of them. Shorter lists leave out the higher orders: [1] is BLEU-1, [0.5, 0.5] "
        "BLEU-2. They are not normalized: weights that do not sum to 1 give a power of the mean of the precisions.",
        check=check_weights,
    )
    smooth_method: SmoothMethod = option(
        default="exp",
        doc='How orders without a match are smoothed. "exp", "floor" and "add-k" are as in sacrebleu, whose default '
        'is "exp"; "nltk1" to "nltk7" as in NLTK\'s SmoothingFunction (5 and 7 can exceed 1, by their definition). '
        'With "none", BLEU is 0 where an order has no match; it is the default of compat="evaluate" and "nltk".',
    )
    smooth_value: float | None = option(
        default=None,
        doc="The number that the smoothing method uses. By default 0.1 for floor and nltk1, 1 for add-k, and 5 for "
        "nltk4, nltk6 and nltk7. These last three divide by it, so they refuse 0; elsewhere 0 means what it means in "
        'sacrebleu and NLTK. A method that does not use it refuses it, except with compat="sacrebleu", which ignores '
        "it.",
        check=number("a number from 0 to 1000", lambda x: 0 <= x <= 1000, none=True),
    )
    smooth: bool = option(
        default=False,
        doc="Add one to the matches and the n-grams of every order, including unigrams. This is smooth=True of "
        "evaluate's bleu, with or without compat: even texts with no word in common score above 0. (Lin and "
        "Och 2004 and add-k do not smooth unigrams.)",
    )
    reference_length: ReferenceLength = option(
        default="closest",
        doc="Which of several references' lengths the brevity penalty uses. Of two equally close lengths, the "
        "shorter counts.",
    )
    effective_order: bool = option(default=False, doc="Leave out orders for which the predictions have no n-grams.")
    stemmer: str | Callable[[str], str] | None = stemmer_option("Lowercase and stem")
    lemmatizer: str | Callable[[str], str] | None = lemmatizer_option("Lowercase and lemmatize")
    grid: bool | Mapping[str, Any] | None = option(
        default=None,
        doc="Add a row for each combination of weights, smoothing and reference length. A mapping lists the values "
        'to combine, each once: `{"weights": {...}, "smooth_method": [...], "reference_length": [...]}`.',
        check=check_grid,
    )
    compat: Literal["sacrebleu", "evaluate", "nltk"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. `load("bleu_multi", "sacrebleu")` sets it too, with the arguments '
        "and keys of evaluate's sacrebleu, in percent.",
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        check_word_options(self)
        super().check()
        check_smoothing(self)
        # Made here for their checks: they refuse weights that do not fit the orders.
        _ = self._weightings
        _ = self._grid

    # What the options imply: made when it is first read.

    @property
    def method(self) -> str:
        """The smoothing method of the score."""
        return ADD_ONE if self.smooth else self.smooth_method

    @cached_property
    def _methods_of_grid(self) -> Sequence[str]:
        """The smoothing methods of the grid; none without one."""
        return methods_of_grid(self.grid, self.method, self.compat)

    @cached_property
    def smoothing_methods(self) -> list[str]:
        """The smoothing method of the score, then those of the grid."""
        return [self.method, *self._methods_of_grid]

    @cached_property
    def scores_like_nltk(self) -> bool:
        """Whether the score is made as NLTK makes it."""
        return self.compat == "nltk" or self.method.startswith("nltk")

    @cached_property
    def ignores_case(self) -> bool:
        """Whether texts are lowercased, as they are for stems and lemmas."""
        return self.lowercase or self.stemmer is not None or self.lemmatizer is not None

    @property
    def _tokenizer_as_read(self) -> Any:
        """The tokenizer as texts are read: evaluate's 13a does not strip the right end of a text."""
        if self.compat == "evaluate" and self.tokenizer == "13a":
            return "13a-unstripped"
        return self.tokenizer

    @cached_property
    def needs_blanks(self) -> bool:
        """Whether the tokenizer splits at blanks, and was not chosen by another package."""
        return self.compat is None and super().needs_blanks

    @cached_property
    def _weightings(self) -> Weightings:
        """The weights of the orders, by the key of their score."""
        return weightings_of(self.weights, self.max_order)

    @cached_property
    def _grid(self) -> Grid | None:
        """The combinations of weights, smoothing and reference length that are asked for."""
        return grid_of(self.grid, self._methods_of_grid, self.reference_length, self.weights, self.max_order)

    @property
    def original_scale(self) -> int:  # type: ignore[override]
        """The scale of the package that the scores equal: evaluate and NLTK have 1."""
        return 100 if self.compat in (None, "sacrebleu") else 1

    @property
    def score_names(self) -> tuple[str, ...]:
        """``bleu`` and one ``bleu_<name>`` for each named weighting."""
        return tuple(self._weightings)

    # The row of an item, which adds up with others.

    @cached_property
    def _row(self) -> BleuRow:
        """Which columns a row has."""
        has_divisors = self.compat == "nltk" or any(method.startswith("nltk") for method in self.smoothing_methods)
        has_next_order = any(method in OF_NEXT_ORDER for method in self.smoothing_methods)
        return BleuRow(self.base_columns, self.max_order, has_divisors=has_divisors, has_next_order=has_next_order)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return self._row.columns

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Chains of columns: in no row is one more than the next."""
        return self._row.ascending

    @cached_property
    def _length_columns(self) -> tuple[int, int]:
        """The columns of the lengths that the brevity penalty compares: of the prediction, and of its references."""
        return self.columns.index("length"), self.columns.index(self.reference_length)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the tokens."""
        if self.stemmer is None and self.lemmatizer is None:
            texts, reading = texts_and_reading(batch, self._tokenizer_as_read, lowercase=self.ignores_case)
        else:
            # Stems and lemmas are words, joined by blanks, at which "none" splits.
            tokens, _ = self.tokens(batch)
            texts = texts_of_tokens(tokens)
            reading = "none"
        rows: Array = rows_by_engine(
            batch, engine.bleu_rows, texts, reading, self.max_order, self._row.has_divisors, self._row.has_next_order
        )
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    def tokens(self, batch: Corpus, as_written: bool = False) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that gives the different ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokens, words = tokenize(batch, self._tokenizer_as_read, lowercase=self.ignores_case)
        mapping = word_map(self)
        if as_written or mapping is None:
            return tokens, words
        return map_words(tokens, words(), mapping)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)
        return lambda texts, references: self._row.of_pairs(tokens.crossed(texts, references))

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows; with ``compat="nltk"``, methods 5 to 7 see only the last item.

        NLTK passes its smoothing function the last hypothesis only.
        """
        if self.compat != "nltk" or not len(stats):
            return stats.total()
        totals = stats.total().copy()
        scored_rows = stats.rows[stats.column("items") > 0]
        if not len(scored_rows):
            return totals
        last_row = scored_rows[-1]
        borrowed: list[str] = []
        if self._row.has_next_order:
            borrowed += ["next_match", "next_floor"]
        if "nltk6" in self.smoothing_methods:  # the only method that reads the totals
            borrowed += [name for name in stats.columns if name.startswith("total")]
        for name in borrowed:
            column = stats.columns.index(name)
            totals[column] = last_row[column]
        return totals

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise an OptionError also for NLTK's methods that see the last item: resamples and sums have none."""
        super().check_call(resampled=resampled, summed=summed)
        if self.compat != "nltk" or not (resampled or summed):
            return
        methods = [self.method]
        if summed:
            # Of a grid there are no intervals, but sums make its scores too.
            methods = self.smoothing_methods
        for method in methods:
            if method in OF_LAST_ITEM:
                raise OptionError(no_resamples(method))

    # The formula: from the sums of rows to scores.

    def _apply_formula(self, totals: Array, settings: FormulaSettings) -> Array:
        """Return BLEU under each weighting, the precision of each order, and the brevity penalty.

        A row for each sum, of whatever shape the sums are; W weightings of N orders have W + N + 1 columns.
        """
        of_arrays = settings._replace(weights=np.array(settings.weights))
        scores: Array = engine.bleu_scores(as_rows(totals, self.columns, by_column=True), *of_arrays)
        return scores

    def _formula_settings(self, method: str, length_rule: str, weightings: Weightings) -> FormulaSettings:
        """Return what the formula takes besides sums."""
        method_of_formula = method
        if method == "none" and self.compat == "nltk":
            method_of_formula = "nltk0"
        return FormulaSettings(
            length_column=self.columns.index(length_rule),
            method=method_of_formula,
            smooth_value=self._smooth_value(method),
            effective=self.effective_order,
            weights=list(weightings.values()),
            scale=self.scale,
        )

    def _smooth_value(self, method: str) -> float:
        """Return the number that a method of smoothing takes: one smooth_value serves all methods of a grid."""
        if method == ADD_ONE:
            return 1.0
        if self.smooth_value is None:
            return SMOOTH_VALUES.get(method, 0.0)
        return self.smooth_value

    @cached_property
    def _formula_of_score(self) -> FormulaSettings:
        """What the formula of the score takes."""
        return self._formula_settings(self.method, self.reference_length, self._weightings)

    def finalize(self, totals: Array) -> Scores:
        """Return BLEU under every weighting."""
        results = self._apply_formula(totals, self._formula_of_score)
        scores = results.reshape(*totals.shape[:-1], results.shape[1])
        return {name: scores[..., column] for column, name in enumerate(self._weightings)}

    @cached_property
    def segment_metric(self) -> Bleu:
        """BLEU as sacrebleu's sentence_bleu: effective order, and exp smoothing where the corpus has none.

        A single sentence seldom matches 4-grams: without smoothing, nearly all would be 0.
        """
        if self.scores_like_nltk:
            return self
        changes: dict[str, Any] = {}
        if self.method == "none":
            changes["smooth_method"] = "exp"
        changes["effective_order"] = True
        return self.with_options(changes, may_be_idle=True)

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step: count texts as `segment_stats` does, and score them.

        None where Python has a part in it. The step is `bleu_plan` of `engine/plain_plan.py`.
        """
        if not is_read_by_engine(self._tokenizer_as_read) or self.stemmer is not None or self.lemmatizer is not None:
            return None
        # With compat="nltk", these see only the last item: `corpus_totals`.
        needs_last_item = self.compat == "nltk" and self.method in OF_LAST_ITEM
        if needs_last_item or self._grid is not None:
            return None
        # Letters are counted for `corpus_warning`. Where a watched sum is 0, the plan sets `needs_look`, and
        # `score_lists` asks `score_warning`.
        rules = rules_of_plan(
            lowercase=self.ignores_case, count_letters=self.needs_blanks, watched=self._why_zero.watched
        )
        row = self._row
        return engine.bleu_plan(
            rules,
            self._tokenizer_as_read,
            row.max_order,
            row.has_divisors,
            row.has_next_order,
            self._formula_of_score,
        )

    # What a result says beside the score.

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the keys of evaluate's bleu, a key for each named weighting, and the grid on request."""
        # The scores, as of `finalize`, with precisions and penalty.
        (scores,) = self._apply_formula(totals, self._formula_of_score).tolist()
        entries = self._entries(scores, totals.tolist())
        if self._grid is not None:
            entries["grid"] = self._grid_rows(self._grid, totals)
        return entries

    def _grid_rows(self, grid: Grid, totals: Array) -> list[dict[str, Any]]:
        """Return a row for each combination of the grid."""

        def scores_of(method: str, length_rule: str) -> list[float]:
            formula = self._formula_settings(method, length_rule, grid.weightings)
            (scores,) = self._apply_formula(totals, formula).tolist()
            return list(scores)

        return grid.rows(scores_of)

    @cached_property
    def _keys(self) -> list[Entry]:
        """Which of the scores, or which column of the sums, each key of a result has; all keys but the grid."""
        # The formula returns a score for each weighting, the precisions of the orders, the penalty.
        first_precision = len(self._weightings)
        position_of_penalty = first_precision + self.max_order
        length_column, reference_column = self._length_columns
        kind_of_reference_length: Literal["sum", "count"] = "count"
        if self.reference_length == "average":
            kind_of_reference_length = "sum"  # it may be no whole number
        return [
            *(Entry(name, "score", position) for position, name in enumerate(self._weightings)),
            Entry("precisions", "scores", first_precision, position_of_penalty),
            Entry("brevity_penalty", "score", position_of_penalty),
            Entry("length_ratio", "ratio", length_column, reference_column),
            Entry("translation_length", "count", length_column),
            Entry("reference_length", kind_of_reference_length, reference_column),
        ]

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the counts behind the precisions, and the interpretation of the score."""
        sums = _as_list(totals)
        meaning = None
        if self._bands_apply:
            meaning = interpretation(entries["bleu"] * 100 / self.scale)
        return {
            "counts": list(map(int, sums[self._row.matches])),
            "totals": list(map(int, sums[self._row.ngrams])),
            "interpretation": meaning,
        }

    def facts_in_a_line(self, report: Mapping[str, Any]) -> str:
        """Return the facts of a result as sacrebleu prints them."""
        return line_of_sacrebleu(report, self.scale)

    @cached_property
    def _bands_apply(self) -> bool:
        """Whether the bands of `interpretation` are meant for this BLEU: of words, four orders and equal weights."""
        usual_weights = self.weights is None or isinstance(self.weights, Mapping)
        words = self.tokenizer != "char" and not is_subword_model(self.tokenizer)
        return words and usual_weights and self.max_order == 4 and self.method not in OF_NEXT_ORDER

    def new_signature(self) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        smooth = self.method
        if smooth in SMOOTH_VALUES:
            smooth += f"[{self._smooth_value(smooth)!r}]"
        weights: object = self.weights
        # Named weightings are written as Python writes floats, a list without the .0 of whole numbers.
        if isinstance(weights, Mapping):
            weights = ";".join(f"{name}={','.join(map(repr, values))}" for name, values in weights.items())
        parts = {
            "tok": self.label,
            "case": "lc" if self.ignores_case else "mixed",
            "order": self.max_order,
            "weights": weights,
            "smooth": smooth,
            "reflen": self.reference_length,
            "eff": self.effective_order,
            "stem": stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            **shared_labels(self),
            "compat": self.compat,
            "equals": equal_implementation(self),
        }
        return Signature.of(self.name, parts)

    def notes(self, n_references: str, *, segments: bool = False) -> dict[str, str]:
        """Return further entries of a result's signature."""
        notes = super().notes(n_references)
        if segments and not self.scores_like_nltk:
            notes = {**notes, "seg": f"{self.segment_metric.method},eff"}
        return notes

    def score_warning(self, totals: Array | list[float]) -> str | None:
        """Return a warning when the score is 0 only because an order has no match, or no n-gram."""
        return self._why_zero.warning(_as_list(totals))

    def why_worst(self, totals: Array, corpus: Corpus) -> str:
        """Return that the texts are not split into words, or which order of n-grams makes the score 0."""
        why_unsplit = super().why_worst(totals, corpus)
        if why_unsplit:
            return why_unsplit
        zero = self._why_zero.orders(totals.tolist())
        return "" if zero is None else zero.reason

    @cached_property
    def _why_zero(self) -> WhyZero:
        """Finds why a score is 0 although words match."""
        return WhyZero(self, self._row, self._weightings)

    # Why a prediction has its score.

    def explained(self, batch: Corpus, context: Any = None) -> NgramMatches:
        """Explain a batch of one item, as a corpus of one: `segment_metric` explains it as a segment."""
        from tercet.explanation.ngrams import NgramMatches, ngram_fields, written_tokens

        # Shares of 1, and not percents divided: a perfect text is 100.00000000000004 in percent.
        as_share = self
        if self.scale != 1:
            as_share = self.with_options({"scale": 1}, may_be_idle=True)
        scores = as_share.report(self.corpus_totals(self.segment_stats(batch)), None)
        written = written_tokens(self, batch)
        documents = written.tokens.tokens.lists()
        orders = range(1, self.max_order + 1)
        return NgramMatches(
            **ngram_fields(documents, written.spelling, orders, written.as_written),
            score=scores["bleu"],
            brevity_penalty=scores["brevity_penalty"],
            precisions=scores["precisions"],
            length=scores["translation_length"],
            reference_length=float(scores["reference_length"]),
            signature=str(self.signature()),
        )

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds matched tokens: by their longest matched n-gram."""
        from tercet.explanation.explanation import NGRAM_LEVELS, Matched
        from tercet.explanation.ngrams import prediction_words, written_tokens

        orders = range(1, self.max_order + 1)
        return Matched(
            NGRAM_LEVELS[: self.max_order], lambda batch: prediction_words(written_tokens(self, batch), orders)
        )


def _as_list(sums: Array | list[float]) -> list[float]:
    """Return sums as floats of Python, which the short road has, and NumPy's arrays give."""
    if isinstance(sums, list):
        return sums
    as_list: list[float] = sums.tolist()
    return as_list
