"""Which layer of BERTScore's encoder agrees with grades best, and whether that is more than chance."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, shorten
from tercet.metrics.bertscore.metric import BertScore
from tercet.networks.layers import best_layer

from .figures import FigureValue, value_of
from .metric_columns import MetricColumn
from .samples import Array, GradedOutputs, Numbers
from .significance import pvalues_between

#: The score by which layers are compared, as BERTScore names it: F, not precision or recall.
_SCORE = re.compile(r"mean_f1_layer(\d+)")
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class LayerSweep:
    """The figure of each layer, and the gain from choosing one by the grades."""

    metric: str  # as the table calls it, without the score
    dimension: str
    figure: str
    values: list[FigureValue]  # of F by each layer, from 0, the embeddings, on
    best: int  # among equals, the usual one first
    usual: int  # without grades: the requested one, that of bert-score, or two thirds of the depth
    out_of_fold: float  # each fold scored by the layer that the others choose
    usual_out_of_fold: float  # with the usual layer
    pvalue: float  # that choosing is no better; 1 if the usual layer is always chosen

    def summary(self, alpha: float = 0.05) -> str:
        """Return what was found, in words."""
        value = f"{self.figure} {self.values[self.best].value:.3f}"
        begin = f"Best layer of {self.metric} for {self.dimension}: {self.best} ({value}"
        if self.best == self.usual:
            return f"{begin}), which is also the one that is used without grades."
        verdict = "more than chance" if self.pvalue < alpha else "which may be chance"
        return (
            f"{begin}; layer {self.usual}, used without grades, {self.values[self.usual].value:.3f}). Chosen on "
            f"other items, the layer gives {self.out_of_fold:.3f} where layer {self.usual} gives "
            f"{self.usual_out_of_fold:.3f}: {verdict} (p {self.pvalue:.3g})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain Python; the values are among the table's figures."""
        names = ("metric", "best", "usual", "out_of_fold", "usual_out_of_fold")
        return {**{name: getattr(self, name) for name in names}, "p": self.pvalue}


def layer_sweeps(
    dimension: str,
    figure: str,
    outputs: GradedOutputs,
    columns: Sequence[MetricColumn],
    figures: Mapping[str, Mapping[str, FigureValue]],
    n_permutations: int,
    seed: int,
) -> list[LayerSweep]:
    """Compare the layers of each metric that was scored with ``all_layers=True``.

    There is no sweep if no layer has the figure (as with constant grades), or if there are too few graded items for
    five folds. `columns` are those of the metrics of the outputs.
    """
    if why_no_folds(outputs, "items", _FOLDS):
        # a warning says so
        return []
    sweeps = []
    for numbers in _layers_of_metrics(columns):
        layers = [columns[number] for number in numbers]
        usual = _usual(layers)
        values = [figures[layer.label][figure] for layer in layers]
        comparable_values = np.nan_to_num([value.value for value in values], nan=-np.inf)
        if np.isneginf(comparable_values).all():
            continue
        best = int(comparable_values.argmax())
        if comparable_values[usual] == comparable_values[best]:
            best = usual
        out_of_fold_scores = out_of_fold(
            figure,
            outputs._replace(metrics=outputs.metrics[numbers]),
            (single_metrics, _always(usual)),
            unit="items",
            n_folds=_FOLDS,
            seed=seed,
        )
        chosen, of_usual = (value_of(figure, outputs.human, scores) for scores in out_of_fold_scores)
        pvalues = pvalues_between(
            figure,
            outputs._replace(metrics=out_of_fold_scores),
            epsilons=[chosen.epsilon, of_usual.epsilon],
            n_resamples=n_permutations,
            seed=seed,
        )
        sweeps.append(
            LayerSweep(
                metric=layers[0].label.removesuffix(f" {layers[0].score}"),
                dimension=dimension,
                figure=figure,
                values=values,
                best=best,
                usual=usual,
                out_of_fold=chosen.value,
                usual_out_of_fold=of_usual.value,
                pvalue=float(pvalues[0, 1]),
            )
        )
    return sweeps


def _layers_of_metrics(columns: Sequence[MetricColumn]) -> list[list[int]]:
    """Return for each metric with scores by layer the numbers of their columns, layer by layer."""
    # The columns of one metric share it, and come in the order of its scores.
    numbers: dict[int, list[int]] = defaultdict(list)
    for number, column in enumerate(columns):
        if column.metric is not None and _SCORE.fullmatch(column.score):
            numbers[id(column.metric)].append(number)
    return list(numbers.values())


def _always(layer: int) -> Candidates:
    """Return the choice without grades."""
    return lambda figure, human, values: [((layer, 1.0),)]


def _usual(columns: Sequence[MetricColumn]) -> int:
    """Return the layer that would be used without grades."""
    metric = columns[0].metric
    assert isinstance(metric, BertScore)
    layer = metric.num_layers
    if layer is None:
        layer = best_layer(metric.encoder_name)
    if layer is None:
        layer = max(1, round((len(columns) - 1) * 2 / 3))
    return layer


# Cross-validation of a choice among metrics: the outputs of each fold are scored by what the other folds choose.

#: A mean of metrics: their indices and weights.
Weights = tuple[tuple[int, float], ...]
#: From the name of a figure, grades (n, m) and standardized scores (k, n, m) to the candidates.
Candidates = Callable[[str, Array, Array], Sequence[Weights]]
_Indices = NDArray[np.int64]
#: Of grades (n, m), by the unit that folds hold.
_AXES = {"systems": 0, "items": 1}


def out_of_fold(
    figure: str, outputs: GradedOutputs, choices: Sequence[Candidates], *, unit: str, n_folds: int, seed: int
) -> Array:
    """Return out-of-fold scores of each choice, shape (len(choices), n, m).

    For each output it is the mean that was best by the figure without the outputs of its fold, which holds some of
    the items, or some of the systems with all their items. There are fewer folds where there are fewer systems. All
    items of a cluster are in the same fold.
    """
    if not isinstance(n_folds, int) or n_folds < 2:
        raise OptionError(f"The number of folds must be an integer of at least 2. Got {shorten(n_folds)} instead.")
    too_few = why_no_folds(outputs, unit, n_folds)
    if too_few:
        raise InputError(too_few)
    human = outputs.human
    axis = _AXES[unit]
    scores = np.full((len(choices), *human.shape), np.nan)
    for training, held_indices in _folds(human, axis, n_folds, seed, outputs.clusters):
        values = standardize(outputs.metrics, training, axis)
        training_grades = np.take(human, training, axis)
        training_scores = np.take(values, training, axis + 1)
        for choice, candidates_of in enumerate(choices):
            candidates = candidates_of(figure, training_grades, training_scores)
            chosen_scores = combine(values, best_candidate(figure, training_grades, training_scores, candidates))
            # the held-out items of all systems, or all items of the held-out systems
            held_out = (slice(None), held_indices) if axis == 1 else (held_indices,)
            scores[choice][held_out] = chosen_scores[held_out]
    return scores


def why_no_folds(outputs: GradedOutputs, unit: str, n_folds: int) -> str:
    """Return why items or systems are too few for folds; "" where they are enough."""
    graded = _graded(outputs.human, _AXES[unit])
    if unit == "items" and len(graded) < 2 * n_folds:
        return f"{len(graded)} graded items are too few for {n_folds} folds."
    if unit == "items" and outputs.clusters is not None and len(np.unique(outputs.clusters[graded])) < 2:
        return "All graded items are of one cluster; expected at least two clusters for folds."
    if unit == "systems" and len(graded) < 3:
        return f"{len(graded)} graded systems are too few for folds of systems; expected at least 3."
    return ""


def _graded(human: Array, axis: int) -> _Indices:
    """Return the systems (axis 0), or items (1), of which any output is graded."""
    return np.flatnonzero((~np.isnan(human)).any(axis=1 - axis))


def _folds(
    human: Array, axis: int, n_folds: int, seed: int, clusters: Numbers | None
) -> Iterator[tuple[_Indices, _Indices]]:
    """Yield the training items, or systems, and the held-out ones."""
    graded = _graded(human, axis)
    units = graded if axis == 0 or clusters is None else clusters[graded]
    order = np.random.default_rng(seed).permutation(np.unique(units))
    for fold in np.array_split(order, min(n_folds, len(order))):
        is_held_out = np.isin(units, fold)
        yield graded[~is_held_out], graded[is_held_out]


def standardize(metrics: Array, indices: _Indices | None = None, axis: int = 1) -> Array:
    """Return z-scores, with mean and deviation of all outputs, or of those of some systems (axis 0) or items (1)."""
    selected = metrics if indices is None else np.take(metrics, indices, axis + 1)
    spread = spreads(selected)
    mean = np.nanmean(selected.reshape(len(selected), -1), axis=1)
    return np.asarray((metrics - mean[:, None, None]) / spread[:, None, None], np.float64)


def spreads(metrics: Array) -> Array:
    """Return the standard deviation of each metric, 1 of a constant one."""
    deviations = np.nanstd(metrics.reshape(len(metrics), -1), axis=1)
    return np.where(deviations > 0, deviations, 1.0)


def combine(values: Array, weights: Weights) -> Array:
    """Return the weighted sum of scores."""
    return np.asarray(sum(weight * values[index] for index, weight in weights), np.float64)


def best_candidate(figure: str, human: Array, values: Array, candidates: Sequence[Weights]) -> Weights:
    """Return the candidate with the best figure, of equal ones the first."""
    figures = [value_of(figure, human, combine(values, weights)).value for weights in candidates]
    return candidates[int(np.argmax(np.nan_to_num(figures, nan=-np.inf)))]


def single_metrics(figure: str, human: Array, values: Array) -> list[Weights]:
    """Return each metric alone."""
    return [((index, 1.0),) for index in range(len(values))]
