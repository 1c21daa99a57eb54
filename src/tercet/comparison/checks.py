"""Mistakes that are told before long work, in the words of the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tercet.errors import InputError, OptionError, did_you_mean, shorten
from tercet.files.lines import STDIN
from tercet.files.writing import is_plain


def check_file(path: Path) -> None:
    """Raise an InputError for a file that could not be written."""
    folder = path.parent
    if not is_plain(path):
        fits = os.access(path, os.W_OK) and not path.is_dir()
    else:
        fits = folder.is_dir() and all(os.access(each, os.W_OK) for each in (folder, path) if each.exists())
    if not fits:
        raise InputError(
            f"Cannot write the file {str(path)!r}: its folder does not exist, it is itself a folder, or it is "
            "not writable."
        )


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str]) -> None:
    """Raise an InputError for a file that would be written over what is read, or over another one that is written.

    Parameters
    ----------
    outputs : mapping of str to Path or None
        By the words of a message for them, such as ``--out``. What is no file, such as a pipe, may be given twice.
    inputs : iterable of str
        ``-`` is the standard input.

    Examples
    --------
    >>> check_outputs({"--out": Path("x.txt"), "--segments": Path("./x.txt")}, [])
    Traceback (most recent call last):
    tercet.errors.InputError: --out and --segments would be written to the same file, 'x.txt': give two.
    """
    read = list(inputs)
    written: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None or not is_plain(path):
            continue
        for each in read:
            if _is_same(path, each):
                name = "the standard input" if each == STDIN else f"the input {each!r}"
                raise InputError(f"{option} would overwrite {name}: give another file.")
        for other, before in written.items():
            if _is_same(path, str(before)):
                raise InputError(f"{other} and {option} would be written to the same file, {str(path)!r}: give two.")
        written[option] = path


def _is_same(path: Path, other: str) -> bool:
    with suppress(OSError, ValueError):  # not there, or a standard input that is no file
        found = os.fstat(sys.stdin.fileno()) if other == STDIN else os.stat(other)
        return os.path.samestat(path.stat(), found)
    return other != STDIN and os.path.realpath(path) == os.path.realpath(other)


def check_different(systems: Sequence[str], references: Sequence[str]) -> None:
    """Raise an InputError for a file, by any path or link, that is given as two systems, or as references too."""
    known: list[tuple[str, os.stat_result]] = []
    for number, path in enumerate([*systems, *references]):
        if path == STDIN:
            continue
        found, is_system = os.stat(path), number < len(systems)
        for other, before in known:
            if os.path.samestat(found, before):
                if is_system and path == other:
                    raise InputError(f"The file {path!r} is given twice.")
                what = "another system" if is_system else "references"
                raise InputError(f"{other!r} is given as a system, and {path!r} as {what}: they are the same file.")
        if is_system:
            known.append((path, found))


def check_folder(path: Path) -> None:
    """Raise an InputError for a folder that is not there and could not be made, or that nothing can be written to."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"Cannot write files to the folder {str(path)!r}: {str(there)!r} is not a writable folder.")


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is no system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        raise OptionError(
            f"There is no system {shorten(baseline)} to use as the baseline. {did_you_mean(baseline, names)}"
        )


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
        more = f" (nor do {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(
            f"{name}, segment {missing[0]} has no reference{more}; {how}missing_references=skip leaves such segments "
            "out."
        )
