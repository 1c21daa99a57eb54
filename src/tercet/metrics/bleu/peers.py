"""The packages that BLEU is explained against, and their rules without an option."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from tercet.base.peers import Lists, Peer, Peers, Rule, UnavailableError, by_sacrebleu
from tercet.statistics.stats import SegmentStats

from .metric import Bleu
from .options import OF_LAST_ITEM, SMOOTH_VALUES


def _sacrebleu_metrics(sacrebleu: Any, metric: Any) -> dict[str, Any]:
    return {
        "bleu": sacrebleu.BLEU(
            lowercase=metric.lowercase,
            tokenize=metric.tokenizer,
            smooth_method=metric.smooth_method,
            smooth_value=metric.smooth_value,
            max_ngram_order=metric.max_order,
            effective_order=metric.effective_order,
        )
    }


def _by_evaluate(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    import evaluate

    try:
        module = evaluate.load("bleu")
    except Exception as error:
        kind = type(error).__name__
        raise UnavailableError(
            f"evaluate.load('bleu') finds it neither on the Hub nor in its cache ({kind})"
        ) from error
    texts = {
        "predictions": list(predictions),
        "references": [list(item_references) for item_references in references],
    }
    try:
        return {"bleu": float(module.compute(**texts, max_order=metric.max_order, smooth=metric.smooth)["bleu"])}
    except ZeroDivisionError as error:
        raise UnavailableError("evaluate's bleu divides by zero: no prediction has a token") from error


def _by_nltk(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    method = metric.smooth_method.replace("nltk", "method")
    if metric.smooth_method == "none":
        method = "method0"
    argument_names = {"method1": ("epsilon",), "method4": ("k",), "method6": ("alpha",), "method7": ("k",)}
    arguments = {}
    if metric.smooth_value is not None:
        arguments = dict.fromkeys(argument_names.get(method, ()), metric.smooth_value)
    weights = (1 / metric.max_order,) * metric.max_order
    if metric.weights is not None:
        weights = tuple(metric.weights)
    split_predictions = [text.split() for text in predictions]
    split_references = [[text.split() for text in texts] for texts in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # orders without a match: NLTK has its own rule for them
        try:
            smoothing = getattr(SmoothingFunction(**arguments), method)
            value = corpus_bleu(split_references, split_predictions, weights, smoothing)
        except AssertionError as error:
            raise UnavailableError(f"NLTK's {method} is not defined here: {error}") from error
        except IndexError as error:
            # Method 6 reads a third precision.
            raise UnavailableError(f"NLTK's {method} is not defined for fewer than three orders") from error
    return {"bleu": float(value)}


class _PartOfNltk(Bleu):
    """BLEU under ``compat="nltk"`` without some of its rules."""

    _off: ClassVar[Collection[str]] = ()

    @classmethod
    def of(cls, metric: Bleu, off: Collection[str]) -> Bleu:
        """Return the metric without the rules that are off."""
        part = cls.build(metric.changed_options, may_be_idle=True)
        # Not assigned to the attribute: for type checkers, a ClassVar belongs to the class.
        part.__dict__["_off"] = off
        part.check()
        return part

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums that the score is made from, with all items' n-grams or none for short texts."""
        totals = super().corpus_totals(stats)
        if "last item" in self._off:
            totals = stats.total().copy()
        if "short texts" in self._off:
            for order in range(1, self.max_order + 1):
                totals[self.columns.index(f"floor{order}")] = totals[self.columns.index(f"total{order}")]
        return totals


def _spelled_out(options: dict[str, Any]) -> dict[str, Any]:
    if options["smooth"]:
        options["smooth_method"] = "none"  # because `smooth` is a method of its own
    default = SMOOTH_VALUES.get(options["smooth_method"])
    if default is None or options["smooth_value"] is None:
        options["smooth_value"] = default
    if isinstance(options["weights"], Mapping):
        options["weights"] = None  # named weightings are not compared
    return options


def _aside(options: Any) -> dict[str, Any]:
    aside: dict[str, Any] = {"grid": None}
    if isinstance(options.weights, Mapping):
        aside["weights"] = None
    return aside


_NLTK = (
    Rule(
        name="zero order",
        description="precision of an order without a match",
        ours="0",
        theirs="the smallest normal float",
        applies=lambda options: options.smooth_method == "none",
    ),
    Rule(
        name="short texts",
        description="number of n-grams counted for a text shorter than n",
        ours="0",
        theirs="1",
        applies=lambda options: options.smooth_method == "none",  # NLTK's methods bring this rule along
    ),
    Rule(
        name="last item",
        description="which n-grams the smoothing of the corpus looks at",
        ours="of all items",
        theirs="of the last item",
        applies=lambda options: options.smooth_method in OF_LAST_ITEM,
    ),
)
_RIGHT_END = Rule(
    name="right end",
    description="whether 13a strips the right end of a text first",
    ours="stripped",
    theirs="as it stands",
    applies=lambda options: options.tokenizer == "13a",
)

PEERS = Peers(
    packages={
        "sacrebleu": by_sacrebleu(_sacrebleu_metrics),
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
    aside=_aside,
    spelled_out=_spelled_out,
)
