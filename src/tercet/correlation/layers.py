"""Which layer of BERTScore's encoder agrees with grades best, and whether that is more than chance."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.metrics.bertscore.metric import BertScore
from tercet.networks.layers import best_layer

from .figures import FigureValue, value_of
from .folds import Candidates, out_of_fold, single_metrics, why_no_folds
from .metric_columns import MetricColumn
from .samples import GradedOutputs
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
