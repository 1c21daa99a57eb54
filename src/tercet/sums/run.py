"""Work on a corpus as Ray Data runs it: by tasks, or by actors that keep a network; then one sum, in a tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import numpy as np

from tercet.checks import finite
from tercet.corpus.artefacts import warn_of
from tercet.errors import InputError, OptionError, TercetError, shorten
from tercet.metric.scoring import warn
from tercet.result import Result
from tercet.statistics.progress import bar_of, line_of

from .contexts import context_of, plain_context
from .corpus_files import FilePart, list_parts, tasks_of
from .result import result_of
from .work import Summed, Work, named_errors

#: Rows of a dataset per network batch: among many texts, neighbours have similar lengths.
_ROWS_OF_NETWORKS = 1 << 14
#: Tasks for each CPU: enough that none waits long for the last one.
_TASKS_OF_A_CPU = 16
#: The most results that are added up at a time: of more, workers add up so many each, and then those sums.
_ADDED_AT_A_TIME = 64
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
    """The tasks of a worker, or of an actor, which holds the loaded network: a batch is texts, or parts of files.

    An error is returned, too: Ray would print one that is raised, and further ones for other tasks.
    """

    def __init__(self, work: Work, of_files: bool) -> None:
        self._work, self._of_files = work, of_files

    def __call__(self, batch: Any) -> Any:
        """Return the sums of a batch."""
        return _returned(self._summed, batch)

    def fit(self, batch: Any) -> Any:
        """Return the contexts of a batch by the numbers of their jobs: the first pass, for metrics that need it."""
        return _returned(self._fitted, batch)

    def _summed(self, batch: Any) -> Summed:
        if not self._of_files:
            return self._work.of_table(batch)
        return reduce(Summed.add, map(self._work.of_part, _parts(batch)), Summed())

    def _fitted(self, batch: Any) -> list[tuple[int, Any]]:
        contexts = map(self._work.fit_part, _parts(batch)) if self._of_files else [self._work.fit([batch])]
        return [(number, plain_context(own)) for of_part in contexts for number, own in of_part.items()]


def _returned(task: Callable[[Any], Any], batch: Any) -> dict[str, Any]:
    """Return what a task returns, or its error, as a batch of one object."""
    result = np.empty(1, object)
    try:
        with named_errors():
            result[0] = task(batch)
    except TercetError as error:
        result[0] = error
    return {"result": result}


def run(ray: Any, data: Any, work: Work, workers: Workers) -> list[Result]:
    """Return the result of each job on a ray.data.Dataset of texts, or a list of files."""
    of_files = isinstance(data, list)
    dataset, n_tasks = _dataset_of_files(ray, data, work) if of_files else (data.select_columns(work.columns), 0)
    network = any(job.scorer.loads_model for job in work.jobs)
    batches = {"batch_format": "pyarrow", "batch_size": _ROWS_OF_NETWORKS if network and not of_files else None}
    if any(job.scorer.needs_corpus for job in work.jobs):
        fitted = dataset.map_batches(Tasks(work, of_files).fit, **batches)
        work = work.fitted(_contexts(_results(fitted, "reading", n_tasks), work))
        for job in work.jobs:
            warn(job.scorer, job.scorer.corpus_warning(job.context))
    if network:
        done = dataset.map_batches(Tasks, fn_constructor_args=(work, of_files), **batches, **workers.pool(ray))
    else:
        done = dataset.map_batches(Tasks(work, of_files).__call__, **batches)
    found = _added_up(ray, _results(done, "scoring", n_tasks))
    bad = sorted(found.bad)
    if not found.sums:
        raise InputError(f"No file could be read. {' '.join(bad[:3])}" if bad else _NOTHING)
    for column, artefacts in found.artefacts.items():
        owner = "the predictions have" if len(found.artefacts) == 1 else f"the predictions of {shorten(column)} have"
        for message in artefacts.messages(owner, item="row").values():
            warn_of(message)
    results = [result_of(job.scorer, found.sums[number]) for number, job in enumerate(work.jobs)]
    return [result.with_keys(result, bad_files=bad) for result in results]


def _dataset_of_files(ray: Any, files: list[str], work: Work) -> tuple[Any, int]:
    """Return a dataset of tasks, a block each, and how many there are."""
    n_tasks = round(_TASKS_OF_A_CPU * ray.cluster_resources().get("CPU", 1.0))
    # a file that is skipped is skipped as a whole
    tasks = tasks_of(list_parts(files, 1 if work.skip_bad else n_tasks), n_tasks)
    rows = [{"parts": json.dumps([asdict(part) for part in parts])} for parts in tasks]
    if not rows:
        raise InputError(_NOTHING)
    return ray.data.from_items(rows, override_num_blocks=len(rows)), len(rows)


def _parts(batch: Any) -> list[FilePart]:
    return [FilePart(**part) for parts in batch["parts"].to_pylist() for part in json.loads(parts)]


def _results(dataset: Any, what: str, n_tasks: int) -> Iterator[Any]:
    """Yield the results of tasks, and show how many came; raises the first error."""
    shown: Any
    with bar_of(what, "tasks", n_tasks) if n_tasks else line_of(what) as shown:
        for batch in dataset.iter_batches(batch_size=None, batch_format="numpy"):
            for result in batch["result"]:
                if isinstance(result, TercetError):
                    raise result
                yield result
                if n_tasks and shown is not None:
                    shown.update(1)


def _added_up(ray: Any, results: Iterator[Summed]) -> Summed:
    """Return the sum of results, whatever their number: workers add up most of them."""
    added = ray.remote(num_cpus=0)(_sum_of)  # small work, which must not wait for the tasks before it
    some: list[Summed] = []
    sums: list[Any] = []
    seen: set[str] = set()
    for result in results:
        if result.parts and result.parts <= seen:
            continue  # it came twice, and its sums are among others by now
        seen |= result.parts
        some.append(result)
        if len(some) == _ADDED_AT_A_TIME:
            sums.append(added.remote(*some))
            some = []
    while len(sums) > _ADDED_AT_A_TIME:
        chunks = (sums[at : at + _ADDED_AT_A_TIME] for at in range(0, len(sums), _ADDED_AT_A_TIME))
        sums = [added.remote(*chunk) for chunk in chunks]
    return _sum_of(*some, *ray.get(sums))


def _sum_of(*results: Summed) -> Summed:
    return reduce(Summed.add, results, Summed())


def _contexts(results: Iterator[Any], work: Work) -> dict[int, Any]:
    """Return the contexts of the whole corpus, by job."""
    total: dict[int, Any] = {}
    for result in results:
        for number, plain in result:
            own = context_of(plain, work.jobs[number].scorer)
            total[number] = total[number] + own if number in total else own
    return total
