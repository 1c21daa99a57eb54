"""``sacrebleu.metrics``: BLEU, CHRF and TER, with tercet's metrics behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from tercet.checks import one_of
from tercet.corpus.tokenizers import tokenizer_label
from tercet.metric.dialect import Dialect
from tercet.metric.metric import Metric as Suite
from tercet.metric.options import check_value
from tercet.metrics.bleu.metric import Bleu
from tercet.metrics.bleu.options import OF_SACREBLEU
from tercet.metrics.bleu.smoothing import percent_of_counts
from tercet.metrics.chrf.metric import Chrf
from tercet.metrics.ter.metric import Ter

from .sacrebleu_base import LOGGER, Metric, Streams
from .sacrebleu_scores import BLEUScore as BLEUScore
from .sacrebleu_scores import CHRFScore as CHRFScore
from .sacrebleu_scores import Score as Score
from .sacrebleu_scores import Signature as Signature
from .sacrebleu_scores import TERScore as TERScore
from .truth import truth

MAX_NGRAM_ORDER = 4


#: How the classes call the options of the suite's metrics, whose messages name them.
_DIALECTS = {
    Bleu: Dialect(Bleu.dialect("sacrebleu").options, {"tokenize": "tokenizer", "max_ngram_order": "max_order"}),
    Chrf: Dialect(Chrf.dialect("sacrebleu").options),
    Ter: Dialect(Ter.dialect("sacrebleu").options),
}

_TRUTHS = frozenset((
    "lowercase", "effective_order", "whitespace", "eps_smoothing", "normalized", "no_punct", "asian_support",
    "case_sensitive",
))  # fmt: skip


def _suite(cls: type[Suite], **options: Any) -> Suite:
    try:
        return _made(cls, **options)
    except TypeError:  # a value without a hash, which is refused by name
        return _made.__wrapped__(cls, **options)


@lru_cache(maxsize=128, typed=True)
def _made(cls: type[Suite], **options: Any) -> Suite:
    """Return a metric of the suite; making one takes longer than scoring a sentence."""
    for name, value in options.items():
        if name in _TRUTHS:
            options[name] = truth(cls.__name__.upper(), name, value)
        elif isinstance(value, bool):  # as a number
            options[name] = int(value)
    with _DIALECTS[cls].speaking():
        return cls.from_options(_DIALECTS[cls].to_options(options))


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
    _OF_LANGUAGE: ClassVar[Mapping[str, tuple[str, str]]] = {
        "zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean"),
    }  # fmt: skip

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
        best, language = self._OF_LANGUAGE.get(trg_lang, (self.TOKENIZER_DEFAULT, ""))
        self._tokenize = best if tokenize is None else check_value("BLEU", "tokenize", _TOKENIZERS, tokenize)
        if language and self._tokenize != best:
            LOGGER.warning("Consider using the '%s' or 'spm' tokenizer for %s.", best, language)
        label = tokenizer_label(self.tercet.tokenizer)
        self.tokenizer_signature = label.partition("[")[0]  # without the digest of a model
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
        check_value("BLEU", "smooth_method", _SMOOTH_METHODS, smooth_method)
        hits, ngrams = ([each[order] for order in range(max_ngram_order)] for each in (correct, total))
        score, precisions, penalty = percent_of_counts(
            hits, ngrams, sys_len, ref_len, method=smooth_method, value=smooth_value, effective=effective_order
        )
        if smooth_method == "add-k" and any(hits):  # as sacrebleu shows them
            value = 1 if smooth_value is None else smooth_value
            hits, ngrams = ([each[0], *[count + value for count in each[1:]]] for each in (hits, ngrams))
        return BLEUScore(score, hits, ngrams, precisions, penalty, sys_len, ref_len)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one hypothesis against its references; errors as :meth:`corpus_score`."""
        if not self.effective_order:
            LOGGER.warning("It is recommended to enable `effective_order` for sentence-level BLEU.")
        found: BLEUScore = super().sentence_score(hypothesis, references)
        return found

    @property
    def tercet(self) -> Any:
        """The metric of tercet that scores; its signature tells tercet's version."""
        return _suite(
            Bleu, lowercase=self.lowercase, tokenize=self._tokenize, smooth_method=self.smooth_method,
            smooth_value=self.smooth_value, max_ngram_order=self.max_ngram_order,
            effective_order=self.effective_order,
        )  # fmt: skip

    @property
    def _places(self) -> list[int]:
        columns, order = self.tercet.columns, int(self.max_ngram_order)
        length = columns.index("length")
        return [length, length + 1, *range(len(columns) - 2 * order, len(columns))]

    def _score(self, totals: list[float]) -> BLEUScore:
        order = int(self.max_ngram_order)
        length, reference_length, *counts = map(int, totals[self.tercet.columns.index("length") :])
        return self._of_counts(length, reference_length, counts[-2 * order : -order], counts[-order:])

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> BLEUScore:
        order = int(self.max_ngram_order)
        return self._of_counts(int(stats[0]), int(stats[1]), stats[2 : 2 + order], stats[2 + order :])

    def _of_counts(self, length: int, reference_length: int, hits: Sequence[Any], ngrams: Sequence[Any]) -> BLEUScore:
        return self.compute_bleu(
            hits, ngrams, length, reference_length, self.smooth_method, self.smooth_value, self.effective_order,
            int(self.max_ngram_order),
        )  # fmt: skip

    def _options(self) -> dict[str, Any]:
        names = ("lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order")
        return {**{name: getattr(self, name) for name in names}, "force": self._force, "tokenize": self._tokenize}

    def _signed(self) -> dict[str, tuple[str, Any]]:
        smooth, default = self.smooth_method, self.SMOOTH_DEFAULTS[self.smooth_method]
        if default is not None:
            smooth += f"[{default if self.smooth_value is None else self.smooth_value:.2f}]"
        return {
            "case": ("c", "lc" if self.lowercase else "mixed"),
            "eff": ("e", bool(self.effective_order)),
            "tok": ("tok", self.tokenizer_signature),
            "smooth": ("s", smooth),
        }


_TOKENIZERS, _SMOOTH_METHODS = one_of(*BLEU.TOKENIZERS), one_of(*BLEU.SMOOTH_DEFAULTS)


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
            Chrf, char_order=self.char_order, word_order=self.word_order, beta=self.beta, lowercase=self.lowercase,
            whitespace=self.whitespace, eps_smoothing=self.eps_smoothing,
        )  # fmt: skip

    @property
    def _places(self) -> list[int]:
        return [*range(len(Suite.base_columns), len(self.tercet.columns))]

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> CHRFScore:
        return self._score([0.0] * len(Suite.base_columns) + list(map(float, stats)))

    def _score(self, totals: list[float]) -> CHRFScore:
        return CHRFScore(self.tercet.finalize(totals)["chrf"], self.char_order, self.word_order, self.beta)

    def _options(self) -> dict[str, Any]:
        names = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        return {name: getattr(self, name) for name in names}

    def _signed(self) -> dict[str, tuple[str, Any]]:
        return {
            "case": ("c", "lc" if self.lowercase else "mixed"),
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
            Ter, normalized=self.normalized, no_punct=self.no_punct, asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )  # fmt: skip

    @property
    def _places(self) -> list[int]:
        return [*range(len(Suite.base_columns), len(self.tercet.columns))]

    def _row(self, counts: list[float]) -> list[Any]:
        edits, length = counts
        return [int(edits), length]

    def _compute_score_from_stats(self, stats: Sequence[Any]) -> TERScore:
        return self._score(list(stats))

    def _score(self, totals: list[float]) -> TERScore:
        edits, length = totals[-2:]
        return TERScore(self.tercet.finalize(totals)["ter"], edits, length)

    def _options(self) -> dict[str, Any]:
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
        return {name: getattr(self, name) for name in names}

    def _signed(self) -> dict[str, tuple[str, Any]]:
        return {
            "case": ("c", "mixed" if self.case_sensitive else "lc"),
            "tok": ("t", "tercom"),
            "norm": ("nr", self.normalized),
            "punct": ("pn", not self.no_punct),
            "asian": ("as", self.asian_support),
        }


METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
