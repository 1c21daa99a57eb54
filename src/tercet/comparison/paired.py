"""Paired significance tests of two systems on the same texts, for any metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tercet.api import make_scorer
from tercet.checks import MOST_RESAMPLES, integer
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError, did_you_mean, shorten
from tercet.metric.metric import Metric
from tercet.metric.options import check_values
from tercet.metric.scorer import Scorer
from tercet.metric.scoring import batch_stats, summarize
from tercet.statistics.paired_tests import PairedTestResult, paired_bootstrap_test, paired_permutation_test
from tercet.statistics.stats import SegmentStats
from tercet.sums.rows import Rows, stats_of_rows

#: Paired tests by name, with their default number of resamples.
TESTS: dict[str, tuple[Callable[..., Iterator[dict[str, PairedTestResult]]], int]] = {
    "permutation": (paired_permutation_test, 10_000),
    "bootstrap": (paired_bootstrap_test, 1_000),
}


def check_options(
    metric: str | Metric, test: str, n_resamples: int | None, seed: int, options: Mapping[str, Any]
) -> Scorer:
    """Return the scorer, or raise an OptionError for what :func:`paired_significance` does not take."""
    if not isinstance(test, str) or test not in TESTS:
        raise OptionError(
            f"The 'test' option must be one of 'permutation', 'bootstrap', got {shorten(test)}. "
            f"{did_you_mean(test, TESTS)}"
        )
    for name in ("confidence_level", "segments"):
        if not (options.get(name) is None or options[name] is False):  # an array has no truth value
            raise OptionError(f"A paired test has no {name!r}: it gives differences and their p-values.")
    checks = {"n_resamples": integer(1, MOST_RESAMPLES, none=True), "seed": integer(0)}
    check_values("paired_significance", {"n_resamples": n_resamples, "seed": seed}, checks)
    scorer = make_scorer(metric, options)
    scorer.check_resampling()
    return scorer


def read_two(predictions1: Any, predictions2: Any, references: Any) -> Corpus:
    """Return the texts of two systems, checked and encoded; references may be an iterator, None for none."""
    return read_systems(("predictions1", "predictions2"), (predictions1, predictions2), references).encoded()


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
    both = read_two(predictions1, predictions2, references if scorer.takes_references else None)
    stats = batch_stats(scorer, both).split(2)
    return significance(scorer, stats, test=test, n_resamples=n_resamples, seed=seed)


def significance_of_parts(scorer: Scorer, parts: Sequence[Sequence[Rows]], **settings: Any) -> dict[str, Any]:
    """Return the result of :func:`paired_significance` for the parts of each system, with checked options."""
    return significance(scorer, [stats_of_rows(scorer, each) for each in parts], **settings)


def significance(
    scorer: Scorer, whole: Sequence[SegmentStats], *, test: str, n_resamples: int | None, seed: int
) -> dict[str, Any]:
    """Return the same result for the rows of both systems."""
    kept = np.logical_and(*(each.column("items") > 0 for each in whole))
    if not kept.any():
        raise InputError(scorer.nothing_left)
    systems = [each.selected(kept) for each in whole]
    run, usual = TESTS[test]
    number = usual if n_resamples is None else n_resamples
    (results,) = run(scorer, systems, n_resamples=number, seed=seed)
    totals = map(scorer.corpus_totals, systems)
    scores = [{name: float(own[name]) for name in scorer.score_names} for own in map(scorer.finalize, totals)]
    return {
        "stat": results[scorer.primary].statistic,
        "p": results[scorer.primary].pvalue,
        "scores1": scores[0],
        "scores2": scores[1],
        "stats": {name: result.statistic for name, result in results.items()},
        "pvalues": {name: result.pvalue for name, result in results.items()},
        "test": test,
        "n_resamples": number,
        "seed": seed,
        "n_segments": int(np.sum(kept)),
        "signature": summarize(scorer, whole[0]).signature,
    }
