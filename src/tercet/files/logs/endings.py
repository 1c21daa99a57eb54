"""How answers ended, as programs say it: as they should, cut off, stopped by a filter, or with an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.files.json_values import field_of
from tercet.files.numbers import is_missing, is_written_number

#: Reasons to stop by which an answer is not what the model would have said. No program has them all.
_REASONS = {
    # finish_reason of OpenAI's chats.
    "length": "cut off",
    "content_filter": "stopped by a filter",
    # reason of incomplete_details, of OpenAI's responses.
    "max_output_tokens": "cut off",
    # stop_reason of Anthropic's messages; in capital letters, the first is one of Gemini, as SAFETY is.
    "max_tokens": "cut off",
    "model_context_window_exceeded": "cut off",
    "refusal": "refused",
    "safety": "stopped by a filter",
    # finish_reason of Gemini, as of google-cloud-aiplatform 1.134: beside SAFETY, what else is not to be said.
    **dict.fromkeys(("recitation", "blocklist", "prohibited_content", "spii"), "stopped by a filter"),
    # stopReason of Amazon Bedrock's Converse (API 2023-09-30), beside max_tokens and model_context_window_exceeded.
    **dict.fromkeys(("guardrail_intervened", "content_filtered"), "stopped by a filter"),
    # stop_reason of inspect-ai 0.3, beside max_tokens and content_filter.
    "model_length": "cut off",
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


def wrong_ends_of_choices(choices: Any, key: str) -> list[str]:
    """Return what is wrong with each of a request's answers; "" where nothing is."""
    if not isinstance(choices, list):
        return []
    return [wrong_end(field_of(choice, key)) for choice in choices]


def wrong_ends(column: str, cells: Sequence[Any]) -> dict[int, str]:
    """Return what is wrong with answers, by row, as the cells of one of `ENDING_COLUMNS` say.

    Nothing of a column that may say something else: whose states are not all known (``passed``), or whose errors are
    numbers, or are texts in half of the rows or more (see :func:`doubtful_errors`).
    """
    endings = _ENDINGS_IN[column](cells)
    return {row: ending for row, ending in endings.items() if ending}


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


def _ends_by_reasons(cells: Sequence[Any]) -> dict[int, str]:
    return {row: wrong_end(cell) for row, cell in _present(cells).items()}


def _ends_by_states(cells: Sequence[Any]) -> dict[int, str]:
    states = {row: str(cell).strip().casefold() for row, cell in _present(cells).items()}
    if not _STATES.keys() >= set(states.values()):
        return {}
    return {row: _STATES[state] for row, state in states.items()}


def _ends_by_errors(cells: Sequence[Any]) -> dict[int, str]:
    if doubtful_errors("error", cells):
        return {}
    return _ends_by_messages(cells)


def _ends_by_messages(cells: Sequence[Any]) -> dict[int, str]:
    present = _present(cells)
    if not all(map(_is_message, present.values())):
        return {}
    return dict.fromkeys(present, "failed")


#: By columns of tables, of exactly these names, what they say of the answers in their rows; the last is of objects.
_ENDINGS_IN = {
    "finish_reason": _ends_by_reasons,
    "status": _ends_by_states,
    "error": _ends_by_errors,
    "error.message": _ends_by_messages,
}
ENDING_COLUMNS = tuple(_ENDINGS_IN)
