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
from tercet.networks.find import best_layer

from .coefficients import FigureValue, value_of
from .grades import Array, MetricColumn, Numbers
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


# Cross-validation of a choice among metrics: some folds choose, the others are scored.

#: A mean of metrics: their indices and weights.
Weights = tuple[tuple[int, float], ...]
#: From the name of a figure, grades (n, m) and standardized scores (k, n, m) to the candidates.
Candidates = Callable[[str, Array, Array], Sequence[Weights]]

#: What a fold holds.
UNITS = ("items", "systems")
_Places = NDArray[np.int64]


def out_of_fold(
    figure: str,
    human: Array,
    metrics: Array,
    choices: Sequence[Candidates],
    *,
    unit: str,
    n_folds: int,
    seed: int,
    clusters: Numbers | None = None,
) -> Array:
    """Return out-of-fold scores of each choice, shape (len(choices), n, m).

    For each output it is the mean that was best by the figure without the outputs of its fold, which holds some of
    the items, or some of the systems with all their items. There are fewer folds where there are fewer systems. All
    items of a cluster are in the same fold.
    """
    axis = 1 if unit == "items" else 0
    found = np.full((len(choices), *human.shape), np.nan)
    for kept, held in _folds(human, axis, n_folds, seed, clusters):
        values = standardized(metrics, kept, axis)
        grades, seen = np.take(human, kept, axis), np.take(values, kept, axis + 1)
        for place, candidates in enumerate(choices):
            chosen = combined(values, best(figure, grades, seen, candidates(figure, grades, seen)))
            there = (slice(None), held) if axis else (held,)
            found[place][there] = chosen[there]
    return found


def _folds(
    human: Array, axis: int, n_folds: int, seed: int, clusters: Numbers | None
) -> Iterator[tuple[_Places, _Places]]:
    """Yield the training items, or systems, and the held-out ones."""
    if not isinstance(n_folds, int) or n_folds < 2:
        raise OptionError(f"The number of folds must be an integer of at least 2. Got {shorten(n_folds)} instead.")
    graded = np.flatnonzero((~np.isnan(human)).any(axis=1 - axis))
    if axis == 1 and len(graded) < 2 * n_folds:
        raise InputError(f"{len(graded)} graded items are too few for {n_folds} folds.")
    if axis == 0 and len(graded) < 3:
        raise InputError(f"{len(graded)} graded systems are too few for folds of systems; expected at least 3.")
    units = graded if axis == 0 or clusters is None else clusters[graded]
    order = np.random.default_rng(seed).permutation(np.unique(units))
    if len(order) < 2:
        raise InputError("All graded items are of one cluster; expected at least two clusters for folds.")
    for fold in np.array_split(order, min(n_folds, len(order))):
        held = np.isin(units, fold)
        yield graded[~held], graded[held]


def standardized(metrics: Array, places: _Places | None = None, axis: int = 1) -> Array:
    """Return z-scores, with mean and deviation of all outputs, or of those of some systems (axis 0) or items (1)."""
    seen = metrics if places is None else np.take(metrics, places, axis + 1)
    spread = spreads(seen)
    middle = np.nanmean(seen.reshape(len(seen), -1), axis=1)
    return np.asarray((metrics - middle[:, None, None]) / spread[:, None, None], np.float64)


def spreads(metrics: Array) -> Array:
    """Return the standard deviation of each metric, 1 of a constant one."""
    found = np.nanstd(metrics.reshape(len(metrics), -1), axis=1)
    return np.where(found > 0, found, 1.0)


def combined(values: Array, weights: Weights) -> Array:
    """Return the weighted sum of scores."""
    return np.asarray(sum(weight * values[number] for number, weight in weights), np.float64)


def best(figure: str, human: Array, values: Array, candidates: Sequence[Weights]) -> Weights:
    """Return the candidate with the best figure, of equal ones the first."""
    found = [np.nan_to_num(value_of(figure, human, combined(values, each))[0], nan=-np.inf) for each in candidates]
    return candidates[int(np.argmax(found))]


def singles(figure: str, human: Array, values: Array) -> list[Weights]:
    """Return each metric alone."""
    return [((number, 1.0),) for number in range(len(values))]
