"""The charts of reports: every mark stands where the labels of the axes say, and labels are only text."""

import re
from dataclasses import replace
from itertools import groupby, pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.ticker import MaxNLocator

from samples import sample
from tercet.comparison.compare import compare
from tercet.correlation.figures import FigureValue
from tercet.correlation.metric_columns import MetricColumn
from tercet.report.correlation_plots import _HEXAGON, _hexagons, curve, scatter
from tercet.report.dots import Dot, DotColumn
from tercet.report.histograms import score_distributions
from tercet.report.plots import SERIES, PlotTexts, bucket_plot
from tercet.report.rendering import _environment
from tercet.report.scales import Scale

NUMBERS = st.integers(-(10**6), 10**6).map(lambda number: number / 100) | st.sampled_from([0.0, float("nan")])
ROWS = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=1, max_size=7)
)
TEXTS = PlotTexts("words", "BLEU", "in words")
#: What acts, or breaks off, where it is taken for markup, an attribute or a template.
HOSTILE = '<script>alert(1)</script>" onload="x" \'🙂 &amp; {{ 7 * 7 }} @1'


def drawn(macro, *charts):
    """Return the element that a macro of the templates makes of a chart."""
    return ElementTree.fromstring(
        str(getattr(_environment().get_template("plots.html").module, macro)(*charts)).strip()
    )


def marks(svg, look):
    """Return where each path of this class begins anew."""
    paths = "".join(path.get("d") for path in svg.iter("path") if path.get("class") == look)
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", paths)]


def axis(labels):
    """Return the function from places to numbers that the first and the last label of an axis tell."""
    (first, low), *_, (last, high) = [(place, float(text.replace("−", "-"))) for place, text in labels]
    return lambda place: low + (np.asarray(place) - first) / (last - first) * (high - low)


def vertical(svg):
    return axis(
        [(float(text.get("y")) - 4, text.text) for text in svg.iter("text") if text.get("text-anchor") == "end"]
    )


def precision(values):
    """Return what a tenth of a pixel and a label of six digits can tell."""
    finite = [abs(value) for value in values if value == value] or [1.0]
    return 2e-3 * np.ptp([*finite, *(-value for value in finite)]) + 1e-9


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 6))
def test_ticks_are_those_of_matplotlib(low, span, most):
    high = low + span
    assume(span > 1e-6 * abs(low))
    ticks = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
    expected = [100 * (tick - low) / (high - low) for tick in ticks]
    # Rounding decides whether a tick at an end is within it.
    places = [place for place, _ in Scale(low, high).ticks(most)]
    inside = [[place for place in group if 1e-6 < place < 100 - 1e-6] for group in (places, expected)]
    assert inside[0] == pytest.approx(inside[1], abs=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1234567.1, 1234567.9, ["1234567.2", "1234567.4", "1234567.6", "1234567.8"]),
        (-1234579, -1234571, ["−1234578", "−1234576", "−1234574", "−1234572"]),
        (0.1234561, 0.1234569, ["0.1234562", "0.1234564", "0.1234566", "0.1234568"]),
        (1e6, 2e6, ["1e+06", "1.2e+06", "1.4e+06", "1.6e+06", "1.8e+06", "2e+06"]),
        (-0.1, 0.31, ["−0.1", "0", "0.1", "0.2", "0.3"]),
    ],
)
def test_labels_have_the_digits_in_which_they_differ(low, high, labels):
    assert [label for _, label in Scale(low, high).ticks(5)] == labels


@given(ROWS)
def test_lines_and_marks_stand_at_their_values_and_break_where_there_is_none(rows):
    groups = [f"g{place}" for place in range(len(rows[0]))]
    svg = drawn("plot", bucket_plot(rows, groups, coloured=range(min(len(rows), len(SERIES))), texts=TEXTS))
    columns = {text.text: float(text.get("x")) for text in svg.iter("text")}
    expected = [
        (columns[group], value)
        for row in rows[: len(SERIES)]
        for group, value in zip(groups, row, strict=True)
        if value == value
    ]
    places = marks(svg, "mark")
    assert [x for x, _ in places] == pytest.approx([x for x, _ in expected])
    values = [value for row in rows for value in row]
    assert vertical(svg)([y for _, y in places]) == pytest.approx([y for _, y in expected], abs=precision(values))
    lines = [path.get("d") for path in svg.iter("path") if path.get("class") in ("line", "grey")]
    runs = [[run for is_number, run in groupby(row, lambda value: value == value) if is_number] for row in rows]
    assert sorted(path.count("M") for path in lines) == sorted(map(len, runs))


@given(ROWS)
def test_dots_and_intervals_stand_at_their_values(rows):
    columns = [
        DotColumn(
            f"c{place}",
            [Dot(value, value - 1, value + 2) for value in row],
            line=row[0] if row[0] == row[0] else None,
        )
        for place, row in enumerate(zip(*rows, strict=True))
    ]
    for place, row in enumerate(rows):
        for value, column in zip(row, columns, strict=True):
            svg, value_at = drawn("dot", column.dots[place], column), axis(column.scale.ticks(3))
            places = [float(line.get(end)[:-1]) for line in svg.iterfind("g/line") for end in ("x1", "x2")]
            places += [float(mark.get("x")[:-1]) for mark in svg.iterfind("g/svg")]
            places += [float(line.get("x1")[:-1]) for line in svg.iterfind("line[@class='base']")]
            shown = [value - 1, value + 2, value] if value == value else []
            shown += [] if column.line is None else [column.line]
            near = precision([dot.value for dot in column.dots])
            assert value_at(places) == pytest.approx(shown, abs=near + 0.01)


class TestOfThreeSegments:
    """No test could tell systems apart by as few, and there are no intervals."""

    @pytest.fixture
    def found(self):
        numbers = {"база": [1.0, 2.0, 3.0], "型": [4.0, 5.0, 6.0], "c": [7.0, 8.0, 9.0]}
        return compare(scores={"оценка": numbers}, n_resamples=20)

    def test_no_system_is_marked_as_significantly_worse(self, found):
        assert [row.as_good for row in found.tables[0].rows] == [None, None, True]
        column = found.to_html().split('td class="score" data-label="оценка"')[1:]
        assert [re.search('<g class="(.*?)">', cell)[1] for cell in column] == ["best", "filled", "filled"]
        faces = [
            line.get_markerfacecolor() for line in found.plot().axes[0].get_lines() if line.get_marker() != "None"
        ]
        assert faces == ["#1668b3"] * 3
        assert "hollow: significantly worse" not in found.to_html()

    def test_the_figure_shows_every_score(self, found):
        low, high = found.plot().axes[0].get_xlim()
        assert (low, high) == pytest.approx((2 - 0.05 * 6, 8 + 0.05 * 6))


def test_histograms_count_the_segments_and_show_their_median():
    table = compare(sample("en"), ["chrf"], test=None).tables[0]
    # a segment without a score, and a system with none at all
    segments = {name: [None, *scores[1:]] for name, scores in table.segments.items()}
    table = replace(table, segments={**segments, "large": [None] * len(segments["large"])})
    chart = drawn("histograms", score_distributions(table, table.rows, list(segments)))
    assert [name.text for name in chart.iter("bdi")] == ["baseline", "tuned"]
    (part,) = (part for part in chart.iter("span") if part.get("class") == "axis")
    value_at = axis([(float(label.get("style")[6:-1]), label.text) for label in part])
    heights = {}
    for name, svg in zip(("baseline", "tuned"), chart.iterfind("span[@class='bars']"), strict=True):
        scores = np.array(segments[name][1:])
        (median,) = (line.get("x1") for line in svg.iter("line") if line.get("class") == "median")
        assert value_at(float(median[:-1])) == pytest.approx(np.median(scores), abs=0.05)
        path = svg.find("svg/svg/path").get("d")
        edges = [float(re.match(r"M([\d.]+)", path)[1]), *map(float, re.findall(r"H([\d.]+)", path))]
        heights[name] = 100 - np.array(re.findall(r"V([\d.]+)H", path), float)
        counts = np.histogram(scores, value_at(edges) + 1e-6 * np.sign(np.arange(len(edges)) - 0.5))[0]
        assert heights[name].sum() / heights[name][heights[name] > 0].min() == pytest.approx(len(scores), abs=0.5)
        assert abs(heights[name] / heights[name].sum() - counts / len(scores)).sum() < 0.1
    assert max(map(max, heights.values())) == pytest.approx(90)
    empty = replace(table, segments={name: [None] for name in segments})
    assert score_distributions(empty, table.rows, list(segments)) is None


@pytest.mark.parametrize("numbers", [(1e100,), (-1e17,), (1e16, 1e16 + 2), (0.1, 0.1 + 2e-17), (0, 5e-324), (0,)])
def test_numbers_that_are_nearly_the_same_have_bins(numbers):
    comparison = compare(scores={"оценка": {"система": [*numbers] * 30, "型": [*numbers][::-1] * 30}}, n_resamples=99)
    chart = score_distributions(comparison.tables[0], comparison.tables[0].rows, ["система", "型"])
    labels = [label for _, label in chart.scale.ticks(5)]
    assert len({*labels}) == len(labels) > 1
    assert all(40 < median < 60 for median in chart.medians)
    assert ">система</" in comparison.to_html()
    assert comparison.plot() is not None


@pytest.mark.parametrize("constant", [False, True])
def test_points_stand_at_grade_and_score_and_diamonds_at_the_means_of_systems(constant):
    rng = np.random.default_rng(3)
    human, scores = rng.normal(3, 1, (2, 40)), rng.normal(0.5, 0.1, (2, 40))
    if constant:
        scores[:] = 1.0
    human[0, 3] = scores[1, 5] = np.nan
    svg = drawn("plot", scatter(human, MetricColumn("x", "", scores), in_hexagons=False))
    below = [text for text in svg.iter("text") if text.get("text-anchor") == "middle"][:-1]
    at_x, at_y = axis([(float(text.get("x")), text.text) for text in below]), vertical(svg)
    whole = ~np.isnan(human + scores)
    means = [[values[system][whole[system]].mean() for system in (0, 1)] for values in (human, scores)]
    for look, (x, y) in (("point", (human[whole], scores[whole])), ("mark", means)):
        places = np.array(marks(svg, look))
        assert at_x(places[:, 0]) == pytest.approx(x, abs=0.02)
        assert at_y(places[:, 1]) == pytest.approx(y, abs=0.005)


def test_the_layers_of_a_network_have_a_line_in_a_band_a_diamond_and_a_ring():
    numbers = [0.1, 0.5, float("nan"), 0.7, 0.4]
    values = [FigureValue(value, value - 0.1, value + 0.2, 0.0, 40) for value in numbers]
    svg = drawn(
        "plot", curve(SimpleNamespace(values=values, best=3, usual=4, metric="bertscore", figure="item.acc_eq"))
    )
    below = [text for text in svg.iter("text") if text.get("text-anchor") == "middle"][:-1]
    at_x, at_y = axis([(float(text.get("x")), text.text) for text in below]), vertical(svg)
    for look, layers in (("mark", [0, 1, 3, 4, 3]), ("ring", [4]), ("ink", [0, 3])):
        places = np.array(marks(svg, look))
        assert at_x(places[:, 0]) == pytest.approx(layers, abs=0.01)
        assert at_y(places[:, 1]) == pytest.approx([numbers[layer] for layer in layers], abs=0.005)
    bands = [path.get("d") for path in svg.iter("path") if path.get("class") == "band"]
    for band, layers in zip(bands, ([0, 1], [3, 4]), strict=True):
        corners = np.array(re.findall(r"([\d.]+) ([\d.]+)", band), float)
        assert at_x(corners[:, 0]) == pytest.approx([*layers, *layers[::-1]], abs=0.01)
        edges = [values[layer].high for layer in layers] + [values[layer].low for layer in layers[::-1]]
        assert at_y(corners[:, 1]) == pytest.approx(edges, abs=0.005)


@pytest.mark.parametrize(
    ("groups", "n_lines"),
    [("1 2 3", 1), ("1 2 3 4 5–9 10–99 100–999 1,000+", 2), ("1–9 10–20 21–99 121–3000 3001–19999", 2)],
)
def test_labels_of_groups_do_not_meet(groups, n_lines):
    groups = groups.split()
    svg = drawn("plot", bucket_plot([[1.0] * len(groups)], groups, coloured=[0], texts=TEXTS))
    texts = [text for text in svg.iter("text") if text.text in groups and text.get("text-anchor") == "middle"]
    for line in {text.get("y") for text in texts}:
        # a digit is about seven pixels wide
        ends = [(float(text.get("x")), 3.5 * len(text.text)) for text in texts if text.get("y") == line]
        assert all(left + half < right - other for (left, half), (right, other) in pairwise(ends))
    assert len({text.get("y") for text in texts}) == n_lines


def test_a_hexagon_counts_the_points_that_are_nearest_to_it():
    points = np.random.default_rng(5).normal(150, 30, (2_000, 2))
    shapes = _hexagons(points)
    centres = np.array([re.findall(r"[\d.]+", shape.path)[:2] for shape in shapes], float)
    centres[:, 1] += _HEXAGON / np.sqrt(3)
    counts = np.bincount(((points[:, None] - centres) ** 2).sum(-1).argmin(1), minlength=len(shapes))
    shares = np.array([float(shape.style.removeprefix("opacity: ")) for shape in shapes])
    assert (shares - 0.15) / 0.6 == pytest.approx(counts / counts.max(), abs=0.03)


def test_names_and_labels_are_only_text():
    table = compare(sample("en"), ["chrf"], test=None).tables[0]
    names = [f"{HOSTILE}{place}" for place in range(3)]
    histograms = replace(score_distributions(table, table.rows, names), title=HOSTILE)
    assert all(name in histograms.description for name in names)
    texts = PlotTexts("words", HOSTILE[:40], HOSTILE)
    lines = bucket_plot([[1.0, 2.0]], ["a", HOSTILE], coloured=[0], texts=texts)
    for macro, chart, texts in (
        ("plot", lines, [HOSTILE, HOSTILE[:40]]),
        ("histograms", histograms, [*names, HOSTILE]),
    ):
        element = drawn(macro, chart)
        assert HOSTILE in element.get("aria-label")
        assert {*texts} <= {part.text for part in element.iter()}
        assert not any(part.tag == "script" or part.get("onload") for part in element.iter())
