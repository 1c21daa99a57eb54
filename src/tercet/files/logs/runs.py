"""Logs of harnesses -> the same samples in every run of a task: each run is a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tercet.errors import InputError, shorten, warn
from tercet.files.join import LACKING
from tercet.files.missing_option import EMPTY, LEAVE_OUT
from tercet.files.read import predictions_in, references_in
from tercet.files.table import Log

from .lm_eval_tasks import with_tasks
from .opencompass import joined_parts
from .repeats import (
    RowsOfSamples,
    SampleKey,
    key_in_words,
    keys_in_all,
    rows_of_samples,
    with_empty_texts,
    with_rows_of_repeats,
)
from .results_without_ids import with_one_key
from .run_names import given_names, names_of_runs
from .system_columns import system_of, text_field_of


class Runs(NamedTuple):
    """The runs of a task: predictions by system, references and sources of the samples that all of them have."""

    task: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    #: Which of the logs' fields these are, in words.
    fields: str
    first: Log
    #: The numbers that the harness computed, by score and system; NaN where missing.
    scores: dict[str, dict[str, list[float]]]
    #: Why there are no texts of systems, which are empty then, and no references.
    no_texts: str
    #: What the labels are of segments that are resampled together; None if each is alone.
    cluster: str | None
    labels: list[str]
    #: The row of each segment in the first log.
    order: list[int]
    #: By system, how many samples it did not answer, or not to the end, by what is wrong, in words.
    lost: Mapping[str, Mapping[str, int]]
    #: How many samples there are, with those that some run lacks.
    n_all: int


def join_logs(
    logs: Sequence[Log],
    *,
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    source: str | None = None,
    cluster: str | None = None,
    missing: str = LEAVE_OUT,
) -> Iterator[Runs]:
    """Yield the runs of each task that the logs are of; columns are those of their formats unless given.

    Samples are joined by their ids; those that one run lacks are left out for every run, or have an empty text there,
    or are an error, as `missing` says, and a warning counts them.
    The references must be the same. Sources are kept where every run has the same: prompts may differ. Samples that
    were repeated, as in the epochs of inspect-ai, are clusters of segments, unless `cluster` names another column.
    """
    whole_logs = with_tasks(joined_parts(logs))
    names = given_names(whole_logs, names_of_runs(whole_logs))
    tasks: dict[tuple[str, str], dict[str, Log]] = {}
    for log, name in zip(whole_logs, names, strict=True):
        tasks.setdefault((log.harness, log.task), {})[name] = log
    nothing: list[_NothingToCompareError] = []
    for runs in tasks.values():
        try:
            repeated = with_rows_of_repeats(with_one_key(runs), systems)
            if missing == EMPTY:
                repeated = with_empty_texts(repeated, systems)
            task = _Task.of(repeated, systems=systems, references=references, source=source, missing=missing)
            yield task.as_runs(cluster)
        except _NothingToCompareError as error:
            nothing.append(error)
    if nothing and len(nothing) == len(tasks):
        raise nothing[0]
    for reason in nothing:
        warn(f"{str(reason).removesuffix('.')}: it is left out.")


class _NothingToCompareError(InputError):
    """A task with neither texts nor a score of each sample."""


class _System(NamedTuple):
    """A column of a run that has the texts of a system."""

    name: str
    run: str
    log: Log
    column: str


@dataclass(frozen=True, slots=True)
class _Task:
    """The runs of a task by their names, and the samples of it that are scored."""

    runs: Mapping[str, Log]
    #: The columns of systems that the user names.
    asked_systems: Sequence[str]
    references: Sequence[str]
    source: str | None
    #: By run, the row of each sample that it has.
    rows: Mapping[str, RowsOfSamples]
    keys: list[SampleKey]

    @classmethod
    def of(
        cls,
        runs: Mapping[str, Log],
        *,
        systems: Sequence[str],
        references: Sequence[str],
        source: str | None,
        missing: str,
    ) -> _Task:
        roles = next(iter(runs.values())).roles
        rows = {name: rows_of_samples(log) for name, log in runs.items()}
        keys = keys_in_all(runs, rows, missing)
        return cls(runs, systems, references or roles.references, source or roles.source, rows, keys)

    def as_runs(self, cluster: str | None) -> Runs:
        """Return the runs, with the texts, references, sources and scores of the samples that are scored."""
        systems = self._systems()
        texts, lost = self._texts_and_lost(systems)
        references = self._shared_references()
        scores = self._scores(systems)
        no_texts = next((log.no_texts for log in self.runs.values() if log.no_texts), "")
        if no_texts:
            if not scores:
                raise _NothingToCompareError(f"{no_texts}, and none of its scores is a number of each sample.")
            texts = {system: [""] * len(self.keys) for system in texts}
            references = [[] for _ in self.keys]
        sources = self._shared_sources()
        labels, cluster_name = self._clusters(cluster)
        fields = self._fields(list(scores), has_texts=not no_texts, has_sources=sources is not None)
        if cluster is None and cluster_name is not None:
            fields += f"; {len(set(labels)):,} samples with {len(labels):,} answers are resampled by sample"
        logs = "logs" if len(self.runs) > 1 else "log"
        return Runs(
            task=self._first.task,
            systems=texts,
            references=references,
            source=sources,
            fields=f"{self._first.task}: {logs} of {self._first.harness}: {', '.join(texts)}: {fields}.",
            first=replace(self._first, higher_is_better=self._directions()),
            scores=scores,
            no_texts=no_texts,
            cluster=cluster_name,
            labels=labels,
            order=self._rows_of(next(iter(self.runs))),
            lost=lost,
            n_all=self._n_all(),
        )

    @property
    def _first(self) -> Log:
        return next(iter(self.runs.values()))

    def _rows_of(self, run: str) -> list[int]:
        """Return the row of each sample that is scored in a run."""
        return [self.rows[run][key] for key in self.keys]

    def _systems(self) -> list[_System]:
        """Return the systems of all runs, by the names of these, and of columns where a run has several."""
        systems = []
        for run, log in self.runs.items():
            columns = list(dict.fromkeys(self.asked_systems or log.roles.systems))
            # With several filters, a column is called such as "filtered_resps strict-match".
            labels = [system_of(column) or column for column in columns]
            if len(set(labels)) < len(labels):
                labels = columns
            for column, label in zip(columns, labels, strict=True):
                name = run
                if log.names_systems and len(self.runs) == 1 and not log.called:
                    name = label
                elif len(columns) > 1:
                    name = f"{run} {label}"
                systems.append(_System(name, run, log, column))
        return systems

    def _known(self) -> set[SampleKey]:
        """Return the samples that some run has, or could not answer."""
        keys: set[SampleKey] = set()
        for run, log in self.runs.items():
            keys.update(self.rows[run], log.failed)
        return keys

    def _n_all(self) -> int:
        """Return how many samples there are, with those that some run lacks."""
        counts = [len(self._known())]
        for run, log in self.runs.items():
            counts.append(len(self.rows[run]) + len(log.failed) + log.n_left_out)
        return max(counts)

    def _texts_and_lost(self, systems: Sequence[_System]) -> tuple[dict[str, list[str]], dict[str, Counter[str]]]:
        """Return the texts of each system, and how many samples it did not answer, or not to the end."""
        all_keys = self._known()
        texts: dict[str, list[str]] = {}
        lost: dict[str, Counter[str]] = {}
        for name, run, log, column in systems:
            rows = self.rows[run]
            written = predictions_in(log, column)
            texts[name] = [written[row] for row in self._rows_of(run)]
            # What one of several files lacks is in the others; in one alone, its format counts it.
            n_missing = max(len(all_keys - rows.keys()), log.n_unanswered.get(column, 0))
            lost[name] = Counter({LACKING: n_missing})
            for key, endings in log.wrong_ends.items():
                # An answer that is empty counts as that.
                if key in rows and written[rows[key]].strip():
                    # A row is one answer: with_rows_of_repeats gave each of several its own.
                    lost[name][next(filter(None, endings))] += 1
        return texts, lost

    def _shared_references(self) -> list[list[str]]:
        """Return the references, which must be the same in all runs."""
        shared: list[list[str]] | None = None
        for run, log in self.runs.items():
            in_log = references_in(log, self.references)
            lists = [in_log[row] for row in self._rows_of(run)]
            # Those of the first run are what the others must have.
            shared = shared or lists
            for key, expected, actual in zip(self.keys, shared, lists, strict=True):
                if actual != expected:
                    raise InputError(
                        f"{log.name}: the sample with {key_in_words(log, key)} has the references "
                        f"{shorten(actual)}; {self._first.name} has {shorten(expected)}: these are not runs of "
                        "the same task."
                    )
        return shared or []

    def _shared_sources(self) -> list[str] | None:
        """Return the sources where all runs have the same: prompts may differ between them."""
        if not self.source:
            return None
        shared: list[str] | None = None
        for run, log in self.runs.items():
            cells = log.column(self.source)
            if not all(isinstance(cell, str) for cell in cells):
                return None
            sources = [cells[row] for row in self._rows_of(run)]
            if shared is not None and sources != shared:
                return None
            shared = sources
        return shared or None

    def _scores(self, systems: Sequence[_System]) -> dict[str, dict[str, list[float]]]:
        """Return the scores that all systems have, of each of them; a warning names others."""
        scores: dict[str, dict[str, list[float]]] = {}
        for system in systems:
            rows = self._rows_of(system.run)
            for score, by_column in system.log.numbers.items():
                values = by_column.get(system.column)
                if values is None and len(by_column) == 1:
                    # A text that is read instead of a log's only one has its scores.
                    (values,) = by_column.values()
                if values is not None:
                    scores.setdefault(score, {})[system.name] = [values[row] for row in rows]
        names = [system.name for system in systems]
        incomplete = [score for score, by_system in scores.items() if len(by_system) < len(names)]
        if incomplete:
            lacking = next(name for name in names if name not in scores[incomplete[0]])
            warn(
                f"{self._first.task}: {shorten(lacking)} has no score {shorten(incomplete[0])}, and others have: "
                "left out."
            )
        return {score: by_system for score, by_system in scores.items() if score not in incomplete}

    def _directions(self) -> dict[str, bool]:
        """Return which values of a score are better: the first log that says so has its way."""
        directions: dict[str, bool] = {}
        for log in self.runs.values():
            directions = {**log.higher_is_better, **directions}
        return directions

    def _clusters(self, column: str | None) -> tuple[list[str], str | None]:
        """Return what each segment is resampled with, and what that is; None where each is alone."""
        samples = [sample for sample, *_ in self.keys]
        n_samples = len(set(samples))
        if column is None and n_samples < len(samples):
            return samples, "sample id"
        if column is None:
            return samples, None
        cells = self._first.column(column)
        labels = [str(cells[row] or "") for row in self._rows_of(next(iter(self.runs)))]
        if len(set(zip(samples, labels, strict=True))) > n_samples:
            warn(
                f"{self._first.name}: {column!r} puts answers to the same sample into different clusters, though "
                "they are not independent. Without it, logs are resampled by sample."
            )
        return labels, column

    def _fields(self, scores: Sequence[str], *, has_texts: bool, has_sources: bool) -> str:
        """Return which of the logs' fields are what, in words."""
        fields = ["no texts"]
        if has_texts:
            predictions_from = ", ".join(self.asked_systems or self._first.roles.systems)
            if self._first.names_systems and not self.asked_systems:
                predictions_from = text_field_of(self._first.roles.systems[0])
            fields = [f"predictions from {predictions_from}"]
            if self.references:
                fields.append(f"references from {', '.join(self.references)}")
        if scores:
            fields.append(f"scores: {', '.join(scores)}")
        if has_sources:
            fields.append(f"sources from {self.source}")
        if len(self.runs) > 1:
            fields.append(f"samples joined by {' and '.join(self._first.key)}")
        file_names = {Path(log.name).name for log in self.runs.values()}
        if not self._first.names_task and len(file_names) > 1:
            fields.append("runs of one task, because they have the same samples")
        return "; ".join(fields)
