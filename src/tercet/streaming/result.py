"""From sums to a result: scores, and intervals from the sums of resamples."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric, warn_of
from tercet.errors import InputError, MergeError, shorten
from tercet.result import Result
from tercet.signature import Signature
from tercet.statistics.bootstrap import rounding
from tercet.statistics.intervals import FEWEST_UNITS, expanded_levels, spread_of, too_few_units

from .rows import (
    ADDED,
    CONTEXT,
    SPREAD,
    SQUARES,
    Sums,
    context_of,
    empty_context,
    resampled,
    resampling_of,
    sums_columns,
)


def result_of(metric: Metric, sums: Sums) -> Result:
    """Return the result of sums; errors as :func:`check_made`, and if no item has a score."""
    check_made(metric, sums)
    floats = sums.exact.floats()
    rows = _of_columns(sums, floats, metric.columns)
    corpus, resamples = rows[0], rows[1:]
    if not corpus[metric.columns.index("items")]:
        raise InputError(metric.nothing_left if corpus.any() else "There are no items: nothing was added.")
    warn_of(metric, metric.corpus_warning(_context(metric, sums, floats)))
    warn_of(metric, metric.score_warning(corpus))

    signature = Signature.parse(sums.signature)
    notes = metric.notes(_references_of(metric, sums, floats))
    intervals = None
    level = metric.asked.confidence_level
    if level is not None:
        intervals = _intervals(metric, corpus, resamples, level)
        notes["ci"] = f"{level!r},expanded"
    line = str(signature.extended(notes))
    requested = {"intervals": intervals, "signature": line if metric.asked.signature else None}
    entries = metric.report(corpus, None)
    return Result(
        {**entries, **{name: value for name, value in requested.items() if value is not None}},
        metric=metric.name,
        signature=line,
        n_segments=metric.total_of(corpus, "items"),
        empty_predictions=metric.total_of(corpus, "empty"),
        missing_references=metric.total_of(corpus, "missing"),
        intervals=intervals,
        **metric.details(corpus, None, entries),
    )


def check_made(metric: Metric, sums: Sums) -> None:
    """Raise a MergeError if the signature of sums shows that other options made them."""
    signature = Signature.parse(sums.signature)
    if signature.metric != metric.name:
        raise MergeError(f"The sums are of {signature.metric or 'no metric'}, not of {metric.name}.")
    empty = None if metric.needs_corpus else empty_context(metric)  # the sums lack a context
    expected = sums_columns(metric, empty)
    for relation, names, other_names in (("lack", expected, sums.columns), ("also have", sums.columns, expected)):
        missing = [shorten(name)[1:-1] for name in names if name not in other_names]
        if missing:
            raise MergeError(
                f"The sums {relation} {', '.join(missing[:9])}: they are of another metric, or of other options."
            )
    _check_numbers(metric, sums)
    resampling = resampling_of(metric)
    n_requested = 0 if resampling is None else resampling.n_resamples
    n_resamples = len(sums.exact.digits) - 1
    if n_requested != n_resamples:
        raise MergeError(
            f"The sums have {n_resamples or 'no'} resamples, and these options ask for {n_requested or 'none'}: "
            "confidence_level and n_resamples must be those that the sums were made with."
        )
    # The signature of such a metric depends on the texts, which the sums lack.
    if metric.needs_corpus:
        return
    expected_signature = metric.signature(empty)
    if resampling is not None:
        expected_signature = resampled(expected_signature, resampling, signature.get("ids", ""))
    if dict(signature) != dict(expected_signature):
        raise MergeError(
            f"The sums were made with other options or another version: their signature is {signature}, that of "
            f"these options {expected_signature}."
        )


def _check_numbers(metric: Metric, sums: Sums) -> None:
    """Raise a MergeError for an impossible sum: below 0, not an integer, or more than one that it is a part of."""
    counts = {*metric.base_columns, *sums.columns} - {*metric.columns[len(metric.base_columns) :]}
    added = sums.of_corpus(ADDED)
    for column, name in enumerate(sums.columns):
        # Of the four digits of a sum, the first has the sign, and the last two are decimals.
        digits = sums.exact.digits[:, column]
        may_be_negative = metric.loads_model and name not in counts  # cosines
        problem = "less than 0" if (digits[:, 0] < 0).any() and not may_be_negative else ""
        if name in counts and name not in SPREAD and digits[:, 2:].any():
            problem = problem or "not an integer"
        if name in ("items", "empty", "missing") and sums.of_corpus(name) > added:
            problem = problem or "more than all items"
        if problem:
            raise MergeError(f"The sum of {shorten(name)} is {problem}, which no texts can give.")
    for chain in metric.ascending:
        for name, larger in pairwise(chain):
            if sums.exact.exceeds(sums.columns.index(name), sums.columns.index(larger)).any():
                raise MergeError(
                    f"The sum of {shorten(name)} is more than that of {shorten(larger)}, which no texts can give."
                )


def _of_columns(sums: Sums, floats: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    return floats[:, [sums.columns.index(name) for name in names]]


def _context(metric: Metric, sums: Sums, floats: NDArray[np.float64]) -> Any:
    """Return the metric's context of all texts, whose numbers are among the sums."""
    numbers = {
        name.removeprefix(CONTEXT): int(value)
        for name, value in zip(sums.columns, floats[0], strict=True)
        if name.startswith(CONTEXT)
    }
    return context_of(numbers or None, metric)


def _references_of(metric: Metric, sums: Sums, floats: NDArray[np.float64]) -> str:
    """Return how many references the items have: least and most, or the mean where an item has 31 or more."""
    names = (*metric.columns[:4], SQUARES)
    items, _, _, references, squares = _of_columns(sums, floats, names)[0].tolist()
    # By the inequality of Cauchy and Schwarz, equal only if all items have the same number of references.
    if items * squares == references * references:
        return f"{references / items:g}"
    spread = sums.exact.digits[0, [sums.columns.index(name) for name in SPREAD]].ravel()
    if not spread[-1] and spread.sum() == items:  # unless a digit overflowed
        reference_counts = np.flatnonzero(spread)
        return f"{reference_counts[0]}-{reference_counts[-1]}"
    return f"mean {references / items:.3g}"


def _intervals(
    metric: Metric, corpus: NDArray[np.float64], resamples: NDArray[np.float64], level: float
) -> dict[str, list[float]]:
    """Return the expanded percentiles of the resamples' scores; NaN where units are too few to have an interval."""
    observed = metric.finalize(corpus)
    n_items = metric.columns.index("items")
    n_units = _n_units(float(corpus[n_items]), resamples[:, n_items])
    if round(n_units) < FEWEST_UNITS:
        warn_of(metric, too_few_units(round(n_units), "item"))
        return {name: [math.nan, math.nan] for name in metric.score_names}
    levels = expanded_levels(level, n_units - 1, spread_of(n_units))
    intervals = {}
    # Of few items, some resamples draw none.
    nonempty = resamples[resamples[:, n_items] > 0]
    for name, distribution in metric.finalize(nonempty if len(nonempty) else corpus[None]).items():
        score = float(observed[name])
        bounds = np.quantile(distribution, levels)
        # What differs by rounding alone is the score itself, as in the bootstrap of a corpus in memory.
        bounds[np.abs(bounds - score) <= rounding(round(n_units)) * abs(score)] = score
        intervals[name] = bounds.tolist()
    return intervals


def _n_units(n_items: float, drawn: NDArray[np.float64]) -> float:
    """Return how many units the resamples draw: items, or clusters of them that sums do not count.

    A cluster is drawn a Poisson number of times, so that the variance of the items drawn is the sum of the squares of
    the clusters' sizes. Clusters of unequal sizes count as fewer (Kish 1965, *Survey Sampling*, section 11.7).
    """
    variance = float(np.mean((drawn - n_items) ** 2))
    return n_items**2 / variance if variance > 0 else n_items
