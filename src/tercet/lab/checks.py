"""Mistakes that are told before long work, in the words of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tercet.errors import InputError, OptionError, did_you_mean


def check_file(path: Path) -> None:
    """Raise an InputError for a file that could not be written."""
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(
            f"There is no folder to write the file {str(path)!r} to, or it is a folder itself, or may not be written."
        )


def check_folder(path: Path) -> None:
    """Raise an InputError for a folder that is not there and could not be made, or that nothing can be written to."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"No files can be written to the folder {str(path)!r}: {str(there)!r} does not take them.")


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is no system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        raise OptionError(f"There is no system {baseline!r} to be the baseline. {did_you_mean(baseline, names)}")


def check_references(name: str, references: Sequence[Sequence[str]], options: Mapping[str, Any], how: str) -> None:
    """Raise an InputError for the first segment without reference, unless the options say what to do with it.

    Parameters
    ----------
    name : str
        Of the test set.
    references : sequence of sequence of str
    options : mapping
        Of the metric.
    how : str
        What stands before ``missing_references=skip`` on a command line.

    Examples
    --------
    >>> check_references("news", [["a"], []], {}, "-m bleu_multi:")
    Traceback (most recent call last):
    tercet.errors.InputError: news, segment 2 has no reference; -m bleu_multi:missing_references=skip leaves such \
segments out.
    """
    if options.get("missing_references", "error") != "error":
        return
    missing = [number for number, texts in enumerate(references, 1) if not texts]
    if missing:
        more = f" (nor have {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"{name}, segment {missing[0]} has no reference{more}; {how}missing_references=skip leaves such segments "
            "out."
        )
