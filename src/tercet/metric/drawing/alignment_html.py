"""Two texts and the matches of their tokens, as SVG and as self-contained HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .heat_map_html import heat_map_html
from .svg import element, picture, text
from .token import Token
from .words_html import ADDS, TAKES, chip, folded, page_html, scrolled, shade, spaced_html, table_html

_ROW = 20
_LEFT, _RIGHT, _WIDTH = 200, 350, 550
_BAR = 60  # length of the longest bar of a text


def alignment_svg(prediction: Sequence[Token], reference: Sequence[Token]) -> str:
    """Return an SVG document: the prediction's tokens in a column, the reference's in another, lines between.

    A line goes from each token to its best match: blue from the prediction, red and dashed from the reference; the
    darker, the nearer. Bars show the weights. A row per token: long texts make tall pictures.
    """
    height = _ROW * (max(len(prediction), len(reference)) + 1)
    parts = [
        *_lines(prediction, _LEFT, _RIGHT, stroke=f"rgb({ADDS})"),
        *_lines(reference, _RIGHT, _LEFT, stroke=f"rgb({TAKES})", stroke_dasharray="4 3"),
        *_column(prediction, _LEFT - 8, "end", f"rgb({ADDS})"),
        *_column(reference, _RIGHT + 8, "start", f"rgb({TAKES})"),
    ]
    return picture(_WIDTH, height, "matches of the tokens of two texts", parts)


def alignment_html(
    title: str, signature: str, prediction: Sequence[Token], reference: Sequence[Token],
    similarity: NDArray[np.float32],
) -> str:  # fmt: skip
    """Return a fragment of HTML: both texts coloured by loss, the matches, the heat map, and the table."""
    legend = "the redder a token, the more it takes from the score; point at one to see its match"
    sides = (("prediction", "precision", prediction), ("reference", "recall", reference))
    texts = [_coloured(name, tokens) for name, _, tokens in sides]
    tables = [_table(name, measure, tokens) for name, measure, tokens in sides]
    pictures = scrolled(alignment_svg(prediction, reference)), heat_map_html(prediction, reference, similarity)
    beside = f'<div style="display:flex;flex-wrap:wrap;gap:0 2rem">{"".join(pictures)}</div>'
    return page_html(title, [*texts, beside, folded("all tokens", "".join(tables))], signature, legend)


def _height(row: int) -> float:
    return _ROW * (row + 0.9)


def _lines(tokens: Sequence[Token], start: int, stop: int, **look: str) -> Iterator[str]:
    """Yield a line from each token to its match in the other column."""
    for row, token in enumerate(tokens):
        if token.match is not None:
            opacity = 0.2 + 0.8 * max(0.0, min(1.0, token.cosine)) ** 2
            yield element(
                "line", x1=start, y1=_height(row) - 4, x2=stop, y2=_height(token.match) - 4, stroke_width=1.6,
                stroke_opacity=opacity, **look,
            )  # fmt: skip


def _column(tokens: Sequence[Token], x: int, anchor: str, colour: str) -> Iterator[str]:
    """Yield the tokens of a text below each other, each with a bar of its weight at the edge of the picture."""
    greatest = max((token.weight for token in tokens), default=0.0) or 1.0
    for row, token in enumerate(tokens):
        width = _BAR * token.weight / greatest
        start = 0.0 if anchor == "end" else _WIDTH - width
        yield element("rect", x=start, y=_height(row) - 11, width=width, height=12, fill=colour, fill_opacity=0.7)
        style, opacity = ("italic", 0.75) if token.special else ("normal", 1)
        yield text(
            token.text, x, _height(row), _hint(token), text_anchor=anchor, font_style=style, fill_opacity=opacity
        )


def _hint(token: Token) -> str:
    return (
        f"{token.token} → {token.match_text}: cosine {token.cosine:.3f}, weight {token.weight:.3f}, "
        f"loses {token.loss:.4f}"
    )


def _coloured(name: str, tokens: Sequence[Token]) -> str:
    """Return the text of the tokens, each on a background of its loss."""
    greatest = max([0.0, *(token.loss for token in tokens)]) or 1.0
    chips = [
        (token.span, chip(token.text, shade(TAKES, max(0.0, token.loss) / greatest), _hint(token)))
        for token in tokens
        if not token.special
    ]
    return spaced_html(name, chips)


def _table(name: str, measure: str, tokens: Sequence[Token]) -> str:
    total = sum(token.contribution for token in tokens)
    rows = [(each.text, each.weight, each.cosine, _match(each), each.contribution, each.loss) for each in tokens]
    caption = f"tokens of the {name}: contributions sum to the {measure}, {total:.4f}"
    head = ("token", "weight", "cosine", "match", "contribution", "loss")
    return table_html(caption, head, rows, most=len(rows))


def _match(token: Token) -> str:
    return f"{token.match_text} (special)" if token.match_special else token.match_text
