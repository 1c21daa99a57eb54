"""A log of inspect-ai (.eval, .json) -> a table with a row per sample and epoch."""

from __future__ import annotations

import io
import json
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO

import pyarrow as pa

from tercet.errors import InputError, first_line, level_of_caller, shorten

from .limits import LIMITS, Limits, read_whole
from .table import Log, RaggedRows, Roles

_ZSTD = 93  # the compression that the package writes, which zipfile reads since Python 3.14
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json")
_HEADERS = ("header.json", "_journal/start.json")  # the second alone where the run has not ended

#: What damaged archives, compressed bytes and JSON raise; of RuntimeErrors, nesting too deep is one.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, pa.ArrowException, EOFError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip

#: What a log says of its run, and its samples.
Parts = tuple[dict[str, Any], list[dict[str, Any]]]


def read_inspect(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Log:
    """Read a log, which is an archive of JSON (.eval) or one object (.json)."""
    data = read_whole(stream, name, limits)
    try:
        if data.startswith(b"PK"):
            spec, samples = _archived(data, name, limits.unpacking(len(data)))
        else:
            limits.check_json([data], name)
            spec, samples = _parts(json.loads(data))
    except InputError:
        raise
    except _DAMAGED as error:
        raise InputError(
            f"{name} is not a log of inspect-ai with samples (.eval, .json), nor JSON Lines, an object per line "
            f"(.jsonl): {first_line(error)}."
        ) from None
    return _log(spec, samples, name)


def _archived(data: bytearray, name: str, limits: Limits) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {each.filename: each for each in archive.infolist()}  # of a sample that was run again, the last
        header = next((entries[each] for each in _HEADERS if each in entries), None)
        samples = [each for path, each in entries.items() if _SAMPLE.fullmatch(path)]
        if header is None:
            raise ValueError(f"it has no {_HEADERS[0]}")
        limits.check(sum(each.file_size for each in (header, *samples)), 0, name)
        parts = [_bytes(archive, data, each) for each in (header, *samples)]
        limits.check_json(parts, name)
        run, *read = map(json.loads, parts)
        return _parts({**run, "samples": read})


def _parts(log: Any) -> Parts:
    """Return what the log says of the run, and its samples."""
    spec, samples = (log.get(each) for each in ("eval", "samples")) if isinstance(log, dict) else (None, None)
    if not isinstance(spec, dict) or not isinstance(samples, list) or not all(map(_is_sample, samples)):
        raise ValueError("expected an object with 'eval' and 'samples'")
    return spec, samples


def _is_sample(each: Any) -> bool:
    return isinstance(each, dict) and all(isinstance(each.get(part) or {}, dict) for part in ("output", "metadata"))


def _bytes(archive: zipfile.ZipFile, data: bytearray, entry: zipfile.ZipInfo) -> Any:
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    # the header before the bytes ends with a name and more, of these lengths
    start = entry.header_offset + 30 + sum(struct.unpack_from("<HH", data, entry.header_offset + 26))
    packed = data[start : start + entry.compress_size]
    return pa.decompress(packed, entry.file_size, codec="zstd", asbytes=True)


def _log(spec: dict[str, Any], samples: list[dict[str, Any]], name: str) -> Log:
    """Return the samples in the order in which the package has them; those that ended with an error are left out."""
    failed = [each for each in samples if each.get("error")]
    if failed:
        warnings.warn(
            f"{name}: {len(failed):,} of {len(samples):,} samples ended with an error, the first has the id "
            f"{shorten(failed[0].get('id'))}: left out.",
            stacklevel=level_of_caller(),
        )
    kept = sorted((each for each in samples if not each.get("error")), key=_order)
    rows = RaggedRows(name)
    for number, sample in enumerate(kept, 1):
        output, metadata = (
            found if isinstance(found := sample.get(part), dict) else {} for part in ("output", "metadata")
        )
        rows.add(
            number,
            {
                **{part: str(sample.get(part)) for part in ("id", "epoch")},
                "input": _asked(sample.get("input")),
                "target": sample.get("target"),
                "output.completion": output.get("completion"),
                **{f"metadata.{key}": value for key, value in metadata.items()},
            },
        )
    table = rows.table("samples without an error")
    return Log(
        name, table.columns, table.lines, harness="inspect-ai", task=str(spec.get("task")),
        run=str(spec.get("model") or ""), key=("id", "epoch"),
        roles=Roles("input", ("target",), ("output.completion",)),
        scores=tuple(dict.fromkeys(name for each in kept for name in each.get("scores") or ())),
    )  # fmt: skip


def _order(sample: dict[str, Any]) -> tuple[str, str]:
    return str(sample.get("epoch")).zfill(20), str(sample.get("id")).zfill(20 * isinstance(sample.get("id"), int))


def _asked(given: Any) -> str | None:
    """Return the input, or the text of the last message of a chat."""
    while isinstance(given, list) and given and isinstance(given[-1], dict):
        given = _content(given[-1])
    return given if isinstance(given, str) else None


def _content(part: dict[str, Any]) -> Iterable[Any] | None:
    return part.get("content", part.get("text"))
