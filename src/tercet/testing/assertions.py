"""Assertions for tests of a model: a score that must be reached, and a baseline that outputs must not fall behind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from tercet.base.metric import Metric
from tercet.comparison.compare import compare
from tercet.comparison.gates.completeness import too_many_gaps
from tercet.comparison.gates.gate import Question, losses_of_all, warn_of_limit
from tercet.comparison.inputs.settings import MOST_MISSING
from tercet.comparison.result import Comparison
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.comparison.values.scores import ScoreTable
from tercet.errors import OptionError, did_you_mean, shorten, warn
from tercet.table_formats import decimals

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
    max_missing: float = MOST_MISSING,
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
    max_missing : float
        The greatest share of predictions, from 0 to 1, that may be empty or an error's message.

    Raises
    ------
    AssertionError
        With the score, its interval, and the worst segments; or with how many predictions are missing.
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
    _check_share("assert_score", max_missing)
    _check_limits(at_least, at_most)
    if score is not None:
        metric = _with_all_scores(metric)
    comparison = compare({"predictions": predictions}, metric, references=references, test=None)
    table = _table_of_score(comparison, score)
    _check_complete(comparison, table, max_missing)
    (row,) = table.rows
    if at_least is not None:
        warn_of_limit(table, at_least, f"assert_score: at_least={at_least:g}")
        if not table.higher_is_better and at_most is None:
            warn(f"assert_score: lower is better for {table.title}, and at_least= allows the worst. Give at_most=.")
    # Not "<" and ">", which a score that is not a number would pass.
    if at_least is not None and not row.value >= at_least:
        gap = at_least - row.value
        missed = f"below {at_least:g}"
    elif at_most is not None and not row.value <= at_most:
        gap = row.value - at_most
        missed = f"above {at_most:g}"
    else:
        return
    digits = row.digits
    while digits < 12 and gap < 10.0**-digits:
        digits += 1
    message = f"{table.title} is {decimals(row.value, digits)}, {missed} by {decimals(gap, digits)}"
    if not math.isnan(row.low):
        low = decimals(row.low, row.digits)
        high = decimals(row.high, row.digits)
        message += f" ({100 * comparison.confidence_level:g} % interval: {low} to {high})"
    sign = 1 if table.higher_is_better else -1
    badness = [None if value is None else -sign * value for value in table.segments["predictions"]]
    raise AssertionError(f"{message}.{_worst_items(comparison, table, 'predictions', badness)}")


def assert_not_worse(
    predictions: Any,
    baseline: Any,
    references: Any = None,
    metric: str | Metric | Sequence[str | Metric] = "chrf",
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    score: str | None = None,
    cluster: Any = None,
    seed: int = 12345,
    max_missing: float = MOST_MISSING,
) -> None:
    """Assert that predictions are not worse than those of a baseline, as ``tercet compare --fail-if-worse`` does.

    Parameters
    ----------
    predictions, baseline : sequence of str
        Texts for the same items. Predictions of several systems are a mapping of their names to texts.
    references, score
        As in :func:`assert_score`.
    metric : str or Metric, or a sequence of them
        As in :func:`assert_score`. Of several, the primary score of each.
    margin : float
        The greatest loss allowed, in the unit of the score: its interval of level 1 - 2 alpha must not end above it
        (non-inferiority). Where no text differs, of n texts about 3 / n may still be lost: 60 show a margin of 5 of
        100. With 0, the predictions must not be significantly worse. Fewer than five items,
        which show nothing, fail.
    alpha : float
        Significance level of the one-sided test, above 0 and below 0.5.
    cluster : sequence of str or int, optional
        A label per item, as in :func:`tercet.compare`.
    seed : int
        Of the resamples.
    max_missing : float
        As in :func:`assert_score`.

    Raises
    ------
    AssertionError
        With the loss, its interval, how many items the margin needs, and the segments that lose most; or with how
        many predictions are missing.
    OptionError, InputError
        For options and texts that cannot be scored.

    Notes
    -----
    An assertion of several scores or systems fails if any of them fails. With a margin it passes a system that loses
    the margin with a probability of at most alpha, however many there are (intersection-union: Berger 1982,
    Technometrics 24, 295-300), so nothing is adjusted. With a margin of 0 it fails by chance with a probability of
    about alpha, as their levels are adjusted together (step-down: Westfall and Young 1993). Several
    assertions know nothing of each other: of many with a margin of 0, more than alpha fail by chance.

    Examples
    --------
    >>> references = ["a cat sat", "it rains", "two dogs bark"] * 20
    >>> assert_not_worse(["a cat sat", "it rained", "two dogs bark"] * 20, references, references, margin=25)
    """
    __tracebackhide__ = True
    metrics = _checked_metrics(metric, score)
    systems = dict(predictions) if isinstance(predictions, Mapping) else {"predictions": predictions}
    if not systems:
        raise OptionError(
            "assert_not_worse: predictions is an empty mapping; expected the texts of a system or more."
        )
    if "baseline" in systems:
        raise OptionError(
            "assert_not_worse: a system is called 'baseline', as the texts of baseline= are. Call it otherwise."
        )
    _check_share("assert_not_worse", max_missing)
    if not (_is_number(margin) and 0 <= margin < math.inf):
        raise OptionError(f"assert_not_worse: margin must be a number from 0 on, got {shorten(margin)}.")
    if not (_is_number(alpha) and 0 < alpha < 0.5):
        raise OptionError(f"assert_not_worse: alpha must be above 0 and below 0.5, got {shorten(alpha)}.")
    comparison = compare(
        {"baseline": baseline, **systems},
        metrics,
        references=references,
        test=None,
        alpha=alpha,
        cluster=cluster,
        seed=seed,
    )
    if score is None:
        tables = [table for table in comparison.tables if table.name == table.scorer.primary]
    else:
        tables = [_table_of_score(comparison, score)]
    for table in tables:
        _check_complete(comparison, table, max_missing)
    losses = losses_of_all([Question(comparison, table, margin) for table in tables])
    tables_of_tests = [table for table in tables for _ in systems]
    messages = []
    for table, (_, loss) in zip(tables_of_tests, losses, strict=True):
        if loss.failed:
            name = shorten(loss.system) if isinstance(predictions, Mapping) else "The predictions"
            worst = _worst_items(comparison, table, loss.system, _item_losses(table, loss.system), above=0)
            messages.append(f"{name} against the baseline: {loss}{worst}")
    if messages:
        raise AssertionError("\n".join(messages))


def _item_losses(table: ScoreTable, system: str) -> list[float | None]:
    """Return by how much each item is worse than the baseline's; None where one of the two has no score."""
    sign = 1 if table.higher_is_better else -1
    losses: list[float | None] = []
    for first, second in zip(table.segments["baseline"], table.segments[system], strict=True):
        if first is None or second is None:
            losses.append(None)
        else:
            losses.append(sign * (first - second))
    return losses


def _check_complete(comparison: Comparison, table: ScoreTable, max_missing: float) -> None:
    """Raise an AssertionError where more of the predictions are missing."""
    __tracebackhide__ = True
    for gaps in too_many_gaps(comparison, [table], max_missing):
        if gaps.system != "baseline":
            raise AssertionError(gaps.in_words(max_missing))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _check_limits(at_least: Any, at_most: Any) -> None:
    for limit in (at_least, at_most):
        if limit is not None and not (_is_number(limit) and math.isfinite(limit)):
            raise OptionError(f"assert_score: a limit must be a number, got {shorten(limit)}.")
    if at_least is not None and at_most is not None and at_least > at_most:
        raise OptionError(f"assert_score: at_least={at_least:g} is above at_most={at_most:g}.")


def _check_metric(function: str, metric: Any) -> None:
    if not isinstance(metric, str | Metric):
        raise OptionError(f"{function} takes one metric, such as 'chrf', got {shorten(metric)}.")


def _checked_metrics(metric: Any, score: str | None) -> Any:
    """Return what compare() takes; a name of a score is for one metric."""
    if isinstance(metric, str | Metric):
        return metric if score is None else _with_all_scores(metric)
    if not isinstance(metric, Sequence) or not metric:
        raise OptionError(
            f"assert_not_worse takes a metric or several, such as ['bleu', 'chrf'], got {shorten(metric)}."
        )
    for entry in metric:
        _check_metric("assert_not_worse", entry)
    if score is not None:
        raise OptionError(f"assert_not_worse: score={shorten(score)} is for one metric, and there are {len(metric)}.")
    return list(metric)


def _with_all_scores(metric: str | Metric) -> Metric:
    """Return a metric of which ``score=`` may name any score, also one that tables leave out."""
    return parse_metric(metric) if isinstance(metric, str) else metric


def _check_share(function: str, max_missing: Any) -> None:
    if not (_is_number(max_missing) and 0 <= max_missing <= 1):
        raise OptionError(f"{function}: max_missing must be a share from 0 to 1, got {shorten(max_missing)}.")


def _table_of_score(comparison: Comparison, score: str | None) -> ScoreTable:
    """Return the table of a score, by default the metric's primary one."""
    tables = {table.name: table for table in comparison.tables}
    name = comparison.tables[0].scorer.primary if score is None else score
    if name not in tables:
        raise OptionError(f"There is no score {shorten(name)}. {did_you_mean(str(name), tables)}")
    return tables[name]


def _worst_items(
    comparison: Comparison,
    table: ScoreTable,
    system: str,
    badness: Sequence[float | None],
    *,
    above: float = -math.inf,
) -> str:
    """Return the items in which a system is worst, with scores and texts beside the baseline's, as lines."""
    test_set = comparison.test_set
    bad = [item for item, value in enumerate(badness) if value is not None and value > above]
    worst = sorted(bad, key=lambda item: -(badness[item] or 0.0))[:_N_WORST]
    lines = ["", "The worst items:"] if worst else []
    for item in worst:
        lines.append(f"  item {item}:")
        for name, texts in test_set.systems.items():
            if name not in ("baseline", system):
                continue
            value = table.segments[name][item]
            score = "" if value is None else f" ({decimals(value, table.digits)})"
            lines.append(f"    {name}{score}: {shorten(texts[item])}")
        lines += [f"    reference: {shorten(text)}" for text in test_set.references[item]]
    return "\n".join(lines)
