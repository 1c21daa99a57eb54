"""What a Trainer or a loop hands over after an evaluation -> the texts of predictions and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.corpus.items import readable
from tercet.errors import InputError, word_after

from .decoder import Decoder
from .token_ids import (
    IGNORED,
    IdRows,
    all_begin_with_prompts,
    cut_prompts,
    is_text,
    one_position_later,
    predicted_rows,
    prompts_hold_labels,
    read_rows,
    signs_of_a_causal_model,
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The data of an evaluation, with the names of transformers' ``EvalPrediction``.

    They are as given: arrays, tensors, tuples or lists of them, texts; the last two may be None.
    """

    predictions: Any
    label_ids: Any = None
    inputs: Any = None


@dataclass(frozen=True, slots=True)
class EvaluationTexts:
    """The texts of an evaluation."""

    predictions: list[str]
    labels: list[Any] | None  # one text per item, or the texts as given
    lengths: list[int] | None  # number of ids of each prediction without padding; None for texts
    warning: str = ""


def evaluation_of(predictions: Any, labels: Any, inputs: Any) -> Evaluation:
    """Return the evaluation given as an ``EvalPrediction``, a tuple like it, or its members."""
    if hasattr(predictions, "predictions") and hasattr(predictions, "label_ids"):
        return Evaluation(predictions.predictions, predictions.label_ids, getattr(predictions, "inputs", None))
    if labels is None and isinstance(predictions, tuple) and 2 <= len(predictions) <= 3:
        return Evaluation(*predictions)
    return Evaluation(predictions, labels, inputs)


#: What is warned of where predictions look causal; formatted with the sign.
_LOOKS_CAUSAL = (
    "the predictions look like those of a causal model: {}. Read as those of another model, they get wrong scores: "
    "give compute_metrics causal=True, and the Trainer the preprocess_logits_for_metrics of the function that it "
    'returns, or include_for_metrics=["inputs"] where texts are generated.'
)
_INPUTS_HOLD_LABELS = (
    "the inputs have the labels in them, at the same places: the model was given the answers, and what it wrote "
    "after them is scored. Evaluate it on the prompts alone."
)


def decode_evaluation(evaluation: Evaluation, decoder: Decoder, causal: bool) -> EvaluationTexts:
    """Return the texts of an evaluation."""
    rows = _prediction_rows(evaluation, causal)
    label_rows = _label_rows(evaluation.label_ids)
    if rows is None:
        labels = _label_texts(evaluation.label_ids, label_rows, decoder)
        return EvaluationTexts(list(evaluation.predictions), labels, lengths=None)
    scored = _without_prompts(rows, label_rows, evaluation, pad=decoder.pad, causal=causal)
    predictions = decoder.predictions(scored.predictions)
    lengths = decoder.lengths(scored.predictions)
    labels = _label_texts(evaluation.label_ids, scored.labels, decoder)
    return EvaluationTexts(predictions, labels, lengths, scored.warning)


def _prediction_rows(evaluation: Evaluation, causal: bool) -> IdRows | None:
    """Return the ids of each prediction; None where they are texts."""
    with readable("The predictions"):
        if is_text(evaluation.predictions):
            return None
        return predicted_rows(evaluation.predictions, evaluation.label_ids, causal)


def _label_rows(labels: Any) -> IdRows | None:
    """Return the ids of each label; None where they are texts, or there are none."""
    with readable("The labels"):
        if labels is None or is_text(labels):
            return None
        return read_rows(labels, "labels")


def _label_texts(labels: Any, rows: IdRows | None, decoder: Decoder) -> list[Any] | None:
    """Return labels as texts: those of ids, or as given."""
    if rows is not None:
        return decoder.labels(rows)
    with readable("The labels"):
        return None if labels is None else list(labels)


@dataclass(frozen=True, slots=True)
class _ScoredRows:
    """The ids that are scored, and the labels beside them."""

    predictions: IdRows
    labels: IdRows | None
    warning: str = ""


def _without_prompts(
    rows: IdRows, labels: IdRows | None, evaluation: Evaluation, *, pad: int | None, causal: bool
) -> _ScoredRows:
    """Return what is scored of a causal model's ids: those after its prompts, or those of logits."""
    # Only a causal model repeats all its prompts.
    if not causal and not all_begin_with_prompts(rows, input_rows(evaluation)):
        sign = signs_of_a_causal_model(rows, labels, pad)
        warning = _LOOKS_CAUSAL.format(sign) if sign else ""
        return _ScoredRows(rows, labels, warning)
    rows_of_logits: IdRows | None = None
    if all(len(row) > 0 and row[0] == IGNORED for row in rows):
        # So preprocess_logits_for_metrics makes them from a causal model's logits: there are no prompts.
        rows_of_logits = rows
    elif evaluation.inputs is None:
        rows_of_logits = one_position_later(rows, labels)
    if rows_of_logits is not None:
        later_labels = None
        if labels is not None:
            # No position predicts the first of the labels.
            later_labels = [label[1:] for label in labels]
        return _ScoredRows(rows_of_logits, later_labels)
    prompts = _prompts(evaluation, len(rows))
    warning = _INPUTS_HOLD_LABELS if prompts_hold_labels(prompts, labels) else ""
    return _ScoredRows(cut_prompts(rows, prompts), labels, warning)


def input_rows(evaluation: Evaluation) -> IdRows:
    """Return the ids of the inputs; none where they are no ids, as those of speech."""
    if evaluation.inputs is None:
        return []
    try:
        return read_rows(_ids_of(evaluation.inputs), "inputs")
    except (InputError, KeyError):
        return []


def _ids_of(inputs: Any) -> Any:
    return inputs["input_ids"] if isinstance(inputs, Mapping) else inputs


def _prompts(evaluation: Evaluation, n_items: int) -> IdRows:
    if evaluation.inputs is None:
        raise InputError(
            "A causal model's predictions begin with its prompts, so the inputs are needed; a Trainer passes them "
            'with include_for_metrics=["inputs"] (before transformers 4.46 with include_inputs_for_metrics=True). If '
            "these are the likeliest ids of logits, give the Trainer the preprocess_logits_for_metrics of the "
            "function that compute_metrics returns instead."
        )
    with readable("The inputs"):
        prompts = read_rows(_ids_of(evaluation.inputs), "inputs")
    if len(prompts) != n_items:
        predictions = word_after(n_items, "prediction", "predictions")
        raise InputError(
            f"There must be an input for each prediction, got {n_items} {predictions} and {len(prompts)}."
        )
    return prompts
