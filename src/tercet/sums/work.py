"""The work on a part of a corpus: read, sum, write the items' scores, and return the sums."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq

from tercet.corpus.artefacts import Artefacts, artefacts_of
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, MergeError, TercetError, first_line
from tercet.metric.scorer import Scorer, segment_lists
from tercet.statistics.stats import SegmentStats

from .corpus_files import BadFileError, FilePart, place_of, tables_of
from .summing import sums_of
from .sums import Sums
from .text_columns import TextColumns, read_ids


@dataclass(slots=True)
class Summed:
    """The sums of parts of a corpus for each job, and why files were skipped; parts may arrive twice.

    `artefacts` are those of each column of predictions. `parts` are the names of the parts that have one.
    """

    sums: dict[int, Sums] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)
    artefacts: dict[str, Artefacts] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)

    def add(self, other: Summed) -> Summed:
        """Add other parts, once, and return these sums; a MergeError if only some of them were added before."""
        twice = other.parts & self.parts
        if other.parts and twice == other.parts:
            return self
        if twice:
            raise MergeError(f"The part {min(twice)} was counted twice, once together with others. Please try again.")
        self.parts |= other.parts
        for job, sums in other.sums.items():
            self.sums[job] = self.sums[job] + sums if job in self.sums else sums
        self.bad |= other.bad
        for column, artefacts in other.artefacts.items():
            self.artefacts[column] = self.artefacts.get(column, Artefacts()) + artefacts
        return self


@dataclass(frozen=True, slots=True)
class Job:
    """A metric and the column of a system, with the context of the corpus if the scorer needs it.

    `labels` are the names of the scores in the files of items' scores.
    """

    scorer: Scorer
    prediction: str
    labels: Mapping[str, str]
    context: Any = None


@dataclass(frozen=True, slots=True)
class Work:
    """The jobs on the columns of each part; scores of items go to the folder `segments`, if any."""

    jobs: tuple[Job, ...]
    references: tuple[str, ...]
    id: str | None
    segments: str | None
    skip_bad: bool
    cluster: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        needed = [job.prediction for job in self.jobs] + list(self.references)
        return list(dict.fromkeys([*needed, *filter(None, (self.id, self.cluster))]))

    def of_part(self, part: FilePart) -> Summed:
        """Return the sums of a part of a file; errors name the file."""
        rows = _Rows(self, part)
        try:
            for table in self._tables(part):
                with named_errors(part.path):
                    rows.add(table)
        except InputError as error:
            if not self.skip_bad:
                raise
            return Summed(bad={str(error)})
        rows.write(f"part-{part.number:06}")
        return rows.summed(part.name)

    def of_table(self, table: Any) -> Summed:
        """Return the sums of a table; one that comes twice, with the same ids and sums, counts once."""
        rows = _Rows(self)
        rows.add(table)
        if self.id is None:
            return rows.summed()
        digest = sha256()
        for sums in rows.sums.values():
            digest.update(sums.signature.encode() + sums.exact.digits.tobytes())
        name = digest.hexdigest()[:16]
        rows.write(f"part-{name}")
        return rows.summed(f"block {name}")

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
        """Return the contexts, from a part of the corpus, of scorers that need the whole corpus, by job."""
        found: dict[int, Any] = {}
        for table in tables:
            for number, job in enumerate(self.jobs):
                if job.scorer.needs_corpus:
                    corpus = job.scorer.corpus(*self._columns_of(job).texts(table, first_row)).numbered(first_row)
                    own = job.scorer.fit(corpus.part(0, corpus.n_items))
                    found[number] = found[number] + own if number in found else own
            first_row += table.num_rows
        return found

    def fitted(self, contexts: Mapping[int, Any]) -> Work:
        """Return the same work with contexts of the whole corpus."""
        jobs = tuple(replace(job, context=contexts.get(number)) for number, job in enumerate(self.jobs))
        return replace(self, jobs=jobs)

    def _columns_of(self, job: Job) -> TextColumns:
        return TextColumns(job.prediction, self.references, self.id)


@dataclass(slots=True)
class _Rows:
    """A part that is being summed, with the scores of its items on request."""

    work: Work
    part: FilePart | None = None
    sums: dict[int, Sums] = field(default_factory=dict)
    scores: list[Any] = field(default_factory=list)
    artefacts: dict[str, Artefacts] = field(default_factory=dict)
    n_rows: int = 0

    def add(self, table: Any) -> None:
        """Sum further rows."""
        scores: dict[str, Any] = {}
        searched: set[str] = set()
        first = self._first
        named = None if self.work.id is None else read_ids(table[self.work.id], first)
        clusters = None if self.work.cluster is None else read_ids(table[self.work.cluster], first)
        for number, job in enumerate(self.work.jobs):
            kept: list[SegmentStats] = []
            corpus = job.scorer.corpus(*self.work._columns_of(job).texts(table, first)).numbered(first)
            seen = None if self.work.segments is None else kept.append
            sums = sums_of(job.scorer, corpus, named, job.context, seen, clusters)
            self.sums[number] = self.sums[number] + sums if number in self.sums else sums
            if job.scorer.takes_references and job.prediction not in searched:
                self._search(job.prediction, corpus)
                searched.add(job.prediction)
            if kept:
                lists = segment_lists(job.scorer, SegmentStats.concatenate(kept))
                for name, label in job.labels.items():
                    scores[label] = pa.array(lists[name], pa.float64())
        if self.work.segments is not None:
            self.scores.append(pa.table({**self._names_of(table, named), **scores}))
        self.n_rows += table.num_rows

    @property
    def _first(self) -> int:
        """The number, in the file or the table, of the row that comes next."""
        return self.n_rows + (0 if self.part is None else self.part.first_row)

    def summed(self, *parts: str) -> Summed:
        """Return the sums, with the name of their part, if it has one."""
        return Summed(self.sums, artefacts=self.artefacts, parts={*parts})

    def _search(self, column: str, corpus: Corpus) -> None:
        """Count the artefacts of a column of predictions and of the references."""
        for own in artefacts_of(corpus) or [Artefacts(corpus.n_items)]:
            self.artefacts[column] = self.artefacts.get(column, Artefacts()) + own

    def _names_of(self, table: Any, named: Any) -> dict[str, Any]:
        """Return columns that name the items: ids, or the file and the row in it."""
        if self.work.id is not None:
            return {self.work.id: named}
        assert self.part is not None
        paths = pa.array([self.part.path] * table.num_rows, pa.string())
        return {"file": paths, "row": pa.array(range(self._first, self._first + table.num_rows), pa.int64())}

    def write(self, name: str) -> None:
        """Write the scores of the items: an existing file is replaced once the new one is complete."""
        if self.work.segments is None or not self.scores:
            return
        system, folder = place_of(self.work.segments)
        system.create_dir(folder, recursive=True)  # it may be missing on another machine
        target = f"{folder}/{name}.parquet"
        with system.open_output_stream(f"{target}.tmp") as file:
            pq.write_table(pa.concat_tables(self.scores), file)
        system.move(f"{target}.tmp", target)


@contextmanager
def named_errors(path: str = "") -> Iterator[None]:
    """Name the file in errors about its rows, and turn those of a user's function into a TercetError."""
    before = f"{path}: " if path else ""
    try:
        yield
    except BadFileError:
        raise
    except TercetError as error:
        raise type(error)(f"{before}{error}") from None
    except (Exception, SystemExit) as error:
        raise TercetError(f"{before}scoring failed. {first_line(error)}") from error


def check_folder(path: str, files: Sequence[str]) -> None:
    """Make a folder; InputError if it already holds scores or inputs, or cannot be made."""
    try:
        system, place = place_of(path)
        system.create_dir(place, recursive=True)
        infos = system.get_file_info(fs.FileSelector(place))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"The folder {path!r} cannot be made. {first_line(error)}") from None
    written = [each.base_name for each in infos if each.base_name.startswith("part-")]
    real = os.path.realpath(path)
    inside = [each for each in files if "://" not in each and os.path.realpath(each).startswith(f"{real}{os.sep}")]
    if written or inside:
        what = f"holds {written[0]} of an earlier run" if written else f"holds {inside[0]!r}, which is to be scored"
        raise InputError(f"The folder for the scores of items, {path!r}, {what}: give an empty one.")


def labels_of(jobs: Sequence[tuple[str, str, Scorer]]) -> list[dict[str, str]]:
    """Return names of the scores of items, for each system, metric and scorer: as short as possible while unique."""
    names = [
        {name: (name, f"{name} {system}", f"{name} {system} {metric}") for name in scorer.segment_names}
        for system, metric, scorer in jobs
    ]
    for length in range(3):
        labels = [{name: several[length] for name, several in own.items()} for own in names]
        flat = [label for own in labels for label in own.values()]
        if len({*flat}) == len(flat):
            return labels
    raise InputError("A metric is given twice, with the same options.")
