"""Work on the parts of a corpus as Ray Data runs it: by tasks, or by actors that keep a network; then one sum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from tercet.checks import finite
from tercet.corpus.artefacts import warn_of
from tercet.errors import InputError, OptionError, shorten
from tercet.metric.scoring import warn
from tercet.result import Result

from .contexts import context_of, plain_context
from .corpus_files import FilePart, list_parts
from .result import result_of
from .work import Summed, Work

#: Rows of a dataset per network batch: among many texts, neighbours have similar lengths.
_ROWS_OF_NETWORKS = 1 << 14
#: The most blocks of parts, each of which is a task whose sums the driver adds.
_MOST_TASKS = 2_000
_OF_PARTS = ["path", "group", "number", "first_row"]
_WHOLE = -1
_NOTHING = "There are no items to score."


@dataclass(frozen=True, slots=True)
class Workers:
    """GPUs for each worker with a network (None: 1 if there are any), and the number of workers."""

    num_gpus: float | None = None
    concurrency: int | None = None

    def __post_init__(self) -> None:
        """Raise an OptionError for invalid values."""
        if self.num_gpus is not None and not (finite(self.num_gpus) is not None and self.num_gpus >= 0):
            raise OptionError(f"num_gpus must be a number of at least 0. Got {shorten(self.num_gpus)} instead.")
        if self.concurrency is not None and (type(self.concurrency) is not int or self.concurrency < 1):
            raise OptionError(f"concurrency must be an integer above 0. Got {shorten(self.concurrency)} instead.")

    def pool(self, ray: Any) -> dict[str, Any]:
        """Return the arguments by which Ray Data makes a pool of actors: one for each GPU, or each two CPUs."""
        resources = ray.cluster_resources()
        gpus, cpus = resources.get("GPU", 0.0), resources.get("CPU", 1.0)
        each = (1.0 if gpus else 0.0) if self.num_gpus is None else self.num_gpus
        size = self.concurrency or max(1, int(gpus / each if each else cpus / 2))
        share = {"num_gpus": each} if each else {"num_cpus": 0.5}
        return {"compute": ray.data.ActorPoolStrategy(size=size), **share}


class Tasks:
    """The tasks of a worker, or of an actor, which holds the loaded network: a batch is texts, or parts of files."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, batch: Any) -> Any:
        """Return the sums of a batch."""
        if batch.column_names != _OF_PARTS:
            return self._work.of_table(batch).to_table()
        found = Summed()
        for part in _parts(batch):
            found.add(self._work.of_part(part))
        return found.to_table()

    def fit(self, batch: Any) -> Any:
        """Return the contexts of a batch by the numbers of their jobs: the first pass, for metrics that need it."""
        if batch.column_names != _OF_PARTS:
            found = [self._work.fit([batch])]
        else:
            found = [self._work.fit_part(part) for part in _parts(batch)]
        rows = [(number, json.dumps(plain_context(own))) for each in found for number, own in each.items()]
        jobs, contexts = ([row[column] for row in rows] for column in range(2))
        return pa.table({"job": pa.array(jobs, pa.int32()), "context": pa.array(contexts, pa.string())})


def run(ray: Any, data: Any, work: Work, workers: Workers) -> list[Result]:
    """Return the result of each job on a ray.data.Dataset of texts, or a list of files."""
    of_files = isinstance(data, list)
    dataset = _dataset_of_files(ray, data, work) if of_files else data.select_columns(work.columns)
    network = any(job.scorer.loads_model for job in work.jobs)
    batches = {"batch_format": "pyarrow", "batch_size": _ROWS_OF_NETWORKS if network and not of_files else None}
    if any(job.scorer.needs_corpus for job in work.jobs):
        work = work.fitted(_contexts(dataset, work, batches))
        for job in work.jobs:
            warn(job.scorer, job.scorer.corpus_warning(job.context))
    if network:
        done = dataset.map_batches(Tasks, fn_constructor_args=(work,), **batches, **workers.pool(ray))
    else:
        done = dataset.map_batches(Tasks(work).__call__, **batches)
    found = Summed()
    for row in done.iter_rows():
        found.add(Summed.of_row(row))
    bad = sorted(found.bad)
    if not found.sums:
        raise InputError(f"No file could be read. {' '.join(bad[:3])}" if bad else _NOTHING)
    for column, artefacts in found.artefacts.items():
        owner = "the predictions have" if len(found.artefacts) == 1 else f"the predictions of {shorten(column)} have"
        for message in artefacts.messages(owner, item="row").values():
            warn_of(message)
    results = [result_of(job.scorer, found.sums[number]) for number, job in enumerate(work.jobs)]
    return [result.with_keys(result, bad_files=bad) for result in results]


def _dataset_of_files(ray: Any, files: list[str], work: Work) -> Any:
    parts = list_parts(files, work.skip_bad)
    if not parts:
        raise InputError(_NOTHING)
    rows = [{**asdict(part), "group": _WHOLE if part.group is None else part.group} for part in parts]
    return ray.data.from_items(rows, override_num_blocks=min(len(rows), _MOST_TASKS))


def _parts(batch: Any) -> Sequence[FilePart]:
    rows = batch.to_pylist()
    return [FilePart(**{**row, "group": None if row["group"] == _WHOLE else row["group"]}) for row in rows]


def _contexts(dataset: Any, work: Work, batches: dict[str, Any]) -> dict[int, Any]:
    """Return the contexts of the whole corpus, by job."""
    total: dict[int, Any] = {}
    for row in dataset.map_batches(Tasks(work).fit, **batches).iter_rows():
        number = row["job"]
        own = context_of(json.loads(row["context"]), work.jobs[number].scorer)
        total[number] = total[number] + own if number in total else own
    return total
