"""Files of test sets -> systems, references and sources, ready to score and to compare."""

from __future__ import annotations

import math
import operator
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.checks import known_keywords
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, token_list_warning
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, level_of_caller, shorten
from tercet.files.batches import Answers, Requests, with_references
from tercet.files.joined import Runs
from tercet.files.read import (
    MEMORIES,
    READERS,
    SUFFIXES,
    TRANSLATIONS,
    check_no_workbook,
    items,
    references_in,
    table_format,
    unpacked,
)
from tercet.files.roles import CODES, clear_role, document_column, guess_roles, role_of
from tercet.files.score_columns import is_lower_better, score_columns, systems_of, without_scores
from tercet.files.table import Log, Memory, Roles, Table
from tercet.files.text import STDIN, open_binary, read_lines
from tercet.files.writing import check_different
from tercet.statistics.clusters import Clusters
from tercet.statistics.stats import SegmentStats

_File = str | os.PathLike[str]

#: The slices that go by no column, but by the length of texts; and the label of a cell without one.
LENGTH, NO_LABEL = "length", "(none)"


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
    scores : mapping of str to mapping of str to ndarray of float64
        Numbers that came with the texts: for each column of scores a number per segment by system, NaN where it is
        missing.
    lower_is_better : tuple of str
        Which of these have lower numbers for what is better, as the log says or as their names do, such as ``wer``.
    no_texts : str
        Why there are no texts, which are all empty then; "" where there are some.
    exact_task : str
        Why metrics of texts say little of the task of a log, whose answers are right or wrong as a whole.
    slices : dict of str to list of str
        Labels of the segments, such as their domains, by the column that has them.
    ids : list of str or None
        Names of the segments in a file whose format has such: units of XLIFF, times of subtitles, utterances.
    """

    # pytest would collect a class with this name as tests.
    __test__: ClassVar[bool] = False

    name: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    fields: str = field(default="", repr=False, compare=False, kw_only=True)
    clusters: Clusters | None = field(default=None, repr=False, compare=False, kw_only=True)
    hint: str = field(default="", repr=False, compare=False, kw_only=True)
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True
    )
    lower_is_better: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)
    no_texts: str = field(default="", repr=False, compare=False, kw_only=True)
    exact_task: str = field(default="", repr=False, compare=False, kw_only=True)
    slices: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    ids: list[str] | None = field(default=None, repr=False, compare=False, kw_only=True)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.references)

    @property
    def about(self) -> dict[str, Any]:
        """Further entries about the files in a comparison's JSON."""
        return {}

    def corpus(self) -> Corpus:
        """Return the texts of all systems and the references, checked."""
        texts = read_systems(["predictions"] * len(self.systems), list(self.systems.values()), self.references)
        return texts.checked()


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

    A file is a table by its extension: .tsv .tab .csv .jsonl .ndjson .xlsx .xlsm .parquet .pq .arrow .feather, or
    that of a file of translators, subtitles or transcripts, optionally followed by .gz. Each table is one test set,
    but tables with one system each for the same references are one together, whose systems are named by their columns
    or files. Columns have the roles that their names suggest (:func:`tercet.files.roles.guess_roles`) unless
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
    paths, reference_paths = _listed(files), _listed(references)
    if not paths:
        raise InputError("No file was given; expected tables, or text files of systems.")
    all_paths = paths
    folders = [path for path in all_paths if os.path.isdir(path)]
    paths = [path for path in all_paths if path not in folders]
    # A workbook of an older format, or a folder, would otherwise be read as a text file.
    for path in [*paths, *reference_paths, *_listed(source)]:
        check_no_workbook(path)
        if os.path.isdir(path):
            raise InputError(f"{path!r} cannot be read: it is a folder; expected the files in it.")
    if source is not None and not isinstance(source, str | os.PathLike):
        raise InputError(f"{argument('source')} is the path of one file, got {shorten(source)}.")
    slice_specs = [spec for spec in _listed(by) if spec != LENGTH]
    logs_of_folder = {path: _logs_in(path) for path in folders}
    tables = [path for path in paths if table_format(path)]
    if scores and not tables and not folders:
        raise InputError(f"{argument('scores')} names columns of tables, but {paths[0]!r} is a text file.")
    if not tables and not folders:
        target_columns = _listed(reference_columns)
        # The references of text files may be columns of a table: the data set for which they were written.
        misplaced_columns = [] if any(map(table_format, reference_paths)) else target_columns
        column_names = [*_listed(systems), *misplaced_columns, *_listed(source_column), *_listed(cluster)]
        column_names += slice_specs
        if column_names:
            check_texts(paths)
            raise InputError(
                f"{column_names[0]!r} is the name of a column, but {paths[0]!r} is a text file, judging by its "
                f"extension; tables end in {' '.join(SUFFIXES)}."
            )
        source = None if source is None else os.fspath(source)
        return [
            _text_set(
                paths,
                reference_paths,
                columns=target_columns,
                source=source,
                need_references=need_references,
            )
        ]
    kind = unpacked(os.path.basename(paths[0])).rpartition(".")[2].upper() if paths else ""
    are_memories = all(table_format(path) in MEMORIES for path in paths) and not folders
    if (
        are_memories
        and reference_paths
        and source is None
        and all(table_format(path) in MEMORIES for path in reference_paths)
    ):
        if cluster is not None:
            raise InputError(f"Units of {kind} files have no column {shorten(cluster)} for {argument('cluster')}.")
        if slice_specs:
            raise InputError(f"Units of {kind} files have no column {shorten(slice_specs[0])} for {argument('by')}.")
        return [
            _memory_set(
                paths,
                reference_paths,
                systems=_listed(systems),
                targets=_listed(reference_columns),
                source=source_column,
            )
        ]
    if are_memories and reference_paths:
        joined_by = "source text" if table_format(paths[0]) in TRANSLATIONS else "id or time"
        article = "an" if kind[0] in "MSX" else "a"
        misplaced = next((path for path in reference_paths if table_format(path) not in MEMORIES), source)
        raise InputError(
            f"Systems in {kind} files need references in {article} {kind} file, because they are joined by "
            f"{joined_by}; {str(misplaced)!r} is not one."
            + " Or give one TMX file with the references as one of its languages or authors."
            * (kind == "TMX")
        )
    # The first file says whether all are batches, whose references and sources have files of their own.
    first_table = _table(paths[0]) if not folders and table_format(paths[0]) == "jsonl" else None
    if isinstance(first_table, Answers | Requests):
        logs_of_batches = _logs_of_batches(
            first_table,
            paths,
            reference_paths,
            columns=_listed(reference_columns),
            source_paths=_listed(source),
            source=source_column,
            need_references=need_references,
        )
        sets_of_batches = [*_log_sets(logs_of_batches, _listed(systems), [], None, cluster, slice_specs)]
        return _with_scores(sets_of_batches, _listed(scores))
    text_files = [path for path in paths if not table_format(path)] or [*reference_paths, *_listed(source)]
    if text_files:
        table_in_words = f"{tables[0]!r} is a table" if tables else f"{folders[0]!r} holds logs"
        raise InputError(
            f"{table_in_words}, with references of its own, and {text_files[0]!r} is a separate file. Give tables "
            "alone, with all systems, references (--reference-column) and sources (--source-column) as columns; or "
            "give text files alone, the columns of the table saved as text files too."
        )
    check_different([*folders, *tables], role="a test set")
    test_sets: list[TestSet] = []
    logs: list[Log] = []
    system_columns, target_columns, score_names = _listed(systems), _listed(reference_columns), _listed(scores)
    names = dict(zip(tables, names_of(tables), strict=True))
    for path in all_paths:
        if path in folders:
            logs += logs_of_folder[path]
            continue
        table, first_table = first_table or _table(path), None
        if isinstance(table, Answers | Requests):
            raise InputError(f"{path!r} is of a batch, and {all_paths[0]!r} is not; give batches alone.")
        if isinstance(table, Log):
            logs.append(table)
        else:
            columns = system_columns, target_columns, source_column
            if isinstance(table, Memory):
                table, columns = _complete_memory(table, *columns)
            slices = _slices_of(table, slice_specs)
            test_set = _table_set(
                table,
                path,
                names[path],
                systems=columns[0],
                references=columns[1],
                source=columns[2],
                cluster=cluster,
                need_references=need_references,
                scores=score_names,
                by=slice_specs,
            )
            test_sets.append(replace(_with_clusters(test_set, table, cluster), slices=slices))
    test_sets = _joined_tables(test_sets)
    if logs:
        test_sets += _with_scores(
            [*_log_sets(logs, system_columns, target_columns, source_column, cluster, slice_specs)], score_names
        )
    if not need_texts or all(test_set.no_texts for test_set in test_sets):
        return test_sets
    for test_set in test_sets:
        if test_set.no_texts:
            _warn(f"{test_set.name} is left out: {test_set.no_texts}.")
    return [test_set for test_set in test_sets if not test_set.no_texts]


def _joined_tables(test_sets: list[TestSet]) -> list[TestSet]:
    """Return the test sets; of tables with one system each for the same references and sources, one."""
    alike: dict[Any, list[TestSet]] = {}
    for place, test_set in enumerate(test_sets):
        segments = _identity(test_set)
        alike.setdefault(place if segments is None else segments, []).append(test_set)
    joined_sets: list[TestSet] = []
    _warn_of_near_misses([tables[0] for tables in alike.values() if len(tables) == 1])
    for tables in alike.values():
        if len(tables) == 1:
            joined_sets += tables
            continue
        name, systems = _apart([table.name for table in tables])
        columns = [column for table in tables for column in table.systems]
        systems = columns if len({*columns}) == len(columns) else systems
        first = tables[0]
        shared = "references" if any(first.references) else "sources"
        note = f"{_named(systems)} are read as systems of one test set: the tables have the same {shared}."
        for table in tables:
            if table.slices != first.slices:
                _warn(f"{table.name} has other slices than {first.name}: those of {first.name} are taken.")
        joined_sets.append(
            replace(
                first,
                name=name if name not in {test_set.name for test_set in joined_sets} else ", ".join(systems),
                systems={
                    system: texts
                    for system, table in zip(systems, tables, strict=True)
                    for texts in table.systems.values()
                },
                fields=" ".join([*(table.fields for table in tables), note]),
                scores={
                    score: {
                        system: numbers
                        for system, table in zip(systems, tables, strict=True)
                        for numbers in table.scores[score].values()
                    }
                    for score in first.scores
                },
            )
        )
    return joined_sets


def _identity(test_set: TestSet) -> Any:
    """Return what the tables of one test set share; None for one that stays alone.

    References, or else sources, tell segments apart unless all are the same, such as "yes".
    """
    texts = [*map(tuple, test_set.references)] if any(test_set.references) else test_set.source
    if len(test_set.systems) != 1 or texts is None or (len(texts) > 1 and len({*texts}) == 1):
        return None
    clusters = None if test_set.clusters is None else test_set.clusters.numbers.tobytes()
    return tuple(texts), None if test_set.source is None else tuple(test_set.source), clusters


def _warn_of_near_misses(test_sets: Sequence[TestSet]) -> None:
    """Warn of tables of one system each that have nearly the same references: their systems are not compared."""
    alone = [test_set for test_set in test_sets if len(test_set.systems) == 1 and any(test_set.references)]
    first_of: dict[int, TestSet] = {}
    for test_set in alone:
        first = first_of.setdefault(test_set.n_segments, test_set)
        pairs = list(zip(first.references, test_set.references, strict=True))
        places = [place for place, (one, other) in enumerate(pairs) if one != other]
        if first is test_set or len({*map(tuple, test_set.references)}) == 1:
            continue
        if not places:
            difference = "the same references, but other sources or clusters"
        elif sorted(first.references) == sorted(test_set.references):
            difference = "the same references in another order"
        elif len(places) <= len(pairs) // 2:
            difference = (
                f"different references in {len(places):,} of {len(pairs):,} rows, the first in row {places[0] + 1:,}"
            )
        else:
            continue
        _warn(f"{first.name} and {test_set.name} have {difference}: their systems are not compared.")


def _apart(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return what the names of files share, as the name of a test set, and what tells them apart.

    >>> _apart(["news.base", "news.tuned"]), _apart(["main", "pr"]), _apart(["seed-1", "seed-2"])
    (('news', ['base', 'tuned']), ('test set', ['main', 'pr']), ('test set', ['seed-1', 'seed-2']))
    """
    words = [re.split(r"([._/ -]+)", name) for name in names]
    start = _n_first_equal(words)
    end = _n_first_equal([name_words[start:][::-1] for name_words in words])
    parts = ["".join(name_words[start : len(name_words) - end]) for name_words in words]
    if not all(any(map(str.isalpha, part)) for part in parts) or len({*parts}) < len(parts):
        return "test set", [*names]
    shared = words[0][:start] + words[0][len(words[0]) - end :]
    return "".join(shared).strip("._/ -") or "test set", parts


def _n_first_equal(lists: Sequence[Sequence[str]]) -> int:
    """Return how many first words all lists share."""
    return sum(1 for _ in takewhile(lambda words: len({*words}) == 1, zip(*lists, strict=False)))


def _with_scores(test_sets: list[TestSet], names: Sequence[str]) -> list[TestSet]:
    """Return the test sets that have all of these scores, and warn of the others; all of them if none has."""
    having = [test_set for test_set in test_sets if {*names} <= {*test_set.scores}]
    for test_set in test_sets if having else []:
        missing = [name for name in names if name not in test_set.scores]
        if missing:
            _warn(f"{test_set.name} is left out: it has no scores {shorten(missing[0])}.")
    return having or test_sets


# What is joined first, memories and logs, has a file of its own, which is imported when some are read.


def _logs_in(folder: str) -> list[Log]:
    from tercet.files.joined import read_folder

    return read_folder(folder)


def _logs_of_batches(
    first: Table,
    paths: list[str],
    reference_paths: list[str],
    *,
    columns: list[str],
    source_paths: list[str],
    source: str | None,
    need_references: bool,
) -> list[Log]:
    """Return the answers of batches with the references and sources that have the ids of their requests."""
    for path in [*paths, *reference_paths, *source_paths]:
        if not table_format(path):
            raise InputError(
                f"{path!r} is a text file, whose lines have no ids, and {paths[0]!r} is a batch; expected a table "
                "with the ids of its requests, in a column custom_id or id."
            )
    check_different(paths, reference_paths, role="a batch")
    batches = [first, *map(_table, paths[1:])]
    answers = [table for table in batches if isinstance(table, Answers)]
    requests = [table for table in batches if isinstance(table, Requests)]
    for table in batches:
        if not isinstance(table, Answers | Requests):
            raise InputError(
                f"{table.name!r} is neither the output nor the input of a batch, and {paths[0]!r} is; give batches "
                f"alone, and their references as such ({argument('references')})."
            )
    if not answers:
        raise InputError(f"{paths[0]!r} is the input of a batch; expected its output, with the answers.")
    if need_references and not reference_paths:
        raise InputError(
            f"{answers[0].name} holds answers alone; expected references in a table with their custom_id or id "
            f"({argument('references')})."
        )
    references, sources = [*map(_table, reference_paths)], [*requests, *map(_table, source_paths)]
    return with_references(answers, references, sources, columns=columns, source=source)


def _log_sets(
    logs: list[Log],
    systems: list[str],
    references: list[str],
    source: str | None,
    cluster: str | None,
    by: list[str],
) -> Iterator[TestSet]:
    """Yield a test set for each task that logs are of."""
    from tercet.files.joined import join_logs

    for runs in join_logs(logs, systems, references, source, cluster):
        slices = _slices_of(runs.first, by, runs.order)
        yield replace(_log_set(runs), slices=slices)


def _slices_of(table: Table, by: Sequence[str], order: Sequence[int] | None = None) -> dict[str, list[str]]:
    """Return the labels of the rows in the columns that slices go by; `order` has the row of each segment."""
    slices = {}
    for spec in by:
        name, _ = column_and_pattern(spec, table.columns)
        cells = table.column(name)
        rows = range(len(cells)) if order is None else order
        slices[name] = slice_labels([cells[row] for row in rows], partial(_place_of, table, name, rows))
    return slices


def _place_of(table: Table, column: str, rows: Sequence[int], segment: int) -> str:
    return table.place(rows[segment], column)


def column_and_pattern(spec: str, columns: Collection[str]) -> tuple[str, str | None]:
    """Return the column that slices go by, and the regular expression behind it, as ``id~^([a-z]+)`` has one."""
    name, tilde, pattern = spec.partition("~")
    if spec in columns or not tilde:
        return spec, None
    try:
        re.compile(pattern)
    except re.error as error:
        raise OptionError(f"{shorten(pattern)} of {argument('by')} is no regular expression: {error}.") from None
    return name, pattern


def slice_labels(cells: Sequence[Any], place: Callable[[int], str]) -> list[str]:
    """Return the cells of a column as labels of segments; InputError says the place of one that is no label."""
    labels = []
    for row, cell in enumerate(cells):
        # 2**512 is far above any label, and far below what Python refuses to write.
        is_huge = isinstance(cell, int) and abs(cell) >= 1 << 512
        is_missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
        if is_huge or not (is_missing or isinstance(cell, str | int | float)):
            raise InputError(f"{place(row)}: expected a text or a number, the name of a slice, got {shorten(cell)}.")
        label = "" if is_missing else str(cell).strip()
        labels.append(label.encode("utf-8", "backslashreplace").decode() or NO_LABEL)
    return labels


def _memory_set(
    paths: list[str], reference_paths: list[str], systems: list[str], targets: list[str], source: str | None
) -> TestSet:
    """Join a translation memory for each system with those of the references."""
    if systems or len(targets) > 1:
        raise InputError(
            f"{paths[0]!r} is a system and {reference_paths[0]!r} holds references: name at most one language of the "
            f"references ({argument('reference_columns')}), and none of a system."
        )
    from tercet.files.joined import join_memories

    check_different(paths, reference_paths)
    memories = dict(zip(names_of(paths), paths, strict=True))
    joined = join_memories(memories, reference_paths, targets[0] if targets else None, source)
    name = names_of([reference_paths[0]])[0]
    return TestSet(name, joined.systems, joined.references, joined.source, ids=joined.ids)


def _complete_memory(
    memory: Memory, systems: list[str], references: list[str], source: str | None
) -> tuple[Memory, tuple[list[str], list[str], str | None]]:
    """Return the units of a file that have all texts, and its columns by role."""
    from tercet.files.joined import columns_of, complete

    columns = columns_of(memory, systems, references, source)
    return complete(memory, [*columns[0], *columns[1]]), columns


def _table_set(
    table: Table,
    path: str,
    name: str,
    *,
    systems: list[str],
    references: list[str],
    source: str | None,
    cluster: str | None,
    need_references: bool,
    scores: list[str],
    by: list[str],
) -> TestSet:
    """Return the texts of a table; columns that are not named have the role that their name suggests."""
    format = table_format(path)
    guessed = without_scores(table, scores)
    columns_of_scores = [column for column in table.columns if column not in guessed.columns]
    slice_columns = [column_and_pattern(spec, table.columns)[0] for spec in by]
    # What labels segments is no output and no reference, unless its name says so.
    labelling = {name for name in slice_columns if role_of(name) != "source" and not clear_role(name)}
    labelling -= {*systems, *references, source}
    guessed = replace(
        guessed, columns={name: cells for name, cells in guessed.columns.items() if name not in labelling}
    )
    roles = guess_roles(guessed, [column for column in references if column in table.columns])
    if scores and not need_references and not any(column in table.columns for column in systems or roles.systems):
        return _scores_alone(table, name, systems, scores, [*guessed.columns], cluster)
    ids = None
    if isinstance(table, Memory):
        # The columns are languages, whose codes suggest no role.
        roles, ids = Roles(None, (), ()), table.labels.get("id")
    _check_columns(table, systems, references, source)
    are_guessed = not systems
    source = source or roles.source
    references = references or [column for column in roles.references if column not in {*systems, source}]
    systems = systems or [column for column in roles.systems if column not in {*references, source}]
    _check_roles(table, format, systems, references, need_references)
    # Who names the systems leaves the other columns out on purpose.
    if are_guessed:
        _warn_left_out(table, roles)
        columns_with_role = {*roles.systems, *roles.left_out, *roles.references, *references, roles.source, source}
        columns_with_role |= labelling
        _warn_unused(table, [column for column in table.columns if column not in columns_with_role])
    reference_lists = items(table, systems[0], references)[1]
    texts = {column: items(table, column, [])[0] for column in systems}
    _warn_swapped(table.name, systems, references, source)
    fields = _columns_in_words(table, systems, references, source, cluster, columns_of_scores, slice_columns)
    sources = None if source is None else _sources(table, source)
    numbers = {score: score_columns(table, systems, score) for score in scores}
    lower = tuple(filter(is_lower_better, scores))
    return TestSet(
        name, texts, reference_lists, sources, fields=fields, scores=numbers, lower_is_better=lower, ids=ids
    )


def without_texts(name: str, systems: Iterable[str], n_segments: int) -> TestSet:
    """Return a test set that has no texts, but scores."""
    texts = {system: [""] * n_segments for system in systems}
    return TestSet(name, texts, [[] for _ in range(n_segments)], None, no_texts="it has only scores")


def _scores_alone(
    table: Table, name: str, systems: list[str], scores: list[str], other_columns: list[str], cluster: str | None
) -> TestSet:
    """Return the scores in a table that has no texts of systems; its other columns are left out."""
    systems = systems or systems_of(table, scores[0])
    if not systems:
        hint = ", or texts of a system beside it."
        if scores[0] not in table.columns:
            hint = f". {did_you_mean(scores[0], table.columns)}"
        raise InputError(
            f"{table.name} has no scores {shorten(scores[0])} of a system; expected columns such as "
            f"{f'base.{scores[0]}'!r} or {f'{scores[0]}_base'!r}{hint}"
        )
    numbers = {score: score_columns(table, systems, score) for score in scores}
    left_out = [column for column in other_columns if column not in {*systems, cluster}]
    fields = f"{table.name}: no texts; scores of {_named(systems)}: {_named(scores)}"
    fields += f"; left out: {_named(left_out)}." if left_out else "."
    alone = without_texts(name, systems, len(table.lines))
    return replace(alone, fields=fields, scores=numbers, lower_is_better=tuple(filter(is_lower_better, scores)))


def _log_set(runs: Runs) -> TestSet:
    """Return the runs of a task, with the scores of their logs."""
    scores = {
        name: {system: np.array(numbers) for system, numbers in by_system.items()}
        for name, by_system in runs.scores.items()
    }
    directions = runs.first.higher_is_better
    return TestSet(
        runs.task,
        runs.systems,
        runs.references,
        runs.source,
        fields=runs.fields,
        clusters=None if runs.cluster is None else Clusters.of(runs.labels, len(runs.references), runs.cluster),
        scores=scores,
        lower_is_better=tuple(name for name in scores if not directions.get(name, not is_lower_better(name))),
        no_texts=runs.no_texts
        and f"{runs.no_texts}; compare its scores: {argument_set('scores', next(iter(scores)))}",
        exact_task=_exact_task(runs.first),
    )


def _with_clusters(test_set: TestSet, table: Table, column: str | None) -> TestSet:
    """Return the test set of a table with the clusters of a column; without one, name a column of documents."""
    if column is not None:
        return replace(test_set, clusters=_clusters_of(table, column))
    _warn_repeated_ids(table)
    column_of_documents = document_column(table)
    if column_of_documents is None:
        return test_set
    n_documents = len(set(table.columns[column_of_documents]))
    hint = (
        f"{table.name}: {shorten(column_of_documents)} names {n_documents:,} documents of {len(table.lines):,} "
        "segments. Segments of a document are not independent: "
        f"{argument_set('cluster', column_of_documents)} resamples documents."
    )
    return replace(test_set, hint=hint)


def _clusters_of(table: Table, column: str) -> Clusters:
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
    all_paths = [*paths, *reference_paths, *_listed(source)]
    for path in all_paths[len(paths) :]:
        if table_format(path) in MEMORIES or (table_format(path) and path == source):
            raise InputError(
                f"{path!r} is a table, and {paths[0]!r} is a text file; expected sources as a text file too, a "
                "segment per line, and references as such or in a column; or all texts in columns of one table."
            )
    if all_paths.count(STDIN) > 1:
        raise InputError("Standard input (-) can be read only once; give files for the others.")
    # The test set is called as this file, and all others have as many lines.
    first_path = [*reference_paths, *paths][0]
    tables = {path: _references(path, columns) for path in reference_paths if table_format(path)}
    lines = {path: read_lines(path) for path in all_paths if path not in tables}
    n_lines = {path: len(tables[path] if path in tables else lines[path]) for path in all_paths}
    if not n_lines[first_path]:
        raise InputError(
            f"{first_path!r} is empty; expected a {'reference' if reference_paths else 'text'} per line."
        )
    for path in all_paths:
        if n_lines[path] != n_lines[first_path]:
            unit = f"{'row' if path in tables else 'line'}{'s' * (n_lines[path] != 1)}"
            raise InputError(
                f"{path!r} has {n_lines[path]} {unit} and {first_path!r} has {n_lines[first_path]}; expected a line "
                "per segment in each."
            )
    check_different(paths, reference_paths)
    systems = {name: lines[path] for path, name in zip(paths, names_of(paths), strict=True)}
    # Folders say nothing of a file's role.
    _warn_swapped(
        names_of([first_path])[0],
        [os.path.basename(path) for path in paths],
        [os.path.basename(path) for path in reference_paths],
        None if source is None else os.path.basename(source),
    )
    reference_lists = [
        tables[path] if path in tables else [[line] for line in lines[path]] for path in reference_paths
    ]
    references = [
        [text for file_references in reference_lists for text in file_references[row]]
        for row in range(n_lines[first_path])
    ]
    _warn_of_utterance_ids(paths[0], lines[paths[0]], references)
    return TestSet(names_of([first_path])[0], systems, references, None if source is None else lines[source])


def _warn_of_utterance_ids(path: str, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Warn where each line begins with an id that its references begin with, too: it is no word to be scored."""
    first_words = [line.partition(" ")[0] for line in predictions]
    if len({*first_words}) < len(first_words) or len(first_words) == 1 or not all(references):
        return
    if all(
        re.search(r"\d", word) and all(text.partition(" ")[0] == word for text in texts)
        for word, texts in zip(first_words, references, strict=True)
    ):
        _warn(
            f"{path}: every line begins with what looks like an utterance's id, {shorten(first_words[0])}, and so "
            "do the references: it counts as a word that matches. Files called 'text', as Kaldi's, are joined by ids."
        )


def _references(path: str, columns: list[str]) -> list[list[str]]:
    table = _table(path)
    columns = columns or list(guess_roles(table).references)
    _check_roles(table, table_format(path), [""], columns, need_references=True)
    return references_in(table, columns)


def _listed(value: _File | Sequence[_File] | None) -> list[str]:
    """Return the names or paths that were given, one or several, as strings."""
    # Bytes are one entry, which is refused below: they would otherwise be a list of numbers.
    entries: list[Any]
    if value is None:
        entries = []
    elif isinstance(value, str | bytes | os.PathLike) or not isinstance(value, Iterable):
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


# What was taken as systems, references and sources, in words; and warnings of what may be something else.

#: The most columns that a message names.
MOST_NAMED = 20

_ROLES = {"system": "a system", "reference": "references", "source": "the source"}

# Words in the names of scores of answers that are right or wrong as a whole, and of scores of texts.
_EXACT = frozenset({"exact", "em", "acc", "accuracy", "match", "includes", "choice", "pass", "correct", "pattern"})
_OF_TEXTS = frozenset({"bleu", "chrf", "ter", "rouge", "rougel", "bertscore", "bert", "meteor", "comet", "bleurt"})


def _columns_in_words(
    table: Table,
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None,
    cluster: str | None,
    scores: Sequence[str],
    slices: Sequence[str],
) -> str:
    """Return which columns have which role, and which are left out."""
    columns_with_role = {*systems, *references, source, cluster, *scores, *slices}
    roles = {
        "systems" if len(systems) > 1 else "system": systems,
        "references": references,
        "sources": [] if source is None else [source],
        "clusters": [] if cluster is None else [cluster],
        "scores": scores,
        "slices": list(dict.fromkeys(slices)),
        "left out": [column for column in table.columns if column not in columns_with_role],
    }
    parts = [f"{role}: {_named(columns)}" for role, columns in roles.items() if columns]
    return f"{table.name}: {'; '.join(parts)}."


def _warn_unused(table: Table, columns: Sequence[str]) -> None:
    """Warn of columns that hold texts, mostly of several words, and are not used."""
    texts = {column: [cell for cell in table.columns[column] if isinstance(cell, str)] for column in columns}
    unused = [name for name, cells in texts.items() if 2 * sum(len(text.split()) > 1 for text in cells) > len(cells)]
    if unused:
        _warn(
            f"{table.name}: these text columns are not recognized by name and not used: {_named(unused)}. If they "
            f"are systems, name every system: {argument('systems')}."
        )


def _warn_left_out(table: Table, roles: Roles) -> None:
    """Warn of columns of texts that are not taken as systems because of what they hold."""
    for reason in dict.fromkeys(roles.left_out.values()):
        columns = [column for column, column_reason in roles.left_out.items() if column_reason == reason]
        # Codes and numbers are no texts that anyone would miss.
        if reason == CODES:
            continue
        subject, pronoun, predicate = "it is", "it", reason
        if len(columns) > 1:
            subject, pronoun = "they are", "them"
            predicate = reason.replace("shares", "share").replace("has", "have")
        _warn(
            f"{table.name}: the column{'s' * (len(columns) > 1)} {_named(columns)} {predicate}, "
            f"unlike {_named(roles.systems)}: {subject} not taken as a system. To take {pronoun}, name every system: "
            f"{argument('systems')}."
        )


def _warn_swapped(name: str, systems: Sequence[str], references: Sequence[str], source: str | None) -> None:
    """Warn of systems, references and a source whose names say that they are something else.

    One reference may be scored against others: where these are called so, a system may be called a reference too.
    """
    allowed = {"", "system"}
    if any(clear_role(column) == "reference" for column in references):
        allowed.add("reference")
    suspects = [(column, "system") for column in systems if clear_role(column) not in allowed]
    suspects += [(column, "reference") for column in references if clear_role(column) not in ("", "reference")]
    if source is not None and clear_role(source) not in ("", "source"):
        suspects.append((source, "source"))
    for column, role in suspects:
        _warn(
            f"{name}: {shorten(column)} is taken as {_ROLES[role]}, but its name says "
            f"{_ROLES[clear_role(column)]}: were the two swapped?"
        )


def _exact_task(log: Log) -> str:
    """Return why metrics of texts say little of a task whose answers are right or wrong as a whole; else ""."""
    words = frozenset().union(*map(_words, log.scores))
    if not words & _EXACT or words & _OF_TEXTS:
        return ""
    return (
        f"{log.task}: this task is scored by {', '.join(log.scores)}, in the log of {log.harness}: whether an "
        "answer is right as a whole. Metrics of texts compare the words of whole responses with those of the "
        "right answer, and say little of it."
    )


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall("[a-z]+", name.lower()))


def _named(columns: Sequence[str]) -> str:
    further = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return f"{', '.join(map(repr, columns[:MOST_NAMED]))}{further}"


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=level_of_caller())


# Names of files -> names of systems and test sets.


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each file, as short as possible while unique."""
    # From the shortest name to the longest: each is for files whose shorter names are equal.
    namings: tuple[Callable[[str], str], ...] = (
        _without_ends,
        lambda path: f"{Path(path).absolute().parent.name}/{_without_ends(path)}",
        str,
    )
    names = [""] * len(paths)
    unnamed = list(range(len(paths)))
    for naming in namings:
        for index in unnamed:
            names[index] = naming(paths[index])
        counts = Counter(names)
        unnamed = [index for index in unnamed if counts[names[index]] > 1]
    if unnamed:
        raise InputError(f"The file {paths[unnamed[0]]!r} is given twice.")
    # Bytes that are not UTF-8 are shown as \xff: a table, JSON or a page could not be written with them.
    return [name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names]


def _without_ends(path: str) -> str:
    """Return the name of a file without its folder and extension."""
    if path == STDIN:
        return "stdin"
    name = Path(unpacked(path)).name
    stem, _, end = name.rpartition(".")
    # The end of "gpt-4.1" is no extension: those have letters only.
    return stem if stem and end.isalpha() else name


# Checks that fail before scoring starts, in the words of the command line.

#: The alternative for translation memories.
_JOINED = " Or give a {} for each system, and one with the references ({})."


def _check_columns(table: Table, systems: list[str], references: list[str], source: str | None) -> None:
    """Raise an InputError for a column that is not there, or is named twice or in two roles."""
    for column in [*systems, *references, *([] if source is None else [source])]:
        table.column(column)
    for role, columns in (("a system", systems), ("references", references)):
        repeated = [column for column, times in Counter(columns).items() if times > 1]
        if repeated:
            raise InputError(f"{table.name}: the column {repeated[0]!r} is named twice as {role}; name it once.")
    in_two_roles = [column for column in systems if column in references]
    if in_two_roles:
        raise InputError(f"{table.name}: the column {in_two_roles[0]!r} is named both as a system and as references.")


def check_texts(paths: Sequence[str]) -> None:
    """Raise an InputError for a file that is no text: what it is explains more than its extension."""
    for path in paths:
        if path != STDIN:
            read_lines(path)


def _check_roles(table: Table, format: str, systems: list[str], references: list[str], need_references: bool) -> None:
    """Raise an InputError for a table without a column of a system, or of references."""
    missing = [
        f"{role} (choose with {option})"
        for role, option, columns in (
            ("predictions of a system", argument("systems"), systems),
            ("references", argument("reference_columns"), references),
        )
        if not columns and (need_references or role != "references")
    ]
    if missing:
        kind = "language" if format in TRANSLATIONS else "column"
        file = "TMX file" if format == "tmx" else "file"
        problem, quoted = f"no {kind}", list(map(repr, table.columns))
        # A column that is called as a system, but has other cells than texts, is what the user looks for.
        lookalikes = [repr(name) for name in table.columns if role_of(name) == "system"][:MOST_NAMED]
        if lookalikes and kind == "column" and not systems:
            problem += f" ({', '.join(lookalikes)} {'are' if len(lookalikes) > 1 else 'is'} not all text)"
        further = f" and {len(quoted) - MOST_NAMED} more" if len(quoted) > MOST_NAMED else ""
        raise InputError(
            f"{table.name}: {problem} was recognized as {', or '.join(missing)}; "
            f"there {'is the' if len(quoted) == 1 else 'are the'} {kind}{'s' * (len(quoted) > 1)} "
            f"{', '.join(quoted[:MOST_NAMED])}{further}."
            f"{_JOINED.format(file, argument('references')) if format in MEMORIES else ''}"
        )


def _warn_repeated_ids(table: Table) -> None:
    """Warn of the first id in several rows: a copied segment counts twice."""
    for column in table.columns:
        if column.strip().lower() != "id":
            continue
        rows: dict[str, list[int]] = {}
        for line, cell in zip(table.lines, table.columns[column], strict=True):
            if cell is not None and str(cell).strip():
                rows.setdefault(str(cell), []).append(line)
        repeated = [(cell, lines) for cell, lines in rows.items() if len(lines) > 1]
        if repeated:
            cell, lines = repeated[0]
            n_others = len(repeated) - 1
            further = f"; {n_others:,} more {'id is' if n_others == 1 else 'ids are'} repeated" if n_others else ""
            warnings.warn(
                f"{table.name}: the id {shorten(cell)} occurs {len(lines):,} times, first on lines {lines[0]:,} "
                f"and {lines[1]:,}{further}. Each row is scored as a separate segment; "
                f"{argument_set('cluster', column)} resamples those of an id together.",
                UserWarning,
                stacklevel=4,
            )


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is not a system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise OptionError(f"There is no system {shorten(baseline)} to use as the baseline. {hint}")


def check_segment(test_set: TestSet, segment: int) -> None:
    """Raise an InputError for the number of a segment, from 1, that a test set does not have."""
    n_segments = test_set.n_segments
    if not 1 <= segment <= n_segments:
        raise InputError(
            f"{test_set.name} has no segment {segment:,}: its segments are numbered 1 to {n_segments:,}."
        )


def check_references(name: str, references: Sequence[Sequence[str]], metric: Metric, how: str) -> None:
    """Raise an InputError for the first segment without a reference, unless the options allow it.

    `how` precedes ``missing_references=skip`` on a command line.
    """
    if metric.missing_references != "error":
        return
    missing = [number for number, texts in enumerate(references, 1) if not texts]
    if missing:
        further = f" (nor do {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(
            f"{name}, segment {missing[0]} has no reference{further}; {how}missing_references=skip leaves such "
            "segments out."
        )


# Non-fatal problems in a test set.


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Record the warnings of a block, each once, and raise them after it."""
    sentences: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield sentences
    finally:
        sentences += dict.fromkeys(
            str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)
        )
        # Of warnings with the same message, only the last is raised.
        for warning in {str(warning.message): warning for warning in caught}.values():
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, source=warning.source
            )


def warn_of(test_set: TestSet) -> None:
    """Warn of problems in a test set."""
    for warning in test_set_warnings(test_set):
        warnings.warn(warning, UserWarning, stacklevel=2)


def check_has_texts(test_set: TestSet, reader: str) -> None:
    """Raise an InputError for a test set without the texts that are read; warn where they say little of its task."""
    if test_set.no_texts:
        raise InputError(f"{test_set.name} has no texts for {reader}: {test_set.no_texts}.")
    if test_set.exact_task:
        _warn(test_set.exact_task)


def warn_of_scores(test_set: TestSet, system: str, metric: Metric, stats: SegmentStats) -> None:
    """Raise the warnings that the metric gives for a system's texts."""
    warning = metric.score_warning(stats.total())
    if warning is not None:
        message = f"{test_set.name}: the system {shorten(system)}: {metric.name}: {warning}"
        warnings.warn(message, UserWarning, stacklevel=3)


def warn_of_gaps(test_set: TestSet, metric: Metric, stats: Sequence[SegmentStats]) -> None:
    """Warn of segments that were scored for some systems only: a comparison leaves them out for all."""
    scored = np.array([system_stats.column("items") > 0 for system_stats in stats])
    n_gaps = int((scored.any(axis=0) & ~scored.all(axis=0)).sum())
    if n_gaps:
        segments, verb = (f"{n_gaps:,} segments are", "are") if n_gaps > 1 else ("1 segment is", "is")
        gaps = f"{segments} not scored for every system, and {verb} left out for all of them."
        warnings.warn(f"{test_set.name}: {metric.name}: {gaps}", UserWarning, stacklevel=3)


def warn_of_artefacts(test_set: TestSet, corpus: Corpus, metrics: Iterable[Metric]) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings.

    What the metrics' ``normalize`` mends is no artefact.
    """
    messages: list[str] = []
    scored: list[Corpus] = []
    for metric in metrics:
        if metric.takes_references and (texts := metric.as_scored(corpus)) not in scored:
            scored.append(texts)
            messages += [message for message in _artefact_warnings(test_set, texts) if message not in messages]
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=3)
    return messages


def _artefact_warnings(test_set: TestSet, corpus: Corpus) -> list[str]:
    """Return the warnings of what the systems or the references alone have, of texts that no reader sees as such."""
    # Segments count from 1. Where there are no artefacts, the list of them is empty.
    artefacts = dict(zip(test_set.systems, artefacts_of(corpus.numbered(1)), strict=False))
    # The numbered corpus was marked as searched; this one goes to the metrics, which would warn again.
    corpus.searched = True
    messages = []
    for name in dict.fromkeys(name for system_artefacts in artefacts.values() for name in system_artefacts.names()):
        sides = {system: system_artefacts.alone(name) for system, system_artefacts in artefacts.items()}
        for system in (system for system, side in sides.items() if side == "predictions"):
            system_artefacts = artefacts[system]
            contrast = none_or_some(
                "no reference has", "the references have", system_artefacts.references.get(name, Items())
            )
            subject = f"the system {shorten(system)} has"
            messages.append(
                system_artefacts.message(name, system_artefacts.predictions[name], subject, contrast, "segment")
            )
        lacking = [system for system, side in sides.items() if side == "references"]
        if lacking:
            messages.append(_of_references(name, artefacts, lacking))
    tokens = token_list_warning(corpus)
    return [f"{test_set.name}: {message}" for message in [*messages, *([tokens] if tokens else [])]]


def _of_references(name: str, artefacts: dict[str, Artefacts], lacking: list[str]) -> str:
    """Return the warning of what the references have, and some systems lack."""
    commonest = max(
        (artefacts[system].predictions.get(name, Items()) for system in lacking), key=lambda items: items.number
    )
    first_artefacts = artefacts[lacking[0]]
    if len(lacking) == len(artefacts):
        contrast = f"which no system has{f' in more than {commonest.number:,}' if commonest.number else ''}"
    else:
        names = ", ".join(map(shorten, lacking))
        systems = f"the system {names} has" if len(lacking) == 1 else f"the systems {names} have"
        contrast = f"which {systems} in {f'{commonest.number:,} at most' if commonest.number else 'none'}"
    return first_artefacts.message(name, first_artefacts.references[name], "the references have", contrast, "segment")


def too_little(
    test: str | None, n_resamples: int | None, n_units: int, unit: str, n_systems: int, alpha: float
) -> str | None:
    """Return why no difference could be significant, however large; None if one could.

    Of the 2ⁿ permutations of n segments, two (none and all exchanged) differ by as much as the systems do. The
    observed difference counts as one of the resamples, of which an exact test has none (None). Holm multiplies the
    least p by the number of pairs.
    """
    if test is None:
        return None
    n_pairs = n_systems * (n_systems - 1) // 2
    adjusted = f", adjusted for {n_pairs} pairs of systems" if n_pairs > 1 else ""
    least_by_units = 2.0 ** (1 - n_units) if test == "permutation" else 0.0
    bounds = [(least_by_units, f"{n_units:,} {unit}")]
    bounds += [] if n_resamples is None else [(1 / (n_resamples + 1), f"{n_resamples:,} resample")]
    for least_p, cause in bounds:
        if n_pairs * least_p >= alpha:
            plural = "" if cause.startswith("1 ") else "s"
            p = f"{min(1, n_pairs * least_p):.3g}"
            # Chance decides how often these two permutations are drawn.
            bound = "always 1" if p == "1" else f"about {p} or more" if least_p == least_by_units else f"at least {p}"
            return (
                f"No difference can be significant here: with {cause}{plural}{adjusted}, p is {bound}. "
                f"More {cause.split()[-1]}s would help."
            )
    return None


def test_set_warnings(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts and odd references."""
    if test_set.no_texts:
        return []
    messages = []
    for system, texts in test_set.systems.items():
        empty = [number for number, text in enumerate(texts, 1) if not text.strip()]
        if empty:
            texts_in_words = f"{len(empty):,} empty text{'s' * (len(empty) > 1)}, the first in segment {empty[0]:,}"
            # Without references nothing is matched, as by metrics of predictions alone.
            effect = ": nothing matches there" if any(test_set.references) else ""
            messages.append(f"{test_set.name}: the system {shorten(system)} has {texts_in_words}{effect}.")
    return messages + same_systems(test_set) + odd_references(test_set)


def same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    if test_set.no_texts:
        return []
    by_texts: dict[tuple[str, ...], list[str]] = {}
    for system, texts in test_set.systems.items():
        by_texts.setdefault(tuple(texts), []).append(shorten(system))
    return [
        f"{test_set.name}: the systems {', '.join(names[:-1])} and {names[-1]} have the same texts."
        for names in by_texts.values()
        if len(names) > 1
    ]


def odd_references(test_set: TestSet) -> list[str]:
    """Return warnings of empty references, and of a system that repeats them."""
    messages = []
    empty = [
        number
        for number, references in enumerate(test_set.references, 1)
        if references and not any(map(str.strip, references))
    ]
    if empty:
        ending = "s have" if len(empty) > 1 else " has"
        messages.append(
            f"{test_set.name}: {len(empty):,} segment{ending} only empty references, the first is segment "
            f"{empty[0]:,}: nothing matches there."
        )
    for system, texts in test_set.systems.items():
        if any(map(str.strip, texts)) and all(map(operator.contains, test_set.references, texts)):
            messages.append(
                f"{test_set.name}: the system {shorten(system)} is identical to a reference in every segment: is it "
                "a copy of the references?"
            )
    return messages + _copied_sources(test_set)


def _copied_sources(test_set: TestSet) -> list[str]:
    """Return warnings of references, and of systems, that are the sources in every segment."""
    source = test_set.source
    if source is None or not any(map(str.strip, source)):
        return []
    messages = []
    repeats = [
        references
        for references, text in zip(test_set.references, source, strict=True)
        if references and {*references} == {text}
    ]
    if repeats and len(repeats) == sum(map(bool, test_set.references)):
        messages.append(
            f"{test_set.name}: the references are identical to the source in every segment: is one of them given in "
            "the place of the other?"
        )
    messages += [
        f"{test_set.name}: the system {shorten(system)} is identical to the source in every segment: are its texts "
        "copies of the source?"
        for system, texts in test_set.systems.items()
        if texts == source
    ]
    return messages
