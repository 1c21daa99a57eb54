"""What a model writes at a checkpoint, compared with the first checkpoint and with the best one before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.base.scoring import batch_stats, summarize
from tercet.comparison.values.scores import scored_for_all
from tercet.corpus.items import read_items, read_texts
from tercet.errors import InputError
from tercet.statistics.paired_tests import permutation_test, pvalue_beyond_resamples
from tercet.statistics.stats import SegmentStats

from .compute_metrics import TrainerMetrics
from .repeated_looks import ALPHA, can_be_significant, cost_of_looking, resamples_at, too_few_texts


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a model wrote after a step, and its rows for each metric."""

    step: int
    texts: list[str]
    stats: dict[str, SegmentStats]
    #: Of the looks after this step: there are several where other weights were loaded in between.
    number: int = 1

    @property
    def name(self) -> str:
        """The name of its column in the file."""
        if self.number == 1:
            return f"step {self.step}"
        return f"step {self.step} ({self.number})"

    def rows(self, metric: Metric, n: int) -> SegmentStats:
        """Return the rows of the first n texts, for a metric."""
        return self.stats[metric.name].selected(np.arange(len(self.texts)) < n)


class ComparedCheckpoint(NamedTuple):
    """What to log of a checkpoint, by name, and a sentence on it for each metric."""

    figures: dict[str, float]
    sentences: list[str]
    #: By the primary score of the first metric than the best one before it; None where no test could tell.
    is_better: bool | None


class CheckpointComparison:
    """The checkpoints of a run, of which each new one is compared with the first and the best one before it.

    They are compared on the first `n_texts` prompts, for which all have a text. `scores` says under which names the
    scores of the metrics are logged.
    """

    def __init__(
        self,
        scores: TrainerMetrics,
        metrics: Sequence[Metric],
        references: Sequence[list[str]] | None,
        *,
        n_texts: int,
        seed: int,
    ) -> None:
        self.checkpoints: list[Checkpoint] = []
        self.n_texts = n_texts
        self._scores = scores
        self._metrics = {metric.name: metric for metric in metrics}
        self._first_metric = metrics[0]
        self._references = references
        self._seed = seed
        self._warned: set[str] = set()

    def forget_after(self, step: int) -> None:
        """Forget the checkpoints after a step, from which training goes on."""
        self.checkpoints = [checkpoint for checkpoint in self.checkpoints if checkpoint.step <= step]

    def restore(self, step: int, texts: list[str], number: int) -> None:
        """Add a checkpoint of an earlier run, which was compared there."""
        self.checkpoints.append(Checkpoint(step, texts, self._stats(texts), number))
        self.n_texts = min(self.n_texts, len(texts))

    def add(self, step: int, texts: list[str]) -> ComparedCheckpoint:
        """Add a checkpoint, and return how it compares with those before it."""
        self.n_texts = len(texts)
        stats = self._stats(texts)
        if self._is_seen_again(step, texts):
            # The same weights, to which nothing is to be compared.
            self.checkpoints.pop()
        same_step = [checkpoint for checkpoint in self.checkpoints if checkpoint.step == step]
        checkpoint = Checkpoint(step, texts, stats, number=len(same_step) + 1)
        compared = self._compared(checkpoint)
        self.checkpoints.append(checkpoint)
        return compared

    def _is_seen_again(self, step: int, texts: list[str]) -> bool:
        """Return whether the last checkpoint is of this step, with the same texts."""
        if not self.checkpoints:
            return False
        last = self.checkpoints[-1]
        return last.step == step and last.texts[: self.n_texts] == texts

    def _stats(self, texts: list[str]) -> dict[str, SegmentStats]:
        """Return the rows of texts for each metric."""
        corpus = read_texts(texts)
        if self._references is not None:
            corpus = read_items(texts, self._references[: len(texts)])
        # Artefacts are searched, and warned of, at the first checkpoint alone.
        corpus.warned.is_silent = bool(self.checkpoints)
        return {name: batch_stats(metric, corpus, self._warned) for name, metric in self._metrics.items()}

    def _compared(self, checkpoint: Checkpoint) -> ComparedCheckpoint:
        """Return what to log of a checkpoint that is not among the others yet."""
        results = {name: summarize(metric, checkpoint.stats[name]) for name, metric in self._metrics.items()}
        figures = self._scores.select(results, None)
        sentences = []
        is_better = None
        # By metric and earlier checkpoint: one test has all scores of a metric.
        tests: dict[tuple[str, str], _CheckpointTest] = {}
        for logged in self._scores.logged_scores():
            metric = self._metrics[logged.metric]
            intervals = results[metric.name].intervals
            assert intervals is not None  # the callback gives each metric a confidence_level
            interval = intervals[logged.score]
            sentence = f"{checkpoint.name}: {_with_interval(logged.name, figures[logged.name], interval)}"
            for label, earlier in self._first_and_best(metric, logged.score).items():
                key = (metric.name, earlier.name)
                if key not in tests:
                    tests[key] = self._test(metric, earlier, checkpoint)
                figures[f"{logged.name}_diff_{label}"] = tests[key].differences[logged.score]
                figures[f"{logged.name}_p_{label}"] = tests[key].pvalues[logged.score]
                if label == "best":
                    sentence += f", {tests[key].describe(logged.score)}"
                    if metric is self._first_metric and logged.score == metric.primary:
                        is_better = tests[key].is_better(logged.score)
            if logged.score == metric.primary:
                sentences.append(sentence)
        return ComparedCheckpoint(figures, sentences, is_better)

    def _first_and_best(self, metric: Metric, score: str) -> dict[str, Checkpoint]:
        """Return the checkpoints that the next one is compared with: the first and the best one."""
        if not self.checkpoints:
            return {}
        values = []
        for checkpoint in self.checkpoints:
            totals = metric.corpus_totals(checkpoint.rows(metric, self.n_texts))
            values.append(float(metric.finalize(totals)[score]))
        best_value = max(values) if is_higher_better(metric, score) else min(values)
        return {"first": self.checkpoints[0], "best": self.checkpoints[values.index(best_value)]}

    def _test(self, metric: Metric, earlier: Checkpoint, checkpoint: Checkpoint) -> _CheckpointTest:
        """Return the paired test of all scores of a metric, on the prompts that both answered."""
        stats = [earlier.rows(metric, self.n_texts), checkpoint.rows(metric, self.n_texts)]
        is_scored = scored_for_all(stats)
        if not is_scored.any():
            raise InputError(metric.nothing_left)
        scored = [system_stats.selected(is_scored) for system_stats in stats]
        n_texts = len(scored[0])
        # The first look is at the second checkpoint.
        look = len(self.checkpoints)
        results = permutation_test(metric, scored, n_resamples=resamples_at(look), seed=self._seed)
        differences = {name: result.statistic for name, result in results.items()}
        pvalues = {name: pvalue_beyond_resamples(result, n_texts) for name, result in results.items()}
        adjusted = {name: min(1.0, pvalue * cost_of_looking(look)) for name, pvalue in pvalues.items()}
        return _CheckpointTest(metric, earlier.name, look, n_texts, differences, adjusted)


@dataclass(frozen=True, slots=True)
class _CheckpointTest:
    """The differences of all scores of a metric to an earlier checkpoint, and their p."""

    metric: Metric
    earlier: str
    look: int  # how often a checkpoint was compared with earlier ones, for which p is adjusted
    n_texts: int  # that were scored for both
    differences: dict[str, float]
    pvalues: dict[str, float]

    def is_better(self, score: str) -> bool | None:
        """Return whether a score is significantly better; None where these texts could show no difference."""
        if self.pvalues[score] < ALPHA:
            return self._is_gain(score)
        if can_be_significant(self.look, self.n_texts):
            return False
        return None

    def _is_gain(self, score: str) -> bool:
        return (self.differences[score] > 0) == is_higher_better(self.metric, score)

    def describe(self, score: str) -> str:
        """Return how a score differs from that of the best checkpoint, as the end of a sentence."""
        difference = self.differences[score]
        pvalue = self.pvalues[score]
        if difference == 0:
            compared = f"the same as {self.earlier}"
        elif self._is_gain(score):
            compared = f"{abs(difference):.3g} better than {self.earlier}"
        else:
            compared = f"{abs(difference):.3g} worse than {self.earlier}"
        reason = f"p = {pvalue:.2g}"
        if pvalue >= ALPHA:
            reason += f", {too_few_texts(self.look, self.n_texts) or 'not significant'}"
        return f"{compared}, the best before it ({reason})"


def _with_interval(name: str, value: float, interval: Sequence[float]) -> str:
    """Return a score as a sentence begins with it, with its interval where it has one."""
    low, high = interval
    if math.isnan(low):
        return f"{name} {value:.4g}"
    return f"{name} {value:.4g} ({low:.4g} to {high:.4g})"
