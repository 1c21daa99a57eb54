"""Which layer of BERTScore's encoder agrees with grades best, and whether that is more than chance."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.encoders.names import best_layer
from tercet.errors import InputError
from tercet.metrics.bertscore.metric import BertScore

from .figures import FigureValue, value_of
from .folds import Candidates, out_of_fold, singles
from .grades import MetricColumn
from .sample import Array, Numbers
from .significance import pvalues_between

#: The score that is compared: F.
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
        own = ("metric", "best", "usual", "out_of_fold", "usual_out_of_fold")
        return {**{name: getattr(self, name) for name in own}, "p": self.pvalue}


def layer_sweeps(
    dimension: str,
    figure: str,
    human: Array,
    metrics: Array,
    columns: Sequence[MetricColumn],
    figures: Mapping[str, Mapping[str, FigureValue]],
    n_permutations: int,
    seed: int,
    clusters: Numbers | None = None,
) -> list[LayerSweep]:
    """Compare the layers of each metric that was scored with ``all_layers=True``.

    There is no sweep if no layer has the figure (as with constant grades), or if there are too few graded items for
    five folds. `human` has shape (systems, items), `metrics` a further axis for the columns before.
    """
    by_metric: dict[int, list[int]] = defaultdict(list)
    for place, column in enumerate(columns):
        if column.spec is not None and _SCORE.fullmatch(column.score):
            by_metric[id(column.spec)].append(place)
    found = []
    for places in by_metric.values():
        layers = [columns[place] for place in places]
        usual = _usual(layers)
        values = [figures[layer.label][figure] for layer in layers]
        known = np.nan_to_num([each.value for each in values], nan=-np.inf)
        if np.isneginf(known).all():
            continue
        best = usual if known[usual] == known.max() else int(known.argmax())
        try:
            folded = out_of_fold(
                figure, human, metrics[places], (singles, _always(usual)), unit="items", n_folds=_FOLDS, seed=seed,
                clusters=clusters,
            )  # fmt: skip
        except InputError:  # too few items for folds: a warning says so
            continue
        out = [value_of(figure, human, each) for each in folded]
        p = pvalues_between(figure, human, folded, [epsilon for _, epsilon in out], n_permutations, seed, clusters)[
            0, 1
        ]
        called = layers[0].label.removesuffix(f" {layers[0].score}")
        found.append(LayerSweep(called, dimension, figure, values, best, usual, out[0][0], out[1][0], float(p)))
    return found


def _always(layer: int) -> Candidates:
    """Return the choice without grades."""
    return lambda figure, human, values: [((layer, 1.0),)]


def _usual(columns: Sequence[MetricColumn]) -> int:
    """Return the layer that would be used without grades."""
    assert columns[0].spec is not None
    scorer = columns[0].spec.scorer()
    assert isinstance(scorer, BertScore)
    asked = scorer.num_layers
    known = best_layer(scorer.encoder_name) if asked is None else asked
    return max(1, round((len(columns) - 1) * 2 / 3)) if known is None else known
