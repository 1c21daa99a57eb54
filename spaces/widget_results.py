"""Results as HTML: works on a phone, in light and dark mode, and needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_APART = {"signature", "segments", "intervals", "hashcode", "interpretation"}

CSS = """
#options .row {display: block}
#options .form {border: none; background: transparent; box-shadow: none}
#options .form {display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr))}
#options .wide {grid-column: span 2}
.tercet-score {font-size: 2rem; font-weight: 600; line-height: 1.2}
.tercet table, .tercet-picture table {
  border-collapse: collapse; border: none !important; outline: none; display: block; overflow-x: auto}
.tercet tr, .tercet-picture tr {border: none !important}
.tercet th, .tercet td, .tercet-picture th, .tercet-picture td {
  border: none !important; border-bottom: 1px solid #8884 !important;
  padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top}
.tercet-picture caption {text-align: left; opacity: .7}
.tercet td {overflow-wrap: break-word}
.tercet-error {overflow-wrap: anywhere}
.tercet-note {border-left: 4px solid #e69f00; padding: .3rem .8rem; margin: .4rem 0}
.tercet-error {border-left: 4px solid #d55e00; padding: .5rem .8rem; margin: .4rem 0; font-weight: 500}
.tercet-picture svg {max-width: 100%; height: auto}
.tercet-picture > div > p:last-child {display: none}
"""


def error_html(message: str) -> str:
    """Return a message in the place of a result; screen readers say it at once."""
    return f'<div class="tercet-error" role="alert">{escape(message)}</div>'


def result_html(result: Mapping[str, Any], primary: str, notes: Sequence[str]) -> str:
    """Return the primary score in large letters, what is to be noted, and the table of all scores."""
    of_items = result.get("segments") or {}
    shown = {name: value for name, value in result.items() if name not in _APART and not isinstance(value, dict)}
    rows = [
        _row(name, value, result)
        for name, value in shown.items()
        if not (isinstance(value, list) and name in of_items)  # those have a table of their own
    ]
    band = result.get("interpretation")
    warned = "".join(f'<div class="tercet-note">{escape(note)}</div>' for note in notes)
    head = "<tr><th>entry</th><th>value</th><th>95 % interval</th></tr>" if result.get("intervals") else ""
    return (
        f'<div class="tercet"><div class="tercet-score">{escape(primary)} {number(result[primary])}</div>'
        f"{f'<div>{escape(band)}</div>' if band else ''}{warned}"
        f"<table>{head}{''.join(rows)}</table>"
        f"{'' if head else '<small>One text has no interval: a file of texts has one.</small>'}</div>"
    )


def _row(name: str, value: Any, result: Mapping[str, Any]) -> str:
    interval = (result.get("intervals") or {}).get(name)
    cell = ""
    if result.get("intervals"):
        cell = f"<td>{' to '.join(map(number, interval))}</td>" if interval else "<td></td>"
    return f"<tr><td>{escape(name)}</td><td>{number(value)}</td>{cell}</tr>"


def number(value: Any) -> str:
    """Return a value as a person reads it: four digits behind the point, lists in a row."""
    if isinstance(value, list):
        return ", ".join(map(number, value))
    return f"{value:.4f}" if isinstance(value, float) else escape(str(value))
