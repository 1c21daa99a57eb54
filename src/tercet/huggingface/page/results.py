"""Results as HTML: works on a phone, in light and dark mode, and needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

#: Texts from which on a score is said to mean something of what wrote them: of fewer it says little.
_TEST_SET = 100
_APART = {"signature", "segments", "intervals", "hashcode", "interpretation"}


def error_html(message: str) -> str:
    """Return a message in the place of a result; screen readers say it at once."""
    return f'<div class="tercet-error" role="alert">{escape(message)}</div>'


def result_html(result: Mapping[str, Any], primary: str, notes: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the primary score in large letters, what is to be noted, and the table of all scores."""
    of_items = result.get("segments") or {}
    shown = {name: value for name, value in result.items() if name not in _APART and not isinstance(value, dict)}
    rows = [
        _row(name, value, result)
        for name, value in shown.items()
        if not (isinstance(value, list) and name in of_items)  # those have a table of their own
    ]
    band = result.get("interpretation") if result["n_segments"] >= _TEST_SET else None
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    warned = "".join(f'<div class="tercet-note">{escape(note)}</div>' for note in notes)
    titles = "".join(f'<th scope="col">{title}</th>' for title in ("entry", "value", "95 % interval"))
    head = f"<tr>{titles}</tr>" if result.get("intervals") else ""
    return (
        f'<div class="tercet"><div class="tercet-score">{escape(primary)} {number(result[primary])}</div>'
        f"{f'<p>Roughly, {escape(band)}.</p>' if band else ''}{said}{warned}"
        f"<table>{head}{''.join(rows)}</table>"
        f"{'' if head else '<small>One text has no interval: a file of texts has one.</small>'}</div>"
    )


def _row(name: str, value: Any, result: Mapping[str, Any]) -> str:
    interval = (result.get("intervals") or {}).get(name)
    cell = ""
    if result.get("intervals"):
        cell = f"<td>{' to '.join(map(number, interval))}</td>" if interval else "<td></td>"
    words = escape(name).replace("_", "_<wbr>")  # a narrow column breaks there, not within a word
    return f"<tr><td>{words}</td><td>{number(value)}</td>{cell}</tr>"


def number(value: Any) -> str:
    """Return a value as a person reads it: four decimals, lists in a row."""
    if isinstance(value, list):
        return ", ".join(map(number, value))
    return f"{value:.4f}" if isinstance(value, float) else escape(str(value))
