"""The data of an evaluation step -> the texts of predictions and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.corpus.containers import readable
from tercet.errors import InputError

from .token_ids import IGNORED, Decoder, Rows, cut_prompts, is_text, read_predictions, read_rows


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The data of an evaluation, with the names of transformers' ``EvalPrediction``.

    They are as given: arrays, tensors, tuples or lists of them, texts; the last two may be None.
    """

    predictions: Any
    label_ids: Any = None
    inputs: Any = None


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of an evaluation."""

    predictions: list[str]
    labels: list[Any] | None  # one text per item, or the texts as given
    lengths: list[int] | None  # number of ids of each prediction without padding; None for texts


def evaluation_of(predictions: Any, labels: Any, inputs: Any) -> Evaluation:
    """Return the evaluation given as an ``EvalPrediction``, a tuple like it, or its members."""
    if hasattr(predictions, "predictions") and hasattr(predictions, "label_ids"):
        return Evaluation(predictions.predictions, predictions.label_ids, getattr(predictions, "inputs", None))
    if labels is None and isinstance(predictions, tuple) and 2 <= len(predictions) <= 3:
        return Evaluation(*predictions)
    return Evaluation(predictions, labels, inputs)


def read_texts(given: Evaluation, decoder: Decoder, causal: bool) -> Texts:
    """Return the texts of an evaluation."""
    with readable("The predictions"):
        if is_text(given.predictions):
            return Texts(list(given.predictions), _labels(given, decoder, skip=0), None)
        rows = read_predictions(given.predictions, given.label_ids, causal)
    from_logits = causal and all(len(row) > 0 and row[0] == IGNORED for row in rows)
    if causal and not from_logits:
        rows = cut_prompts(rows, _prompts(given, len(rows)))
    labels = _labels(given, decoder, skip=int(from_logits))
    return Texts(decoder.predictions(rows), labels, decoder.lengths(rows))


def _labels(given: Evaluation, decoder: Decoder, skip: int) -> list[Any] | None:
    if given.label_ids is None:
        return None
    with readable("The labels"):
        if is_text(given.label_ids):
            return list(given.label_ids)
        rows = read_rows(given.label_ids, "labels")
    return decoder.labels([row[skip:] for row in rows])


def _prompts(given: Evaluation, n_items: int) -> Rows:
    if given.inputs is None:
        raise InputError(
            "A causal model's predictions begin with its prompts, so the inputs are needed; a Trainer passes them "
            'with include_for_metrics=["inputs"] (before transformers 4.46 with include_inputs_for_metrics=True).'
        )
    with readable("The inputs"):
        inputs = given.inputs["input_ids"] if isinstance(given.inputs, Mapping) else given.inputs
        prompts = read_rows(inputs, "inputs")
    if len(prompts) != n_items:
        raise InputError(f"There must be an input for each prediction, got {n_items} predictions and {len(prompts)}.")
    return prompts
