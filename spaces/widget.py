"""The page of a metric's Space: score texts or a file, see why, copy the code.

One page for all metrics: what differs is in the metric's own files (options, cases, explanation, card).
"""

from __future__ import annotations

import json
import logging
import os
import runpy
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import gradio as gr
import pandas as pd
import yaml
from starlette.middleware import Middleware

from spaces.widget_controls import Control
from spaces.widget_guard import Guard, Page, Upload
from spaces.widget_results import CSS, error_html, result_html
from spaces.widget_scoring import MOST_BYTES, Demo, folder_address, known_files, split_references
from tercet.errors import InputError, TercetError

_SHOWN_ROWS = 500
_DOWNLOADS_KEPT, _LONGEST_WARM_UP = 600, 5  # seconds

_OUR_FAULT = "Something went wrong on the server and was logged. Your input is not to blame."

# Calls run one at a time: warnings are caught for one call, and an encoder takes all cores anyway.
_ONE_AT_A_TIME: dict[str, Any] = {"concurrency_id": "score", "concurrency_limit": 1}
_LOG = logging.getLogger(__name__)


def page(demo: Demo, folder: Path) -> gr.Blocks:
    """Return the page of a metric whose card is in a folder."""
    _, head, card = (folder / "README.md").read_text(encoding="utf-8").split("---", 2)
    with Page(title=demo.metric, analytics_enabled=False, delete_cache=(3600, 3600)) as blocks:
        gr.Markdown(f"# {demo.metric}\n{yaml.safe_load(head)['description']}")
        options = gr.Accordion("Options", open=False, elem_id="options")
        with options, gr.Row():
            contents = [_component(control) for control in demo.controls]
        with gr.Tab("Text", id="text"):
            _text_tab(demo, contents)
        with gr.Tab("File", id="file"):
            _file_tab(demo, contents)
        with gr.Tab("Card", id="card"):
            gr.Markdown(card, elem_id="card")
        gr.api(_compute_for_programs(demo), api_name="compute", **_ONE_AT_A_TIME)
        wide = gr.Checkbox(visible=False)
        blocks.load(
            lambda is_wide: gr.Accordion(open=is_wide),
            wide, options, js="() => window.innerWidth > 700", api_visibility="private",
        )  # fmt: skip
    return blocks


def launch(metric: str, folder: Path) -> None:
    """Serve the page of a metric, when its kernels are compiled or its encoder loaded, or soon in any case."""
    demo = Demo(metric, runpy.run_path(str(folder / "cases.py")), folder_address(folder, os.environ.get("SPACE_ID")))
    warm_up = Thread(target=_score_first_example, args=[demo], daemon=True)
    warm_up.start()
    blocks = page(demo, folder)
    blocks.queue(max_size=50, api_open=False)  # nobody is served past the queue
    warm_up.join(_LONGEST_WARM_UP)
    theme = gr.themes.Soft(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    theme.set(block_info_text_color="*neutral_600", block_info_text_color_dark="*neutral_300")
    blocks.launch(
        theme=theme, css=CSS, max_file_size=MOST_BYTES, ssr_mode=False, footer_links=["api"],
        state_session_capacity=1000, app_kwargs={"middleware": [Middleware(Guard)]},
    )  # fmt: skip


def _component(control: Control) -> Any:
    shown = control.shown(control.value)
    common = {
        "label": control.name, "info": control.info, "min_width": 150, "elem_id": f"option-{control.name}",
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


def _signature_box(name: str) -> Any:
    return gr.Textbox(label="Signature", interactive=False, buttons=["copy"], visible=False, lines=2, elem_id=name)


def _text_tab(demo: Demo, contents: list[Any]) -> None:
    examples = demo.examples
    _, first_prediction, first_references, _ = examples[0]
    with gr.Row():
        prediction = gr.Textbox(first_prediction, label="Prediction", lines=4, elem_id="prediction", min_width=280)
        references = gr.Textbox(
            first_references, lines=4, elem_id="references", min_width=280,
            label="References: one per line; if they span several lines, end each with an empty line",
            visible=demo.takes_references,
        )  # fmt: skip
    button = gr.Button("Compute", variant="primary", elem_id="compute")
    inputs = [prediction, references, *contents]
    with gr.Row():
        with gr.Column(min_width=300):
            outcome = gr.HTML(elem_id="result")
            signature = _signature_box("signature")
        with gr.Column(min_width=300):
            picture = gr.HTML(elem_id="picture", elem_classes="tercet-picture")
            figure = gr.Plot(visible=False, show_label=False, elem_id="figure")
    with gr.Accordion("Code for this", open=False, elem_id="code-of-text"):
        code = gr.Code(language="python", interactive=False, show_label=False)
    outputs = [outcome, signature, picture, figure, code]

    def compute(prediction: str, references: str, *contents: Any) -> list[Any]:
        options = demo.page_options(contents)
        scored, why = demo.score_text(prediction or "", references or "", options)
        primary, _ = scored.primary
        targets = split_references(references)
        return [
            result_html(scored.result, primary, scored.notes),
            gr.Textbox(scored.result["signature"], visible=True),
            gr.HTML(why.to_html() if why is not None else "", visible=True),
            gr.Plot(why.plot(), visible=True) if hasattr(why, "plot") else gr.Plot(visible=False),
            demo.code(repr([prediction]), repr([targets]), options),
        ]

    answer = _with_messages(compute, _hidden(outputs))
    button.click(answer, inputs, outputs, api_visibility="private", **_ONE_AT_A_TIME)
    chosen = gr.Examples(
        [[text, targets, *shown] for _, text, targets, shown in examples],
        inputs, example_labels=[label for label, *_ in examples], cache_examples=False, label="Examples",
        elem_id="examples", api_visibility="private",
    )  # fmt: skip
    # An example chosen while another is being scored is scored after it: gradio's own way forgets it.
    chosen.load_input_event.then(
        answer, inputs, outputs, trigger_mode="always_last", api_visibility="private", **_ONE_AT_A_TIME
    )


def _file_tab(demo: Demo, contents: list[Any]) -> None:
    ends = known_files()
    # All files are taken: the message for one that cannot be read says more than the browser's.
    label = f"{', '.join(ends)}: up to {demo.most_items:,} rows, {MOST_BYTES >> 20} MB"
    file = Upload(label=label, elem_id="file-input", height=140)
    about = gr.HTML(elem_id="about-file")
    with gr.Row():
        system = gr.Dropdown([], label="Predictions", elem_id="system", min_width=200)
        references = gr.Dropdown(
            [], multiselect=True, label="References", elem_id="reference-columns", min_width=200,
            visible=demo.takes_references,
        )  # fmt: skip
    button = gr.Button("Compute", variant="primary", elem_id="compute-file")
    outcome = gr.HTML(elem_id="file-result")
    signature = _signature_box("file-signature")
    plot = gr.BarPlot(
        x="score", y="texts", title="Distribution of scores", visible=False, height=260,
        x_label_angle=-60, elem_id="distribution",
    )  # fmt: skip
    rows = gr.Dataframe(interactive=False, wrap=True, visible=False, max_height=420, elem_id="items")
    with gr.Row():
        as_tsv = gr.DownloadButton("All texts with their scores (TSV)", visible=False, elem_id="download-tsv")
        as_json = gr.DownloadButton("Result (JSON)", visible=False, elem_id="download-json")
    with gr.Accordion("Code for this", open=False, elem_id="code-of-file"):
        code = gr.Code(language="python", interactive=False, show_label=False)
    outputs = [outcome, signature, plot, rows, as_tsv, as_json, code]
    downloads = _Downloads()

    def read(path: str | None) -> list[Any]:
        if path is None:
            return ["", *without_file]
        table, roles = demo.read_file(path)
        names = list(table.columns)
        return [
            f"<p>{len(table.lines):,} rows</p>",
            gr.Dropdown(names, value=roles.systems[0] if roles.systems else None),
            gr.Dropdown(names, value=list(roles.references) if demo.takes_references else []),
            "",
            *_hidden(outputs),
        ]

    def compute(path: str | None, system: str, references: list[str], *contents: Any) -> list[Any]:
        if path is None:
            raise InputError("Choose a file first.")
        options = demo.page_options(contents)
        scored, table = demo.score_file(path, system, references, options)
        primary, of_items = scored.primary
        frame = pd.DataFrame(table)
        bars = pd.DataFrame(demo.histogram(table[of_items], options), columns=["score", "texts"])
        # The plot sorts its labels as texts: signs that nobody sees keep their order. (With the argument `sort` a
        # second result would not be drawn.)
        bars["score"] = ["\u200b" * place + label for place, label in enumerate(bars["score"])]
        columns = f"# predictions: the column {system!r}"
        columns += f"; references: {', '.join(map(repr, references))}\n" if demo.takes_references else "\n"
        return [
            result_html(scored.result, primary, scored.notes),
            gr.Textbox(scored.result["signature"], visible=True),
            gr.BarPlot(bars, visible=True, x_title=of_items),
            gr.Dataframe(frame.head(_SHOWN_ROWS).round(4), visible=True),
            gr.DownloadButton(value=downloads.write("items.tsv", _tsv(frame)), visible=True),
            gr.DownloadButton(value=downloads.write("result.json", _json(scored.result)), visible=True),
            columns + demo.code("[...]", "[[...], ...]", scored.options),
        ]

    empty = [gr.update(choices=[], value=None), gr.update(choices=[], value=[])]
    without_file = [*empty, "", *_hidden(outputs)]
    file.change(
        _with_messages(read, without_file), file, [about, system, references, *outputs], api_visibility="private",
        **_ONE_AT_A_TIME,
    )  # fmt: skip
    button.click(
        _with_messages(compute, _hidden(outputs)), [file, system, references, *contents], outputs,
        api_visibility="private", **_ONE_AT_A_TIME,
    )  # fmt: skip


def _hidden(outputs: list[Any]) -> list[Any]:
    """Return what hides the results of a former call behind the first output; the code at the end stays folded."""
    return [gr.update(value=None, visible=False) for _ in outputs[1:-1]] + [gr.update(value=None)]


def _with_messages(compute: Callable[..., list[Any]], others: list[Any]) -> Callable[..., list[Any]]:
    """Return a function that shows an error in the first output, and in the others what is then there."""

    def answer(*inputs: Any) -> list[Any]:
        try:
            return compute(*inputs)
        except TercetError as error:
            message = str(error)
        except Exception:
            _LOG.exception("the page failed")
            message = _OUR_FAULT
        return [error_html(message), *others]

    return answer


def _compute_for_programs(demo: Demo) -> Callable[..., dict[str, Any]]:
    def compute(
        predictions: list[str], references: list[list[str]], options: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Score predictions against references: one list of references per prediction.

        The options are those of the page, under the same names; confidence_level (with n_resamples and seed) adds
        intervals, and segments=true the scores of every text.
        """
        try:
            return demo.compute(predictions, references, options)
        except TercetError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except Exception:
            _LOG.exception("the page failed")
            raise gr.Error(_OUR_FAULT, print_exception=False) from None

    def compute_alone(
        predictions: list[str], references: list[list[str]] | None = None, options: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Score predictions, which are compared with nothing: references are left alone.

        The options are those of the page, under the same names; confidence_level (with n_resamples and seed) adds
        intervals, and segments=true the scores of every text.
        """
        return compute(predictions, [], options)

    return compute if demo.takes_references else compute_alone


def _score_first_example(demo: Demo) -> None:
    _, prediction, references, shown = demo.examples[0]
    try:
        demo.score_text(prediction, references, demo.page_options(shown))
    except TercetError as error:
        _LOG.warning("the first example cannot be scored: %s", error)


class _Downloads:
    """Files for visitors to take away, kept for some minutes."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()

    def write(self, name: str, text: str) -> str:
        root = Path(self._folder.name)
        for old in root.glob("*/*"):
            if time.time() - old.stat().st_mtime > _DOWNLOADS_KEPT:
                old.unlink(missing_ok=True)
        path = Path(tempfile.mkdtemp(dir=root)) / name
        path.write_text(text, encoding="utf-8")
        return str(path)


def _tsv(frame: pd.DataFrame) -> str:
    """Return a table with a line per item: white space within texts becomes a blank."""
    texts = frame.select_dtypes(include=["object", "string"]).columns
    return frame.assign(**{name: [" ".join(text.split()) for text in frame[name]] for name in texts}).to_csv(
        sep="\t", index=False
    )


def _json(result: dict[str, Any]) -> str:
    return json.dumps(result, ensure_ascii=False, indent=1)
