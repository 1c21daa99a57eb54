"""``sacrebleu.metrics``: BLEU, CHRF and TER, with tercet's metrics behind."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MethodType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.base.dialects import Dialect
from tercet.base.metric import Metric as Suite
from tercet.base.options import check_value
from tercet.base.scoring import batch_stats
from tercet.base.short_road import scored_by_plan, warn_of_lists
from tercet.corpus.items import read_items
from tercet.corpus.tokenizers import tokenizer_label
from tercet.errors import InputError, OptionError, word_after
from tercet.metrics.bleu.metric import Bleu
from tercet.metrics.bleu.options import OF_SACREBLEU
from tercet.metrics.chrf import Chrf
from tercet.metrics.ter import Ter
from tercet.option_checks import flag, one_of
from tercet.statistics.resampled_scores import resampled_totals
from tercet.statistics.stats import SegmentStats

from .originals import original_of
from .sacrebleu_scores import BLEUScore as BLEUScore
from .sacrebleu_scores import CHRFScore as CHRFScore
from .sacrebleu_scores import Score, Signature, bleu_of_counts
from .sacrebleu_scores import TERScore as TERScore
from .truth_values import truth

# What BLEU, CHRF and TER of sacrebleu share: streams of references, checked, turned to items, and scored.

#: sacrebleu's: what silences that goes on to silence this.
LOGGER = logging.getLogger("sacrebleu")

Streams = Sequence[Sequence[str | None]]

_TOKENIZED = 100  # lines that end in " ."

_NO_REFERENCES = "No references provided and the cache is empty."

#: The methods that classes of programs may change.
_CHANGED = (
    "_preprocess_segment", "_extract_reference_info", "_compute_segment_statistics", "_cache_references",
    "_compute_score_from_stats", "_aggregate_and_compute",
)  # fmt: skip

#: What else a metric of sacrebleu has.
_ATTRIBUTES = (
    "tokenizer", "order", "_get_closest_ref_len", "_get_match_statistics", "_remove_punctuation", "_compute_f_score",
    "_PUNCTS", "_SIGNATURE_TYPE",
)  # fmt: skip

_LET_PASS = "(To score them as sacrebleu does, set check_shapes = False on the metric or its class.)"

S = TypeVar("S", bound=Score)


class ReferencesByItem(NamedTuple):
    """References item by item, how many each item has (-1 if that differs), and how long their streams were."""

    items: list[Any]
    number: int
    lengths: list[int]


def by_item(streams: Streams) -> ReferencesByItem:
    """Return the references of each item; None in a stream stands for no reference."""
    lengths = [len(stream) for stream in streams]
    holes = any(None in list(stream) for stream in streams)
    if len(streams) == 1 and not holes:
        return ReferencesByItem(list(streams[0]), 1, lengths)
    # As many items as the shortest stream has: check_lengths refuses unequal ones.
    items: list[tuple[Any, ...]] = list(zip(*streams, strict=False))
    if not holes:
        return ReferencesByItem(items, len(streams), lengths)
    filled_items = [_without_holes(item) for item in items]
    numbers = set(map(len, filled_items))
    number = numbers.pop() if len(numbers) == 1 else -1
    return ReferencesByItem(filled_items, number, lengths)


def _without_holes(references: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([text for text in references if text is not None])


def check_sentence(metric: str, hypothesis: Any, references: Any) -> None:
    """Raise sacrebleu's errors for a sentence and its references."""
    if not isinstance(hypothesis, str):
        raise TypeError(f"{metric}: The argument `hyp` should be a string.")
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise TypeError(f"{metric}: The argument `refs` should be a sequence of strings.")
    _check_filled(metric, references, "refs")
    if not _is_text(references[0]):
        raise TypeError(f"{metric}: Each element of `refs` should be a string.")


def check_hypotheses(metric: str, hypotheses: Any, shape: bool) -> None:
    """Raise sacrebleu's errors for hypotheses; with `shape`, an InputError for a text, of which it scores letters."""
    if not isinstance(hypotheses, Sequence):
        raise TypeError(f"{metric}: `hyps` should be a sequence of strings.")
    if shape and isinstance(hypotheses, str):
        raise InputError(
            f"{metric}: hypotheses are one text, but must be a list: give [hypothesis], or call sentence_score. "
            f"{_LET_PASS}"
        )
    _check_filled(metric, hypotheses, "hyps")
    if not isinstance(hypotheses[0], str):
        raise TypeError(f"{metric}: Each element of `hyps` should be a string.")
    if None in list(hypotheses):
        raise TypeError(f"{metric}: Undefined line in hypotheses stream!")


def check_streams(metric: str, references: Any, shape: bool) -> None:
    """Raise sacrebleu's errors for references; with `shape`, an InputError for texts instead of streams."""
    if not isinstance(references, Sequence):
        raise TypeError(f"{metric}: `refs` should be a sequence of sequence of strings.")
    _check_filled(metric, references, "refs")
    if not isinstance(references[0], Sequence):
        raise TypeError(f"{metric}: Each element of `refs` should be a sequence of strings.")
    if shape and any(isinstance(stream, str) for stream in references):
        raise InputError(
            f"{metric}: references are texts, but must be streams, which are lists with one text for each "
            f"hypothesis. For one reference each, give [references]. {_LET_PASS}"
        )
    if len(references[0]) and not _is_text(references[0][0]):
        raise TypeError(f"{metric}: `refs` should be a sequence of sequence of strings.")


def check_lengths(metric: str, n_hypotheses: int, lengths: list[int]) -> None:
    """Raise an InputError for streams of another length than the hypotheses: sacrebleu drops what is too much."""
    if lengths.count(n_hypotheses) == len(lengths):
        return
    if len(lengths) == n_hypotheses:
        advice = "list(zip(*references))"
        if len(set(lengths)) > 1:
            advice = "list(itertools.zip_longest(*references)), which has None where there is no further reference"
        raise InputError(
            f"{metric}: the references look transposed, with a list for each hypothesis. They must be streams, which "
            f"are lists with one text for each hypothesis: give {advice}. {_LET_PASS}"
        )
    for index, length in enumerate(lengths):
        if length != n_hypotheses:
            texts = word_after(length, "text", "texts")
            hypotheses = word_after(n_hypotheses, "hypothesis", "hypotheses")
            raise InputError(
                f"{metric}: each stream of references must have one text for each hypothesis. Got {length:,} {texts} "
                f"in references[{index}], for {n_hypotheses:,} {hypotheses}. {_LET_PASS}"
            )


def _check_filled(metric: str, values: Sequence[Any], name: str) -> None:
    if not len(values):
        raise IndexError(f"{metric}: `{name}` must have at least one entry.")


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


class Metric(ABC, Generic[S]):
    """What BLEU, CHRF and TER share.

    Attributes
    ----------
    check_shapes : bool
        Whether to refuse references that are not stream by stream, or not as many as the hypotheses. sacrebleu scores
        as many items as the shortest list has, and says nothing. So does an object, a class such as ``BLEU``, or all
        of them with ``Metric``, where this is set to False.
    """

    check_shapes = True
    _force = True

    def __init__(self, references: Streams | None) -> None:
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._ref_cache: ReferencesByItem | None = None
        self._streams = references
        _ = self.tercet  # refuses wrong options
        if references is not None:
            self._ref_cache = self._read(references)

    @property
    @abstractmethod
    def tercet(self) -> Suite:
        """The metric of tercet that scores; its signature tells tercet's version."""

    @abstractmethod
    def _score(self, totals: NDArray[np.float64]) -> S:
        """Return the score of sums of the suite's rows."""

    @property
    def _columns(self) -> list[int]:
        """The columns of the suite's rows that sacrebleu's have, in its order: those that not every metric has."""
        return list(range(len(Suite.base_columns), len(self.tercet.columns)))

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> S:
        """Return the score of sums of sacrebleu's rows."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """Return the options as arguments of the class, but for references."""

    @abstractmethod
    def _signature_entries(self) -> dict[str, tuple[str, Any]]:
        """Return the own entries of the signature: short names and values."""

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> S:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of sequences of str, optional
            Streams: lists with one reference of each hypothesis, and None where it has no further one. None
            stands for the references that the metric was made with.
        n_bootstrap : int
            If above 1, add the mean and the interval of so many resamples. The draws are sacrebleu's, by the seed in
            ``SACREBLEU_SEED``; it sums them in single precision, so both may differ from the sixth digit on.

        Raises
        ------
        TypeError, IndexError, RuntimeError
            As in sacrebleu.
        InputError
            For texts of another shape (see `check_shapes`), and for an item without reference.
        """
        if self._is_changed():
            changed_rows = self._extract_corpus_statistics(hypotheses, references)
            score = self._aggregate_and_compute(changed_rows)
            rows = np.array(changed_rows, np.float64)
        else:
            stats = self._stats(hypotheses, references)
            score = self._score(stats.total())
            rows = stats.rows
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            # sacrebleu's variable, and its default.
            self.seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
            seed: Any = np.random.SeedSequence().entropy if self.seed == "none" else int(self.seed)
            [totals] = resampled_totals([rows], n_bootstrap, seed)
            if self._is_changed():
                scores = np.array([self._compute_score_from_stats(row).score for row in totals])
            else:
                scores = self.tercet.finalize(totals)[self.tercet.primary]
            score.keep_interval(scores)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> S:
        """Score one hypothesis against its references; errors as :meth:`corpus_score`."""
        self._check_sentence_score_args(hypothesis, references)
        if self._is_changed():
            return self._aggregate_and_compute(self._changed_rows([hypothesis], [[text] for text in references]))
        texts = [text for text in references if text is not None]
        self.num_refs = len(texts)
        items: list[Any] = texts if len(texts) == 1 else [texts]  # a text alone is read faster
        scored = scored_by_plan(self.tercet, [hypothesis], items)
        if scored is not None:
            if scored.needs_look:
                warn_of_lists(self.tercet, scored, "hypotheses")
            return self._score(np.array(scored.sums))
        return self._score(self._rows([hypothesis], items).total())

    def get_signature(self) -> Signature:
        """Return what sacrebleu prints behind the score, with its version; tercet's is in ``tercet.signature()``."""
        return Signature(vars(self), self._signature_entries())

    def _read(self, references: Streams) -> ReferencesByItem:
        check_streams(type(self).__name__, references, self.check_shapes)
        references_by_item = by_item(references)
        self.num_refs = references_by_item.number
        return references_by_item

    def _stats(self, hypotheses: Sequence[str], references: Streams | None) -> SegmentStats:
        check_hypotheses(type(self).__name__, hypotheses, self.check_shapes)
        references_by_item = self._ref_cache if references is None else self._read(references)
        if references_by_item is None:
            raise RuntimeError(_NO_REFERENCES)
        texts = list(hypotheses)
        items = references_by_item.items
        if self.check_shapes:
            check_lengths(type(self).__name__, len(texts), references_by_item.lengths)
        elif len(texts) != len(items):
            n_items = min(len(texts), len(items))
            texts = texts[:n_items]
            items = items[:n_items]
        if not self._force and len(texts) >= _TOKENIZED:
            _warn_of_tokens(texts)
        return self._rows(texts, items)

    def _rows(self, texts: list[str], items: list[Any]) -> SegmentStats:
        corpus = read_items(texts, items, "hypotheses")
        if corpus.missing:
            raise InputError(f"{type(self).__name__}: item {corpus.missing[0]} of references has only None.")
        return batch_stats(self.tercet, corpus)

    # Called by programs that resample by themselves, or derive a metric: rows are those of sacrebleu.

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        check_sentence(type(self).__name__, hyp, refs)

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        check_hypotheses(type(self).__name__, hyps, self.check_shapes)
        if refs is not None:
            check_streams(type(self).__name__, refs, self.check_shapes)

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: Streams | None) -> list[list[Any]]:
        if self._is_changed():
            self._check_corpus_score_args(hypotheses, references)
            return self._changed_rows(hypotheses, references)
        rows = self._stats(hypotheses, references).rows[:, self._columns].tolist()
        return [self._row(counts) for counts in rows]

    def _row(self, counts: list[float]) -> list[Any]:
        return list(map(int, counts))

    def _aggregate_and_compute(self, stats: Sequence[Sequence[Any]]) -> S:
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def _preprocess_segment(self, sent: str) -> str:
        return self._as_there("_preprocess_segment", sent)  # type: ignore[no-any-return]

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return self._as_there("_extract_reference_info", refs)  # type: ignore[no-any-return]

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[Any]:
        return self._as_there("_compute_segment_statistics", hypothesis, ref_kwargs)  # type: ignore[no-any-return]

    def _cache_references(self, references: Streams) -> list[Any]:
        return self._as_there("_cache_references", references)  # type: ignore[no-any-return]

    def _is_changed(self) -> bool:
        """Whether a class of a program has methods of its own below a score: they count, as in sacrebleu."""
        return _changes(type(self))

    def _changed_rows(self, hypotheses: Sequence[str], references: Streams | None) -> list[list[Any]]:
        streams = self._streams if references is None else references
        if streams is None:
            raise RuntimeError(_NO_REFERENCES)
        if self.check_shapes:
            check_lengths(type(self).__name__, len(hypotheses), [len(stream) for stream in streams])
        rows = []
        for text, info in zip(hypotheses, self._cache_references(streams), strict=False):
            rows.append(self._compute_segment_statistics(self._preprocess_segment(text), info))
        return rows

    def _as_there(self, method: str, *arguments: Any) -> Any:
        return getattr(type(self._there()), method)(self, *arguments)

    def _there(self) -> Any:
        """Return sacrebleu's own metric, with the options of this one."""
        return _metric_there(_drop_in(type(self)).__name__, **self._options())

    def __getattr__(self, name: str) -> Any:
        """Return what only sacrebleu's metric has, such as `tokenizer`."""
        if name not in _ATTRIBUTES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            value = getattr(self._there(), name)
        except OptionError:  # sacrebleu is not installed
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None
        if isinstance(value, MethodType):
            return MethodType(value.__func__, self)
        return value


def _drop_in(cls: type) -> type:
    return next(ancestor for ancestor in cls.__mro__ if ancestor.__module__ == f"{__package__}.sacrebleu_metrics")


@lru_cache(maxsize=128)
def _changes(cls: type) -> bool:
    drop_in = _drop_in(cls)
    return any(getattr(cls, name) is not getattr(drop_in, name) for name in _CHANGED)


@lru_cache(maxsize=32, typed=True)
def _metric_there(name: str, **options: Any) -> Any:
    module = original_of("sacrebleu.metrics")
    if module is None:
        raise OptionError(
            f"{name}: methods for single segments, such as _preprocess_segment, are sacrebleu's, which is not "
            'installed: pip install "sacrebleu>=2".'
        )
    return getattr(module, name)(**options)


def _warn_of_tokens(texts: Sequence[str]) -> None:
    if sum([text.endswith(" .") for text in texts]) >= _TOKENIZED:
        LOGGER.warning("That's %d lines that end in a tokenized period ('.')", _TOKENIZED)
        LOGGER.warning("It looks like you forgot to detokenize your test data, which may hurt your score.")
        LOGGER.warning(
            "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` "
            "parameter."
        )


MAX_NGRAM_ORDER = 4


#: How the classes call the options of the suite's metrics, whose messages name them.
_DIALECTS = {
    Bleu: Dialect(Bleu.dialect("sacrebleu").options, {"tokenize": "tokenizer", "max_ngram_order": "max_order"}),
    Chrf: Dialect(Chrf.dialect("sacrebleu").options),
    Ter: Dialect(Ter.dialect("sacrebleu").options),
}


def _suite(cls: type[Suite], **options: Any) -> Suite:
    try:
        return _made(cls, **options)
    except TypeError:
        # A value without a hash, which is refused by name.
        return _made.__wrapped__(cls, **options)


@lru_cache(maxsize=128, typed=True)
def _made(cls: type[Suite], **options: Any) -> Suite:
    """Return a metric of the suite; making one takes longer than scoring a sentence."""
    called = cls.__name__.upper()
    checks = cls.checks()
    for name, value in options.items():
        if checks.get(name) is flag:
            options[name] = truth(called, name, value)
        elif isinstance(value, bool):  # as a number
            options[name] = int(value)
    with _DIALECTS[cls].speaking():
        return cls.from_options(_DIALECTS[cls].to_options(options), called=called)


class BLEU(Metric[BLEUScore]):
    """``sacrebleu.BLEU``.

    Examples
    --------
    >>> bleu = BLEU(lowercase=True)
    >>> bleu.corpus_score(["The cat sat on the mat."], [["the cat sat on a mat."]])
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> bleu.get_signature()
    nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0
    """

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZERS = (*OF_SACREBLEU, "spm")
    TOKENIZER_DEFAULT = "13a"
    _TOKENIZER_OF_LANGUAGE: ClassVar[Mapping[str, tuple[str, str]]] = {
        "zh": ("zh", "Chinese"),
        "ja": ("ja-mecab", "Japanese"),
        "ko": ("ko-mecab", "Korean"),
    }

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        self.lowercase = lowercase
        self.smooth_method = check_value("BLEU", "smooth_method", _SMOOTH_METHODS, smooth_method)
        self.smooth_value = smooth_value
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        self.trg_lang = trg_lang
        self._force = force
        best, language = self._TOKENIZER_OF_LANGUAGE.get(trg_lang, (self.TOKENIZER_DEFAULT, ""))
        self._tokenize = best if tokenize is None else check_value("BLEU", "tokenize", _TOKENIZERS, tokenize)
        if language and self._tokenize != best:
            LOGGER.warning("Consider using the '%s' or 'spm' tokenizer for %s.", best, language)
        label = tokenizer_label(self.tercet.tokenizer)
        # Without the digest of a model.
        self.tokenizer_signature = label.partition("[")[0]
        super().__init__(references)

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Return the BLEU of counts from elsewhere: matches and n-grams of each order, and both lengths.

        Unlike sacrebleu it does not change the counts that it is given.
        """
        method = str(check_value("BLEU", "smooth_method", _SMOOTH_METHODS, smooth_method))
        hits = [correct[order] for order in range(max_ngram_order)]
        ngrams = [total[order] for order in range(max_ngram_order)]
        bleu = bleu_of_counts(
            hits, ngrams, sys_len, ref_len, method=method, value=smooth_value, effective=effective_order
        )
        if method == "add-k" and any(hits):
            # As sacrebleu shows them: with what is added to all orders but the first.
            value = 1 if smooth_value is None else smooth_value
            for order in range(1, max_ngram_order):
                hits[order] += value
                ngrams[order] += value
        return BLEUScore(
            score=bleu.score,
            counts=hits,
            totals=ngrams,
            precisions=bleu.precisions,
            bp=bleu.penalty,
            sys_len=sys_len,
            ref_len=ref_len,
        )

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one hypothesis against its references; errors as :meth:`corpus_score`."""
        if not self.effective_order:
            LOGGER.warning("It is recommended to enable `effective_order` for sentence-level BLEU.")
        score: BLEUScore = super().sentence_score(hypothesis, references)
        return score

    @property
    def tercet(self) -> Any:
        """The metric of tercet that scores; its signature tells tercet's version."""
        return _suite(
            Bleu,
            lowercase=self.lowercase,
            tokenize=self._tokenize,
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            max_ngram_order=self.max_ngram_order,
            effective_order=self.effective_order,
        )

    @property
    def _columns(self) -> list[int]:
        columns = self.tercet.columns
        length = columns.index("length")
        first_count = len(columns) - 2 * int(self.max_ngram_order)
        return [length, length + 1, *range(first_count, len(columns))]

    def _score(self, totals: NDArray[np.float64]) -> BLEUScore:
        order = int(self.max_ngram_order)
        length, reference_length, *counts = map(int, totals[self.tercet.columns.index("length") :].tolist())
        return self._score_counts(length, reference_length, counts[-2 * order : -order], counts[-order:])

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> BLEUScore:
        order = int(self.max_ngram_order)
        length, reference_length, *counts = stats
        return self._score_counts(int(length), int(reference_length), counts[:order], counts[order:])

    def _score_counts(
        self, length: int, reference_length: int, hits: Sequence[Any], ngrams: Sequence[Any]
    ) -> BLEUScore:
        return self.compute_bleu(
            hits,
            ngrams,
            length,
            reference_length,
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=int(self.max_ngram_order),
        )

    def _options(self) -> dict[str, Any]:
        names = ("lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order")
        options = {name: getattr(self, name) for name in names}
        options["force"] = self._force
        options["tokenize"] = self._tokenize
        return options

    def _signature_entries(self) -> dict[str, tuple[str, Any]]:
        smooth = self.smooth_method
        default = self.SMOOTH_DEFAULTS[smooth]
        if default is not None:
            value = default if self.smooth_value is None else self.smooth_value
            smooth += f"[{value:.2f}]"
        return {
            "case": ("c", _case(self.lowercase)),
            "eff": ("e", bool(self.effective_order)),
            "tok": ("tok", self.tokenizer_signature),
            "smooth": ("s", smooth),
        }


def _case(is_lowercased: Any) -> str:
    """Return the word of a signature for whether texts are lowercased."""
    if is_lowercased:
        return "lc"
    return "mixed"


_TOKENIZERS = one_of(*BLEU.TOKENIZERS)
_SMOOTH_METHODS = one_of(*BLEU.SMOOTH_DEFAULTS)


class CHRF(Metric[CHRFScore]):
    """``sacrebleu.CHRF``.

    Examples
    --------
    >>> CHRF(word_order=2).sentence_score("The cat sat on the mat.", ["The cat sat on a mat."])
    chrF2++ = 72.66
    """

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        super().__init__(references)

    @property
    def tercet(self) -> Any:
        """The metric of tercet that scores; its signature tells tercet's version."""
        return _suite(
            Chrf,
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> CHRFScore:
        return self._score(np.array([0.0] * len(Suite.base_columns) + list(map(float, stats))))

    def _score(self, totals: NDArray[np.float64]) -> CHRFScore:
        return CHRFScore(float(self.tercet.finalize(totals)["chrf"]), self.char_order, self.word_order, self.beta)

    def _options(self) -> dict[str, Any]:
        names = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        return {name: getattr(self, name) for name in names}

    def _signature_entries(self) -> dict[str, tuple[str, Any]]:
        return {
            "case": ("c", _case(self.lowercase)),
            "eff": ("e", not self.eps_smoothing),
            "nc": ("nc", self.char_order),
            "nw": ("nw", self.word_order),
            "space": ("s", bool(self.whitespace)),
        }


class TER(Metric[TERScore]):
    """``sacrebleu.TER``.

    Examples
    --------
    >>> TER().corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]])
    TER = 16.67
    """

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        super().__init__(references)

    @property
    def tercet(self) -> Any:
        """The metric of tercet that scores; its signature tells tercet's version."""
        return _suite(
            Ter,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def _row(self, counts: list[float]) -> list[Any]:
        edits, length = counts
        return [int(edits), length]

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> TERScore:
        return self._score(np.array([0.0] * len(Suite.base_columns) + list(stats)))

    def _score(self, totals: NDArray[np.float64]) -> TERScore:
        edits, length = totals[-2:].tolist()
        return TERScore(float(self.tercet.finalize(totals)["ter"]), edits, length)

    def _options(self) -> dict[str, Any]:
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
        return {name: getattr(self, name) for name in names}

    def _signature_entries(self) -> dict[str, tuple[str, Any]]:
        return {
            "case": ("c", _case(not self.case_sensitive)),
            "tok": ("t", "tercom"),
            "norm": ("nr", self.normalized),
            "punct": ("pn", not self.no_punct),
            "asian": ("as", self.asian_support),
        }


METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
