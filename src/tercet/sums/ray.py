"""Scores of corpora of any size with Ray Data: on the cores of one machine, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from tercet.api import make_scorer
from tercet.checks import spelled
from tercet.errors import InputError, OptionError, shorten
from tercet.files.table import Roles
from tercet.metric.metric import Metric
from tercet.metric.scorer import Scorer
from tercet.result import Result
from tercet.statistics.progress import bars_within

from .cluster import running_ray
from .corpus_files import BadFileError, list_files, roles_in
from .run import Workers, run
from .summing import check_in_parts
from .text_columns import choose_columns, roles_of
from .work import Job, Work, check_folder, labels_of


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
        dataset that comes twice, with the same ids and texts, counts once. Default: items are identified by their
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
        scorer = make_scorer(metric, options)
    [result] = score_systems(
        data, {scorer.name: scorer}, systems=None if prediction is None else [prediction], references=references,
        id=id, cluster=cluster, write_segments=write_segments, on_bad_file=on_bad_file, progress=progress,
        workers=Workers(num_gpus, concurrency), one_system=True,
    ).values()  # fmt: skip
    return result


def score_systems(
    data: Any,
    scorers: Mapping[str, Scorer],
    *,
    systems: Sequence[str] | None = None,
    references: str | Sequence[str] | None = None,
    id: str | None = None,
    cluster: str | None = None,
    write_segments: str | os.PathLike[str] | None = None,
    on_bad_file: str = "error",
    progress: bool = True,
    workers: Workers = Workers(),  # noqa: B008  nothing changes it
    one_system: bool = False,
) -> dict[tuple[str, str], Result]:
    """Score several systems by several metrics in one pass over a corpus; results by system and label of a metric.

    Without `systems`, the columns recognized as predictions by name are scored; with `one_system` there may be only
    one. The other parameters are as for :func:`score`.
    """
    if on_bad_file not in ("error", "skip"):
        raise OptionError(f"on_bad_file must be 'error' or 'skip'. Got {shorten(on_bad_file)} instead.")
    for scorer in scorers.values():
        check_in_parts(scorer, passes=2)
    is_dataset = any(each.__module__.startswith("ray.data") for each in type(data).__mro__)
    files = None if is_dataset else list_files(data)
    if files is None and write_segments is not None and id is None:
        raise InputError(
            "The rows of a dataset have no numbers: give id= to name the items whose scores are written."
        )
    folder = None if write_segments is None else os.fspath(write_segments)
    if folder is not None:
        check_folder(folder, files or ())
    with bars_within(progress), running_ray() as ray:
        if files is None:
            roles, known = roles_of(data.schema().base_schema), data.schema().names
        else:
            roles, known = _roles_in_first(files, on_bad_file == "skip")
        compares = any(scorer.takes_references for scorer in scorers.values())
        columns, named = choose_columns(
            roles, known, systems, references, id, take_references=compares, one_system=one_system, cluster=cluster
        )
        listed = [(system, metric, scorer) for system in columns for metric, scorer in scorers.items()]
        labels = labels_of(listed)
        jobs = tuple(Job(one[2], one[0], own) for one, own in zip(listed, labels, strict=True))
        if folder is not None and id in {label for own in labels for label in own.values()}:
            raise InputError(f"The column of the ids, {id!r}, has the name of a score: rename it.")
        work = Work(jobs, tuple(named) if compares else (), id, folder, on_bad_file == "skip", cluster)
        results = run(ray, data if files is None else files, work, workers)
    return {(system, metric): result for (system, metric, _), result in zip(listed, results, strict=True)}


def _roles_in_first(files: Sequence[str], skip_bad: bool) -> tuple[Roles, list[str]]:
    """Return the roles of the columns of the first readable file, and all names."""
    for path in files:
        try:
            return roles_in(path)
        except BadFileError as error:
            if not skip_bad:
                raise
            last = error
    raise InputError(f"No file could be read. {last}")
