"""The mean of two or three metrics that agrees best with grades, and whether it is better than one metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from tercet.comparison.specs.mean_of_metrics import SavedMean, WeightedMetric
from tercet.errors import InputError, OptionError, shorten
from tercet.option_checks import known_keywords
from tercet.registry import in_suite

from .figures import value_of
from .folds import Weights, best_candidate, combine, out_of_fold, single_metrics, spreads, standardize
from .metric_columns import MetricColumn
from .result import Correlation
from .samples import Array, GradedOutputs
from .significance import pvalues_between

#: Metrics that are combined at most: the best ones alone.
_MOST = 8
#: Into how many parts 1 is divided for the weights of a pair, and of three metrics.
_STEPS = {2: 10, 3: 5}


@dataclass(frozen=True, slots=True)
class BestMean:
    """A mean of metrics, beside the best single one.

    Attributes
    ----------
    mean : SavedMean
        With weights chosen on all items.
    dimension, figure : str
    in_sample : float
        The figure of this mean on the items that chose it: biased upwards.
    out_of_fold : float
        The figure of means that each score only items, or systems, that did not choose them.
    single : str
        The best single metric on all items.
    single_out_of_fold : float
        The figure of the single metric, chosen and scored in the same way.
    pvalue : float
        That the mean is no better than the single metric, both out of fold.
    unit : {"items", "systems"}
        What the folds hold.
    """

    mean: SavedMean
    dimension: str
    figure: str
    in_sample: float
    out_of_fold: float
    single: str
    single_out_of_fold: float
    pvalue: float
    unit: str = "items"

    def summary(self, alpha: float = 0.05) -> list[str]:
        """Return what was found, in words."""
        verdict = "better than" if self.pvalue < alpha else "not shown to be better than"
        return [
            f"Best mean for {self.dimension}, {self.figure}: {self.mean.formula}",
            f"{self.out_of_fold:.3f} on {self.unit} not used to choose the weights ({self.in_sample:.3f} on those "
            f"used), {verdict} the best single metric ({self.single}, {self.single_out_of_fold:.3f} likewise; p "
            f"{self.pvalue:.3g}).",
        ]


@known_keywords
def best_mean(found: Correlation, dimension: str | None = None, *, n_folds: int = 5, unit: str = "items") -> BestMean:
    """Find the weighted mean of two or three metrics that agrees best with grades.

    Parameters
    ----------
    found : Correlation
        With metrics of the suite; external scores and a user's own metrics are left out. Means are ranked by its
        figure.
    dimension : str, optional
        The first by default.
    n_folds : int
        Number of folds. For each fold, metrics and weights are chosen on the others.
    unit : {"items", "systems"}
        What the folds divide: ``items`` estimates the figure on new items of the same systems, ``systems`` on new
        systems (one per fold if there are at most as many as folds).

    Returns
    -------
    BestMean
        Save its mean with ``.mean.save(path)``: the file is a metric for :func:`tercet.compare` and the commands.

    Raises
    ------
    InputError, OptionError
        For fewer than two metrics, fewer items than twice the folds, fewer than three systems to divide, or an
        unknown dimension or unit.

    Notes
    -----
    Weights are multiples of a tenth, or of a fifth for three metrics, of standardized scores. The choice is nested in
    the folds, so what it gains by chance does not count in the out-of-fold figure. (Within a fold, candidates are
    compared on all items that it may see: their weights are fixed, so dividing those items again would compare the
    same numbers.) With the seed of `found`.

    Examples
    --------
    >>> import tercet
    >>> texts = {"A": ["the cat", "it rains", "a dog", "yes"], "B": ["a cat", "rain", "the dog barks", "no"]}
    >>> references = ["the cat sat", "it rains now", "a dog barks", "yes"]
    >>> grades = {"A": [5, 4, 3, 5], "B": [3, 1, 4, 1]}
    >>> found = tercet.correlate(
    ...     texts, ["jaccard:ngram=1", "bleu:max_order=2"], grades, references=references,
    ...     rank_by="pooled.pearson", n_resamples=9, n_permutations=9,
    ... )
    >>> best = best_mean(found, n_folds=2)
    >>> len(best.mean.parts), best.figure
    (2, 'pooled.pearson')
    """
    if not isinstance(found, Correlation):
        raise InputError(f"best_mean takes the result of tercet.correlate, got {shorten(found)}.")
    table = found.table(dimension)
    # A file names metrics of the suite: it runs no code of a user's own, and holds no other mean.
    columns = [column for column in found.metrics if column.metric is not None and in_suite(type(column.metric))]
    if len(columns) < 2:
        raise InputError("A mean needs at least two metrics that are not external.")
    if unit not in ("items", "systems"):
        raise OptionError(f"The unit of the folds must be one of items, systems. Got {shorten(unit)} instead.")
    figure = table.rank_by
    outputs = GradedOutputs(*found.graded(table, columns), found.cluster_numbers())
    human = outputs.human
    out_of_fold_scores = out_of_fold(
        figure, outputs, (_candidate_means, single_metrics), unit=unit, n_folds=n_folds, seed=found.seed
    )
    values = standardize(outputs.metrics)
    weights = best_candidate(figure, human, values, _candidate_means(figure, human, values))
    ((single_index, _),) = best_candidate(figure, human, values, single_metrics(figure, human, values))
    of_mean, of_single = (value_of(figure, human, scores) for scores in out_of_fold_scores)
    pvalues = pvalues_between(
        figure,
        outputs._replace(metrics=out_of_fold_scores),
        epsilons=[of_mean.epsilon, of_single.epsilon],
        n_resamples=found.n_permutations,
        seed=found.seed,
    )
    facts = {
        "dimension": table.dimension,
        "figure": figure,
        "out_of_fold": of_mean.value,
        "test_set": found.test_set.name,
    }
    return BestMean(
        mean=SavedMean(_weighted_metrics(columns, weights, spreads(outputs.metrics)), facts),
        dimension=table.dimension,
        figure=figure,
        in_sample=value_of(figure, human, combine(values, weights)).value,
        out_of_fold=of_mean.value,
        single=columns[single_index].label,
        single_out_of_fold=of_single.value,
        pvalue=float(pvalues[0, 1]),
        unit=unit,
    )


def _candidate_means(figure: str, human: Array, values: Array) -> list[Weights]:
    """Return all weights of two and three of the best single metrics."""
    single_figures = [value_of(figure, human, metric).value for metric in values]
    by_figure = np.argsort(np.nan_to_num(single_figures, nan=-np.inf))
    best_metrics = sorted(by_figure[::-1][:_MOST].tolist())
    means = []
    for size in (2, 3):
        n_steps = _STEPS[size]
        # Weights count steps, such as 3 + 7 of 10: each metric of a mean has at least one.
        splits = [split for split in product(range(1, n_steps), repeat=size) if sum(split) == n_steps]
        for indices in combinations(best_metrics, size):
            for split in splits:
                weights = [steps / n_steps for steps in split]
                means.append(tuple(zip(indices, weights, strict=True)))
    return means


def _weighted_metrics(columns: Sequence[MetricColumn], weights: Weights, spread: Array) -> tuple[WeightedMetric, ...]:
    """Return the mean of scores from 0 to 1 that orders texts like the mean of standardized scores."""
    # A saved mean adds scores from 0 to 1 as they are, so a weight includes the scale and the standardization.
    sizes = [weight * columns[index].scale / float(spread[index]) for index, weight in weights]
    parts = []
    for (index, _), size in zip(weights, sizes, strict=True):
        column = columns[index]
        if column.metric is not None:
            # the columns hold lower-is-better metrics negated
            weight = round(size / sum(sizes), 6)
            if column.negated:
                weight = -weight
            parts.append(WeightedMetric(column.metric.name, column.metric.written, column.score, weight))
    return tuple(parts)
