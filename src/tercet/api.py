"""From texts to a result, for every metric of the suite."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from .columns.batch import Corpus
from .core.dialect import Dialect
from .core.option_docs import numpydoc
from .core.options import all_have_effect, option_names
from .core.pieces import corpus_stats
from .core.result import Result
from .core.scorer import Scorer, segment_lists
from .core.stats import SegmentStats
from .errors import InputError, OptionError, did_you_mean, level_of_caller, shorten
from .registry import ARGUMENTS_ELSEWHERE, METRICS, explanation, options_type, scorer_class
from .resampling.bootstrap import bootstrap
from .text.texts import READINGS


def score(metric: str, predictions: Any, references: Any = None, **options: Any) -> Result:
    """Score predictions, against references where the metric compares.

    Parameters
    ----------
    metric : str
        A metric of the suite, such as ``"bleu_multi"``, or its short name, such as ``"bleu"``. The options of each
        are below; ``tercet metrics`` lists them all.
    predictions : sequence of str
        One text per item.
    references : sequence of str or of sequences of str, optional
        One reference per item, or a list of any number of them per item. ``perplexity_lm`` takes none.
    **options
        The metric's options, which ``help(tercet.score)`` lists below.

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
    """
    scorer = _kept_scorer(metric, options)
    return score_batch(scorer, scorer.corpus(predictions, references))


def _kept_scorer(metric: str, options: Mapping[str, Any]) -> Scorer[Any]:
    """Return a scorer with these options, the one of an earlier call where nothing else can decide what it is.

    Making one takes longer than scoring a pair. A tokenizer may be a file, which changes, and a model is not kept.
    """
    parts: list[Any] = [metric]
    plain = type(metric) is str
    for name, value in options.items():
        each = value if type(value) is list else (value,)
        parts += name, type(value), *map(type, each), *each
        plain = plain and _PLAIN.issuperset(map(type, each))
    key = tuple(parts)
    found = _kept.get(key) if plain else None
    if found is not None:
        return found
    found = make_scorer(metric, options)
    lasting = not found.loads_model and options.get("tokenizer") in (None, "auto", *READINGS)
    lasting = lasting and options.keys().isdisjoint(("stemmer", "lemmatizer"))  # of packages that come and go
    if plain and lasting and all_have_effect(found.options, options):  # each call warns of one that has none
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = found
    return found


_PLAIN = {str, int, float, bool, type(None)}
_MOST_KEPT = 256
_kept: dict[Any, Scorer[Any]] = {}


score.__doc__ = f"{cleandoc(score.__doc__ or '')}\n\n{numpydoc({name: options_type(name) for name in METRICS})}\n"


def explain(metric: str, prediction: str, references: Any = None, **options: Any) -> Any:
    """Explain the score of one prediction: which tokens match, or surprise, and what each adds.

    Parameters
    ----------
    metric : str
        A metric of the suite.
    prediction : str
    references : str or sequence of str, optional
        ``perplexity_lm`` takes none.
    **options
        The metric's options; for ``bertscore_idf`` also ``corpus``, the texts in which ``idf=True`` counts.

    Returns
    -------
    NgramMatches, RougeMatches, BleuRougeMatches, JaccardMatches, Alignment, Contributions, TerEdits or
    Surprisals
        Values to work with, ``to_dict()``, ``to_html()``; a notebook shows it in colour.

    Raises
    ------
    InputError
        For what is not text, and for a prediction without reference.
    OptionError
        For an option or a value that the metric does not know.

    Examples
    --------
    >>> why = explain("rouge_nlws", "a cat sat", ["the cat sat"], rouge_types=["rouge2"])
    >>> [(word.text, word.level) for word in why.types[0].prediction_words]
    [('a', 0), ('cat', 1), ('sat', 1)]
    """
    return explanation(metric)(prediction, references, **options)


def make_scorer(metric: str, options: Mapping[str, Any]) -> Scorer[Any]:
    """Return the scorer of a metric with these options.

    Raises
    ------
    OptionError
        On an unknown metric, option or value.
    """
    return scorer_class(metric).from_options(options)


def score_batch(scorer: Scorer[Any], corpus: Corpus) -> Result:
    """Score checked texts.

    Raises
    ------
    InputError
        For an empty corpus, and for items without reference under ``missing_references="error"``.
    """
    stats = batch_stats(scorer, corpus)
    remark = scorer.remark(stats.sums() if scorer.in_floats else stats.total())
    if remark is not None:
        tell(scorer, remark)
    return summarize(scorer, stats)


def segment_stats(scorer: Scorer[Any], predictions: Any, references: Any) -> SegmentStats:
    """Return the statistics of every item: what scores, intervals and tests are made from.

    Raises
    ------
    InputError
        As :func:`score` does.
    """
    return batch_stats(scorer, scorer.corpus(predictions, references))


def batch_stats(scorer: Scorer[Any], corpus: Corpus) -> SegmentStats:
    """Return the statistics of checked texts, made in pieces: memory stays near the size of the texts.

    Raises
    ------
    InputError
        For an empty corpus, and items without reference under ``missing_references="error"``; as
        :meth:`~.batch.Corpus.part`.
    """
    if not corpus.n_items:
        both = "predictions and references" if scorer.takes_references else "predictions"
        raise InputError(f"The corpus is empty: {both} must have at least one item.")
    missing = corpus.missing
    if missing:
        scorer.check_missing(missing)
    stats, context = corpus_stats(scorer, corpus)
    notice = scorer.notice(context)
    if notice is not None:
        tell(scorer, notice)
    return stats


def summarize(scorer: Scorer[Any], stats: SegmentStats) -> Result:
    """Return the result that statistics give: scores, and on request intervals and the scores of segments."""
    o = scorer.options
    totals: Any = stats.sums() if scorer.in_floats else stats.total()
    n_scored, n_empty, n_missing = int(totals[0]), int(totals[1]), int(totals[2])
    if not n_scored:
        raise InputError(scorer.nothing_left)
    kept = stats if n_scored == len(stats) else stats.selected(stats.column("items") > 0)
    span = kept.span("references")
    entries = scorer.report(scorer.corpus_totals(stats), stats)
    notes: dict[str, str] = {}
    asked: dict[str, Any] = {}
    if o.confidence_level is not None:
        found = bootstrap(scorer, kept, n_resamples=o.n_resamples, confidence_level=o.confidence_level, seed=o.seed)
        intervals = {name: list(each.confidence_interval) for name, each in found.items()}
        notes["ci"] = f"{o.confidence_level!r},{o.n_resamples},{o.seed}"
    if o.segments:
        asked["segments"] = segment_lists(scorer, stats)
        if scorer.segment_rule is not None:
            notes["seg"] = scorer.segment_rule
    if o.confidence_level is not None:
        asked["intervals"] = intervals

    def signature() -> str:
        return str(stats_signature.extended({**scorer.notes(span), **notes}))

    stats_signature = stats.signature
    if o.signature:
        asked["signature"] = signature()
    return Result(
        {**entries, **asked} if asked else entries,
        metric=scorer.name,
        signature=signature,
        n_segments=n_scored,
        empty_predictions=n_empty,
        missing_references=n_missing,
        intervals=asked.get("intervals"),
        segments=asked.get("segments"),
        **scorer.details(totals, stats, entries),
    )


def known_options(metric: str) -> list[str]:
    """Return the names of the options that a metric takes."""
    return option_names(options_type(metric))


def configurations(metric: str) -> list[str]:
    """Return the packages whose numbers a metric has: the values of its option ``compat``."""
    return list(scorer_class(metric).presets)


def known_arguments(metric: str) -> dict[str, str]:
    """Return the names that a metric takes in any configuration, with the options that they are ("" for none)."""
    found = {name: name for name in known_options(metric)}
    for dialect in scorer_class(metric).dialects.values():
        found |= {**dialect.arguments, **dict.fromkeys(dialect.without_effect, "")}
    return found


def own_options(
    metric: str,
    given: Mapping[str, Any],
    dialect: Dialect = Dialect(),  # noqa: B008  nothing changes it
) -> dict[str, Any]:
    """Return the options of a call, without those that only siblings take: ``evaluate.combine`` sends all to all.

    Raises
    ------
    OptionError
        On a name that no metric of the suite knows, with the nearest one in the words of the configuration.
    """
    options = known_options(metric)
    own = dialect.names(options)
    foreign = {name: value for name, value in given.items() if name not in own and name not in options}
    for other in (each for each in (*METRICS, *ARGUMENTS_ELSEWHERE) if each != metric):
        here = other in METRICS
        names = known_arguments(other) if here else ARGUMENTS_ELSEWHERE[other]
        theirs = {name: foreign.pop(name) for name in list(foreign) if name in names}
        if theirs and here:  # a wrong value is refused before this metric has used up what was added
            shared = {name: given[name] for name in given if name in own and name != "compat"}
            both = {name: value for name, value in {**shared, **theirs}.items() if names.get(name)}
            _check_of_any(other, {names[name]: value for name, value in both.items()})
        for name in theirs:
            if names[name] != name and names[name] in options:
                said = f"{metric}: {name!r} is an argument of {other}, and left to it; here it is {names[name]!r}."
                warnings.warn(said, UserWarning, stacklevel=level_of_caller())
    for name in foreign:
        raise OptionError(f"{metric} has no option {shorten(name)}. {did_you_mean(name, own)}")
    return dialect.to_options({name: value for name, value in given.items() if name in own or name in options})


def _check_of_any(metric: str, options: Mapping[str, Any]) -> None:
    """Raise an OptionError for options that a metric takes in none of its configurations."""
    refused: list[OptionError] = []
    for compat in (None, *configurations(metric)):
        try:
            make_scorer(metric, {"compat": compat, **options})
        except OptionError as error:
            refused.append(error)
        else:
            return
    raise refused[0]


def dialect_of(metric: str, configuration: str) -> Dialect:
    """Return how a configuration of a metric's evaluate module spells its arguments and results."""
    return scorer_class(metric).dialect(configuration)


def tell(scorer: Scorer[Any], message: str | None) -> None:
    """Warn, in the scorer's name, at the line that called tercet or evaluate; None is nothing to tell."""
    if message is not None:
        warnings.warn(f"{scorer.name}: {message}", UserWarning, stacklevel=level_of_caller())
