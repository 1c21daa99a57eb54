"""The tabs of the page: one scores a text, the other a file."""

from __future__ import annotations

import json
import tempfile
import time
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr
import pandas as pd

from tercet.errors import InputError

from .answers import code_box, hidden, outcome_box, result_html, signature_box, with_messages
from .guard import Upload
from .jobs import Jobs
from .limits import MOST_BYTES
from .program import texts_given
from .scoring import Demo, known_formats, split_references

_SHOWN_ROWS = 500
_DOWNLOADS_KEPT = 600  # seconds
#: Tables of a picture that are wider than their place are moved by keys, too; a folded one once it is unfolded.
_BY_KEYS = """
const reach = () => element.querySelectorAll("table").forEach(each => {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
});
new MutationObserver(reach).observe(element, {childList: true, subtree: true});
element.addEventListener("toggle", reach, true);
"""


def text_tab(demo: Demo, jobs: Jobs, contents: list[Any]) -> None:
    """Draw the tab that scores one text."""
    examples = demo.examples
    _, first_prediction, first_references, _ = examples[0]
    with gr.Row():
        prediction = gr.Textbox(first_prediction, label="Prediction", lines=4, elem_id="prediction", min_width=280)
        references = gr.Textbox(
            first_references, lines=4, elem_id="references", min_width=280,
            label="References: one per line, or with an empty line between them",
            visible=demo.takes_references,
        )  # fmt: skip
    button = gr.Button("Compute", variant="primary", elem_id="compute")
    inputs = [prediction, references, *contents]
    with gr.Row():
        with gr.Column(min_width=300):
            outcome = outcome_box("result")
            signature = signature_box("signature")
        with gr.Column(min_width=300):
            picture = gr.HTML(elem_id="picture", elem_classes="tercet-picture", js_on_load=_BY_KEYS)
            figure = gr.Plot(visible=False, show_label=False, elem_id="figure")
    code = code_box("code-of-text")
    outputs = [outcome, signature, picture, figure, code]

    def compute(prediction: str, references: str, *contents: Any) -> list[Any]:
        options, lines = demo.text_options(contents)
        scored, drawn = jobs.run(Demo.score_text, prediction or "", references or "", options)
        primary, _ = scored.primary
        targets = split_references(references or "")
        return [
            result_html(scored.result, primary, scored.notes, lines),
            gr.Textbox(scored.result["signature"], visible=True),
            gr.HTML(drawn.html, visible=True),
            gr.Plot(drawn.figure, visible=True) if drawn.figure is not None else gr.Plot(visible=False),
            demo.code(texts_given(prediction, targets if demo.takes_references else None), options),
        ]

    answer = with_messages(compute, hidden(outputs))
    button.click(answer, inputs, outputs, api_visibility="private", **jobs.queue)
    chosen = gr.Examples(
        [[text, targets, *shown] for _, text, targets, shown in examples],
        inputs, example_labels=[label for label, *_ in examples], cache_examples=False, label="Examples",
        elem_id="examples", api_visibility="private",
    )  # fmt: skip
    # An example chosen while another is being scored is scored after it: gradio's own way forgets it.
    chosen.load_input_event.then(
        answer, inputs, outputs, trigger_mode="always_last", api_visibility="private", **jobs.queue
    )


def file_tab(demo: Demo, jobs: Jobs, contents: list[Any]) -> None:
    """Draw the tab that scores a file."""
    # All files are taken: the message for one that cannot be read says more than the browser's.
    label = f"{', '.join(known_formats())}: up to {demo.most_items:,} rows, {MOST_BYTES >> 20} MB"
    file = Upload(label=label, elem_id="file-input", height=140)
    about = outcome_box("about-file")
    with gr.Row():
        system = gr.Dropdown([], label="Predictions", elem_id="system", min_width=200)
        references = gr.Dropdown(
            [], multiselect=True, label="References", elem_id="reference-columns", min_width=200,
            visible=demo.takes_references,
        )  # fmt: skip
    button = gr.Button("Compute", variant="primary", elem_id="compute-file")
    outcome = outcome_box("file-result")
    signature = signature_box("file-signature")
    plot = gr.BarPlot(
        x="score", y="texts", title="Distribution of scores", visible=False, height=260,
        x_label_angle=-60, elem_id="distribution",
    )  # fmt: skip
    rows = gr.Dataframe(interactive=False, wrap=True, visible=False, max_height=420, elem_id="items")
    with gr.Row():
        as_tsv = gr.DownloadButton("All texts with their scores (TSV)", visible=False, elem_id="download-tsv")
        as_json = gr.DownloadButton("Result (JSON)", visible=False, elem_id="download-json")
    code = code_box("code-of-file")
    outputs = [outcome, signature, plot, rows, as_tsv, as_json, code]
    downloads = _Downloads()

    def read(path: str | None) -> list[Any]:
        if path is None:
            return ["", *without_file]
        table, roles = jobs.run(Demo.read_file, path)
        names = list(table.columns)
        system = demo.sure_system(roles)
        said = f"{len(table.lines):,} rows."
        if system is None:
            said += f" {demo.choice_of_columns(table)}"
        return [
            f"<p>{escape(said)}</p>",
            gr.Dropdown(names, value=system),
            gr.Dropdown(names, value=list(roles.references) if demo.takes_references else []),
            "",
            *hidden(outputs),
        ]

    def compute(path: str | None, system: str, references: list[str], *contents: Any) -> list[Any]:
        if path is None:
            raise InputError("Choose a file first.")
        options = demo.page_options(contents)
        scored, table, given = jobs.run(Demo.score_file, path, system, references, options)
        primary, of_items = scored.primary
        frame = pd.DataFrame(table)
        bars = pd.DataFrame(demo.histogram(table[of_items], options), columns=["score", "texts"])
        # The plot sorts its labels as texts: signs that nobody sees keep their order. (With the argument `sort` a
        # second result would not be drawn.)
        bars["score"] = ["\u200b" * place + label for place, label in enumerate(bars["score"])]
        entries = json.dumps(scored.result, ensure_ascii=False, indent=1)
        return [
            result_html(scored.result, primary, scored.notes),
            gr.Textbox(scored.result["signature"], visible=True),
            gr.BarPlot(bars, visible=True, x_title=of_items),
            gr.Dataframe(frame.head(_SHOWN_ROWS).round(4), visible=True),
            gr.DownloadButton(value=downloads.write("items.tsv", _tsv(frame)), visible=True),
            gr.DownloadButton(value=downloads.write("result.json", entries), visible=True),
            demo.code(given, scored.options),
        ]

    empty = [gr.update(choices=[], value=None), gr.update(choices=[], value=[])]
    without_file = [*empty, "", *hidden(outputs)]
    file.change(
        with_messages(read, without_file), file, [about, system, references, *outputs], api_visibility="private",
        **jobs.queue,
    )  # fmt: skip
    button.click(
        with_messages(compute, hidden(outputs)), [file, system, references, *contents], outputs,
        api_visibility="private", **jobs.queue,
    )  # fmt: skip


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
    in_lines = frame.assign(**{name: [" ".join(text.split()) for text in frame[name]] for name in texts})
    return str(in_lines.to_csv(sep="\t", index=False))
