"""A heat map of the similarities of two texts' tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import needs

from .pictures import for_notebooks
from .token import Token

_INCHES_PER_TOKEN = 0.26
_MOST_INCHES = 40.0
_MOST_NUMBERED = 16  # tokens of a text up to which the cells show their numbers


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
    from matplotlib.patches import Rectangle

    n_rows, n_columns = similarity.shape
    if not similarity.size:
        figure = for_notebooks(Figure(figsize=(5, 1)))
        figure.suptitle(f"{title}\na text without any token", size=9)
        return figure
    width, height = (min(_MOST_INCHES, max(3.0, _INCHES_PER_TOKEN * count)) for count in (n_columns, n_rows))
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
    for row, token in enumerate(prediction):
        if token.match is not None:
            corner = (token.match - 0.5, row - 0.5)
            matrix.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="white", linewidth=1.6))
    numbered = max(n_rows, n_columns) <= _MOST_NUMBERED
    aside = 0.34 if numbered else 0.0  # the middle of a cell is for its number
    matched = [(column, token.match) for column, token in enumerate(reference) if token.match is not None]
    matrix.plot(
        [column + aside for column, _ in matched], [row - aside for _, row in matched], linestyle="", marker="o",
        markersize=4 if numbered else 3, color="crimson", markeredgecolor="white", markeredgewidth=0.5,
    )  # fmt: skip
    if numbered:
        for row, column in np.ndindex(n_rows, n_columns):
            value = float(similarity[row, column])
            shown, colour = f"{value:.2f}".replace("0.", "."), "black" if value > 0.6 else "white"
            matrix.text(column, row, shown, ha="center", va="center", fontsize=5.5, color=colour)
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


def _name_tokens(axis: Any, tokens: Sequence[Token], inches: float) -> None:
    """Write the tokens along an axis, as many as stay readable, each in a font that has its letters."""
    from matplotlib.font_manager import FontProperties

    step = max(1, int(np.ceil(len(tokens) * 0.14 / inches)))
    places = range(0, len(tokens), step)
    fonts = _fonts({letter for token in tokens for letter in token.text})
    files = [max(fonts, key=lambda file: len(fonts[file] & set(map(ord, tokens[place].text)))) for place in places]
    texts = [_drawable(tokens[place].text, fonts[file]) for place, file in zip(places, files, strict=True)]
    labels = axis.set_ticks(list(places), labels=texts)
    for tick, file in zip(labels, files, strict=True):
        # By its file: a search by family warns where a family, as many Chinese ones, has no face of normal weight.
        for label in (tick.label1, tick.label2):
            label.set_fontproperties(FontProperties(fname=file, size=8))


def _fonts(letters: Iterable[str]) -> dict[str, set[int]]:
    """Return the files of the fonts that together have the letters, as far as any has, with what each has."""
    from matplotlib.font_manager import findfont, fontManager, get_font

    needed = {ord(letter) for letter in letters if not letter.isspace()}
    files = {"DejaVu Sans": str(findfont("DejaVu Sans"))}  # which matplotlib brings along
    for entry in fontManager.ttflist:
        if "Last Resort" not in entry.name:  # a font of boxes
            files.setdefault(entry.name, str(entry.fname))
    found: dict[str, set[int]] = {}
    for file in files.values():
        has = set(get_font(file).get_charmap())
        if not found or has & needed:
            found[file] = has
            needed -= has
        if not needed:
            break
    return found


def _drawable(text: str, has: set[int]) -> str:
    """Replace what the font does not have, and what would be read as a formula."""
    missing = "□" if ord("□") in has else "?"
    return "".join(letter if ord(letter) in has else missing for letter in text).replace("$", r"\$")
