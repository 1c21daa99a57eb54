"""Checks that fail before scoring starts, in the words of the command line."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten
from tercet.files.lines import STDIN, read_lines
from tercet.files.roles import role_of
from tercet.files.table import Table
from tercet.files.writing import is_plain

from .columns import MOST_NAMED

if TYPE_CHECKING:
    from .test_sets import TestSet

#: The alternative for translation memories.
_JOINED = " Or give a TMX file for each system, and one with the references ({})."


def check_file(path: Path) -> None:
    """Raise an InputError for a file that could not be written."""
    folder = path.parent
    if path == Path("-"):
        raise InputError("Give a file's name, not '-': without one, the output goes to the standard output.")
    if not is_plain(path):
        fits = os.access(path, os.W_OK) and not path.is_dir()
    else:
        fits = folder.is_dir() and all(os.access(each, os.W_OK) for each in (folder, path) if each.exists())
    if not fits:
        raise InputError(
            f"Cannot write the file {str(path)!r}: its folder does not exist, it is itself a folder, or it is "
            "not writable."
        )


def check_ending(option: str, path: Path, known: Iterable[str], otherwise: str = "") -> None:
    """Raise an OptionError for a file whose name ends as that of a format that is not written; "" is no ending."""
    endings = list(known)
    if path.suffix.lower() not in endings:
        raise OptionError(
            f"{option} {shorten(str(path))}: the extension {shorten(path.suffix)} names no format: use one of "
            f"{' '.join(filter(None, endings))}{otherwise}."
        )


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str]) -> None:
    """Raise an InputError for an output file that would overwrite an input or another output.

    `outputs` are keyed by their name in messages, such as ``--out``; an input ``-`` is the standard input. Pipes and
    other non-files may be given twice.
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
    with suppress(OSError, ValueError):  # missing, or a standard input that is not a file
        found = os.fstat(sys.stdin.fileno()) if other == STDIN else os.stat(other)
        return os.path.samestat(path.stat(), found)
    return other != STDIN and os.path.realpath(path) == os.path.realpath(other)


def check_different(files: Sequence[str], references: Sequence[str] = (), *, role: str = "a system") -> None:
    """Raise an InputError for a file that is given twice, by any path or link, or also as references."""
    known: list[tuple[str, str, os.stat_result]] = []
    for number, path in enumerate([*files, *references]):
        try:
            found = os.stat(path)
        except OSError:  # the standard input; or missing, which its reader reports
            continue
        what = role if number < len(files) else "references"
        for other, before_as, before in known:
            if os.path.samestat(found, before):
                if (path, what) == (other, before_as):
                    raise InputError(f"The file {path!r} is given twice{' as references' * (what == 'references')}.")
                also = what.replace("a ", "another ", 1) if what == before_as else what
                raise InputError(
                    f"{other!r} is given as {before_as}, and {path!r} as {also}: they are the same file."
                )
        known.append((path, what, found))


def check_columns(table: Table, systems: list[str], references: list[str], source: str | None) -> None:
    """Raise an InputError for a column that is not there, or is named twice or in two roles."""
    for column in [*systems, *references, *([] if source is None else [source])]:
        table.column(column)
    for what, columns in (("a system", systems), ("references", references)):
        twice = [column for column, times in Counter(columns).items() if times > 1]
        if twice:
            raise InputError(f"{table.name}: the column {twice[0]!r} is named twice as {what}; name it once.")
    both = [column for column in systems if column in references]
    if both:
        raise InputError(f"{table.name}: the column {both[0]!r} is named both as a system and as references.")


def check_texts(paths: Sequence[str]) -> None:
    """Raise an InputError for a file that is no text: what it is explains more than its extension."""
    for path in paths:
        if path != STDIN:
            read_lines(path)


def check_roles(table: Table, format: str, systems: list[str], references: list[str], need_references: bool) -> None:
    """Raise an InputError for a table without a column of a system, or of references."""
    missing = [
        f"{what} (choose with {option})"
        for what, option, columns in (
            ("predictions of a system", argument("systems"), systems),
            ("references", argument("reference_columns"), references),
        )
        if not columns and (need_references or what != "references")
    ]
    if missing:
        kind = "language" if format == "tmx" else "column"
        which, named = f"no {kind}", list(map(repr, table.columns))
        others = [repr(name) for name in table.columns if role_of(name) == "system"][:MOST_NAMED]
        if others and kind == "column" and not systems:
            which += f" ({', '.join(others)} {'are' if others[1:] else 'is'} not all text)"
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        raise InputError(
            f"{table.name}: {which} was recognized as {', or '.join(missing)}; "
            f"there {'is the' if len(named) == 1 else 'are the'} {kind}{'s' * (len(named) > 1)} "
            f"{', '.join(named[:MOST_NAMED])}{more}."
            f"{_JOINED.format(argument('references')) if format == 'tmx' else ''}"
        )


def warn_repeated_ids(table: Table) -> None:
    """Warn of the first id in several rows: a copied segment counts twice."""
    for column in table.columns:
        if column.strip().lower() != "id":
            continue
        rows: dict[str, list[int]] = {}
        for line, cell in zip(table.lines, table.columns[column], strict=True):
            if cell is not None and str(cell).strip():
                rows.setdefault(str(cell), []).append(line)
        repeated = [(cell, lines) for cell, lines in rows.items() if len(lines) > 1]
        if repeated:
            cell, lines = repeated[0]
            others = len(repeated) - 1
            more = f"; {others:,} more {'id is' if others == 1 else 'ids are'} repeated" if others else ""
            warnings.warn(
                f"{table.name}: the id {shorten(cell)} occurs {len(lines):,} times, first on lines {lines[0]:,} "
                f"and {lines[1]:,}{more}. Each row is scored as a separate segment; "
                f"{argument_set('cluster', column)} resamples those of an id together.",
                UserWarning,
                stacklevel=4,
            )


def check_folder(path: Path) -> None:
    """Raise an InputError for a folder that cannot be made or written to."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"Cannot write files to the folder {str(path)!r}: {str(there)!r} is not a writable folder.")


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is not a system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise OptionError(f"There is no system {shorten(baseline)} to use as the baseline. {hint}")


def check_segment(test_set: TestSet, segment: int) -> None:
    """Raise an InputError for the number of a segment, from 1, that a test set does not have."""
    n_segments = test_set.n_segments
    if not 1 <= segment <= n_segments:
        raise InputError(
            f"{test_set.name} has no segment {segment:,}: its segments are numbered 1 to {n_segments:,}."
        )


def check_references(name: str, references: Sequence[Sequence[str]], options: Mapping[str, Any], how: str) -> None:
    """Raise an InputError for the first segment without a reference, unless the options allow it.

    `how` precedes ``missing_references=skip`` on a command line.
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
