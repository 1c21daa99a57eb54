"""Results of programs that give samples no ids, such as ragas -> a log whose samples are told by their inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tercet.errors import InputError
from tercet.files.numbers import read_score
from tercet.files.table import Log, Roles, Table
from tercet.files.tables.json_tables import written, written_or_empty

from .run_names import run_of
from .scores import numbers_of_scores, score_of

#: The columns that tell samples apart: what was asked, with the references where one input has several, and how often
#: it was asked before.
_KEY = ("input text", "repeat")
#: How metrics begin of which lower scores are better, though their names do not say it of any score: one of ragas
#: 0.4, and two of MLflow 3.
_LOWER = ("noise_sensitivity", "ari_grade_level", "flesch_kincaid_grade_level")


def results_log(
    harness: str,
    table: Table,
    roles: Roles,
    values: Mapping[str, list[Any]],
    *,
    task: str = "",
    run: str = "",
    higher_is_better: Mapping[str, bool] | None = None,
) -> Log:
    """Return the results of a run, which is called as its file where they do not name it.

    Samples have no ids: they are the same where their inputs are, and the references of these.
    """
    (output,) = roles.systems
    missing = [None] * len(table.lines)
    columns = dict(table.columns)
    columns[output] = list(map(written_or_empty, table.columns.get(output, missing)))
    references = []
    for column in roles.references:
        cells = table.columns.get(column, [])
        if any(cell not in (None, "", []) for cell in cells):
            references.append(column)
            columns[column] = list(map(_text_or_list, cells))
    source = roles.source
    inputs = table.columns.get(source or "", missing)
    if not any(inputs):
        source = None
    no_texts = ""
    if not any(columns[output]):
        no_texts = f"{table.name} has no texts in {output!r}"
    key = _key_of(inputs, [columns[column] for column in references])
    directions = {metric: False for metric in values if metric.startswith(_LOWER)}
    directions |= higher_is_better or {}
    return Log(
        table.name,
        columns | key,
        table.lines,
        harness=harness,
        task=task or harness,
        run=run or run_of(table.name),
        key=tuple(key),
        roles=Roles(source, tuple(references), roles.systems),
        scores=tuple(values),
        numbers=numbers_of_scores({metric: {output: cells} for metric, cells in values.items()}, table.name),
        higher_is_better=directions,
        no_texts=no_texts,
    )


def with_one_key(runs: Mapping[str, Log]) -> Mapping[str, Log]:
    """Return the runs of a task with references in the keys of all of them, where some run needs them there.

    A run may have only some of the samples, and among these no input twice.
    """
    new_keys: dict[str, dict[str, list[str]]] = {}
    some_have_references = False
    for name, log in runs.items():
        if log.key != _KEY:
            continue
        inputs = [written_or_empty(cell) for cell in log.column(log.roles.source or "")]
        if log.columns[_KEY[0]] == inputs:
            new_keys[name] = _numbered(
                _with_references(inputs, [log.column(column) for column in log.roles.references])
            )
        else:
            some_have_references = True
    if not some_have_references:
        return runs
    return {name: replace(log, columns=log.columns | new_keys.get(name, {})) for name, log in runs.items()}


def score_in_cell(cell: Any, answers: Mapping[str, int] = MappingProxyType({})) -> Any:
    """Return a number that a cell is, or is written in it, also as one of `answers`; None where it is missing."""
    if not isinstance(cell, str):
        return score_of(cell)
    with suppress(InputError):
        return score_of(read_score(cell, "a score"))
    return answers.get(cell.lower(), cell)


def _text_or_list(cell: Any) -> Any:
    """Return references as they are written: a list, a text, or None."""
    if isinstance(cell, list | None):
        return cell
    return written(cell)


def _key_of(inputs: Sequence[Any], references: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    """Return columns that tell samples apart; without inputs, samples are told apart by their rows."""
    texts = [written_or_empty(cell) for cell in inputs]
    with_references = _with_references(texts, references)
    if len(set(with_references)) > len(set(texts)):
        # One input with several references, such as a prompt that all samples share.
        texts = with_references
    if not any(inputs) or (len(set(texts)) == 1 and len(texts) > 1):
        return {"row": [str(number) for number in range(1, len(texts) + 1)]}
    return _numbered(texts)


def _with_references(texts: Sequence[str], references: Sequence[Sequence[Any]]) -> list[str]:
    return [f"{text} {[column[row] for column in references]}" for row, text in enumerate(texts)]


def _numbered(texts: list[str]) -> dict[str, list[str]]:
    repeats: Counter[str] = Counter()
    numbers = []
    for text in texts:
        repeats[text] += 1
        numbers.append(str(repeats[text]))
    return dict(zip(_KEY, (texts, numbers), strict=True))
