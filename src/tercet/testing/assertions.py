"""Assertions for tests of a model: a score that must be reached, and a baseline that outputs must not fall behind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

from tercet.base.metric import Metric
from tercet.comparison.compare import compare
from tercet.comparison.gate import losses, warn_of_limit
from tercet.comparison.scores import Comparison, ScoreTable
from tercet.errors import OptionError, did_you_mean, shorten, warn
from tercet.tables import decimals

#: How many of the worst segments a failure shows.
_N_WORST = 3


def assert_score(
    predictions: Any,
    references: Any = None,
    metric: str | Metric = "bleu",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    score: str | None = None,
) -> None:
    """Assert that predictions score as well as they should.

    Parameters
    ----------
    predictions, references
        As in :func:`tercet.score`.
    metric : str or Metric
        With options, as ``"rouge:rouge_types=rougeL"``. In percent unless an option ``scale`` says otherwise.
    at_least, at_most : float, optional
        The least and the greatest score allowed; one of them, or both.
    score : str, optional
        Which score of the metric, such as ``rouge2``; its primary one by default.

    Raises
    ------
    AssertionError
        With the score, its interval, and the worst segments.
    OptionError, InputError
        For options and texts that cannot be scored.

    Examples
    --------
    >>> assert_score(["a cat sat"], ["a cat sat"], "chrf", at_least=90)
    """
    __tracebackhide__ = True
    if at_least is None and at_most is None:
        raise OptionError("assert_score needs at_least= or at_most=.")
    _check_metric("assert_score", metric)
    for limit in (at_least, at_most):
        if limit is not None and not (_is_number(limit) and math.isfinite(limit)):
            raise OptionError(f"assert_score: a limit must be a number, got {shorten(limit)}.")
    if at_least is not None and at_most is not None and at_least > at_most:
        raise OptionError(f"assert_score: at_least={at_least:g} is above at_most={at_most:g}.")
    comparison = compare({"predictions": predictions}, metric, references=references, test=None)
    table = _table(comparison, score)
    (row,) = table.rows
    if at_least is not None:
        warn_of_limit(table, at_least, f"assert_score: at_least={at_least:g}")
        if not table.higher_is_better and at_most is None:
            warn(f"assert_score: lower is better for {table.title}, and at_least= allows the worst. Give at_most=.")
    gap, side = 0.0, ""
    if at_least is not None and not row.value >= at_least:
        gap, side = at_least - row.value, f"below {at_least:g}"
    elif at_most is not None and not row.value <= at_most:
        gap, side = row.value - at_most, f"above {at_most:g}"
    if side:
        message = f"{table.title} is {decimals(row.value, row.digits)}, {side} by {decimals(gap, row.digits)}"
        if not math.isnan(row.low):
            low, high = decimals(row.low, row.digits), decimals(row.high, row.digits)
            message += f" ({100 * comparison.confidence_level:g} % interval: {low} to {high})"
        message += "."
        sign = 1 if table.higher_is_better else -1
        badness = [None if value is None else -sign * value for value in table.segments["predictions"]]
        raise AssertionError(message + _worst(comparison, table, badness))


def assert_not_worse(
    predictions: Any,
    baseline: Any,
    references: Any = None,
    metric: str | Metric = "chrf",
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    score: str | None = None,
    cluster: Any = None,
    seed: int = 12345,
) -> None:
    """Assert that predictions are not worse than those of a baseline, as ``tercet compare --fail-if-worse`` does.

    Parameters
    ----------
    predictions, baseline : sequence of str
        Texts for the same items.
    references, metric, score
        As in :func:`assert_score`.
    margin : float
        The greatest loss allowed, in the unit of the score: its interval of level 1 - 2 alpha must not end above it
        (non-inferiority). Where no text differs, of n texts about 3 / n may still be lost: 60 show a margin of 5 of
        100. With 0, the predictions must not be significantly worse.
    alpha : float
        Significance level of the one-sided test, above 0 and below 0.5.
    cluster : sequence of str or int, optional
        A label per item, as in :func:`tercet.compare`.
    seed : int
        Of the resamples.

    Raises
    ------
    AssertionError
        With the loss, its interval, how many items the margin needs, and the segments that lose most.
    OptionError, InputError
        For options and texts that cannot be scored.

    Notes
    -----
    Of several scores or systems, each is asserted by itself. A test that fails if any of its assertions fails passes
    a system that loses the margin with a probability of at most alpha, however many there are (intersection-union:
    Berger 1982, Technometrics 24, 295-300), so nothing is adjusted. With a margin of 0 it is the other way round: of
    many such assertions on equal outputs, more than alpha fail by chance; divide alpha by their number.

    Examples
    --------
    >>> references = ["a cat sat", "it rains", "two dogs bark"] * 20
    >>> assert_not_worse(["a cat sat", "it rained", "two dogs bark"] * 20, references, references, margin=25)
    """
    __tracebackhide__ = True
    _check_metric("assert_not_worse", metric)
    if not (_is_number(margin) and 0 <= margin < math.inf):
        raise OptionError(f"assert_not_worse: margin must be a number from 0 on, got {shorten(margin)}.")
    if not (_is_number(alpha) and 0 < alpha < 0.5):
        raise OptionError(f"assert_not_worse: alpha must be above 0 and below 0.5, got {shorten(alpha)}.")
    comparison = compare(
        {"baseline": baseline, "predictions": predictions},
        metric,
        references=references,
        test=None,
        alpha=alpha,
        cluster=cluster,
        seed=seed,
    )
    table = _table(comparison, score)
    (loss,) = losses(comparison, table, margin)
    if loss.failed:
        sign = 1 if table.higher_is_better else -1
        pairs = zip(table.segments["baseline"], table.segments["predictions"], strict=True)
        badness = [None if first is None or second is None else sign * (first - second) for first, second in pairs]
        raise AssertionError(
            f"The predictions against the baseline: {loss}" + _worst(comparison, table, badness, above=0)
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _check_metric(function: str, metric: Any) -> None:
    if not isinstance(metric, str | Metric):
        raise OptionError(f"{function} takes one metric, such as 'chrf', got {shorten(metric)}.")


def _table(comparison: Comparison, score: str | None) -> ScoreTable:
    """Return the table of a score, by default the metric's primary one."""
    tables = {table.name: table for table in comparison.tables}
    name = comparison.tables[0].scorer.primary if score is None else score
    if name not in tables:
        raise OptionError(f"There is no score {shorten(name)}. {did_you_mean(str(name), tables)}")
    return tables[name]


def _worst(
    comparison: Comparison, table: ScoreTable, badness: Sequence[float | None], *, above: float = -math.inf
) -> str:
    """Return the segments that are worst, with their scores and texts, as lines of a message."""
    test_set = comparison.test_set
    known = [(value, place) for place, value in enumerate(badness) if value is not None and value > above]
    places = [place for _, place in sorted(known, key=lambda pair: (-pair[0], pair[1]))[:_N_WORST]]
    lines = ["", "The worst items:"] if places else []
    for place in places:
        lines.append(f"  item {place}:")
        for system, texts in test_set.systems.items():
            value = table.segments[system][place]
            shown = "" if value is None else f" ({decimals(value, table.rows[0].digits)})"
            lines.append(f"    {system}{shown}: {shorten(texts[place])}")
        lines += [f"    reference: {shorten(text)}" for text in test_set.references[place]]
    return "\n".join(lines)
