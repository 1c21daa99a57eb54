"""What both tabs of the page share: where results stand, and messages in their place."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import gradio as gr

from tercet.errors import TercetError

from .results import error_html

OUR_FAULT = "Something went wrong on the server and was logged. Your input is not to blame."

#: What is written into the place of a result, screen readers say, once they have finished what they are saying.
_ANNOUNCED = "element.setAttribute('aria-live', 'polite')"
_NO_CODE = "# The program that computes the same: here, once there is a result.\n"
_LOG = logging.getLogger(__name__)


def outcome_box(name: str) -> Any:
    """Return the place of a result, or of a message."""
    return gr.HTML(elem_id=name, js_on_load=_ANNOUNCED)


def signature_box(name: str) -> Any:
    """Return the place of a signature, which shows once there is one."""
    return gr.Textbox(label="Signature", interactive=False, buttons=["copy"], visible=False, lines=2, elem_id=name)


def code_box(name: str) -> Any:
    """Return the place of the program that computes the same, folded."""
    with gr.Accordion("Code for this", open=False, elem_id=name):
        return gr.Code(_NO_CODE, language="python", interactive=False, show_label=False, wrap_lines=True)


def hidden(outputs: list[Any]) -> list[Any]:
    """Return what hides the results of a former call after the first output; the code at the end stays folded."""
    return [gr.update(value=None, visible=False) for _ in outputs[1:-1]] + [gr.update(value=_NO_CODE)]


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
