"""From sums to a result: scores, and intervals from the sums of resamples."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.base.scoring import warn_of
from tercet.errors import InputError, MergeError, shorten
from tercet.result import Result
from tercet.statistics.intervals import FEWEST_UNITS, expanded_levels, spread_of, too_few_units
from tercet.statistics.rounding import rounding

from .contexts import context_of, empty_context
from .sums import ADDED, CONTEXT, SPREAD, SQUARES, Sums, resampled, resampling_of, sums_columns


def result_of(metric: Metric, sums: Sums) -> Result:
    """Return the result of sums; errors as :func:`check_sums_match`, and if no item has a score."""
    check_sums_match(metric, sums)
    floats = sums.exact.floats()
    rows = _columns_of(sums, floats, metric.columns)
    corpus = rows[0]
    resamples = rows[1:]
    if not corpus[metric.columns.index("items")]:
        if corpus.any():
            raise InputError(metric.nothing_left)
        raise InputError("There are no items: nothing was added.")
    warn_of(metric, metric.corpus_warning(_context(metric, sums, floats)))
    warn_of(metric, metric.score_warning(corpus))

    notes = metric.notes(_references_of(metric, sums, floats))
    intervals = None
    level = metric.asked.confidence_level
    if level is not None:
        unit = "cluster" if sums.units == "clusters" else "item"
        intervals = _intervals(metric, corpus, resamples, level, unit)
        notes["ci"] = f"{level!r},expanded"
    line = str(sums.signature.extended(notes))
    entries = metric.report(corpus, None)
    requested: dict[str, Any] = {}
    if intervals is not None:
        requested["intervals"] = intervals
    if metric.asked.signature:
        requested["signature"] = line
    return Result(
        {**entries, **requested},
        metric=metric.name,
        signature=line,
        n_segments=metric.total_of(corpus, "items"),
        empty_predictions=metric.total_of(corpus, "empty"),
        missing_references=metric.total_of(corpus, "missing"),
        intervals=intervals,
        **metric.details(corpus, None, entries),
    )


def check_sums_match(metric: Metric, sums: Sums) -> None:
    """Raise a MergeError if the signature of sums shows that other options made them."""
    signature = sums.signature
    if signature.metric != metric.name:
        raise MergeError(f"The sums are of {signature.metric or 'no metric'}, not of {metric.name}.")
    empty = None if metric.needs_corpus else empty_context(metric)  # the sums lack a context
    expected = sums_columns(metric, empty)
    _refuse_columns("lack", [name for name in expected if name not in sums.columns])
    _refuse_columns("also have", [name for name in sums.columns if name not in expected])
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
        expected_signature = resampled(expected_signature, resampling, sums.units)
    if signature != expected_signature:
        raise MergeError(
            f"The sums were made with other options or another version: their signature is {signature}, that of "
            f"these options {expected_signature}."
        )


def _refuse_columns(relation: str, columns: list[str]) -> None:
    """Raise a MergeError if there are columns that sums lack, or should not have."""
    if columns:
        names = ", ".join(shorten(name)[1:-1] for name in columns[:9])
        raise MergeError(f"The sums {relation} {names}: they are of another metric, or of other options.")


def _check_numbers(metric: Metric, sums: Sums) -> None:
    """Raise a MergeError for an impossible sum: below 0, not an integer, or more than one that it is a part of."""
    own_columns = metric.columns[len(metric.base_columns) :]
    added = sums.corpus_sum(ADDED)
    for column, name in enumerate(sums.columns):
        # Those of all metrics count items, references and the like.
        must_be_whole = name not in own_columns
        # The first of the four digits of a sum has the sign, and the last two are decimals.
        digits = sums.exact.digits[:, column]
        is_negative = (digits[:, 0] < 0).any()
        may_be_negative = metric.loads_model and not must_be_whole  # cosines
        has_decimals = digits[:, 2:].any() and name not in SPREAD
        if is_negative and not may_be_negative:
            problem = "less than 0"
        elif must_be_whole and has_decimals:
            problem = "not an integer"
        elif name in ("items", "empty", "missing") and sums.corpus_sum(name) > added:
            problem = "more than all items"
        else:
            continue
        raise MergeError(f"The sum of {shorten(name)} is {problem}, which no texts can give.")
    for chain in metric.ascending:
        for name, larger in pairwise(chain):
            if sums.exact.exceeds(sums.columns.index(name), sums.columns.index(larger)).any():
                raise MergeError(
                    f"The sum of {shorten(name)} is more than that of {shorten(larger)}, which no texts can give."
                )


def _columns_of(sums: Sums, floats: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    return floats[:, [sums.columns.index(name) for name in names]]


def _context(metric: Metric, sums: Sums, floats: NDArray[np.float64]) -> Any:
    """Return the metric's context of all texts, whose numbers are among the sums."""
    numbers = {}
    for name, value in zip(sums.columns, floats[0], strict=True):
        if name.startswith(CONTEXT):
            numbers[name.removeprefix(CONTEXT)] = int(value)
    return context_of(numbers or None, metric)


def _references_of(metric: Metric, sums: Sums, floats: NDArray[np.float64]) -> str:
    """Return how many references the items have: least and most, or the mean where an item has 31 or more."""
    names = ("items", "references", SQUARES)
    items, references, squares = _columns_of(sums, floats, names)[0].tolist()
    # By the inequality of Cauchy and Schwarz, equal only if all items have the same number of references.
    if items * squares == references * references:
        return f"{references / items:g}"
    spread = sums.exact.digits[0, [sums.columns.index(name) for name in SPREAD]].ravel()
    if not spread[-1] and spread.sum() == items:  # unless a digit overflowed
        reference_counts = np.flatnonzero(spread)
        return f"{reference_counts[0]}-{reference_counts[-1]}"
    return f"mean {references / items:.3g}"


def _intervals(
    metric: Metric, corpus: NDArray[np.float64], resamples: NDArray[np.float64], level: float, unit: str
) -> dict[str, list[float]]:
    """Return the expanded percentiles of the resamples' scores; NaN where units are too few to have an interval."""
    observed = metric.finalize(corpus)
    items = metric.columns.index("items")
    n_units = _n_units(float(corpus[items]), resamples[:, items])
    if round(n_units) < FEWEST_UNITS:
        warn_of(metric, too_few_units(round(n_units), unit))
        return {name: [math.nan, math.nan] for name in metric.score_names}
    levels = expanded_levels(level, n_units - 1, spread_of(n_units))
    intervals = {}
    # Where items are few, some resamples draw none.
    nonempty = resamples[resamples[:, items] > 0]
    if not len(nonempty):
        nonempty = corpus[None]
    for name, distribution in metric.finalize(nonempty).items():
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
