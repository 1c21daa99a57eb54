"""Which metric agrees with human grades best: scores, figures with intervals, and tests between metrics."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.comparison.inputs.arguments import Caller, check_test_set, read_metrics, read_test_set
from tercet.comparison.inputs.files_and_frames import check_no_splits
from tercet.comparison.inputs.given_scores import numbers_of, read_columns, with_scores
from tercet.comparison.specs.metric_specs import label_of, name_of, parse_column
from tercet.corpus.corpus import Corpus
from tercet.errors import (
    InputError,
    OptionError,
    argument,
    argument_set,
    did_you_mean,
    shorten,
)
from tercet.files.tables.frames import frame_kind
from tercet.metrics.column import Column
from tercet.option_checks import known_keywords
from tercet.statistics.clusters import Clusters
from tercet.statistics.progress import bars_within, line_of
from tercet.test_sets.checks import check_has_texts
from tercet.test_sets.test_set import TestSet
from tercet.test_sets.text_warnings import warn_of_artefacts

from .figures import FIGURES
from .graded_tables import read_graded
from .grades import Grades, names_of_grades
from .metric_columns import MetricColumn, columns_of_metric, external_column
from .metric_ranking import dimension_table
from .pairs import without_noise
from .result import Correlation
from .settings import CorrelateSettings

#: What is compared where no metric is given, of what the texts allow. ROUGE-L is of words of any script.
DEFAULT_METRICS = ("bleu_multi", "chrf_multi", "rouge_nlws:rouge_types=rougeL,tokenizer=unicode", "ter")

_CORRELATE = Caller(
    "correlate",
    alternatives=", or a data frame or the path of a table with grades",
    grades="{'A': [5, 3], 'B': [4, 4]}",
)


@known_keywords
def correlate(
    test_set: TestSet | Mapping[str, Any] | str | os.PathLike[str] | Any,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    grades: Grades | Mapping[str, Any] | None = None,
    *,
    references: Any = None,
    scores: Mapping[str, Any] | Iterable[str] = (),
    dimension: str | Iterable[str] = (),
    rank_by: str | None = None,
    unit: str = "items",
    n_resamples: int = 1000,
    n_permutations: int = 1000,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    ties: str = "scored",
    standardize: bool = False,
    seed: int = 12345,
    cluster: Any = None,
    lp: str | None = None,
    progress: bool = False,
) -> Correlation:
    """Measure how well metrics agree with human grades, and which agrees best.

    Parameters
    ----------
    test_set : path, data frame, TestSet, or mapping of str to sequence of str
        A table of texts and grades, or a folder of mt-metrics-eval
        (:func:`tercet.correlation.graded_tables.read_graded`); such a data frame of pandas or
        Polars, ``datasets.Dataset`` or table of pyarrow; one of :func:`tercet.read_test_sets`, or what each system
        wrote, by its name.
    metrics : str, Metric or iterable of them, optional
        As of :func:`tercet.compare`; may be empty where there are `scores`. By default BLEU, chrF, ROUGE-L and TER
        where there are references, beside the `scores`.
    grades : Grades or mapping, optional
        With texts: the grades of each system, one per item (None if missing), or such a mapping for each
        dimension: ``{"fluency": {"A": [5, 4], "B": [3, None]}}``.
    references : sequence of str or of sequences of str
        With a mapping of systems.
    scores : mapping of str or Column to mapping, or iterable of str or Column
        External scores, as of :func:`tercet.compare`: by name, for each system a score per item. Or names of
        dimensions of the grades that hold such scores, or of scores of the TestSet. Lower ones are better for names
        such as ``wer``, and for ``"loss_2:better=lower"``; ``missing=zero`` counts a missing one as 0. A
        :class:`tercet.Column` takes the same options.
    dimension : str or iterable of str
        Of the grades; all by default. Of ``"MQM:better=lower"``, lower grades are better, as of penalties and ranks:
        they are negated.
    rank_by : str, optional
        The figure that ranks and tests the metrics, such as ``pooled.pearson``; by default ``item.acc_eq``
        with several systems, ``item.darr`` of preferences, and ``pooled.pearson`` with one system.
    unit : {"items", "systems", "both"}
        Unit that the intervals resample.
    n_resamples : int
        Resamples of the intervals.
    n_permutations : int
        Permutations of the tests.
    confidence_level : float
        Confidence level of the bootstrap intervals.
    alpha : float
        Significance level, above 0 and below 1: differences with a smaller p are significant. p of two metrics
        is two-sided, and adjusted for all pairs by the step-down maximum (Romano and Wolf 2005, Econometrica 73).
    ties : {"scored", "exact"}
        When two scores of a metric tie: if equal to the last bit (scored), or to 12 significant digits (exact). The
        former is what the reference implementations of the figures do.
    standardize : bool
        Use the z-scores of each rater.
    seed : int
        Seed of all resampling: the same seed gives the same numbers.
    cluster : sequence of str or int, optional
        A label per item, the same for items that are not independent, such as the segments of a document: intervals
        draw clusters of items, and tests exchange the scores of a system for all items of a cluster at once. Not
        needed for a TestSet that has clusters; with a path or data frame also the name of a column.
    lp : str, optional
        The language pair of a folder of mt-metrics-eval, such as ``en-de``; by default the only one.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    Correlation

    Raises
    ------
    InputError, OptionError
        For texts or grades that cannot be read, and an unknown metric, dimension, figure or option.

    Notes
    -----
    Scores are those of the package that a metric equals, at its scale (ROUGE and BERTScore from 0 to 1; BLEU, chrF
    and TER in percent), unless the option ``scale`` says otherwise. The tie threshold, ``epsilon``, is a difference
    of such scores. System scores are means of segment scores. Lower-is-better metrics are negated first. An
    output counts where it has a grade and a score of every metric. Each figure states its definition and source
    (:data:`tercet.correlation.figures.FIGURES`).

    Examples
    --------
    >>> systems = {"A": ["the cat sat", "it rains now", "a dog"], "B": ["a cat", "it rained", "a dog ran"]}
    >>> references = ["the cat sat down", "it rains", "a dog ran"]
    >>> grades = {"A": [5, 4, 3], "B": [2, 2, 5]}
    >>> found = correlate(systems, "rouge:rouge_types=rouge1", grades, references=references)
    >>> figure = found.tables[0].figures["rouge_nlws"]["pooled.pearson"]
    >>> round(figure.value, 3), figure.n
    (0.898, 6)
    """
    options = {
        "unit": unit,
        "n_resamples": n_resamples,
        "n_permutations": n_permutations,
        "confidence_level": confidence_level,
        "alpha": alpha,
        "ties": ties,
        "standardize": standardize,
        "seed": seed,
        "progress": progress,
    }
    settings = check_values("correlate", options, CorrelateSettings.checks())
    show_progress = settings.pop("progress")
    if rank_by is not None and not (isinstance(rank_by, str) and rank_by in FIGURES):
        raise OptionError(f"There is no figure {shorten(rank_by)} to rank by. {did_you_mean(rank_by, FIGURES)}")
    asked = _Asked(
        metrics, references, read_columns(scores or None), names_of_grades(dimension, "dimension"), cluster, lp
    )
    inputs = _read_inputs(_texts_and_grades(test_set, grades, asked), asked)
    with bars_within(show_progress), line_of("") as show:
        columns = _metric_columns(inputs, ties, show)
        correlation = Correlation(inputs.test_set, inputs.grades, columns, [], **settings)
        for number, name in enumerate(inputs.dimensions, 1):
            show(f"dimension {number} of {len(inputs.dimensions)}, {name}: agreement, intervals and tests")
            correlation.tables.append(dimension_table(correlation, name, rank_by))
    return correlation


class _Asked(NamedTuple):
    """What the arguments of :func:`correlate` say of metrics, texts and grades."""

    metrics: Any
    references: Any
    scores: Mapping[Column, Any]
    dimensions: list[str]
    cluster: Any
    lp: str | None


class _TextsAndGrades(NamedTuple):
    """Texts and their grades, as a user gave them or as a file has them."""

    texts: Any
    grades: Any
    #: As the user gave them, or already read.
    metrics: Any
    #: A label for each item; None where the texts have clusters, or there are none.
    cluster: Any


class _Inputs(NamedTuple):
    """What is compared with what: all of it checked."""

    test_set: TestSet
    corpus: Corpus
    metrics: list[Metric]
    scores: Mapping[Column, Any]
    grades: Grades
    #: The names of those that are asked for.
    dimensions: list[str]


def _texts_and_grades(test_set: Any, grades: Any, asked: _Asked) -> _TextsAndGrades:
    """Return texts and grades, read where they are in a file or a data frame."""
    check_no_splits(test_set, "correlate")
    kind = frame_kind(test_set)
    if not isinstance(test_set, str | os.PathLike) and not kind:
        if asked.lp is not None:
            raise OptionError("lp= chooses the language pair of a folder: give its path in place of texts.")
        return _TextsAndGrades(test_set, grades, asked.metrics, asked.cluster)
    if grades is not None or asked.references is not None:
        owner = f"A {kind or 'path'}"
        raise InputError(f"{owner} has grades and references of its own: give them only with texts.")
    metrics = _read_metrics(asked.metrics)
    names_column = isinstance(asked.cluster, str)
    texts, grades_of_texts = read_graded(
        test_set,
        cluster=asked.cluster if names_column else None,
        scores=[score.name for score, numbers in asked.scores.items() if not numbers],
        dimensions=names_asked(asked.dimensions),
        need_references=need_references(metrics),
        lp=asked.lp,
    )
    return _TextsAndGrades(texts, grades_of_texts, metrics, None if names_column else asked.cluster)


def _read_inputs(given: _TextsAndGrades, asked: _Asked) -> _Inputs:
    """Return texts, metrics and grades, each checked by itself and beside the others."""
    check_test_set(given.texts, _CORRELATE)
    metrics = _read_metrics(given.metrics)
    if metrics is None:
        has_scores = bool(asked.scores) or (isinstance(given.grades, Grades) and bool(given.grades.scores))
        metrics = _default_metrics(given.texts, asked.references, has_scores=has_scores)
    texts, corpus = _read_texts(given.texts, asked.references, metrics, given.cluster)
    warn_of_artefacts(texts, corpus, metrics)
    test_set = with_scores(texts, asked.scores)
    all_grades = _all_grades(given.grades, test_set, asked.scores)
    dimensions, grades = _chosen_dimensions(asked.dimensions, all_grades)
    return _Inputs(test_set, corpus, metrics, asked.scores, grades, dimensions)


def _read_texts(texts: Any, references: Any, metrics: Sequence[Metric], cluster: Any) -> tuple[TestSet, Corpus]:
    """Return the texts that metrics score, with their clusters."""
    needed_by = list(dict.fromkeys(name_of(metric) for metric in metrics if metric.takes_references))
    test_set, corpus = read_test_set(texts, references, needed_by)
    if metrics:
        check_has_texts(test_set, name_of(metrics[0]))
    if cluster is None:
        return test_set, corpus
    return replace(test_set, clusters=Clusters.of(cluster, corpus.n_segments)), corpus


def _all_grades(grades: Any, test_set: TestSet, given_scores: Mapping[Column, Any]) -> Grades:
    """Return the grades of all dimensions, with the scores that came with them or were given."""
    grades_and_scores = Grades.of_lists(grades, list(test_set.systems), len(test_set.references))
    numbers = {}
    for column, values in given_scores.items():
        name = column.name
        if name in test_set.scores and (values or name not in grades_and_scores.values):
            numbers[name] = np.array(list(numbers_of(column, test_set).values()))
    all_grades = grades_and_scores.with_scores([column.name for column in given_scores], numbers)
    if not all_grades.dimensions:
        raise InputError(f"There are no grades beside the scores: {', '.join(map(shorten, all_grades.scores))}.")
    return all_grades


def _metric_columns(inputs: _Inputs, ties: str, show: Callable[[str], None]) -> list[MetricColumn]:
    """Return the scores of all metrics, then those that came with the texts or were given."""
    columns: list[MetricColumn] = []
    times = Counter(map(name_of, inputs.metrics))
    for number, metric in enumerate(inputs.metrics, 1):
        name = name_of(metric)
        show(f"metric {number} of {len(inputs.metrics)}, {name}: scores")
        # Metrics that are given twice are told apart by their options.
        label = name if times[name] == 1 else label_of(metric)
        columns += columns_of_metric(metric, label, inputs.test_set, inputs.corpus)
    given_by_name = {column.name: column for column in inputs.scores}
    for name, values in inputs.grades.scores.items():
        columns.append(external_column(given_by_name.get(name) or Column(name), values, inputs.test_set))
    if not columns:
        raise OptionError(
            f"There is no metric: give {argument('metrics')}, or external scores, {argument('scores')}."
        )
    if ties == "exact":
        return [replace(column, scores=without_noise(column.scores)) for column in columns]
    return columns


def _read_metrics(metrics: Any) -> list[Metric] | None:
    """Return the metrics that are given, perhaps none; None where nothing is said of them."""
    if metrics is None:
        return None
    if isinstance(metrics, Sequence) and not metrics:
        return []
    return read_metrics(metrics, _CORRELATE)


def need_references(metrics: Sequence[Metric] | None) -> bool:
    """Return whether texts must have references: those that are chosen by default are what the texts allow."""
    return metrics is not None and any(metric.takes_references for metric in metrics)


def _default_metrics(test_set: TestSet | Mapping[str, Any], references: Any, *, has_scores: bool) -> list[Metric]:
    """Return several metrics that need no network; without references none, if there are scores to compare."""
    metrics = read_metrics(DEFAULT_METRICS, _CORRELATE)
    has_references = any(test_set.references) if isinstance(test_set, TestSet) else references is not None
    if has_references:
        return metrics
    if has_scores:
        return []
    if not isinstance(test_set, TestSet):
        # An error says what is missing where the texts are read.
        return metrics
    raise InputError(
        f"{test_set.name} has no references, with which BLEU, chrF, ROUGE-L and TER compare texts. Name their column "
        f"({argument('reference_columns')}), external scores ({argument('scores')}), or a metric that takes none "
        f"({argument_set('metrics', 'diversity')})."
    )


def names_asked(dimensions: Sequence[str]) -> list[str]:
    """Return the names in dimensions as they are given, such as ``MQM:better=lower``: also those without options."""
    names = list(dimensions)
    for text in dimensions:
        # What is wrong with an option is said once the grades are known: a name may have a colon.
        with contextlib.suppress(OptionError):
            names.append(parse_column(text).name)
    return list(dict.fromkeys(names))


def _chosen_dimensions(texts: Sequence[str], grades: Grades) -> tuple[list[str], Grades]:
    """Return the dimensions that are given, perhaps as ``MQM:better=lower``, or all; and which grades are negated."""
    columns = []
    for text in texts:
        columns.append(Column(text) if text in grades.values else _dimension(text))
    names = [column.name for column in columns]
    for column in columns:
        grades.check(column.name)
        if names.count(column.name) > 1:
            raise OptionError(f"The dimension {shorten(column.name)} is given twice.")
    directions = dict.fromkeys(grades.lower_is_better, "lower")
    directions |= {column.name: column.better for column in columns if column.written}
    lower = tuple(name for name, better in directions.items() if better == "lower")
    return names or grades.dimensions, replace(grades, lower_is_better=lower)


def _dimension(text: str) -> Column:
    column: Column | None = None
    with contextlib.suppress(OptionError):
        column = parse_column(text)
    if column is None or set(column.written) - {"better"}:
        expected = "better=lower or better=higher after the name"
        raise OptionError(f"{argument('dimension')}: expected {expected}, got {shorten(text)}.")
    return column
