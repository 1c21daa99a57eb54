"""The tabs of the page: one scores a text, the other a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple

import gradio as gr
import pandas as pd

from tercet.errors import InputError, word_after
from tercet.files.table import Roles, Table
from tercet.report.comparison import BROWSING
from tercet.report.rendering import script_of

from .file_comparison import PageComparison, compare_file, report_file
from .jobs import Jobs
from .limits import MOST_BYTES
from .programs import source_of_texts
from .request_checks import ColumnMenu, Upload
from .results import code_box, hidden, outcome_box, result_html, signature_box, with_messages, without_code
from .scoring import (
    Demo,
    FileScores,
    PageResult,
    ReadFile,
    known_formats,
    split_references,
)
from .storage import write_download

_LOG = logging.getLogger(__name__)

_SHOWN_ROWS = 500
_CHOOSE_A_FILE = "Choose a file first."
_TABLE_WIDTH = 1180  # pixels, in a window of 1280
#: What is wider than its box is moved by keys, too; what is folded once it is unfolded.
_BY_KEYS = files(__package__).joinpath("by_keys.js").read_text(encoding="utf-8")
#: On a phone a result, or a message, is below the window when the button is pressed: it is brought there.
_IN_VIEW = files(__package__).joinpath("in_view.js").read_text(encoding="utf-8").rstrip()


def _bring_into_view(answered: Any, name: str) -> None:
    """Have a browser show the box of a result when it has been computed."""
    answered.then(None, js=_IN_VIEW.replace("NAME", name), queue=False, api_visibility="private")


class _TextResults(NamedTuple):
    """The boxes below the tab of a text; or what each of them shows."""

    outcome: Any
    signature: Any
    picture: Any
    code: Any

    def only(self, outcome: str) -> _TextResults:
        """Return what these boxes show where there is no result, but a message, or nothing."""
        return _TextResults(outcome, hidden(self.signature), hidden(self.picture), without_code())


def text_tab(demo: Demo, jobs: Jobs, contents: list[Any], results: gr.Column) -> None:
    """Draw the tab that scores one text, and its results."""
    examples = demo.examples
    with gr.Row():
        prediction = gr.Textbox(
            examples[0].prediction, label="Prediction", lines=3, elem_id="prediction", min_width=280
        )
        references = gr.Textbox(
            examples[0].references,
            lines=3,
            elem_id="references",
            min_width=280,
            label="References: one per line, or with an empty line between them",
            visible=demo.takes_references,
        )
    button = gr.Button("Compute", variant="primary", elem_id="compute")
    inputs = [prediction, references, *contents]
    gallery = gr.Dataset(
        label="Examples, with the options that they set",
        components=[gr.HTML(render=False)],
        elem_id="examples",
        samples=[[f"<b>{escape(example.title)}</b><small>{escape(example.options)}</small>"] for example in examples],
        type="index",
        samples_per_page=len(examples),
    )
    with results:
        boxes = _text_boxes()
    outputs = list(boxes)

    def compute(prediction: str, references: str, *contents: Any) -> _TextResults:
        options, lines = demo.text_options(contents)
        page_result, picture_html = jobs.run(Demo.score_text, prediction or "", references or "", options)
        targets = None
        if demo.takes_references:
            targets = split_references(references or "")
        all_lines = [*demo.changed_options(contents), *lines]
        return _TextResults(
            outcome=result_html(page_result, all_lines, explained=bool(picture_html)),
            signature=gr.Textbox(page_result.result["signature"], visible=True),
            picture=gr.HTML(picture_html, visible=True),
            code=demo.code(source_of_texts(prediction, targets), options),
        )

    @cache
    def first_result() -> _TextResults:
        return compute(examples[0].prediction, examples[0].references, *examples[0].contents)

    def begin() -> Sequence[Any]:
        try:
            return first_result()
        except Exception as error:
            # Whatever it is, a visitor who asks for the same is shown it.
            _LOG.warning("the page begins without a result: %s", error)
            return boxes.only("")

    def fill(number: int) -> list[Any]:
        example = examples[number]
        return [example.prediction, example.references, *example.contents]

    answer = with_messages(compute, boxes.only)
    gr.on(None, begin, None, outputs, queue=False, show_progress="hidden", api_visibility="private")
    answered = button.click(answer, inputs, outputs, api_visibility="private", **jobs.queue)
    _bring_into_view(answered, "result")
    # Without the queue: the texts change at once, whoever else is being served.
    filled = gallery.click(fill, gallery, inputs, queue=False, show_progress="hidden", api_visibility="private")
    # An example chosen while another is being scored is scored after it: gradio's own way forgets it.
    scored = filled.then(answer, inputs, outputs, trigger_mode="always_last", api_visibility="private", **jobs.queue)
    _bring_into_view(scored, "result")


def _text_boxes() -> _TextResults:
    """Draw the boxes of results."""
    with gr.Row(elem_id="score-and-why"):
        with gr.Column(scale=2, min_width=300):
            outcome = outcome_box("result")
        with gr.Column(scale=3, min_width=300):
            picture = gr.HTML(elem_id="picture", elem_classes="tercet-picture", js_on_load=_BY_KEYS)
    return _TextResults(outcome, signature_box("signature"), picture, code_box("code-of-text"))


class _FileResults(NamedTuple):
    """The boxes below the tab of a file; or what each of them shows."""

    outcome: Any
    signature: Any
    plot: Any
    segments: Any
    rows: Any
    as_tsv: Any
    as_json: Any
    make_report: Any
    report: Any
    trouble: Any
    code: Any

    def only(self, outcome: str) -> _FileResults:
        """Return what these boxes show where there is no result, but a message, or nothing."""
        updates = {name: hidden(box) for name, box in self._asdict().items()}
        # The box of messages is only emptied: a later message would not make a hidden box visible.
        return _FileResults(**{**updates, "outcome": outcome, "trouble": "", "code": without_code()})


class _Columns(NamedTuple):
    """The boxes in which the columns of a file are chosen, with what is said of it; or what each of them shows."""

    about: Any
    systems: Any
    references: Any


class _Report(NamedTuple):
    """The boxes that a report concerns; or what each of them shows."""

    trouble: Any
    make_report: Any
    report: Any


def file_tab(demo: Demo, jobs: Jobs, contents: list[Any], results: gr.Column) -> None:
    """Draw the tab that scores the systems of a file, and its results."""
    # All files are taken: the message for one that cannot be read says more than the browser's.
    label = f"{', '.join(known_formats())}: up to {demo.most_items:,} predictions, {MOST_BYTES >> 20} MB"
    file = Upload(label=label, elem_id="file-input", height=140)
    about = outcome_box("about-file")
    with gr.Row():
        systems = ColumnMenu(
            [],
            multiselect=True,
            elem_id="system",
            min_width=200,
            label="Predictions: a column for each system, the baseline first",
        )
        references = ColumnMenu(
            [],
            multiselect=True,
            label="References",
            elem_id="reference-columns",
            min_width=200,
            visible=demo.takes_references,
        )
    button = gr.Button("Compute", variant="primary", elem_id="compute-file")
    with results:
        boxes = _file_boxes()
    outputs = list(boxes)

    def without_file(message: str) -> Sequence[Any]:
        no_columns = gr.update(choices=[], value=[])
        return [*_Columns(message, no_columns, no_columns), *boxes.only("")]

    def read(path: str | None) -> Sequence[Any]:
        if path is None:
            return without_file("")
        read_file: ReadFile = jobs.run(Demo.read_file, path)
        return [*_about_file(demo, read_file.table, read_file.roles), *boxes.only("")]

    def compute(path: str | None, chosen: list[str] | None, references: list[str], *contents: Any) -> _FileResults:
        if path is None:
            raise InputError(_CHOOSE_A_FILE)
        options = demo.page_options(contents)
        lines = demo.changed_options(contents)
        systems = list(dict.fromkeys(chosen or []))
        if len(systems) > 1:
            return _shown_comparison(jobs.run(compare_file, path, systems, references, options, lines))
        return _shown_scores(demo, jobs.run(Demo.score_file, path, systems, references, options), lines)

    def write_report(path: str | None, systems: list[str], references: list[str], *contents: Any) -> _Report:
        if path is None:
            raise InputError(_CHOOSE_A_FILE)
        page = jobs.run(report_file, path, systems or [], references, demo.page_options(contents))
        written = write_download("report.html", page)
        return _Report("", gr.Button(visible=False), gr.DownloadButton(value=written, visible=True))

    def without_report(message: str) -> _Report:
        return _Report(message, gr.update(), gr.update())

    inputs = [file, systems, references, *contents]
    file.change(
        with_messages(read, without_file),
        file,
        [*_Columns(about, systems, references), *outputs],
        api_visibility="private",
        **jobs.queue,
    )
    answered = button.click(
        with_messages(compute, boxes.only), inputs, outputs, api_visibility="private", **jobs.queue
    )
    _bring_into_view(answered, "file-result")
    boxes.make_report.click(
        with_messages(write_report, without_report),
        inputs,
        list(_Report(boxes.trouble, boxes.make_report, boxes.report)),
        api_visibility="private",
        **jobs.queue,
    )


def _file_boxes() -> _FileResults:
    """Draw the boxes of results."""
    outcome = outcome_box("file-result", _BY_KEYS)
    signature = signature_box("file-signature")
    plot = gr.BarPlot(
        x="score",
        y="texts",
        title="Distribution of scores",
        visible=False,
        height=260,
        x_label_angle=-60,
        elem_id="distribution",
    )
    rows = gr.Dataframe(interactive=False, wrap=True, visible=False, max_height=420, elem_id="items")
    with gr.Row():
        as_tsv = gr.DownloadButton("All texts with their scores (TSV)", visible=False, elem_id="download-tsv")
        as_json = gr.DownloadButton("Result (JSON)", visible=False, elem_id="download-json")
        make_report = gr.Button("Make the report (HTML)", visible=False, elem_id="make-report")
        report = gr.DownloadButton("Report (HTML)", visible=False, elem_id="download-report")
    trouble = outcome_box("report-trouble")
    code = code_box("code-of-file")
    # Last, as it is long; and not where changes are announced.
    segments = gr.HTML(visible=False, elem_id="segments", js_on_load=script_of(BROWSING))
    return _FileResults(
        outcome=outcome,
        signature=signature,
        plot=plot,
        segments=segments,
        rows=rows,
        as_tsv=as_tsv,
        as_json=as_json,
        make_report=make_report,
        report=report,
        trouble=trouble,
        code=code,
    )


def _about_file(demo: Demo, table: Table, roles: Roles) -> _Columns:
    """Return what is said of a file, and its columns to choose from, those that are recognized chosen."""
    recognized = demo.sure_systems(table, roles)
    n_rows = len(table.lines)
    summary = f"{n_rows:,} {word_after(n_rows, 'row', 'rows')}."
    if not recognized:
        summary += f" {demo.choice_of_columns(table)}"
    elif len(recognized) < len(roles.systems):
        summary += f" {len(roles.systems)} systems; of so many rows, the page compares up to {len(recognized)}."
    references = []
    if demo.takes_references:
        references = list(roles.references)
    names = list(table.columns)
    return _Columns(
        about=f"<p>{escape(summary)}</p>",
        systems=gr.Dropdown(names, value=recognized),
        references=gr.Dropdown(names, value=references),
    )


def _shown_scores(demo: Demo, scores: FileScores, lines: Sequence[str]) -> _FileResults:
    """Return what the boxes show of one system."""
    page_result = scores.page_result
    segment_name = page_result.primary_of_items
    bars = demo.histogram(scores.rows[segment_name], page_result.scale)
    frame = pd.DataFrame(scores.rows)
    return _FileResults(
        outcome=result_html(page_result, lines),
        signature=gr.Textbox(page_result.result["signature"], visible=True),
        plot=_plot(bars, page_result.titles[segment_name]),
        segments=gr.HTML(visible=False),
        rows=_items(frame, page_result),
        as_tsv=_download_of_rows(frame),
        as_json=_download_of_result(page_result.result),
        make_report=gr.Button(visible=False),
        report=gr.DownloadButton(visible=False),
        trouble="",
        code=scores.program,
    )


def _shown_comparison(comparison: PageComparison) -> _FileResults:
    """Return what the boxes show of several systems."""
    return _FileResults(
        outcome=comparison.html,
        signature=gr.Textbox(comparison.signature, visible=True),
        plot=gr.BarPlot(visible=False),
        segments=gr.HTML(comparison.segments, visible=True),
        rows=gr.Dataframe(visible=False),
        as_tsv=_download_of_rows(pd.DataFrame(comparison.rows)),
        as_json=_download_of_result(comparison.entries),
        make_report=gr.Button(visible=True),
        report=gr.DownloadButton(visible=False),
        trouble="",
        code=comparison.program,
    )


def _plot(bars: list[tuple[str, int]], title: str) -> Any:
    """Return the distribution of scores, as a plot."""
    frame = pd.DataFrame(bars, columns=["score", "texts"])
    # The plot sorts its labels as texts: signs that nobody sees keep their order. (With the argument `sort` a
    # second result would not be drawn.)
    frame["score"] = ["\u200b" * index + label for index, label in enumerate(frame["score"])]
    return gr.BarPlot(frame, visible=True, x_title=title)


def _items(frame: pd.DataFrame, page_result: PageResult) -> Any:
    """Return the first items with their scores, as a table."""
    visible_rows = frame.head(_SHOWN_ROWS).rename(columns=page_result.titles)
    scores = visible_rows.select_dtypes("floating").columns
    digits = 2 if page_result.in_percent else 4
    styled = visible_rows.style.format(f"{{:.{digits}f}}", subset=scores, na_rep="")
    return gr.Dataframe(
        styled.set_properties(subset=["line", *scores], **{"text-align": "right"}),
        visible=True,
        column_widths=_widths(visible_rows),
    )


def _download_of_rows(frame: pd.DataFrame) -> Any:
    return gr.DownloadButton(value=write_download("items.tsv", _tsv(frame)), visible=True)


def _download_of_result(entries: dict[str, Any]) -> Any:
    result = json.dumps(entries, ensure_ascii=False, indent=1)
    return gr.DownloadButton(value=write_download("result.json", result), visible=True)


def _widths(frame: pd.DataFrame) -> list[str]:
    """Return how wide the columns of the table are: names stand on one line, and texts take what numbers leave."""
    widths = {name: 9 * min(len(str(name)), 40) + 60 for name in frame}
    texts = frame.select_dtypes(exclude="number").columns
    width_of_numbers = sum(width for name, width in widths.items() if name not in texts)
    least_of_texts = max(300, (_TABLE_WIDTH - width_of_numbers) // max(len(texts), 1))
    column_widths = []
    for name, width in widths.items():
        least = least_of_texts if name in texts else 90
        column_widths.append(f"{max(width, least)}px")
    return column_widths


def _tsv(frame: pd.DataFrame) -> str:
    """Return a table with a line per item: white space within texts becomes a blank."""
    texts = frame.select_dtypes(include=["object", "string"]).columns
    texts_in_lines = {}
    for name in texts:
        texts_in_lines[name] = [" ".join(text.split()) for text in frame[name]]
    return str(frame.assign(**texts_in_lines).to_csv(sep="\t", index=False))
