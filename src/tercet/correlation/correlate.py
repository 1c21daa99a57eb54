"""Which metric agrees with human grades best: scores, figures with intervals, and tests between metrics."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.base.scoring import batch_stats, summarize
from tercet.checks import MOST_RESAMPLES, flag, integer, known_keywords, one_of
from tercet.comparison.compare import SHARED_CHECKS, check_test_set, read_metrics, read_test_set
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.test_sets import TestSet, check_references, warn_of_artefacts
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, argument, did_you_mean, shorten
from tercet.statistics.clusters import Clusters
from tercet.statistics.paired_tests import holm
from tercet.statistics.progress import bars_within, line_of

from .coefficients import (
    FIGURES,
    UNITS,
    FigureValue,
    distributions,
    figures_for,
    percentile_interval,
    points_of,
    value_of,
    without_noise,
)
from .grades import Array, Grades, MetricColumn, graded, names_of_grades, read_graded
from .layers import layer_sweeps
from .result import Correlation, DimensionTable
from .significance import clusters, pvalues_between, test_name, williams_between

_CHECKS = {
    **SHARED_CHECKS,
    **dict.fromkeys(("n_resamples", "n_permutations"), integer(1, MOST_RESAMPLES)),
    "unit": one_of(*UNITS),
    "ties": one_of("scored", "exact"),
    "standardize": flag,
}


@known_keywords
def correlate(
    test_set: TestSet | Mapping[str, Any] | str | os.PathLike[str],
    metrics: str | Metric | MetricSpec | Iterable[str | Metric | MetricSpec] = ("bleu_multi",),
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
    progress: bool = False,
) -> Correlation:
    """Measure how well metrics agree with human grades, and which agrees best.

    Parameters
    ----------
    test_set : path, TestSet, or mapping of str to sequence of str
        A table of texts and grades (:func:`tercet.correlation.grades.read_graded`), one of
        :func:`tercet.read_test_sets`, or what each system wrote, by its name.
    metrics : str, MetricSpec or iterable of them
        As of :func:`tercet.compare`; may be empty where there are `scores`.
    grades : Grades or mapping, optional
        With texts: the grades of each system, one per item (None if missing), or such a mapping for each
        dimension: ``{"fluency": {"A": [5, 4], "B": [3, None]}}``.
    references : sequence of str or of sequences of str
        With a mapping of systems.
    scores : mapping of str to mapping, or iterable of str
        External scores: by name, for each system a score per item. Or names of dimensions of the grades that hold
        such scores.
    dimension : str or iterable of str
        Of the grades; all by default.
    rank_by : str, optional
        The figure that ranks and tests the metrics, such as ``pooled.pearson``; by default ``item.acc_eq``
        with several systems, ``item.darr`` of preferences, and ``pooled.pearson`` with one system.
    unit : {"items", "systems", "both"}
        The unit that the intervals resample.
    n_resamples, n_permutations : int
        Resamples of the intervals, and permutations of the tests.
    confidence_level, alpha : float
    ties : {"scored", "exact"}
        With ``exact``, scores of a metric tie if they agree to 12 significant digits. By default scores tie if they
        are equal to the last bit, as in the reference implementations of the figures.
    standardize : bool
        Use the z-scores of each rater.
    seed : int
    cluster : sequence of str or int, optional
        A label per item, the same for items that are not independent, such as the segments of a document: intervals
        draw clusters of items, and tests exchange the scores of a system for all items of a cluster at once. Not
        needed for a TestSet that has clusters; with a path also the name of a column.
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
    (:data:`tercet.correlation.coefficients.FIGURES`).

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
    given = {"unit": unit, "n_resamples": n_resamples, "n_permutations": n_permutations, "seed": seed}
    given |= {"confidence_level": confidence_level, "alpha": alpha, "ties": ties, "standardize": standardize}
    settings = check_values("correlate", {**given, "progress": progress}, _CHECKS)
    progress = settings.pop("progress")
    if rank_by is not None and not (isinstance(rank_by, str) and rank_by in FIGURES):
        raise OptionError(f"There is no figure {shorten(rank_by)} to rank by. {did_you_mean(rank_by, FIGURES)}")
    if isinstance(test_set, str | os.PathLike):
        if grades is not None or references is not None:
            raise InputError("A path has grades and references of its own: give them only with texts.")
        column = cluster if isinstance(cluster, str) else None
        test_set, grades = read_graded(test_set, cluster=column)
        cluster = None if column is not None else cluster
    check_test_set(test_set, "correlate")
    specs = [] if isinstance(metrics, Sequence) and not metrics else read_metrics(metrics, "correlate")
    needed_by = list(dict.fromkeys(each.metric for each in specs if each.takes_references))
    test_set, corpus = read_test_set(test_set, references, needed_by)
    if cluster is not None:
        test_set = replace(test_set, clusters=Clusters.of(cluster, corpus.n_segments))
    if needed_by:
        warn_of_artefacts(test_set, corpus)
    known = Grades.of_lists(grades, list(test_set.systems), len(test_set.references)).with_scores(scores)
    chosen = names_of_grades(dimension, "dimension") or known.dimensions
    for each in chosen:
        known.check(each)
    columns = [MetricColumn(name, "", values, title=name) for name, values in known.scores.items()]
    with bars_within(progress), line_of("") as show:
        made: list[MetricColumn] = []
        times = Counter(spec.metric for spec in specs)
        for place, spec in enumerate(specs, 1):
            show(f"metric {place} of {len(specs)}, {spec.metric}: scores")
            called = spec.metric if times[spec.metric] == 1 else spec.label
            made += list(_scored(spec, called, test_set, corpus))
        columns = [*made, *columns]
        if ties == "exact":
            columns = [replace(column, scores=without_noise(column.scores)) for column in columns]
        if not columns:
            raise OptionError(
                f"There is no metric: give {argument('metrics')}, or external scores, {argument('scores')}."
            )
        found = Correlation(test_set, known, columns, [], **settings)
        for place, each in enumerate(chosen, 1):
            show(f"dimension {place} of {len(chosen)}, {each}: agreement, intervals and tests")
            found.tables.append(_table(found, each, rank_by))
    return found


def _scored(spec: MetricSpec, called: str, test_set: TestSet, corpus: Corpus) -> Iterator[MetricColumn]:
    """Yield a column for each score of a metric, under the name `called`."""
    if spec.takes_references:
        check_references(test_set.name, test_set.references, spec.options, f"-m {spec.metric}:")
    scorer = spec.scorer(scale=spec.scorer().original_scale)
    stats = batch_stats(scorer, corpus).split(corpus.n_systems)
    scores = [scorer.original_scores(each.rows) for each in stats]
    there = np.array([each.column("items") > 0 for each in stats])
    signature = summarize(scorer, stats[0]).signature
    found: dict[str, Array] = {}
    for name in scorer.score_names:
        values = np.where(there, [each[name] for each in scores], np.nan)
        if not any(np.allclose(values, each, rtol=1e-9, equal_nan=True) for each in found.values()):
            found[name] = values  # of scores that differ only for the corpus, the first
    for name, values in found.items():
        label = called if len(found) == 1 else f"{called} {name}"
        negated = not scorer.is_higher_better(name)
        title = scorer.score_title(name) if scorer.title else label
        yield MetricColumn(label, signature, -values if negated else values, negated, spec, name, title, scorer.scale)


def _table(of: Correlation, dimension: str, rank_by: str | None) -> DimensionTable:
    columns = of.metrics
    scores = np.array([column.scores for column in columns], np.float64)
    human, metrics = graded(of.grades.mean(dimension, of.standardize), scores)
    numbers = of.cluster_numbers()
    there = ~np.isnan(human)
    if there.sum() < 2:
        raise InputError(f"Fewer than two outputs have a grade in {shorten(dimension)} and a score of every metric.")
    names = figures_for(len(human))
    if not (there.sum(0) > 1).any():  # no item has two outputs to compare
        names = [name for name in names if not name.startswith("item.")]
    rank_by = rank_by or _default(human, names)
    if rank_by not in names:
        raise OptionError(
            f"The figure {rank_by!r} needs several systems with grades of the same item; {shorten(dimension)} has "
            f"{', '.join(names)}."
        )
    found = {name: [value_of(name, human, metric) for metric in metrics] for name in names}
    drawn = distributions(found, human, metrics, of.unit, of.n_resamples, of.seed, numbers)
    labels = [column.label for column in columns]
    figures: dict[str, dict[str, FigureValue]] = {label: {} for label in labels}
    for name in names:
        for place, (label, (value, epsilon)) in enumerate(zip(labels, found[name], strict=True)):
            low, high = percentile_interval(drawn[name][place], value, of.confidence_level)
            n = points_of(name, human, metrics[place])
            figures[label][name] = FigureValue(value, low, high, epsilon, n)
    values, epsilons = ([each[place] for each in found[rank_by]] for place in (0, 1))
    pvalues = pvalues_between(rank_by, human, metrics, epsilons, of.n_permutations, of.seed, numbers)
    groups = clusters(values, pvalues, of.alpha)
    ranking = sorted(range(len(labels)), key=lambda each: (groups[each], -np.nan_to_num(values[each], nan=-np.inf)))
    table = DimensionTable(
        dimension, int(there.sum()), int(there.any(axis=0).sum()), figures, rank_by,
        [labels[each] for each in ranking], dict(zip(labels, groups, strict=True)), test_name(rank_by), pvalues,
        _adjusted(values, pvalues), williams_between(rank_by, human, metrics, numbers),
        of.grades.agreement(dimension),
        layers=layer_sweeps(
            dimension, rank_by, human, metrics, columns, figures, of.n_permutations, of.seed, numbers
        ),
    )  # fmt: skip
    n_clusters = None if numbers is None else len(np.unique(numbers[there.any(axis=0)]))
    table.remarks.extend(ranking_warnings(table, drawn[rank_by], of.titles(), of.alpha, n_clusters))
    return table


def _default(human: Array, names: Sequence[str]) -> str:
    if "item.acc_eq" not in names:
        return "pooled.pearson"
    return "item.darr" if len(human) == 2 and set(np.unique(human[~np.isnan(human)])) <= {0.0, 1.0} else "item.acc_eq"


def _adjusted(values: Sequence[float], pvalues: Array) -> Array:
    """Return p that the row's metric is better where it is, adjusted for the number of pairs (Holm); 1 elsewhere."""
    k = len(values)
    found = np.ones((k, k))
    pairs = [(one, other) for one in range(k) for other in range(one + 1, k) if not math.isnan(pvalues[one, other])]
    ways = [(other, one) if values[other] >= values[one] else (one, other) for one, other in pairs]
    for way, p in zip(ways, holm([float(pvalues[way]) for way in ways]), strict=True):
        found[way] = p
    return found


# Warnings about a ranking: too few graded items, metrics without a significant difference.

#: Items below which intervals and tests are too narrow to rely on.
_RELIABLE = 30
#: Power for which the number of items is estimated.
_POWER = 0.8
#: Items beyond which no number is given.
_MOST = 1_000_000


def ranking_warnings(
    table: DimensionTable, drawn: Array, titles: Mapping[str, str], alpha: float, n_clusters: int | None = None
) -> list[str]:
    """Return warnings; `drawn` (k, B) holds the ranking figure of each metric in each resample."""
    found = []
    n_units, units = (
        (table.n_items, "graded items") if n_clusters is None else (n_clusters, "clusters of graded items")
    )
    if n_units < _RELIABLE:
        found.append(f"Only {n_units} {units}: too few for reliable intervals and tests.")
    first, *others = table.ranked() or [""]
    unclear = next((each for each in others if not table.significance(first, each, alpha)), None)
    if unclear is None:
        return found
    places, both = list(table.figures), f"{titles[first]} and {titles[unclear]}"
    difference = table.figures[first][table.rank_by].value - table.figures[unclear][table.rank_by].value
    n_needed = items_needed(difference, drawn[places.index(first)] - drawn[places.index(unclear)], n_units, alpha)
    if n_needed is None or n_needed == n_units:  # enough for one test, if not for all pairs
        return found
    return [
        *found,
        f"Detecting a difference as small as that between {both} in {table.rank_by} takes about {n_needed:,} "
        f"{units}; there are {n_units:,} ({100 * _POWER:.0f} % power, by resampling).",
    ]


def items_needed(difference: float, drawn: Array, n_items: int, alpha: float) -> int | None:
    """Return how many items a one-sided test needs to find a difference; None for none, or more than a million.

    `drawn` is the difference in resamples of the items. Its standard error shrinks with the root of the number of
    items, and must equal the difference over the sum of the normal quantiles of 1 - alpha and of the power.
    """
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or math.isnan(difference) or abs(difference) < 1e-12:
        return None
    quantiles = NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(_POWER)
    needed = n_items * (quantiles * float(known.std()) / abs(difference)) ** 2
    return None if needed > _MOST else max(n_items, math.ceil(needed))
