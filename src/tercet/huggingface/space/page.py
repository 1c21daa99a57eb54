"""The page of a metric's Space: score texts or a file, see why, copy the code.

One page for all metrics: what differs is in the metric's own files (options, cases, explanation, card).
"""

from __future__ import annotations

import json
import logging
import os
import runpy
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import gradio as gr
import yaml
from starlette.middleware import Middleware

from tercet.errors import TercetError

from .controls import Control
from .jobs import Jobs
from .limits import KEPT_SECONDS, MOST_BYTES
from .request_checks import Guard, Page
from .results import OUR_FAULT
from .scoring import Demo
from .storage import SWEEP_SECONDS, give_memory_back_at_once, keep_swept, use_own_folder
from .tabs import file_tab, text_tab

_LOG = logging.getLogger(__name__)


def page(demo: Demo, jobs: Jobs, folder: Path) -> gr.Blocks:
    """Return the page of a metric whose card is in a folder."""
    _, head, card = (folder / "README.md").read_text(encoding="utf-8").split("---", 2)
    with Page(title=demo.title, analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEPT_SECONDS)) as blocks:
        gr.Markdown(f"# {demo.title}\n{yaml.safe_load(head)['description']}")
        contents = {control.name: _component(control) for control in demo.controls}
        with gr.Column(elem_id="page"):
            # Texts come first, then options, which both tabs share, and then results over the full width.
            text = gr.Tab("Text", id="text")
            file = gr.Tab("File", id="file")
            with gr.Tab("Card", id="card"):
                gr.Markdown(card, elem_id="card")
            with gr.Accordion("Options", open=False, elem_id="options"), gr.Row():
                for content in contents.values():
                    content.render()
                reset = gr.Button("Reset options", size="sm", elem_id="reset")
            text_results = gr.Column(elem_id="of-text")
            file_results = gr.Column(elem_id="of-file")
            with text:
                text_tab(demo, jobs, list(contents.values()), text_results)
            with file:
                file_tab(demo, jobs, list(contents.values()), file_results)
        reset.click(lambda: demo.initial_contents, None, list(contents.values()), api_visibility="private")
        controls = {control.name: control for control in demo.controls}
        for control in demo.controls:
            if control.follows:
                _follow(
                    control,
                    contents[control.name],
                    leader=controls[control.follows],
                    leader_content=contents[control.follows],
                )
        gr.api(_compute_for_programs(demo, jobs), api_name="compute", **jobs.queue)
    return blocks


def launch(metric: str, folder: Path) -> None:
    """Serve the page of a metric, when its metric is imported and its model loaded, or soon in any case."""
    give_memory_back_at_once()
    use_own_folder()
    # The address by which evaluate.load finds the metric.
    address = os.environ.get("SPACE_ID") or str(folder)
    demo = Demo(metric, runpy.run_path(str(folder / "cases.py")), address)
    jobs = Jobs(metric, folder / "cases.py", address, demo.loads_model)
    blocks = page(demo, jobs, folder)
    blocks.queue(max_size=50, api_open=False)  # nobody is served past the queue
    # In seconds; gradio takes a thousandth, which keeps an idle page busy.
    blocks._queue.sleep_when_free = 0.05
    # After each event gradio sums up the last of them for a dashboard, by default ten thousand.
    blocks._queue.ANALYTICS_MAX_EVENTS = 100
    keep_swept(blocks.unread)
    jobs.warm_up()
    blocks.launch(
        theme=theme(),
        css=files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
        max_file_size=MOST_BYTES,
        ssr_mode=False,
        footer_links=["api"],
        state_session_capacity=1000,
        app_kwargs={"middleware": [Middleware(Guard, jobs.leave)]},
    )


def _component(control: Control) -> Any:
    content = control.shown(control.value)
    common = {
        "label": control.name,
        "info": control.info,
        "min_width": 150,
        "elem_id": f"option-{control.name}",
        "render": False,
    }
    if control.kind == "menu":
        wide = "wide" if max(map(len, control.choices)) > 20 else None
        return gr.Dropdown(list(control.choices), value=content, elem_classes=wide, **common)
    if control.kind == "several":
        return gr.Dropdown(list(control.choices), value=content, multiselect=True, elem_classes="wide", **common)
    if control.kind == "flag":
        return gr.Checkbox(content, **common)
    if control.kind == "weights":
        return gr.Textbox(content, placeholder="0.5, 0.5 or a = 1; b = 0.5, 0.5", elem_classes="wide", **common)
    if control.default is None:
        # gradio's number has no empty state: it becomes 0.
        return gr.Textbox(str(content), placeholder="default", **common)
    # Without bounds: the metric's own message says more about a number that it refuses.
    return gr.Number(content, **common)


def _follow(control: Control, content: Any, leader: Control, leader_content: Any) -> None:
    """Have a control show what belongs to the choice of another, when a visitor chooses there."""
    shown = {label: str(control.shown(control.following.get(choice))) for label, choice in leader.choices.items()}
    js = f"label => ({json.dumps(shown)})[label]"
    leader_content.input(None, leader_content, content, js=js, api_visibility="private")


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


def theme() -> gr.themes.Soft:
    """Return Gradio's theme with fonts of the visitor's machine, and colours that stand out as WCAG 2 asks for."""
    base_theme = gr.themes.Soft(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    return base_theme.set(
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        block_title_text_color="*primary_800",
        block_title_text_color_dark="*neutral_100",
        block_title_background_fill="none",
        block_title_background_fill_dark="none",
        block_title_padding="0",
        block_label_background_fill="none",
        block_label_background_fill_dark="none",
        block_label_text_color="*primary_800",
        block_label_text_color_dark="*neutral_100",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        input_placeholder_color="*neutral_600",
        input_placeholder_color_dark="*neutral_300",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_hover_dark="*primary_800",
        link_text_color_dark="*primary_300",
        link_text_color_visited_dark="*primary_300",
        link_text_color_hover_dark="*primary_200",
        link_text_color_active_dark="*primary_200",
        checkbox_border_color="*neutral_500",
        checkbox_border_color_dark="*neutral_400",
    )
