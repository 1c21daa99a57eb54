"""Perplexity of texts under a causal language model: how much each token surprises it, given the tokens before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import as_scale, integer
from tercet.corpus.corpus import Corpus
from tercet.encoders.messages import cut_warning
from tercet.encoders.options import as_device, path
from tercet.errors import OptionError, needs, setting
from tercet.metric.common_options import dtype_option
from tercet.metric.dialect import Dialect
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.scorer import Scorer, Scores, segment_lists
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import explain_batch
from .model import LanguageModel, language_model
from .texts import Texts, check_lengths, read_texts, window_of
from .windows import windows_of

if TYPE_CHECKING:
    import torch


def _device(value: Any) -> str | None:
    """Check that the value names a device; evaluate calls the first of CUDA's ``gpu``."""
    return as_device("cuda" if isinstance(value, str) and value == "gpu" else value)


#: evaluate's defaults where they differ.
PRESETS = {"evaluate": {"long_text": "truncate"}}

#: Keys of evaluate's perplexity.
DIALECTS = {
    "evaluate": Dialect(
        {"compat": "evaluate"}, keys={name: name for name in ("perplexities", "mean_perplexity")},
        left_out=("perplexity", "bits_per_"),
    )
}  # fmt: skip


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Different texts with the surprisal of each of their tokens."""

    texts: Texts
    #: The number of each item's text among them. (ndarray of int64, shape (n,))
    own: NDArray[np.int64]
    #: Text i has the values ``offsets[i]`` to ``offsets[i + 1]``.
    offsets: NDArray[np.int64]
    #: Negative log-likelihoods in nats.
    values: Array


class Perplexity(Metric):
    """Perplexity: how well a causal language model predicts each token.

    Source: Jelinek et al. 1977; the definition of evaluate's `perplexity`, and for long texts the windows of
    "Perplexity of fixed-length models" in the documentation of transformers.

    Examples
    --------
    >>> import tercet
    >>> perplexity = tercet.Perplexity(model_id="gpt2")  # a name on the Hub, or a folder
    >>> result = perplexity(["lorem ipsum", "Happy Birthday!"])  # doctest: +SKIP
    >>> round(result["mean_perplexity"], 2)  # doctest: +SKIP
    646.75
    """

    # Rows hold sums: negative log-likelihood in nats, scored tokens, the bytes and characters that they stand for;
    # and the perplexity of the segment, whose mean evaluate gives. The network is loaded at the first use and
    # shared between scorers.

    name = "perplexity_lm"
    short = "perplexity"
    about = ABOUT
    extras = ("perplexity",)
    predictions_also_called = ("input_texts", "data")
    title = "perplexity"
    primary = "perplexity"
    higher_is_better = False
    takes_references = False
    is_share = has_scale = False
    loads_model = True
    nothing_left = "No text has a token to score, so empty_text='skip' left all of them out."
    presets = PRESETS
    dialects = DIALECTS
    replaces = (("perplexity", "evaluate"),)
    columns = (
        *Scorer.base_columns, "truncated", "nll", "tokens", "bytes", "characters", "segment_perplexity",
    )  # fmt: skip
    ascending = (("truncated", "items", "tokens"), ("characters", "bytes"))
    facts = ("scored_tokens", "truncated_predictions")
    score_names = ("perplexity", "mean_perplexity", "bits_per_byte", "bits_per_character")
    #: Of a single text the mean is its perplexity.
    segment_names = ("perplexity", "perplexity", "bits_per_byte", "bits_per_character")

    model_id: str | PathLike[str] | None = option(
        default=None,
        doc="The causal language model (required). Its name on the Hub, or its folder with config.json, "
        "model.safetensors and the tokenizer's files. Weights are read from safetensors files only, and code "
        "that comes with a model is never run. Offline, a model given by name must be in the local cache.",
        check=path("the name of a causal language model on the Hub, the path of a folder, or None"),
    )
    add_start_token: bool = option(
        default=True,
        doc="Put the model's start token (BOS) before each text. The first token of the text is then scored too. "
        "Without it, the first token is read but not scored, so a text needs two tokens. Must be False for a "
        "tokenizer without BOS.",
    )
    max_length: int | None = option(
        default=None,
        doc="Most tokens that the model sees at a time, the start token included. By default the model's own limit.",
        check=integer(2, none=True),
    )
    long_text: Literal["window", "truncate", "error"] = option(
        default="window",
        doc='What to do with texts longer than max_length. "window": score them whole, in overlapping windows, '
        'each token once. "truncate": cut them to max_length, as evaluate does, with a warning; the result '
        'counts them. "error": refuse them.',
    )
    stride: int | None = option(
        default=None,
        doc="How many tokens each window moves on. After the first window, every scored token has at least "
        "max_length - stride tokens before it. Small strides are more exact, and slower. By default half of "
        "max_length.",
        check=integer(1, none=True),
        only_with=OnlyWith("long_text='window'", lambda o: o.long_text == "window"),
    )
    empty_text: Literal["error", "skip"] = option(
        default="error",
        doc='What to do with a text that has no token to score. "error": refuse the corpus, as evaluate does. '
        '"skip": leave the text out, with a warning; the result counts such texts.',
    )
    batch_size: int = option(
        default=16,
        doc="Size of the model's batches. A batch holds up to 512 times as many tokens on an accelerator, 24 "
        "times as many on a CPU. In single precision, scores can change with it in the sixth digit.",
        check=integer(1),
        local=True,
    )
    device: str | torch.device | None = option(
        default=None,
        doc="Where the model runs, such as cpu, cuda:1 or mps. By default the best device available; evaluate's "
        '"gpu" is cuda.',
        check=_device,
        local=True,
    )
    dtype: Literal["float32", "bfloat16", "float16"] | torch.dtype | None = dtype_option("model")
    compat: Literal["evaluate"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. Longer texts are truncated. `load("perplexity_lm", '
        '"evaluate")` sets it too, and then the result has only the two keys of evaluate\'s perplexity.',
    )
    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc="No effect here: perplexity takes no references. Accepted so that several metrics can share a call.",
    )
    scale: Literal[1, 100] = option(
        default=1,
        doc="No effect here: a perplexity is not a share of 1. Accepted so that several metrics can share a call.",
        check=as_scale,
    )

    def check(self) -> None:
        """Raise an OptionError without a model, or without the packages that run one."""
        if self.model_id is None:
            raise OptionError(
                "perplexity_lm needs 'model_id', the name of a causal language model on the Hugging Face Hub or its "
                f"folder, such as {setting('perplexity', 'model_id', 'gpt2')}."
            )
        needs("perplexity_lm", "perplexity", "torch", "transformers")

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options by which one prediction is explained: it must have a token to score."""
        return {**given, "empty_text": "error"}

    def model(self) -> LanguageModel:
        """Return the language model, loaded at the first use and kept by the function that loads it."""
        assert self.model_id is not None
        return language_model(str(self.model_id), self.device, self.dtype)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        model = self.model()
        size, stride = window_of(self, model)
        exact = self.dtype in (None, "float32") and self.empty_text == "error"
        parts = {
            "model": model.label,
            "start": self.add_start_token,
            "length": size,
            "long": None if size is None else self.long_text + (f",{stride}" if self.long_text == "window" else ""),
            "empty": None if self.empty_text == "error" else self.empty_text,
            "dtype": None if self.dtype in (None, "float32") else self.dtype,
            "compat": self.compat,
            "equals": "evaluate" if exact and (size is None or self.long_text != "window") else None,
        }
        return Signature.of(self.name, parts)

    def surprisals(self, batch: Corpus) -> Scored:
        """Return how much each token of a batch surprises the model; equal texts are scored once.

        Time: the network's. Memory: its own for a batch of tokens, see :meth:`.LanguageModel.surprisals`, and 12
        bytes per token.
        """
        model = self.model()
        given: list[str] = batch.predictions.to_pylist()
        numbers = {text: number for number, text in enumerate(dict.fromkeys(given))}
        own = np.array([numbers[text] for text in given], np.int64)
        texts = read_texts(list(numbers), self, model)
        check_lengths(self, model, texts, own, batch)
        windows = windows_of(texts.rows, *window_of(self, model))
        return Scored(texts, own, windows.offsets, model.surprisals(windows, self.batch_size))

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :meth:`surprisals`."""
        return self.stats_of(self.surprisals(batch), batch)

    def stats_of(self, scored: Scored, batch: Corpus) -> SegmentStats:
        """Return one row per item of a batch that was scored."""
        own, tokens = scored.own, np.diff(scored.offsets)
        nll = np.zeros(len(tokens))
        if tokens.any():  # each text by itself: the sum does not depend on the texts beside it
            nll[tokens > 0] = np.add.reduceat(scored.values, scored.offsets[:-1][tokens > 0])
        kept = np.array([len(row) for row in scored.texts.rows], np.int64)
        with np.errstate(over="ignore"):  # too large for a float: infinite
            perplexity = np.exp(nll / np.maximum(tokens, 1))
        counts = np.column_stack([kept < scored.texts.whole, nll, tokens, scored.texts.sizes, perplexity])[own]
        rows = np.column_stack([self.base_rows(batch, tokens[own]), counts])
        left_out = tokens[own] == 0
        rows[left_out] = 0.0
        rows[left_out, self.columns.index("empty")] = 1.0
        return SegmentStats(self.signature(), self.columns, rows)

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or left out."""
        cut, skipped = (self.total_of(totals, name) for name in ("truncated", "empty"))
        found = []
        if cut:
            found.append(cut_warning(cut, window_of(self, self.model())[0]))
        if skipped:
            found.append(f"{skipped} {'text has' if skipped == 1 else 'texts have'} no token to score: left out.")
        return " ".join(found) or None

    def finalize(self, totals: Array) -> Scores:
        """Return the perplexity per token, the mean of the segments', and bits per byte and character."""
        of = {name: totals[..., index] for index, name in enumerate(self.columns)}
        counts = {name: np.maximum(of[name], 1.0) for name in ("items", "tokens", "bytes", "characters")}
        with np.errstate(over="ignore"):
            perplexity = np.exp(of["nll"] / counts["tokens"])
        return {
            "perplexity": perplexity,
            "mean_perplexity": of["segment_perplexity"] / counts["items"],
            "bits_per_byte": of["nll"] / counts["bytes"] / log(2),
            "bits_per_character": of["nll"] / counts["characters"] / log(2),
        }

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return evaluate's two keys, the perplexity of each item and their mean, and then the other scores."""
        scores = super().report(totals, stats)
        if stats is None:
            return scores
        return {
            "perplexities": segment_lists(self, stats)["perplexity"],
            "mean_perplexity": scores.pop("mean_perplexity"),
            **scores,
        }

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and how many tokens were scored."""
        return {
            "truncated_predictions": self.total_of(totals, "truncated"),
            "scored_tokens": self.total_of(totals, "tokens"),
        }

    explained = explain_batch
