"""What a page draws of networks' scores: how two texts' tokens match, what each adds, how much each surprises."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.errors import needs
from tercet.names_as_shown import clean, columns_of, fitted

from .html import (
    ADDS,
    TAKES,
    Cell,
    chip,
    decimal_text,
    folded_html,
    page_html,
    scrolling_html,
    shade,
    spaced_html,
    table_html,
)
from .parts import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The similarities of two texts' tokens as a figure of matplotlib.


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its best match in the other text, and what it adds to the score."""

    token: str  # as the tokenizer spells it, such as ##ing
    text: str  # the part of the text that it stands for; for a special token, its spelling
    span: tuple[int, int] | None  # where that part is in the text; None for special tokens
    special: bool  # added by the tokenizer, such as [CLS]
    weight: float  # share in the text; the shares of a text sum to 1
    cosine: float  # with its best match
    match: int | None  # index of the best match in the other text; None where that has no token
    match_text: str
    match_special: bool
    contribution: float  # weight * cosine: sums to the precision, or the recall
    loss: float  # weight * (1 - cosine): sums to what is missing from 1


_INCHES_PER_TOKEN = 0.26
_MOST_INCHES = 40.0
#: Tokens of a text up to which the cells show their numbers.
_MOST_NUMBERED = 16


def heat_map(
    prediction: Sequence[Token], reference: Sequence[Token], similarity: NDArray[np.float32], title: str
) -> Any:
    """Draw the matrix: a row per token of the prediction, a column per token of the reference.

    The best match of each token of the prediction is marked by a frame, that of each token of the reference by a
    dot; bars show the weights. Figures grow with the texts up to 40 inches; beyond that every second, third ...
    token is named. Scripts that no installed font has are drawn as squares, and right-to-left scripts letter by
    letter: the SVG and HTML pictures show them as a browser does.
    """
    needs("A plot", "report", "matplotlib")
    from matplotlib.figure import Figure

    n_rows, n_columns = similarity.shape
    if not similarity.size:
        figure = for_notebooks(Figure(figsize=(5, 1)))
        figure.suptitle(f"{title}\na text without any token", size=9)
        return figure
    width = min(_MOST_INCHES, max(3.0, _INCHES_PER_TOKEN * n_columns))
    height = min(_MOST_INCHES, max(3.0, _INCHES_PER_TOKEN * n_rows))
    figure = for_notebooks(Figure(figsize=(width + 3.2, height + 2.2), layout="constrained"))
    grid = figure.add_gridspec(2, 3, width_ratios=(width, 0.5, 0.2), height_ratios=(0.5, height))
    matrix = figure.add_subplot(grid[1, 0])
    image = matrix.imshow(
        similarity, cmap="viridis", aspect="auto", vmin=float(similarity.min(initial=0.0)), vmax=1.0
    )
    _name_tokens(matrix.xaxis, reference, width)
    _name_tokens(matrix.yaxis, prediction, height)
    matrix.tick_params(axis="x", rotation=90)
    matrix.set_xlabel("reference")
    matrix.set_ylabel("prediction")
    shows_numbers = max(n_rows, n_columns) <= _MOST_NUMBERED
    _mark_matches(matrix, prediction, reference, beside_numbers=shows_numbers)
    if shows_numbers:
        _write_numbers(matrix, similarity)
    above = figure.add_subplot(grid[0, 0], sharex=matrix)
    above.bar(range(n_columns), [token.weight for token in reference], color="crimson")
    beside = figure.add_subplot(grid[1, 1], sharey=matrix)
    beside.barh(range(n_rows), [token.weight for token in prediction], color="slategrey")
    for bars in (above, beside):
        bars.set_axis_off()
    figure.colorbar(image, cax=figure.add_subplot(grid[1, 2]), label="cosine")
    figure.suptitle(
        title + "\nframe: best match of a prediction token, dot: of a reference token, bars: weights", size=9
    )
    return figure


def _mark_matches(
    matrix: Any, prediction: Sequence[Token], reference: Sequence[Token], *, beside_numbers: bool
) -> None:
    """Draw a frame at the best match of each token of the prediction, and a dot at that of the reference's."""
    from matplotlib.patches import Rectangle

    for row, token in enumerate(prediction):
        if token.match is not None:
            corner = (token.match - 0.5, row - 0.5)
            matrix.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="white", linewidth=1.6))
    shift = 0.0
    size = 3
    if beside_numbers:
        shift = 0.34  # the middle of a cell is for its number
        size = 4
    x = []
    y = []
    for column, token in enumerate(reference):
        if token.match is not None:
            x.append(column + shift)
            y.append(token.match - shift)
    dots = {"color": "crimson", "markeredgecolor": "white", "markeredgewidth": 0.5}
    matrix.plot(x, y, linestyle="", marker="o", markersize=size, **dots)


def _write_numbers(matrix: Any, similarity: NDArray[np.float32]) -> None:
    for row, column in np.ndindex(*similarity.shape):
        value = float(similarity[row, column])
        colour = "black" if value > 0.6 else "white"  # great values have a light background
        matrix.text(column, row, _cosine_text(value), ha="center", va="center", fontsize=5.5, color=colour)


def _cosine_text(value: float) -> str:
    """Return a cosine without the zero before its point, so that it fits into a cell."""
    return f"{value:.2f}".replace("0.", ".", 1)


def _name_tokens(axis: Any, tokens: Sequence[Token], inches: float) -> None:
    """Write the tokens along an axis, as many as stay readable, each in a font that has its letters."""
    from matplotlib.font_manager import FontProperties

    # a name of 8 points takes 0.14 inches
    step = max(1, int(np.ceil(len(tokens) * 0.14 / inches)))
    positions = range(0, len(tokens), step)
    names = [tokens[position].text for position in positions]
    fonts = _fonts({letter for token in tokens for letter in token.text})
    files = []
    drawable = []
    for name in names:
        file = _font_of(name, fonts)
        files.append(file)
        drawable.append(_drawable(name, fonts[file]))
    labels = axis.set_ticks(list(positions), labels=drawable)
    for tick, file in zip(labels, files, strict=True):
        # By its file: a search by family warns where a family, as many Chinese ones, has no face of normal weight.
        for label in (tick.label1, tick.label2):
            label.set_fontproperties(FontProperties(fname=file, size=8))


def _fonts(letters: Iterable[str]) -> dict[str, set[int]]:
    """Return the files of the fonts that together have the letters, as far as any has, with what each has."""
    from matplotlib.font_manager import findfont, fontManager, get_font

    needed = {ord(letter) for letter in letters if not letter.isspace()}
    files = {"DejaVu Sans": str(findfont("DejaVu Sans"))}  # matplotlib comes with this font
    for entry in fontManager.ttflist:
        if "Last Resort" not in entry.name:  # a font that draws every letter as a box
            files.setdefault(entry.name, str(entry.fname))
    # fonts of the system are read, which takes time, only as long as letters are missing
    fonts: dict[str, set[int]] = {}
    for file in files.values():
        letters_of_font = set(get_font(file).get_charmap())
        if not fonts or letters_of_font & needed:
            fonts[file] = letters_of_font
            needed -= letters_of_font
        if not needed:
            break
    return fonts


def _font_of(text: str, fonts: Mapping[str, set[int]]) -> str:
    """Return the file of the font that has most letters of a text, the first of several."""
    letters = set(map(ord, text))
    return max(fonts, key=lambda file: len(fonts[file] & letters))


def _drawable(text: str, letters_of_font: set[int]) -> str:
    """Replace what the font does not have, and what would be read as a formula."""
    missing = "□" if ord("□") in letters_of_font else "?"
    return "".join(letter if ord(letter) in letters_of_font else missing for letter in text).replace("$", r"\$")


# The similarities of two texts' tokens as a table in colour, in HTML: its text keeps its size at any width. Styles of
# its cells stand in them, as a page has its own for tables.

#: Most cells: a browser lays out as many at once.
_MOST_CELLS = 10_000
_HEAD = "writing-mode:vertical-rl;text-align:end;padding-bottom:.4em"
_NAME = "text-align:right;white-space:nowrap"
_CELL = "padding:.1em .4em;text-align:center"
#: Added to the style of the best match of a row.
_FRAME = ";box-shadow:inset 0 0 0 2px currentColor"
#: Added to the style of the best match of a column.
_BEST = ";text-decoration:underline;font-weight:700"


def _heat_map_html(prediction: Sequence[Token], reference: Sequence[Token], similarity: NDArray[np.float32]) -> str:
    """Return the matrix: a row per token of the prediction, a column per token of the reference."""
    if not similarity.size:
        return ""
    if similarity.size > _MOST_CELLS:
        size = f"{len(prediction):,} by {len(reference):,} tokens"
        return f"<p><small>A heat map of {size} is too large to show here: plot() draws it.</small></p>"
    least = min(float(similarity.min()), 1.0)  # not 1.0000001, by rounding
    legend = (
        f"cosine of each token of the prediction (rows) with each of the reference (columns): the bluer, the nearer, "
        f"from {least:.2f} to 1; framed: the best match of the row, bold: of the column"
    )
    head = "".join(
        f'<th scope="col" style="{_HEAD}">{clean(reference_token.text)}</th>' for reference_token in reference
    )
    rows = []
    for row, token in enumerate(prediction):
        cells = ""
        for column, reference_token in enumerate(reference):
            value = float(similarity[row, column])
            share = 0.0
            # where all are 1, there is no range to divide by
            if least < 1:
                share = max(0.0, value - least) / (1 - least)
            style = f"{_CELL};{shade(ADDS, share)}"
            if token.match == column:
                style += _FRAME
            if reference_token.match == row:
                style += _BEST
            cells += f'<td style="{style}">{_cosine_text(value)}</td>'
        rows.append(f'<tr><th scope="row" style="{_NAME}">{clean(token.text)}</th>{cells}</tr>')
    look = "font-size:.8em;font-variant-numeric:tabular-nums"
    table = f'<table class="heat" style="{look}"><tr><td></td>{head}</tr>{"".join(rows)}</table>'
    box = scrolling_html(table, "cosines of all tokens")
    return f'<div style="flex:1 1 24rem;min-width:0"><p><small>{legend}</small></p>{box}</div>'


# Two texts and the matches of their tokens, as SVG and as self-contained HTML.

# In pixels: the height of a row, the widths of a letter, of the longest bar, and of the lines between two such bars.
_ROW = 20
_LETTER = 8.6
_BAR = 50
_BETWEEN = 110
#: Letters to which tokens are cut; wide ones count twice.
_LETTERS = 18


def alignment_svg(prediction: Sequence[Token], reference: Sequence[Token]) -> str:
    """Return an SVG document: the prediction's tokens in a column, the reference's in another, lines between.

    A line goes from each token to its best match: blue from the prediction, red and dashed from the reference; the
    darker, the nearer. The bar beside a token is its weight. A row per token: long texts make tall pictures.
    """
    height = _ROW * (max(len(prediction), len(reference)) + 1)
    start = _room(prediction)
    stop = start + 2 * _BAR + _BETWEEN
    prediction_ends = [start + length for length in _lengths(prediction)]
    reference_ends = [stop - length for length in _lengths(reference)]
    parts = [
        *_lines_to_matches(prediction, prediction_ends, reference_ends, stroke=f"rgb({ADDS})"),
        *_lines_to_matches(
            reference, reference_ends, prediction_ends, stroke=f"rgb({TAKES})", stroke_dasharray="4 3"
        ),
        *_column(prediction, start, prediction_ends, "end", f"rgb({ADDS})"),
        *_column(reference, stop, reference_ends, "start", f"rgb({TAKES})"),
    ]
    return picture(stop + _room(reference), height, "matches of the tokens of two texts", parts)


def alignment_html(
    title: str,
    signature: str,
    prediction: Sequence[Token],
    reference: Sequence[Token],
    similarity: NDArray[np.float32],
) -> str:
    """Return a fragment of HTML: both texts coloured by loss, the matches, the heat map, and the table."""
    legend = "the redder a token, the more it takes from the score; point at one to see its match"
    pictures = _alignment_html(prediction, reference) + _heat_map_html(prediction, reference, similarity)
    tables = _table_of_tokens("prediction", "precision", prediction)
    tables += _table_of_tokens("reference", "recall", reference)
    parts = [
        _coloured("prediction", prediction),
        _coloured("reference", reference),
        f'<div style="display:flex;flex-wrap:wrap;gap:0 2rem">{pictures}</div>',
        folded_html("all tokens", tables),
    ]
    return page_html(title, parts, signature, legend)


def _alignment_html(prediction: Sequence[Token], reference: Sequence[Token]) -> str:
    """Return the picture of the matches below the meaning of its colours."""
    legend = (
        "a line leads from a token to its best match, darker where they are nearer: "
        f"{chip('blue', shade(ADDS, 1))} from the prediction, {chip('red, dashed', shade(TAKES, 1))} from the "
        "reference, both on each other where each is the other's best match; bar beside a token: how much it weighs"
    )
    drawing = scrolling_html(alignment_svg(prediction, reference), "matches of the tokens")
    return f'<div style="min-width:0"><p><small>{legend}</small></p>{drawing}</div>'


def _height(row: int) -> float:
    return _ROW * (row + 0.9)


def _room(tokens: Sequence[Token]) -> int:
    """Return how wide the names of tokens are, about: each script and font has letters of other widths."""
    widths = [columns_of(fitted(token.text, _LETTERS)) for token in tokens]
    return 10 + round(_LETTER * max(widths, default=0))


def _lengths(tokens: Sequence[Token]) -> list[float]:
    """Return how long the bar of each token is; a weight that is no number has none."""
    greatest = max([0.0, *(token.weight for token in tokens)])
    if greatest == 0:
        return [0.0] * len(tokens)
    return [_BAR * max(0.0, token.weight) / greatest for token in tokens]


def _lines_to_matches(
    tokens: Sequence[Token], starts: Sequence[float], stops: Sequence[float], **look: str
) -> Iterator[str]:
    """Yield a line from the end of each token's bar to that of its match in the other column."""
    for row, (token, start) in enumerate(zip(tokens, starts, strict=True)):
        if token.match is not None:
            opacity = 0.2 + 0.8 * max(0.0, min(1.0, token.cosine)) ** 2
            yield element(
                "line",
                x1=start,
                y1=_height(row) - 5,
                x2=stops[token.match],
                y2=_height(token.match) - 5,
                stroke_width=1.6,
                stroke_opacity=opacity,
                **look,
            )


def _column(tokens: Sequence[Token], edge: float, ends: Sequence[float], anchor: str, colour: str) -> Iterator[str]:
    """Yield the tokens of a text below each other, outside of an edge where their bars start."""
    gap = 5 if anchor == "start" else -5
    for row, (token, end) in enumerate(zip(tokens, ends, strict=True)):
        base = _height(row)
        start = min(edge, end)
        width = abs(end - edge)
        yield element("rect", x=start, y=base - 11, width=width, height=12, fill=colour, fill_opacity=0.7)
        look: dict[str, Any] = {"text_anchor": anchor, "font_style": "normal", "fill_opacity": 1}
        if token.special:
            look |= {"font_style": "italic", "fill_opacity": 0.75}
        yield text(fitted(token.text, _LETTERS), edge + gap, base, _hint(token), **look)


def _hint(token: Token) -> str:
    return (
        f"{token.token} → {token.match_text}: cosine {token.cosine:.3f}, weight {token.weight:.3f}, "
        f"loses {decimal_text(token.loss)}"
    )


def _coloured(name: str, tokens: Sequence[Token]) -> str:
    """Return the text of the tokens, each on a background of its loss."""
    greatest = max([0.0, *(token.loss for token in tokens)])
    chips = []
    for token in tokens:
        if token.special:
            continue
        share = 0.0
        # Of equal texts, all losses are rounding errors.
        if greatest > ROUNDING:
            share = max(0.0, token.loss) / greatest
        chips.append((token.span, chip(token.text, shade(TAKES, share), _hint(token))))
    return spaced_html(name, chips)


def _table_of_tokens(name: str, measure: str, tokens: Sequence[Token]) -> str:
    total = sum(token.contribution for token in tokens)
    rows = []
    for token in tokens:
        match = f"{token.match_text} (special)" if token.match_special else token.match_text
        rows.append((token.text, token.weight, token.cosine, match, token.contribution, token.loss))
    caption = f"tokens of the {name}: contributions sum to the {measure}, {total:.4f}"
    head = ("token", "weight", "cosine", "match", "contribution", "loss")
    return table_html(caption, head, rows, most=len(rows))


# Texts with the contributions of their tokens to a score, as self-contained HTML.


@dataclass(frozen=True, slots=True)
class Part:
    """A token, and what it adds to a score."""

    token: str  # as the tokenizer spells it, such as ##ing
    text: str  # the part of the text that it stands for; for a special token, its spelling
    span: tuple[int, int] | None  # where that part is in the text; None for special tokens
    special: bool  # added by the tokenizer, such as [CLS]
    contribution: float | None  # None where the score cannot be divided among the tokens


def contributions_html(title: str, legend: str, sides: Sequence[tuple[str, Sequence[Part]]], signature: str) -> str:
    """Return a fragment of HTML: each text in colour, and the table of its tokens."""
    texts = [_coloured_parts(name, parts) for name, parts in sides]
    tables = [_table_of_parts(name, parts) for name, parts in sides]
    return page_html(title, [*texts, folded_html("all tokens", "".join(tables))], signature, legend)


def _coloured_parts(name: str, parts: Sequence[Part]) -> str:
    """Return a text, each token on the colour of what it adds; special ones are smaller."""
    greatest = _greatest(parts)
    chips = []
    for part in parts:
        style = _colour(part, greatest)
        if part.special:
            style += ";opacity:.85;font-size:.8em"
        hint = part.token
        if part.contribution is not None:
            hint += f" {part.contribution:+.4f}"
        chips.append((part.span, chip(part.text, style, hint)))
    return spaced_html(name, chips)


def _table_of_parts(name: str, parts: Sequence[Part]) -> str:
    greatest = _greatest(parts)
    contributions = [part.contribution for part in parts if part.contribution is not None]
    if not contributions:
        return table_html(f"tokens of the {name}", ("token",), [(part.text,) for part in parts], most=len(parts))
    rows = [(part.text, Cell(f"{part.contribution or 0.0:+.4f}", _colour(part, greatest))) for part in parts]
    caption = f"tokens of the {name}: contributions sum to {sum(contributions):.4f}"
    return table_html(caption, ("token", "contribution"), rows, most=len(rows))


def _colour(part: Part, greatest: float) -> str:
    contribution = part.contribution or 0.0
    colour = ADDS if contribution >= 0 else TAKES
    return shade(colour, abs(contribution) / greatest)


def _greatest(parts: Sequence[Part]) -> float:
    """Return the value with the full colour: the greatest contribution, at least an even share of a score of 1."""
    greatest = 1 / max(len(parts), 1)
    for part in parts:
        greatest = max(greatest, abs(part.contribution or 0.0))
    return greatest


# A text coloured by how much each part surprises a model, and a bar for each, as self-contained HTML.

#: A part of this many bits or more has the strongest red: a probability of 1 in 65,536.
_MOST_BITS = 16.0
_MOST_BARS = 300
# In pixels: the height of a row, the width of its label, and of all of it.
_BAR_ROW = 20
_LABEL = 170
_BAR_WIDTH = 680
#: White space as a label shows it.
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
    chips_of_pieces = "".join(chip(piece.text, _style(piece.surprisal), _surprise_hint(piece)) for piece in pieces)
    coloured = f'<p dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{chips_of_pieces}</p>'
    parts = [legend, coloured, _bars(pieces[:_MOST_BARS])]
    if len(pieces) > _MOST_BARS:
        parts.append(f"<p><small>and {len(pieces) - _MOST_BARS:,} more parts</small></p>")
    return page_html(title, parts, signature)


def _bars(pieces: Sequence[Piece]) -> str:
    """Return a picture: a row per piece, with a bar as long as its surprisal."""
    most_bits = max([_MOST_BITS, *(piece.surprisal or 0.0 for piece in pieces)])
    parts = []
    for row, piece in enumerate(pieces):
        base = _BAR_ROW * (row + 0.75)
        bits = piece.surprisal
        width = (_BAR_WIDTH - _LABEL - 70) * max(bits or 0.0, 0.0) / most_bits
        label = piece.text.translate(_SIGNS)
        if len(label) > 20:
            label = f"{label[:19]}…"
        parts += [
            text(label, _LABEL - 8, base, text_anchor="end"),
            element(
                "rect",
                element("title", clean(_surprise_hint(piece))),
                x=_LABEL,
                y=base - 11,
                width=width,
                height=14,
                rx=2,
                fill=f"rgb({TAKES})",
                fill_opacity=0.25 + 0.6 * _share(bits),
            ),
            text("not scored" if bits is None else f"{bits:.2f}", _LABEL + width + 6, base, fill_opacity=0.75),
        ]
    bars = picture(_BAR_WIDTH, _BAR_ROW * len(pieces) + 6, "surprisal of each part of the text, in bits", parts)
    return scrolling_html(bars, "surprisal of each part")


def _surprise_hint(piece: Piece) -> str:
    bits = "not scored" if piece.surprisal is None else f"{piece.surprisal:.2f} bits"
    label = "tokens" if len(piece.tokens) > 1 else "token"
    return f"{label} {' '.join(piece.tokens)}: {bits}"


def _style(bits: float | None) -> str:
    if bits is None:
        return "opacity:.8"
    return shade(TAKES, _share(bits))


def _share(bits: float | None) -> float:
    return min(max(bits or 0.0, 0.0) / _MOST_BITS, 1.0)


# SVG elements as text: self-contained pictures.


def element(name: str, inner: str = "", **attributes: str | float) -> str:
    """Return an element; ``stroke_width=2`` is the attribute ``stroke-width``, and `inner` is markup."""
    start = f"<{name}"
    for key, value in attributes.items():
        value_text = clean(value) if isinstance(value, str) else f"{round(value, 2):g}"
        start += f' {key.replace("_", "-")}="{value_text}"'
    if inner:
        return f"{start}>{inner}</{name}>"
    return f"{start}/>"


def text(content: str, x: float, y: float, hint: str = "", **attributes: str | float) -> str:
    """Return a text in the colour of the page; a pointer on it shows the hint."""
    inner = clean(content)
    if hint:
        inner += element("title", clean(hint))
    return element("text", inner, x=x, y=y, **{"fill": "currentColor", **attributes})


def picture(width: int, height: int, description: str, parts: Iterable[str]) -> str:
    """Return an SVG document."""
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=description,
        font_family="sans-serif",
        font_size=13,
    )


# Figures of matplotlib that a notebook shows even without pyplot.


def for_notebooks(figure: Any) -> Any:
    """Return a figure with the method that a notebook calls for a picture: importing pyplot would add it."""
    figure._repr_png_ = partial(_png, figure)
    return figure


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return buffer.getvalue()
