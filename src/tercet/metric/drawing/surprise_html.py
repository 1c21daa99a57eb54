"""A text coloured by how much each part surprises a model, and a bar for each, as self-contained HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tercet.markup import clean

from .svg import element, picture, text
from .words_html import TAKES, chip, page_html, scrolled, shade

#: A part of this many bits or more has the strongest red: a probability of 1 in 65,536.
_MOST_BITS = 16.0
_MOST_BARS = 300
_ROW, _LABEL, _WIDTH = 20, 170, 680
_SIGNS = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥", "\r": "⏎"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: a token, or the fewest tokens that are valid text together. Joined, they are the text."""

    text: str
    span: tuple[int, int]  # where it is in the text
    tokens: list[str]  # as the tokenizer spells them
    surprisal: float | None  # in bits, the sum of its tokens'; None where it was not scored, or cut off


def surprise_html(title: str, pieces: Sequence[Piece], signature: str) -> str:
    """Return a fragment of HTML: what the colours mean, the text in colour, a bar per piece."""
    names = {1: "1 bit", 4: "4 bits", 8: "8 bits", 12: "12 bits", 16: "16 bits or more"}
    chips = " ".join(chip(name, _style(bits)) for bits, name in names.items())
    legend = (
        f"<p><small>{chips}<br>n bits: the model gave this part a probability of 1 in 2<sup>n</sup>; point at a part "
        "to see its bits</small></p>"
    )
    shown = "".join(chip(piece.text, _style(piece.surprisal), _hint(piece)) for piece in pieces)
    coloured = f'<p dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{shown}</p>'
    more = f"<p><small>and {len(pieces) - _MOST_BARS:,} more parts</small></p>" if len(pieces) > _MOST_BARS else ""
    return page_html(title, [legend, coloured, _bars(pieces[:_MOST_BARS]), more], signature)


def _bars(pieces: Sequence[Piece]) -> str:
    """Return a picture: a row per piece, with a bar as long as its surprisal."""
    most = max([_MOST_BITS, *(piece.surprisal or 0.0 for piece in pieces)])
    parts = []
    for row, piece in enumerate(pieces):
        base, bits = _ROW * (row + 0.75), piece.surprisal
        width = (_WIDTH - _LABEL - 70) * max(bits or 0.0, 0.0) / most
        label = piece.text.translate(_SIGNS)
        parts += [
            text(label if len(label) <= 20 else f"{label[:19]}…", _LABEL - 8, base, text_anchor="end"),
            element(
                "rect", element("title", clean(_hint(piece))), x=_LABEL, y=base - 11, width=width, height=14,
                rx=2, fill=f"rgb({TAKES})", fill_opacity=0.25 + 0.6 * _share(bits),
            ),
            text("not scored" if bits is None else f"{bits:.2f}", _LABEL + width + 6, base, fill_opacity=0.75),
        ]  # fmt: skip
    bars = picture(_WIDTH, _ROW * len(pieces) + 6, "surprisal of each part of the text, in bits", parts)
    return scrolled(bars)


def _hint(piece: Piece) -> str:
    bits = "not scored" if piece.surprisal is None else f"{piece.surprisal:.2f} bits"
    return f"{'tokens' if len(piece.tokens) > 1 else 'token'} {' '.join(piece.tokens)}: {bits}"


def _style(bits: float | None) -> str:
    return "opacity:.8" if bits is None else shade(TAKES, _share(bits))


def _share(bits: float | None) -> float:
    return min(max(bits or 0.0, 0.0) / _MOST_BITS, 1.0)
