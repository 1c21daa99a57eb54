"""Samples of lm-evaluation-harness whose names do not say which task they are of -> the task and the run of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tercet.files.columns.words import n_first_shared
from tercet.files.json_values import field_of
from tercet.files.table import Log
from tercet.names_as_shown import joined

from .lm_eval import results_beside

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
    renamed: dict[str, _Name] = {}
    for names in _same_samples(tasks):
        renamed |= _tasks_and_runs(names)
    result: list[Log] = []
    for log in with_results:
        if not log.names_task and log.task in renamed:
            name = renamed[log.task]
            result.append(replace(log, task=name.task, run=log.run or name.run))
        else:
            result.append(log)
    return result


def _by_results(log: Log) -> Log:
    """Return a log with its task and model, where the results beside it have a task with which its name ends."""
    for task in _tasks_beside(log):
        model = log.task.removesuffix(_BETWEEN + task)
        if model != log.task:
            return replace(log, task=task, run=log.run or model.removeprefix(_OF_MODEL), names_task=True)
    return log


def _tasks_beside(log: Log) -> list[str]:
    """Return the tasks in the results beside a log, those with long names first: one may end as another does."""
    tasks = field_of(results_beside(Path(log.name).parent / _RESULTS), "results")
    if not isinstance(tasks, dict):
        return []
    return sorted(tasks, key=len, reverse=True)


def _same_samples(logs: Mapping[str, Log]) -> list[list[str]]:
    """Return the names of logs whose samples are the same, where there are several."""
    samples = {name: _samples(log) for name, log in logs.items()}
    groups: dict[str, list[str]] = {}
    for name in logs:
        for first in groups:
            if _are_same(samples[first], samples[name]):
                groups[first].append(name)
                break
        else:
            groups[name] = [name]
    return [group for group in groups.values() if len(group) > 1]


#: The prompt and the references of each sample, by its key; an empty prompt where there is none.
_Samples = dict[tuple[str, ...], tuple[str, ...]]


def _are_same(samples: _Samples, others: _Samples) -> bool:
    """Return whether the samples that both logs have are the same, with the same prompts."""
    shared = samples.keys() & others.keys()
    for key in shared:
        prompt, *_ = samples[key]
        if not prompt or samples[key] != others[key]:
            return False
    return bool(shared)


def _samples(log: Log) -> _Samples:
    prompts = [""] * len(log.lines)
    if log.roles.source is not None:
        prompts = log.column(log.roles.source)
    references = zip(*map(log.column, log.roles.references), strict=True)
    keys = zip(*map(log.column, log.key), strict=True)
    samples = {}
    for key, prompt, texts in zip(keys, prompts, references, strict=True):
        # Runs of two harnesses are not joined.
        key_of_harness = (log.harness, *key)
        samples[key_of_harness] = (str(prompt or ""), *map(str, texts))
    return samples


class _Name(NamedTuple):
    """What the name of a log says, together with those of others."""

    task: str
    run: str


def _tasks_and_runs(names: Sequence[str]) -> dict[str, _Name]:
    """Return the task, and the run, of which each name is."""
    words_by_name = {name: name.split(_BETWEEN) for name in names}
    # A word of each name, at the other end, is of the run.
    n_last = n_first_shared([words[:0:-1] for words in words_by_name.values()])
    n_first = n_first_shared([words[:-1] for words in words_by_name.values()])
    tasks_and_runs = {}
    for name, words in words_by_name.items():
        if n_last:
            task = _BETWEEN.join(words[-n_last:])
            run = _BETWEEN.join(words[:-n_last]).removeprefix(_OF_MODEL)
        else:
            task = _BETWEEN.join(words[:n_first]) or joined(names, _MOST_NAMES)
            run = _BETWEEN.join(words[n_first:])
        tasks_and_runs[name] = _Name(task.strip(_BETWEEN), run.strip(_BETWEEN))
    return tasks_and_runs
