"""What the modules for torchmetrics share: states that add up on any ranks, and the shape of what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from tercet.base.metric import Metric as SuiteMetric
from tercet.base.scoring import batch_stats
from tercet.corpus.artefacts import Watch
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing
from tercet.signature import digest
from tercet.statistics.exact_sums import DIGITS, ExactSums

_MOST_ROWS = 1 << 19  # that have one exact sum


class Module(Metric):
    """What all modules share."""

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    #: Properties that torch.jit.script does not compile.
    __jit_unused_properties__: ClassVar[list[str]] = Metric.__jit_unused_properties__

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Leave the properties of a class out: they read the suite's sums and objects."""
        super().__init_subclass__(**kwargs)
        properties = [name for name, value in vars(cls).items() if isinstance(value, property)]
        cls.__jit_unused_properties__ = [*cls.__jit_unused_properties__, *properties]

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw one value, by default that of `compute`, or several of a training."""
        return self._plot(val, ax)


class SumsModule(Module):
    """A module that keeps the exact sums of the suite's rows: the same bits in any order, and on any ranks.

    They are whole numbers, the digits of `ExactSums`, which every device and backend adds up.
    """

    #: The name of the list of the scores of segments, as in torchmetrics.
    _sentences = ""

    #: The score of no item.
    _score_of_nothing = 0.0

    def _count(self, metric: SuiteMetric, sentences: bool = False) -> None:
        self._watch = Watch()
        self._warned: set[str] = set()
        self._metric = metric
        # A MetricCollection takes modules with equal names and values of states for one: names differ with options.
        parts = dict(metric.signature(None))
        parts.pop("version", None)
        self._state = f"sums_{digest([metric.name, *map(str, parts.items())])}"
        self.add_state(self._state, torch.zeros(len(metric.columns), DIGITS, dtype=torch.int64), dist_reduce_fx="sum")
        self.return_sentence_level_score = sentences
        if sentences:
            self.add_state(self._sentences, [], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Add predictions and their references; a refused batch adds nothing."""
        corpus = self._read(preds, target)
        if not corpus.n_items:
            return
        self._watch.see(corpus)
        stats = batch_stats(self._metric, corpus, self._warned)
        # In as few arrays as hold all rows: a division that is rounded up.
        for rows in np.array_split(stats.rows, -(-len(stats) // _MOST_ROWS)):
            digits = torch.from_numpy(ExactSums.of(rows).digits[0])
            setattr(self, self._state, getattr(self, self._state) + digits.to(self.device))
        if self.return_sentence_level_score:
            scores = self._metric.segment_metric.finalize(stats.rows)[self._metric.primary]
            getattr(self, self._sentences).append(self._tensor(scores))

    def compute(self) -> Any:
        """Return the score of all items so far, and those of the items where they were asked for."""
        totals = self._totals()
        scores = {name: float(score) for name, score in self._metric.finalize(totals).items()}
        if not totals[self._metric.columns.index("items")]:
            scores = dict.fromkeys(scores, self._score_of_nothing)
        score = self._result(scores)
        if self.return_sentence_level_score:
            return score, dim_zero_cat(getattr(self, self._sentences))
        return score

    def _totals(self) -> NDArray[np.float64]:
        totals: NDArray[np.float64] = ExactSums(getattr(self, self._state).cpu().numpy()[None]).floats()[0]
        return totals

    def _sums_of(self, names: Sequence[str]) -> torch.Tensor:
        """Return the sums of some columns, as torchmetrics keeps them."""
        totals = dict(zip(self._metric.columns, self._totals(), strict=True))
        return self._tensor([float(totals[name]) for name in names])

    def _sum_of(self, *names: str) -> torch.Tensor:
        """Return the sum of some columns in one number."""
        return self._sums_of(names).sum()

    def set_dtype(self, dst_type: Any) -> Any:
        """Leave the sums, which are whole numbers, as they are."""
        return self

    def _read(self, preds: Any, target: Any) -> Corpus:
        return read(self._metric, preds, target)

    def _result(self, scores: dict[str, Any]) -> Any:
        return self._tensor(scores[self._metric.primary])

    def _tensor(self, value: Any) -> torch.Tensor:
        return torch.tensor(value, dtype=torch.float32, device=self.device)


def read(metric: SuiteMetric, preds: Any, target: Any) -> Corpus:
    """Return the texts, checked; texts without a list for each prediction are all references of one prediction."""
    if isinstance(preds, str):
        return read(metric, [preds], _as_list(target))
    # Such as [[]], which torchmetrics takes for nothing.
    if isinstance(preds, list) and not any(preds) and _has_no_text([preds, target]):
        return metric.corpus([], [])
    references = target
    if isinstance(target, (list, tuple)):
        are_texts = {isinstance(entry, str) for entry in target}
        if are_texts == {True} and len(preds) == 1:
            references = [target]
        elif are_texts == {True, False}:
            references = list(map(_as_list, target))
    corpus = metric.corpus(preds, references)
    check_missing(corpus.missing, "error", at_zero="")
    return corpus


def _as_list(texts: Any) -> Any:
    """Return a text as the only one of a list, and all else as it is."""
    if isinstance(texts, str):
        return [texts]
    return texts


def _has_no_text(side: Any) -> bool:
    """Whether there is nothing but lists in lists."""
    return isinstance(side, (list, tuple)) and all(map(_has_no_text, side))
