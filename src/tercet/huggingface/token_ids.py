"""A model's predictions, from Trainers and loops -> rows of ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, shorten

IdRows = list[NDArray[np.int64]]

#: The padding of Trainers: in labels without loss, and after the shorter rows of a batch.
IGNORED = -100
_NO_NUMBER = -1  # the id of logits that are NaN
#: Fewer ids that are those of the next position may be so by chance.
_LEAST_MATCHES = 10


def preprocess_logits_for_metrics(logits: Any, labels: Any = None, *, causal: bool = False) -> Any:
    """Return the most likely ids, so that an evaluation holds ids instead of logits.

    For ``Trainer(preprocess_logits_for_metrics=...)``: it keeps one number per position, where logits have one for
    each token of the vocabulary.

    Parameters
    ----------
    logits : array or tensor, or tuple of them
        Shape (items, length, vocabulary); of a tuple the first. Ids, as from ``predict_with_generate``, are returned
        unchanged.
    labels : array or tensor, shape (items, length), optional
        Where they are -100 the result is too: predictions after the end of a target are not part of the text.
    causal : bool
        The model is causal: its logits at a position predict the next. Where all labels begin with -100, as those of
        prompts do, it is known to be.

    Returns
    -------
    array or tensor of int, shape (items, length)

    Raises
    ------
    InputError
        For other shapes, and for logits that are NaN where the labels are not -100.

    Examples
    --------
    >>> logits = np.array([[[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]])
    >>> preprocess_logits_for_metrics((logits, "hidden states"), np.array([[1, 0, -100]])).tolist()
    [[1, 0, -100]]
    >>> preprocess_logits_for_metrics(logits, causal=True).tolist()
    [[-100, 1, 0]]
    >>> preprocess_logits_for_metrics(logits, np.array([[-100, 1, 0]])).tolist()
    [[-100, 1, 0]]
    """
    has_encoder = False
    if isinstance(logits, tuple):
        # The hidden states of an encoder follow the logits.
        has_encoder = any(getattr(output, "ndim", 0) == 3 for output in logits[1:])
    scores = _first_output(logits)
    targets = _first_output(labels)
    if not _is_float(scores):
        return scores
    if scores.ndim != 3:
        raise InputError(
            f"The predictions are {_describe(scores)}, which are neither ids, shape (items, length), nor logits, "
            "shape (items, length, vocabulary)."
        )
    ids = scores.argmax(-1)
    greatest = scores.max(-1)
    # PyTorch also returns indices.
    greatest = getattr(greatest, "values", greatest)
    # NaN is the only number that does not equal itself, in NumPy and in PyTorch.
    ids[greatest != greatest] = _NO_NUMBER
    has_labels = targets is not None and tuple(getattr(targets, "shape", ())) == tuple(ids.shape)
    is_causal = causal
    # A batch of a model with an encoder has labels that begin with -100 only where all are padded on the left.
    if has_labels and not has_encoder and 0 not in ids.shape:
        is_causal = causal or bool((targets[:, 0] == IGNORED).all())
    if is_causal and ids.shape[1]:
        ids[:, 1:] = ids[:, :-1] + 0  # a copy: the two overlap
        ids[:, 0] = IGNORED
    if has_labels:
        ids[targets == IGNORED] = IGNORED
    lost = (ids == _NO_NUMBER).any(-1).tolist()
    if True in lost:
        raise InputError(
            f"item {lost.index(True)} of the predictions has logits that are NaN: the model's output is "
            "invalid, as after a diverged loss or an overflow in half precision."
        )
    return ids


def _first_output(value: Any) -> Any:
    """Return the first of a tuple of outputs: the logits, or the generated ids."""
    output = value
    while isinstance(output, tuple) and output:
        output = output[0]
    return output


def is_text(value: Any) -> bool:
    """Return whether a list holds texts, or lists of texts, rather than ids; an empty list counts as texts."""
    if isinstance(value, str) or hasattr(value, "dtype") or not isinstance(value, Sequence):
        return False
    for entry in value:
        if isinstance(entry, (list, tuple)):
            return len(entry) > 0 and isinstance(entry[0], str)
        if entry is not None:
            return isinstance(entry, str)
    return True


def predicted_rows(predictions: Any, labels: Any, causal: bool) -> IdRows:
    """Return the ids of each prediction, of logits the most likely; including -100 and ids outside the vocabulary."""
    # With eval_do_concat_batches=False there is one entry per batch.
    has_batches = isinstance(predictions, list) and predictions and _dimensions(_first_output(predictions[0])) >= 2
    if not has_batches:
        return read_rows(preprocess_logits_for_metrics(predictions, labels, causal=causal), "predictions")
    labels_by_batch = [None] * len(predictions)
    if isinstance(labels, list) and len(labels) == len(predictions):
        labels_by_batch = labels
    rows: IdRows = []
    for batch, batch_labels in zip(predictions, labels_by_batch, strict=True):
        rows += predicted_rows(batch, batch_labels, causal)
    return rows


def read_rows(value: Any, name: str) -> IdRows:
    """Return the ids of each item: of an array, of a list of rows, or of a list of batches."""
    output = _first_output(value)
    if getattr(output, "ndim", 0) >= 1 and str(output.dtype) != "object":
        if "int" not in str(output.dtype) or output.ndim != 2:
            raise _shape_error(name, output)
        return list(_as_array(output).astype(np.int64))
    if not isinstance(output, (list, np.ndarray)):
        raise _shape_error(name, output)
    rows: IdRows = []
    for entry in map(_first_output, output):
        if _dimensions(entry) >= 2:
            rows += read_rows(entry, name)
            continue
        if _is_float(entry):
            raise _shape_error(name, entry)
        row = _as_array(entry)
        if row.ndim != 1 or (row.size and row.dtype.kind not in "iu"):
            raise _shape_error(name, output)
        rows.append(row.astype(np.int64))
    return rows


def _as_array(value: Any) -> NDArray[Any]:
    """Return an array or a list, or a tensor, also of a GPU, as an array."""
    if hasattr(value, "detach"):
        return np.asarray(value.detach().cpu())
    return np.asarray(value)


def all_begin_with_prompts(rows: IdRows, prompts: IdRows) -> bool:
    """Return whether each prediction begins with its prompt."""
    if not rows or len(rows) != len(prompts):
        return False
    for row, padded_prompt in zip(rows, prompts, strict=True):
        prompt = without_padding(padded_prompt)
        if not len(prompt) or not _begins_with(row, prompt):
            return False
    return True


def cut_prompts(rows: IdRows, prompts: IdRows) -> IdRows:
    """Return the ids that a causal model generated after its prompts."""
    generated = []
    for index, (row, padded_prompt) in enumerate(zip(rows, prompts, strict=True)):
        prompt = without_padding(padded_prompt)
        if not _begins_with(row, prompt):
            raise InputError(
                f"item {index} of the predictions does not begin with its prompt: it has the ids "
                f"{row[:8].tolist()} ..., the inputs {prompt[:8].tolist()} ... Give causal=False for predictions "
                "without prompts. If these are the likeliest ids of logits, give the Trainer the "
                "preprocess_logits_for_metrics of the function that compute_metrics returns."
            )
        generated.append(row[len(prompt) :])
    return generated


def without_padding(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids of a row that are not -100."""
    kept: NDArray[np.int64] = row[row != IGNORED]
    return kept


def _begins_with(row: NDArray[np.int64], prompt: NDArray[np.int64]) -> bool:
    return len(row) >= len(prompt) and bool((row[: len(prompt)] == prompt).all())


def one_position_later(rows: IdRows, labels: IdRows | None) -> IdRows | None:
    """Return a causal model's likeliest ids at the positions that they predict; None if these are no such ids.

    Those of logits are as many as the labels, and do not all begin as these: what is generated repeats its prompt.
    Where a label begins with -100, what was said for the next position may be lost.
    """
    if labels is None or list(map(len, rows)) != list(map(len, labels)) or not all(map(len, labels)):
        return None
    if any(label[0] == IGNORED for label in labels):
        return None
    all_begin_alike = True
    later_rows = []
    for row, label in zip(rows, labels, strict=True):
        all_begin_alike = all_begin_alike and row[0] == label[0]
        later_rows.append(np.where(label == IGNORED, IGNORED, np.append(IGNORED, row[:-1])))
    return None if all_begin_alike else later_rows


def signs_of_a_causal_model(rows: IdRows, labels: IdRows | None, pad: int | None) -> str:
    """Return how predictions look like those of a causal model that are read as others; "" if they do not."""
    paddings = [_n_leading(row, pad) for row in rows]
    if min(paddings, default=0) == 0 and max(paddings, default=0) >= 2:
        return "some begin with padding, as prompts do that are padded on the left"
    if not rows or labels is None or len(labels) != len(rows):
        return ""
    if not all(map(len, labels)) or not all(map(len, rows)):
        return ""
    have_prompts = all(label[0] == IGNORED and (label != IGNORED).any() for label in labels)
    if have_prompts and not any(row[0] == IGNORED for row in rows):
        return "all labels begin with -100, as those of prompts do"
    n_labels = 0
    n_own = 0
    n_next = 0
    for row, label in zip(rows, labels, strict=True):
        if len(row) == len(label):
            is_label = label != IGNORED
            n_labels += int(is_label.sum())
            n_own += int((row == label)[is_label].sum())
            n_next += int((row[:-1] == label[1:])[is_label[1:]].sum())
    if n_next >= _LEAST_MATCHES and n_next > 2 * n_own and 4 * n_next > n_labels:
        return f"{n_next:,} of {n_labels:,} labels are predicted one place before theirs, {n_own:,} at it"
    return ""


def _n_leading(row: NDArray[np.int64], pad: int | None) -> int:
    """Return the number of ids of padding before a text; 0 if there is no text."""
    is_of_text = (row != IGNORED) & (row != pad)
    if pad is None or not is_of_text.any():
        return 0
    return int((row != pad).argmax())


def prompts_hold_labels(prompts: IdRows, labels: IdRows | None) -> bool:
    """Return whether the ids of all labels stand in the prompts, at the same positions."""
    if labels is None or list(map(len, prompts)) != list(map(len, labels)):
        return False
    has_label = False
    for prompt, label in zip(prompts, labels, strict=True):
        is_label = label != IGNORED
        if not (prompt == label)[is_label].all():
            return False
        has_label = has_label or bool(is_label.any())
    return has_label


def _is_float(value: Any) -> bool:
    return "float" in str(getattr(value, "dtype", ""))


def _dimensions(value: Any) -> int:
    if hasattr(value, "dtype") and str(value.dtype) != "object":
        return int(value.ndim)
    if not isinstance(value, (list, np.ndarray)):
        return 0
    if not len(value):
        return 1
    return 1 + _dimensions(value[0])


def _describe(value: Any) -> str:
    return f"{str(value.dtype).removeprefix('torch.')} of shape {tuple(value.shape)}"


def _shape_error(name: str, value: Any) -> InputError:
    description = f"{shorten(value)} ({type(value).__name__})"
    if hasattr(value, "dtype"):
        description = _describe(value)
    return InputError(f"The {name} must be ids of tokens, shape (items, length), got {description}.")
