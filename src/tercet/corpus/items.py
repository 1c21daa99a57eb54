"""A user's predictions and references, in any container -> a corpus of Python strings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, shorten

from .containers import as_entry, as_list, kind_of
from .corpus import Corpus, surrogate_error


def read_items(predictions: object, references: object, name: str = "predictions") -> Corpus:
    """Return a user's predictions and references, checked, as lists of strings.

    A column is a list, tuple, array of NumPy or Arrow, datasets column, Series of pandas or Polars, or data frame of
    one column. An item's references are a text, a list of any number of them, or None. An InputError names the first
    item that is anything else, or says that the lengths differ, with a hint where references look transposed.
    """
    texts = as_list(predictions, name, "one text per item", 1)
    targets = as_list(references, "references", "one text or one list of texts per item", 2)
    texts = _checked(texts, name)
    flat, offsets = _flat_references(targets)
    if offsets is not None or len(flat) != len(texts):
        all_offsets = np.arange(len(flat) + 1) if offsets is None else offsets
        _check_number(texts, name, all_offsets, nested=bool(targets) and not isinstance(targets[0], str))
    return Corpus(texts, flat, offsets, (name,))


def read_texts(predictions: object, name: str = "predictions") -> Corpus:
    """Return predictions without references, checked; InputError names the first item that is not text."""
    texts = _checked(as_list(predictions, name, "one text per item", 1), name)
    return Corpus(texts, [], np.zeros(len(texts) + 1, np.int64), (name,))


def read_systems(names: Sequence[str], predictions: Sequence[Any], references: Any) -> Corpus:
    """Return the predictions of one or more systems, checked; references may be an iterator, or None."""
    if references is None:
        first = read_texts(predictions[0], names[0])
    else:
        first = read_items(predictions[0], references, names[0])
    offsets, n = first.reference_offsets, first.n_items
    assert first.strings is not None
    texts, flat = first.strings
    for place, (name, given) in enumerate(zip(names[1:], predictions[1:], strict=True), 1):
        try:
            own = _checked(as_list(given, name, "one text per item", 1), name)
            if not flat and len(own) != n:
                raise InputError(
                    f"{name} must have one entry per item, as the first system has: got {len(own)}, expected {n}."
                )
            _check_number(own, name, offsets, nested=True)
        except InputError:
            Corpus(texts, flat, offsets, tuple(names[:place])).encoded()  # an error in an earlier text comes first
            raise
        texts += own
    return Corpus(texts, flat, offsets, tuple(names))


def check_missing(missing: Sequence[int], policy: str, at_zero: str = "scores them 0") -> None:
    """Raise an InputError for items without reference unless the policy allows them.

    `at_zero` says what the policy "zero" does; it is empty where there is no policy to choose.
    """
    if policy == "error" and missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        how = f" missing_references='skip' leaves such items out, missing_references='zero' {at_zero}."
        raise InputError(
            f"item {missing[0]}{more} of references is empty: every item needs at least one reference."
            f"{how if at_zero else ''}"
        )


def check_texts(texts: Sequence[Any], where: str, first: int = 0) -> None:
    """Raise an InputError for the first entry that is no text, or cannot be encoded; numbers count from `first`."""
    for index, text in enumerate(texts, first):
        _check_text(text, f"item {index} of {where}")
        error = surrogate_error(f"item {index} of {where}", text)
        if error is not None:
            raise error


def _checked(texts: list[Any], where: str) -> list[str]:
    """Return texts as plain strings, also those of a subclass such as numpy.str_; raise for the first other."""
    if set(map(type, texts)) <= {str}:
        return texts
    for index, text in enumerate(texts):
        _check_text(text, f"item {index} of {where}")
    return ["".join((text,)) for text in texts]


def _check_text(text: Any, name: str) -> None:
    if not isinstance(text, str):
        hint = ""
        if isinstance(text, (list, tuple)) and text and all(isinstance(each, str) for each in text):
            hint = ' Texts are not split into tokens: if these are tokens, join them with spaces, " ".join(tokens).'
        raise InputError(f"{name} must be a string, got {shorten(text)} ({kind_of(text)}).{hint}")


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


def _described(entry: Any) -> str:
    return "a string" if isinstance(entry, str) else "a list"
