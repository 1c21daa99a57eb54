"""Logs of harnesses -> the same samples in every run of a task: each run is a system."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InputError, level_of_caller, shorten

from .read import items
from .table import Log

#: The column that tells the repeats of a sample apart.
_REPEAT = "repeat"
#: A time, in the names of files and folders.
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d.:+-]*\d")


class Runs(NamedTuple):
    """The runs of a task: predictions by system, references and sources of the samples that all of them have."""

    task: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    fields: str  # which of the logs' fields these are, in words
    first: Log
    cluster: str | None  # what the labels are of segments that are resampled together; None if each is alone
    labels: list[str]


def join_logs(
    logs: Sequence[Log],
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    source: str | None = None,
    cluster: str | None = None,
) -> Iterator[Runs]:
    """Yield the runs of each task that the logs are of; columns are those of their formats unless given.

    Samples are joined by their ids; those that one run lacks are left out for every run, and a warning counts them.
    The references must be the same. Sources are kept where every run has the same: prompts may differ. Samples that
    were repeated, as in the epochs of inspect-ai, are clusters of segments, unless `cluster` names another column.
    """
    tasks: dict[tuple[str, str], dict[str, Log]] = {}
    for log, name in zip(logs, names_of_runs(logs), strict=True):
        tasks.setdefault((log.harness, log.task), {})[name] = log
    for runs in tasks.values():
        yield _joined(_repeated(runs, systems), systems, references, source, cluster)


def _joined(
    runs: Mapping[str, Log],
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None,
    cluster: str | None,
) -> Runs:
    first = next(iter(runs.values()))
    rows = {name: _rows(log) for name, log in runs.items()}
    kept = _in_all(runs, rows)
    texts: dict[str, list[str]] = {}
    lists: list[list[str]] = []
    sources = []
    references, source = references or first.roles.references, source or first.roles.source
    for name, log in runs.items():
        order = [rows[name][key] for key in kept]
        columns = systems or log.roles.systems
        for column in columns:
            predictions, own = items(log, column, references)
            # of several filters, "filtered_resps strict-match"
            texts[f"{name} {column.partition(' ')[2] or column}" if columns[1:] else name] = [
                predictions[row] for row in order
            ]
        found = [own[row] for row in order]
        lists = lists or found
        for key, wanted, there in zip(kept, lists, found, strict=True):
            if there != wanted:
                raise InputError(
                    f"{log.name}: the sample with {_named(log, key)} has the references {shorten(there)}; "
                    f"{first.name} has {shorten(wanted)}: these are not runs of the same task."
                )
        cells = log.column(source) if source else []
        has_texts = bool(cells) and all(isinstance(cell, str) for cell in cells)
        sources.append([cells[row] for row in order] if has_texts else [])
    shown = sources[0] if sources[0] and all(each == sources[0] for each in sources) else None
    fields = f"predictions from {', '.join(systems or first.roles.systems)}; references from {', '.join(references)}"
    fields += f"; sources from {source}" if shown else ""
    fields += f"; samples joined by {' and '.join(first.key)}" if len(runs) > 1 else ""
    logs = f"{'logs' if len(runs) > 1 else 'log'} of {first.harness}"
    labels = [key[0] for key in kept]
    n_samples, called = len(set(labels)), None
    if cluster is not None:
        cells, places = first.column(cluster), rows[next(iter(runs))]
        labels, called = [str(cells[places[key]] or "") for key in kept], cluster
        if len({(key[0], label) for key, label in zip(kept, labels, strict=True)}) > n_samples:
            warnings.warn(
                f"{first.name}: {cluster!r} puts answers to the same sample into different clusters, though they are "
                "not independent. Without it, logs are resampled by sample.",
                stacklevel=level_of_caller(),
            )
    elif n_samples < len(kept):
        called = "sample id"
        fields += f"; {n_samples:,} samples with {len(kept):,} answers are resampled by sample"
    return Runs(
        first.task, texts, lists, shown, f"{first.task}: {logs}: {', '.join(texts)}: {fields}.", first, called, labels
    )


def _repeated(runs: Mapping[str, Log], systems: Sequence[str]) -> Mapping[str, Log]:
    """Return the logs with a row for each of a sample's repeats, where a cell holds the texts of all of them."""
    chosen = {name: [log.column(each) for each in systems or log.roles.systems] for name, log in runs.items()}
    if not any(isinstance(cell, list) for columns in chosen.values() for column in columns for cell in column):
        return runs
    return {name: _with_row_of_each(log, chosen[name]) for name, log in runs.items()}


def _with_row_of_each(log: Log, systems: Sequence[Sequence[Any]]) -> Log:
    numbers = [
        max(len(cell) if isinstance(cell, list) else 1 for cell in cells) for cells in zip(*systems, strict=True)
    ]
    places = [(row, repeat) for row, number in enumerate(numbers) for repeat in range(number)]

    def cell_of(cells: Sequence[Any], row: int, repeat: int) -> Any:
        cell = cells[row]
        # A filter that takes one of the repeats has its text in all rows: copies change no statistic of clusters.
        if not any(cells is each for each in systems) or not isinstance(cell, list):
            return cell
        if len(cell) == 1:
            return cell[0]
        return cell[repeat] if repeat < len(cell) else None

    columns = {name: [cell_of(cells, *place) for place in places] for name, cells in log.columns.items()}
    columns[_REPEAT] = [str(repeat) for _, repeat in places]
    return replace(log, columns=columns, lines=[log.lines[row] for row, _ in places], key=(log.key[0], _REPEAT))


def _rows(log: Log) -> dict[tuple[str, ...], int]:
    """Return the row of each sample."""
    rows: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(log.column(each) for each in log.key), strict=True)):
        if rows.setdefault(key, row) != row:
            raise InputError(f"{log.name}: {_named(log, key)} occurs twice; expected each sample of one run once.")
    return rows


def _in_all(runs: Mapping[str, Log], rows: Mapping[str, Mapping[tuple[str, ...], int]]) -> list[tuple[str, ...]]:
    """Return the samples that every run has, in the order of the first, and warn of others."""
    every = list(dict.fromkeys(key for own in rows.values() for key in own))
    kept = [key for key in every if all(key in own for own in rows.values())]
    if not kept:
        named = " and ".join(log.name for log in runs.values())
        raise InputError(f"{named} have no sample in common; expected runs of the same samples.")
    for name, log in runs.items():
        lacking = [key for key in every if key not in rows[name]]
        if lacking:
            warnings.warn(
                f"{log.name} lacks {len(lacking):,} of the {len(every):,} samples of these runs, the first with "
                f"{_named(log, lacking[0])}: left out for every system.",
                stacklevel=level_of_caller(),
            )
    return kept


def _named(log: Log, key: tuple[str, ...]) -> str:
    return " and ".join(f"the {column} {shorten(cell)}" for column, cell in zip(log.key, key, strict=True))


def names_of_runs(logs: Sequence[Log]) -> list[str]:
    """Return the first of these that tells the runs of each task apart: model, a folder, several, folder and date."""
    paths = [Path(log.name).absolute() for log in logs]
    folders = [[part for part in path.parts[-2:0:-1] if not MOMENT.fullmatch(part)] for path in paths]
    depth = max(map(len, folders), default=0)
    ways = [[log.run or own[0] for log, own in zip(logs, folders, strict=True)]]
    ways += [[own[level] if level < len(own) else "" for own in folders] for level in range(depth)]
    ways += [["/".join(own[level::-1]) for own in folders] for level in range(1, depth)]
    moments = ["".join(MOMENT.findall(str(path))[-1:]) for path in paths]
    ways += [[f"{own} {moment}" for own, moment in zip(ways[0], moments, strict=True)]]
    ways += [[log.name for log in logs]]
    for names in ways:
        runs = {(log.harness, log.task, name) for log, name in zip(logs, names, strict=True)}
        if len(runs) == len(logs) and all(names):
            return names
    raise InputError(f"The file {logs[0].name!r} is given twice.")
