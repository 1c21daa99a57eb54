"""Scores of corpora of any size with Ray Data: on the cores of one machine, or on a cluster."""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import reduce
from inspect import signature
from typing import Any

import numpy as np

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.scoring import warn_of
from tercet.corpus.artefacts import Artefacts
from tercet.errors import InputError, OptionError, TercetError, first_line, needs, shorten, warn
from tercet.files.table import Roles
from tercet.option_checks import finite, spelled
from tercet.result import Result
from tercet.statistics.progress import bar_of, bars_within, line_of

from .columns import NamedColumns, choose_columns, roles_of
from .contexts import context_of, plain_context
from .input_parts import BadFileError, FilePart, list_files, list_parts, roles_in, tasks_of
from .part_sums import ColumnJob, PartSums, Work, add_up, check_folder, labels_of, named_errors
from .result import result_of
from .sums import check_in_parts

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
        gpus = self.num_gpus
        if gpus is not None and (finite(gpus) is None or gpus < 0):
            raise OptionError(f"num_gpus must be a number of at least 0. Got {shorten(gpus)} instead.")
        n_workers = self.concurrency
        if n_workers is not None and (type(n_workers) is not int or n_workers < 1):
            raise OptionError(f"concurrency must be an integer above 0. Got {shorten(n_workers)} instead.")

    def pool(self, ray: Any) -> dict[str, Any]:
        """Return the arguments by which Ray Data makes a pool of actors: one for each GPU, or each two CPUs."""
        resources = ray.cluster_resources()
        gpus = resources.get("GPU", 0.0)
        gpus_per_worker = self.num_gpus
        if gpus_per_worker is None:
            gpus_per_worker = 1.0 if gpus else 0.0
        if gpus_per_worker:
            share = {"num_gpus": gpus_per_worker}
            n_workers = int(gpus / gpus_per_worker)
        else:
            share = {"num_cpus": 0.5}
            n_workers = int(resources.get("CPU", 1.0) / 2)
        size = self.concurrency or max(1, n_workers)
        return {"compute": ray.data.ActorPoolStrategy(size=size), **share}


def score(
    data: Any,
    metric: str | Metric,
    *,
    prediction: str | None = None,
    references: str | Sequence[str] | None = None,
    id: str | None = None,
    cluster: str | None = None,
    write_segments: str | os.PathLike[str] | None = None,
    on_bad_file: str = "error",
    progress: bool = True,
    num_gpus: float | None = None,
    concurrency: int | None = None,
    **options: Any,
) -> Result:
    """Score a corpus of any size with Ray Data.

    The result is that of :class:`tercet.Stream` over the same items, to the bit, whatever the number of workers, the
    order of the parts, and the workers that fail on the way. (A network's numbers may differ in the last digits with
    the texts that share a batch.)

    Parameters
    ----------
    data : ray.data.Dataset, or path or sequence of paths
        Files of Parquet, JSON Lines, TSV or CSV, folders of them, patterns such as ``"data/*.parquet"``, or addresses
        such as ``"s3://bucket/data"``.
    metric : str or Metric
        A metric of the suite, or its short name, or a value.
    prediction : str, optional
        Column of the predictions. Default: recognized by name, such as "prediction" or "mt".
    references : str or sequence of str, optional
        Columns of references, texts or lists of texts; an empty cell is no reference. Default: recognized by
        name.
    id : str, optional
        Column of texts or integers, unique to each item, by which items are resampled: items with the same id are
        drawn together. (Duplicate ids are refused within 65,536 rows of a file, and not checked beyond.) A block of a
        dataset that comes twice, with the same ids and counts, counts once. Default: items are identified by their
        texts.
    cluster : str, optional
        Column of texts or integers, the same for items that are not independent, which intervals draw together.
    write_segments : path, optional
        Empty folder or address for Parquet files with the scores of each item and its id, or its file and row.
    on_bad_file : {"error", "skip"}
        What to do with a file that cannot be read, or has a row that cannot be scored, such as one without a
        prediction: raise, or skip the whole file; ``bad_files`` of the result says which and why.
    progress : bool
        Show a progress bar.
    num_gpus : float, optional
        GPUs for each worker with a network. Default: 1 if the cluster has any.
    concurrency : int, optional
        Workers with a network. Default: one per GPU, or per two CPUs.
    **options
        The metric's options, as for :func:`tercet.score`.

    Returns
    -------
    Result
        With the attribute ``bad_files``, a list of messages.

    Raises
    ------
    InputError, OptionError
        As :func:`tercet.score`; also for files that cannot be read, or change meanwhile, and missing columns.
    TercetError
        For a failing worker, such as one whose tokenizer raises.

    Notes
    -----
    Uses the Ray that is running, else the cluster in ``RAY_ADDRESS``, else starts one on this machine and stops it
    afterwards. Metrics that must see the whole corpus first (``idf=True``, ``tokenizer="auto"``) read it twice.
    Memory: 65,536 rows a worker, or a whole file of a format other than Parquet. Work is divided into 16 tasks for
    each CPU, or more of at most 256 MiB or a million rows; a file is not divided unless it is Parquet and
    ``on_bad_file="error"``.
    """
    with spelled("score", options, signature(score).parameters):
        configured_metric = make_scorer(metric, options)
    systems = None if prediction is None else [prediction]
    [result] = score_systems(
        data,
        {configured_metric.name: configured_metric},
        systems=systems,
        references=references,
        id=id,
        cluster=cluster,
        write_segments=write_segments,
        on_bad_file=on_bad_file,
        progress=progress,
        workers=Workers(num_gpus, concurrency),
        one_system=True,
    ).values()
    return result


def score_systems(
    data: Any,
    metrics: Mapping[str, Metric],
    *,
    systems: Sequence[str] | None = None,
    references: str | Sequence[str] | None = None,
    id: str | None = None,
    cluster: str | None = None,
    write_segments: str | os.PathLike[str] | None = None,
    on_bad_file: str = "error",
    progress: bool = True,
    workers: Workers = Workers(),
    one_system: bool = False,
) -> dict[tuple[str, str], Result]:
    """Score several systems by several metrics in one pass over a corpus; results by system and label of a metric.

    Without `systems`, the columns recognized as predictions by name are scored; with `one_system` there may be only
    one. The other parameters are as for :func:`score`.
    """
    if on_bad_file not in ("error", "skip"):
        raise OptionError(f"on_bad_file must be 'error' or 'skip'. Got {shorten(on_bad_file)} instead.")
    for metric in metrics.values():
        check_in_parts(metric, passes=2)
    # Known by its name: Ray is imported once the arguments are checked.
    is_dataset = any(cls.__module__.startswith("ray.data") for cls in type(data).__mro__)
    files = None if is_dataset else list_files(data)
    if files is None and write_segments is not None and id is None:
        raise InputError(
            "The rows of a dataset have no numbers: give id= to name the items whose scores are written."
        )
    folder = None if write_segments is None else os.fspath(write_segments)
    if folder is not None:
        check_folder(folder, files or ())
    skip_bad = on_bad_file == "skip"
    with bars_within(progress), _running_ray() as ray:
        if files is not None:
            roles, names = _roles_in_first(files, skip_bad)
        else:
            schema = data.schema()
            roles = roles_of(schema.base_schema)
            names = schema.names
        named = NamedColumns.of(systems, references, id, cluster)
        takes_references = any(metric.takes_references for metric in metrics.values())
        columns, reference_columns = choose_columns(
            roles, names, named, take_references=takes_references, one_system=one_system
        )
        if not takes_references:
            reference_columns = []
        jobs = _jobs(columns, metrics)
        if folder is not None and any(id in job.labels.values() for job in jobs.values()):
            raise InputError(f"The column of the ids, {id!r}, has the name of a score: rename it.")
        work = Work(
            jobs=tuple(jobs.values()),
            references=tuple(reference_columns),
            id=id,
            segments_folder=folder,
            skip_bad=skip_bad,
            cluster=cluster,
        )
        results = _results_of_jobs(ray, data, files, work, workers)
    return dict(zip(jobs, results, strict=True))


def _jobs(systems: Sequence[str], metrics: Mapping[str, Metric]) -> dict[tuple[str, str], ColumnJob]:
    """Return the work by the column of a system and the label of a metric."""
    to_score = []
    for system in systems:
        for label, metric in metrics.items():
            to_score.append((system, label, metric))
    jobs = {}
    for (system, label, metric), labels in zip(to_score, labels_of(to_score), strict=True):
        jobs[system, label] = ColumnJob(metric, system, labels)
    return jobs


def _roles_in_first(files: Sequence[str], skip_bad: bool) -> tuple[Roles, list[str]]:
    """Return the roles of the columns of the first readable file, and all names."""
    last_error: BadFileError | None = None
    for path in files:
        try:
            return roles_in(path)
        except BadFileError as error:
            if not skip_bad:
                raise
            last_error = error
    raise InputError(f"No file could be read. {last_error}")


# Work on a corpus as Ray Data runs it: by tasks, or by actors that keep a network; then one sum, in a tree.


class Tasks:
    """The tasks of a worker, or of an actor, which holds the loaded network: a batch is texts, or parts of files.

    An error is returned, too: Ray would print one that is raised, and further ones for other tasks.
    """

    def __init__(self, work: Work, reads_files: bool) -> None:
        self._work = work
        self._reads_files = reads_files

    def __call__(self, batch: Any) -> Any:
        """Return the sums of a batch."""
        return _result_or_error(self._sum_batch, batch)

    def fit(self, batch: Any) -> Any:
        """Return the contexts of a batch by the numbers of their jobs: the first pass, for metrics that need it."""
        return _result_or_error(self._fit_batch, batch)

    def _sum_batch(self, batch: Any) -> PartSums:
        if not self._reads_files:
            return self._work.sum_table(batch)
        summed = PartSums()
        for part in _file_parts(batch):
            summed = summed.add(self._work.sum_part(part))
        return summed

    def _fit_batch(self, batch: Any) -> list[tuple[int, Any]]:
        if self._reads_files:
            contexts_of_parts = [self._work.fit_part(part) for part in _file_parts(batch)]
        else:
            contexts_of_parts = [self._work.fit([batch])]
        numbered_contexts = []
        for contexts in contexts_of_parts:
            for number, context in contexts.items():
                numbered_contexts.append((number, plain_context(context)))
        return numbered_contexts


def _result_or_error(task: Callable[[Any], Any], batch: Any) -> dict[str, Any]:
    """Return what a task returns, or its error, as a batch of one object."""
    result = np.empty(1, object)
    try:
        with named_errors():
            result[0] = task(batch)
    except TercetError as error:
        result[0] = error
    return {"result": result}


def _results_of_jobs(ray: Any, data: Any, files: list[str] | None, work: Work, workers: Workers) -> list[Result]:
    """Return the result of each job on files, or where there are None on a ray.data.Dataset of texts."""
    reads_files = files is not None
    if files is not None:
        blocks = _blocks_of_files(ray, files, work)
        dataset = ray.data.from_items(blocks, override_num_blocks=len(blocks))
        n_tasks = len(blocks)
    else:
        dataset = data.select_columns(work.columns)
        n_tasks = 0
    loads_network = any(job.metric.loads_model for job in work.jobs)
    batches: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None}
    if loads_network and not reads_files:
        batches["batch_size"] = _ROWS_OF_NETWORKS
    fitted_work = work
    if any(job.metric.needs_corpus for job in work.jobs):
        batches_of_contexts = dataset.map_batches(Tasks(work, reads_files).fit, **batches)
        fitted_work = work.fitted(_contexts(batches_of_contexts, work, n_tasks))
        for job in fitted_work.jobs:
            warn_of(job.metric, job.metric.corpus_warning(job.context))
    if loads_network:
        # A class runs in actors, which load the network once; a function runs in tasks.
        sums_dataset = dataset.map_batches(
            Tasks, fn_constructor_args=(fitted_work, reads_files), **batches, **workers.pool(ray)
        )
    else:
        sums_dataset = dataset.map_batches(Tasks(fitted_work, reads_files).__call__, **batches)
    total = _added_up(ray, _results_of_tasks(sums_dataset, "scoring", n_tasks))
    bad = sorted(total.bad)
    if not total.sums:
        if bad:
            raise InputError(f"No file could be read. {' '.join(bad[:3])}")
        raise InputError(_NOTHING)
    _warn_of_artefacts(total.artefacts)
    results = [result_of(job.metric, total.sums[number]) for number, job in enumerate(work.jobs)]
    return [result.with_keys(result, bad_files=bad) for result in results]


def _contexts(dataset: Any, work: Work, n_tasks: int) -> dict[int, Any]:
    """Return the contexts of the whole corpus by job: a first pass, for metrics that must see all of it."""
    contexts: dict[int, Any] = {}
    for numbered_contexts in _results_of_tasks(dataset, "reading", n_tasks):
        for number, plain in numbered_contexts:
            add_up(contexts, {number: context_of(plain, work.jobs[number].metric)})
    return contexts


def _warn_of_artefacts(artefacts_by_column: Mapping[str, Artefacts]) -> None:
    """Warn of what only one side has: the predictions of a column, or the references."""
    for column, artefacts in artefacts_by_column.items():
        owner = "the predictions have"
        if len(artefacts_by_column) > 1:
            owner = f"the predictions of {shorten(column)} have"
        for message in artefacts.messages(owner, item="row").values():
            warn(message)


def _blocks_of_files(ray: Any, files: list[str], work: Work) -> list[dict[str, str]]:
    """Return the parts of files as blocks of a dataset, a task each; InputError where there are none."""
    n_tasks = round(_TASKS_OF_A_CPU * ray.cluster_resources().get("CPU", 1.0))
    # A file that is skipped is skipped as a whole: none is divided then.
    n_divided = 1 if work.skip_bad else n_tasks
    parts = list_parts(files, n_divided)
    blocks = []
    for task in tasks_of(parts, n_tasks):
        plain_parts = [asdict(part) for part in task]
        blocks.append({"parts": json.dumps(plain_parts)})
    if not blocks:
        raise InputError(_NOTHING)
    return blocks


def _file_parts(batch: Any) -> list[FilePart]:
    """Return the parts of files in a batch of these blocks."""
    parts = []
    for text in batch["parts"].to_pylist():
        parts += [FilePart(**part) for part in json.loads(text)]
    return parts


def _results_of_tasks(dataset: Any, activity: str, n_tasks: int) -> Iterator[Any]:
    """Yield the results of tasks, and show how many came; raises the first error."""
    bar: Any
    with bar_of(activity, "tasks", n_tasks) if n_tasks else line_of(activity) as bar:
        for batch in dataset.iter_batches(batch_size=None, batch_format="numpy"):
            for result in batch["result"]:
                if isinstance(result, TercetError):
                    raise result
                yield result
                if n_tasks:
                    bar.update(1)


def _added_up(ray: Any, results: Iterator[PartSums]) -> PartSums:
    """Return the sum of results, whatever their number: workers add up most of them."""
    # Small work, which must not wait for the tasks before it.
    added = ray.remote(num_cpus=0)(_sum_of)
    pending: list[PartSums] = []
    sums: list[Any] = []
    seen_parts: set[str] = set()
    for result in results:
        if result.parts and result.parts <= seen_parts:
            # It came twice, and its sums are among others by now.
            continue
        seen_parts |= result.parts
        pending.append(result)
        if len(pending) == _ADDED_AT_A_TIME:
            sums.append(added.remote(*pending))
            pending = []
    while len(sums) > _ADDED_AT_A_TIME:
        starts = range(0, len(sums), _ADDED_AT_A_TIME)
        sums = [added.remote(*sums[start : start + _ADDED_AT_A_TIME]) for start in starts]
    return _sum_of(*pending, *ray.get(sums))


def _sum_of(*results: PartSums) -> PartSums:
    return reduce(PartSums.add, results, PartSums())


# The Ray to use: the running one, the cluster of ``RAY_ADDRESS``, or a local one for the time of a call.

#: Object store memory of a local Ray: sums are small.
_OBJECT_STORE = 256 << 20
#: Settings of Ray Data: raise the error of a user's function unchanged; let counting take every core. Its bars would
#: show blocks that nobody asked for.
_SETTINGS = {
    "raise_original_map_exception": True,
    "op_resource_reservation_enabled": False,
    "enable_progress_bars": False,
}
#: Seconds in which a cluster must answer.
_PATIENCE = 10


@contextmanager
def _running_ray() -> Iterator[Any]:
    """Yield the package ray, connected; a Ray that was started here is stopped at the end."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = os.environ.get("RAY_ADDRESS", "")
    if not address:
        # Read when Ray is imported: a local Ray listens on 127.0.0.1 only, as on Windows.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    needs("Scoring on a cluster", "ray", "ray")
    import ray
    import ray.data

    is_started_here = not ray.is_initialized()
    if is_started_here:
        _check_address(address)
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if not address:
            settings |= {"address": "local", "include_dashboard": False, "object_store_memory": _OBJECT_STORE}
        try:
            ray.init(**settings)
        except Exception as error:
            problem = "Ray did not start"
            if address:
                problem = f"RAY_ADDRESS is {shorten(address)}, where no Ray cluster answers"
            raise OptionError(f"{problem}. {first_line(error)}") from None
    context = ray.data.DataContext.get_current()
    log = logging.getLogger("ray.data")
    # The program's own settings, which are put back at the end.
    settings_before = {name: getattr(context, name) for name in _SETTINGS}
    level = log.level
    for name, value in _SETTINGS.items():
        setattr(context, name, value)
    log.setLevel(logging.CRITICAL)
    try:
        with _plain_errors(ray):
            yield ray
    finally:
        for name, value in settings_before.items():
            setattr(context, name, value)
        log.setLevel(level)
        if is_started_here:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Raise an OptionError for a host that does not answer: Ray would wait for it for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise OptionError(f"RAY_ADDRESS is {address!r}, where no Ray cluster answers. {first_line(error)}") from None


@contextmanager
def _plain_errors(ray: Any) -> Iterator[None]:
    """Raise Ray's errors without its tracebacks: those of lost workers and of a user's functions on a dataset."""
    try:
        yield
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None) or error
        raise TercetError(f"Ray failed. {first_line(cause)}") from cause
