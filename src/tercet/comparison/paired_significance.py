"""Paired significance tests of two systems on the same texts, for any metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.options import check_value, check_values
from tercet.base.scoring import batch_stats, summarize
from tercet.comparison.inputs.settings import RESAMPLES, CompareSettings
from tercet.comparison.values.scores import scored_for_all
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError
from tercet.option_checks import one_of
from tercet.specs import take_options
from tercet.statistics.inference import pvalues_of_pairs
from tercet.statistics.kinds_of_tests import TESTS
from tercet.statistics.stats import SegmentStats

if TYPE_CHECKING:
    from tercet.streaming.rows import KeptRows


def paired_significance(
    metric: str | Metric,
    predictions1: Any,
    predictions2: Any,
    references: Any = None,
    *,
    test: str = "permutation",
    n_resamples: int | None = None,
    seed: int = 12345,
    **options: Any,
) -> dict[str, Any]:
    """Test whether the difference between two systems is more than chance.

    Test, resamples, seed and options are those of the evaluate module; references are ignored if the metric
    takes none. The result has ``stat`` and ``p`` of the primary score (second less first), ``scores1``, ``scores2``,
    ``stats`` and ``pvalues`` by name of score, and ``test``, ``n_resamples``, ``seed``, ``n_segments``,
    ``signature``.
    """
    scorer = check_options(metric, test, n_resamples, seed, options)
    if references is None and scorer.takes_references:
        raise InputError("references must be a list with one text or one list of texts per item, got None.")
    corpus = read_two(predictions1, predictions2, references if scorer.takes_references else None)
    stats = batch_stats(scorer, corpus).split(2)
    return significance(scorer, stats, test=test, n_resamples=n_resamples, seed=seed)


def check_options(
    metric: str | Metric, test: str, n_resamples: int | None, seed: int, options: Mapping[str, Any]
) -> Metric:
    """Return the metric, or raise an OptionError for what :func:`paired_significance` does not take."""
    # In contrast to `compare`, None is no test here.
    check_value("paired_significance", "test", one_of(*RESAMPLES), test)
    metric_or_name, all_options = take_options(metric, options)
    for name in ("confidence_level", "segments"):
        # Compared with None and False, since an array of segments has no truth value.
        if not (all_options.get(name) is None or all_options[name] is False):
            raise OptionError(f"A paired test has no {name!r}: it gives differences and their p-values.")
    settings = {"test": test, "n_resamples": n_resamples, "seed": seed}
    check_values("paired_significance", settings, CompareSettings.checks())
    scorer = make_scorer(metric_or_name, all_options)
    scorer.check_call(resampled=True)
    return scorer


def read_two(predictions1: Any, predictions2: Any, references: Any) -> Corpus:
    """Return the texts of two systems, checked and encoded; references may be an iterator, None for none."""
    return read_systems(("predictions1", "predictions2"), (predictions1, predictions2), references).encoded()


def significance_of_parts(metric: Metric, parts: Sequence[Sequence[KeptRows]], **settings: Any) -> dict[str, Any]:
    """Return the result of :func:`paired_significance` for the parts of each system, with checked options."""
    from tercet.streaming.rows import stats_of_rows

    return significance(metric, [stats_of_rows(metric, system_parts) for system_parts in parts], **settings)


def significance(
    metric: Metric, stats: Sequence[SegmentStats], *, test: str, n_resamples: int | None, seed: int
) -> dict[str, Any]:
    """Return the result of :func:`paired_significance` by the rows of both systems, with checked options."""
    is_scored = scored_for_all(stats)
    if not is_scored.any():
        raise InputError(metric.nothing_left)
    systems = [system_stats.selected(is_scored) for system_stats in stats]
    n_asked = RESAMPLES[test] if n_resamples is None else n_resamples
    paired_test = TESTS[test]
    tests = pvalues_of_pairs(paired_test, metric, systems, [(0, 1)], n_resamples=n_asked, seed=seed)
    first, second = (_scores(metric, rows) for rows in systems)
    statistics = {name: second[name] - first[name] for name in metric.score_names}
    pvalues = {name: float(tests[name].pvalues[0]) for name in metric.score_names}
    return {
        "stat": statistics[metric.primary],
        "p": pvalues[metric.primary],
        "scores1": first,
        "scores2": second,
        "stats": statistics,
        "pvalues": pvalues,
        "test": test,
        "n_resamples": paired_test.resamples(len(systems[0]), n_asked).number,
        "seed": seed,
        "n_segments": int(np.sum(is_scored)),
        "signature": summarize(metric, stats[0]).signature,
    }


def _scores(metric: Metric, rows: SegmentStats) -> dict[str, float]:
    scores = metric.finalize(metric.corpus_totals(rows))
    return {name: float(scores[name]) for name in metric.score_names}
