"""OpenCompass: predictions/<model>/<dataset>.json, an object of predictions by their numbers.

    {"0": {"origin_prompt": [{"role": "HUMAN", "prompt": "Q: ..."}], "prediction": "18", "gold": "18"}}

Known by: keys that are all numbers, objects with a prediction, and no references under another name than gold. A row
per number; there are no scores. The files <dataset>_0.json, <dataset>_1.json and so on are parts of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.columns.name_roles import clear_role
from tercet.files.json_values import as_list
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles
from tercet.files.tables.json_tables import written, written_or_empty

from .log_format import LogFormat
from .run_names import stem_of

_PROMPT = "origin_prompt"
_PREDICTION = "prediction"
_GOLD = "gold"
#: The name of a file with a part of a data set, in ASCII digits.
_PART = re.compile(r"(.+)_(0|[1-9][0-9]{0,5})")


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the predictions in an object by their numbers; None for what OpenCompass did not write."""
    samples = content.values()
    are_numbered = all(key.isascii() and key.isdecimal() for key in content)
    if are_numbered and any(map(_is_prediction, samples)) and not any(map(_has_reference, samples)):
        return _log_of_samples(content, name)
    return None


FORMAT = LogFormat(
    "OpenCompass",
    in_object=log_in_object,
    file_names=r".+\.json",
    folder="predictions",
    in_words="predictions/*/*.json of OpenCompass",
)


def _has_reference(row: Any) -> bool:
    """Return whether a row has references under another name than OpenCompass gives them."""
    if not isinstance(row, dict):
        return False
    return any(clear_role(name) == "reference" for name in row if name != _GOLD)


def _is_prediction(sample: Any) -> bool:
    return isinstance(sample, dict) and _PREDICTION in sample


def _log_of_samples(samples: Mapping[str, Any], name: str) -> Log:
    """Return the predictions of the model that the folder names; several sequences for a sample are its repeats."""
    rows = RaggedRows(name)
    no_texts = ""
    for index in sorted(samples, key=int):
        sample = samples[index]
        location = f"{name}, sample {shorten(index)}"
        if not _is_prediction(sample):
            raise InputError(f"{location}: expected an object with a prediction, got {shorten(sample)}.")
        prediction = sample[_PREDICTION]
        prompt = sample.get(_PROMPT)
        if "choices" in sample or any(part.startswith("label: ") for part in sample):
            if not no_texts:
                no_texts = f"{location}: the prediction is a choice by likelihood, not a text that a model wrote"
        elif isinstance(prediction, list) and (prompt is None or _are_turns(prompt)):
            raise InputError(f"{location}: the predictions are turns of a conversation; expected an answer.")
        cells = {
            "index": index,
            _PROMPT: _text_of_prompt(prompt),
            _PREDICTION: "",
            _GOLD: [written(text) for text in as_list(sample.get(_GOLD)) if text is not None],
        }
        if not no_texts:
            cells[_PREDICTION] = _text_or_repeats(prediction)
        rows.add(int(index) + 1, cells)
    table = rows.table("predictions")
    return Log(
        name,
        table.columns,
        table.lines,
        harness=FORMAT.harness,
        task=stem_of(name),
        run="",
        key=("index",),
        roles=Roles(_PROMPT, _gold_columns(table.columns), (_PREDICTION,)),
        no_texts=no_texts,
    )


def _gold_columns(columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the column of references, if there are any."""
    if any(columns[_GOLD]):
        return (_GOLD,)
    return ()


def _text_or_repeats(prediction: Any) -> str | list[str]:
    """Return the text of a prediction, or those of several sequences; "" where there is none."""
    texts = [written_or_empty(text) for text in as_list(prediction)]
    if len(texts) == 1:
        return texts[0]
    return texts or ""


def joined_parts(logs: Sequence[Log]) -> list[Log]:
    """Return the logs, with one for all parts into which OpenCompass split a data set, <dataset>_0.json and so on."""
    parts: dict[tuple[Path, str], dict[int, Log]] = {}
    for log in logs:
        match = _PART.fullmatch(log.task)
        if match and log.harness == FORMAT.harness:
            parts.setdefault((Path(log.name).parent, match[1]), {})[int(match[2])] = log
    whole: dict[str, Log | None] = {}
    for (folder, task), numbered in parts.items():
        n_parts = len(numbered)
        if n_parts > 1 and sorted(numbered) == list(range(n_parts)):
            in_order = [numbered[number] for number in range(n_parts)]
            # It stands where the first part does, and the others are gone.
            whole |= dict.fromkeys(part.name for part in in_order)
            whole[in_order[0].name] = _whole(in_order, str(folder / f"{task}.json"), task)
    with_whole = [whole.get(log.name, log) for log in logs]
    return [log for log in with_whole if log is not None]


def _whole(parts: Sequence[Log], name: str, task: str) -> Log:
    """Return the predictions of all parts, with indices that go on from one to the next."""
    columns: dict[str, list[Any]] = {}
    for column in parts[0].columns:
        columns[column] = []
        for part in parts:
            columns[column] += part.columns[column]
    lines = list(range(1, len(columns["index"]) + 1))
    columns["index"] = [str(line - 1) for line in lines]
    roles = replace(parts[0].roles, references=_gold_columns(columns))
    no_texts = next((part.no_texts for part in parts if part.no_texts), "")
    return replace(parts[0], name=name, task=task, columns=columns, lines=lines, roles=roles, no_texts=no_texts)


def _are_turns(prompt: Any) -> bool:
    """Return whether a prompt has a list of messages for each turn of a conversation."""
    return isinstance(prompt, list) and any(isinstance(turn, list) for turn in prompt)


def _text_of_prompt(prompt: Any) -> str | None:
    """Return a prompt, or the text of its last message; None where that is no text."""
    text = prompt
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], dict):
        last = prompt[-1]
        text = last.get("prompt", last.get("content"))
    if not isinstance(text, str):
        return None
    return text
