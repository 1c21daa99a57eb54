"""The samples of runs as rows: one for each repeat, an empty one for what only another run has; which are scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.join import join
from tercet.files.json_values import as_list
from tercet.files.missing_option import EMPTY
from tercet.files.table import Log

#: What tells a sample of a task apart: its id, and where it was repeated, which time this is.
SampleKey = tuple[str, ...]
#: The row of each sample of a run.
RowsOfSamples = dict[SampleKey, int]
#: The column that tells the repeats of a sample apart, and what it is called where a log has one of that name.
_REPEAT = "repeat"
_ANSWER = "answer number"


def with_rows_of_repeats(runs: Mapping[str, Log], systems: Sequence[str]) -> Mapping[str, Log]:
    """Return the logs with a row for each of a sample's repeats, where a cell holds the texts of all of them."""
    columns_by_run = {name: systems or log.roles.systems for name, log in runs.items()}
    if not any(_has_repeats(log, columns_by_run[name]) for name, log in runs.items()):
        return runs
    return {name: _with_row_of_each(log, columns_by_run[name]) for name, log in runs.items()}


def _has_repeats(log: Log, systems: Sequence[str]) -> bool:
    return any(isinstance(cell, list) for cell in chain.from_iterable(map(log.column, systems)))


def _with_row_of_each(log: Log, systems: Sequence[str]) -> Log:
    """Return a log whose rows are repeats of samples, by the columns of its systems."""
    rows: list[int] = []
    repeats: list[int] = []
    numbers_of_repeats = set[int]()
    for row, cells_of_systems in enumerate(zip(*map(log.column, systems), strict=True)):
        n_repeats = max(len(as_list(cell)) for cell in cells_of_systems)
        rows += [row] * n_repeats
        repeats += range(n_repeats)
        numbers_of_repeats.add(n_repeats)
    columns = {}
    for name, cells in log.columns.items():
        if name in systems:
            columns[name] = [_text_of_repeat(cells[row], repeat) for row, repeat in zip(rows, repeats, strict=True)]
        else:
            columns[name] = [cells[row] for row in rows]
    # Samples of programs that give no ids have a column of that name: how often their input was asked.
    column_of_repeats = _REPEAT
    if _REPEAT in log.key:
        column_of_repeats = _ANSWER
    columns[column_of_repeats] = [str(repeat) for repeat in repeats]
    # The score of a sample with repeats is of all of them.
    numbers: dict[str, dict[str, list[float]]] = {}
    for score, by_column in log.numbers.items():
        numbers[score] = {}
        for column, values in by_column.items():
            numbers[score][column] = [values[row] for row in rows]
    # What was not answered lacks as many answers as the others have; where these differ, nothing says how many.
    n_of_each = 1
    if len(numbers_of_repeats) == 1:
        (n_of_each,) = numbers_of_repeats
    failed = [(*sample, str(repeat)) for sample in log.failed for repeat in range(n_of_each)]
    wrong_ends = {}
    for sample, endings in log.wrong_ends.items():
        for repeat, ending in enumerate(endings):
            if ending:
                wrong_ends[(*sample, str(repeat))] = [ending]
    return replace(
        log,
        columns=columns,
        lines=[log.lines[row] for row in rows],
        key=(*log.key, column_of_repeats),
        numbers=numbers,
        failed=frozenset(failed),
        wrong_ends=wrong_ends,
        n_unanswered={column: n * n_of_each for column, n in log.n_unanswered.items()},
        n_left_out=log.n_left_out * n_of_each,
    )


def _text_of_repeat(cell: Any, repeat: int) -> Any:
    """Return the text of a repeat in the cell of a system; None where it has fewer."""
    # A filter that takes one of the repeats has its text in all rows: copies change no statistic of clusters.
    if not isinstance(cell, list):
        return cell
    if len(cell) == 1:
        return cell[0]
    if repeat < len(cell):
        return cell[repeat]
    return None


def rows_of_samples(log: Log) -> RowsOfSamples:
    """Return the row of each sample."""
    rows: RowsOfSamples = {}
    keys = zip(*map(log.column, log.key), strict=True)
    for row, key in enumerate(keys):
        if rows.setdefault(key, row) != row:
            raise InputError(
                f"{log.name}: {key_in_words(log, key)} occurs twice; expected each sample of one run once."
            )
    return rows


def with_empty_texts(runs: Mapping[str, Log], systems: Sequence[str]) -> dict[str, Log]:
    """Return the logs with a row for each sample that another one has: the text of a system is empty there."""
    rows = {name: rows_of_samples(log) for name, log in runs.items()}
    keys = keys_in_all(runs, rows, EMPTY)
    first_with: dict[SampleKey, str] = {}
    for name, rows_of_run in rows.items():
        for key in rows_of_run:
            first_with.setdefault(key, name)
    filled: dict[str, Log] = {}
    for name, log in runs.items():
        lacking = [key for key in keys if key not in rows[name]]
        columns = {column: list(cells) for column, cells in log.columns.items()}
        lines = list(log.lines)
        for key in lacking:
            other_name = first_with[key]
            other_log = runs[other_name]
            row = rows[other_name][key]
            lines.append(other_log.lines[row])
            for column, cells in columns.items():
                if column in (systems or log.roles.systems):
                    cells.append("")
                elif column in other_log.columns:
                    cells.append(other_log.columns[column][row])
                else:
                    cells.append(None)
        no_numbers = [math.nan] * len(lacking)
        numbers: dict[str, dict[str, list[float]]] = {}
        for score, by_column in log.numbers.items():
            numbers[score] = {column: [*values, *no_numbers] for column, values in by_column.items()}
        filled[name] = replace(log, columns=columns, lines=lines, numbers=numbers)
    return filled


def keys_in_all(runs: Mapping[str, Log], rows: Mapping[str, RowsOfSamples], missing: str) -> list[SampleKey]:
    """Return the samples that are scored, in the order of the first run, and warn of others."""
    # In the order of the first run that has them.
    all_keys = list(dict.fromkeys(chain.from_iterable(rows.values())))
    if not set(all_keys).intersection(*rows.values()):
        log_names = " and ".join(log.name for log in runs.values())
        raise InputError(f"{log_names} have no sample in common; expected runs of the same samples.")
    samples = {log.name: rows[name] for name, log in runs.items()}
    first = next(iter(runs.values()))

    def described(key: SampleKey) -> str:
        return f"with {key_in_words(first, key)}"

    return join(samples, all_keys, "samples of these runs", described, missing).keys


def key_in_words(log: Log, key: SampleKey) -> str:
    """Return what tells a sample apart, for messages: the doc_id '3' and the repeat '0'."""
    cells = [f"the {column} {shorten(cell)}" for column, cell in zip(log.key, key, strict=True)]
    return " and ".join(cells)
