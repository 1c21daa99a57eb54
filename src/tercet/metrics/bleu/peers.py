"""The packages that BLEU is explained against, and their rules without an option."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from tercet.metric.peers import Lists, Peer, Peers, Rule, UnavailableError, by_sacrebleu
from tercet.statistics.stats import SegmentStats

from .metric import Bleu
from .smoothing import SMOOTH_VALUES


def _metrics(sacrebleu: Any, scorer: Any) -> dict[str, Any]:
    o = scorer
    return {
        "bleu": sacrebleu.BLEU(
            lowercase=o.lowercase, tokenize=o.tokenizer, smooth_method=o.smooth_method, smooth_value=o.smooth_value,
            max_ngram_order=o.max_order, effective_order=o.effective_order,
        )
    }  # fmt: skip


def _by_evaluate(predictions: Sequence[str], references: Lists, scorer: Any) -> dict[str, float]:
    import evaluate

    try:
        module = evaluate.load("bleu")
    except Exception as error:
        kind = type(error).__name__
        raise UnavailableError(
            f"evaluate.load('bleu') finds it neither on the Hub nor in its cache ({kind})"
        ) from error
    o = scorer
    texts = {"predictions": list(predictions), "references": [list(each) for each in references]}
    try:
        return {"bleu": float(module.compute(**texts, max_order=o.max_order, smooth=o.smooth)["bleu"])}
    except ZeroDivisionError as error:
        raise UnavailableError("evaluate's bleu divides by zero: no prediction has a token") from error


def _by_nltk(predictions: Sequence[str], references: Lists, scorer: Any) -> dict[str, float]:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    o = scorer
    method = "method0" if o.smooth_method == "none" else o.smooth_method.replace("nltk", "method")
    amounts = {"method1": ("epsilon",), "method4": ("k",), "method6": ("alpha",), "method7": ("k",)}
    given = {} if o.smooth_value is None else dict.fromkeys(amounts.get(method, ()), o.smooth_value)
    weights = tuple(o.weights) if o.weights is not None else (1 / o.max_order,) * o.max_order
    split = [[text.split() for text in texts] for texts in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # orders without a match: NLTK has its own rule for them
        try:
            smoothing = getattr(SmoothingFunction(**given), method)
            value = corpus_bleu(split, [text.split() for text in predictions], weights, smoothing)
        except AssertionError as error:
            raise UnavailableError(f"NLTK's {method} is not defined here: {error}") from error
    return {"bleu": float(value)}


class _PartOfNltk(Bleu):
    """BLEU under ``compat="nltk"`` without some of its rules."""

    _off: ClassVar[Collection[str]] = ()

    @classmethod
    def of(cls, metric: Bleu, off: Collection[str]) -> Bleu:
        """Return the metric without the rules that are off."""
        part = cls.made(metric.given, idle=True)
        part.__dict__["_off"] = off
        part.check()
        return part

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums that the score is made from, with all items' n-grams or none for short texts."""
        totals = stats.total() if "last item" in self._off else super().corpus_totals(stats)
        if "short texts" in self._off:
            for order in range(1, self.max_order + 1):
                totals[self.columns.index(f"floor{order}")] = totals[self.columns.index(f"total{order}")]
        return totals


def _spelled_out(options: dict[str, Any]) -> dict[str, Any]:
    if options["smooth"]:
        options["smooth_method"] = "none"  # it stands for a method of its own
    default = SMOOTH_VALUES.get(options["smooth_method"])
    if default is None or options["smooth_value"] is None:
        options["smooth_value"] = default
    if isinstance(options["weights"], Mapping):
        options["weights"] = None  # named weightings are not compared
    return options


_NLTK = (
    Rule(
        "zero order", "precision of an order without a match", "0", "the smallest positive float",
        lambda options: options.smooth_method == "none",
    ),
    Rule(
        "short texts", "number of n-grams counted for a text shorter than n", "0", "1",
        lambda options: options.smooth_method == "none",  # NLTK's methods bring this rule along
    ),
    Rule(
        "last item", "which n-grams the smoothing of the corpus looks at", "of all items", "of the last item",
        lambda options: options.smooth_method in ("nltk5", "nltk6", "nltk7"),
    ),
)  # fmt: skip
_RIGHT_END = Rule(
    "right end", "whether 13a strips the right end of a text first", "stripped", "as it stands",
    lambda options: options.tokenizer == "13a",
)  # fmt: skip

PEERS = Peers(
    packages={
        "sacrebleu": by_sacrebleu(_metrics),
        "evaluate": Peer(_by_evaluate, (_RIGHT_END,)),
        "nltk": Peer(_by_nltk, _NLTK, _PartOfNltk.of, sentences=True),
    },
    decides={
        "tokenizer": "how texts are split into tokens",
        "lowercase": "whether capitals matter",
        "max_order": "the longest n-gram that counts",
        "weights": "the weights of the n-gram orders",
        "smooth_method": "how orders without a match are smoothed",
        "smooth_value": "the number that the smoothing adds",
        "smooth": "whether one is added to the matches and n-grams of every order",
        "reference_length": "which of several references the length is compared with",
        "effective_order": "whether orders without any n-gram in the predictions are left out",
        "stemmer": "whether endings matter",
        "lemmatizer": "whether inflected forms are different words",
    },
    together=(("max_order", "weights"), ("smooth_method", "smooth_value", "smooth"), ("stemmer", "lemmatizer")),
    aside=lambda options: {"grid": None, **({"weights": None} if isinstance(options.weights, Mapping) else {})},
    spelled_out=_spelled_out,
)
