"""What runs are called: by their files, the users, and what tells the runs of a task apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
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
    """Return the first of these that tells the runs of each task apart: model, a folder, several, folder and date."""
    folders = []
    models = []
    models_and_moments = []
    for log in logs:
        path = Path(log.name).absolute()
        parents = [part for part in path.parts[-2:0:-1] if not is_moment(part)]
        folders.append(parents)
        # A log that does not name its model has it as the name of its folder; beside the root there is only its own.
        model = log.run or next(iter(parents), stem_of(log.name))
        models.append(model)
        models_and_moments.append(f"{model} {last_moment(str(path))}")
    # After the models one folder after the other, from within.
    candidates = [models, *map(list, zip_longest(*folders, fillvalue=""))]
    for level in range(1, max(map(len, folders), default=0)):
        candidates.append(["/".join(parents[level::-1]) for parents in folders])
    # Runs of one model at several times are told apart by these.
    candidates.append(models_and_moments)
    candidates.append([log.name for log in logs])
    for names in candidates:
        runs = {(log.harness, log.task, name) for log, name in zip(logs, names, strict=True)}
        if len(runs) == len(logs) and all(names):
            return names
    raise InputError(f"The file {logs[0].name!r} is given twice.")
