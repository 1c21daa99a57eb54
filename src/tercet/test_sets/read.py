"""Files, of any format and kind -> test sets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tercet.checks import has_entries, known_keywords
from tercet.errors import InputError, argument, recorded, shorten, warn
from tercet.files.batches import Answers, Requests
from tercet.files.frames import frame_kind, read_frame
from tercet.files.join import LEAVE_OUT, check_missing
from tercet.files.log_folders import read_folder
from tercet.files.memories import join_memories
from tercet.files.numbers import Sign
from tercet.files.read import (
    BILINGUAL,
    MEMORIES,
    SUFFIXES,
    TRANSLATIONS,
    Opening,
    check_has_words,
    check_no_workbook,
    read_file,
    table_format,
    unpacked,
)
from tercet.files.table import SOURCE_TEXT, Log, Memory, Table
from tercet.files.text import STDIN
from tercet.files.writing import check_different
from tercet.registry import SHORT_NAMES

from .keyed_tables import joined_by_ids
from .labels import LENGTH, column_and_pattern
from .logs import batch_sets, log_sets
from .long_tables import wide
from .memories_and_tables import memories_beside_tables
from .names import NamedFiles, names_of
from .reading import HOW_READ
from .roles import Columns
from .tables import check_one_system, joined_tables, table_set
from .tables_of_scores import has_scores_alone, joined_scores, log_with_scores, table_with_scores
from .test_set import TestSet
from .text_files import check_texts, text_set

_File = str | os.PathLike[str]
#: By format that is joined with references: the files that can be, and by what.
_JOINED = {
    **dict.fromkeys(TRANSLATIONS, ("TMX, XLIFF or PO files", SOURCE_TEXT)),
    "subtitles": ("SRT, WebVTT or SSA files", "time"),
    **dict.fromkeys(
        ("ctm", "stm", "seglst", "trn", "kaldi"),
        ("CTM, STM, SegLST (.seglst.json) or TRN files or files called 'text'", "id"),
    ),
}
_TEXTS = ("text files", "line")


@known_keywords
def read_test_sets(
    files: _File | Sequence[_File] | Mapping[str, _File | Sequence[_File]] | Any,
    *,
    references: _File | Sequence[_File] = (),
    source: _File | None = None,
    systems: str | Sequence[str] = (),
    reference_columns: str | Sequence[str] = (),
    source_column: str | None = None,
    system_column: str | None = None,
    cluster: str | None = None,
    need_references: bool = True,
    scores: str | Sequence[str] = (),
    need_texts: bool = False,
    by: str | Sequence[str] = (),
    decimal: Sign = "",
    encoding: str = "",
    sheet: str | int = "",
    missing: str = LEAVE_OUT,
) -> list[TestSet]:
    r"""Read test sets from tables, or one from text files.

    A file is a table by its extension: .tsv .tab .csv .jsonl .ndjson .json .xlsx .xlsm .parquet .pq .arrow .feather,
    or that of a file of translators, subtitles or transcripts, optionally followed by .gz. Each table is one test
    set, but tables with one system each for the same references are one together, whose systems are named by their
    columns or files. Columns have the roles that their names suggest (:func:`tercet.files.roles.guess_roles`) unless
    `systems`, `reference_columns` and `source_column` name them; a warning names text columns without a role. Of a
    workbook, the first sheet is read, or `sheet`.

    Files of translators (.tmx .xlf .xliff .sdlxliff .mqxliff .po), subtitles (.srt .vtt .ass .ssa) and transcripts
    (.ctm .stm .seglst.json .trn, a file called ``text``) with `references` that are such files too are one test set.
    Each of `files` is a system, and they are joined by source text, time or id
    (:func:`tercet.files.memories.join_memories` says how). References of XLIFF and PO files may also be tables with a
    column of sources, or else of the ids of units. `reference_columns` and `source_column` may then name the
    languages; by default the source is what the header of the references says, and the target their only other
    language. Of an XLIFF file alone, the systems are the origins of its proposals, and the references its
    translations. A TMX file alone is a table whose columns are languages, without a role: references must be named,
    by code or its beginning ("pt" for "pt-BR"), and systems, unless they are the other texts of the references'
    language. Where the texts of a language name their authors (``creationid``), each author has a column, such as
    ``"pt DeepL"``.

    Test sets of WMT (.xml .sgm .sgml) are tables, whose roles the file says. One in XML has the source, systems and
    references, a column for each translator (``"ref:A"``), which `systems` may name too. Files of one side
    (``tstset``, ``refset``, ``srcset``) are joined by document and segment with those of `references` and `source`.

    Logs of harnesses are the samples of lm-evaluation-harness (``--log_samples``, .jsonl), the details of lighteval
    (.parquet) and the logs of inspect-ai (.eval, .json), or folders with such: of a task's runs in one folder, the
    newest is read. Results of deepeval (.json), ragas (tables), MLflow (.json, tables), promptfoo (.json, tables),
    OpenCompass (.json), COMET (.json) and MT-Bench (.jsonl) are logs too. Each task is one test set, in which each
    log is a system, or several, named by what tells the runs apart: the model, or a folder. Samples are joined by
    their ids; their references must be the same (:func:`tercet.files.log_runs.join_logs` says how). The format says
    which field is what, `fields` of the test set repeats it, and `systems` and the columns may name others, such as
    one filter of several. Numbers that the harness computed for each sample, such as ``acc``, are `scores` of the
    test set. Logs of multiple choice and of log-likelihoods have these alone.

    Output of OpenAI's batches (.jsonl) is a log of answers, with `references` in tables that have the ids of its
    requests in a column ``custom_id`` or ``id``, and `source` in one such, or in the input of the batch, which may
    also be one of `files` (:func:`tercet.files.batches.with_references`). A table of W&B (``.table.json``) is a
    table.

    Every other file holds the predictions of a system, a segment per line; all are one test set, named after
    the first file of references. A system is named after its file without ``.gz`` and one extension of letters, so
    that ``gpt-4.1.txt`` is ``gpt-4.1``. Where two names would be equal, their folders are added. A mapping gives
    other names to the systems of files, or to the runs in folders, and so does ``NAME=PATH``; where there are several
    systems in a file, the name stands before theirs, but a table of several is refused under one name. Output of
    fairseq-generate (``generate-test.txt``) is such a file, whose hypotheses are taken in the order of their samples;
    without `references`, those that it repeats are taken, too.

    A data frame of pandas or Polars, a ``datasets.Dataset`` or a table of pyarrow is read as a file with the same
    columns is.

    Parameters
    ----------
    files : path, sequence of paths, mapping of str to path, or data frame
        All tables and folders of logs, or all text files. ``-`` is the standard input, a text file called ``stdin``.
        The keys of a mapping are the names of systems: ``{"old": "runs/a", "new": "runs/b"}``. A table that is given
        with the name of another file or folder (``["runs/a", "judge_a.jsonl"]`` in a mapping) has `scores` of what is
        in that, by the ids of its items or samples.
        Or one table in memory.
    references : path or sequence of paths
        Files of translators, subtitles or transcripts, for systems in such; tables, for batches; or text files, for
        systems in text files: a reference per line. An empty line is an empty reference, as in sacrebleu, and can be
        the closest in length.
        Segments with different numbers of references need a table: the data set whose rows the lines of the systems
        are.
    source : path, optional
        Text file, for systems in text files; a table, for batches.
    systems, reference_columns : str or sequence of str
        Columns of the tables. An empty cell of a system is an empty text, one of references is no reference.
    source_column : str, optional
        Column of the tables.
    system_column : str, optional
        Column of the tables that names the system of each row, where there is a row for each item and system. By
        default one that is called ``system``, ``model``, ``engine`` or the like. `systems` may then be the column of
        their texts.
    cluster : str, optional
        Column of the tables: rows with the same text or number there are resampled together, as the segments of a
        document. A cell must not be empty. Logs with repeated samples are resampled by sample without it.
    need_references : bool
        False for metrics that take none: tables may have none, and text files alone are one test set, named after
        the first of them.
    scores : str or sequence of str, optional
        Scores in the tables, by name: of ``COMET`` those in the columns ``base.COMET`` and ``tuned.COMET``,
        ``COMET_base`` and ``COMET_tuned``, or in objects (:func:`tercet.files.score_columns.score_columns`). A table
        of scores without texts needs no references, if `need_references` is False.
    need_texts : bool
        True for metrics of texts: logs without texts, as of multiple choice, are then left out with a warning where
        others have some.
    by : str or sequence of str, optional
        Columns of the tables or logs that label the segments, for the `by` of :func:`tercet.compare`, which may have
        a regular expression (``id~^([a-z]+)``). A cell without a label is "(none)".
    decimal : {",", "."}, optional
        What stands before decimals in numbers of the tables. By default it is what the numbers of a column show
        (``985,5`` beside ``1.107``, which is a thousand then), or else those of the other columns.
    encoding : str, optional
        Of text files, TSV and CSV without a byte order mark, such as ``"cp1252"``, ``"gb18030"`` or ``"shift_jis"``.
        By default UTF-8, or UTF-16 where it is known by its bytes.
    sheet : str or int, optional
        The sheet of workbooks, by its name, or by its number from 1 among those that are not hidden.
    missing : {"leave-out", "empty", "error"}, optional
        What becomes of segments that a system lacks where texts are joined by ids, samples or source texts: they are
        left out for every system, the system has an empty text there, or they are an error.

    Returns
    -------
    list of TestSet
        One per table, or tables that are joined, in the order of the files, then one per task of logs; or one of all
        text files.

    Raises
    ------
    InputError
        For a file that cannot be read or is not in its encoding, text files with different numbers of lines, a table
        without a system or references, and tables and text files in one call. Names the file, and what was found and
        expected.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, text in {"online-A.txt": "el gato\n\n", "ref.es": "un gato\nun perro\n"}.items():
    ...     _ = (folder / name).write_text(text, encoding="utf-8")
    >>> read_test_sets(folder / "online-A.txt", references=folder / "ref.es")
    [TestSet(name='ref', systems={'online-A': ['el gato', '']}, references=[['un gato'], ['un perro']], source=None)]
    """
    if cluster is not None and not isinstance(cluster, str):
        raise InputError(
            f"{argument('cluster')} of files is the name of a column, got {shorten(cluster)}. Labels go to "
            "tercet.compare."
        )
    kind = frame_kind(files)
    named = NamedFiles(paths=[], called={}, further={}) if kind else _named_files(files)
    reference_paths = _names_or_paths(references)
    source_paths = _names_or_paths(source)
    paths_beside = [*reference_paths, *source_paths]
    if not named.paths and not kind:
        raise InputError("No file was given; expected tables, or text files of systems.")
    score_paths = [path for paths in named.further.values() for path in paths]
    folders = [path for path in named.paths if os.path.isdir(path)]
    files_of_systems = [path for path in named.paths if path not in folders]
    for path in [*files_of_systems, *paths_beside, *score_paths]:
        _check_may_be_text(path)
    if source is not None and not isinstance(source, str | os.PathLike):
        raise InputError(f"{argument('source')} is the path of one file, got {shorten(source)}.")
    columns = Columns(
        systems=_names_or_paths(systems),
        references=_names_or_paths(reference_columns),
        source=source_column,
        cluster=cluster,
        scores=_names_or_paths(scores),
        slices=[spec for spec in _names_or_paths(by) if spec != LENGTH],
        need_references=need_references,
        decimal=decimal,
        missing=missing,
        opening=Opening(encoding=encoding, sheet=sheet),
        called=named.called,
        scored_in=named.further,
        system_column=_one_name(system_column, "system_column"),
    )
    check_missing(missing)
    if kind:
        _check_frame_alone(kind, paths_beside, columns.opening)
        return _frame_sets(files, columns)
    columns.opening.check([*named.paths, *paths_beside, *score_paths])
    with recorded() as messages:
        test_sets = _test_sets(named.paths, folders, reference_paths, source_paths, columns, need_texts)
    # What no single table warned of is told with the first test set.
    warned_of = {message for test_set in test_sets for message in test_set.warnings}
    messages_of_all = [message for message in messages if message not in warned_of]
    first_set, *further_sets = test_sets
    return [replace(first_set, warnings=(*messages_of_all, *first_set.warnings)), *further_sets]


def _check_may_be_text(path: str) -> None:
    """Raise an InputError for a workbook of an older format, or a folder, which would be read as a text file."""
    check_no_workbook(path)
    check_has_words(path)
    if os.path.isdir(path):
        raise InputError(f"{path!r} cannot be read: it is a folder; expected the files in it.")


def _test_sets(
    paths: list[str],
    folders: list[str],
    reference_paths: list[str],
    source_paths: list[str],
    columns: Columns,
    need_texts: bool,
) -> list[TestSet]:
    """Return the test sets of files of one kind, by which it is chosen how they are read."""
    # Files of several kinds have an error of their own, in `_tables_and_logs`.
    if not folders and not any(map(table_format, paths)):
        return [_text_set(paths, reference_paths, source_paths, columns)]
    if not folders and reference_paths and any(table_format(path) in MEMORIES for path in paths):
        return [_memory_set(paths, reference_paths, source_paths, columns)]
    # The first file says whether all are batches, whose references and sources have files of their own.
    read_ahead = None
    if not folders and table_format(paths[0]) == "jsonl":
        read_ahead = read_file(paths[0], columns.opening)
    if isinstance(read_ahead, Answers | Requests):
        _check_no_system_column(paths[0], columns)
        _check_no_scores_beside(columns, "answers of a batch")
        return batch_sets(read_ahead, paths, reference_paths, source_paths, columns)
    if not folders and not reference_paths and not source_paths:
        of_scores = _set_of_scores(paths, columns, read_ahead, need_texts=need_texts)
        if of_scores is not None:
            return [of_scores]
    test_sets = _tables_and_logs(paths, folders, [*reference_paths, *source_paths], columns, read_ahead)
    if not need_texts or all(test_set.no_texts for test_set in test_sets):
        return test_sets
    for test_set in test_sets:
        if test_set.no_texts:
            warn(f"{test_set.name} is left out: {test_set.no_texts}.")
    return [test_set for test_set in test_sets if not test_set.no_texts]


def _text_set(paths: list[str], references: list[str], sources: list[str], columns: Columns) -> TestSet:
    """Return the test set of text files, which have no columns."""
    if columns.scores:
        raise InputError(f"{argument('scores')} names columns of tables, but {paths[0]!r} is a text file.")
    # The references of text files may be columns of a table: the data set for which they were written.
    misplaced = [] if any(map(table_format, references)) else columns.references
    single = [name for name in (columns.source, columns.cluster, columns.system_column) if name is not None]
    column_names = [*columns.systems, *misplaced, *single, *columns.slices]
    if column_names:
        check_texts(paths, columns)
        raise InputError(
            f"{column_names[0]!r} is the name of a column, but {paths[0]!r} is a text file, judging by its "
            f"extension; tables end in {' '.join(SUFFIXES)}."
        )
    return text_set(paths, references, sources[0] if sources else None, columns)


def _check_one_kind(paths: Sequence[str], joined_as: Mapping[str, tuple[str, str]]) -> None:
    """Raise an InputError for systems in files that are not joined by the same."""
    for path in paths:
        if joined_as[path] != joined_as[paths[0]]:
            all_kinds = dict.fromkeys([*_JOINED.values(), _TEXTS])
            expected = "; ".join(f"{files}, joined by {joined_by}" for files, joined_by in all_kinds)
            raise InputError(
                f"{paths[0]!r} and {path!r} are systems in files of different kinds; expected all of one kind: "
                f"{expected}."
            )


def _memory_set(paths: list[str], references: list[str], sources: list[str], columns: Columns) -> TestSet:
    """Join a translation memory for each system with those of the references."""
    joined_as = {path: _JOINED.get(table_format(path), _TEXTS) for path in [*paths, *references]}
    _check_one_kind(paths, joined_as)
    _, joined_by = joined_as[paths[0]]
    kind = unpacked(os.path.basename(paths[0])).rpartition(".")[2].upper()
    if table_format(paths[0]) == "seglst":
        kind = "SegLST"
    if sources:
        raise InputError(f"{kind} files take no file of sources ({argument('source')}); got {sources[0]!r}.")
    are_tables = all(table_format(path) and table_format(path) not in MEMORIES for path in references)
    beside_tables = are_tables and all(table_format(path) in BILINGUAL for path in paths)
    if not beside_tables:
        _check_kind_of_references(kind, paths[0], references, joined_as)
    _check_no_labels(kind, joined_by, columns)
    if joined_by != SOURCE_TEXT:
        _check_no_columns(kind, columns)
    if columns.systems or (len(columns.references) > 1 and not beside_tables):
        raise InputError(
            f"{paths[0]!r} is a system and {references[0]!r} holds references: name at most one language of the "
            f"references ({argument('reference_columns')}), and none of a system."
        )
    check_different(paths, references)
    _check_no_scores_beside(columns, f"{kind} files")
    memories = dict(zip(names_of(paths, columns.called), paths, strict=True))
    if beside_tables:
        return memories_beside_tables(memories, references, columns)
    target = columns.references[0] if columns.references else None
    joined = join_memories(memories, references, target, columns.source, columns.missing)
    return TestSet(
        name=names_of([references[0]])[0],
        systems=joined.systems,
        references=joined.references,
        source=joined.source,
        ids=joined.ids,
        lost=joined.lost.by_system,
        n_all=joined.lost.n_all,
    )


def _check_kind_of_references(
    kind: str, path: str, references: Sequence[str], joined_as: Mapping[str, tuple[str, str]]
) -> None:
    """Raise an InputError for references that are not joined by the same as the systems, in files such as `path`."""
    files, joined_by = joined_as[path]
    misplaced = [reference for reference in references if joined_as[reference] != joined_as[path]]
    if not misplaced:
        return
    problem = (
        f"Systems in {kind} files need references in {files}, because they are joined by {joined_by}; "
        f"{misplaced[0]!r} is not one."
    )
    if kind == "TMX":
        problem += " Or give one TMX file with the references as one of its languages or authors."
    if table_format(path) in BILINGUAL:
        problem += " Or give a table with a column of sources, or of the ids of units."
    raise InputError(problem)


def _check_no_labels(kind: str, joined_by: str, columns: Columns) -> None:
    """Raise an InputError for columns that label segments, which these files do not have."""
    named = [(columns.cluster, "cluster"), (columns.system_column, "system_column")]
    named += [(spec, "by") for spec in columns.slices]
    for name, option in named:
        if name is not None:
            owner = f"Units of {kind} files" if joined_by == SOURCE_TEXT else f"{kind} files"
            raise InputError(f"{owner} have no column {shorten(name)} for {argument(option)}.")


def _check_no_columns(kind: str, columns: Columns) -> None:
    """Raise an InputError for columns of files that have none to choose: texts by their time or id."""
    chosen = {
        "systems": columns.systems,
        "reference_columns": columns.references,
        "source_column": [columns.source] if columns.source else [],
    }
    for option, names in chosen.items():
        if names:
            raise InputError(
                f"{kind} files have no columns, and so none is called {shorten(names[0])}: leave out "
                f"{argument(option)}."
            )


def _check_no_system_column(path: str, columns: Columns) -> None:
    """Raise an InputError for a column of systems' names beside a log, each of which is a run."""
    if columns.system_column is not None:
        raise InputError(
            f"{path!r} is a log of runs, and {argument('system_column')} is for tables with a row for each item and "
            "system; to name a run, give NAME=PATH."
        )


def _tables_and_logs(
    paths: list[str], folders: list[str], beside: list[str], columns: Columns, read_ahead: Table | None
) -> list[TestSet]:
    """Return the test sets of tables and then of logs; `read_ahead` is that of the first path."""
    logs_of_folder = {path: _logs_of_folder(path, columns) for path in folders}
    tables = [path for path in paths if path not in folders and table_format(path)]
    text_files = [path for path in paths if path not in folders and path not in tables]
    # Files that are joined with tables by ids, or with nothing.
    to_join = text_files or beside
    if to_join:
        _check_there(to_join)
        keyed = None if folders else _keyed_set(paths, beside, columns)
        if keyed is not None:
            return [keyed]
        first_in_words = f"{tables[0]!r} is a table or a log" if tables else f"{folders[0]!r} holds logs"
        raise InputError(
            f"{first_in_words}, and {_why_not_joined(to_join[0])}. Give tables alone, with all systems, "
            f"references ({argument('reference_columns')}) and sources ({argument('source_column')}) as columns; or "
            "give text files alone, the columns of the table saved as text files too."
        )
    check_different([*folders, *tables], role="a test set")
    names = dict(zip(tables, names_of(tables), strict=True))
    test_sets: list[TestSet] = []
    logs: list[Log] = []
    for path in paths:
        if path in folders:
            _check_no_system_column(path, columns)
            logs += logs_of_folder[path]
            continue
        with recorded() as messages:
            table = read_ahead or read_file(path, columns.opening)
            read_ahead = None
            if isinstance(table, Answers | Requests):
                raise InputError(f"{path!r} is of a batch, and {paths[0]!r} is not; give batches alone.")
            table = _with_scores(table, path, columns)
            if isinstance(table, Log):
                _check_no_system_column(path, columns)
                logs += _called([table], columns.called.get(path, ""))
                continue
            test_set = _whole_set(table, path, names[path], columns)
            if path in columns.called:
                check_one_system(path, list(test_set.systems), columns.called[path])
        test_sets.append(replace(test_set, warnings=tuple(messages)))
    called = {names[path]: name for path, name in columns.called.items() if path in names}
    test_sets = joined_tables(test_sets, called)
    return [*test_sets, *log_sets(logs, columns)] if logs else test_sets


def _logs_of_folder(folder: str, columns: Columns) -> list[Log]:
    """Return the logs in a folder, with the name and the scores that are given to it."""
    logs = _called(read_folder(folder), columns.called.get(folder, ""))
    if folder not in columns.scored_in:
        return logs
    if len(logs) > 1:
        raise InputError(
            f"{folder!r} has {len(logs)} logs, and {columns.scored_in[folder][0]!r} has scores of one: give the file "
            f"of this, such as {logs[0].name!r}."
        )
    (log,) = logs
    for scored_in in columns.scored_in[folder]:
        log = log_with_scores(log, read_file(scored_in, columns.opening), columns)
    return [log]


def _with_scores(table: Table, path: str, columns: Columns) -> Table:
    """Return what is in a file with the scores of the files that have its name."""
    for scored_in in columns.scored_in.get(path, ()):
        scores = read_file(scored_in, columns.opening)
        if isinstance(table, Log):
            table = log_with_scores(table, scores, columns)
        else:
            table = table_with_scores(table, scores, columns)
    return table


def _set_of_scores(
    paths: list[str], columns: Columns, read_ahead: Table | None, *, need_texts: bool
) -> TestSet | None:
    """Return the test set of tables with the ids and scores of a run each; None of other files."""
    if not columns.scores or columns.scored_in or not all(map(table_format, paths)):
        return None
    names = dict(zip(paths, names_of(paths, columns.called), strict=True))
    with recorded() as messages:
        tables: dict[str, Table] = {}
        for path in paths:
            table = read_ahead or read_file(path, columns.opening)
            # The others are not read yet.
            read_ahead = None
            # Texts in the only table are of a system; those of several without references could not be joined.
            if not has_scores_alone(table, columns, remarks=len(paths) > 1 and not need_texts):
                return None
            tables[names[path]] = table
        check_different(paths)
        joined, columns = joined_scores(tables, columns)
        name = names[paths[0]] if len(paths) == 1 else "test set"
        test_set = table_set(joined, paths[0], name, columns)
    fields = test_set.fields
    if len(paths) > 1:
        fields += f" Joined with {', '.join(map(repr, paths[1:]))} by ids."
    return replace(test_set, fields=fields, warnings=tuple(messages))


def _check_no_scores_beside(columns: Columns, what: str) -> None:
    """Raise an InputError for scores in files of their own, beside files that have none."""
    if not columns.scored_in:
        return
    path, score_paths = next(iter(columns.scored_in.items()))
    raise InputError(
        f"The name {shorten(columns.called[path])} is given twice, to {path!r} and to {score_paths[0]!r}: scores in "
        f"files of their own are joined with tables and logs, not with {what}."
    )


def _called(logs: Sequence[Log], name: str) -> list[Log]:
    """Return logs with the name that the user gives to what is in their file or folder."""
    return [replace(log, called=name) for log in logs]


def _whole_set(table: Table, path: str, name: str, columns: Columns) -> TestSet:
    """Return the test set of a table, with the columns that hold neither texts nor scores, and how it is written."""
    table = replace(table, decimal=columns.decimal)
    test_set = table_set(table, path, name, columns)
    dialect = table.dialect
    if dialect is not None and columns.decimal:
        dialect = replace(dialect, decimal=columns.decimal)
    own_columns = {**_own_columns(table, test_set, columns), **test_set.own_columns}
    return replace(
        test_set,
        own_columns=own_columns,
        dialect=dialect,
        without_reference=_without_reference(table, test_set),
    )


def _frame_sets(frame: Any, columns: Columns) -> list[TestSet]:
    """Return the test set of a table in memory, or those of the log that it is."""
    try:
        with recorded() as messages:
            table = read_frame(frame)
            if isinstance(table, Answers | Requests):
                raise InputError(
                    f"{table.name}: its columns are those of a batch, whose references are in another table. "
                    "Give the paths of both files, or a table with the answers and their references in columns."
                )
            if isinstance(table, Log):
                _check_no_system_column(table.name, columns)
                test_sets = log_sets([table], columns)
            else:
                test_sets = [_whole_set(table, "", table.name, columns)]
    except InputError as error:
        # The command has no such file to show.
        raise InputError(str(error).removesuffix(HOW_READ)) from None
    return [replace(test_sets[0], warnings=tuple(messages)), *test_sets[1:]]


def _check_frame_alone(kind: str, paths: Sequence[str], opening: Opening) -> None:
    """Raise an InputError for what is said of files beside a table in memory."""
    if paths:
        raise InputError(
            f"References and sources of a {kind} are in its columns: {argument('reference_columns')} and "
            f"{argument('source_column')} name them. Got {shorten(paths[0])}, a file."
        )
    for name, value in (("encoding", opening.encoding), ("sheet", opening.sheet)):
        if value != "":
            raise InputError(f"{argument(name)} is for files; a {kind} has none.")


def _without_reference(table: Table, test_set: TestSet) -> dict[int, str]:
    """Return where the segments without a reference are in a table whose rows they are, in words by their row."""
    if not any(test_set.references) or not _is_by_rows(table, test_set):
        return {}
    location_of: dict[int, str] = {}
    for row, texts in enumerate(test_set.references):
        if texts:
            continue
        line = f"{table.unit} {table.lines[row]}"
        cells = [column[row] for column in table.columns.values()]
        first_cell = next((cell for cell in cells if cell not in (None, "")), None)
        location_of[row] = line if first_cell is None else f"{line}: {shorten(first_cell)}"
    return location_of


def _is_by_rows(table: Table, test_set: TestSet) -> bool:
    """Return whether the segments are the rows of a table."""
    return all(table.columns.get(system) == texts for system, texts in test_set.systems.items())


def _own_columns(table: Table, test_set: TestSet, columns: Columns) -> dict[str, list[Any]]:
    """Return the columns of a table that hold neither texts nor scores that are read.

    There are none where a segment is not a row of the table.
    """
    if isinstance(table, Memory) or not _is_by_rows(table, test_set):
        return {}
    slice_columns = [column_and_pattern(spec, table.columns)[0] for spec in columns.slices]
    names = {*test_set.left_out, columns.cluster, *slice_columns}
    return {name: cells for name, cells in table.columns.items() if name in names}


def _keyed_set(paths: list[str], beside: list[str], columns: Columns) -> TestSet | None:
    """Return the test set of tables and of tables beside them, by the ids that they share; None of other files."""
    formats = [table_format(path) for path in (*paths, *beside)]
    if not beside or not all(formats) or {*formats}.intersection(MEMORIES):
        return None
    check_different(paths, beside)
    names = dict(zip(paths, names_of(paths, columns.called), strict=True))
    with recorded() as messages:
        tables, columns, note = _tables_of_systems(paths, columns)
        systems = {names[path]: table for path, table in tables.items()}
        joined = joined_by_ids(systems, [read_file(path, columns.opening) for path in beside], columns)
        if joined is None:
            return None
        test_set = table_set(joined.table, beside[0], names_of([beside[0]])[0], joined.columns)
    return replace(
        test_set,
        own_columns=_own_columns(joined.table, test_set, joined.columns),
        own_columns_by_system=joined.own_columns_by_system,
        warnings=tuple(messages),
        fields=" ".join(filter(None, [test_set.fields, joined.note, note])),
        lost=joined.lost.by_system,
        n_all=joined.lost.n_all,
    )


def _why_not_joined(path: str) -> str:
    """Return why a file cannot be joined with a table or log, in words."""
    if not table_format(path):
        return f"{path!r} is a text file, whose lines have no ids by which they could be joined"
    return f"{path!r} is a separate one: only tables are joined, where each has a column of ids, such as id"


def _tables_of_systems(paths: Sequence[str], columns: Columns) -> tuple[dict[str, Table], Columns, str]:
    """Return tables with a column for each system, by path, with their names, and how these were made, in words."""
    tables: dict[str, Table] = {}
    systems: list[str] = []
    notes: list[str] = []
    unknown = list(columns.systems)
    for path in paths:
        table = _with_scores(read_file(path, columns.opening), path, columns)
        tables[path] = table
        if isinstance(table, Log | Memory):
            continue
        systems_here = [name for name in columns.systems if name in table.columns]
        unknown = [name for name in unknown if name not in systems_here]
        # What else is named is perhaps in the tables beside it.
        columns_here = replace(
            columns, systems=systems_here, references=[], source=None, cluster=None, slices=[], need_references=False
        )
        wide_table, wide_columns, note = wide(table, columns_here)
        tables[path] = wide_table
        systems += wide_columns.systems
        if note:
            notes.append(f"{table.name}: {note}")
    all_systems = list(dict.fromkeys([*systems, *unknown]))
    columns = replace(columns, systems=all_systems, system_column=None)
    return tables, columns, " ".join(notes)


def _check_there(paths: Sequence[str]) -> None:
    """Raise an InputError for a file that does not exist, which may be the name of a metric."""
    for path in paths:
        if path == STDIN or os.path.exists(path):
            continue
        hint = f" A metric is given with -m: -m {path}." if path in SHORT_NAMES else ""
        raise InputError(f"{path!r} does not exist.{hint}")


def _one_name(value: Any, option: str) -> str | None:
    """Return the name of one column, or None."""
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"{argument(option)} is the name of one column, got {shorten(value)}.")


def _named_files(files: Any) -> NamedFiles:
    """Return the files that were given, with their names."""
    if not isinstance(files, Mapping):
        return NamedFiles.of_texts(_names_or_paths(files))
    named = NamedFiles.of_mapping(files)
    score_paths = [path for paths in named.further.values() for path in paths]
    # Each must be able to be the path of a file.
    _names_or_paths([*named.paths, *score_paths])
    return named


def _names_or_paths(value: _File | Sequence[_File] | None) -> list[str]:
    """Return the names or paths that were given, one or several, as strings."""
    # Bytes are one entry, which is refused below: they would otherwise be a list of numbers.
    entries: list[Any]
    if value is None:
        entries = []
    elif isinstance(value, str | bytes | os.PathLike) or not has_entries(value):
        entries = [value]
    else:
        entries = list(value)
    for entry in entries:
        if not isinstance(entry, str | os.PathLike) or not isinstance(os.fspath(entry), str):
            raise InputError(f"Files and columns are given by name, one or a list of them; got {shorten(entry)}.")
    names = [os.fspath(entry) for entry in entries]
    for name in names:
        try:
            valid = b"\0" not in os.fsencode(name)
        except UnicodeEncodeError:
            valid = False
        if not valid:
            raise InputError(f"{shorten(name)} cannot be the name of a file.")
    return names
