"""Names of logs that do not say which task they are of -> the task and the run of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tercet.errors import InputError
from tercet.markup import joined

from .harness_logs import DAMAGED
from .read import unpacked
from .table import Log
from .text import LIMITS, open_binary, read_whole

#: What separates the words of a name; lm-evaluation-harness writes it for signs of a model's path too.
_BETWEEN = "_"
#: What lm-evaluation-harness wrote before the path of a model.
_OF_MODEL = "pretrained__"
#: The results of a run, beside its samples, as they were called then.
_RESULTS = "results.json"
#: Names of files that stand for that of a task at most.
_MOST_NAMES = 3


def with_tasks(logs: Sequence[Log]) -> list[Log]:
    """Return the logs with the task and the run that the names of files without a date say together.

    Until its version 0.4.2, lm-evaluation-harness called samples ``<model>_<task>``, and people rename them. The
    results beside them name the tasks. Where there are none, logs are of one task whose samples are the same, with
    the same prompts, and what their names share at the end, or else at the beginning, is what it is called.
    """
    with_results = [log if log.names_task else _by_results(log) for log in logs]
    tasks: dict[str, Log] = {}
    for log in with_results:
        if not log.names_task:
            tasks.setdefault(log.task, log)
    renamed: dict[str, tuple[str, str]] = {}
    for names in _same_samples(tasks):
        renamed |= _task_and_runs(names)
    result: list[Log] = []
    for log in with_results:
        if not log.names_task and log.task in renamed:
            task, run = renamed[log.task]
            log = replace(log, task=task, run=log.run or run)
        result.append(log)
    return result


#: Names that programs, or their documentation, give to the results of any run.
_ANY_RUN = re.compile(r"\.?(latest_test_run|latest_run_full|test_run_\d{8}_\d{6}|eval_results_table|results?)")


def run_of(name: str) -> str:
    """Return the name of a file of results, without its end; "" where it says nothing of a run."""
    stem = Path(unpacked(name)).stem
    return "" if _ANY_RUN.fullmatch(stem) else stem


def _by_results(log: Log) -> Log:
    """Return a log with its task and model, where the results beside it have a task with which its name ends."""
    for task in _tasks_beside(log):
        model = log.task.removesuffix(_BETWEEN + task)
        if model != log.task:
            return replace(log, task=task, run=log.run or model.removeprefix(_OF_MODEL), names_task=True)
    return log


def _tasks_beside(log: Log) -> list[str]:
    """Return the tasks in the results beside a log, those with long names first: one may end as another does."""
    path = Path(log.name).parent / _RESULTS
    if not path.is_file():
        return []
    try:
        with open_binary(str(path)) as stream:
            data = read_whole(stream, str(path), LIMITS, "results")
        LIMITS.check_json([data], str(path))
        tasks = json.loads(data)["results"]
    except (InputError, *DAMAGED, LookupError):
        return []
    return sorted(tasks, key=len, reverse=True) if isinstance(tasks, dict) else []


def _same_samples(logs: Mapping[str, Log]) -> list[list[str]]:
    """Return the names of logs whose samples are the same, where there are several."""
    samples = {name: _samples(log) for name, log in logs.items()}
    groups: list[list[str]] = []
    for name in logs:
        group = next((group for group in groups if _are_same(samples[group[0]], samples[name])), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return [group for group in groups if len(group) > 1]


#: The prompt and the references of each sample, by its key; an empty prompt where there is none.
_Samples = dict[tuple[str, ...], tuple[str, ...]]


def _are_same(samples: _Samples, others: _Samples) -> bool:
    """Return whether the samples that both logs have are the same, with the same prompts."""
    shared = samples.keys() & others.keys()
    return bool(shared) and all(samples[key] == others[key] and samples[key][0] for key in shared)


def _samples(log: Log) -> _Samples:
    prompts = [""] * len(log.lines) if log.roles.source is None else log.column(log.roles.source)
    references = zip(*(log.column(column) for column in log.roles.references), strict=True)
    # Runs of two harnesses are not joined.
    keys = ((log.harness, *key) for key in zip(*(log.column(column) for column in log.key), strict=True))
    return {
        key: (str(prompt or ""), *map(str, texts))
        for key, prompt, texts in zip(keys, prompts, references, strict=True)
    }


def _task_and_runs(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the task, and the run, of which each name is."""
    words = [name.split(_BETWEEN) for name in names]
    n_last = _n_shared([of_name[::-1] for of_name in words])
    if n_last:
        task = _BETWEEN.join(words[0][-n_last:])
        runs = [_BETWEEN.join(of_name[:-n_last]) for of_name in words]
        runs = [run.removeprefix(_OF_MODEL) for run in runs]
    else:
        n_first = _n_shared(words)
        task = _BETWEEN.join(words[0][:n_first]) or joined(names, _MOST_NAMES)
        runs = [_BETWEEN.join(of_name[n_first:]) for of_name in words]
    task = task.strip(_BETWEEN)
    runs = [run.strip(_BETWEEN) for run in runs]
    return {name: (task, run) for name, run in zip(names, runs, strict=True)}


def _n_shared(words: Sequence[Sequence[str]]) -> int:
    """Return how many words all names begin with, without the last one of the shortest."""
    n_shared = 0
    for same in zip(*(of_name[:-1] for of_name in words), strict=False):
        if len(set(same)) > 1:
            break
        n_shared += 1
    return n_shared
