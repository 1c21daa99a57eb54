"""The data of an evaluation step -> the texts of predictions and labels, and the references of each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any

from tercet.corpus.containers import readable
from tercet.corpus.items import read_items
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


class References:
    """The source of the references."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self._lists: list[list[str]] | None = None
        if given is not None and not callable(given):
            with readable("references"):
                if isinstance(given, Iterator):
                    self.given = given = list(given)
                n_items = len(given) if isinstance(given, Sized) else 0
            self._lists = read_items([""] * n_items, given).reference_lists()

    @property
    def listed(self) -> bool:
        """Whether they are a list, as long as the evaluation set."""
        return self._lists is not None

    def of(self, evaluation: Evaluation, labels: list[Any] | None, n_items: int, first: int) -> Any:
        """Return the references of the items from `first` on: fewer than `n_items` if the rest repeats items.

        Processes pad their last batches with earlier items, so that there may be more predictions than items in
        the evaluation set.
        """
        if callable(self.given):
            return self.given(evaluation)
        if self._lists is None:
            if labels is None:
                raise InputError("There are no labels: give labels, or references when the function is made.")
            return labels
        found = self._lists[first : first + n_items]
        if len(found) < n_items and int(os.environ.get("WORLD_SIZE", "1")) == 1:
            self.check_number(first + n_items)
        _check_order(labels, found)
        return found

    def check_number(self, seen: int) -> None:
        """Raise an InputError unless the number of items matches."""
        if self._lists is not None and seen != len(self._lists):
            raise InputError(
                f"references has {len(self._lists)} entries, but there are {seen} predictions: give one entry for "
                "each item of the evaluation set, or a function from an evaluation to its references."
            )


def _check_order(labels: list[Any] | None, lists: list[list[str]]) -> None:
    """Raise an InputError if the labels match mostly the references of other items: the order differs."""
    own = elsewhere = 0
    every = {text for texts in lists for text in texts}
    for label, texts in zip(labels or (), lists, strict=False):
        if isinstance(label, str) and label in every:
            own, elsewhere = own + (label in texts), elsewhere + (label not in texts)
    if elsewhere > own:
        raise InputError(
            f"The references are not in the order of the items: {elsewhere} labels are references of other items, "
            f"{own} of their own. A Trainer that groups by length evaluates in an order of its own: switch that off, "
            "or give references as a function from an evaluation to its references."
        )
