"""Folders into which harnesses write -> the logs in them, the newest of each task."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

from tercet.errors import InputError, level_of_caller
from tercet.files.joined_logs import MOMENT
from tercet.files.lines import open_binary
from tercet.files.read import READERS, table_format
from tercet.files.table import Log

#: Names of logs with samples: of lm-evaluation-harness, lighteval, inspect-ai, and inspect-ai in JSON.
_LOG = re.compile(
    rf"samples_.+\.jsonl(\.gz)?|details_.+\.parquet|.+\.eval|{MOMENT.pattern}.*\.json", re.IGNORECASE
)  # fmt: skip
_EXPECTED = (
    "samples_*.jsonl of lm-evaluation-harness (--log_samples), details_*.parquet of lighteval, *.eval of inspect-ai"
)
_MOST_LISTED = 10


def read_folder(folder: str) -> list[Log]:
    """Return the logs in a folder and those within it; of several runs of a task, the newest, with a warning.

    Logs that hold no texts, as of multiple choice, are left out with a warning where others do.
    """
    files = sorted(path for path in _files(folder))
    paths = [path for path in files if _LOG.fullmatch(os.path.basename(path))]
    if not paths:
        names = [os.path.relpath(path, folder) for path in files]
        more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
        there = f"it holds {', '.join(map(repr, names[:_MOST_LISTED]))}{more}" if names else "it holds no file"
        raise InputError(
            f"{folder!r} cannot be read: it is a folder without logs of a harness; {there}; expected {_EXPECTED}; or "
            "give files."
        )
    logs, errors = [], []
    for path in paths:
        try:
            with open_binary(path) as stream:
                table = READERS[table_format(path)](stream, path)
        except InputError as refusal:
            errors.append(refusal)
            continue
        logs += [table] if isinstance(table, Log) else []
    if not logs and errors:
        raise errors[0]
    if not logs:
        raise InputError(
            f"{folder!r}: {os.path.relpath(paths[0], folder)!r} is no log of a harness; expected {_EXPECTED}."
        )
    for error in errors:
        warnings.warn(f"A log is left out: {error}", stacklevel=level_of_caller())
    return _newest(logs, folder)


def _files(folder: str) -> list[str]:
    """Return the files in a folder and the folders within, but for hidden ones."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(parent, name) for name in names if not name.startswith(".")]
    return found


def _newest(logs: list[Log], folder: str) -> list[Log]:
    """Return the newest run of each task and model, by the times in the paths."""
    runs: dict[tuple[str, ...], list[tuple[str, Log]]] = {}
    for log in logs:
        parent = MOMENT.sub("", str(Path(log.name).parent))
        moment = "".join(MOMENT.findall(log.name)[-1:])
        runs.setdefault((log.harness, log.task, log.run, parent), []).append((moment, log))
    found = []
    for (_, task, *_), dated in runs.items():
        newest = max(moment for moment, _ in dated)
        last = [log for moment, log in dated if moment == newest]
        if len(last) < len(dated):
            warnings.warn(
                f"{folder}: {task} has {len(dated)} runs; the newest, {last[0].name!r}, is read. To read another, "
                "give its file.",
                stacklevel=level_of_caller(),
            )
        found += last
    return found
