"""Logs of harnesses -> the same samples in every run of a task: each run is a system."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InputError, shorten, warn

from .join import EMPTY, LACKING, LEAVE_OUT, join
from .log_names import with_tasks
from .moments import is_moment, last_moment
from .read import items
from .results import joined_parts
from .table import Log

#: The column that tells the repeats of a sample apart.
_REPEAT = "repeat"


class Runs(NamedTuple):
    """The runs of a task: predictions by system, references and sources of the samples that all of them have."""

    task: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    #: Which of the logs' fields these are, in words.
    fields: str
    first: Log
    #: The numbers that the harness computed, by score and system; NaN where missing.
    scores: dict[str, dict[str, list[float]]]
    #: Why there are no texts of systems, which are empty then, and no references.
    no_texts: str
    #: What the labels are of segments that are resampled together; None if each is alone.
    cluster: str | None
    labels: list[str]
    #: The row of each segment in the first log.
    order: list[int]
    #: By system, how many samples it did not answer, or not to the end, by what is wrong, in words.
    lost: Mapping[str, Mapping[str, int]]
    #: How many samples there are, with those that some run lacks.
    n_all: int


def join_logs(
    logs: Sequence[Log],
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    source: str | None = None,
    cluster: str | None = None,
    missing: str = LEAVE_OUT,
) -> Iterator[Runs]:
    """Yield the runs of each task that the logs are of; columns are those of their formats unless given.

    Samples are joined by their ids; those that one run lacks are left out for every run, or have an empty text there,
    or are an error, as `missing` says, and a warning counts them.
    The references must be the same. Sources are kept where every run has the same: prompts may differ. Samples that
    were repeated, as in the epochs of inspect-ai, are clusters of segments, unless `cluster` names another column.
    """
    logs = with_tasks(joined_parts(logs))
    tasks: dict[tuple[str, str], dict[str, Log]] = {}
    for log, name in zip(logs, _given_names(logs, _names_of_runs(logs)), strict=True):
        tasks.setdefault((log.harness, log.task), {})[name] = log
    nothing: list[_NothingToCompareError] = []
    for runs in tasks.values():
        try:
            repeated = _repeated(runs, systems)
            if missing == EMPTY:
                repeated = _filled(repeated, systems)
            yield _runs_of_task(
                repeated, systems=systems, references=references, source=source, cluster=cluster, missing=missing
            )
        except _NothingToCompareError as error:
            nothing.append(error)
    if nothing and len(nothing) == len(tasks):
        raise nothing[0]
    for reason in nothing:
        warn(f"{str(reason).removesuffix('.')}: it is left out.")


class _NothingToCompareError(InputError):
    """A task with neither texts nor a score of each sample."""


def _runs_of_task(
    runs: Mapping[str, Log],
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None,
    cluster: str | None,
    missing: str,
) -> Runs:
    first_log = next(iter(runs.values()))
    # The first log that says which values of a score are better has its way.
    directions: dict[str, bool] = {}
    for log in runs.values():
        directions = {**log.higher_is_better, **directions}
    rows = {name: _rows(log) for name, log in runs.items()}
    keys = _in_all(runs, rows, missing)
    known: set[tuple[str, ...]] = set()
    for name, log in runs.items():
        known.update(rows[name], log.failed)
    lost: dict[str, Counter[str]] = {}
    texts: dict[str, list[str]] = {}
    lists: list[list[str]] = []
    sources = []
    scores: dict[str, dict[str, list[float]]] = {}
    no_texts = next((log.no_texts for log in runs.values() if log.no_texts), "")
    references, source = references or first_log.roles.references, source or first_log.roles.source
    for name, log in runs.items():
        order = [rows[name][key] for key in keys]
        columns = systems or log.roles.systems
        for column in columns:
            predictions, row_references = items(log, column, references)
            # With several filters, a column is called such as "filtered_resps strict-match".
            label = column.partition(" ")[2] or column
            system = f"{name} {label}" if columns[1:] else name
            if log.names_systems and len(runs) == 1 and not log.called:
                system = label
            texts[system] = [predictions[row] for row in order]
            # What one of several files lacks is in the others; in one alone, its format counts it.
            n_missing = max(len(known - rows[name].keys()), log.n_unanswered.get(column, 0))
            lost[system] = Counter({LACKING: n_missing})
            for key, wrong_end in log.wrong_ends.items():
                # An answer that is empty counts as that.
                if key in rows[name] and predictions[rows[name][key]].strip():
                    lost[system][wrong_end] += 1
            for score, by_column in log.numbers.items():
                # A text that is read in the place of a log's only one has its scores.
                values = by_column.get(column) or (next(iter(by_column.values())) if len(by_column) == 1 else None)
                if values is not None:
                    scores.setdefault(score, {})[system] = [values[row] for row in order]
        run_references = [row_references[row] for row in order]
        # Those of the first run are what the others must have.
        lists = lists or run_references
        for key, expected, actual in zip(keys, lists, run_references, strict=True):
            if actual != expected:
                raise InputError(
                    f"{log.name}: the sample with {_named(log, key)} has the references {shorten(actual)}; "
                    f"{first_log.name} has {shorten(expected)}: these are not runs of the same task."
                )
        cells = log.column(source) if source else []
        has_texts = bool(cells) and all(isinstance(cell, str) for cell in cells)
        sources.append([cells[row] for row in order] if has_texts else [])
    incomplete = [score for score, by_system in scores.items() if len(by_system) < len(texts)]
    if incomplete:
        lacking = next(system for system in texts if system not in scores[incomplete[0]])
        warn(
            f"{first_log.task}: {shorten(lacking)} has no score {shorten(incomplete[0])}, and others have: left out."
        )
    scores = {score: by_system for score, by_system in scores.items() if score not in incomplete}
    if no_texts:
        if not scores:
            raise _NothingToCompareError(f"{no_texts}, and none of its scores is a number of each sample.")
        texts, lists = {system: [""] * len(keys) for system in texts}, [[] for _ in keys]
    # Prompts may differ between runs: a source is what all of them have.
    shared_sources = sources[0] if sources[0] and all(run_sources == sources[0] for run_sources in sources) else None
    fields = "no texts"
    if not no_texts:
        predictions_from = ", ".join(systems or first_log.roles.systems)
        if first_log.names_systems and not systems:
            predictions_from = first_log.roles.systems[0].partition(" ")[0]
        fields = f"predictions from {predictions_from}"
        fields += f"; references from {', '.join(references)}" if references else ""
    fields += f"; scores: {', '.join(scores)}" if scores else ""
    fields += f"; sources from {source}" if shared_sources else ""
    fields += f"; samples joined by {' and '.join(first_log.key)}" if len(runs) > 1 else ""
    if not first_log.names_task and len({Path(log.name).name for log in runs.values()}) > 1:
        fields += "; runs of one task, because they have the same samples"
    logs = f"{'logs' if len(runs) > 1 else 'log'} of {first_log.harness}"
    labels = [key[0] for key in keys]
    n_samples, cluster_name = len(set(labels)), None
    if cluster is not None:
        cells, row_of_key = first_log.column(cluster), rows[next(iter(runs))]
        labels, cluster_name = [str(cells[row_of_key[key]] or "") for key in keys], cluster
        if len({(key[0], label) for key, label in zip(keys, labels, strict=True)}) > n_samples:
            warn(
                f"{first_log.name}: {cluster!r} puts answers to the same sample into different clusters, though they "
                "are not independent. Without it, logs are resampled by sample."
            )
    elif n_samples < len(keys):
        cluster_name = "sample id"
        fields += f"; {n_samples:,} samples with {len(keys):,} answers are resampled by sample"
    return Runs(
        task=first_log.task,
        systems=texts,
        references=lists,
        source=shared_sources,
        fields=f"{first_log.task}: {logs}: {', '.join(texts)}: {fields}.",
        first=replace(first_log, higher_is_better=directions),
        scores=scores,
        no_texts=no_texts,
        cluster=cluster_name,
        labels=labels,
        order=[rows[next(iter(runs))][key] for key in keys],
        lost=lost,
        n_all=max(len(known), *(len(rows[name]) + len(log.failed) + log.n_left_out for name, log in runs.items())),
    )


def _repeated(runs: Mapping[str, Log], systems: Sequence[str]) -> Mapping[str, Log]:
    """Return the logs with a row for each of a sample's repeats, where a cell holds the texts of all of them."""
    cells_by_run = {
        name: [log.column(column) for column in systems or log.roles.systems] for name, log in runs.items()
    }
    if not any(isinstance(cell, list) for columns in cells_by_run.values() for column in columns for cell in column):
        return runs
    return {name: _with_row_of_each(log, cells_by_run[name]) for name, log in runs.items()}


def _with_row_of_each(log: Log, systems: Sequence[Sequence[Any]]) -> Log:
    repeat_counts = [
        max(len(cell) if isinstance(cell, list) else 1 for cell in cells) for cells in zip(*systems, strict=True)
    ]
    pairs = [(row, repeat) for row, n_repeats in enumerate(repeat_counts) for repeat in range(n_repeats)]

    def cell_of(cells: Sequence[Any], row: int, repeat: int) -> Any:
        cell = cells[row]
        # A filter that takes one of the repeats has its text in all rows: copies change no statistic of clusters.
        if not any(cells is system for system in systems) or not isinstance(cell, list):
            return cell
        if len(cell) == 1:
            return cell[0]
        return cell[repeat] if repeat < len(cell) else None

    columns = {name: [cell_of(cells, *pair) for pair in pairs] for name, cells in log.columns.items()}
    columns[_REPEAT] = [str(repeat) for _, repeat in pairs]
    # The score of a sample with repeats is of all of them.
    numbers = {
        score: {column: [values[row] for row, _ in pairs] for column, values in by_column.items()}
        for score, by_column in log.numbers.items()
    }
    lines = [log.lines[row] for row, _ in pairs]
    key = (log.key[0], _REPEAT)
    return replace(
        log,
        columns=columns,
        lines=lines,
        key=key,
        numbers=numbers,
        failed=frozenset((sample, "0") for sample, *_ in log.failed),
        wrong_ends={(sample, "0"): kind for (sample, *_), kind in log.wrong_ends.items()},
    )


def _rows(log: Log) -> dict[tuple[str, ...], int]:
    """Return the row of each sample."""
    rows: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(log.column(column) for column in log.key), strict=True)):
        if rows.setdefault(key, row) != row:
            raise InputError(f"{log.name}: {_named(log, key)} occurs twice; expected each sample of one run once.")
    return rows


def _filled(runs: Mapping[str, Log], systems: Sequence[str]) -> dict[str, Log]:
    """Return the logs with a row for each sample that another one has: the text of a system is empty there."""
    rows = {name: _rows(log) for name, log in runs.items()}
    keys = _in_all(runs, rows, EMPTY)
    filled: dict[str, Log] = {}
    for name, log in runs.items():
        lacking = [key for key in keys if key not in rows[name]]
        columns = {column: list(cells) for column, cells in log.columns.items()}
        lines = list(log.lines)
        for key in lacking:
            other, row = next((runs[other], of_other[key]) for other, of_other in rows.items() if key in of_other)
            lines.append(other.lines[row])
            for column, cells in columns.items():
                if column in (systems or log.roles.systems):
                    cells.append("")
                elif column in other.columns:
                    cells.append(other.columns[column][row])
                else:
                    cells.append(None)
        numbers = {
            score: {column: [*values, *[math.nan] * len(lacking)] for column, values in by_column.items()}
            for score, by_column in log.numbers.items()
        }
        filled[name] = replace(log, columns=columns, lines=lines, numbers=numbers)
    return filled


def _all_keys(rows: Mapping[str, Mapping[tuple[str, ...], int]]) -> list[tuple[str, ...]]:
    """Return the samples of all runs, in the order of the first that has them."""
    return list(dict.fromkeys(key for run_rows in rows.values() for key in run_rows))


def _in_all(
    runs: Mapping[str, Log], rows: Mapping[str, Mapping[tuple[str, ...], int]], missing: str
) -> list[tuple[str, ...]]:
    """Return the samples that are scored, in the order of the first run, and warn of others."""
    all_keys = _all_keys(rows)
    if not any(all(key in run_rows for run_rows in rows.values()) for key in all_keys):
        log_names = " and ".join(log.name for log in runs.values())
        raise InputError(f"{log_names} have no sample in common; expected runs of the same samples.")
    samples = {log.name: rows[name] for name, log in runs.items()}
    first = next(iter(runs.values()))
    return join(samples, all_keys, "samples of these runs", lambda key: f"with {_named(first, key)}", missing).keys


def _named(log: Log, key: tuple[str, ...]) -> str:
    return " and ".join(f"the {column} {shorten(cell)}" for column, cell in zip(log.key, key, strict=True))


def _given_names(logs: Sequence[Log], names: Sequence[str]) -> list[str]:
    """Return the names that users give to runs, or else their own, which stand behind those of several runs."""
    counts = Counter((log.harness, log.task, log.called) for log in logs)
    given: list[str] = []
    for log, name in zip(logs, names, strict=True):
        if not log.called:
            given.append(name)
        elif counts[log.harness, log.task, log.called] == 1:
            given.append(log.called)
        else:
            given.append(f"{log.called} {name}")
    names_of_tasks = Counter((log.harness, log.task, name) for log, name in zip(logs, given, strict=True))
    for (_, task, name), times in names_of_tasks.items():
        if times > 1:
            raise InputError(f"Two runs of {task} are called {shorten(name)}; expected a name of its own for each.")
    return given


def _names_of_runs(logs: Sequence[Log]) -> list[str]:
    """Return the first of these that tells the runs of each task apart: model, a folder, several, folder and date."""
    paths = [Path(log.name).absolute() for log in logs]
    folders = [[part for part in path.parts[-2:0:-1] if not is_moment(part)] for path in paths]
    depth = max(map(len, folders), default=0)
    # First the model, or where a log does not name it, the folder; then one folder after the other, from within.
    candidates = [[log.run or parents[0] for log, parents in zip(logs, folders, strict=True)]]
    candidates += [[parents[level] if level < len(parents) else "" for parents in folders] for level in range(depth)]
    candidates += [["/".join(parents[level::-1]) for parents in folders] for level in range(1, depth)]
    # Runs of one model at several times are told apart by these.
    moments = [last_moment(str(path)) for path in paths]
    candidates += [[f"{name} {moment}" for name, moment in zip(candidates[0], moments, strict=True)]]
    candidates += [[log.name for log in logs]]
    for names in candidates:
        runs = {(log.harness, log.task, name) for log, name in zip(logs, names, strict=True)}
        if len(runs) == len(logs) and all(names):
            return names
    raise InputError(f"The file {logs[0].name!r} is given twice.")
