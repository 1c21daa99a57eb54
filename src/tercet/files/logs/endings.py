"""How answers ended, as programs say it: as they should, cut off, stopped by a filter, or with an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.files.json_values import field_of
from tercet.files.numbers import is_missing, is_written_number

#: Columns of tables, by exactly these names, that may say so of the answers in their rows; the last is of objects.
ENDING_COLUMNS = ("finish_reason", "status", "error", "error.message")

#: Reasons to stop, of programs that ask models, by which an answer is not what the model would have said.
_REASONS = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "cut off"),
    "model_context_window_exceeded": "cut off",
    "content_filter": "stopped by a filter",
    "safety": "stopped by a filter",
    "refusal": "refused",
}
#: All states of requests that are known; "" for those that say nothing bad.
_STATES = {
    **dict.fromkeys(("ok", "success", "succeeded", "successful", "complete", "completed", "done", "finished"), ""),
    **dict.fromkeys(
        ("error", "errored", "failed", "failure", "timeout", "timed_out", "cancelled", "canceled"), "failed"
    ),
    "expired": "failed",
    "incomplete": "cut off",
}


def wrong_end(reason: Any) -> str:
    """Return what is wrong with an answer that ended for this reason, in words; "" where nothing is.

    >>> wrong_end("length"), wrong_end("stop")
    ('cut off', '')
    """
    return _REASONS.get(str(reason).casefold(), "")


def wrong_end_of_any(choices: Any, key: str) -> str:
    """Return what is wrong with the first of a request's answers that did not end as it should; "" without any."""
    if not isinstance(choices, list):
        return ""
    for choice in choices:
        problem = wrong_end(field_of(choice, key))
        if problem:
            return problem
    return ""


def wrong_ends(column: str, cells: Sequence[Any]) -> dict[int, str]:
    """Return what is wrong with answers, by row, as the cells of one of `ENDING_COLUMNS` say.

    Nothing of a column that may say something else: whose states are not all known (``passed``), or whose errors are
    numbers, or are texts in half of the rows or more (see :func:`doubtful_errors`).
    """
    present = _present(cells)
    kinds: Mapping[int, str]
    if column == "finish_reason":
        kinds = {row: wrong_end(cell) for row, cell in present.items()}
    elif column == "status":
        states = {row: str(cell).strip().casefold() for row, cell in present.items()}
        if not _STATES.keys() >= set(states.values()):
            return {}
        kinds = {row: _STATES[state] for row, state in states.items()}
    else:
        if not all(map(_is_message, present.values())) or doubtful_errors(column, cells):
            return {}
        kinds = dict.fromkeys(present, "failed")
    return {row: kind for row, kind in kinds.items() if kind}


def doubtful_errors(column: str, cells: Sequence[Any]) -> list[int]:
    """Return the rows whose texts in a column of errors are too many to be failed answers for sure, else none.

    They may be remarks on the answers. Objects with a message are what programs write of a request that failed.

    >>> doubtful_errors("error", ["timeout", "timeout", ""]), doubtful_errors("error.message", ["timeout"])
    ([0, 1], [])
    """
    present = _present(cells)
    if column != "error" or 2 * len(present) < len(cells):
        return []
    if all(isinstance(field_of(cell, "message"), str) for cell in present.values()):
        return []
    if not all(map(_is_message, present.values())):
        return []
    return list(present)


def _present(cells: Sequence[Any]) -> dict[int, Any]:
    present: dict[int, Any] = {}
    for row, cell in enumerate(cells):
        is_empty = not cell or (isinstance(cell, str) and is_missing(cell))
        # A program may write an object of nothing for a request that did not fail: {"code": 0, "message": ""}.
        if isinstance(cell, dict):
            is_empty = not any(cell.values())
        if not is_empty:
            present[row] = cell
    return present


def _is_message(cell: Any) -> bool:
    return isinstance(cell, dict) or (isinstance(cell, str) and not is_written_number(cell))
