"""A comparison as a picture to share: the verdict, a bar for each system, and a digest of how it was scored."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.comparison.runs.means import as_systems
from tercet.comparison.verdicts.verdicts import score_verdict
from tercet.errors import needs, warn
from tercet.names_as_shown import counted, fitted, one_cell, said, short_names
from tercet.signature import __version__, digest
from tercet.table_formats import decimals

from .shown_scores import by_metric, primary_table

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

#: Pixels, as social networks and chats show a link.
WIDTH = 1200
HEIGHT = 630
_DPI = 100

_INK = "#20262d"
_QUIET = "#5b6570"
_ACCENT = "#1668b3"
_GREY = "#b8c0c9"

#: The most systems that have a bar, and the most letters of a name.
MOST_BARS = 6
_LETTERS = 22
#: How the verdict may be written: the size of letters in points, and the most lines.
_SIZES = ((22, 4), (18, 5), (15, 6), (12, 8))
#: The share of the width that the verdict may have.
_WIDTH_OF_WORDS = 0.9
#: Sentences that no card leaves out: who is best, and what the test says of it.
_FIRST = 2

#: Fonts that have letters which matplotlib's own lacks, on several systems.
_FURTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Hiragino Sans",
    "Arial Unicode MS",
    "Noto Sans",
)


def write_card(comparison: Comparison, path: Path) -> None:
    """Write a picture of 1200 x 630 pixels: what a comparison shows by its first metric.

    It has the sentences that say which system is better, a bar for each of the best six systems with its interval,
    the baseline among them, and a digest of the signature: two cards with the same digest were scored alike.
    """
    needs_drawing()
    from matplotlib.figure import Figure

    table = primary_table(by_metric(comparison.tables)[0])
    names = short_names(list(comparison.test_set.systems))
    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, facecolor="white")
    fonts = _fonts()
    # It says on standard error that a font has no bold letters.
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _draw_words(figure, comparison, table, names=names, fonts=fonts)
            _draw_bars(figure, comparison, table, names=names, fonts=fonts)
            figure.savefig(path, format="png", dpi=_DPI)
    finally:
        logger.setLevel(level)
    if any("missing from" in str(message.message) for message in caught):
        warn(f"{path}: no font of this machine has some letters of the names: they are drawn as boxes.")


def needs_drawing() -> None:
    """Raise an OptionError where matplotlib is not installed."""
    needs("A card", "report", "matplotlib")


def _fonts() -> list[str]:
    """Return matplotlib's own font, and those that are installed of others with further letters."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(font for font in _FURTHER_FONTS if font in installed)]


def _draw_words(
    figure: Any, comparison: Comparison, table: ScoreTable, *, names: dict[str, str], fonts: Sequence[str]
) -> None:
    test_set = comparison.test_set
    heading = f"{fitted(one_cell(test_set.name), 40)}  ·  {counted(test_set.n_segments, 'segment')}"
    if test_set.clusters is not None:
        heading += f" in {counted(len(test_set.clusters), 'cluster')}"
    _write(figure, 0.05, 0.925, heading, fonts, size=17, color=_QUIET)
    sentences = [said(sentence, one_cell) for sentence in score_verdict(comparison, table, names)]
    _write_verdict(figure, sentences, fonts)
    _write(figure, 0.05, 0.09, _foot(comparison, table), fonts, size=13, color=_QUIET)


def _foot(comparison: Comparison, table: ScoreTable) -> str:
    """Return what the bars are, and by what two cards are known to be scored alike."""
    bars = table.title
    if not table.higher_is_better:
        bars += " (lower is better)"
    if comparison.has_intervals:
        bars += f", with {100 * comparison.confidence_level:g} % intervals"
    bars += "."
    if comparison.test is not None:
        bars += " Blue: the best, and what is not significantly worse."
    return f"{bars}\nSignature {digest([table.signature])}, tercet {__version__}."


def _write_verdict(figure: Any, sentences: Sequence[str], fonts: Sequence[str]) -> None:
    """Write the largest letters in which the first two sentences fit, and all further sentences that fit in them."""
    text = _write(figure, 0.05, 0.87, "", fonts, color=_INK, weight="bold")
    for size, n_lines in _SIZES:
        text.set_fontsize(size)
        for n_sentences in range(len(sentences), min(_FIRST, len(sentences)) - 1, -1):
            lines = _lines(text, " ".join(sentences[:n_sentences]))
            text.set_text("\n".join(lines))
            if len(lines) <= n_lines:
                return
    # Of names that are longer than any card, the rest is cut.
    text.set_text("\n".join([*lines[: n_lines - 1], f"{lines[n_lines - 1]} …"]))


def _lines(text: Any, words: str) -> list[str]:
    """Return the lines in which words are no wider than the card, in the letters of a text that is drawn."""
    for n_letters in range(100, 10, -4):
        lines = wrap(words, n_letters)
        text.set_text("\n".join(lines))
        if text.get_window_extent().width <= _WIDTH_OF_WORDS * WIDTH:
            break
    return lines


def _write(figure: Any, x: float, y: float, text: str, fonts: Sequence[str], **style: Any) -> Any:
    return figure.text(
        x, y, text, family=list(fonts), va="top", ha="left", parse_math=False, linespacing=1.25, **style
    )


class _Bars(NamedTuple):
    """The systems that have a bar, the best first, and how many have none."""

    rows: list[SystemScore]
    n_left_out: int


def _bars(comparison: Comparison, table: ScoreTable) -> _Bars:
    """Return the systems that have a bar: the baseline stays, instead of the last one."""
    shown = comparison
    shown_table = table
    if comparison.joins_runs:
        shown = as_systems(comparison)
        shown_table = next(each for each in shown.tables if (each.metric, each.name) == (table.metric, table.name))
    ordered = [shown_table.rows[index] for index in shown_table.order]
    rows = [row for row in ordered if not math.isnan(row.value)]
    with_bar = rows[:MOST_BARS]
    for row in rows[MOST_BARS:]:
        if row.system == shown.baseline:
            with_bar[-1] = row
    return _Bars(with_bar, len(shown_table.rows) - len(with_bar))


def _draw_bars(
    figure: Any, comparison: Comparison, table: ScoreTable, *, names: dict[str, str], fonts: Sequence[str]
) -> None:
    """Draw a bar for each system; its line is the interval, and a blue one is no worse than the best for sure."""
    rows, n_left_out = _bars(comparison, table)
    axes = figure.add_axes((0.3, 0.13, 0.6, 0.43))
    positions = [-number for number in range(len(rows))]
    for position, row in zip(positions, rows, strict=True):
        # The foot says of blue bars that they are no worse: unlike hollow, grey is also what was not tested.
        colour = _GREY
        if row.best or row.as_good:
            colour = _ACCENT
        axes.barh(position, row.value, height=0.62, color=colour)
        if row.low <= row.high:
            axes.plot([row.low, row.high], [position, position], color=_INK, linewidth=2.4)
    labels = [fitted(one_cell(names.get(row.system, row.system)), _LETTERS) for row in rows]
    axes.set_yticks(positions, labels=labels, fontsize=17, color=_INK, family=list(fonts), parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([])
    axes.set_ylim(-max(len(rows), 2) + 0.5, 0.5)
    axes.spines[["top", "right", "bottom", "left"]].set_visible(False)
    for position, row in zip(positions, rows, strict=True):
        axes.annotate(
            decimals(row.value, row.digits),
            (1.01, position),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=17,
            color=_INK,
            weight="bold" if row.best else "normal",
        )
    if n_left_out:
        _write(figure, 0.3, 0.125, f"and {n_left_out} more", fonts, size=14, color=_QUIET)
