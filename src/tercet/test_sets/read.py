"""Files, of any format and kind -> test sets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tercet.errors import InputError, argument, recorded, shorten
from tercet.files.formats import SUFFIXES, check_has_words, check_no_workbook, table_format
from tercet.files.missing_option import LEAVE_OUT, check_missing
from tercet.files.read import Opening
from tercet.files.tables.frames import frame_kind
from tercet.option_checks import has_entries, known_keywords

from .input_files import InputFiles, NamedFiles, paths_of
from .labels import LENGTH
from .named_columns import NamedColumns
from .test_set import TestSet
from .text_files import are_large, check_texts, text_set

if TYPE_CHECKING:
    from tercet.files.numbers import Sign

_File = str | os.PathLike[str]


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
    columns or files. Columns have the roles that their names suggest
    (:func:`tercet.files.columns.roles.guess_roles`) unless `systems`, `reference_columns` and `source_column` name
    them; a warning names text columns without a role. Of a workbook, the first sheet is read, or `sheet`.

    Files of translators (.tmx .xlf .xliff .sdlxliff .mqxliff .po), subtitles (.srt .vtt .ass .ssa) and transcripts
    (.ctm .stm .seglst.json .trn, a file called ``text``) are a system each, beside `references` that are such files
    too: they are joined by source text, time or id. Test sets of WMT (.xml .sgm .sgml), and logs of harnesses, say
    themselves which texts are of systems, references and sources; of a folder of logs, each task is a test set, and
    each run a system. Output of OpenAI's batches (.jsonl) is joined with `references` by the ids of requests. The
    pages on translation files and on harness logs say it for each format; `fields` of a test set says what was read
    as what.

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
        Columns of the tables; of files of translators, languages by their codes ("pt" for "pt-BR"). An empty cell of
        a system is an empty text, one of references is no reference.
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
        ``COMET_base`` and ``COMET_tuned``, or in objects (:func:`tercet.files.columns.scores.scores_by_system`). A
        table of scores without texts needs no references, if `need_references` is False.
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
    named_files = NamedFiles(paths=[], called={}, scored_in={})
    if not kind:
        named_files = _named_files(files)
    input_files = InputFiles(
        paths=named_files.paths,
        folders=[path for path in named_files.paths if os.path.isdir(path)],
        references=_names_or_paths(references),
        sources=_names_or_paths(source),
        called=named_files.called,
        scored_in=named_files.scored_in,
        opening=Opening(encoding=encoding, sheet=sheet),
        decimal=decimal,
    )
    if not input_files.paths and not kind:
        raise InputError("No file was given; expected tables, or text files of systems.")
    score_paths = named_files.score_paths()
    files_of_systems = [path for path in input_files.paths if path not in input_files.folders]
    for path in [*files_of_systems, *input_files.beside, *score_paths]:
        _check_may_be_text(path)
    if source is not None and not isinstance(source, str | os.PathLike):
        raise InputError(f"{argument('source')} is the path of one file, got {shorten(source)}.")
    named = NamedColumns(
        systems=_names_or_paths(systems),
        references=_names_or_paths(reference_columns),
        source=_one_name(source_column, "source_column"),
        cluster=cluster,
        scores=_names_or_paths(scores),
        slices=[spec for spec in _names_or_paths(by) if spec != LENGTH],
        need_references=need_references,
        missing=missing,
        system_column=_one_name(system_column, "system_column"),
    )
    check_missing(missing)
    if kind:
        # Here, as text files need no reader of tables.
        from .tables_and_logs import check_frame_alone, sets_of_frame

        check_frame_alone(kind, input_files)
        return sets_of_frame(files, named, decimal)
    input_files.opening.check([*input_files.paths, *input_files.beside, *score_paths])
    with recorded() as messages:
        test_sets = _test_sets(input_files, named, need_texts)
    # What no single table warned of is told with the first test set.
    warned_of: set[str] = set()
    for test_set in test_sets:
        warned_of.update(test_set.warnings)
    messages_of_all = [message for message in messages if message not in warned_of]
    first, *others = test_sets
    return [replace(first, warnings=(*messages_of_all, *first.warnings)), *others]


def read_large_texts(files: Sequence[str], references: Sequence[str]) -> TestSet | None:
    """Return the test set of large text files, of which only parts are in memory; None of other files.

    Its texts are those that :func:`read_test_sets` reads, which keeps them all.
    """
    if not references or not are_large([*paths_of(files), *references]):
        return None
    named_files = NamedFiles.of_texts(files)
    if named_files.scored_in:
        return None
    input_files = InputFiles(
        paths=named_files.paths, folders=[], references=list(references), sources=[], called=named_files.called
    )
    for path in [*input_files.paths, *input_files.references]:
        _check_may_be_text(path)
    with recorded() as messages:
        test_set = text_set(input_files, NamedColumns(), in_pieces=True)
    return replace(test_set, warnings=tuple(messages))


def _check_may_be_text(path: str) -> None:
    """Raise an InputError for a workbook of an older format, or a folder, which would be read as a text file."""
    check_no_workbook(path)
    check_has_words(path)
    if os.path.isdir(path):
        raise InputError(f"{path!r} cannot be read: it is a folder; expected the files in it.")


def _test_sets(files: InputFiles, named: NamedColumns, need_texts: bool) -> list[TestSet]:
    """Return the test sets of files of one kind, by which it is chosen how they are read."""
    # Files of several kinds have an error of their own, where tables are read.
    if not files.folders and not any(map(table_format, files.paths)):
        return [_text_set(files, named)]
    # Here, as text files need no reader of tables.
    from .tables_and_logs import sets_of_tables

    return sets_of_tables(files, named, need_texts)


def _text_set(files: InputFiles, named: NamedColumns) -> TestSet:
    """Return the test set of text files, which have no columns."""
    first_path = files.paths[0]
    if named.scores:
        raise InputError(f"{argument('scores')} names columns of tables, but {first_path!r} is a text file.")
    column_names = list(named.systems)
    # The references of text files may be columns of a table: the data set for which they were written.
    if not any(map(table_format, files.references)):
        column_names += named.references
    for name in (named.source, named.cluster, named.system_column):
        if name is not None:
            column_names.append(name)
    column_names += named.slices
    if column_names:
        check_texts(files)
        raise InputError(
            f"{column_names[0]!r} is the name of a column, but {first_path!r} is a text file, judging by its "
            f"extension; tables end in {' '.join(SUFFIXES)}."
        )
    return text_set(files, named)


def _one_name(value: Any, option: str) -> str | None:
    """Return the name of one column, or None."""
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"{argument(option)} is the name of one column, got {shorten(value)}.")


def _named_files(files: Any) -> NamedFiles:
    """Return the files that were given, with their names."""
    if not isinstance(files, Mapping):
        return NamedFiles.of_texts(_names_or_paths(files))
    named_files = NamedFiles.of_mapping(files)
    _check_may_be_names([*named_files.paths, *named_files.score_paths()])
    return named_files


def _names_or_paths(value: _File | Sequence[_File] | None) -> list[str]:
    """Return the names or paths that were given, one or several, as strings."""
    if value is None:
        return []
    entries: list[Any] = [value]
    # Bytes are one entry, which is refused below: they would otherwise be a list of numbers.
    if has_entries(value) and not isinstance(value, str | bytes | os.PathLike):
        entries = list(value)
    for entry in entries:
        if not isinstance(entry, str | os.PathLike) or not isinstance(os.fspath(entry), str):
            raise InputError(f"Files and columns are given by name, one or a list of them; got {shorten(entry)}.")
    names = [os.fspath(entry) for entry in entries]
    _check_may_be_names(names)
    return names


def _check_may_be_names(names: Sequence[str]) -> None:
    """Raise an InputError for a text that can be the name of no file."""
    for name in names:
        try:
            is_name = b"\0" not in os.fsencode(name)
        except UnicodeEncodeError:
            is_name = False
        if not is_name:
            raise InputError(f"{shorten(name)} cannot be the name of a file.")
