"""Folders into which harnesses write -> the logs in them, the newest of each task."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tercet.errors import InputError, warn
from tercet.files.formats import table_format
from tercet.files.read import read_file
from tercet.files.table import Log
from tercet.names_as_shown import joined

from .moments import instant, last_moment, without_moments
from .recognition import FORMATS

_EXPECTED = ", ".join(format.in_words for format in FORMATS if format.in_words)
#: Other files that may be logs, in a folder without any that are named so.
_OF_ANY_NAME = re.compile(r".+\.jsonl?(\.gz)?", re.IGNORECASE)
_MOST_LISTED = 10


def read_folder(folder: str) -> list[Log]:
    """Return the logs in a folder and those within it; of several runs of a task, the newest, with a warning.

    Logs that cannot be read are left out with a warning where others can.
    """
    files = sorted(_files(folder))
    named = [path for path in files if _is_named_as_log(path)]
    if not named:
        # Results of promptfoo, and samples of old versions of lm-evaluation-harness, have any name. Among other files
        # of JSON, those that cannot be read are no logs, and nothing is said of them.
        candidates = [path for path in files if _OF_ANY_NAME.fullmatch(os.path.basename(path))]
        logs, _ = _read_logs(candidates)
        if not logs:
            raise _without_logs(folder, files)
        return _newest(logs, folder)
    logs, errors = _read_logs(named)
    if not logs and errors:
        # The reason of the first file says why.
        raise errors[0]
    if not logs:
        raise InputError(
            f"{folder!r}: {os.path.relpath(named[0], folder)!r} is no log of a harness; expected {_EXPECTED}."
        )
    for error in errors:
        warn(f"A log is left out: {error}")
    return _newest(logs, folder)


def _read_logs(paths: Sequence[str]) -> tuple[list[Log], list[InputError]]:
    """Return the logs among some files, and why others cannot be read."""
    logs = []
    errors = []
    for path in paths:
        try:
            table = read_file(path)
        except InputError as error:
            errors.append(error)
            continue
        if isinstance(table, Log):
            logs.append(table)
    return logs, errors


def _without_logs(folder: str, files: Sequence[str]) -> InputError:
    """Return the error of a folder in which no file is a log; it says which files there are."""
    names = [os.path.relpath(path, folder) for path in files]
    content = f"it holds {joined(list(map(repr, names)), _MOST_LISTED) or 'no file'}"
    tables = [path for path in files if table_format(path) not in ("", "inspect")]
    example = ""
    if tables:
        example = f", such as {tables[0]!r}"
    return InputError(
        f"{folder!r} cannot be read: it is a folder without logs of a harness; {content}; expected {_EXPECTED}; "
        f"or give files{example}."
    )


def _is_named_as_log(path: str) -> bool:
    """Return whether a file has the name of a log, and is where its harness writes those that are called so."""
    file = Path(path).absolute()
    for format in FORMATS:
        is_there = format.folder in ("", file.parent.parent.name)
        if is_there and re.fullmatch(format.file_names, file.name, re.IGNORECASE):
            return True
    return False


def _files(folder: str) -> list[str]:
    """Return the files in a folder and the folders within, but for hidden ones."""
    paths = []
    for parent, folders, names in os.walk(folder):
        # The list itself is changed, as os.walk goes on into its folders.
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(parent, name) for name in names if not name.startswith(".")]
    return paths


def _newest(logs: list[Log], folder: str) -> list[Log]:
    """Return the newest run of each task and model, by the times in the paths."""
    runs: dict[tuple[str, ...], list[Log]] = {}
    for log in logs:
        parent = without_moments(str(Path(log.name).parent))
        runs.setdefault((log.harness, log.task, log.run, parent), []).append(log)
    latest_logs = []
    for logs_of_run in runs.values():
        newest = max(map(_instant_of, logs_of_run))
        latest = [log for log in logs_of_run if _instant_of(log) == newest]
        if len(latest) < len(logs_of_run):
            warn(
                f"{folder}: {latest[0].task} has {len(logs_of_run)} runs; the newest, {latest[0].name!r}, is read. "
                "To read another, give its file."
            )
        latest_logs += latest
    return latest_logs


def _instant_of(log: Log) -> datetime:
    return instant(last_moment(log.name))
