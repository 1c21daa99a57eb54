"""inspect-ai: <date>_<task>_<id>.json, an object; or .eval, an archive with a file of JSON for each sample.

    {"eval": {"task": "sums", "model": "openai/gpt-4o"}, "status": "success",
     "samples": [{"id": 1, "epoch": 1, "input": "Q: ...", "target": "18",
                  "output": {"completion": "18"}, "scores": {"match": {"value": "C"}}}]}

Known by: an object as eval, and samples. A row per id and epoch; scores: the `value` of each scorer, a number or a
grade such as C; where one has several values, each of these.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from tercet.corpus.chats import content_text
from tercet.errors import shorten, warn
from tercet.files.json_values import field_of
from tercet.files.limits import Limits
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles

from .endings import wrong_ends_of_choices
from .log_format import LogFormat
from .moments import DATE
from .scores import numbers_of_scores

# The compression that the package writes, which zipfile reads since Python 3.14.
_ZSTD = 93
_COMPLETION = "output.completion"
#: Values that stand for numbers, as value_to_float of inspect-ai 0.3 has them: correct, partially so, incorrect, no
#: answer; and yes and no.
_GRADES = {"C": 1, "P": 0.5, "I": 0, "N": 0}
_ANSWERS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json")
# Only the second is there where the run has not ended.
_HEADERS = ("header.json", "_journal/start.json")
#: What a log of inspect-ai 0.3 says of a run that did not come to its end.
_UNENDED = ("started", "cancelled", "error")


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the samples in the order in which the package has them; None for what it did not write.

    Those that ended with an error are left out.
    """
    spec = content.get("eval")
    samples = content.get("samples")
    if not isinstance(spec, dict) or not isinstance(samples, list) or not all(map(_is_sample, samples)):
        return None
    failed = [sample for sample in samples if sample.get("error")]
    finished = [sample for sample in samples if not sample.get("error")]
    finished.sort(key=_epoch_and_id)
    status = content.get("status")
    n_lacking = _n_lacking(spec, status, len(samples))
    _warn_of_lost_samples(name, failed, status, n_lacking, len(samples))
    rows = RaggedRows(name)
    values = []
    wrong_ends: dict[tuple[str, ...], list[str]] = {}
    for number, sample in enumerate(finished, 1):
        rows.add(number, _cells_of_sample(sample))
        values.append(_score_values(sample.get("scores")))
        ending = _wrong_end(sample)
        if ending:
            wrong_ends[_key_of(sample)] = [ending]
    table = rows.table("samples without an error")
    scores = tuple(dict.fromkeys(chain.from_iterable(values)))
    by_system = {}
    for score in scores:
        by_system[score] = {_COMPLETION: [by_score.get(score) for by_score in values]}
    return Log(
        name,
        table.columns,
        table.lines,
        harness=FORMAT.harness,
        task=str(spec.get("task")),
        run=str(spec.get("model") or ""),
        key=("id", "epoch"),
        roles=Roles("input", ("target",), (_COMPLETION,)),
        scores=scores,
        numbers=numbers_of_scores(by_system, name),
        failed=frozenset(map(_key_of, failed)),
        n_unanswered={_COMPLETION: len(failed) + n_lacking},
        n_left_out=n_lacking,
        wrong_ends=wrong_ends,
    )


FORMAT = LogFormat(
    "inspect-ai",
    in_object=log_in_object,
    file_names=rf".+\.eval|{DATE}T.*\.json",
    in_words="*.eval of inspect-ai",
)


def object_in_archive(data: bytearray, name: str, limits: Limits) -> dict[str, Any]:
    """Return the log that is an archive as it is in JSON; ValueError for another one."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # Of a sample that was run again, the last entry remains.
        entries = {entry.filename: entry for entry in archive.infolist()}
        headers = [entries[path] for path in _HEADERS if path in entries]
        if not headers:
            raise ValueError(f"it has no {_HEADERS[0]}")
        samples = [entry for path, entry in entries.items() if _SAMPLE.fullmatch(path)]
        to_read = [headers[0], *samples]
        limits.check(sum(entry.file_size for entry in to_read), 0, name)
        parts = [_bytes(archive, data, entry) for entry in to_read]
        limits.check_json(parts, name)
        run, *sample_objects = map(json.loads, parts)
        # As the package has it, where nothing is said.
        return {"status": "started", **run, "samples": sample_objects}


def _warn_of_lost_samples(
    name: str, failed: Sequence[Mapping[str, Any]], status: Any, n_lacking: int, n_samples: int
) -> None:
    """Warn of samples that ended with an error, and of those that a run did not come to."""
    if failed:
        warn(
            f"{name}: {len(failed):,} of {n_samples:,} samples ended with an error, the first has the id "
            f"{shorten(failed[0].get('id'))}: left out."
        )
    if n_lacking:
        warn(
            f"{name}: the run broke off (status {shorten(status)}): {n_lacking:,} of "
            f"{n_lacking + n_samples:,} samples are not in the log."
        )


def _n_lacking(spec: Mapping[str, Any], status: Any, n_samples: int) -> int:
    """Return how many samples a run that broke off had before it; 0 where the log does not say it."""
    if status not in _UNENDED:
        return 0
    dataset = spec.get("dataset")
    config = spec.get("config") or {}
    if not isinstance(dataset, dict) or not isinstance(config, dict):
        return 0
    n_promised = dataset.get("samples")
    ids = dataset.get("sample_ids")
    if isinstance(ids, list):
        # Those that were chosen, of all in the data set.
        n_promised = len(ids)
    elif config.get("limit") is not None or config.get("sample_id") is not None:
        return 0
    epochs = config.get("epochs") or 1
    if not isinstance(n_promised, int) or not isinstance(epochs, int):
        return 0
    return max(0, n_promised * epochs - n_samples)


def _is_sample(sample: Any) -> bool:
    if not isinstance(sample, dict):
        return False
    return all(isinstance(sample.get(part) or {}, dict) for part in ("output", "metadata"))


def _bytes(archive: zipfile.ZipFile, data: bytearray, entry: zipfile.ZipInfo) -> Any:
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    # The header before an entry's bytes has 30 of its own, and then a name and an extra field of these lengths.
    start = entry.header_offset + 30 + sum(struct.unpack_from("<HH", data, entry.header_offset + 26))
    packed = data[start : start + entry.compress_size]
    import pyarrow as pa

    try:
        return pa.decompress(packed, entry.file_size, codec="zstd", asbytes=True)
    except pa.ArrowException as error:
        raise zipfile.BadZipFile(str(error)) from None


def _cells_of_sample(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ids, the texts and the metadata of a sample."""
    sample_id, epoch = _key_of(sample)
    cells = {
        "id": sample_id,
        "epoch": epoch,
        "input": _text_of_last_message(sample.get("input")),
        "target": sample.get("target"),
        _COMPLETION: _completion(sample.get("output") or {}),
    }
    for key, value in (sample.get("metadata") or {}).items():
        cells[f"metadata.{key}"] = value
    return cells


def _completion(output: Mapping[str, Any]) -> Any:
    """Return the answer, which logs up to inspect-ai 0.3.95 have in the first of the choices alone."""
    choices = output.get("choices")
    if output.get("completion") is not None or not isinstance(choices, list) or not choices:
        return output.get("completion")
    message = field_of(choices[0], "message")
    return content_text(field_of(message, "content"), f"{_COMPLETION} of a sample")


def _key_of(sample: Mapping[str, Any]) -> tuple[str, str]:
    """Return what tells a sample from others, as its row does."""
    return str(sample.get("id")), str(sample.get("epoch"))


def _wrong_end(sample: Mapping[str, Any]) -> str:
    """Return what is wrong with the end of an answer, such as a limit of time or tokens; "" where nothing is."""
    if sample.get("limit"):
        return "cut off"
    endings = wrong_ends_of_choices((sample.get("output") or {}).get("choices"), "stop_reason")
    return next(filter(None, endings), "")


def _score_values(scores: Any) -> dict[str, Any]:
    """Return the values of a sample's scores; of one with several, each by the name of the scorer and its own."""
    if not isinstance(scores, dict):
        return {}
    values: dict[str, Any] = {}
    for scorer, score in scores.items():
        value = score
        if isinstance(score, dict):
            value = score.get("value")
        if isinstance(value, dict):
            for name, part in value.items():
                values[f"{scorer}.{name}"] = _number_of_grade(part)
        else:
            values[scorer] = _number_of_grade(value)
    return values


def _number_of_grade(value: Any) -> Any:
    """Return the number that inspect-ai takes a text for, by default; other values as they are."""
    if not isinstance(value, str):
        return value
    if value in _GRADES:
        return _GRADES[value]
    try:
        return float(value)
    except ValueError:
        return _ANSWERS.get(value.lower(), value)


def _epoch_and_id(sample: dict[str, Any]) -> tuple[str, str]:
    sample_id, epoch = _key_of(sample)
    # Zeros before a number, so that 10 comes after 9; ids may also be names.
    if isinstance(sample.get("id"), int):
        sample_id = sample_id.zfill(20)
    return epoch.zfill(20), sample_id


def _text_of_last_message(content: Any) -> str | None:
    """Return the input, or the text of the last message of a chat."""
    text = content
    while isinstance(text, list) and text and isinstance(text[-1], dict):
        # A message has its text in "content", and a part of one in "text".
        last = text[-1]
        text = last.get("content", last.get("text"))
    if not isinstance(text, str):
        return None
    return text
