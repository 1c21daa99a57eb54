"""Files of test sets -> systems, references and sources, ready to score and to compare."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tercet.checks import known_keywords
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.errors import InputError, argument, argument_set, shorten
from tercet.files.content.log_folders import read_folder
from tercet.files.joined import columns_of, join_memories
from tercet.files.joined_logs import join_logs
from tercet.files.lines import STDIN, open_binary, read_lines
from tercet.files.read import READERS, SUFFIXES, check_no_workbook, items, references_in, table_format
from tercet.files.roles import document_column, guess_roles
from tercet.files.table import Log, Roles, Table
from tercet.statistics.clusters import Clusters

from .checks import check_columns, check_different, check_roles, check_texts, warn_repeated_ids
from .columns import columns_in_words, warn_left_out, warn_of_task, warn_swapped, warn_swapped_files, warn_unused
from .names import names_of

_File = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class TestSet:
    """The predictions of systems for the same segments, with references and sources.

    Attributes
    ----------
    name : str
        Of the file, without extensions: ``news`` for ``news.tsv.gz``.
    systems : dict of str to list of str
        A prediction per segment, by system.
    references : list of list of str
        Those of each segment: any number, including none.
    source : list of str or None
        A text per segment.
    fields : str
        Of tables and logs, which columns or fields were read as what, in words.
    clusters : Clusters or None
        Which segments are resampled together: repeats of a sample, or the segments of a document.
    hint : str
        A column that looks like a document's name, with the option that makes clusters of it.
    """

    __test__: ClassVar[bool] = False  # not for pytest to collect, whatever the name

    name: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    fields: str = field(default="", repr=False, compare=False, kw_only=True)
    clusters: Clusters | None = field(default=None, repr=False, compare=False, kw_only=True)
    hint: str = field(default="", repr=False, compare=False, kw_only=True)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.references)

    @property
    def about(self) -> dict[str, Any]:
        """Further entries about the files in a comparison's JSON."""
        return {}

    def corpus(self) -> Corpus:
        """Return the texts of all systems and the references, checked and encoded once."""
        texts = read_systems(["predictions"] * len(self.systems), list(self.systems.values()), self.references)
        return texts.encoded()


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
) -> list[TestSet]:
    r"""Read test sets from tables, or one from text files.

    A file is a table by its extension: .tsv .tab .csv .jsonl .ndjson .tmx .xlsx .xlsm .parquet .pq .arrow .feather,
    optionally followed by .gz. Each table is one test set. Its columns have the roles that their names suggest
    (:func:`tercet.roles.guess_roles`) unless `systems`, `reference_columns` and `source_column` name them; a
    warning names text columns without a role. Of a workbook, the first sheet is read.

    TMX files with `references` that are TMX files too are one test set. Each of `files` is a system, and the units
    are joined by source text (:func:`tercet.files.joined.join_memories` says how). `reference_columns` and
    `source_column` may then name the languages; by default the source is what the header of the references says, and
    the target their only other language. A TMX file alone is a table whose columns are languages, without a role:
    references must be named, by code or its beginning ("pt" for "pt-BR"), and systems, unless they are the other
    texts of the references' language. Where the texts of a language name their authors (``creationid``), each author
    has a column, such as ``"pt DeepL"``.

    Logs of harnesses are the samples of lm-evaluation-harness (``--log_samples``, .jsonl), the details of lighteval
    (.parquet) and the logs of inspect-ai (.eval, .json), or folders with such: of a task's runs in one folder, the
    newest is read. Each task is one test set, in which each log is a system,
    named by what tells the runs apart: the model, or a folder. Samples are joined by their ids; their references must
    be the same (:func:`tercet.files.joined_logs.join_logs` says how). The format says which field is what, `fields`
    of the test set repeats it, and `systems` and the columns may name others, such as one filter of several.

    Every other file holds the predictions of a system, a segment per line; all are one test set, named after
    the first file of references. A system is named after its file without ``.gz`` and one extension of letters, so
    that ``gpt-4.1.txt`` is ``gpt-4.1``. Where two names would be equal, their folders are added.

    Parameters
    ----------
    files : path or sequence of paths
        All tables and folders of logs, or all text files. ``-`` is the standard input, a text file called ``stdin``.
    references : path or sequence of paths
        TMX files, for systems in TMX files; or text files, for systems in text files: a reference per line. An empty
        line is an empty reference, as in sacrebleu, and can be the closest in length. Segments with different numbers
        of references need a table: the data set whose rows the lines of the systems are.
    source : path, optional
        Text file, for systems in text files.
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

    Returns
    -------
    list of TestSet
        One per table, in the order of the files, then one per task of logs; or one of all text files.

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
    paths, reference_paths = _listed(files), _listed(references)
    if not paths:
        raise InputError("No file was given; expected tables, or text files of systems.")
    every, folders = paths, [path for path in paths if os.path.isdir(path)]
    paths = [path for path in paths if path not in folders]
    for path in [*paths, *reference_paths, *_listed(source)]:
        check_no_workbook(path)
        if os.path.isdir(path):
            raise InputError(f"{path!r} cannot be read: it is a folder; expected the files in it.")
    if source is not None and not isinstance(source, str | os.PathLike):
        raise InputError(f"{argument('source')} is the path of one file, got {shorten(source)}.")
    in_folders = {path: read_folder(path) for path in folders}
    tables = [path for path in paths if table_format(path)]
    if not tables and not folders:
        targets = _listed(reference_columns)
        of_data = any(map(table_format, reference_paths))
        named = [*_listed(systems), *([] if of_data else targets), *_listed(source_column), *_listed(cluster)]
        if named:
            check_texts(paths)
            raise InputError(
                f"{named[0]!r} is the name of a column, but {paths[0]!r} is a text file, judging by its extension; "
                f"tables end in {' '.join(SUFFIXES)}."
            )
        source = None if source is None else os.fspath(source)
        return [_text_set(paths, reference_paths, targets, source, need_references)]
    are_memories = all(table_format(each) == "tmx" for each in paths) and not folders
    if (
        are_memories
        and reference_paths
        and source is None
        and all(table_format(each) == "tmx" for each in reference_paths)
    ):
        if cluster is not None:
            raise InputError(f"Units of TMX files have no column {shorten(cluster)} for {argument('cluster')}.")
        return [_memory_set(paths, reference_paths, _listed(systems), _listed(reference_columns), source_column)]
    if are_memories and reference_paths:
        other = next((each for each in reference_paths if table_format(each) != "tmx"), source)
        raise InputError(
            "Systems in TMX files need references in a TMX file, because they are joined by source text; "
            f"{str(other)!r} is not one. Or give one TMX file with the references as one of its languages or authors."
        )
    texts = [path for path in paths if not table_format(path)] or [*reference_paths, *_listed(source)]
    if texts:
        first = f"{tables[0]!r} is a table" if tables else f"{folders[0]!r} holds logs"
        raise InputError(
            f"{first}, with references of its own, and {texts[0]!r} is a separate file. Give tables alone, with all "
            "systems, references (--reference-column) and sources (--source-column) as columns; or give text files "
            "alone, the columns of the table saved as text files too."
        )
    check_different([*folders, *tables], role="a test set")
    found: list[TestSet] = []
    logs: list[Log] = []
    named, targets = _listed(systems), _listed(reference_columns)
    names = dict(zip(tables, names_of(tables), strict=True))
    for path in every:
        if path in folders:
            logs += in_folders[path]
            continue
        table = _table(path)
        if isinstance(table, Log):
            logs.append(table)
        else:
            test_set = _table_set(table, path, names[path], named, targets, source_column, cluster, need_references)
            found.append(_with_clusters(test_set, table, cluster))
    for runs in join_logs(logs, named, targets, source_column, cluster):
        warn_of_task(runs.first)
        clusters = None if runs.cluster is None else Clusters.of(runs.labels, len(runs.references), runs.cluster)
        found.append(
            TestSet(runs.task, runs.systems, runs.references, runs.source, fields=runs.fields, clusters=clusters)
        )
    return found


def _memory_set(
    paths: list[str], reference_paths: list[str], systems: list[str], targets: list[str], source: str | None
) -> TestSet:
    """Join a translation memory for each system with those of the references."""
    if systems or targets[1:]:
        raise InputError(
            f"{paths[0]!r} is a system and {reference_paths[0]!r} holds references: name at most one language of the "
            f"references ({argument('reference_columns')}), and none of a system."
        )
    check_different(paths, reference_paths)
    named = dict(zip(names_of(paths), paths, strict=True))
    joined = join_memories(named, reference_paths, targets[0] if targets else None, source)
    return TestSet(names_of([reference_paths[0]])[0], joined.systems, joined.references, joined.source)


def _table_set(
    table: Table, path: str, name: str, systems: list[str], references: list[str], source: str | None,
    cluster: str | None, need_references: bool,
) -> TestSet:  # fmt: skip
    """Return the texts of a table; columns that are not given have the role that their name suggests."""
    format = table_format(path)
    roles = guess_roles(table, [column for column in references if column in table.columns])
    if format == "tmx":
        roles = Roles(None, (), ())
        systems, references, source = columns_of(table, systems, references, source)
    check_columns(table, systems, references, source)
    guessed = not systems
    source = source or roles.source
    references = references or [column for column in roles.references if column not in {*systems, source}]
    systems = systems or [column for column in roles.systems if column not in {*references, source}]
    check_roles(table, format, systems, references, need_references)
    if guessed:
        warn_left_out(table, roles)
        known = {*roles.systems, *roles.left_out, *roles.references, *references, roles.source, source}
        warn_unused(table, [column for column in table.columns if column not in known])
    lists = items(table, systems[0], references)[1]
    texts = {column: items(table, column, [])[0] for column in systems}
    warn_swapped(table.name, systems, references, source)
    fields = columns_in_words(table, systems, references, source, cluster)
    return TestSet(name, texts, lists, None if source is None else _sources(table, source), fields=fields)


def _with_clusters(test_set: TestSet, table: Table, column: str | None) -> TestSet:
    """Return the test set of a table with the clusters of a column; without one, name a column of documents."""
    if column is not None:
        return replace(test_set, clusters=clusters_of(table, column))
    warn_repeated_ids(table)
    documents = document_column(table)
    if documents is None:
        return test_set
    number = len(set(table.columns[documents]))
    hint = (
        f"{table.name}: {shorten(documents)} names {number:,} documents of {len(table.lines):,} segments. Segments "
        f"of a document are not independent: {argument_set('cluster', documents)} resamples documents."
    )
    return replace(test_set, hint=hint)


def clusters_of(table: Table, column: str) -> Clusters:
    """Return the clusters that a column of a table names."""
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
            raise InputError(
                f"{table.place(row, column)}: expected the name of the row's cluster, a text or an integer, got "
                f"{shorten(cell)}."
            )
    return Clusters.of(cells, len(cells), column)


def _table(path: str) -> Table:
    with open_binary(path) as stream:
        return READERS[table_format(path)](stream, path)


def _sources(table: Table, column: str) -> list[str]:
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise InputError(f"{table.place(row, column)}: expected a text, got {shorten(cell)}.")
    return [cell or "" for cell in cells]


def _text_set(
    paths: list[str], reference_paths: list[str], columns: list[str], source: str | None, need_references: bool
) -> TestSet:
    """Read systems, references and the source from text files with the same number of lines.

    References may also be those of a table: the data set for which a script wrote the predictions.
    """
    if not reference_paths and need_references:
        check_texts(paths)
        raise InputError(
            f"{paths[0]!r} is a text file, judging by its extension, and needs references: give a text file with a "
            f"reference per line ({argument('references')}). A table must be named as one, {' '.join(SUFFIXES)}: "
            "rename it if it has columns."
        )
    every = [*paths, *reference_paths, *_listed(source)]
    for path in every[len(paths) :]:
        if table_format(path) == "tmx" or (table_format(path) and path == source):
            raise InputError(
                f"{path!r} is a table, and {paths[0]!r} is a text file; expected sources as a text file too, a "
                "segment per line, and references as such or in a column; or all texts in columns of one table."
            )
    if every.count(STDIN) > 1:
        raise InputError("Standard input (-) can be read only once; give files for the others.")
    first = [*reference_paths, *paths][0]
    tables = {path: _references(path, columns) for path in reference_paths if table_format(path)}
    lines = {path: read_lines(path) for path in every if path not in tables}
    n_lines = {path: len(tables[path] if path in tables else lines[path]) for path in every}
    if not n_lines[first]:
        raise InputError(f"{first!r} is empty; expected a {'reference' if reference_paths else 'text'} per line.")
    for path in every:
        if n_lines[path] != n_lines[first]:
            what = f"{'row' if path in tables else 'line'}{'s' * (n_lines[path] != 1)}"
            raise InputError(
                f"{path!r} has {n_lines[path]} {what} and {first!r} has {n_lines[first]}; expected a line per "
                "segment in each."
            )
    check_different(paths, reference_paths)
    systems = {name: lines[path] for path, name in zip(paths, names_of(paths), strict=True)}
    warn_swapped_files(names_of([first])[0], paths, reference_paths, source)
    given = [tables[path] if path in tables else [[line] for line in lines[path]] for path in reference_paths]
    references = [[text for own in given for text in own[row]] for row in range(n_lines[first])]
    return TestSet(names_of([first])[0], systems, references, None if source is None else lines[source])


def _references(path: str, columns: list[str]) -> list[list[str]]:
    table = _table(path)
    columns = columns or list(guess_roles(table).references)
    check_roles(table, table_format(path), [""], columns, need_references=True)
    return references_in(table, columns)


def _listed(given: _File | Sequence[_File] | None) -> list[str]:
    """Return the names or paths that were given, one or several, as strings."""
    several = [] if given is None else [given] if isinstance(given, str | bytes | os.PathLike) else given
    listed = list(several) if isinstance(several, Iterable) else [several]
    for each in listed:
        if not isinstance(each, str | os.PathLike) or not isinstance(os.fspath(each), str):
            raise InputError(f"Files and columns are given by name, one or a list of them; got {shorten(each)}.")
    names = [os.fspath(each) for each in listed]
    for name in names:
        try:
            valid = b"\0" not in os.fsencode(name)
        except UnicodeEncodeError:
            valid = False
        if not valid:
            raise InputError(f"{shorten(name)} cannot be the name of a file.")
    return names
