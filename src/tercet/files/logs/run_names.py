"""What runs are called: by their files, the users, and what tells the runs of a task apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from tercet.errors import InputError, shorten
from tercet.files.formats import unpacked
from tercet.files.table import Log

from .moments import COMPACT, is_moment, last_moment

#: Names that programs, or their documentation, give to the results of any run.
_ANY_RUN = re.compile(rf"\.?(latest_test_run|latest_run_full|test_run_{COMPACT}|eval_results_table|results?)")


def run_of(name: str, any_run: re.Pattern[str] = _ANY_RUN) -> str:
    """Return the name of a file of results, without its end; "" where it says nothing of a run, as `any_run` does."""
    stem = stem_of(name)
    if any_run.fullmatch(stem):
        return ""
    return stem


def stem_of(name: str) -> str:
    """Return the name of a file without its folder and its end, also where it is compressed."""
    return Path(unpacked(name)).stem


def given_names(logs: Sequence[Log], names: Sequence[str]) -> list[str]:
    """Return the names that users give to runs, or else their own, which stand behind those of several runs."""
    counts = Counter((log.harness, log.task, log.called) for log in logs)
    chosen: list[str] = []
    for log, name in zip(logs, names, strict=True):
        if not log.called:
            chosen.append(name)
        elif counts[log.harness, log.task, log.called] == 1:
            chosen.append(log.called)
        else:
            chosen.append(f"{log.called} {name}")
    names_of_tasks = Counter((log.harness, log.task, name) for log, name in zip(logs, chosen, strict=True))
    for (_, task, name), times in names_of_tasks.items():
        if times > 1:
            raise InputError(f"Two runs of {task} are called {shorten(name)}; expected a name of its own for each.")
    return chosen


def names_of_runs(logs: Sequence[Log]) -> list[str]:
    """Return the first possible names that tell the runs of each task apart: their models, or what paths say too."""
    for names in _possible_names(logs):
        runs = {(log.harness, log.task, name) for log, name in zip(logs, names, strict=True)}
        if len(runs) == len(logs) and all(names):
            return names
    raise InputError(f"The file {logs[0].name!r} is given twice.")


def _possible_names(logs: Sequence[Log]) -> Iterator[list[str]]:
    """Yield names of all runs: models, one folder of each path, several folders, models with times, whole paths."""
    paths = [Path(log.name).absolute() for log in logs]
    # From the file's own on, without the root.
    folders = [[part for part in path.parts[-2:0:-1] if not is_moment(part)] for path in paths]
    models = []
    for log, parents in zip(logs, folders, strict=True):
        # A log that does not name its model has it as the name of its folder; beside the root there is only its own.
        models.append(log.run or next(iter(parents), stem_of(log.name)))
    yield models
    yield from map(list, zip_longest(*folders, fillvalue=""))
    for level in range(1, max(map(len, folders), default=0)):
        yield ["/".join(parents[level::-1]) for parents in folders]
    # Runs of one model at several times are told apart by these.
    yield [f"{model} {last_moment(str(path))}" for model, path in zip(models, paths, strict=True)]
    yield [log.name for log in logs]
