"""The similarities of two texts' tokens as a table in colour, in HTML: its text keeps its size at any width."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tercet.markup import clean

from .token import Token
from .words_html import ADDS, scrolled, shade

#: Most cells: a browser lays out as many at once.
_MOST_CELLS = 10_000
_FRAME, _BEST = ";box-shadow:inset 0 0 0 2px currentColor", ";text-decoration:underline;font-weight:700"


def heat_map_html(prediction: Sequence[Token], reference: Sequence[Token], similarity: NDArray[np.float32]) -> str:
    """Return the matrix: a row per token of the prediction, a column per token of the reference."""
    if not similarity.size:
        return ""
    if similarity.size > _MOST_CELLS:
        size = f"{len(prediction):,} by {len(reference):,} tokens"
        return f"<p><small>A heat map of {size} is too large to show here: plot() draws it.</small></p>"
    least = min(float(similarity.min()), 1.0)
    legend = (
        f"cosine of each token of the prediction (rows) with each of the reference (columns): the bluer, the nearer, "
        f"from {least:.2f} to 1; framed: the best match of the row, bold: of the column"
    )
    above = "".join(f'<th scope="col" style="writing-mode:vertical-rl">{clean(each.text)}</th>' for each in reference)
    rows = []
    for row, token in enumerate(prediction):
        cells = ""
        for column, other in enumerate(reference):
            value = float(similarity[row, column])
            style = shade(ADDS, max(0.0, value - least) / ((1 - least) or 1.0))
            style += _FRAME * (token.match == column) + _BEST * (other.match == row)
            cells += f'<td style="{style}">{f"{value:.2f}".replace("0.", ".", 1)}</td>'
        rows.append(f'<tr><th scope="row">{clean(token.text)}</th>{cells}</tr>')
    table = f'<table class="heat" style="font-size:.8em"><tr><td></td>{above}</tr>{"".join(rows)}</table>'
    return f'<div style="flex:1 1 24rem;min-width:0"><p><small>{legend}</small></p>{scrolled(table)}</div>'
