"""Tables, in files or in memory, logs, and files that are joined with others -> test sets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError, argument, recorded, shorten, warn
from tercet.files.formats import MEMORIES, table_format
from tercet.files.lines import STDIN
from tercet.files.logs.folders import read_folder
from tercet.files.logs.openai_batches import Answers, Requests
from tercet.files.read import read_file
from tercet.files.table import Log, Memory, Table
from tercet.files.tables.frames import read_frame
from tercet.files.writing import check_different
from tercet.registry import SHORT_NAMES

from .answer_endings import wrong_ends_of
from .batches import batch_sets
from .column_readings import HOW_READ
from .input_files import InputFiles, check_no_scores_beside
from .joined_memories import joined_memories
from .keyed_tables import join_by_ids
from .long_tables import widened
from .named_columns import NamedColumns
from .names_from_paths import name_of, names_of
from .set_of_table import table_set
from .sets_of_logs import log_sets
from .tables_of_one_system import check_one_system, join_tables
from .tables_of_scores import has_scores_alone, join_scores, log_with_scores, table_with_scores
from .test_set import TestSet

if TYPE_CHECKING:
    from tercet.files.numbers import Sign


def sets_of_tables(
    files: InputFiles, named: NamedColumns, need_texts: bool = False, tables_read: Mapping[str, Table] | None = None
) -> list[TestSet]:
    """Return the test sets of files that are not all text files, by whose kind it is chosen how they are read.

    `tables_read` are those that have been read, by their paths.
    """
    first_path = files.paths[0]
    if not files.folders and files.references and any(table_format(path) in MEMORIES for path in files.paths):
        return [joined_memories(files, named)]
    already_read = dict(tables_read or {})
    # The first file says whether all are batches, whose references and sources have files of their own.
    if not files.folders and table_format(first_path) == "jsonl":
        first = already_read.get(first_path) or _read(first_path, files)
        if isinstance(first, Answers | Requests):
            _check_no_system_column(first_path, named)
            check_no_scores_beside(files, "answers of a batch")
            return batch_sets(first, files, named)
        already_read[first_path] = first
    if not files.folders and not files.beside:
        scores_alone = _set_of_scores(files, named, already_read, need_texts=need_texts)
        if scores_alone is not None:
            return [scores_alone]
    test_sets = _tables_and_logs(files, named, already_read)
    if not need_texts or all(test_set.no_texts for test_set in test_sets):
        return test_sets
    with_texts = []
    for test_set in test_sets:
        if test_set.no_texts:
            warn(f"{test_set.name} is left out: {test_set.no_texts}.")
        else:
            with_texts.append(test_set)
    return with_texts


def _read(path: str, files: InputFiles) -> Table:
    """Return what is in one of these files, or in one with scores of it, with what the user says of its numbers."""
    return replace(read_file(path, files.opening), decimal=files.decimal)


def _check_no_system_column(path: str, named: NamedColumns) -> None:
    """Raise an InputError for a column of systems' names beside a log, each of which is a run."""
    if named.system_column is not None:
        raise InputError(
            f"{path!r} is a log of runs, and {argument('system_column')} is for tables with a row for each item and "
            "system; to name a run, give NAME=PATH."
        )


def _tables_and_logs(files: InputFiles, named: NamedColumns, already_read: Mapping[str, Table]) -> list[TestSet]:
    """Return the test sets of tables and then of logs."""
    logs_of_folder = {path: _logs_of_folder(path, files, named) for path in files.folders}
    tables = [path for path in files.paths if path not in files.folders and table_format(path)]
    text_files = [path for path in files.paths if path not in files.folders and path not in tables]
    if text_files or files.beside:
        return [_set_beside(files, tables, text_files, named)]
    check_different([*files.folders, *tables], role="a test set")
    names = dict(zip(tables, names_of(tables), strict=True))
    sets_of_files: list[TestSet] = []
    logs: list[Log] = []
    for path in files.paths:
        if path in files.folders:
            _check_no_system_column(path, named)
            logs += logs_of_folder[path]
            continue
        with recorded() as messages:
            as_read = already_read.get(path) or _read(path, files)
            if isinstance(as_read, Answers | Requests):
                raise InputError(f"{path!r} is of a batch, and {files.paths[0]!r} is not; give batches alone.")
            table = _with_scores(as_read, path, files, named)
            if isinstance(table, Log):
                _check_no_system_column(path, named)
                logs += _with_name([table], files.called.get(path, ""))
                continue
            test_set = table_set(table, path, names[path], named)
            if path in files.called:
                check_one_system(path, list(test_set.systems), files.called[path])
        sets_of_files.append(replace(test_set, warnings=tuple(messages)))
    called = {names[path]: name for path, name in files.called.items() if path in names}
    test_sets = join_tables(sets_of_files, called)
    if logs:
        test_sets += log_sets(logs, named, test_sets)
    return test_sets


def _set_beside(files: InputFiles, tables: Sequence[str], text_files: Sequence[str], named: NamedColumns) -> TestSet:
    """Return the test set of tables and what is beside them, joined by ids; InputError of what has none."""
    to_join = text_files or files.beside
    _check_there(to_join)
    if not files.folders:
        test_set = _keyed_set(files, named)
        if test_set is not None:
            return test_set
    first_in_words = f"{files.folders[0]!r} holds logs" if not tables else f"{tables[0]!r} is a table or a log"
    raise InputError(
        f"{first_in_words}, and {_why_not_joined(to_join[0])}. Give tables alone, with all systems, "
        f"references ({argument('reference_columns')}) and sources ({argument('source_column')}) as columns; or "
        "give text files alone, the columns of the table saved as text files too."
    )


def _logs_of_folder(folder: str, files: InputFiles, named: NamedColumns) -> list[Log]:
    """Return the logs in a folder, with the name and the scores that are given to it."""
    logs = _with_name(read_folder(folder), files.called.get(folder, ""))
    if folder not in files.scored_in:
        return logs
    if len(logs) > 1:
        raise InputError(
            f"{folder!r} has {len(logs)} logs, and {files.scored_in[folder][0]!r} has scores of one: give the file "
            f"of this, such as {logs[0].name!r}."
        )
    (scored,) = logs
    for scored_in in files.scored_in[folder]:
        scored = log_with_scores(scored, _read(scored_in, files), named)
    return [scored]


def _with_scores(table: Table, path: str, files: InputFiles, named: NamedColumns) -> Table:
    """Return what is in a file with the scores of the files that have its name."""
    scored = table
    for scored_in in files.scored_in.get(path, ()):
        scores = _read(scored_in, files)
        if isinstance(scored, Log):
            scored = log_with_scores(scored, scores, named)
        else:
            scored = table_with_scores(scored, scores, named)
    return scored


def _set_of_scores(
    files: InputFiles, named: NamedColumns, already_read: Mapping[str, Table], *, need_texts: bool
) -> TestSet | None:
    """Return the test set of tables with the ids and scores of a run each; None of other files."""
    paths = files.paths
    if not named.scores or files.scored_in or not all(map(table_format, paths)):
        return None
    names = dict(zip(paths, names_of(paths, files.called), strict=True))
    with recorded() as messages:
        tables: dict[str, Table] = {}
        for path in paths:
            table = already_read.get(path) or _read(path, files)
            # Texts in the only table are of a system; those of several without references could not be joined.
            if not has_scores_alone(table, named, remarks=len(paths) > 1 and not need_texts):
                return None
            tables[names[path]] = table
        check_different(paths)
        joined, columns_of_runs = join_scores(tables, named)
        name = "test set"
        note = f" Joined with {', '.join(map(repr, paths[1:]))} by ids."
        if len(paths) == 1:
            name = names[paths[0]]
            note = ""
        test_set = table_set(joined, paths[0], name, columns_of_runs)
    return replace(test_set, fields=f"{test_set.fields}{note}", warnings=tuple(messages))


def _with_name(logs: Sequence[Log], name: str) -> list[Log]:
    """Return logs with the name that the user gives to what is in their file or folder."""
    return [replace(log, called=name) for log in logs]


def sets_of_frame(frame: Any, named: NamedColumns, decimal: Sign) -> list[TestSet]:
    """Return the test set of a table in memory, or those of the log that it is."""
    try:
        with recorded() as messages:
            table = replace(read_frame(frame), decimal=decimal)
            if isinstance(table, Answers | Requests):
                raise InputError(
                    f"{table.name}: its columns are those of a batch, whose references are in another table. "
                    "Give the paths of both files, or a table with the answers and their references in columns."
                )
            if isinstance(table, Log):
                _check_no_system_column(table.name, named)
                test_sets = log_sets([table], named)
            else:
                test_sets = [table_set(table, "", table.name, named)]
    except InputError as error:
        # The command has no such file to show.
        raise InputError(str(error).removesuffix(HOW_READ)) from None
    first, *others = test_sets
    return [replace(first, warnings=tuple(messages)), *others]


def check_frame_alone(kind: str, files: InputFiles) -> None:
    """Raise an InputError for what is said of files beside a table in memory."""
    if files.beside:
        raise InputError(
            f"References and sources of a {kind} are in its columns: {argument('reference_columns')} and "
            f"{argument('source_column')} name them. Got {shorten(files.beside[0])}, a file."
        )
    for name, value in (("encoding", files.opening.encoding), ("sheet", files.opening.sheet)):
        if value != "":
            raise InputError(f"{argument(name)} is for files; a {kind} has none.")


def _keyed_set(files: InputFiles, named: NamedColumns) -> TestSet | None:
    """Return the test set of tables and of tables beside them, by the ids that they share; None of other files."""
    paths = files.paths
    beside = files.beside
    formats = set(map(table_format, (*paths, *beside)))
    if not beside or not all(formats) or not formats.isdisjoint(MEMORIES):
        return None
    check_different(paths, beside)
    names = dict(zip(paths, names_of(paths, files.called), strict=True))
    with recorded() as messages:
        systems = _tables_of_systems(files, named)
        tables = {names[path]: table for path, table in systems.tables.items()}
        tables_beside = [_read(path, files) for path in beside]
        joined = join_by_ids(tables, tables_beside, systems.named, files.called.values())
        if joined is None:
            return None
        test_set = table_set(joined.table, beside[0], name_of(beside[0]), joined.named)
        wrong_ends = wrong_ends_of(joined.endings, test_set)
        for system, problems in test_set.wrong_ends.items():
            wrong_ends[system] = {**problems, **wrong_ends[system]}
    # To the joined table all columns are named, also those that the user does not name.
    columns = []
    for reading in test_set.columns:
        columns.append(replace(reading, reason=joined.reasons.get(reading.column, reading.reason)))
    # Labels are called as the user calls them, and other columns as in their file.
    own_names = joined.own_names
    slices = {own_names.get(column, column): labels for column, labels in test_set.slices.items()}
    own_columns = {own_names.get(column, column): cells for column, cells in test_set.own_columns.items()}
    clusters = test_set.clusters
    if clusters is not None:
        clusters = replace(clusters, name=own_names.get(clusters.name, clusters.name))
    return replace(
        test_set,
        columns=tuple(columns),
        slices=slices,
        clusters=clusters,
        own_columns=own_columns,
        own_columns_by_system=joined.own_columns_by_system,
        wrong_ends=wrong_ends,
        warnings=tuple(messages),
        fields=" ".join([test_set.fields, joined.note, *systems.notes]),
        lost=joined.lost.by_system,
        n_all=joined.lost.n_all,
    )


def _why_not_joined(path: str) -> str:
    """Return why a file cannot be joined with a table or log, in words."""
    if not table_format(path):
        return f"{path!r} is a text file, whose lines have no ids by which they could be joined"
    return f"{path!r} is a separate one: only tables are joined, where each has a column of ids, such as id"


class _TablesOfSystems(NamedTuple):
    """Tables with a column for each system."""

    #: By path.
    tables: dict[str, Table]
    #: What the user names, with the systems of these tables.
    named: NamedColumns
    #: How tables were made of long ones, in words.
    notes: list[str]


def _tables_of_systems(files: InputFiles, named: NamedColumns) -> _TablesOfSystems:
    """Return the tables of systems; long ones are made wide."""
    tables: dict[str, Table] = {}
    systems: list[str] = []
    notes: list[str] = []
    unknown = list(named.systems)
    for path in files.paths:
        table = _with_scores(_read(path, files), path, files, named)
        tables[path] = table
        if isinstance(table, Log | Memory):
            continue
        systems_here = [name for name in named.systems if name in table.columns]
        unknown = [name for name in unknown if name not in systems_here]
        # What else is named is perhaps in the tables beside it.
        columns_here = replace(
            named, systems=systems_here, references=[], source=None, cluster=None, slices=[], need_references=False
        )
        by_item = widened(table, columns_here)
        tables[path] = by_item.table
        systems += by_item.named.systems
        if by_item.note:
            notes.append(f"{table.name}: {by_item.note}")
    all_systems = list(dict.fromkeys([*systems, *unknown]))
    return _TablesOfSystems(tables, replace(named, systems=all_systems, system_column=None), notes)


def _check_there(paths: Sequence[str]) -> None:
    """Raise an InputError for a file that does not exist, which may be the name of a metric."""
    for path in paths:
        if path == STDIN or os.path.exists(path):
            continue
        hint = ""
        if path in SHORT_NAMES:
            hint = f" A metric is given with -m: -m {path}."
        raise InputError(f"{path!r} does not exist.{hint}")
