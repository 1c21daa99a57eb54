"""Other packages, called live on the same texts with the options that say the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest
from operator import itemgetter
from typing import Any

from tercet.chrf.metric import Chrf
from tercet.core.scorer import Scorer
from tercet.errors import TercetError
from tercet.rouge.options import MEASURES
from tercet.rouge.package import PACKAGES
from tercet.ter.metric import Ter

from .perl_script import ScriptError, Triple, script_scores


class UnavailableError(TercetError):
    """The other package cannot be called here; says why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another package: how it is called, and what to know when its number is read.

    Attributes
    ----------
    scores : callable
        From predictions, lists of references and a scorer whose options say what to call the package with, to its
        scores by name, from 0 to 1.
    percent : bool
        Whether it prints percent.
    sentences : bool
        Whether our scores of single items under its ``compat`` are its own sentence scores.
    note : str
        How its printed figure comes about, where that could mislead.
    """

    scores: Callable[[Sequence[str], Sequence[Sequence[str]], Scorer], dict[str, float]]
    percent: bool = False
    sentences: bool = False
    note: str = ""


def their_scores(
    against: str, predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer
) -> tuple[dict[str, float], str]:
    """Return the scores of the package itself, on the scale of the scorer's options, and at which it failed.

    Parameters
    ----------
    against : str
        The package, by its name in ``compat``.
    predictions : sequence of str
    references : sequence of sequences of str
        At least one per item.
    scorer : Scorer
        Its options are translated into those of the package.

    Raises
    ------
    UnavailableError
        When the package is not installed or cannot score these texts, with the reason.
    """
    try:
        scores = PEERS[against].scores(predictions, references, scorer)
    except ModuleNotFoundError as error:
        raise UnavailableError(f"the package {error.name} is not installed") from error
    except ScriptError as error:
        raise UnavailableError(str(error)) from error
    missing = [name for name in scorer.score_names if name not in scores]
    reason = f"{against} fails at {', '.join(missing)} on these texts" if missing else ""
    return {name: scorer.scale * value for name, value in scores.items()}, reason


def _by_sacrebleu(
    predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer
) -> dict[str, float]:
    texts = list(predictions)
    streams = [list(each) for each in zip_longest(*references)]  # a list for each position; None where one is short
    metrics = _sacrebleu_metrics(scorer)
    return {name: metric.corpus_score(texts, streams).score / 100 for name, metric in metrics.items()}


def _sacrebleu_metrics(scorer: Scorer) -> dict[str, Any]:
    """Return the metrics of sacrebleu that give our scores, by their names."""
    import sacrebleu

    o = scorer
    if isinstance(scorer, Chrf):
        given = {
            name: getattr(o, name) for name in ("char_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        }
        return {name: sacrebleu.CHRF(word_order=order, **given) for name, order in scorer.word_orders.items()}
    if isinstance(scorer, Ter):
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
        return {"ter": sacrebleu.TER(**{name: getattr(o, name) for name in names})}
    return {
        "bleu": sacrebleu.BLEU(
            lowercase=o.lowercase, tokenize=o.tokenizer, smooth_method=o.smooth_method, smooth_value=o.smooth_value,
            max_ngram_order=o.max_order, effective_order=o.effective_order,
        )
    }  # fmt: skip


def _by_evaluate(predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer) -> dict[str, float]:
    import evaluate

    try:
        module = evaluate.load("bleu")
    except Exception as error:
        kind = type(error).__name__
        raise UnavailableError(
            f"evaluate.load('bleu') finds it neither on the Hub nor in its cache ({kind})"
        ) from error
    o = scorer
    try:
        result = module.compute(
            predictions=list(predictions), references=[list(texts) for texts in references],
            max_order=o.max_order, smooth=o.smooth,
        )  # fmt: skip
    except ZeroDivisionError as error:
        raise UnavailableError("evaluate's bleu divides by zero: no prediction has a token") from error
    return {"bleu": float(result["bleu"])}


def _by_nltk(predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer) -> dict[str, float]:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    o = scorer
    method = "method0" if o.smooth_method == "none" else o.smooth_method.replace("nltk", "method")
    amounts = {"method1": ("epsilon",), "method4": ("k",), "method6": ("alpha",), "method7": ("k",)}
    given = {} if o.smooth_value is None else dict.fromkeys(amounts.get(method, ()), o.smooth_value)
    weights = tuple(o.weights) if o.weights is not None else (1 / o.max_order,) * o.max_order
    split = [[text.split() for text in texts] for texts in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of orders without a match: what it makes of them is a rule of its own
        try:
            smoothing = getattr(SmoothingFunction(**given), method)
            value = corpus_bleu(split, [text.split() for text in predictions], weights, smoothing)
        except AssertionError as error:
            raise UnavailableError(f"NLTK's {method} is not defined here: {error}") from error
    return {"bleu": float(value)}


def _by_rouge_score(
    predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer
) -> dict[str, float]:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    names = [each.name for each in scorer.types]
    theirs = RougeScorer(names, use_stemmer=scorer.porter)
    items = [theirs.score_multi(texts, text) for text, texts in zip(predictions, references, strict=True)]
    return _means({name: [item[name] for item in items] for name in names}, scorer.output)


def _by_package(package: str) -> Callable[[Sequence[str], Sequence[Sequence[str]], Scorer], dict[str, float]]:
    """Return how ``rouge`` or ``rouge_chinese`` is called: on each prediction with each of its references."""

    def scores(predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer) -> dict[str, float]:
        names = {each.name: f"rouge-{each.order or 'l'}" for each in scorer.types}
        theirs = import_module(package).Rouge(metrics=list(names.values()))

        def of_pair(text: str, reference: str) -> dict[str, Triple]:
            try:
                (found,) = theirs.get_scores(text, reference)
            except ValueError:  # a text without a word
                return dict.fromkeys(names, (0.0, 0.0, 0.0))
            except RecursionError as error:
                raise UnavailableError(f"{package} calls itself once for each word, too often for these") from error
            return {name: (found[key]["p"], found[key]["r"], found[key]["f"]) for name, key in names.items()}

        items = [
            [of_pair(text, reference) for reference in texts]
            for text, texts in zip(predictions, references, strict=True)
        ]
        best = {name: [max((pair[name] for pair in pairs), key=itemgetter(2)) for pairs in items] for name in names}
        return _means(best, scorer.output)

    return scores


def _by_script(predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: Scorer) -> dict[str, float]:
    o = scorer
    figures = script_scores(
        predictions, references, o.types, use_stemmer=o.use_stemmer, stopwords=o.stopwords,
        beta=o.beta, alpha=o.alpha, multi_ref=o.multi_ref, max_words=o.max_words, max_bytes=o.max_bytes,
    )  # fmt: skip
    return _means(figures, o.output)


def _means(figures: dict[str, Any], output: str) -> dict[str, float]:
    """Return the means of items' (precision, recall, F) by the names that our scores have."""
    scores: dict[str, float] = {}
    for name, triples in figures.items():
        means = [sum(values) / len(triples) for values in zip(*triples, strict=True)]
        named = dict(zip(MEASURES, means, strict=True))
        scores[name] = named["fmeasure" if output == "all" else output]
        if output == "all":
            scores |= {f"{name}_{measure}": named[measure] for measure in ("precision", "recall")}
    return scores


#: By the name in ``compat``.
PEERS = {
    "sacrebleu": Peer(_by_sacrebleu, percent=True, sentences=True),
    "evaluate": Peer(_by_evaluate),
    "nltk": Peer(_by_nltk, sentences=True),
    "rouge_score": Peer(
        _by_rouge_score,
        note="evaluate's rouge prints the median of a random bootstrap of rouge_score's mean, another at each call",
    ),
    "rouge155": Peer(
        _by_script,
        note="the script prints the mean of 1000 random resamples; compared is the mean of its figures (-d)",
    ),
    **{
        package: Peer(
            _by_package(package),
            note=f"{package} takes one reference: of several, the one with the best F counts; it raises an error at "
            "a text without a word, which counts 0",
        )
        for package in PACKAGES
    },
}
