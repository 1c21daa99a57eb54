"""Perplexity of texts under a causal language model: how much each token surprises it, given the tokens before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.core.dialect import Dialect
from tercet.core.scorer import Scorer, Scores, segment_lists
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.errors import InputError, shorten

from .model import LanguageModel, language_model
from .options import DIALECTS, PRESETS, PerplexityOptions, check_together
from .texts import Texts, read_texts, start_of, window_of
from .windows import windows_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Different texts with the surprisal of each of their tokens.

    Attributes
    ----------
    texts : Texts
    own : ndarray of int64, shape (n,)
        The number of each item's text among them.
    offsets : ndarray of int64
        Text i has the values ``offsets[i]`` to ``offsets[i + 1]``.
    values : ndarray of float64
        Negative log-likelihoods in nats.
    """

    texts: Texts
    own: NDArray[np.int64]
    offsets: NDArray[np.int64]
    values: Array


class PerplexityScorer(Scorer[PerplexityOptions]):
    """Perplexity with its options fixed.

    Rows hold sums: negative log-likelihood in nats, scored tokens, the bytes and characters that they stand for; and
    the perplexity of the segment, whose mean evaluate gives. The network is loaded at the first use and shared
    between scorers.

    Source: Jelinek et al. 1977; the definition of evaluate's `perplexity`, and for long texts the windows of
    "Perplexity of fixed-length models" in the documentation of transformers.
    """

    name: ClassVar[str] = "perplexity_lm"
    primary: ClassVar[str] = "perplexity"
    higher_is_better: ClassVar[bool] = False
    takes_references: ClassVar[bool] = False
    is_share: ClassVar[bool] = False
    loads_model: ClassVar[bool] = True
    nothing_left: ClassVar[str] = "No text has a token to score, so empty_text='skip' left all of them out."
    options_type = PerplexityOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    columns = (
        *Scorer.base_columns, "truncated", "nll", "tokens", "bytes", "characters", "segment_perplexity",
    )  # fmt: skip
    facts = ("scored_tokens", "truncated_predictions")
    score_names = ("perplexity", "mean_perplexity", "bits_per_byte", "bits_per_character")
    #: Of a single text the mean is its perplexity.
    segment_names = ("perplexity", "perplexity", "bits_per_byte", "bits_per_character")

    def __init__(self, options: PerplexityOptions) -> None:
        super().__init__(options)
        check_together(options)

    def model(self) -> LanguageModel:
        """Return the language model, loaded at the first use and kept by the function that loads it."""
        o = self.options
        assert o.model_id is not None
        return language_model(o.model_id, o.device, o.dtype)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        o, model = self.options, self.model()
        size, stride = window_of(o, model)
        exact = o.dtype in (None, "float32") and o.empty_text == "error"
        parts = {
            "model": model.label,
            "start": o.add_start_token,
            "length": size,
            "long": None if size is None else f"{o.long_text},{stride}" if o.long_text == "window" else o.long_text,
            "empty": None if o.empty_text == "error" else o.empty_text,
            "dtype": None if o.dtype in (None, "float32") else o.dtype,
            "compat": o.compat,
            "equals": "evaluate" if exact and (size is None or o.long_text != "window") else None,
        }
        return Signature.of(self.name, parts)

    def surprisals(self, batch: Batch) -> Scored:
        """Return how much each token of a batch surprises the model; equal texts are scored once.

        Time: the network's. Memory: its own for a batch of tokens, see :meth:`.LanguageModel.surprisals`, and 12
        bytes per token.

        Raises
        ------
        InputError
            For an item that is too short to be scored, or too long.
        """
        model = self.model()
        given: list[str] = batch.predictions.to_pylist()
        numbers = {text: number for number, text in enumerate(dict.fromkeys(given))}
        own = np.array([numbers[text] for text in given], np.int64)
        texts = read_texts(list(numbers), self.options, model)
        self._check(texts, own, batch)
        windows = windows_of(texts.rows, *window_of(self.options, model))
        return Scored(texts, own, windows.offsets, model.surprisals(windows, self.options.batch_size))

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :meth:`surprisals`."""
        return self.stats_of(self.surprisals(batch), batch)

    def stats_of(self, scored: Scored, batch: Batch) -> SegmentStats:
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

    def _check(self, texts: Texts, own: NDArray[np.int64], batch: Batch) -> None:
        """Raise an InputError for the first item that is too short to be scored, or too long."""
        o, model = self.options, self.model()
        start, (size, _) = start_of(o, model), window_of(o, model)
        lengths = texts.whole[own]
        for index in np.flatnonzero(lengths < 2).tolist() if o.empty_text == "error" else ():
            least = "one token" if start else "two tokens (one with add_start_token=True)"
            count = lengths[index] - len(start)
            raise InputError(
                f"item {batch.first_item + index % batch.n_segments} of predictions is too short to be scored: "
                f"{shorten(batch.texts[index].as_py())} has {count} {'token' if count == 1 else 'tokens'}, expected "
                f"at least {least}. empty_text='skip' leaves such texts out."
            )
        for index in np.flatnonzero(lengths > (size or lengths)).tolist() if o.long_text == "error" else ():
            raise InputError(
                f"item {batch.first_item + index % batch.n_segments} of predictions has {lengths[index]} tokens, "
                f"more than the limit of {size}: {shorten(batch.texts[index].as_py())}. long_text='window' scores it "
                "whole, 'truncate' only its beginning."
            )

    def remark(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or left out."""
        cut, skipped = (self.total_of(totals, name) for name in ("truncated", "empty"))
        remarks = []
        if cut:
            size, _ = window_of(self.options, self.model())
            remarks.append(
                f"{cut} {'text was' if cut == 1 else 'texts were'} longer than {size} tokens and truncated: "
                "long_text='window' scores such texts whole."
            )
        if skipped:
            remarks.append(f"{skipped} {'text has' if skipped == 1 else 'texts have'} no token to score: left out.")
        return " ".join(remarks) or None

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
