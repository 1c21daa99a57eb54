"""A text coloured by how much each part surprises a model, and a bar for each, as HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tercet.core.markup import clean

from .words_html import page_html

#: A part of this many bits or more has the strongest red: a probability of 1 in 65,536.
_MOST_BITS = 16.0
_MOST_BARS = 300
_ROW, _LABEL, _WIDTH = 20, 170, 680
_SIGNS = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥", "\r": "⏎"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: a token, or the fewest tokens that are valid text together.

    Attributes
    ----------
    text : str
        The pieces of a text, joined, are the text.
    span : (int, int)
        Where it stands in the text.
    tokens : list of str
        As the tokenizer spells them.
    surprisal : float or None
        In bits, the sum of its tokens'; None where it was read but not scored, or cut off.
    """

    text: str
    span: tuple[int, int]
    tokens: list[str]
    surprisal: float | None


def surprise_html(title: str, pieces: Sequence[Piece], signature: str) -> str:
    """Return a fragment of HTML: what the colours mean, the text in colour, a bar per piece."""
    chips = " ".join(_chip(f"{bits} {'bit' if bits == 1 else 'bits'}", float(bits), "") for bits in (1, 4, 8, 12))
    legend = (
        f"<p><small>{chips} {_chip('16 bits or more', _MOST_BITS, '')}<br>n bits: the model gave this part a "
        "probability of 1 in 2<sup>n</sup>; point at a part to see its bits</small></p>"
    )
    shown = "".join(_chip(piece.text, piece.surprisal, _hint(piece)) for piece in pieces)
    text = f'<p dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{shown}</p>'
    more = f"<p><small>and {len(pieces) - _MOST_BARS:,} more parts</small></p>" if len(pieces) > _MOST_BARS else ""
    return page_html(title, [legend, text, bars_svg(pieces[:_MOST_BARS]), more], signature)


def bars_svg(pieces: Sequence[Piece]) -> str:
    """Return an SVG document: a row per piece, with a bar as long as its surprisal."""
    most = max([_MOST_BITS, *(piece.surprisal or 0.0 for piece in pieces)])
    height = _ROW * len(pieces) + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" aria-label="surprisal of each part of the text, in bits" font-family="sans-serif" font-size="13">'
    ]
    for row, piece in enumerate(pieces):
        base = _ROW * (row + 0.75)
        bits = piece.surprisal
        width = 0.0 if bits is None else (_WIDTH - _LABEL - 70) * max(bits, 0.0) / most
        parts.append(
            f'<text x="{_LABEL - 8}" y="{base:g}" text-anchor="end" fill="currentColor">'
            f"{clean(_label(piece.text))}</text>"
            f'<rect x="{_LABEL}" y="{base - 11:g}" width="{width:.1f}" height="14" rx="2" fill="rgb(220,50,47)" '
            f'fill-opacity="{0.25 + 0.6 * _share(bits):.2f}"><title>{clean(_hint(piece))}</title></rect>'
            f'<text x="{_LABEL + width + 6:.1f}" y="{base:g}" fill="currentColor" fill-opacity="0.75">'
            f"{'not scored' if bits is None else f'{bits:.2f}'}</text>"
        )
    return "".join([*parts, "</svg>"])


def _label(text: str) -> str:
    shown = text.translate(_SIGNS)
    return shown if len(shown) <= 20 else f"{shown[:19]}…"


def _hint(piece: Piece) -> str:
    tokens = f"tokens {' '.join(piece.tokens)}" if len(piece.tokens) > 1 else f"token {''.join(piece.tokens)}"
    if piece.surprisal is None:
        return f"{tokens}: not scored"
    return f"{tokens}: {piece.surprisal:.2f} bits"


def _share(bits: float | None) -> float:
    return min(max(bits or 0.0, 0.0) / _MOST_BITS, 1.0)


def _chip(text: str, bits: float | None, hint: str) -> str:
    title = f' title="{clean(hint)}"' if hint else ""
    style = "opacity:.8" if bits is None else f"background:rgba(220,50,47,{0.7 * _share(bits):.2f})"
    return f'<span{title} style="{style};border-radius:3px">{clean(text)}</span>'
