"""A user's predictions and references, in any container -> a corpus of Python strings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.errors import InputError, TercetError, first_line, shorten, warn

from .arrow_columns import arrow_texts
from .chats import reply_texts
from .corpus import Corpus, surrogate_error

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_items(predictions: Any, references: Any, name: str = "predictions") -> Corpus:
    """Return a user's predictions and references, checked: a corpus of Python strings.

    A column is a list, tuple, array of NumPy or Arrow, datasets column, Series of pandas or Polars, or data frame of
    one column. An item's references are a text, a list of any number of them, a chat, whose last message of the
    assistant counts, a list of chats, or None. An InputError names the first item that is anything else, or says that
    the lengths differ, with a hint where references look transposed.
    """
    prediction_list = predictions
    if type(predictions) is not list:
        prediction_list = as_list(predictions, name, "one text per item", 1)
    reference_list = references
    if type(references) is not list:
        reference_list = as_list(references, "references", "one text or one list of texts per item", 2)
    strings = engine.paired_strings(prediction_list, reference_list)
    if strings is not None:
        texts, flat, ends = strings
        return Corpus(texts, flat, None if ends is None else np.array(ends), (name,))
    try:
        texts = _plain_strings(prediction_list.copy(), name)
    except InputError as error:
        if isinstance(prediction_list[0], list | tuple) and engine.all_strings(reference_list):
            raise InputError(
                f"{error} If they are references, the two are swapped: predictions come first."
            ) from None
        raise
    targets = reference_list.copy()
    flat, offsets = _flat_references(targets)
    if offsets is not None or len(flat) != len(texts):
        all_offsets = np.arange(len(flat) + 1) if offsets is None else offsets
        _check_number(texts, name, all_offsets, nested=bool(targets) and not isinstance(targets[0], str))
    return Corpus(texts, flat, offsets, (name,))


def read_texts(predictions: object, name: str = "predictions") -> Corpus:
    """Return predictions without references, checked; InputError names the first item that is not text."""
    texts = _plain_strings(as_list(predictions, name, "one text per item", 1), name)
    return Corpus(texts, [], np.zeros(len(texts) + 1, np.int64), (name,))


def read_systems(names: Sequence[str], predictions: Sequence[Any], references: Any) -> Corpus:
    """Return the predictions of one or more systems, checked; references may be an iterator, or None."""
    if references is None:
        first = read_texts(predictions[0], names[0])
    else:
        first = read_items(predictions[0], references, names[0])
    offsets = first.reference_offsets
    n = first.n_items
    assert first.strings is not None
    texts, flat = first.strings
    for name, column in zip(names, predictions, strict=True):
        warn_of_order(name, column, references)
    for n_before, (name, column) in enumerate(zip(names[1:], predictions[1:], strict=True), 1):
        try:
            system_texts = _plain_strings(as_list(column, name, "one text per item", 1), name)
            if not flat and len(system_texts) != n:
                raise InputError(
                    f"{name} must have one entry per item, as the first system has: got {len(system_texts)}, "
                    f"expected {n}."
                )
            _check_number(system_texts, name, offsets, nested=True)
        except InputError:
            # An error in an earlier text comes first.
            Corpus(texts, flat, offsets, tuple(names[:n_before])).encoded()
            raise
        texts += system_texts
    return Corpus(texts, flat, offsets, tuple(names))


def warn_of_order(name: str, predictions: object, references: object) -> None:
    """Warn of Series of pandas that have the same labels in another order: they are scored by their order."""
    series = getattr(sys.modules.get("pandas"), "Series", ())
    if not isinstance(predictions, series) or not isinstance(references, series):
        return
    labels = predictions.index
    reference_labels = references.index
    if len(labels) != len(reference_labels) or labels.equals(reference_labels):
        return
    if set(labels) == set(reference_labels):
        warn(
            f"the indexes of {name} and references have the same labels in another order: texts are paired by their "
            "places, as lists are. If the labels say which belong together, bring both to one order first, as "
            "predictions.loc[references.index] does."
        )


def check_missing(missing: Sequence[int], policy: str, at_zero: str = "scores them 0") -> None:
    """Raise an InputError for items without reference unless the policy allows them.

    `at_zero` says what the policy "zero" does; it is empty where there is no policy to choose.
    """
    if policy == "error" and missing:
        and_more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        how = ""
        if at_zero:
            how = f" missing_references='skip' leaves such items out, missing_references='zero' {at_zero}."
        raise InputError(
            f"item {missing[0]}{and_more} of references is empty: every item needs at least one reference.{how}"
        )


def check_texts(texts: Sequence[Any], where: str, first: int = 0) -> None:
    """Raise an InputError for the first entry that is no text, or cannot be encoded; numbers count from `first`."""
    for index, text in enumerate(texts, first):
        _check_text(text, f"item {index} of {where}")
        error = surrogate_error(f"item {index} of {where}", text)
        if error is not None:
            raise error


def _plain_strings(texts: list[Any], where: str) -> list[str]:
    """Return texts as plain strings, also those of a subclass such as numpy.str_; raise for the first other."""
    if engine.all_strings(texts):
        return texts
    for index, text in enumerate(texts):
        _check_text(text, f"item {index} of {where}")
    return ["".join((text,)) for text in texts]


def _check_text(text: Any, name: str) -> None:
    if not isinstance(text, str):
        hint = ""
        if isinstance(text, (list, tuple)) and text and all(isinstance(token, str) for token in text):
            hint = ' Texts are not split into tokens: if these are tokens, join them with spaces, " ".join(tokens).'
        raise InputError(f"{name} must be a string, got {shorten(text)} ({type(text).__name__}).{hint}")


def _flat_references(targets: list[Any]) -> tuple[list[str], NDArray[np.int64] | None]:
    """Return all references in one list, and where those of each item begin; None where each has one."""
    if engine.all_strings(targets):
        return targets, None
    lists = targets
    if not set(map(type, targets)) <= {list, tuple}:
        lists = _as_lists(targets)
    flat, ends = _flatten(lists)
    if not engine.all_strings(flat):
        texts = [reply_texts(list(entry), f"item {index} of references") for index, entry in enumerate(lists)]
        flat, ends = _flatten(texts)
        for index, (start, stop) in enumerate(pairwise(ends)):
            flat[start:stop] = _plain_strings(flat[start:stop], f"the references of item {index}")
    return flat, np.array(ends)


def _flatten(lists: list[Any]) -> tuple[list[Any], list[int]]:
    """Return the entries of lists in one, and where those of each begin."""
    flat: list[Any] = []
    ends = [0]
    # Each list is read at once, as another thread may change it in between.
    for entries in lists:
        flat += entries
        ends.append(len(flat))
    return flat, ends


def _as_lists(targets: list[Any]) -> list[Any]:
    """Return one list per item for entries of any kind; all of them must be texts, or all of them lists."""
    entries = [as_entry(entry, f"item {index} of references") for index, entry in enumerate(targets)]
    first = next((entry for entry in entries if entry is not None), None)
    for index, entry in enumerate(entries):
        if entry is not None and isinstance(entry, str) != isinstance(first, str):
            raise InputError(
                f"item {index} of references is {_description(entry)}, but an earlier one is {_description(first)}: "
                "give either one string per item or one list of strings per item."
            )
    lists: list[Any] = []
    for entry in entries:
        if entry is None:
            lists.append([])
        elif isinstance(entry, str):
            lists.append([entry])
        else:
            lists.append(entry)
    return lists


def _check_number(texts: list[str], name: str, offsets: NDArray[np.int64], nested: bool) -> None:
    """Raise an InputError unless there are as many predictions as items; `nested` are references in lists."""
    n_items = len(texts)
    n_targets = len(offsets) - 1
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


def _description(entry: Any) -> str:
    return "a string" if isinstance(entry, str) else "a list"


# Containers of texts, of any package, as lists.


def as_list(column: Any, name: str, expected: str, dimensions: int) -> list[Any]:
    """Return a user's container as a new list: another thread may change the original."""
    if type(column) is list:
        return column.copy()
    import pyarrow as pa

    with readable(name):
        column = _only_column(column, name)
        texts = arrow_texts(column, name)
        if texts is None and isinstance(column, (pa.Array, pa.ChunkedArray)):
            texts = column
        if texts is not None:
            return texts.to_pylist()  # type: ignore[no-any-return]
        no_list = isinstance(column, (str, bytes, Mapping, Set)) or not isinstance(column, Iterable)
        if not no_list and 1 <= getattr(column, "ndim", 1) <= dimensions:
            return list(column.to_list() if hasattr(column, "to_list") else column)
    raise InputError(f"{name} must be a list with {expected}, got {shorten(column)} ({type(column).__name__}).")


def as_entry(entry: Any, name: str) -> str | list[Any] | None:
    """Return a user's references of an item: a text, a list of texts or of messages, or None."""
    if entry is None or isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        # One message of a chat.
        return [entry]
    with readable(name):
        if isinstance(entry, (list, tuple)):
            return list(entry)
        # NaN and NA are how pandas says None.
        if (isinstance(entry, float) and entry != entry) or type(entry).__name__ == "NAType":
            return None
        # Refuses what is malformed, before it is read or shown.
        arrow_texts(entry, name)
        if getattr(entry, "ndim", 1) == 1:
            # A Series of pandas or Polars.
            if hasattr(entry, "to_list"):
                return list(entry.to_list())
            import pyarrow as pa

            if isinstance(entry, (np.ndarray, pa.Array)):
                return list(entry.tolist())
    raise InputError(f"{name} must be a string or a list of strings, got {shorten(entry)} ({type(entry).__name__}).")


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn any error raised by a user's object into an InputError that names it."""
    try:
        yield
    except TercetError:
        raise
    except Exception as error:
        raise InputError(f"{name} cannot be read. {first_line(error)}") from error


def _only_column(column: Any, name: str) -> Any:
    """Return the column of a data frame, and anything else unchanged."""
    if isinstance(column, Iterable) and hasattr(column, "columns"):
        frame: Any = column
        names = list(frame.columns)
        if len(names) != 1:
            raise InputError(
                f"{name} must be one column, got a {type(frame).__name__} of {len(names)}: {shorten(names)}. Give "
                "one of them."
            )
        return frame[names[0]]
    return column


#: Items of a column of pyarrow from which on Arrow's own steps take less time than making strings of it.
_SHORT = 1 << 10


def short_lists(predictions: Any, references: Any) -> tuple[list[Any], list[Any]] | None:
    """Return two short columns of pyarrow as lists, as :func:`as_list` would; None for all else."""
    # One that another thread is still importing has not all names.
    pyarrow = sys.modules.get("pyarrow")
    kinds = (getattr(pyarrow, "Array", ()), getattr(pyarrow, "ChunkedArray", ()))
    if not isinstance(predictions, kinds) or not isinstance(references, kinds) or len(predictions) >= _SHORT:
        return None
    try:
        # What is malformed may end the process that reads it.
        predictions.validate(full=True)
        references.validate(full=True)
        return predictions.to_pylist(), references.to_pylist()
    except Exception:
        return None  # whoever reads the columns says what is wrong with them
