"""The functions that take a metric by its name, or as a value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tercet.base.configured import Call
from tercet.base.metric import Metric
from tercet.base.scoring import score_batch
from tercet.base.short_road import score_lists
from tercet.corpus.reading import ENGINE_TOKENIZERS

from .errors import OptionError
from .registry import in_suite, metric_class
from .result import Result
from .specs import take_options

_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])


def _shows_call(function: _FunctionT) -> _FunctionT:
    """Put the options of a call, which are among ``**options``, into the signature: for `help` and completion."""
    signature = inspect.signature(function)
    *first, options = signature.parameters.values()
    options_of_call = inspect.signature(Call).parameters.values()
    function.__signature__ = signature.replace(parameters=[*first, *options_of_call, options])  # type: ignore[attr-defined]
    return function


@_shows_call
def score(
    metric: str | Metric, predictions: Any, references: Any = None, *, cluster: Any = None, **options: Any
) -> Result:
    """Score predictions, against references where the metric needs them.

    Parameters
    ----------
    metric : str or Metric
        A metric of the suite, such as ``"bleu_multi"``, or its short name, such as ``"bleu"``, also with options, as
        ``"bleu:max_order=2"``; or a value, such as ``tercet.Bleu(max_order=2)``. ``tercet metrics`` lists them all.
    predictions : sequence of str
        One text per item.
    references : sequence of str or of sequences of str, optional
        One reference per item, or a list of any number of them per item. A reference may be a chat, a list of
        messages, of which the assistant's last one counts. Metrics such as ``perplexity_lm`` take none.
    cluster : sequence of str or int, optional
        A label per item, the same for items that are not independent: repeats of a sample, or segments of a document.
        The intervals of ``confidence_level`` then resample clusters, whose rows are the sums of their items' rows.
    **options
        The metric's options, which ``help(tercet.Bleu)`` and ``tercet metrics bleu`` list, and those of a call of
        the metric: ``segments``, ``confidence_level``, ``signature``, ``n_resamples``, ``seed`` and ``n_jobs``.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        For texts that cannot be scored; names the item.
    OptionError
        For an option or a value that the metric does not know.

    Examples
    --------
    >>> result = score("bleu_multi", ["the cat is on the mat"], [["the cat is on the mat"]])
    >>> result["bleu"]
    1.0
    >>> score("chrf:word_order=2", ["the cat sat"], ["a cat sat"]) == score(
    ...     "chrf", ["the cat sat"], ["a cat sat"], word_order=2
    ... )
    True
    >>> texts, references = ["a cat", "a dog", "mice", "an ox", "we"], ["the cat", "a dog", "mice", "the ox", "you"]
    >>> repeated = {"confidence_level": 0.95, "cluster": [1, 2, 3, 4, 5] * 10}
    >>> once = score("chrf", texts, references, confidence_level=0.95)
    >>> score("chrf", texts * 10, references * 10, **repeated).intervals == once.intervals
    True
    """
    value = _cached_metric(metric, options)
    if cluster is None:
        # Lists of strings, of which nothing special is asked: `base/short_road.py`.
        result = score_lists(value, predictions, references)
        if result is not None:
            return result
    # All other texts, and what is said of texts that are wrong: `corpus/reading.py`, `base/scoring.py`.
    return score_batch(value, value.corpus(predictions, references), cluster)


@_shows_call
def scorer(metric: str | Metric, **options: Any) -> Metric:
    """Return a metric with its options checked, for code that scores again and again: rewards, filters, loops.

    Parameters
    ----------
    metric : str or Metric
        A metric of the suite, as :func:`tercet.score` takes it.
    **options
        The metric's options, as for :func:`tercet.score`.

    Returns
    -------
    Metric
        A value to call, which threads can share.

    Raises
    ------
    OptionError
        On an unknown metric, option or value.

    Notes
    -----
    Scoring a pair of sentences in lists takes 2 to 4 microseconds with BLEU, ROUGE, chrF, TER, WER or GLEU, and some
    more where a text has characters beyond ASCII. :func:`tercet.score` caches the metric by its options, and takes a
    microsecond longer.

    Examples
    --------
    >>> rouge = scorer("rouge", rouge_types=["rouge1", "rougeL"])
    >>> rouge(["the cat sat"], ["the cat ran"])["rouge1"]
    0.6666666666666666
    >>> rouge.segments(["the cat sat", "a dog"], ["the cat ran", "the dog"])
    {'rouge1': [0.6666666666666666, 0.5], 'rougeL': [0.6666666666666666, 0.5]}
    """
    return make_scorer(metric, options)


def _cached_metric(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return the metric of an earlier call with these options, unless files, packages or models decide what it does.

    Making one takes longer than scoring a pair. Tokenizers outside the engine may read files, which may change.
    """
    if type(metric) is not str:
        return make_scorer(metric, options)
    # The key below of a call that names no option, as most do.
    cached_metric = None if options else _cache.get((metric,))
    if cached_metric is not None:
        return cached_metric
    # With the types of the values, as 1, 1.0 and True are equal: a metric may take one of them and refuse another.
    values: list[Any] = list(options.values())
    of_lists: tuple[type, ...] = ()
    kinds = (*map(type, values),)
    for number, kind in enumerate(kinds):
        if kind is list:
            values[number] = tuple(values[number])
            of_lists += (*map(type, values[number]),)
    plain = _PLAIN_OR_LIST.issuperset(kinds) and _PLAIN.issuperset(of_lists)
    key = (metric, *options, *values, *kinds, *of_lists)
    cached_metric = _cache.get(key) if plain else None
    if cached_metric is not None:
        return cached_metric
    name, all_options = take_options(metric, options)
    configured_metric = metric_class(name).from_options(all_options)
    splits_by_engine = all_options.get("tokenizer") in (None, "auto", *ENGINE_TOKENIZERS)
    # Stemmers and lemmatizers are those of packages, which may be installed between two calls.
    needs_package = not all_options.keys().isdisjoint(("stemmer", "lemmatizer"))
    stays_valid = splits_by_engine and not needs_package and not configured_metric.loads_model
    # An option without effect is warned of when a metric is made: each call makes its own, and so warns.
    if plain and stays_valid and configured_metric.have_effect(all_options):
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[key] = configured_metric
    return configured_metric


#: Types of values that stand in a key: others may have no hash, or change after the call.
_PLAIN = {str, int, float, bool, type(None)}
_PLAIN_OR_LIST = {*_PLAIN, list}
_MOST_CACHED = 256
_cache: dict[Any, Metric] = {}


def explain(metric: str | Metric, prediction: str, references: Any = None, **options: Any) -> Any:
    """Explain the score of one prediction: which tokens match, or surprise, and what each adds.

    Parameters
    ----------
    metric : str or Metric
        A metric of the suite, as :func:`tercet.score` takes it.
    prediction : str
    references : str or sequence of str, optional
        Metrics such as ``perplexity_lm`` take none.
    **options
        The metric's options; for ``bertscore_idf`` also ``corpus``, the texts in which ``idf=True`` counts.

    Returns
    -------
    Explanation
        Of a class of the metric's own, such as NgramMatches: values to work with, ``to_dict()``, ``to_html()``; a
        notebook shows it in colour.

    Raises
    ------
    InputError
        For input that is not text, and for a prediction without reference.
    OptionError
        For an option or a value that the metric does not know.

    Examples
    --------
    >>> why = explain("rouge_nlws", "a cat sat", ["the cat sat"], rouge_types=["rouge2"])
    >>> [(word.text, word.level) for word in why.types[0].prediction_words]
    [('a', 0), ('cat', 1), ('sat', 1)]
    """
    extra = {}
    if "corpus" in options:
        extra["corpus"] = options.pop("corpus")
    value_or_name, all_options = take_options(metric, options)
    if isinstance(value_or_name, str):
        all_options = metric_class(value_or_name).options_to_explain({**all_options, **extra})
    return make_scorer(value_or_name, all_options).explain(prediction, references, **extra)


def make_scorer(metric: str | Metric, options: Mapping[str, Any]) -> Metric:
    """Return a metric, given by its name or as a value, with further options; OptionError for wrong ones."""
    if isinstance(metric, Metric):
        if not options:
            return metric
        return metric.with_options(options)
    if isinstance(metric, type) and issubclass(metric, Metric):
        package = "tercet." if in_suite(metric) else ""
        raise OptionError(f"Expected a metric, got its class: give {package}{metric.__name__}().")
    name, all_options = take_options(metric, options)
    return metric_class(name).from_options(all_options)


def known_options(metric: str) -> list[str]:
    """Return the names of the options that a metric and its call take."""
    return metric_class(metric).all_options()
