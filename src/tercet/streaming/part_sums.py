"""The sums of a part of a corpus: what a worker reads, sums, writes of the items' scores, and returns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from secrets import token_hex
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq

from tercet.base.metric import Metric
from tercet.base.scoring import segment_lists
from tercet.corpus.artefacts import Artefacts
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, MergeError, TercetError, first_line
from tercet.statistics.stats import SegmentStats

from .columns import TextColumns, read_ids
from .input_parts import BadFileError, FilePart, file_system_of, tables_of
from .rows import artefacts_of_one
from .sums import Sums, sums_of


@dataclass(slots=True)
class PartSums:
    """The sums of parts of a corpus for each job, and why files were skipped; parts may arrive twice.

    `artefacts` are those of each column of predictions. `parts` are the names of the parts that have one.
    """

    sums: dict[int, Sums] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)
    artefacts: dict[str, Artefacts] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)

    def add(self, other: PartSums) -> PartSums:
        """Add other parts, once, and return these sums; a MergeError if only some of them were added before."""
        common = other.parts & self.parts
        if other.parts and common == other.parts:
            return self
        if common:
            raise MergeError(
                f"The part {min(common)} was counted twice, once together with others. Please try again."
            )
        self.parts |= other.parts
        add_up(self.sums, other.sums)
        self.bad |= other.bad
        add_up(self.artefacts, other.artefacts)
        return self


def add_up(totals: dict[Any, Any], additions: Mapping[Any, Any]) -> None:
    """Add sums, contexts or artefacts to those of their job or column."""
    for key, value in additions.items():
        if key in totals:
            totals[key] = totals[key] + value
        else:
            totals[key] = value


@dataclass(frozen=True, slots=True)
class ColumnJob:
    """A metric and the column of a system, with the context of the corpus if the metric needs it.

    `labels` are the names of the scores in the files of items' scores.
    """

    metric: Metric
    prediction: str
    labels: Mapping[str, str]
    context: Any = None


@dataclass(frozen=True, slots=True)
class Work:
    """The jobs on the columns of each part; scores of items go to `segments_folder`, if any."""

    jobs: tuple[ColumnJob, ...]
    references: tuple[str, ...]
    id: str | None
    segments_folder: str | None
    skip_bad: bool
    cluster: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        columns = [job.prediction for job in self.jobs]
        columns += self.references
        if self.id is not None:
            columns.append(self.id)
        if self.cluster is not None:
            columns.append(self.cluster)
        return list(dict.fromkeys(columns))

    def sum_part(self, part: FilePart) -> PartSums:
        """Return the sums of a part of a file; errors name the file."""
        rows = _PartBeingSummed(self, part)
        try:
            for table in self._tables(part):
                with named_errors(part.path):
                    rows.add(table)
        except InputError as error:
            if not self.skip_bad:
                raise
            return PartSums(bad={str(error)})
        rows.write(f"part-{part.number:06}")
        return replace(rows.summed, parts={part.name})

    def sum_table(self, table: Any) -> PartSums:
        """Return the sums of a table; one that comes twice, with the same ids and sums, counts once."""
        rows = _PartBeingSummed(self)
        rows.add(table)
        if self.id is None:
            return rows.summed
        digest = sha256()
        for sums in rows.summed.sums.values():
            digest.update(str(sums.signature).encode() + sums.exact.digits.tobytes())
        # A block of a dataset has no number by which it is known when it comes again: its sums name it.
        name = digest.hexdigest()[:16]
        rows.write(f"part-{name}")
        return replace(rows.summed, parts={f"block {name}"})

    def _tables(self, part: FilePart) -> Iterator[Any]:
        """Yield the rows of a part; a BadFileError also for columns that do not hold text."""
        for table in tables_of(part, self.columns):
            for job in self.jobs:
                try:
                    self._columns_of(job).check_types(table.schema)
                except InputError as error:
                    raise BadFileError(f"{part.path} cannot be read. {error}") from None
            yield table

    def fit_part(self, part: FilePart) -> dict[int, Any]:
        """Return the result of :meth:`fit` for a part of a file; empty if the file is skipped."""
        try:
            with named_errors(part.path):
                return self.fit(self._tables(part), part.first_row)
        except InputError:
            if not self.skip_bad:
                raise
            return {}

    def fit(self, tables: Iterable[Any], first_row: int = 0) -> dict[int, Any]:
        """Return the contexts, from a part of the corpus, of metrics that need the whole corpus, by job."""
        contexts: dict[int, Any] = {}
        for table in tables:
            for number, job in enumerate(self.jobs):
                if job.metric.needs_corpus:
                    corpus = self.corpus_of(job, table, first_row)
                    add_up(contexts, {number: job.metric.fit(corpus.part(0, corpus.n_items))})
            first_row += table.num_rows
        return contexts

    def fitted(self, contexts: Mapping[int, Any]) -> Work:
        """Return the work with the contexts of the whole corpus."""
        jobs = tuple(replace(job, context=contexts.get(number)) for number, job in enumerate(self.jobs))
        return replace(self, jobs=jobs)

    def corpus_of(self, job: ColumnJob, table: Any, first_row: int) -> Corpus:
        """Return the texts that a job scores; `first_row` is the number of the table's first row."""
        texts = self._columns_of(job).texts(table, first_row)
        return job.metric.as_scored(job.metric.corpus(*texts).numbered(first_row))

    def _columns_of(self, job: ColumnJob) -> TextColumns:
        return TextColumns(job.prediction, self.references, self.id)


@dataclass(slots=True)
class _PartBeingSummed:
    """A part that is being summed, with the scores of its items on request."""

    work: Work
    part: FilePart | None = None
    summed: PartSums = field(default_factory=PartSums)
    scores: list[Any] = field(default_factory=list)
    n_rows: int = 0

    def add(self, table: Any) -> None:
        """Sum further rows."""
        scores: dict[str, Any] = {}
        summed = PartSums()
        first_row = self._next_row
        ids = None if self.work.id is None else read_ids(table[self.work.id], first_row)
        clusters = None if self.work.cluster is None else read_ids(table[self.work.cluster], first_row)
        for number, job in enumerate(self.work.jobs):
            corpus = self.work.corpus_of(job, table, first_row)
            # Kept only for the scores of the items.
            piece_stats: list[SegmentStats] = []
            on_rows = None if self.work.segments_folder is None else piece_stats.append
            summed.sums[number] = sums_of(
                job.metric, corpus, ids=ids, context=job.context, on_rows=on_rows, clusters=clusters
            )
            if job.metric.takes_references and job.prediction not in summed.artefacts:
                summed.artefacts[job.prediction] = artefacts_of_one(corpus)
            if piece_stats:
                lists = segment_lists(job.metric, SegmentStats.concatenate(piece_stats))
                for name, label in job.labels.items():
                    scores[label] = pa.array(lists[name], pa.float64())
        if self.work.segments_folder is not None:
            self.scores.append(pa.table({**self._names_of(table, ids), **scores}))
        self.summed.add(summed)
        self.n_rows += table.num_rows

    @property
    def _next_row(self) -> int:
        """The number, in the file or the table, of the row that comes next."""
        if self.part is None:
            return self.n_rows
        return self.part.first_row + self.n_rows

    def _names_of(self, table: Any, ids: Any) -> dict[str, Any]:
        """Return columns that name the items: ids, or the file and the row in it."""
        if self.work.id is not None:
            return {self.work.id: ids}
        assert self.part is not None
        paths = [self.part.path] * table.num_rows
        numbers = range(self._next_row, self._next_row + table.num_rows)
        return {"file": pa.array(paths, pa.string()), "row": pa.array(numbers, pa.int64())}

    def write(self, name: str) -> None:
        """Write the scores of the items: an existing file is replaced once the new one is complete."""
        if self.work.segments_folder is None or not self.scores:
            return
        filesystem, folder = file_system_of(self.work.segments_folder)
        # The folder may be missing on another machine.
        filesystem.create_dir(folder, recursive=True)
        # Ray may run a task twice at the same time: each attempt has a file of its own until it is complete.
        unfinished = f"{folder}/{name}.{token_hex(4)}.tmp"
        with filesystem.open_output_stream(unfinished) as file:
            pq.write_table(pa.concat_tables(self.scores), file)
        filesystem.move(unfinished, f"{folder}/{name}.parquet")


@contextmanager
def named_errors(path: str = "") -> Iterator[None]:
    """Name the file in errors about its rows, and turn those of a user's function into a TercetError."""
    prefix = f"{path}: " if path else ""
    try:
        yield
    except BadFileError:
        raise
    except TercetError as error:
        raise type(error)(f"{prefix}{error}") from None
    except (Exception, SystemExit) as error:
        raise TercetError(f"{prefix}scoring failed. {first_line(error)}") from error


def check_folder(path: str, files: Sequence[str]) -> None:
    """Make a folder; InputError if it already holds scores or inputs, or cannot be made."""
    try:
        filesystem, path_there = file_system_of(path)
        filesystem.create_dir(path_there, recursive=True)
        infos = filesystem.get_file_info(fs.FileSelector(path_there))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"The folder {path!r} cannot be made. {first_line(error)}") from None
    folder_holds = f"The folder for the scores of items, {path!r}, holds"
    for info in infos:
        if info.base_name.startswith("part-"):
            raise InputError(f"{folder_holds} {info.base_name} of an earlier run: give an empty one.")
    real_folder = f"{os.path.realpath(path)}{os.sep}"
    for file in files:
        if "://" not in file and os.path.realpath(file).startswith(real_folder):
            raise InputError(f"{folder_holds} {file!r}, which is to be scored: give an empty one.")


def labels_of(jobs: Sequence[tuple[str, str, Metric]]) -> list[dict[str, str]]:
    """Return names of the scores of items, for each system, label and metric: as short as possible while unique."""
    for template in ("{name}", "{name} {system}", "{name} {system} {label}"):
        labels = []
        all_labels: list[str] = []
        for system, label, metric in jobs:
            job_labels = {}
            for name in metric.segment_names:
                job_labels[name] = template.format(name=name, system=system, label=label)
            labels.append(job_labels)
            all_labels += job_labels.values()
        if len(set(all_labels)) == len(all_labels):
            return labels
    raise InputError("A metric is given twice, with the same options.")
