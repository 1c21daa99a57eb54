"""BLEU (Papineni et al. 2002): one pass over the texts, any number of weightings, smoothings and length rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing
from tercet.corpus.stems import check_word_options, map_words, word_map
from tercet.corpus.subword_models import is_subword_model
from tercet.corpus.texts import READINGS, lowered, of_texts
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.ragged import TokenBatch
from tercet.errors import OptionError
from tercet.metric.lengths import brevity_penalty
from tercet.metric.rows import PairRows, left_out
from tercet.metric.scorer import Scorer, Scores
from tercet.signature import Signature
from tercet.statistics.either import Either, as_floats, column, columns, quotient, stacked, where
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import explain_batch, matched
from .grid import Grid, score_weightings
from .messages import facts_line, no_resamples, zero_warning
from .options import (
    DIALECTS,
    PRESETS,
    REFERENCE_LENGTHS,
    BleuOptions,
    check_smoothing,
    interpretation,
    smoothing_methods,
)
from .rows import rows_of_pairs, rows_of_tokens
from .signature import bleu_signature
from .smoothing import ADD_ONE, Counts, geometric_mean, nltk_precisions, precisions, sentence_percents

Array = NDArray[np.float64]

#: The columns of the length of the prediction, of the reference lengths, and the first one of matches.
_LENGTH = len(Scorer.base_columns)

_PLACES = {rule: _LENGTH + 1 + number for number, rule in enumerate(REFERENCE_LENGTHS)}

_FIRST_MATCH = _LENGTH + 1 + len(REFERENCE_LENGTHS)


class Bleu(BleuOptions):
    """BLEU: the n-grams that predictions share with their references.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(scale=100)
    >>> result = bleu(["The cat sat on a mat."], [["The cat sat on the mat.", "A cat was sitting on a mat."]])
    >>> round(result["bleu"], 1)
    79.5
    """

    # A row holds the base columns, the tokens of the prediction, the three reference lengths, and for each order
    # the clipped matches and the n-grams of the prediction.

    name = "bleu_multi"
    short = "bleu"
    about = ABOUT
    takes_systems = True
    title = "BLEU"
    primary = "bleu"
    in_floats = True
    presets = PRESETS
    dialects = DIALECTS
    replaces = (("bleu", "evaluate"), ("sacrebleu", "sacrebleu"))
    facts = (
        *("translation_length", "reference_length", "length_ratio", "brevity_penalty", "precisions"),
        *("counts", "totals"),
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        check_word_options(self)
        super().check()
        check_smoothing(self)
        self._method, *self._grid_methods = smoothing_methods(self)
        self._segment_method = "exp" if self._method == "none" else self._method
        methods = {self._method, *self._grid_methods}
        self._by_nltk = self.compat == "nltk" or self._method.startswith("nltk")
        self._lowercase = self.lowercase or self.stemmer is not None or self.lemmatizer is not None
        self._nltk_columns = self._by_nltk or any(method.startswith("nltk") for method in methods)
        self._next_columns = bool({"nltk5", "nltk7"} & methods)
        self._weightings = score_weightings(self)
        self._grid = Grid(self, self._grid_methods) if self.grid is not None else None

    @property
    def original_scale(self) -> int:  # type: ignore[override]
        """The scale of the package that the scores equal: evaluate and NLTK have 1."""
        return 100 if self.compat in (None, "sacrebleu") else 1

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        orders = range(1, self.max_order + 1)
        names = [*self.base_columns, "length", *REFERENCE_LENGTHS]
        names += [f"match{n}" for n in orders] + [f"total{n}" for n in orders]
        if self._nltk_columns:
            names += [f"floor{n}" for n in orders]
        if self._next_columns:
            names += ["next_match", "next_floor"]
        return tuple(names)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Matches are some of the n-grams, of which there are no more than tokens."""
        orders = range(1, self.max_order + 1)
        matches = ((f"match{n}", f"total{n}") for n in orders)
        totals = (f"total{n}" for n in reversed(orders))
        return (*matches, (*totals, "length"), ("length", "total1"), ("shortest", "closest"), ("shortest", "average"))

    @property
    def score_names(self) -> tuple[str, ...]:
        """``bleu`` and one ``bleu_<name>`` for each named weighting."""
        return tuple(self._weightings)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        return bleu_signature(self.name, self, self._method, self._lowercase)

    @property
    def needs_blanks(self) -> bool:
        """Whether the tokenizer splits at blanks, and was not chosen by another package."""
        return self.compat is None and super().needs_blanks

    def score_warning(self, totals: Either) -> str | None:
        """Return a warning when the score is 0 only because an order has no match."""
        smoothed = self._method != "none"
        if smoothed and (self._by_nltk or self._method in (ADD_ONE, "add-k")):  # which no corpus is too short for
            return None
        totals = as_floats(totals)
        if min(totals[_FIRST_MATCH : _FIRST_MATCH + self.max_order]) > 0:  # as of most corpora
            return None
        return zero_warning(self._counts(totals), self._used, self.effective_order, self.compat, smoothed)

    @cached_property
    def _used(self) -> list[bool]:
        """Whether an order has a weight, in the named weightings if there are any."""
        asked = list(self._weightings.values())[isinstance(self.weights, Mapping) :]
        return [any(weights) for weights in zip(*asked, strict=True)]

    @cached_property
    def _reading(self) -> str | None:
        """How the engine tokenizes raw texts; None if it cannot."""
        plain = (
            isinstance(self.tokenizer, str)
            and not self._nltk_columns
            and self.stemmer is None
            and self.lemmatizer is None
        )
        return self._tokenizer if plain and self._tokenizer in READINGS else None

    @property
    def _tokenizer(self) -> Any:
        return "13a-unstripped" if self.compat == "evaluate" and self.tokenizer == "13a" else self.tokenizer

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the tokens."""
        if self._reading is not None:
            texts = lowered(batch) if self._lowercase else batch
            rows: Array = of_texts(texts, engine.bleu_rows, self._reading, self.max_order)
        else:
            tokens, _ = self.tokens(batch)
            base = self.base_rows(batch, tokens.tokens.lengths[: tokens.n_items])
            rows = rows_of_tokens(base, tokens, self.max_order, self._nltk_columns, self._next_columns)
        if self.missing_references == "skip" and not batch.one_each:
            rows[left_out(rows), len(self.base_columns) :] = 0.0
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)
        options = self.max_order, self._nltk_columns, self._next_columns
        return lambda texts, references: rows_of_pairs(tokens.crossed(texts, references), *options)

    def tokens(self, batch: Corpus, as_written: bool = False) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that gives the different ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokens, words = tokenize(batch, self._tokenizer, lowercase=self._lowercase)
        mapping = None if as_written else word_map(self)
        return (tokens, words) if mapping is None else map_words(tokens, words(), mapping)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows; NLTK shows its methods 5 to 7 the last segment in place of the corpus."""
        if self.compat != "nltk" or not len(stats):
            return super().corpus_totals(stats)
        totals, last = stats.total(), stats.rows[stats.column("items") > 0][-1]
        borrowed = ["next_match", "next_floor"] if self._next_columns else []
        if "nltk6" in (self._method, *self._grid_methods):  # the only one to read them
            borrowed += [name for name in stats.columns if name.startswith("total")]
        for name in borrowed:
            totals[stats.columns.index(name)] = last[stats.columns.index(name)]
        return totals

    def check_resampling(self) -> None:
        """Raise an OptionError for NLTK's methods that see the last segment: a resample has no last one."""
        if self.compat == "nltk" and self._method in ("nltk5", "nltk6", "nltk7"):
            raise OptionError(no_resamples(self._method))

    def _counts(self, totals: Either) -> Counts:
        order, first = self.max_order, _FIRST_MATCH
        floors = next_matches = next_floors = None
        if self._nltk_columns:
            floors = columns(totals, first + 2 * order, first + 3 * order)
        if self._next_columns:
            next_matches, next_floors = column(totals, -2), column(totals, -1)
        matches, ngrams = columns(totals, first, first + order), columns(totals, first + order, first + 2 * order)
        return Counts(matches, ngrams, column(totals, _LENGTH), floors, next_matches, next_floors)

    def _combined(
        self, totals: Either, method: str, rule: str, weightings: Mapping[str, Any], effective: bool
    ) -> tuple[list[Either], Either, dict[str, Either]]:
        """Return the precisions of one smoothing method, the penalty of one length rule, and the scores of both."""
        counts, value = self._counts(totals), self.smooth_value
        reference_length = column(totals, _PLACES[rule])
        penalty = brevity_penalty(counts.length, reference_length)
        scored = counts.matches[0] > 0
        by_nltk = method.startswith("nltk") or self.compat == "nltk"
        if by_nltk:
            smoothed, reached = nltk_precisions(counts, method, value), None
        else:
            smoothed, reached = precisions(counts, method, value)
        orders = reached if effective else None
        means = {name: geometric_mean(smoothed, each, orders, by_nltk) for name, each in weightings.items()}
        if method == ADD_ONE:  # gives words without a match a score, but not nothing
            references = column(totals, self.base_columns.index("references"))
            scored = (counts.length > 0) & (reference_length > 0) & (references > 0)
        factor = self.scale * penalty
        return smoothed, penalty, {name: factor * where(scored, mean, 0.0) for name, mean in means.items()}

    def finalize(self, totals: Either) -> Scores:
        """Return BLEU under every weighting, the precisions, and the parts of the brevity penalty."""
        return self._scores(totals, self._method, self.effective_order)

    def scores_of(self, totals: Either) -> Scores:
        """Return BLEU under every weighting, in two thirds of the time of `finalize`."""
        rule, effective = self.reference_length, self.effective_order
        return self._combined(totals, self._method, rule, self._weightings, effective)[2]

    @property
    def segment_rule(self) -> str | None:
        """How the scores of segments are made, where that differs from the corpus."""
        return None if self._by_nltk else f"{self._segment_method},eff"

    @property
    def segment_options(self) -> dict[str, Any]:
        """Effective order, and exp smoothing where the corpus has none: see `segment_scores`."""
        if self._by_nltk:
            return {}
        smoothed = {"smooth_method": self._segment_method} if self._method == "none" else {}
        return {**smoothed, "effective_order": True}

    def segment_scores(self, rows: Either) -> Scores:
        """Return the BLEU of single segments as sacrebleu: effective order, exp smoothing if the corpus has none."""
        if self._by_nltk:
            return self.finalize(rows)
        return self._combined(rows, self._segment_method, self.reference_length, self._weightings, True)[2]

    def original_scores(self, rows: Array) -> Scores:
        """Return the BLEU of single segments, of uniform weights in percent by the steps of sacrebleu."""
        if self.scale != 100 or self.weights is not None or self._by_nltk or self._segment_method == ADD_ONE:
            return self.segment_scores(rows)
        lengths = rows[:, _PLACES[self.reference_length]]
        return {"bleu": sentence_percents(self._counts(rows), lengths, self._segment_method, self.smooth_value)}

    def _scores(self, totals: Either, method: str, effective: bool) -> Scores:
        rule = self.reference_length
        smoothed, penalty, scores = self._combined(totals, method, rule, self._weightings, effective)
        length, reference_length, scale = column(totals, _LENGTH), column(totals, _PLACES[rule]), self.scale
        return {
            **scores,
            "precisions": stacked([scale * each for each in smoothed]),
            "brevity_penalty": penalty,
            "length_ratio": quotient(length, reference_length),
            "translation_length": length,
            "reference_length": reference_length,
        }

    def report(self, totals: Either, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the keys of evaluate's bleu, a key for each named weighting, and the grid on request."""
        totals = as_floats(totals)
        entries: dict[str, Any] = self.finalize(totals)
        entries["translation_length"] = int(entries["translation_length"])
        if self.reference_length != "average":
            entries["reference_length"] = int(entries["reference_length"])
        if self._grid is not None:
            entries["grid"] = self._grid.rows(partial(self._combined, totals, effective=self.effective_order))
        return entries

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the counts behind the precisions, and the interpretation of the score."""
        order = self.max_order
        counts = list(map(int, totals[_FIRST_MATCH : _FIRST_MATCH + 2 * order]))
        return {
            "counts": counts[:order],
            "totals": counts[order:],
            "interpretation": interpretation(entries["bleu"] * 100 / self.scale) if self._is_usual else None,
        }

    def facts_line(self, known: Mapping[str, Any]) -> str:
        """Return the line that sacrebleu prints, in percent."""
        return facts_line(known, self.scale)

    @cached_property
    def _is_usual(self) -> bool:
        """Whether this is the BLEU that the bands of `interpretation` speak of: words, four orders, equal weights."""
        usual_weights = self.weights is None or isinstance(self.weights, Mapping)
        words = self.tokenizer != "char" and not is_subword_model(self.tokenizer)
        return words and usual_weights and self.max_order == 4 and self._method not in ("nltk5", "nltk7")

    explained = explain_batch
    matched = matched
