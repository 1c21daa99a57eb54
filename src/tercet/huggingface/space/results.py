"""What both tabs of the page share: the boxes of results, a result as HTML, and messages instead of one."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import gradio as gr

from tercet.errors import TercetError
from tercet.report.rendering import render

from .scoring import CONFIDENCE, PageResult

OUR_FAULT = "Something went wrong on the server and was logged. Your input is not to blame."

#: What is written into the box of a result, screen readers say, once they have finished what they are saying.
_ANNOUNCED = "element.setAttribute('aria-live', 'polite')"
_NO_CODE = "# The program that computes the same: here, once there is a result.\n"
_LOG = logging.getLogger(__name__)
#: Texts from which on a score is said to mean something of what wrote them: of fewer it says little.
_TEST_SET = 100
_APART = {"signature", "segments", "intervals", "hashcode", "interpretation", "score"}  # `score` is the primary one


def outcome_box(name: str, script: str = "") -> Any:
    """Return the box of a result, or of a message; a script runs when the page is loaded."""
    return gr.HTML(elem_id=name, js_on_load=f"{_ANNOUNCED}\n{script}")


def signature_box(name: str) -> Any:
    """Return the box of a signature, which shows once there is one."""
    return gr.Textbox(label="Signature", interactive=False, buttons=["copy"], visible=False, lines=2, elem_id=name)


def code_box(name: str) -> Any:
    """Return the box of the program that computes a result without the page, folded."""
    with gr.Accordion("Code for this", open=False, elem_id=name):
        return gr.Code(_NO_CODE, language="python", interactive=False, show_label=False, wrap_lines=True)


def hidden(box: Any) -> Any:
    """Return the update that hides a box of results of an earlier call."""
    if isinstance(box, gr.Button):
        # Its value is its name, which stays.
        return gr.update(visible=False)
    return gr.update(visible=False, value=None)


def without_code() -> Any:
    """Return the update of the box of the program where there is no result; it stays folded."""
    return gr.update(value=_NO_CODE)


def with_messages(
    compute: Callable[..., Sequence[Any]], of_error: Callable[[str], Sequence[Any]]
) -> Callable[..., Sequence[Any]]:
    """Return a function that shows what `of_error` returns for a message, as HTML, where there is no result."""

    def answer(*inputs: Any) -> Sequence[Any]:
        try:
            return compute(*inputs)
        except TercetError as error:
            message = str(error)
        except Exception:
            _LOG.exception("the page failed")
            message = OUR_FAULT
        # By its role, screen readers say it at once.
        return of_error(f'<div class="tercet-error" role="alert">{escape(message)}</div>')

    return answer


def result_html(page_result: PageResult, lines: Sequence[str] = (), *, explained: bool = False) -> str:
    """Return the primary score in large letters, its meaning, what is to be noted, other scores, and, folded, counts.

    Parts of the score, such as precisions, are folded too where an explanation beside shows them.
    """
    result = page_result.result
    primary = page_result.primary
    entries = _other_entries(page_result)
    scores = {}
    for name, value in entries.items():
        if _is_score(value) and (name in page_result.titles or not explained):
            scores[name] = value
    counts = {name: value for name, value in entries.items() if name not in scores}
    intervals = {}
    for name, bounds in (result.get("intervals") or {}).items():
        # Where texts are few, intervals are NaN, and a note says why.
        if not math.isnan(bounds[0]):
            intervals[name] = bounds
    digits = 2 if page_result.in_percent else 4
    interval = ""
    if primary in intervals:
        interval = f"{100 * CONFIDENCE:g} % interval: {_range(intervals[primary], digits)}"
    remarks = []
    if page_result.in_percent:
        remarks.append("Scores in percent.")
    if result["n_segments"] == 1:
        remarks.append("One text has no interval: a file of texts has one.")
    return render(
        "scored.html",
        title=page_result.titles[primary],
        score=number(result[primary], digits),
        interval=interval,
        meaning=page_result.meaning,
        band=result.get("interpretation") if result["n_segments"] >= _TEST_SET else None,
        lines=lines,
        notes=page_result.notes,
        scores=_rows(scores, intervals, page_result.titles, digits),
        have_intervals=bool(intervals),
        remarks=remarks,
        counts=_rows(counts, {}, {}, digits),
    )


class _Row(NamedTuple):
    """An entry of a result, as a table shows it."""

    words: str
    value: str
    interval: str


def _other_entries(page_result: PageResult) -> dict[str, Any]:
    """Return the entries of a result that stand below its primary score."""
    primary = page_result.primary
    of_items = {*(page_result.result.get("segments") or ()), *page_result.only_of_items}
    entries = {}
    for name, value in page_result.result.items():
        if name in _APART or name == primary or isinstance(value, dict):
            continue
        # The scores of a file's items have a table of their own, and that of one text stands above already.
        if not isinstance(value, list) or name not in of_items:
            entries[name] = value
    return entries


def _is_score(value: Any) -> bool:
    """Return whether a value is no count: it has a fraction, or all of its values have."""
    values = value if isinstance(value, list) else [value]
    return all(isinstance(item, float) for item in values)


def _range(bounds: Sequence[Any], digits: int) -> str:
    return " to ".join(number(bound, digits) for bound in bounds)


def _rows(
    values: Mapping[str, Any], intervals: Mapping[str, Any], titles: Mapping[str, str], digits: int
) -> list[_Row]:
    """Return the rows of a table of entries; `digits` are those of scores."""
    rows = []
    for name, value in values.items():
        is_score = name in titles or isinstance(value, list)  # lists are of precisions
        rows.append(
            _Row(
                words=titles.get(name, name.replace("_", " ")),
                value=number(value, digits if is_score else 4),
                interval=_range(intervals[name], digits) if name in intervals else "",
            )
        )
    return rows


def number(value: Any, digits: int = 4) -> str:
    """Return a value as a person reads it: so many decimals, lists in a row."""
    if isinstance(value, list):
        return ", ".join(number(item, digits) for item in value)
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value)
