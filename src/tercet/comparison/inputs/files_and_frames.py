"""Files and data frames that a user compares at once -> their test set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.errors import InputError, argument, argument_set, arguments_set, shorten
from tercet.files.tables.frames import frame_kind, is_dataset_of_splits
from tercet.names_as_shown import MOST_NAMED, joined
from tercet.option_checks import has_entries
from tercet.test_sets.input_files import is_input
from tercet.test_sets.read import read_test_sets
from tercet.test_sets.test_set import TestSet


def is_file_or_frame(value: Any) -> bool:
    """Return whether a value is read as files are: a path, paths, a data frame or the like."""
    if isinstance(value, str | os.PathLike) or frame_kind(value):
        return True
    if not isinstance(value, list | tuple) or not value:
        return False
    if any(isinstance(entry, os.PathLike) for entry in value):
        return True
    # A list of texts is no list of files: sentences have blanks, and no file is called so.
    return all(isinstance(entry, str) for entry in value) and not all(map(_is_sentence, value))


def _is_sentence(text: str) -> bool:
    return " " in text.strip() and not is_input(text)


def read_one(
    data: Any,
    function: str,
    *,
    references: Any,
    columns: Mapping[str, Any],
    cluster: Any,
    by: Any,
    **needed: Any,
) -> TestSet:
    """Return the test set of files or of a data frame; InputError where they hold several.

    `columns` are those that the user names by role, and `needed` is what :func:`tercet.read_test_sets` takes besides.
    """
    kind = frame_kind(data)
    if kind:
        _check_in_columns(data, kind, references)
    else:
        _check_paths(data, function)
    test_sets = read_test_sets(
        data,
        references=() if references is None else references,
        cluster=cluster if isinstance(cluster, str) else None,
        by=_names_of_columns(by),
        **columns,
        **needed,
    )
    if len(test_sets) > 1:
        names = joined([shorten(test_set.name) for test_set in test_sets], MOST_NAMED)
        holder, argument_text = _holder_of_sets(data, kind)
        raise InputError(
            f"{holder} {len(test_sets)} test sets, {names}, and {function} takes one: "
            f"[tercet.{function}(each) for each in tercet.read_test_sets({argument_text})]."
        )
    return test_sets[0]


def check_no_splits(value: Any, function: str) -> None:
    """Raise an InputError for a dataset of several splits, which is a mapping, but not of systems."""
    if is_dataset_of_splits(value):
        split = next(iter(value), "test")
        splits = joined(list(map(repr, value)), MOST_NAMED)
        raise InputError(
            f"{function} takes one split of a dataset, got a DatasetDict of {splits}: "
            f"tercet.{function}(dataset[{split!r}])."
        )


def check_no_columns(columns: Mapping[str, Any]) -> None:
    """Raise an InputError for columns that are named where none is read."""
    for name, value in columns.items():
        if value is not None and not (isinstance(value, Sequence) and not value):
            raise InputError(
                f"{argument(name)} names columns of a file or data frame; texts that are given as such have none. "
                f"Got {shorten(value)}."
            )


def _check_in_columns(frame: Any, kind: str, references: Any) -> None:
    """Raise an InputError for references beside a data frame, whose columns have them."""
    if references is None:
        return
    names = [references] if isinstance(references, str) else references
    columns = list(frame.columns) if kind == "data frame" else frame.column_names
    are_columns = isinstance(names, list | tuple) and bool(names) and all(name in columns for name in names)
    call = arguments_set("reference_columns", names) if are_columns else argument_set("reference_columns", "NAME")
    raise InputError(
        f"The references of a {kind} are in its columns: {call} in place of {argument('references')}, which takes "
        "texts beside a mapping of systems."
    )


def _holder_of_sets(data: Any, kind: str) -> tuple[str, str]:
    """Return what files or a frame hold something as, in words, and as they would be given to a function."""
    if kind:
        return f"The {kind} holds", "frame"
    if isinstance(data, str | os.PathLike):
        path = repr(os.fspath(data))
        return f"{path} holds", path
    return "The files hold", "paths"


def _check_paths(data: Any, function: str) -> None:
    """Raise an InputError for paths of files that are not there, which may be texts."""
    paths = [data] if isinstance(data, str | os.PathLike) else data
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InputError(f"{function} takes paths of files, got {shorten(path)} among them.")
        if not is_input(os.fspath(path)):
            raise InputError(
                f"{shorten(path)} does not exist; {function} takes paths of files, a data frame, or the texts of "
                f"each system by its name, as in tercet.{function}({{'A': predictions, 'B': others}}, 'bleu', "
                "references=references)."
            )


def _names_of_columns(by: Any) -> list[str]:
    """Return what `by` names; labels that it gives, and what it does not take, are left to who slices."""
    if isinstance(by, str):
        return [by]
    if by is None or isinstance(by, Mapping) or not has_entries(by):
        return []
    specs = list(by)
    return specs if all(isinstance(spec, str) for spec in specs) else []
