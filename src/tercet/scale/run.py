"""Work on the parts of a corpus as Ray Data runs it: by tasks, or by actors that keep a network; then one sum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa
from ray.data import from_items
from ray.data.aggregate import AggregateFnV2

from tercet.core.result import Result
from tercet.errors import InputError
from tercet.scoring import tell
from tercet.streams.learnt import learnt_of, plain_of
from tercet.streams.summary import result_of

from .partials import Partials
from .parts import Part, list_parts
from .work import Work
from .workers import Workers

#: Rows of a dataset that a network gets at a time: many texts have neighbours of their length.
_ROWS_OF_NETWORKS = 1 << 14
#: The most parts that are scheduled one by one.
_MOST_TASKS = 2_000


class SumOfParts(AggregateFnV2):  # type: ignore[misc]
    """Ray Data's aggregate of the tables that workers return: their sums, exactly, in any order."""

    def __init__(self) -> None:
        super().__init__("sums", lambda: b"", on=None, ignore_nulls=False)

    def aggregate_block(self, block: Any) -> bytes:
        """Return the sums of some tables."""
        return Partials.of_table(block).to_bytes()

    def combine(self, current_accumulator: bytes, new: bytes) -> bytes:
        """Return the sums of both."""
        return Partials.joined(map(Partials.of_bytes, (current_accumulator, new))).to_bytes()

    def finalize(self, accumulator: bytes) -> bytes:
        """Return the sums."""
        return accumulator


class Counter:
    """What an actor, or a task, does: it has the work, and with it a network that is loaded once."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, batch: Any) -> Any:
        """Return the sums of a table of texts, or of parts of files."""
        if batch.column_names != _OF_PARTS:
            return self._work.of_table(batch).to_table()
        return Partials.joined(map(self._work.of_part, _parts(batch))).to_table()


class Learner:
    """What a worker does in the pass before, for metrics that must see the whole corpus."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, batch: Any) -> Any:
        """Return what the scorers learn from texts, or parts of files, by the numbers of their jobs."""
        if batch.column_names != _OF_PARTS:
            found = [self._work.learn([batch])]
        else:
            found = [self._work.learn_of_part(part) for part in _parts(batch)]
        rows = [(number, json.dumps(plain_of(own))) for each in found for number, own in each.items()]
        jobs, learnt = ([row[column] for row in rows] for column in range(2))
        return pa.table({"job": pa.array(jobs, pa.int32()), "learnt": pa.array(learnt, pa.string())})


def run(ray: Any, data: Any, work: Work, workers: Workers) -> list[Result]:
    """Return the result of each job.

    Parameters
    ----------
    ray : module
        Running.
    data : ray.data.Dataset or list of str
        Tables of texts, or files.
    work : Work
    workers : Workers

    Raises
    ------
    InputError
        For texts that cannot be scored; as :func:`.parts.list_parts`.
    """
    dataset, rows = _dataset(data, work)
    network = any(job.scorer.loads_model for job in work.jobs)
    pool = workers.strategy(ray.cluster_resources()) if network else {}
    settings = {
        "batch_format": "pyarrow",
        "batch_size": _ROWS_OF_NETWORKS if network and rows is None else rows,
        **pool,
    }
    if any(job.scorer.needs_corpus for job in work.jobs):
        work = work.knowing(_learnt(dataset, work, settings))
        for job in work.jobs:
            tell(job.scorer, job.scorer.notice(job.context))
    counter: Any = Counter if pool else Counter(work).__call__
    made = {"fn_constructor_args": (work,)} if pool else {}
    found = dataset.map_batches(counter, **settings, **made).aggregate(SumOfParts())
    sums = Partials.of_bytes(found["sums"])
    if not sums.totals:
        raise InputError(f"No file could be read. {' '.join(sums.bad[:3])}" if sums.bad else _NOTHING)
    results = []
    for number, job in enumerate(work.jobs):
        result = result_of(job.scorer, sums.totals[number])
        results.append(result.with_keys(result, bad_files=sorted(sums.bad)))
    return results


_OF_PARTS = ["path", "group", "number", "first_row"]
_WHOLE = -1
_NOTHING = "There are no items to score."


def _dataset(data: Any, work: Work) -> tuple[Any, int | None]:
    """Return the dataset to work on, and how many of its rows are a piece of work; None for a block."""
    if not isinstance(data, list):
        return data.select_columns(work.columns), None
    parts = list_parts(data, work.skip_bad)
    if not parts:
        raise InputError(_NOTHING)
    rows = [{**asdict(part), "group": _WHOLE if part.group is None else part.group} for part in parts]
    return from_items(rows, override_num_blocks=min(len(rows), _MOST_TASKS)), 1


def _parts(batch: Any) -> Sequence[Part]:
    rows = batch.to_pylist()
    return [Part(**{**row, "group": None if row["group"] == _WHOLE else row["group"]}) for row in rows]


def _learnt(dataset: Any, work: Work, settings: dict[str, Any]) -> dict[int, Any]:
    """Return what the scorers learn from the whole corpus, by job."""
    plain = {name: settings[name] for name in ("batch_format", "batch_size")}
    total: dict[int, Any] = {}
    for row in dataset.map_batches(Learner(work).__call__, **plain).iter_rows():
        number = row["job"]
        own = learnt_of(json.loads(row["learnt"]), work.jobs[number].scorer)
        total[number] = total[number] + own if number in total else own
    return total
