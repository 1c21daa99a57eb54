"""Files, of any format and kind -> test sets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.checks import has_entries, known_keywords
from tercet.errors import InputError, argument, recorded, shorten, warn
from tercet.files.batches import Answers, Requests
from tercet.files.joined import join_memories, read_folder
from tercet.files.read import MEMORIES, SUFFIXES, TRANSLATIONS, check_no_workbook, read_file, table_format, unpacked
from tercet.files.table import Log, Table
from tercet.files.writing import check_different

from .labels import LENGTH
from .logs import batch_sets, log_sets
from .names import names_of
from .roles import Columns
from .tables import joined_tables, table_set
from .test_set import TestSet
from .text_files import check_texts, text_set

_File = str | os.PathLike[str]
#: By format that is joined with references: the files that can be, and by what.
_JOINED = {
    **dict.fromkeys(TRANSLATIONS, ("TMX, XLIFF or PO files", "source text")),
    "subtitles": ("SRT, WebVTT or SSA files", "time"),
    **dict.fromkeys(("ctm", "stm", "trn", "kaldi"), ("CTM, STM or TRN files or files called 'text'", "id")),
}
_TEXTS = ("text files", "line")


@known_keywords
def read_test_sets(
    files: _File | Sequence[_File],
    *,
    references: _File | Sequence[_File] = (),
    source: _File | None = None,
    systems: str | Sequence[str] = (),
    reference_columns: str | Sequence[str] = (),
    source_column: str | None = None,
    cluster: str | None = None,
    need_references: bool = True,
    scores: str | Sequence[str] = (),
    need_texts: bool = False,
    by: str | Sequence[str] = (),
) -> list[TestSet]:
    r"""Read test sets from tables, or one from text files.

    A file is a table by its extension: .tsv .tab .csv .jsonl .ndjson .json .xlsx .xlsm .parquet .pq .arrow .feather,
    or that of a file of translators, subtitles or transcripts, optionally followed by .gz. Each table is one test
    set, but tables with one system each for the same references are one together, whose systems are named by their
    columns or files. Columns have the roles that their names suggest (:func:`tercet.files.roles.guess_roles`) unless
    `systems`, `reference_columns` and `source_column` name them; a warning names text columns without a role. Of a
    workbook, the first sheet is read.

    Files of translators (.tmx .xlf .xliff .sdlxliff .mqxliff .po), subtitles (.srt .vtt .ass .ssa) and transcripts
    (.ctm .stm .trn, a file called ``text``) with `references` that are such files too are one test set. Each of
    `files` is a system, and they are joined by source text, time or id (:func:`tercet.files.joined.join_memories`
    says how). `reference_columns` and `source_column` may then name the languages; by default the source is what the
    header of the references says, and the target their only other language. Of an XLIFF file alone, the systems are
    the origins of its proposals, and the references its translations. A TMX file alone is a table whose columns are
    languages, without a role: references must be named, by code or its beginning ("pt" for "pt-BR"), and systems,
    unless they are the other texts of the references' language. Where the texts of a language name their authors
    (``creationid``), each author has a column, such as ``"pt DeepL"``.

    Logs of harnesses are the samples of lm-evaluation-harness (``--log_samples``, .jsonl), the details of lighteval
    (.parquet) and the logs of inspect-ai (.eval, .json), or folders with such: of a task's runs in one folder, the
    newest is read. Results of deepeval (.json), ragas (tables), MLflow (.json, tables), promptfoo (.json) and
    OpenCompass (.json) are logs too. Each task is one test set, in which each log is a system, or several,
    named by what tells the runs apart: the model, or a folder. Samples are joined by their ids; their references must
    be the same (:func:`tercet.files.joined.join_logs` says how). The format says which field is what, `fields`
    of the test set repeats it, and `systems` and the columns may name others, such as one filter of several. Numbers
    that the harness computed for each sample, such as ``acc``, are `scores` of the test set. Logs of multiple choice
    and of log-likelihoods have these alone.

    Output of OpenAI's batches (.jsonl) is a log of answers, with `references` in tables that have the ids of its
    requests in a column ``custom_id`` or ``id``, and `source` in one such, or in the input of the batch, which may
    also be one of `files` (:func:`tercet.files.batches.with_references`). A table of W&B (``.table.json``) is a
    table.

    Every other file holds the predictions of a system, a segment per line; all are one test set, named after
    the first file of references. A system is named after its file without ``.gz`` and one extension of letters, so
    that ``gpt-4.1.txt`` is ``gpt-4.1``. Where two names would be equal, their folders are added.

    Parameters
    ----------
    files : path or sequence of paths
        All tables and folders of logs, or all text files. ``-`` is the standard input, a text file called ``stdin``.
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

    Returns
    -------
    list of TestSet
        One per table, or tables that are joined, in the order of the files, then one per task of logs; or one of all
        text files.

    Raises
    ------
    InputError
        For a file that cannot be read or is not UTF-8, text files with different numbers of lines, a table without a
        system or references, and tables and text files in one call. Names the file, and what was found and expected.

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
    paths, reference_paths, source_paths = _listed(files), _listed(references), _listed(source)
    if not paths:
        raise InputError("No file was given; expected tables, or text files of systems.")
    folders = [path for path in paths if os.path.isdir(path)]
    # A workbook of an older format, or a folder, would otherwise be read as a text file.
    for path in [*(path for path in paths if path not in folders), *reference_paths, *source_paths]:
        check_no_workbook(path)
        if os.path.isdir(path):
            raise InputError(f"{path!r} cannot be read: it is a folder; expected the files in it.")
    if source is not None and not isinstance(source, str | os.PathLike):
        raise InputError(f"{argument('source')} is the path of one file, got {shorten(source)}.")
    columns = Columns(
        systems=_listed(systems),
        references=_listed(reference_columns),
        source=source_column,
        cluster=cluster,
        scores=_listed(scores),
        slices=[spec for spec in _listed(by) if spec != LENGTH],
        need_references=need_references,
    )
    with recorded() as messages:
        test_sets = _test_sets(paths, folders, reference_paths, source_paths, columns, need_texts)
    of_tables = {message for test_set in test_sets for message in test_set.warnings}
    of_all = [message for message in messages if message not in of_tables]
    return [replace(test_sets[0], warnings=(*of_all, *test_sets[0].warnings)), *test_sets[1:]]


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
    first = read_file(paths[0]) if not folders and table_format(paths[0]) == "jsonl" else None
    if isinstance(first, Answers | Requests):
        return batch_sets(first, paths, reference_paths, source_paths, columns)
    test_sets = _tables_and_logs(paths, folders, [*reference_paths, *source_paths], columns, first)
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
    single = [name for name in (columns.source, columns.cluster) if name is not None]
    column_names = [*columns.systems, *misplaced, *single, *columns.slices]
    if column_names:
        check_texts(paths)
        raise InputError(
            f"{column_names[0]!r} is the name of a column, but {paths[0]!r} is a text file, judging by its "
            f"extension; tables end in {' '.join(SUFFIXES)}."
        )
    return text_set(paths, references, sources[0] if sources else None, columns)


def _memory_set(paths: list[str], references: list[str], sources: list[str], columns: Columns) -> TestSet:
    """Join a translation memory for each system with those of the references."""
    kinds = {path: _JOINED.get(table_format(path), _TEXTS) for path in [*paths, *references]}
    other = next((path for path in paths if kinds[path] != kinds[paths[0]]), None)
    if other is not None:
        known = "; ".join(f"{files}, joined by {by}" for files, by in dict.fromkeys([*_JOINED.values(), _TEXTS]))
        raise InputError(
            f"{paths[0]!r} and {other!r} are systems in files of different kinds; expected all of one kind: {known}."
        )
    files, joined_by = kinds[paths[0]]
    kind = unpacked(os.path.basename(paths[0])).rpartition(".")[2].upper()
    if sources:
        raise InputError(f"{kind} files take no file of sources ({argument('source')}); got {sources[0]!r}.")
    misplaced = [path for path in references if kinds[path] != kinds[paths[0]]]
    if misplaced:
        raise InputError(
            f"Systems in {kind} files need references in {files}, because they are joined by {joined_by}; "
            f"{misplaced[0]!r} is not one."
            + " Or give one TMX file with the references as one of its languages or authors."
            * (kind == "TMX")
        )
    for name, option in ((columns.cluster, "cluster"), *((spec, "by") for spec in columns.slices)):
        if name is not None:
            raise InputError(f"Units of {kind} files have no column {shorten(name)} for {argument(option)}.")
    if columns.systems or len(columns.references) > 1:
        raise InputError(
            f"{paths[0]!r} is a system and {references[0]!r} holds references: name at most one language of the "
            f"references ({argument('reference_columns')}), and none of a system."
        )
    check_different(paths, references)
    memories = dict(zip(names_of(paths), paths, strict=True))
    target = columns.references[0] if columns.references else None
    joined = join_memories(memories, references, target, columns.source)
    return TestSet(names_of([references[0]])[0], joined.systems, joined.references, joined.source, ids=joined.ids)


def _tables_and_logs(
    paths: list[str], folders: list[str], beside: list[str], columns: Columns, first: Table | None
) -> list[TestSet]:
    """Return the test sets of tables and then of logs; `first` is the table of the first path, if it was read."""
    logs_of_folder = {path: read_folder(path) for path in folders}
    tables = [path for path in paths if path not in folders and table_format(path)]
    text_files = [path for path in paths if path not in folders and path not in tables] or beside
    if text_files:
        table_in_words = f"{tables[0]!r} is a table" if tables else f"{folders[0]!r} holds logs"
        raise InputError(
            f"{table_in_words}, with references of its own, and {text_files[0]!r} is a separate file. Give tables "
            f"alone, with all systems, references ({argument('reference_columns')}) and sources "
            f"({argument('source_column')}) as columns; or give text files alone, the columns of the table saved as "
            "text files too."
        )
    check_different([*folders, *tables], role="a test set")
    names = dict(zip(tables, names_of(tables), strict=True))
    test_sets: list[TestSet] = []
    logs: list[Log] = []
    for path in paths:
        if path in folders:
            logs += logs_of_folder[path]
            continue
        with recorded() as messages:
            table, first = first or read_file(path), None
            if isinstance(table, Answers | Requests):
                raise InputError(f"{path!r} is of a batch, and {paths[0]!r} is not; give batches alone.")
            if isinstance(table, Log):
                logs.append(table)
                continue
            test_set = table_set(table, path, names[path], columns)
        test_sets.append(replace(test_set, warnings=tuple(messages)))
    test_sets = joined_tables(test_sets)
    return [*test_sets, *log_sets(logs, columns)] if logs else test_sets


def _listed(value: _File | Sequence[_File] | None) -> list[str]:
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
