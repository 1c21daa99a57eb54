"""How the page looks: colours that can be read in light and dark, places of things in windows of any width."""

from __future__ import annotations

import gradio as gr

CSS = """
#options .row {display: block}
#options .form {border: none; background: transparent; box-shadow: none}
#options .form {display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr))}
#options .wide {grid-column: span 2}
#page:has([data-tab-id=text][aria-selected=false]) #of-text {display: none}
#page:has([data-tab-id=file][aria-selected=false]) #of-file {display: none}
#page:has([data-tab-id=card][aria-selected=true]) #options {display: none}
#reset {align-self: center; justify-self: start; flex: none}
#examples > .gallery {display: grid; gap: .4rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr))}
#examples .gallery-item {text-align: left; width: 100%}
#examples .gallery-item > div {overflow: visible; max-width: none}
#examples b, #examples small {display: block; white-space: normal; overflow-wrap: anywhere}
@media (max-width: 44rem) {
  #examples > .gallery {
    grid-template-columns: none; grid-auto-flow: column; grid-auto-columns: 14rem; overflow-x: auto}
}
#items th * {white-space: nowrap; overflow-wrap: normal; word-break: normal}
.tercet-score {font-size: 2.6rem; font-weight: 600; line-height: 1.2; overflow-wrap: anywhere}
.tercet-interval {margin-bottom: .6rem}
.tercet {--ink: var(--body-text-color); --soft: var(--body-text-color-subdued); --line: #8886;
  --paper: var(--body-background-fill); --accent: var(--primary-600)}
.dark .tercet {--accent: var(--primary-300)}
.tercet th[scope=row] {font-weight: normal}
.tercet details {font-size: .85em; margin-top: .6rem}
.tercet summary {cursor: pointer}
.tercet-compared .verdict {font-size: 1.15rem; line-height: 1.4; margin-bottom: .6rem}
.tercet-compared .beside {display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: start}
.tercet-compared .beside > * {flex: 0 1 auto; min-width: 0; max-width: 100%}
.tercet-compared .beside > .dots {flex: 1 1 22rem}
.tercet-compared .scroll {overflow-x: auto}
.tercet-compared table th, .tercet-compared table td {white-space: nowrap; font-variant-numeric: tabular-nums}
.tercet-compared .best * {font-weight: 700}
.tercet-compared .tag {font-size: .8em; font-weight: 400; color: var(--soft)}
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
.tercet-picture svg {max-width: none}
.tercet-picture div div div {min-width: 0; max-width: 100%}
.tercet-picture .heat th, .tercet-picture .heat td {padding: .2rem .35rem; text-align: center; vertical-align: middle}
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
