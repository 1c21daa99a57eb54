"""ignite: a metric that keeps sums, which ranks exchange; the score is that of the corpus, not a mean of batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tercet.base.metric import Metric as TercetMetric
from tercet.errors import needs
from tercet.result import Result
from tercet.streaming.stream import Stream

from .shared import flat, with_intervals

needs("tercet.harnesses.ignite", "", "ignite", package="pytorch-ignite")

import ignite.distributed as idist
from ignite.engine import Engine
from ignite.metrics import Metric


class CorpusScores(Metric):
    """The scores of the corpus, each with the ends of its interval.

    Parameters
    ----------
    metric : str or Metric
        One that can be summed: :class:`tercet.Stream` says what others need.
    output_transform : callable
        From an engine's output to ``(predictions, references)``, lists of texts.
    **options
        As for :class:`tercet.Stream`; ``confidence_level`` is 0.95 unless given.
    """

    def __init__(
        self,
        metric: str | TercetMetric,
        output_transform: Callable[[Any], Any] = lambda output: output,
        **options: Any,
    ) -> None:
        self._metric = with_intervals(metric, options)
        self._new_stream = partial(Stream, self._metric)
        super().__init__(output_transform)

    def reset(self) -> None:
        """Begin anew."""
        self._stream = self._new_stream()

    def update(self, output: tuple[Any, Any]) -> None:
        """Add a batch."""
        self._stream.add(*output)

    def compute(self) -> Result:
        """Return the scores of all ranks' items."""
        # A new one: this rank's own is among those that are gathered, and no stream merges into itself.
        merged_stream = self._new_stream()
        merged_stream.merge(idist.all_gather(self._stream))
        return flat(self._metric, merged_stream.result(), {})

    def completed(self, engine: Engine, name: str) -> None:
        """Give the engine the scores by their names, and all as `name`, unless that is the name of a score."""
        scores = self.compute()
        engine.state.metrics.update({name: scores, **scores})
