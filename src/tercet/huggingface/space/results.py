"""What both tabs of the page share: the boxes of results, a result as HTML, and messages instead of one."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import gradio as gr

from tercet.errors import TercetError
from tercet.files.json_values import as_list

from .scoring import PageResult

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
    return gr.HTML(elem_id=name, js_on_load=_ANNOUNCED + script)


def signature_box(name: str) -> Any:
    """Return the box of a signature, which shows once there is one."""
    return gr.Textbox(label="Signature", interactive=False, buttons=["copy"], visible=False, lines=2, elem_id=name)


def code_box(name: str) -> Any:
    """Return the box of the program that computes a result, folded."""
    with gr.Accordion("Code for this", open=False, elem_id=name):
        return gr.Code(_NO_CODE, language="python", interactive=False, show_label=False, wrap_lines=True)


def hidden(outputs: list[Any]) -> list[Any]:
    """Return updates that hide the results of an earlier call, but for the first output; the code stays folded."""
    updates = []
    for output in outputs[1:-1]:
        if isinstance(output, gr.Button):
            # Its value is its name, which stays.
            updates.append(gr.update(visible=False))
        else:
            updates.append(gr.update(visible=False, value=None))
    return [*updates, gr.update(value=_NO_CODE)]


def with_messages(compute: Callable[..., list[Any]], other_outputs: list[Any]) -> Callable[..., list[Any]]:
    """Return a function that shows an error in the first output, and then `other_outputs` in the others."""

    def answer(*inputs: Any) -> list[Any]:
        try:
            return compute(*inputs)
        except TercetError as error:
            message = str(error)
        except Exception:
            _LOG.exception("the page failed")
            message = OUR_FAULT
        # By its role, screen readers say it at once.
        return [f'<div class="tercet-error" role="alert">{escape(message)}</div>', *other_outputs]

    return answer


def result_html(page_result: PageResult, lines: Sequence[str] = (), *, explained: bool = False) -> str:
    """Return the primary score in large letters, its meaning, what is to be noted, other scores, and, folded, counts.

    Parts of the score, such as precisions, are folded too where an explanation beside shows them.
    """
    result = page_result.result
    primary, _ = page_result.primary
    scores = {}
    counts = {}
    for name, value in _further_entries(page_result).items():
        if _is_score(value) and (name in page_result.titles or not explained):
            scores[name] = value
        else:
            counts[name] = value
    intervals = {}
    for name, bounds in (result.get("intervals") or {}).items():
        # Where texts are few, intervals are NaN, and a note says why.
        if not math.isnan(bounds[0]):
            intervals[name] = bounds
    lines_html = "".join(f"<p>{escape(line)}</p>" for line in lines)
    notes_html = "".join(f'<div class="tercet-note">{escape(note)}</div>' for note in page_result.notes)
    digits = 2 if page_result.in_percent else 4
    interval = ""
    if primary in intervals:
        interval = f"95 % interval: {_range(intervals[primary], digits)}"
    band_html = ""
    if result["n_segments"] >= _TEST_SET and result.get("interpretation"):
        band_html = f"<p>Roughly, {escape(result['interpretation'])}.</p>"
    remarks = []
    if page_result.in_percent:
        remarks.append("Scores in percent.")
    if result["n_segments"] == 1:
        remarks.append("One text has no interval: a file of texts has one.")
    remark_html = f"<small>{' '.join(remarks)}</small>" if remarks else ""
    return (
        f'<div class="tercet"><div class="tercet-score">{escape(page_result.titles[primary])} '
        f"{number(result[primary], digits)}</div>"
        f'<div class="tercet-interval">{interval}</div>'
        f"<p>{escape(page_result.meaning)}</p>"
        f"{band_html}{lines_html}{notes_html}"
        f"{_table(scores, intervals, page_result.titles, digits)}{remark_html}"
        f"<details><summary>Counts and lengths</summary>{_table(counts, {}, {}, digits)}</details></div>"
    )


def _further_entries(page_result: PageResult) -> dict[str, Any]:
    """Return the entries of a result that stand in its tables of scores and of counts."""
    primary, _ = page_result.primary
    segments = page_result.result.get("segments") or {}
    entries = {}
    for name, value in page_result.result.items():
        if name in _APART or name == primary or isinstance(value, dict):
            continue
        # The scores of a file's items have a table of their own, and that of one text stands above already.
        if isinstance(value, list) and (name in segments or name in page_result.only_of_items):
            continue
        entries[name] = value
    return entries


def _is_score(value: Any) -> bool:
    """Return whether a value is no count: it has a fraction, or all of its values have."""
    return all(isinstance(item, float) for item in as_list(value))


def _range(bounds: Sequence[Any], digits: int) -> str:
    return " to ".join(number(bound, digits) for bound in bounds)


def _table(values: Mapping[str, Any], intervals: Mapping[str, Any], titles: Mapping[str, str], digits: int) -> str:
    """Return a table of entries, with their intervals where there are any; `digits` are those of scores."""
    rows = ""
    for name, value in values.items():
        words = escape(titles.get(name, name.replace("_", " ")))
        interval_cell = ""
        if name in intervals:
            interval_cell = f"<td>{_range(intervals[name], digits)}</td>"
        elif intervals:
            interval_cell = "<td></td>"
        is_score = name in titles or isinstance(value, list)  # lists are of precisions
        shown_digits = digits if is_score else 4
        rows += f'<tr><th scope="row">{words}</th><td>{number(value, shown_digits)}</td>{interval_cell}</tr>'
    if not rows:
        return ""
    heads = ""
    if intervals:
        titles_of_columns = ("entry", "value", "95 % interval")
        cells = "".join(f'<th scope="col">{title}</th>' for title in titles_of_columns)
        heads = f"<tr>{cells}</tr>"
    return f"<table>{heads}{rows}</table>"


def number(value: Any, digits: int = 4) -> str:
    """Return a value as a person reads it: so many decimals, lists in a row."""
    if isinstance(value, list):
        return ", ".join(number(item, digits) for item in value)
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return escape(str(value))
