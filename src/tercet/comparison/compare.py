"""Any number of systems on the same texts: scores, intervals, and which differences are significant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.checks import MOST_RESAMPLES, flag, integer, known_keywords, number, one_of
from tercet.corpus.corpus import Corpus, surrogate_error
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError, argument, as_settings, shorten
from tercet.metric.metric import Metric
from tercet.metric.options import check_values
from tercet.metric.scorer import Scorer, segment_lists
from tercet.metric.scoring import batch_stats, summarize
from tercet.statistics.bootstrap import bootstraps
from tercet.statistics.clusters import Clusters, clustered
from tercet.statistics.paired_tests import holm
from tercet.statistics.progress import bar_of, bars_within, line_of
from tercet.statistics.stats import SegmentStats

from .checks import check_baseline, check_references
from .facts import facts_of_systems, some_best
from .metric_specs import MetricSpec, distinct, spec_of
from .paired import TESTS
from .scores import Comparison, ScoreTable, SystemScore
from .test_sets import TestSet
from .warnings_of_test_sets import (
    odd_references,
    recorded,
    same_systems,
    warn_of_artefacts,
    warn_of_gaps,
    warn_of_scores,
)

#: Of options that :func:`tercet.correlate` has too.
SHARED_CHECKS = {
    "confidence_level": number("a number above 0 and below 1, such as 0.95", lambda x: 0 < x < 1),
    "alpha": number("a number above 0 and below 1, such as 0.05", lambda x: 0 < x < 1),
    "seed": integer(0),
    "progress": flag,
}
_OWN_CHECKS = {"n_resamples": integer(1, MOST_RESAMPLES, none=True), "interval": one_of("percentile", "BCa")}


@known_keywords
def compare(
    test_set: TestSet | Mapping[str, Any],
    metrics: str | Metric | MetricSpec | Iterable[str | Metric | MetricSpec] = ("bleu_multi",),
    *,
    references: Any = None,
    baseline: str | None = None,
    test: str | None = "permutation",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    interval: str = "percentile",
    alpha: float = 0.05,
    seed: int = 12345,
    cluster: Any = None,
    progress: bool = False,
) -> Comparison:
    """Compare systems on a test set.

    Parameters
    ----------
    test_set : TestSet or mapping of str to sequence of str
        One of :func:`tercet.read_test_sets`, or the predictions of each system, by its name.
    metrics : str, Metric or iterable of them
        Metrics with options, such as ``"bleu:max_order=2"`` or ``tercet.Bleu(max_order=2)``; in percent unless an
        option ``scale`` says otherwise.
    references : sequence of str or of sequences of str, optional
        With a mapping of systems; a TestSet has its own. Not needed where no metric compares with references.
    baseline : str, optional
        The system that the others are tested against; the first one by default.
    test : {"permutation", "bootstrap", None}
        The paired test: approximate randomization or paired bootstrap; None, as for one system, gives scores only.
    n_resamples : int, optional
        Of the test; 10,000 or 1,000 by default. Intervals have 1,000.
    confidence_level : float
    interval : {"percentile", "BCa"}
    alpha : float
        Significance level.
    seed : int
    cluster : sequence of str or int, optional
        A label per segment, the same for segments that are not independent: repeats of a sample, or the segments of a
        document. Intervals, tests, wins, ties and losses then go by clusters. A TestSet may have clusters of its own.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError, OptionError
        For texts that cannot be scored, or an unknown baseline, metric, option or test.

    Notes
    -----
    Each system is scored once, and no text is read or encoded twice. The tests take time in proportion to resamples
    times segments for each system, and to resamples for each pair of systems.

    Examples
    --------
    >>> systems = {"one": ["the cat sat down", "it rains"], "other": ["a cat sat down", "it rains"]}
    >>> found = compare(systems, ["rouge_nlws:rouge_types=rouge1"], references=["a cat sat down", "it rained"])
    >>> [(row.system, round(row.value, 1), row.best) for row in found.tables[0].rows]
    [('one', 62.5, False), ('other', 75.0, True)]
    """
    check_test_set(test_set, "compare")
    specs = read_metrics(metrics, "compare")
    needed_by = list(dict.fromkeys(each.metric for each in specs if each.takes_references))
    test_set, corpus = read_test_set(test_set, references, needed_by)
    if not corpus.n_segments:
        raise InputError(f"{test_set.name} has no segment to score.")
    if cluster is not None:
        test_set = replace(test_set, clusters=Clusters.of(cluster, corpus.n_segments))
    names = list(test_set.systems)
    check_baseline(baseline, names)
    first = names[0] if baseline is None else baseline
    if test is not None and not (isinstance(test, str) and test in TESTS):
        tests = ", ".join(map(repr, TESTS))
        raise OptionError(f"The test must be one of {tests} or None. Got {shorten(test)} instead.")
    given = {"n_resamples": n_resamples, "confidence_level": confidence_level, "interval": interval, "alpha": alpha}
    check_values("compare", {**given, "seed": seed, "progress": progress}, {**SHARED_CHECKS, **_OWN_CHECKS})
    for spec in specs:
        spec.scorer(scale=100).check_resampling()
        if spec.takes_references:
            check_references(test_set.name, test_set.references, spec.options, f"-m {spec.metric}:")
    test = test if len(names) > 1 else None
    number = None if test is None else TESTS[test][1] if n_resamples is None else n_resamples
    found = Comparison(test_set, first, [], test, number, confidence_level, alpha, seed, interval, corpus=corpus)
    warned = [*same_systems(test_set), *(odd_references(test_set) if needed_by else [])]
    if needed_by:
        warned += warn_of_artefacts(test_set, corpus)
    with bars_within(progress), line_of("") as show:
        for place, spec in enumerate(specs, 1):
            scorer = spec.scorer(scale=100)
            show(f"metric {place} of {len(specs)}, {spec.metric}: scores")
            with recorded() as caught:
                stats = system_stats(scorer, corpus, test_set)
                for name, own in zip(names, stats, strict=True):
                    warn_of_scores(test_set, name, scorer, own)
            warned += caught
            warn_of_gaps(test_set, scorer, stats)
            resampled = "intervals" if test is None else f"{test} test and intervals"
            show(f"metric {place} of {len(specs)}, {spec.metric}: {resampled}")
            kept = _kept(stats)
            scored = [each.selected(kept) for each in stats]
            clusters = None if test_set.clusters is None else test_set.clusters.selected(kept)
            units = clustered(scored, clusters)
            pvalues = _all_pairs(scorer, units, test, number, seed)
            found.facts.extend(facts_of_systems(spec.label, scorer, dict(zip(names, stats, strict=True)), scored))
            found.tables.extend(_tables(found, spec, scorer, stats, scored, units, pvalues))
    found.warnings.extend(map(as_settings, dict.fromkeys(warned)))
    return found


def read_metrics(metrics: Any, function: str) -> list[MetricSpec]:
    """Return the metrics, one or several, as values; errors name the function that takes them."""
    several = [metrics] if isinstance(metrics, str | Metric | MetricSpec) else metrics
    listed = list(several) if isinstance(several, Iterable) else []
    if not listed or not all(isinstance(each, str | Metric | MetricSpec) for each in listed):
        raise OptionError(
            f"The 'metrics' option of {function} must be a metric or a list of them, such as ['bleu', "
            f"'rouge:rouge_types=rougeL']. Got {shorten(metrics)} instead."
        )
    text = next((each for each in listed if isinstance(each, str) and " " in each.partition(":")[0]), None)
    if text is not None:
        raise OptionError(
            f"{shorten(text)} is no metric. References are given by name: {function}(systems, 'bleu', "
            f"{'grades, ' if function == 'correlate' else ''}references=references)."
        )
    return distinct(spec_of(each) for each in listed)


def check_test_set(given: Any, function: str) -> None:
    """Raise an InputError for what is neither a TestSet nor a mapping, with a call that can be copied."""
    if isinstance(given, TestSet | Mapping):
        return
    several = list(given)[:2] if isinstance(given, list | tuple) else []
    if several and isinstance(several[0], TestSet):
        raise InputError(
            f"{function} takes one TestSet at a time, got a list of them: "
            f"[tercet.{function}(each) for each in test_sets]."
        )
    texts, also = "{'A': predictions, 'B': others}, 'bleu'", ""
    if function == "correlate":
        texts, also = f"{texts}, grades={{'A': [5, 3], 'B': [4, 4]}}", ", or the path of a table with grades"
    raise InputError(
        f"{function} takes the texts of each system by its name, as in tercet.{function}({texts}, "
        f"references=references), or a TestSet of tercet.read_test_sets{also}. Got {shorten(given)} "
        f"({type(given).__name__})."
    )


def system_stats(scorer: Scorer, corpus: Corpus, test_set: TestSet) -> list[SegmentStats]:
    """Return the rows of each system; an error in its texts names it."""
    try:
        return batch_stats(scorer, corpus).split(corpus.n_systems)
    except InputError:
        for place, name in enumerate(test_set.systems):
            try:
                batch_stats(scorer, corpus.system(place))
            except InputError as error:
                called = f"{test_set.name}: the system {shorten(name)}: {scorer.name}"
                raise InputError(f"{called}: {error}") from None
        raise


def read_test_set(
    given: TestSet | Mapping[str, Any], references: Any, needed_by: Sequence[str]
) -> tuple[TestSet, Corpus]:
    """Return a test set, also of plain texts, with encoded texts; `needed_by` names metrics that take references."""
    if isinstance(given, TestSet):
        if references is not None:
            raise InputError(
                f"A TestSet has references of its own: give {argument('references')} only with a mapping of systems."
            )
        if not given.systems:
            raise InputError(f"{given.name} has no system to score.")
        return given, given.corpus()
    if isinstance(given, Mapping) and given and references is None and needed_by:
        raise InputError(
            f"A mapping of systems needs {argument('references')} for {' and '.join(needed_by)}, which "
            f"{'compare' if needed_by[1:] else 'compares'} texts with references."
        )
    if not given:
        raise InputError("There is no system to score.")
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"The names of systems must be strings, got {shorten(name)}.")
        error = surrogate_error(f"The name of the system {shorten(name)}", name)
        if error is not None:
            raise error
    called = [f"predictions of {shorten(name)}" for name in given]
    corpus = read_systems(called, list(given.values()), references).encoded()
    *systems, lists = corpus.columns().values()
    return TestSet("test set", dict(zip(given, systems, strict=True)), lists, None), corpus


def _kept(stats: Sequence[SegmentStats]) -> NDArray[np.bool_]:
    """Return which items were scored for all systems."""
    kept: NDArray[np.bool_] = np.logical_and.reduce([each.column("items") > 0 for each in stats])
    if not kept.any():
        raise InputError("No segment was scored for all systems.")
    return kept


def _all_pairs(
    scorer: Scorer, stats: Sequence[SegmentStats], test: str | None, n_resamples: int | None, seed: int
) -> dict[str, NDArray[np.float64]]:
    """Return p of each pair of systems for each score, shape (s, s), not adjusted; NaN without a test."""
    if test is None:
        return {name: np.full((len(stats), len(stats)), np.nan) for name in scorer.score_names}
    run, _ = TESTS[test]
    pvalues = {name: np.ones((len(stats), len(stats))) for name in scorer.score_names}
    pairs = list(combinations(range(len(stats)), 2))
    tested = run(scorer, stats, pairs, n_resamples=n_resamples, seed=seed)
    with bar_of("testing", "pairs", len(pairs)) as bar:
        for (one, other), results in zip(pairs, tested, strict=True):
            for name, result in results.items():
                pvalues[name][one, other] = pvalues[name][other, one] = result.pvalue
            if bar is not None:
                bar.update()
    return pvalues


def _tables(
    found: Comparison,
    spec: MetricSpec,
    scorer: Scorer,
    stats: Sequence[SegmentStats],
    scored: Sequence[SegmentStats],
    units: Sequence[SegmentStats],
    pvalues: dict[str, NDArray[np.float64]],
) -> Iterator[ScoreTable]:
    names = list(found.test_set.systems)
    base, seed = names.index(found.baseline), found.seed
    level, method = found.confidence_level, found.interval
    intervals = bootstraps(scorer, units, confidence_level=level, method=method, seed=seed)
    scores = [scorer.finalize(scorer.corpus_totals(each)) for each in scored]
    lists = [segment_lists(scorer, each) for each in stats]
    # wins and losses are of what is resampled: segments, those that are left out included, or clusters
    of_units = lists if found.test_set.clusters is None else [segment_lists(scorer, each) for each in units]
    signature = summarize(scorer, stats[base]).signature
    of_systems = dict(zip(names, stats, strict=True))
    for name, of_segment in zip(scorer.score_names, scorer.segment_names, strict=True):
        values = np.array([float(each[name]) for each in scores])
        higher, unknown = scorer.is_higher_better(name), np.isnan(values)
        tests = np.where(unknown[:, None] | unknown, np.nan, pvalues[name])  # NaN cannot be tested
        adjusted = _adjusted(tests)
        top = _best(values, higher)
        counts = [_counts(each[of_segment], of_units[base][of_segment], higher) for each in of_units]
        any_best = some_best(values.tolist(), higher)
        rows = []
        for index, system in enumerate(names):
            value, bounds = float(values[index]), intervals[index][name].confidence_interval
            best = any_best and bool(values[index] == values[top])  # of NaN, none is
            p = _or_none(adjusted[index, top])
            as_good = (best or (None if p is None else p >= found.alpha)) if any_best else None
            against: list[Any] = [None] * 6
            if index != base:
                of_baseline = (_or_none(each[index, base]) for each in (tests, adjusted))
                against = [value - float(values[base]), *of_baseline, *counts[index]]
            rows.append(SystemScore(*[system, value, bounds.low, bounds.high, *against, best, as_good]))
        segments = {system: lists[index][of_segment] for index, system in enumerate(names)}
        yield ScoreTable(spec.label, name, signature, rows, adjusted, segments, higher, scorer, of_systems)


def _best(values: NDArray[np.float64], higher: bool) -> int:
    """Return the place of the best value: NaN is none, unless all are."""
    worst = -np.inf if higher else np.inf
    known = np.where(np.isnan(values), worst, values)
    return int(known.argmax() if higher else known.argmin())


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _adjusted(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    known = np.triu(~np.isnan(pvalues), 1)
    adjusted = np.where(np.isnan(pvalues), np.nan, 1.0)
    adjusted[known] = holm(pvalues[known].tolist())
    return np.minimum(adjusted, adjusted.T)


def _counts(own: Sequence[float | None], base: Sequence[float | None], higher: bool) -> tuple[int, int, int]:
    """Return on how many segments, or clusters, a system is better than, as good as, and worse than the baseline."""
    known = ((one, other) for one, other in zip(own, base, strict=True) if one is not None and other is not None)
    pairs = [(one, other) for one, other in known if not math.isnan(one) and not math.isnan(other)]
    wins = sum(one > other if higher else one < other for one, other in pairs)
    ties = sum(one == other for one, other in pairs)
    return wins, ties, len(pairs) - wins - ties
