"""Lightning: a callback that scores the texts of a validation as one corpus, over all ranks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from tercet.base.metric import Metric
from tercet.errors import InputError, needs, shorten

from .shared import corpus_scores, with_intervals

if find_spec("lightning") is None:
    needs("tercet.harnesses.lightning", "", "pytorch_lightning", package="lightning")
    from pytorch_lightning import Callback
else:
    from lightning.pytorch import Callback


class CorpusScores(Callback):
    """Logs ``val_<score>``, with its standard error and the ends of its interval, after each validation.

    ``validation_step`` returns a dict with the lists ``predictions`` and ``references``, texts or lists of texts.

    Parameters
    ----------
    metric : str or Metric
    **options
        As for :func:`tercet.scorer`; ``confidence_level`` is 0.95 unless given. ``signature`` is then an attribute.
    """

    def __init__(self, metric: str | Metric, **options: Any) -> None:
        self.metric, self.signature = with_intervals(metric, options), ""

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin anew."""
        self._texts: list[tuple[Any, Any]] = []

    def on_validation_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, *_: Any, **__: Any) -> None:
        """Keep the texts of a batch."""
        if not isinstance(outputs, Mapping) or not {"predictions", "references"} <= outputs.keys():
            expected = "{'predictions': [...], 'references': [...]}"
            raise InputError(f"validation_step must return {expected}, got {shorten(outputs)}.")
        self._texts += zip(outputs["predictions"], outputs["references"], strict=True)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Score the texts of all ranks, and log the same numbers on each."""
        from torch import distributed

        texts_of_ranks = [self._texts]
        if trainer.world_size > 1:
            # all_gather_object fills a list with an entry for each rank.
            texts_of_ranks *= trainer.world_size
            distributed.all_gather_object(texts_of_ranks, self._texts)
        predictions, references = zip(*(pair for texts in texts_of_ranks for pair in texts), strict=True)
        scores = corpus_scores(self.metric, predictions, references)
        self.signature = scores.signature
        pl_module.log_dict({f"val_{name}": value for name, value in scores.items()})
