"""COMET (comet-score --to_json, comet-compare --to_json): <any>.json, an object of systems with their segments.

    {"out/base.txt": [{"src": "Der Hund", "mt": "The dog", "ref": "A dog", "COMET": 0.91}]}

Known by: segments with src, mt and COMET; or, by comet-compare, source, translations and statistical_results.
A row per segment, a system per file of texts; the score is COMET.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.table import MOST_COLUMNS, Log, Roles

from .log_format import LogFormat
from .run_names import stem_of
from .scores import numbers_of_scores
from .system_columns import system_column

_SOURCE = "src"
_TEXT = "mt"
_REFERENCE = "ref"
_SCORE = "COMET"
#: Keys of what comet-compare writes.
_COMPARED = {"source", "translations", "statistical_results"}
#: What tells segments apart: their lines in the files, and their sources.
_ROW = "row"

#: A segment as comet-score writes it.
_CometSegment = Mapping[str, Any]


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the segments of all systems, by their lines; None for what COMET did not write."""
    if content.keys() >= _COMPARED:
        systems = _systems_compared(content, name)
    elif content and all(map(_are_scored, content.values())):
        systems = dict(content)
    else:
        return None
    if len(systems) > MOST_COLUMNS:
        raise InputError(f"{name}: more than {MOST_COLUMNS} systems; expected at most that.")
    first_segments = next(iter(systems.values()))
    labels = _labels(list(systems))
    columns: dict[str, list[Any]] = {
        _ROW: [str(number) for number in range(1, len(first_segments) + 1)],
        _SOURCE: [_segment_text(segment, _SOURCE, name) for segment in first_segments],
    }
    has_references = _REFERENCE in first_segments[0]
    if has_references:
        columns[_REFERENCE] = [_segment_text(segment, _REFERENCE, name) for segment in first_segments]
    scores: dict[str, list[Any]] = {}
    for label, (system, segments) in zip(labels, systems.items(), strict=True):
        _check_same(system, segments, columns, name)
        column = system_column(_TEXT, label)
        columns[column] = [_segment_text(segment, _TEXT, name) for segment in segments]
        scores[column] = [segment.get(_SCORE) for segment in segments]
    references: tuple[str, ...] = ()
    if has_references:
        references = (_REFERENCE,)
    run = stem_of(name)
    if len(labels) == 1:
        (run,) = labels
    return Log(
        name,
        columns,
        list(range(1, len(first_segments) + 1)),
        unit="segment",
        harness=FORMAT.harness,
        task=_SCORE,
        run=run,
        key=(_ROW, _SOURCE),
        roles=Roles(_SOURCE, references, tuple(scores)),
        scores=(_SCORE,),
        numbers=numbers_of_scores({_SCORE: scores}, name),
        higher_is_better={_SCORE: True},
        names_systems=True,
    )


FORMAT = LogFormat(_SCORE, in_object=log_in_object)


def _are_scored(segments: Any) -> bool:
    """Return whether these are the segments of a system as comet-score writes them, by the first of them."""
    is_list = isinstance(segments, list) and segments and isinstance(segments[0], dict)
    return bool(is_list) and segments[0].keys() >= {_SOURCE, _TEXT, _SCORE}


def _systems_compared(content: Mapping[str, Any], name: str) -> dict[str, list[_CometSegment]]:
    """Return the segments by system of what comet-compare writes: lists of texts and of scores."""
    systems: dict[str, list[_CometSegment]] = {}
    for number, system in enumerate(_checked_list(content["translations"], "translations", name), 1):
        if not isinstance(system, dict) or not system.keys() >= {"name", _TEXT, "scores"}:
            raise InputError(f"{name}, translation {number}: expected an object with name, mt and scores.")
        lists = {_SOURCE: content["source"], _TEXT: system[_TEXT], _SCORE: system["scores"]}
        if content.get("reference") is not None:
            lists[_REFERENCE] = content["reference"]
        for column, cells in lists.items():
            _checked_list(cells, column, name)
        counts = [f"{len(cells):,} of {column}" for column, cells in lists.items()]
        if len(set(map(len, lists.values()))) > 1:
            raise InputError(f"{name}: {shorten(system['name'])} has {', '.join(counts)}; expected as many of each.")
        rows = zip(*lists.values(), strict=True)
        label = str(system["name"])
        if label in systems:
            raise InputError(f"{name}: the translation {shorten(label)} occurs twice; expected each system once.")
        systems[label] = [dict(zip(lists, cells, strict=True)) for cells in rows]
    if not any(systems.values()):
        raise InputError(f"{name} is empty; expected translations with segments.")
    return systems


def _checked_list(value: Any, what: str, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{name}: expected a list as {what}, got {shorten(value)}.")
    return value


def _check_same(system: str, segments: Sequence[_CometSegment], columns: Mapping[str, list[Any]], name: str) -> None:
    """Raise an InputError for a system with other sources or references than the first."""
    n_segments = len(columns[_ROW])
    if len(segments) != n_segments:
        raise InputError(f"{name}: {shorten(system)} has {len(segments):,} segments, others have {n_segments:,}.")
    for number, segment in enumerate(segments, 1):
        for column in (_SOURCE, _REFERENCE):
            if column in columns and _segment_text(segment, column, name) != columns[column][number - 1]:
                raise InputError(
                    f"{name}, segment {number} of {shorten(system)}: the {column} is {shorten(segment[column])}, and "
                    f"{shorten(columns[column][number - 1])} for the first system; expected one for all."
                )


def _segment_text(segment: Any, key: str, name: str) -> str:
    if not isinstance(segment, dict):
        raise InputError(f"{name}: expected an object with {key} as a segment, got {shorten(segment)}.")
    text = segment.get(key)
    if not isinstance(text, str):
        raise InputError(f"{name}: expected a text as {key} of a segment, got {shorten(text)}.")
    return text


def _labels(files: Sequence[str]) -> list[str]:
    """Return the names of systems: those of their files without folder and ending, where these differ."""
    labels = [" ".join(re.sub(r"\.[A-Za-z]+$", "", Path(file).name).split()) for file in files]
    if len(set(labels)) < len(labels) or not all(labels):
        return list(files)
    return labels
