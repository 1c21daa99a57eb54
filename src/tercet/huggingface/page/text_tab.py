"""The tab of the page that scores one text."""

from __future__ import annotations

from typing import Any

import gradio as gr

from .answers import code_box, hidden, outcome_box, result_html, signature_box, with_messages
from .jobs import Jobs
from .program import texts_given
from .scoring import Demo, split_references

#: Tables of a picture that are wider than their place are moved by keys, too; a folded one once it is unfolded.
_BY_KEYS = """
const reach = () => element.querySelectorAll("table").forEach(each => {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
});
new MutationObserver(reach).observe(element, {childList: true, subtree: true});
element.addEventListener("toggle", reach, true);
"""


def text_tab(demo: Demo, jobs: Jobs, contents: list[Any]) -> None:
    """Draw the tab."""
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
