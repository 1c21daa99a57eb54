"""How the page looks: colours that can be read in light and dark, places of things in windows of any width."""

from __future__ import annotations

import gradio as gr

CSS = """
#options .row {display: block}
#options .form {border: none; background: transparent; box-shadow: none}
#options .form {display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr))}
#options .wide {grid-column: span 2}
.tercet-score {font-size: 2rem; font-weight: 600; line-height: 1.2}
.tercet table, .tercet-picture table {border-collapse: collapse; border: none !important; outline: none}
.tercet tr, .tercet-picture tr {border: none !important}
.tercet th, .tercet td, .tercet-picture th, .tercet-picture td {
  border: none !important; border-bottom: 1px solid #8884 !important;
  padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top}
.tercet-picture caption {text-align: left; opacity: .7}
.tercet td {overflow-wrap: anywhere}
.tercet-picture table {display: block; overflow-x: auto}
.tercet-error {overflow-wrap: anywhere}
.tercet-note {border-left: 4px solid #e69f00; padding: .3rem .8rem; margin: .4rem 0}
.tercet-error {border-left: 4px solid #d55e00; padding: .5rem .8rem; margin: .4rem 0; font-weight: 500}
.tercet-picture svg {max-width: 100%; height: auto}
.tercet-picture > div > p:last-child {display: none}
.cm-line span, #card .token {color: inherit !important}
#card .token.comment {color: var(--body-text-color-subdued) !important}
#card pre, #card pre code {white-space: pre-wrap !important; overflow-wrap: anywhere}
[role=tab][aria-selected=true] {color: var(--primary-700) !important}
.dark [role=tab][aria-selected=true], .dark .download-link {color: var(--primary-300) !important}
"""


def theme() -> gr.themes.Soft:
    """Return Gradio's theme with fonts of the visitor's machine, and colours that stand out as WCAG 2 asks for."""
    own = gr.themes.Soft(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    return own.set(
        block_info_text_color="*neutral_600", block_info_text_color_dark="*neutral_300",
        block_title_text_color="*primary_800", block_title_text_color_dark="*neutral_100",
        block_title_background_fill="none", block_title_background_fill_dark="none", block_title_padding="0",
        block_label_background_fill="none", block_label_background_fill_dark="none",
        block_label_text_color="*primary_800", block_label_text_color_dark="*neutral_100",
        body_text_color_subdued="*neutral_600", body_text_color_subdued_dark="*neutral_300",
        input_placeholder_color="*neutral_600", input_placeholder_color_dark="*neutral_300",
        button_primary_background_fill="*primary_700", button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800", button_primary_background_fill_hover_dark="*primary_800",
        link_text_color_dark="*primary_300", link_text_color_visited_dark="*primary_300",
        link_text_color_hover_dark="*primary_200", link_text_color_active_dark="*primary_200",
        checkbox_border_color="*neutral_500", checkbox_border_color_dark="*neutral_400",
    )  # fmt: skip
