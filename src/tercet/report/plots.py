"""The scores of a comparison as dots with intervals, and which marks need a legend."""

from __future__ import annotations

import io
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

import numpy as np

from tercet.errors import needs
from tercet.explanation.pictures import for_notebooks
from tercet.explanation.places import one_cell
from tercet.markup import clean

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore

#: Scores from which on the summary draws only the primary one of each metric.
_MOST_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Marks:
    """Which marks occur: a legend explains no others."""

    as_good: bool
    worse: bool
    lower: bool  # a score of which lower is better
    baseline: bool
    pairs: bool  # a significant difference
    intervals: str  # their level; empty where all are points

    def key(self) -> str:
        """Return what the dots and lines of a chart are."""
        dots = ["Diamond: best"]
        if self.as_good:
            dots.append("filled: not significantly worse")
        if self.worse:
            dots.append("hollow: significantly worse")
        sentences = [f"{'; '.join(dots)}."]
        if self.intervals:
            sentences.insert(0, f"Lines: {self.intervals} intervals.")
        if self.baseline:
            sentences.append("Dashed: the baseline’s score.")
        return " ".join(sentences)


def primary_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the score that the metric sorts systems by."""
    return next((table for table in tables if table.name == table.scorer.primary), tables[0])


def summary_charts(
    comparison: Comparison, titles: Sequence[str], order: Sequence[str], names: dict[str, str]
) -> list[DotChart]:
    """Return the scores of all systems as dots; of many scores, those that each metric sorts systems by."""
    titled_tables = list(zip(comparison.tables, titles, strict=True))
    if len(titled_tables) > _MOST_COLUMNS:
        by_metric: dict[str, list[ScoreTable]] = {}
        for table in comparison.tables:
            by_metric.setdefault(table.metric, []).append(table)
        titled_tables = [
            (table, title) for table, title in titled_tables if table is primary_table(by_metric[table.metric])
        ]
    columns = [dot_column(comparison, table, title, order) for table, title in titled_tables]
    return dot_charts([names[name] for name in order], columns)


def dot_column(comparison: Comparison, table: ScoreTable, title: str, order: Sequence[str]) -> DotColumn:
    """Return the scores of one table with their intervals, in an order of the systems."""
    of_system = {row.system: row for row in table.rows}
    rows = [of_system[name] for name in order]
    # without a test, no system is known to be worse
    tested = comparison.test is not None
    marks: list[Mark] = ["best" if row.best else "filled" if row.as_good or not tested else "hollow" for row in rows]
    dots = [Dot(row.value, row.low, row.high, mark) for row, mark in zip(rows, marks, strict=True)]
    note = "" if table.higher_is_better else "lower is better"
    line = of_system[comparison.baseline].value
    return DotColumn(title, dots, note, line if tested and not math.isnan(line) else None)


def marks_of(comparison: Comparison, tables: Sequence[ScoreTable]) -> Marks:
    """Return the marks that occur in some tables."""
    # True, False, or None without a test
    as_good = [row.as_good for table in tables for row in table.rows if not row.best]
    has_intervals = any(row.low < row.high for table in tables for row in table.rows)
    return Marks(
        as_good=True in as_good,
        worse=False in as_good,
        lower=any(not table.higher_is_better for table in tables),
        baseline=comparison.test is not None,
        pairs=any((table.pvalues < comparison.alpha).any() for table in tables),
        intervals=f"{100 * comparison.confidence_level:g} %" if has_intervals else "",
    )


# Values with their intervals as dots on lines, in HTML: text keeps its size at any width, unlike in a picture.

Mark = Literal["best", "filled", "hollow"]

#: Share of the scale's width left free at both ends, so that no dot is cut.
_MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; values that are not finite are not drawn."""

    value: float
    low: float
    high: float
    mark: Mark = "filled"

    @property
    def drawn(self) -> bool:
        """Whether there is a value to draw."""
        return math.isfinite(self.value)


@dataclass(frozen=True, slots=True)
class DotColumn:
    """One figure of every row: a score of all systems, or one measure of agreement of all metrics.

    The columns of a chart each have their own scale, from the least lower bound to the greatest upper one.
    """

    title: str
    dots: Sequence[Dot]
    note: str = ""  # below the title
    line: float | None = None  # a value to be compared with, such as the baseline's

    def bounds(self) -> tuple[float, float]:
        """Return where the scale begins and ends."""
        numbers = [number for dot in self.dots if dot.drawn for number in (dot.value, dot.low, dot.high)]
        finite = [value for value in numbers if math.isfinite(value)]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        # where all values are the same, a margin that depends on their size: the scale must not be empty
        margin = _MARGIN * (high - low) or max(abs(high), 1.0) * _MARGIN
        return low - margin, high + margin

    def place(self, value: float) -> str:
        """Return where a value stands on the scale, as SVG and CSS write it: ``0%`` at the left."""
        low, high = self.bounds()
        return f"{100 * min(1.0, max(0.0, (value - low) / (high - low))):.2f}%"

    def ticks(self) -> list[tuple[str, str]]:
        """Return round values on the scale: where each stands, and its label."""
        from matplotlib.ticker import MaxNLocator

        low, high = self.bounds()
        values = [tick for tick in MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= tick <= high]
        return [(self.place(tick), f"{tick:.6g}".replace("-", "−")) for tick in values]


@dataclass(frozen=True, slots=True)
class DotChart:
    """Rows of dots: a name each, and columns that share the rows."""

    names: Sequence[str]
    columns: Sequence[DotColumn]

    def described(self) -> str:
        """Return the chart in words, for readers who do not see it."""
        return "; ".join(f"{column.title}: {', '.join(self._in_words(column.dots))}" for column in self.columns)

    def _in_words(self, dots: Sequence[Dot]) -> Iterable[str]:
        for name, dot in zip(self.names, dots, strict=True):
            yield f"{name} {dot.value:.4g} ({dot.low:.4g} to {dot.high:.4g})" if dot.drawn else f"{name} unknown"


def dot_charts(names: Sequence[str], columns: Sequence[DotColumn], across: int = 3) -> list[DotChart]:
    """Return charts of at most so many columns each: more would be too narrow on a telephone."""
    return [DotChart(names, columns[start : start + across]) for start in range(0, len(columns), across)]


# The plots of reports and notebooks: intervals, scores by length, and how scores of segments are distributed.

#: Lines of systems in the plot of lengths: a colour with a contrast of 3 to white and to black, a mark as the page
#: writes it, and the same mark as matplotlib calls it.
SERIES = (
    ("#2f7fc1", "●", "o"),
    ("#c8620b", "■", "s"),
    ("#1a9173", "▲", "^"),
    ("#b0569a", "◆", "D"),
    ("#8a7a1f", "▼", "v"),
)

# in pixels
_WIDTH, _HEIGHT = 400, 240
_LEFT, _RIGHT, _BOTTOM, _TOP = 125, 12, 38, 6
_ROW = 22  # at least
_COLUMNS = 18  # letters of a name beside a row
_BINS = 30

# of a figure for notebooks
_COLOURS = ("#3b434c", "#1668b3", "#ffffff")  # lines, what is as good as the best, paper
_ACROSS = 3  # scores beside each other
_LETTERS = 30  # of the name of a system


def intervals_figure(comparison: Comparison) -> Any:
    """Return a figure: for each score a row for each system, with its interval; a dashed line at the baseline."""
    needs("A plot", "report", "matplotlib")
    from matplotlib.figure import Figure

    names = short_names(list(comparison.test_set.systems))
    n_columns = min(_ACROSS, len(comparison.tables))
    n_rows = math.ceil(len(comparison.tables) / n_columns)
    size = (1.5 + 2.6 * n_columns, n_rows * (0.8 + 0.32 * len(names)))
    figure = for_notebooks(Figure(figsize=size, layout="constrained"))
    level = f"{100 * comparison.confidence_level:g} %"
    places = [-place for place in range(len(names))]
    for number, (table, label) in enumerate(zip(comparison.tables, comparison.titles(), strict=True)):
        axes = figure.add_subplot(n_rows, n_columns, 1 + number)
        _draw_intervals(axes, table.rows, comparison.test is not None)
        # the systems' names stand only beside the first column
        labels = [fitted(one_cell(names[row.system]), _LETTERS) for row in table.rows if number % n_columns == 0]
        axes.set_yticks(places if labels else [], labels=labels, parse_math=False)
        axes.set_ylim(-len(table.rows) + 0.45, 0.55)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{one_cell(label)}, {level} interval", parse_math=False)
        axes.spines[["top", "left", "right"]].set_visible(False)
        axes.grid(axis="x", color="#d5dae0")
        axes.set_axisbelow(True)
    return figure


def _draw_intervals(axes: Any, rows: Sequence[SystemScore], tested: bool) -> None:
    """Draw a row for each system, downwards, and a dashed line at the baseline's score."""
    ink, accent, paper = _COLOURS
    baseline = next(row.value for row in rows if row.difference is None)
    axes.axvline(baseline, color=ink, linewidth=1, linestyle=(0, (4, 3)), alpha=0.7, zorder=1)
    for place, row in enumerate(rows):
        # without a test, no system is known to be worse
        as_good = row.as_good or not tested
        colour = accent if as_good else ink
        axes.plot([row.low, row.high], [-place, -place], color=colour, linewidth=2.2, solid_capstyle="round")
        axes.plot(
            [row.value],
            [-place],
            linestyle="",
            marker="D" if row.best else "o",
            markersize=7.5,
            color=colour,
            markerfacecolor=colour if as_good else paper,
            markeredgewidth=1.8,
            zorder=3,
        )
    # bounds that are NaN are not ordered
    with_interval = [row for row in rows if row.low <= row.high]
    low = min((row.low for row in with_interval), default=0.0)
    high = max((row.high for row in with_interval), default=1.0)
    margin = 0.05 * (high - low) or 1.0
    axes.set_xlim(low - margin, high + margin)


def score_distributions(table: ScoreTable, rows: Sequence[SystemScore], names: Sequence[str], prefix: str) -> str:
    """Return a row for each system: the histogram of its segments' scores, with a line at their median."""
    scores = [np.array([score for score in table.segments[row.system] if score is not None]) for row in rows]
    names = [name for name, system_scores in zip(names, scores, strict=True) if system_scores.size]
    scores = [system_scores for system_scores in scores if system_scores.size]
    if not scores:
        return ""
    medians = "; ".join(
        f"{name} {np.median(system_scores):.2f}" for name, system_scores in zip(names, scores, strict=True)
    )
    description = f"Histograms of the segments' {table.title}; medians: {medians}"
    figure, axes = _rows_of_systems(len(scores), highest=56)
    edges = np.histogram_bin_edges(np.concatenate(scores), _BINS)
    counts = [np.histogram(system_scores, edges)[0] for system_scores in scores]
    highest = max(int(count.max()) for count in counts)
    for place, (system_scores, count) in enumerate(zip(scores, counts, strict=True)):
        floor = -place - 0.42
        axes.stairs(floor + 0.9 * count / highest, edges, baseline=floor, fill=True, color=ACCENT, alpha=0.6)
        axes.plot([np.median(system_scores)] * 2, [floor, floor + 0.9], color=INK, linewidth=2, solid_capstyle="butt")
    labels = [f"{table.title} of single segments", *(fitted(name, _COLUMNS) for name in names)]
    return inline_svg(figure, labels, description, prefix)


def length_plot(
    values: Sequence[Sequence[float]],
    coloured: Sequence[int],
    labels: Sequence[str],
    texts: tuple[str, str, str],
    prefix: str,
) -> str:
    """Return lines over the buckets: those of the systems with the indices `coloured` in colour, the others grey.

    `texts` are the labels of both axes, and a description for readers who do not see the plot.
    """
    figure, axes = _axes(_HEIGHT, left=48)
    places = range(len(labels))
    for index, row in enumerate(values):
        if index not in coloured:
            axes.plot(places, row, color=INK, alpha=0.3, linewidth=1)
    for (colour, _, marker), index in zip(SERIES, coloured, strict=False):
        axes.plot(places, values[index], color=colour, marker=marker, markersize=6, linewidth=1.8)
    # @0 and @1 are the labels of the axes: every text is a number, which `inline_svg` replaces
    axes.set_xticks(list(places), labels=[f"@{2 + place}" for place in places])
    axes.set_xlim(-0.3, len(labels) - 0.7)
    axes.grid(axis="y", color=LINE)
    axes.set_xlabel("@0")
    axes.set_ylabel("@1")
    return inline_svg(figure, [*texts[:2], *labels], texts[2], prefix)


def _rows_of_systems(n_systems: int, highest: int) -> tuple[Any, Any]:
    """Return axes with a row for each system; the texts @1, @2 ... are their names, @0 is the label below."""
    row = max(_ROW, min(highest, (_HEIGHT - _BOTTOM - _TOP) // n_systems))
    figure, axes = _axes(row * n_systems + _BOTTOM + _TOP, left=_LEFT)
    axes.set_yticks([-place for place in range(n_systems)], labels=[f"@{1 + place}" for place in range(n_systems)])
    axes.set_ylim(-n_systems + 0.45, 0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LINE)
    axes.set_xlabel("@0")
    return figure, axes


def _axes(height: int, left: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH / 72, height / 72))
    width, inner = _WIDTH - left - _RIGHT, height - _BOTTOM - _TOP
    axes = figure.add_axes((left / _WIDTH, _BOTTOM / height, width / _WIDTH, inner / height))
    axes.set_axisbelow(True)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(LINE)
    axes.tick_params(axis="both", width=0.8)
    axes.locator_params(axis="x", nbins=6)
    return figure, axes


# Figures of matplotlib as SVG within a page: text stays text, colours follow the page, ids clash with no other's.

#: Placeholders for the colours of the page, which may be light or dark.
INK, LINE, ACCENT = "#010101", "#020202", "#030303"

_OF_THE_PAGE = {INK: "currentColor", LINE: "var(--line)", ACCENT: "var(--accent)"}
_INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
#: Left out of an SVG, as these would differ from run to run.
_NOTHING = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"#([\w.-]+)")


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's defaults, whatever the user's settings."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: dict[Any, Any] = dict.fromkeys(_INKED, INK)
        settings |= {"svg.fonttype": "none", "svg.hashsalt": "tercet", "font.size": 11}
        matplotlib.rcParams.update(settings)
        yield


def inline_svg(figure: Any, labels: Sequence[str], description: str, prefix: str) -> str:
    """Return a figure as an SVG element of an HTML page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata=_NOTHING)
    root = ElementTree.fromstring(buffer.getvalue())
    box = root.get("viewBox", "")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.tail = None
    for parent in list(root.iter()):
        for child in list(parent):
            # the style would apply to the whole page
            if child.tag in ("style", "metadata"):
                parent.remove(child)
    names = _names(root, prefix)
    for element in root.iter():
        if element.tag == "text":
            _write(element, labels)
        else:
            element.text = None
        element.attrib = {name: _value(name, value, names) for name, value in element.attrib.items()}
        # ids that nothing refers to have become empty
        if element.attrib.get("id") == "":
            del element.attrib["id"]
    _unwrap(root)
    root.attrib = {"viewBox": box, "class": "plot", "role": "img", "aria-label": _allowed(description)}
    return ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    """Return a text without what XML does not allow, but not yet escaped: ElementTree escapes it at the end."""
    return unescape(clean(text))


def _names(root: ElementTree.Element, prefix: str) -> dict[str, str]:
    """Return a new id for each one that is referenced."""
    references: dict[str, None] = {}
    for element in root.iter():
        for value in element.attrib.values():
            references.update(dict.fromkeys(_REFERENCE.findall(value)))
    # "#" also begins a colour: only what is an id is a reference
    ids = {element.get("id") for element in root.iter()}
    return {name: f"{prefix}{number}" for number, name in enumerate(references) if name in ids}


def _write(element: ElementTree.Element, labels: Sequence[str]) -> None:
    text = (element.text or "").strip()
    element.text = _allowed(labels[int(text[1:])]) if text.startswith("@") else text
    style = dict(part.split(": ", 1) for part in element.attrib.pop("style", "").split("; ") if ": " in part)
    # of the style only the anchor stays, as the font is that of the page
    element.set("text-anchor", style.get("text-anchor", "start"))
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]


def _value(name: str, value: str, names: dict[str, str]) -> str:
    if name == "id":
        return names.get(value, "")
    for colour, variable in _OF_THE_PAGE.items():
        value = value.replace(colour, variable)
    value = _REFERENCE.sub(lambda match: f"#{names.get(match[1], match[1])}", value)
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), " ".join(value.split()))


def _unwrap(element: ElementTree.Element) -> None:
    """Put the children of groups without attributes in their place, and remove empty groups."""
    children: list[ElementTree.Element] = []
    for child in list(element):
        _unwrap(child)
        children += list(child) if child.tag == "g" and not child.attrib else [child]
        element.remove(child)
    with_content = [child for child in children if child.tag != "g" or len(child)]
    element.extend(with_content)


# Short names of systems in a report: without shared parts, and cut to fit.

_JOINTS = "._-/ "
_SHORT = 18  # columns


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the beginning and the end that all of them share, cut at joints.

    Short names stay unchanged.
    """
    if len(names) < 2 or max(map(_columns, names)) <= _SHORT:
        return {name: name for name in names}
    head = _common(names)
    start = 1 + max(head.rfind(joint) for joint in _JOINTS)
    tail = _common([name[start:][::-1] for name in names])[::-1]
    places = [tail.find(joint) for joint in _JOINTS if joint in tail]
    stop = len(tail) - min(places) if places else 0
    cut = {name: name[start : len(name) - stop] for name in names}
    # a name that is nothing but shared parts would be empty
    return cut if all(cut.values()) else {name: name for name in names}


def fitted(name: str, columns: int) -> str:
    """Return a name cut in the middle to so many columns: wide characters take two."""
    if _columns(name) <= columns:
        return name
    # one column is for the ellipsis; letters come from both ends in turn until there is no room
    room, head, tail = columns - 1, "", ""
    while True:
        for letter in (name[len(head)], name[-1 - len(tail)]):
            room -= _width(letter)
            if room < 0:
                return f"{head}…{tail}"
            if len(head) <= len(tail):
                head += letter
            else:
                tail = letter + tail


def _common(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    # What the first and the last name in the order of letters share, all names between them share too.
    first, last = min(names), max(names)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


def _columns(text: str) -> int:
    return sum(map(_width, text))


def _width(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
