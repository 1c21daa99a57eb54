"""What both tabs of the page share: where results stand, as HTML, and messages in their place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import gradio as gr

from tercet.errors import TercetError

if TYPE_CHECKING:
    from .scoring import Scored

OUR_FAULT = "Something went wrong on the server and was logged. Your input is not to blame."

#: What is written into the place of a result, screen readers say, once they have finished what they are saying.
_ANNOUNCED = "element.setAttribute('aria-live', 'polite')"
_NO_CODE = "# The program that computes the same: here, once there is a result.\n"
_LOG = logging.getLogger(__name__)
#: Texts from which on a score is said to mean something of what wrote them: of fewer it says little.
_TEST_SET = 100
_APART = {"signature", "segments", "intervals", "hashcode", "interpretation", "score"}  # `score` is the primary one


def outcome_box(name: str, script: str = "") -> Any:
    """Return the place of a result, or of a message; a script runs when the page is loaded."""
    return gr.HTML(elem_id=name, js_on_load=_ANNOUNCED + script)


def signature_box(name: str) -> Any:
    """Return the place of a signature, which shows once there is one."""
    return gr.Textbox(label="Signature", interactive=False, buttons=["copy"], visible=False, lines=2, elem_id=name)


def code_box(name: str) -> Any:
    """Return the place of the program that computes the same, folded."""
    with gr.Accordion("Code for this", open=False, elem_id=name):
        return gr.Code(_NO_CODE, language="python", interactive=False, show_label=False, wrap_lines=True)


def hidden(outputs: list[Any]) -> list[Any]:
    """Return what hides the results of a former call after the first output; the code at the end stays folded."""
    kept = [
        {} if isinstance(each, gr.Button) else {"value": None} for each in outputs[1:-1]
    ]  # a button's is its name
    return [*(gr.update(visible=False, **value) for value in kept), gr.update(value=_NO_CODE)]


def with_messages(compute: Callable[..., list[Any]], others: list[Any]) -> Callable[..., list[Any]]:
    """Return a function that shows an error in the first output, and in the others what is then there."""

    def answer(*inputs: Any) -> list[Any]:
        try:
            return compute(*inputs)
        except TercetError as error:
            message = str(error)
        except Exception:
            _LOG.exception("the page failed")
            message = OUR_FAULT
        return [error_html(message), *others]

    return answer


def error_html(message: str) -> str:
    """Return a message in the place of a result; screen readers say it at once."""
    return f'<div class="tercet-error" role="alert">{escape(message)}</div>'


def result_html(scored: Scored, lines: Sequence[str] = ()) -> str:
    """Return the primary score in large letters, what is to be noted, the other scores, and, folded, the counts."""
    result, (primary, _) = scored.result, scored.primary
    of_items = result.get("segments") or {}
    others = {
        name: value
        for name, value in result.items()
        if name not in _APART and name != primary and not isinstance(value, dict)
        # those of a file have a table of their own, and that of one text is said already
        if not (isinstance(value, list) and (name in of_items or name in scored.only_of_items))
    }
    scores = {name: value for name, value in others.items() if _is_score(value)}
    counts = {name: value for name, value in others.items() if name not in scores}
    intervals = result.get("intervals") or {}
    band = result.get("interpretation") if result["n_segments"] >= _TEST_SET else None
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    warned = "".join(f'<div class="tercet-note">{escape(note)}</div>' for note in scored.notes)
    digits = 2 if scored.in_percent else 4
    interval = f"95 % interval: {_range(intervals[primary], digits)}" if primary in intervals else ""
    percent = "Scores in percent." if scored.in_percent else ""
    without = "" if intervals else "One text has no interval: a file of texts has one."
    small = " ".join(filter(None, [percent, without]))
    return (
        f'<div class="tercet"><div class="tercet-score">{escape(scored.titles[primary])} '
        f"{number(result[primary], digits)}</div>"
        f'<div class="tercet-interval">{interval}</div>'
        f"{f'<p>Roughly, {escape(band)}.</p>' if band else ''}{said}{warned}"
        f"{_table(scores, intervals, scored.titles, digits)}{f'<small>{small}</small>' if small else ''}"
        f"<details><summary>Counts and lengths</summary>{_table(counts, {}, {}, digits)}</details></div>"
    )


def _is_score(value: Any) -> bool:
    """Return whether a value is no count: it has a fraction, or all of its values have."""
    return isinstance(value, float) or (isinstance(value, list) and all(isinstance(each, float) for each in value))


def _range(bounds: Sequence[Any], digits: int) -> str:
    return " to ".join(number(bound, digits) for bound in bounds)


def _table(values: Mapping[str, Any], intervals: Mapping[str, Any], titles: Mapping[str, str], digits: int) -> str:
    """Return a table of entries, with their intervals where there are any; `digits` are those of scores."""
    rows = ""
    for name, value in values.items():
        words = escape(titles.get(name, name.replace("_", " ")))
        interval = f"<td>{_range(intervals[name], digits) if name in intervals else ''}</td>" if intervals else ""
        shown = number(value, digits if name in titles or isinstance(value, list) else 4)  # lists are of precisions
        rows += f'<tr><th scope="row">{words}</th><td>{shown}</td>{interval}</tr>'
    heads = "".join(f'<th scope="col">{title}</th>' for title in ("entry", "value", "95 % interval"))
    return f"<table>{f'<tr>{heads}</tr>' if intervals else ''}{rows}</table>" if rows else ""


def number(value: Any, digits: int = 4) -> str:
    """Return a value as a person reads it: so many decimals, lists in a row."""
    if isinstance(value, list):
        return ", ".join(number(each, digits) for each in value)
    return f"{value:.{digits}f}" if isinstance(value, float) else escape(str(value))
