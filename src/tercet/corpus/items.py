"""A user's predictions and references, in any container -> a corpus of Python strings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.errors import InputError, TercetError, first_line, shorten, warn

from .chats import reply_texts
from .corpus import Corpus, bytes_used, surrogate_error

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
        texts = _arrow_texts(column, name)
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
        _arrow_texts(entry, name)
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


# Columns that are Arrow already (pyarrow, datasets, pandas, Polars) -> checked texts, without a Python string.
#
# What is not text, or lacks a text where one must be, is left to the way of lists, which says what is wrong with
# it. Nothing is read, cast or shown before Arrow has found it well-formed: anything else may end the process.

_BYTES = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}


def read_arrow(predictions: object, references: object) -> Corpus | None:
    """Return two columns that hold texts in Arrow's memory; None for all others. Errors are those of check_arrow."""
    texts = _arrow_texts(predictions, "predictions")
    if texts is None:
        return None
    targets = _arrow_texts(references, "references")
    if targets is None or len(texts) != len(targets) or is_any_list(texts.type):
        return None
    import pyarrow as pa

    string = pa.large_string()
    in_lists = is_any_list(targets.type)
    try:
        texts = texts.cast(string)
        targets = targets.cast(pa.large_list(string) if in_lists else string)
    except pa.ArrowException:
        return None
    flat = targets
    offsets = None
    if in_lists:
        flat = pa.chunked_array([chunk.flatten() for chunk in targets.chunks], string)
        offsets = _offsets(targets)
    if texts.null_count or flat.null_count:
        return None
    return Corpus(texts, flat, offsets)


def _arrow_texts(column: Any, name: str) -> Any:
    """Return a column of texts, or of lists of them, as a ChunkedArray; None for all else.

    Nothing is copied where it is Arrow inside. Errors are those of :func:`check_arrow`.
    """
    array = _as_arrow(column)
    if array is None:
        return None
    check_arrow(array, name)
    stored = _of_dataset(column)
    if stored is not None and (stored is not column or stored.source.format["type"] is not None):
        # Its user sees something else than what is stored.
        return None
    kind = array.type
    if is_any_list(kind):
        kind = kind.value_type
    return array if is_plain_text(kind) else None


#: Texts of a chunk. In smaller ones, looking at each in Python takes longer than all of Arrow's check.
_MANY = 1 << 12


def check_arrow(column: Any, name: str) -> None:
    """Raise an InputError for an array or a table that is malformed, or has texts that are not UTF-8.

    Time: a few percent of that for scoring it.
    """
    import pyarrow as pa

    # ASCII is seen sooner than UTF-8, in chunks of many texts. What is malformed gets its error below.
    with suppress(pa.ArrowException):
        chunks = getattr(column, "chunks", [column])
        if len(column) > _MANY * len(chunks) and all(map(_is_ascii, chunks)):
            return
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise _encoding_error(column, name) or InputError(f"{name} cannot be read. {first_line(error)}") from None


def _is_ascii(column: Any) -> bool:
    """Return whether an array is texts of ASCII alone; one that is malformed raises the error of Arrow."""
    kind = _BYTES.get(str(getattr(column, "type", "")))
    if kind not in ("binary", "large_binary") or not len(column):
        return False
    bytes_of_column = column.view(kind)
    bytes_of_column.validate(full=True)
    data, _ = bytes_used(bytes_of_column.cast("large_binary"))
    return int(data.max(initial=0)) < 128


def _encoding_error(column: Any, name: str) -> InputError | None:
    """Return the error that names the first text whose bytes are not UTF-8; None where anything else is wrong."""
    import pyarrow as pa

    first = 0
    for chunk in getattr(column, "chunks", [column]):
        kind = _BYTES.get(str(getattr(chunk, "type", "")))
        if kind is None:
            return None
        bytes_of_chunk = chunk.view(kind)
        try:
            bytes_of_chunk.validate(full=True)
        except pa.ArrowException:
            return None
        for item, text in enumerate(bytes_of_chunk.to_pylist(), first):
            try:
                (text or b"").decode()
            except UnicodeDecodeError as decode_error:
                return InputError(f"item {item} of {name} is not valid UTF-8: {first_line(decode_error)}")
        first += len(chunk)
    return None


def _as_arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return column
    if isinstance(column, pa.Array):
        return pa.chunked_array([column])
    try:
        stored = _of_dataset(column)
        if stored is not None:
            return stored.source.select_columns([stored.column_name]).with_format("arrow")[:].column(0)
        if hasattr(column, "__arrow_c_stream__") and str(getattr(column, "dtype", "")) != "object":
            # A stream of pandas loses the sizes by which a column is checked.
            stored_array = getattr(getattr(column, "array", None), "__arrow_array__", None)
            return pa.chunked_array(column) if stored_array is None else _as_arrow(stored_array())
    except Exception:
        # Whatever another package raises: the column is then read as a list, whose messages name the item.
        return None
    return None


def _of_dataset(column: Any) -> Any:
    """Return the column of a Dataset that it is, or is a field of; None for all else.

    Iterating over one takes microseconds an item.
    """
    datasets = sys.modules.get("datasets")
    # Older versions of datasets have lists instead of columns: nothing is an instance of ().
    kind = getattr(getattr(datasets, "arrow_dataset", None), "Column", ())
    while isinstance(column, kind):
        if isinstance(column.source, datasets.Dataset):  # type: ignore[union-attr]
            return column
        column = column.source
    return None


def is_plain_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text."""
    from pyarrow.types import is_large_string, is_string, is_string_view

    return any(is_kind(kind) for is_kind in (is_string, is_large_string, is_string_view))


def is_any_list(kind: Any) -> bool:
    """Return whether a type of Arrow is lists."""
    from pyarrow.types import is_fixed_size_list, is_large_list, is_list

    return any(is_kind(kind) for is_kind in (is_list, is_large_list, is_fixed_size_list))


def _offsets(lists: Any) -> NDArray[np.int64]:
    """Return where the texts of each list begin, among those of all; None counts as an empty list."""
    # Here, as it takes 40 ms.
    import pyarrow.compute as pc

    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return np.append(0, np.cumsum(sizes))
