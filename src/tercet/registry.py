"""The metrics of the suite: a line here for each, and its file or folder, which is named as its short name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import OptionError, did_you_mean, shorten

if TYPE_CHECKING:  # the classes for type checkers; each is imported when it is first used
    from tercet.base.metric import Metric
    from tercet.metrics.bertscore.metric import BertScore as BertScore
    from tercet.metrics.bleu.metric import Bleu as Bleu
    from tercet.metrics.bleu_rouge import BleuRouge as BleuRouge
    from tercet.metrics.chrf import Chrf as Chrf
    from tercet.metrics.cosine.metric import Cosine as Cosine
    from tercet.metrics.diversity import Diversity as Diversity
    from tercet.metrics.google_bleu import GoogleBleu as GoogleBleu
    from tercet.metrics.jaccard import Jaccard as Jaccard
    from tercet.metrics.perplexity import Perplexity as Perplexity
    from tercet.metrics.rouge.metric import Rouge as Rouge
    from tercet.metrics.ter import Ter as Ter
    from tercet.metrics.wer import Wer as Wer

#: The classes of the metrics, by their full names: their modules and names below ``metrics``.
METRICS: Mapping[str, str] = {
    "bleu_multi": "bleu.metric.Bleu",
    "chrf_multi": "chrf.Chrf",
    "ter": "ter.Ter",
    "wer": "wer.Wer",
    "rouge_nlws": "rouge.metric.Rouge",
    "bleu_rouge_f": "bleu_rouge.BleuRouge",
    "google_bleu": "google_bleu.GoogleBleu",
    "jaccard_sets": "jaccard.Jaccard",
    "bertscore_idf": "bertscore.metric.BertScore",
    "embedding_cosine": "cosine.metric.Cosine",
    "perplexity_lm": "perplexity.Perplexity",
    "diversity": "diversity.Diversity",
}

#: The metrics by their short names, and by the names of their classes.
SHORT_NAMES: Mapping[str, str] = {path.partition(".")[0]: metric for metric, path in METRICS.items()}
CLASS_NAMES: Mapping[str, str] = {path.rpartition(".")[2]: metric for metric, path in METRICS.items()}


def canonical(metric: Any) -> str:
    """Return the full name of a metric, which may be given by its short one."""
    name = ""
    if isinstance(metric, str):
        name = SHORT_NAMES.get(metric, metric)
    if name not in METRICS:
        raise no_metric(metric, [*METRICS, *SHORT_NAMES])
    return name


def metric_class(metric: str) -> type[Metric]:
    """Return the class of a metric, by its full or its short name; OptionError as :func:`canonical`."""
    module, _, name = METRICS[canonical(metric)].rpartition(".")
    return getattr(import_module(f".metrics.{module}", __package__), name)  # type: ignore[no-any-return]


def in_suite(cls: type[Metric]) -> bool:
    """Return whether a class is a metric of the suite, and not a user's own."""
    name = getattr(cls, "name", "")
    return name in METRICS and metric_class(name) is cls


def no_metric(name: object, names: Iterable[str]) -> OptionError:
    """Return the error for an unknown metric, with a hint if another suite uses that name."""
    from .base.unknown_names import what_is

    if not isinstance(name, str):
        return OptionError(
            f"There is no metric {shorten(name)} ({type(name).__name__}): expected its name first, such as "
            "'bleu', then the texts."
        )
    answer = what_is(name)
    if answer is not None:
        return OptionError(f"There is no metric {shorten(name)} in tercet. {answer}")
    hint = known_as(name) or did_you_mean(name, dict.fromkeys(names))
    return OptionError(f"There is no metric {shorten(name)}. {hint}")


def known_as(name: str) -> str | None:
    """Return a hint for a user who takes the name of a score, a variant or a package for a metric, or None."""
    from .metrics.rouge.options import as_type

    if name in ("cer", "mer", "wil", "wip"):
        return "It is in the result of wer, as jiwer has it."
    if name.lower() in ("chrf++", "chrfpp", "chrf_pp", "chrf_plus_plus"):
        return "It is chrf with word_order=2, as in chrf:word_order=2."
    if name in ("sentence_transformers", "sentence-transformers"):
        return "Its cosines are those of embedding_cosine."
    if as_type(name) is not None:
        return f"It is a type of rouge_nlws: its option rouge_types takes {name}, as in rouge:rouge_types={name}."
    for metric in METRICS:
        if name in metric_class(metric).presets:
            return f"Its scores are those of {metric} with compat={name!r}."
    return None
