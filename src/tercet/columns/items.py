"""Predictions and references as a user has them -> checked texts, as Python strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.errors import InputError, shorten

from .batch import Batch, in_lists
from .containers import as_entry, as_list, kind_of


@dataclass(frozen=True, slots=True)
class Items:
    """Checked texts as Python strings.

    Attributes
    ----------
    predictions : list of str, length n
    references : list of str, length m
        The references of all items, item by item.
    offsets : ndarray of int64, shape (n + 1,), optional
        Item i has the references ``offsets[i]`` to ``offsets[i + 1]``; None where every item has one.
    name : str
        What the predictions are called in messages.
    """

    predictions: list[str]
    references: list[str]
    offsets: NDArray[np.int64] | None
    name: str = "predictions"

    @property
    def reference_offsets(self) -> NDArray[np.int64]:
        """Where the references of each item begin, shape (n + 1,)."""
        return np.arange(len(self.references) + 1) if self.offsets is None else self.offsets

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        return len(self.predictions)

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        return [] if self.offsets is None else np.flatnonzero(np.diff(self.offsets) == 0).tolist()

    def part(self, start: int, stop: int) -> Batch:
        """Return the items `start` to `stop`, or to the last one; they are encoded when somebody asks for that."""
        predictions, offsets = self.predictions[start:stop], self.offsets
        if offsets is None:
            references = self.references[start:stop]
        else:
            offsets = offsets[start : stop + 1]
            references = self.references[int(offsets[0]) : int(offsets[-1])]
            offsets = offsets - offsets[0]
        return Batch(lambda: self.encode(predictions + references), offsets, start, (predictions, references))

    def batch(self) -> Batch:
        """Return all items, encoded; InputError as :meth:`encode`."""
        whole = self.part(0, self.n_items)
        _ = whole.texts
        return whole

    def reference_lists(self) -> list[list[str]]:
        """Return one list of references per item."""
        return in_lists(self.references, self.reference_offsets)

    def of_other_system(self, predictions: object, name: str) -> Items:
        """Check what another system wrote for the same references, which are not read again.

        Raises
        ------
        InputError
            As :func:`read_items`.
        """
        texts = _checked(as_list(predictions, name, "one text per item", 1), name)
        n_items = self.n_items
        if not self.references and len(texts) != n_items:
            raise InputError(
                f"{name} must have one entry per item, as the first system has: got {len(texts)}, expected {n_items}."
            )
        _check_number(texts, name, self.reference_offsets, nested=True)
        return replace(self, predictions=texts, name=name)

    def encode(self, texts: list[str]) -> Any:
        """Return some of the texts as UTF-8, in Arrow's memory.

        Raises
        ------
        InputError
            Names the first text that cannot be encoded (a lone surrogate).
        """
        try:
            return pa.array(texts, pa.large_string())
        except UnicodeEncodeError:
            raise _encoding_error(self) from None


def read_items(predictions: object, references: object, name: str = "predictions") -> Items:
    """Check predictions and references and return them as lists.

    Parameters
    ----------
    predictions : sequence of str
        One text per item: a list, tuple, NumPy array, Arrow array, datasets column, a Series of pandas or Polars, or
        a data frame of one column.
    references : sequence of str or of sequences of str
        One reference per item, or a list of any number of them per item. ``None`` or an empty list means that
        the item has no reference.
    name : str
        What the predictions are called in messages.

    Returns
    -------
    Items

    Raises
    ------
    InputError
        Names the first item that is None, a number, bytes or anything else but text; a string among lists;
        lengths that differ, with a hint when the references look transposed.
    """
    texts = as_list(predictions, name, "one text per item", 1)
    targets = as_list(references, "references", "one text or one list of texts per item", 2)
    texts = _checked(texts, name)
    flat, offsets = _flat_references(targets)
    if offsets is not None or len(flat) != len(texts):
        all_offsets = np.arange(len(flat) + 1) if offsets is None else offsets
        _check_number(texts, name, all_offsets, nested=bool(targets) and not isinstance(targets[0], str))
    return Items(texts, flat, offsets, name)


def read_texts(predictions: object, name: str = "predictions") -> Items:
    """Check predictions, which have no references.

    Raises
    ------
    InputError
        Names the first item that is no text.
    """
    texts = _checked(as_list(predictions, name, "one text per item", 1), name)
    return Items(texts, [], np.zeros(len(texts) + 1, np.int64), name)


def check_missing(missing: Sequence[int], policy: str, at_zero: str = "scores them 0") -> None:
    """Raise an InputError for items without reference unless the policy says what to do with them.

    `at_zero` tells what the policy "zero" does; it is empty where there is no policy to choose.
    """
    if policy == "error" and missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        how = f" missing_references='skip' leaves such items out, missing_references='zero' {at_zero}."
        raise InputError(
            f"item {missing[0]}{more} of references is empty: every item needs at least one reference."
            f"{how if at_zero else ''}"
        )


def check_texts(texts: Sequence[Any], where: str, first: int = 0) -> None:
    """Raise an InputError for the first entry that is not a text, or one that cannot be encoded.

    Parameters
    ----------
    texts : sequence
    where : str
        What they are, for the message.
    first : int
        The number of the first entry in what the user gave.

    Examples
    --------
    >>> check_texts(["a", 7], "corpus", first=10)
    Traceback (most recent call last):
    tercet.errors.InputError: item 11 of corpus must be a string, got 7 (int).
    """
    for index, text in enumerate(texts, first):
        _check_text(text, f"item {index} of {where}")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise _surrogate_error(f"item {index} of {where}", text, error) from None


def _checked(texts: list[Any], where: str) -> list[str]:
    """Return texts as plain strings, also those of a subclass such as numpy.str_; raise for the first other."""
    if set(map(type, texts)) <= {str}:
        return texts
    for index, text in enumerate(texts):
        _check_text(text, f"item {index} of {where}")
    return ["".join((text,)) for text in texts]


def _check_text(text: Any, name: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"{name} must be a string, got {shorten(text)} ({kind_of(text)}).")


def _flat_references(targets: list[Any]) -> tuple[list[str], NDArray[np.int64] | None]:
    """Return all references in one list, and where those of each item begin; None where each has one."""
    kinds = set(map(type, targets))
    if kinds <= {str}:
        return targets, None
    if not kinds <= {list, tuple}:
        targets = _as_lists(targets)
    flat: list[Any] = []
    ends = [0]
    for entry in targets:  # at once, as another thread may change an entry in between
        flat += entry
        ends.append(len(flat))
    if not set(map(type, flat)) <= {str}:
        for index, (start, stop) in enumerate(pairwise(ends)):
            flat[start:stop] = _checked(flat[start:stop], f"the references of item {index}")
    return flat, np.array(ends)


def _as_lists(targets: list[Any]) -> list[Any]:
    """Return one list per item for entries of any kind; all of them must be texts, or all of them lists."""
    entries = [as_entry(entry, f"item {index} of references") for index, entry in enumerate(targets)]
    first = next((entry for entry in entries if entry is not None), None)
    for index, entry in enumerate(entries):
        if entry is not None and isinstance(entry, str) != isinstance(first, str):
            raise InputError(
                f"item {index} of references is {_described(entry)}, but an earlier one is {_described(first)}: "
                "give either one string per item or one list of strings per item."
            )
    return [[] if entry is None else [entry] if isinstance(entry, str) else entry for entry in entries]


def _check_number(texts: list[str], name: str, offsets: NDArray[np.int64], nested: bool) -> None:
    """Raise an InputError unless there are as many predictions as items; `nested` are references in lists."""
    n_items, n_targets = len(texts), len(offsets) - 1
    if n_items == n_targets:
        return
    hint = ""
    if nested and n_targets and (np.diff(offsets) == n_items).all():
        hint = (
            f" The references look transposed: {n_targets} lists of {n_items} texts. Give one list per item, "
            "[list(texts) for texts in zip(*references)]."
        )
    raise InputError(
        f"{name} and references must have one entry per item, got {n_items} predictions and {n_targets} references."
        + hint
    )


def _encoding_error(items: Items) -> InputError:
    lists = enumerate(items.reference_lists())
    named = chain(
        ((f"item {index} of {items.name}", text) for index, text in enumerate(items.predictions)),
        ((f"a reference of item {index}", text) for index, texts in lists for text in texts),
    )
    for name, text in named:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return _surrogate_error(name, text, error)
    raise AssertionError("every text can be encoded")


def _surrogate_error(name: str, text: str, error: UnicodeEncodeError) -> InputError:
    return InputError(
        f"{name} is not valid Unicode text: the lone surrogate {text[error.start]!r} stands at position "
        f"{error.start}."
    )


def _described(entry: Any) -> str:
    return "a string" if isinstance(entry, str) else "a list"
