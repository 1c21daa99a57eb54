"""Two texts and the matches of their tokens, as SVG and as HTML that a browser shows without anything else."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.core.markup import clean

from .token import Token

_ROW = 20
_LEFT, _RIGHT, _WIDTH = 230, 450, 680
_BAR = 90  # length of the longest bar of a text


def alignment_svg(prediction: Sequence[Token], reference: Sequence[Token]) -> str:
    """Return an SVG document: the prediction's tokens in a column, the reference's in another, lines between.

    A line goes from each token to its best match: grey from the prediction, red and dashed from the reference; the
    darker, the nearer. Bars show the weights. A row per token: long texts make tall pictures.
    """
    height = _ROW * (max(len(prediction), len(reference)) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" aria-label="matches of the tokens of two texts" font-family="sans-serif" font-size="13">'
    ]
    for row, token in enumerate(prediction):
        parts.append(_line(_LEFT, row, _RIGHT, token, "slategrey", ""))
    for row, token in enumerate(reference):
        parts.append(_line(_RIGHT, row, _LEFT, token, "crimson", ' stroke-dasharray="4 3"'))
    for tokens, place, anchor, colour in (
        (prediction, _LEFT - 8, "end", "slategrey"),
        (reference, _RIGHT + 8, "start", "crimson"),
    ):
        greatest = max((token.weight for token in tokens), default=0.0)
        for row, token in enumerate(tokens):
            parts += _cell(place, row, token, anchor, colour, greatest)
    return "".join([*parts, "</svg>"])


def alignment_html(title: str, signature: str, prediction: Sequence[Token], reference: Sequence[Token]) -> str:
    """Return a fragment of HTML: both texts coloured by loss, the picture of the matches, and the table."""
    sides = (("prediction", "precision", prediction), ("reference", "recall", reference))
    texts = "".join(f'<p dir="auto"><b>{name}</b> {_coloured(tokens)}</p>' for name, _, tokens in sides)
    tables = "".join(_table(name, measure, tokens) for name, measure, tokens in sides)
    return (
        '<div style="font-family:sans-serif;line-height:1.7;max-width:100%;overflow-x:auto">'
        f"<p><b>{clean(title)}</b><br><small>the redder a token, the more it takes from the score; point at one to "
        f"see its match</small></p>{texts}{alignment_svg(prediction, reference)}"
        f"<details><summary>all tokens</summary>{tables}</details>"
        f'<p style="overflow-wrap:anywhere"><small>{clean(signature)}</small></p></div>'
    )


def _height(row: int) -> float:
    return _ROW * (row + 0.9)


def _line(start: int, row: int, stop: int, token: Token, colour: str, dashes: str) -> str:
    if token.match is None:
        return ""
    opacity = 0.2 + 0.8 * max(0.0, min(1.0, token.cosine)) ** 2
    return (
        f'<line x1="{start}" y1="{_height(row) - 4:g}" x2="{stop}" y2="{_height(token.match) - 4:g}" '
        f'stroke="{colour}" stroke-width="1.6" stroke-opacity="{opacity:.2f}"{dashes}/>'
    )


def _cell(x: int, row: int, token: Token, anchor: str, colour: str, greatest: float) -> list[str]:
    width = _BAR * token.weight / greatest if greatest else 0.0
    start = 0.0 if anchor == "end" else _WIDTH - width
    style = ' font-style="italic" fill-opacity="0.6"' if token.special else ""
    hint = f"<title>{clean(_hint(token))}</title>"
    return [
        f'<rect x="{start:.1f}" y="{_height(row) - 11:g}" width="{width:.1f}" height="12" fill="{colour}" '
        'fill-opacity="0.5"/>',
        f'<text x="{x}" y="{_height(row):g}" text-anchor="{anchor}" fill="currentColor"{style}>{clean(token.text)}'
        f"{hint}</text>",
    ]


def _hint(token: Token) -> str:
    return (
        f"{token.token} → {token.match_text}: cosine {token.cosine:.3f}, weight {token.weight:.3f}, "
        f"loses {token.loss:.4f}"
    )


def _coloured(tokens: Sequence[Token]) -> str:
    """Return the text of the tokens with their spaces, each on a background of its loss."""
    greatest = max((token.loss for token in tokens), default=0.0)
    parts, end = [], 0
    for token in tokens:
        if token.special:
            continue
        if token.span is not None:
            parts.append(" " if token.span[0] > end else "")
            end = max(end, token.span[1])
        share = max(0.0, token.loss) / greatest if greatest > 0 else 0.0
        parts.append(
            f'<span title="{clean(_hint(token))}" style="background:rgba(220,50,47,{0.7 * share:.2f});'
            f'border-radius:3px">{clean(token.text)}</span>'
        )
    return "".join(parts)


def _table(name: str, measure: str, tokens: Sequence[Token]) -> str:
    head = ("token", "weight", "cosine", "match", "contribution", "loss")
    rows = [
        f"<tr><td>{clean(token.text)}</td><td>{token.weight:.4f}</td><td>{token.cosine:.4f}</td>"
        f"<td>{clean(token.match_text)}{' (special)' if token.match_special else ''}</td>"
        f"<td>{token.contribution:.4f}</td><td>{token.loss:.4f}</td></tr>"
        for token in tokens
    ]
    total = sum(token.contribution for token in tokens)
    names = "".join(f"<th>{each}</th>" for each in head)
    return (
        f"<table><caption>tokens of the {name}: contributions sum to the {measure}, {total:.4f}</caption>"
        f"<tr>{names}</tr>{''.join(rows)}</table>"
    )
