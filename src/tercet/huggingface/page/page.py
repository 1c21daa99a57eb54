"""The page of a metric's Space: score texts or a file, see why, copy the code.

One page for all metrics: what differs is in the metric's own files (options, cases, explanation, card).
"""

from __future__ import annotations

import json
import logging
import os
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import yaml
from starlette.middleware import Middleware

from tercet.errors import TercetError

from .answers import OUR_FAULT
from .controls import Control
from .guard import Guard, Page
from .jobs import Jobs
from .limits import MOST_BYTES
from .look import CSS, theme
from .scoring import Demo
from .tabs import file_tab, text_tab

_LOG = logging.getLogger(__name__)


def page(demo: Demo, jobs: Jobs, folder: Path) -> gr.Blocks:
    """Return the page of a metric whose card is in a folder."""
    _, head, card = (folder / "README.md").read_text(encoding="utf-8").split("---", 2)
    with Page(title=demo.title, analytics_enabled=False, delete_cache=(3600, 3600)) as blocks:
        gr.Markdown(f"# {demo.title}\n{yaml.safe_load(head)['description']}")
        contents = {control.name: _component(control) for control in demo.controls}
        with gr.Column(elem_id="page"):
            # Texts come first, then options, which both tabs share, and then results over the full width.
            text, file = gr.Tab("Text", id="text"), gr.Tab("File", id="file")
            with gr.Tab("Card", id="card"):
                gr.Markdown(card, elem_id="card")
            with gr.Accordion("Options", open=False, elem_id="options"), gr.Row():
                for content in contents.values():
                    content.render()
                reset = gr.Button("Reset options", size="sm", elem_id="reset")
            of_text, of_file = gr.Column(elem_id="of-text"), gr.Column(elem_id="of-file")
            with text:
                text_tab(demo, jobs, list(contents.values()), of_text)
            with file:
                file_tab(demo, jobs, list(contents.values()), of_file)
        reset.click(lambda: demo.begun, None, list(contents.values()), api_visibility="private")
        for control in filter(lambda each: each.follows, demo.controls):
            _follow(control, contents[control.name], demo, contents[control.follows])
        gr.api(_compute_for_programs(demo, jobs), api_name="compute", **jobs.queue)
    return blocks


def launch(metric: str, folder: Path) -> None:
    """Serve the page of a metric, when its metric is imported and its model loaded, or soon in any case."""
    address = os.environ.get("SPACE_ID") or str(folder)  # what evaluate.load finds the metric by
    demo = Demo(metric, runpy.run_path(str(folder / "cases.py")), address)
    jobs = Jobs(metric, folder / "cases.py", address, demo.loads_model)
    blocks = page(demo, jobs, folder)
    blocks.queue(max_size=50, api_open=False)  # nobody is served past the queue
    blocks._queue.sleep_when_free = 0.05  # seconds; gradio takes a thousandth, which keeps an idle page busy
    jobs.warm_up()
    blocks.launch(
        theme=theme(), css=CSS, max_file_size=MOST_BYTES, ssr_mode=False, footer_links=["api"],
        state_session_capacity=1000, app_kwargs={"middleware": [Middleware(Guard, jobs.leave)]},
    )  # fmt: skip


def _component(control: Control) -> Any:
    shown = control.shown(control.value)
    common = {
        "label": control.name, "info": control.info, "min_width": 150, "elem_id": f"option-{control.name}",
        "render": False,
    }  # fmt: skip
    if control.kind == "menu":
        wide = "wide" if max(map(len, control.choices)) > 20 else None
        return gr.Dropdown(list(control.choices), value=shown, elem_classes=wide, **common)
    if control.kind == "several":
        return gr.Dropdown(list(control.choices), value=shown, multiselect=True, elem_classes="wide", **common)
    if control.kind == "flag":
        return gr.Checkbox(shown, **common)
    if control.kind == "weights":
        return gr.Textbox(shown, placeholder="0.5, 0.5 or a = 1; b = 0.5, 0.5", elem_classes="wide", **common)
    if control.default is None:  # gradio's number has no empty state: it becomes 0
        return gr.Textbox(str(shown), placeholder="default", **common)
    return gr.Number(shown, **common)  # without bounds: the metric says more of a number that it refuses


def _follow(control: Control, content: Any, demo: Demo, leader: Any) -> None:
    """Have a control show what belongs to the choice of another, when a visitor chooses there."""
    choices = next(each.choices for each in demo.controls if each.name == control.follows)
    shown = {label: str(control.shown(control.following.get(choice))) for label, choice in choices.items()}
    leader.input(None, leader, content, js=f"label => ({json.dumps(shown)})[label]", api_visibility="private")


def _compute_for_programs(demo: Demo, jobs: Jobs) -> Callable[..., dict[str, Any]]:
    def compute(
        predictions: list[str], references: list[list[str]], options: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Score predictions against references: one list of references per prediction.

        The score is that of the corpus, as evaluate computes it, however few texts there are. The options are those
        of the page, under the same names; confidence_level (with n_resamples and seed) adds intervals, and
        segments=true the scores of every text.
        """
        try:
            return dict(jobs.run(Demo.compute, predictions, references, options))
        except TercetError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except Exception:
            _LOG.exception("the page failed")
            raise gr.Error(OUR_FAULT, print_exception=False) from None

    def compute_alone(
        predictions: list[str], references: list[list[str]] | None = None, options: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Score predictions without references: any that are given are ignored.

        The options are those of the page, under the same names; confidence_level (with n_resamples and seed) adds
        intervals, and segments=true the scores of every text.
        """
        return compute(predictions, [], options)

    return compute if demo.takes_references else compute_alone
