"""promptfoo's tables, as it exports them in all its versions: <any>.csv, or a Google sheet, a line per test.

    sum,[openai:gpt-4o] Q: {{sum}}
    1 + 17,[PASS] 18

Known by: outputs that all begin with a verdict; or by a column Status behind each. After ``[FAIL]`` come a reason, a
line ``---`` and the text; or, with scores, ``[PASS] (1.00, clarity: 0.50)``, the text and ``Pass Reason: ...``, each
after a blank line. Newer ones hold the text alone: Status, Score, Named Scores, Grader Reason, Comment are columns.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any, NamedTuple

from tercet.errors import shorten, warn
from tercet.files.rows import Row
from tercet.files.table import Log, Table

from .log_format import LogFormat
from .promptfoo import log_in_object

#: What may stand behind a column of outputs, about them.
_STATUS = "Status"
_SCORE = "Score"
_NAMED_SCORES = "Named Scores"
_GRADER_REASON = "Grader Reason"
_ABOUT_OUTPUTS = frozenset({_STATUS, _SCORE, _NAMED_SCORES, "Reasoning", _GRADER_REASON, "Comment"})
#: What divides the name of such a column from that of the outputs, where names are made distinct.
_DIVIDER = " / "
#: Columns of a test that are no variables: before its variables, and behind all outputs.
_NO_VARIABLES = frozenset({
    "Description", "Messages", "RedteamHistory", "RedteamTreeHistory", "pluginId", "strategyId", "sessionId",
    "sessionIds",
})  # fmt: skip
#: ``[openai:gpt-4o] Answer: {{question}}``
_HEADER = re.compile(r"\[([^\]]+)\] ?(.*)", re.DOTALL)
_VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\](?:\s|$)")
#: The score of a test, and those of its metrics.
_SCORES = re.compile(r"\((-?\d+\.\d\d|undefined|NaN)((?:, [^()]{1,10000})?)\)\s*")
_SCORE_OF_METRIC = re.compile(r", ([^()]{1,200}?): (-?\d+\.\d\d)(?=, |$)")
_REASON = re.compile(r"\n[ \t\r]*\n[ \t]*(?:Pass|Fail) Reason: ")
_LINE = re.compile(r"\r?\n---(?:\r?\n|$)")
_NO_ASSERTIONS = "No assertions"


def named_apart(rows: Sequence[Row]) -> list[Row]:
    """Return rows with distinct names in the first, where promptfoo repeats those that stand behind each output."""
    if not rows:
        return []
    line, header = rows[0]
    names = list(header)
    for number, name in enumerate(header, 1):
        behind = header[number:]
        if _HEADER.fullmatch(name) or behind[:1] == [_STATUS]:
            for index in range(_n_about(behind)):
                names[number + index] = f"{name}{_DIVIDER}{behind[index]}"
    return [(line, names), *rows[1:]]


def _n_about(names: Sequence[str]) -> int:
    """Return how many columns, from the first, are about an output; 0 where those are not there that all have."""
    about = list(takewhile(lambda name: name in _ABOUT_OUTPUTS, names))
    if _GRADER_REASON not in about:
        return 0
    return len(about)


def log_in_table(table: Table) -> Log | None:
    """Return the log of the results that a table of promptfoo has; None for another table."""
    results = _results_in(table)
    if not results:
        return None
    return log_in_object({"results": results}, table.name)


FORMAT = LogFormat("promptfoo", in_table=log_in_table)


def _results_in(table: Table) -> list[dict[str, Any]]:
    """Return the results that a table of promptfoo has; none for another table."""
    outputs = [name for name, cells in table.columns.items() if _has_status(table, name) or _are_verdicts(cells)]
    if not outputs:
        return []
    about_outputs = tuple(f"{output}{_DIVIDER}" for output in outputs)
    variables = []
    for name in table.columns:
        if name not in outputs and name not in _NO_VARIABLES and not name.startswith(about_outputs):
            variables.append(name)
    results: list[dict[str, Any]] = []
    unsure: list[str] = []
    for row in range(len(table.lines)):
        of_test = {name: table.columns[name][row] for name in variables}
        for index, name in enumerate(outputs):
            cell = _output_in_cell(table, name, row)
            if cell is None:
                continue
            if cell.is_unsure:
                unsure.append(table.location(row, name))
            provider, prompt = _provider_and_prompt(name)
            results.append(
                {
                    "testIdx": row,
                    "promptIdx": index,
                    "provider": provider,
                    "prompt": {"label": prompt},
                    "vars": of_test,
                    **cell.result(),
                }
            )
    if unsure:
        warn(
            f"{unsure[0]}: this output failed, and not one line '---' stands between the reason and the text, nor in "
            f"{len(unsure) - 1:,} more: the text is what is behind the first such line, or all. Results in JSON "
            "(promptfoo eval -o results.json) have both apart."
        )
    return results


class _OutputCell(NamedTuple):
    """What a cell says of an output."""

    text: str
    status: str
    #: None where it is not said.
    score: float | None
    named_scores: dict[str, float]
    reason: str
    #: Whether it is not clear where the text begins.
    is_unsure: bool = False

    def result(self) -> dict[str, Any]:
        """Return this as promptfoo's JSON has it."""
        if self.status == "ERROR":
            return {"response": None, "error": self.text or self.reason}
        result: dict[str, Any] = {
            "response": {"output": self.text},
            "success": self.status == "PASS",
            "score": self.score,
            "namedScores": self.named_scores,
        }
        # It passes then, with a score of 1.
        if self.reason == _NO_ASSERTIONS:
            result["gradingResult"] = {"reason": self.reason}
        return result


def _output_in_cell(table: Table, name: str, row: int) -> _OutputCell | None:
    """Return what a cell, and those about it, say of an output; None where they are empty."""
    cell = str(table.columns[name][row] or "")
    reason = str(_about(table, name, _GRADER_REASON, row) or "")
    if _has_status(table, name):
        status = str(_about(table, name, _STATUS, row) or "")
        if not status:
            return None
        score = _number(_about(table, name, _SCORE, row))
        return _OutputCell(cell, status, score, _named_scores(_about(table, name, _NAMED_SCORES, row)), reason)
    verdict = _VERDICT.match(cell)
    if verdict is None:
        return None
    status = verdict[1]
    text = cell[verdict.end() :]
    scores = _SCORES.match(text.lstrip())
    if scores is None:
        if status == "FAIL" and f"{name}{_DIVIDER}{_GRADER_REASON}" not in table.columns:
            return _failed_output(text)
        return _OutputCell(text, status, None, {}, reason)
    named = {metric: float(number) for metric, number in _SCORE_OF_METRIC.findall(scores[2])}
    text, reason = _without_reason(text.lstrip()[scores.end() :])
    return _OutputCell(text, status, _number(scores[1]), named, reason)


def _failed_output(text: str) -> _OutputCell:
    """Return an output behind the reason why it failed; it is unsure where not one line divides the two."""
    lines = list(_LINE.finditer(text))
    if not lines:
        return _OutputCell(text, "FAIL", None, {}, "", is_unsure=True)
    reason = text[: lines[0].start()]
    return _OutputCell(text[lines[0].end() :], "FAIL", None, {}, reason, is_unsure=len(lines) > 1)


def _without_reason(text: str) -> tuple[str, str]:
    """Return the text before the last reason, and the reason, which a text that failed may begin with, too."""
    matches = list(_REASON.finditer(text))
    if not matches:
        return text.strip(), ""
    last = matches[-1]
    reason = text[last.end() :].strip()
    before = text[: last.start()].strip()
    line = _LINE.search(before)
    if line is not None and before[: line.start()].strip() == reason:
        return before[line.end() :].strip(), reason
    return before, reason


def _provider_and_prompt(name: str) -> tuple[str, str]:
    """Return the provider and the prompt of a column of outputs."""
    match = _HEADER.fullmatch(name)
    if match is None:
        return shorten(name), ""
    return match[1], match[2]


def _are_verdicts(cells: Sequence[Any]) -> bool:
    """Return whether all cells with a text begin with a verdict."""
    texts = [cell for cell in cells if cell]
    return bool(texts) and all(isinstance(text, str) and _VERDICT.match(text) for text in texts)


def _has_status(table: Table, name: str) -> bool:
    return f"{name}{_DIVIDER}{_STATUS}" in table.columns


def _about(table: Table, name: str, part: str, row: int) -> Any:
    """Return the cell of a column about the outputs in another; None where there is no such column."""
    column = f"{name}{_DIVIDER}{part}"
    if column not in table.columns:
        return None
    return table.columns[column][row]


def _number(cell: Any) -> float | None:
    """Return the number in a cell, as JavaScript writes it: with a point; None where there is none."""
    with suppress(TypeError, ValueError):
        number = float(cell)
        # Not a number is no score.
        if not math.isnan(number):
            return number
    return None


def _named_scores(cell: Any) -> dict[str, float]:
    """Return the scores of metrics, an object in JSON."""
    with suppress(TypeError, ValueError, RecursionError):
        scores = json.loads(cell)
        if isinstance(scores, dict):
            return {str(name): score for name, score in scores.items() if isinstance(score, int | float)}
    return {}
