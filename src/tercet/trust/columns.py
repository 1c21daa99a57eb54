"""Scores of one metric beside the grades, and a figure of them with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercet.comparison.metric_specs import MetricSpec

from .weighted import Array


@dataclass(frozen=True, slots=True)
class FigureValue:
    """A figure of a metric.

    Attributes
    ----------
    value : float
    low, high : float
        Bootstrap interval.
    epsilon : float
        Differences of the metric's scores, in their own unit, of at most this much count as ties; 0 but for
        ``item.acc_eq``.
    n : int
        Outputs, items or systems that it is of. Items with a constant side have no correlation.
    """

    value: float
    low: float
    high: float
    epsilon: float
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """Scores of one metric.

    Attributes
    ----------
    label : str
        The metric, with its options where it is there twice, and the score where it has several.
    signature : str
        Empty for scores made elsewhere.
    scores : ndarray, shape (n, m)
        Of each system and item; higher is better: those of other metrics are negated.
    negated : bool
    spec : MetricSpec, optional
        What scored; none for scores made elsewhere.
    score : str
        The name of the score.
    scale : int
        1, or 100 for percent: that of the package whose scores these are, unless the options say another.
    """

    label: str
    signature: str
    scores: Array = field(repr=False)
    negated: bool = False
    spec: MetricSpec | None = None
    score: str = ""
    scale: int = 1
