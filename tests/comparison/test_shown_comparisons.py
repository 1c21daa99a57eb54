"""What Python shows of a comparison: as text, Markdown, LaTeX, a table of segments and a figure."""

import io

import pandas as pd
import pytest

import tercet
from conftest import FEW_ITEMS
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.errors import InputError, OptionError

REFERENCES = [
    "The river had risen over night.",
    "Nobody was hurt by the flood.",
    "In Kyoto blühen die Kirschbäume.",
    "Вода поднялась за ночь.",
    "水位在夜间上升了。",
    "ارتفع منسوب المياه ليلا.",
]
#: The best system stands last, and the worst in the middle.
SYSTEMS = {
    "base": [
        *("The river rose over night.", "No one hurt by flood.", "In Kyoto blühen Bäume."),
        *("Вода за ночь.", "水位上升。", "ارتفع الماء."),
    ],
    "poor": ["A river.", "People.", "Kyoto.", "Вода.", "水。", "ماء."],
    "good": [*REFERENCES[:5], "ارتفع منسوب الماء ليلا."],
}
#: Two runs of each of two systems.
RUNS = {
    "a-1": SYSTEMS["base"],
    "a-2": [*SYSTEMS["base"][:5], "ماء."],
    "b-1": REFERENCES,
    "b-2": SYSTEMS["good"],
}
SOURCES = ["Der Fluss", "Niemand", "京都では", "The water", "Water", "Water again"]


@pytest.fixture(scope="module")
def found():
    frame = pd.DataFrame({"source": SOURCES, **SYSTEMS, "reference": REFERENCES, "domain": ["news", "chat"] * 3})
    return tercet.compare(frame, ["chrf", "ter"], n_resamples=1000)


@pytest.fixture(scope="module")
def two():
    systems = {name: SYSTEMS[name] for name in ("base", "good")}
    return tercet.compare(systems, "chrf", references=REFERENCES, n_resamples=1000)


class TestAsText:
    def test_print_shows_what_a_terminal_does_and_how_columns_were_read(self, found):
        shown = str(found)
        assert shown == f"{to_text([found], with_warnings=True)}{found.test_set.fields}"
        assert shown.endswith("left out: 'domain'.")
        assert "\x1b" not in shown
        for table in found.tables:
            assert all(f"{row.value:.2f}" in shown for row in table.rows)

    def test_print_of_texts_has_no_columns_to_tell(self, two):
        assert str(two) == to_text([two], with_warnings=True).rstrip("\n")

    def test_its_repr_stays_short(self, found):
        assert repr(found).startswith("<Comparison of 'base', 'poor', 'good' on 'data frame'")
        assert "\n" not in repr(found)

    def test_a_verdict_over_test_sets_and_a_correlation_are_printed_too(self, two):
        over_all = tercet.overall([two, two])
        assert str(over_all) == to_text([over_all], with_warnings=True).rstrip("\n")
        assert repr(over_all).startswith("<Overall of")
        grades = {"base": [2, 3, 2, 3, 2, 1], "good": [4, 4, 3, 4, 4, 4]}
        texts = {name: SYSTEMS[name] for name in grades}
        correlation = tercet.correlate(texts, ["chrf", "ter"], grades, references=REFERENCES)
        assert "chrf" in str(correlation)
        assert "\n" in str(correlation)
        assert repr(correlation).startswith("<Correlation of")
        assert correlation.to_markdown().startswith("**grade**\n\n")
        assert "\\toprule" in correlation.to_latex()


class TestAsMarkdownAndLatex:
    @pytest.mark.parametrize("form", ["markdown", "latex"])
    def test_all_columns_are_those_of_the_command(self, form, found):
        assert getattr(found, f"to_{form}")() == in_format([found], form)

    @pytest.mark.parametrize(
        ("columns", "heads"),
        [
            ([], ["system", "chrf", "ter ↓"]),
            (["p"], ["system", "chrf", "adj. p", "ter ↓", "adj. p"]),
            ("rank", ["system", "chrf", "rank", "ter ↓", "rank"]),
            (["p", "difference"], ["system", "chrf", "difference", "adj. p", "ter ↓", "difference", "adj. p"]),
        ],
    )
    def test_columns_are_chosen(self, columns, heads, found):
        head, _, *rows = [line for line in found.to_markdown(columns=columns).splitlines() if line.startswith("|")]
        assert head.strip("| ").split(" | ") == heads
        # The best by the first score stands first, whatever is shown.
        assert [row.split(" | ")[0].strip("| ") for row in rows] == ["good", "base", "poor"]
        assert "(" not in "".join(rows)

    def test_intervals_stand_beside_scores_and_differences(self, two):
        row = two.tables[0].rows[1]
        score = f"**{row.value:.2f}** ({row.low:.2f}–{row.high:.2f})"
        difference = f"{row.difference:+.2f}"
        interval = f"[{row.difference_low:+.2f}, {row.difference_high:+.2f}]"
        assert f"| good | {score} |" in two.to_markdown(columns=["interval"])
        assert f"| good | {score} | {difference} {interval} |" in two.to_markdown(columns=["interval", "difference"])
        assert f"| good | **{row.value:.2f}** | {difference} |" in two.to_markdown(columns=["difference"])

    def test_the_lines_below_define_what_is_shown_and_no_more(self, found):
        alone = found.to_latex(columns=[])
        assert "adj. p:" not in alone
        assert "% Bold: the best" in alone
        assert "Tests: paired permutation test against base" in alone
        for words in ("In parentheses", "Intervals:", "rank:"):
            assert words not in alone
        assert "rank: the best and the worst place" in found.to_latex(columns=["rank"])
        assert "In parentheses: 95 % intervals." in found.to_latex(columns=["interval"])
        assert "In parentheses: 95 % intervals; in brackets" in found.to_latex(columns=["interval", "difference"])
        assert "adj. p: paired" in found.to_latex(columns=["p"])
        scores = {"оценка": {"старый": [1, 2, 4], "новый": [2, 4, 5]}}
        without = tercet.compare(scores=scores, interval=None, test=None)
        assert "In parentheses" not in without.to_latex(columns=["interval"])

    @pytest.mark.parametrize("columns", [["diff"], "score", 3, [None], {"p": 1, "x": 2}])
    def test_another_column_is_refused(self, columns, found):
        with pytest.raises(
            OptionError, match="columns= names what stands beside each score: interval, difference, p, r"
        ):
            found.to_latex(columns=columns)

    def test_runs_have_the_columns_of_their_systems(self):
        found = tercet.compare(RUNS, "chrf", references=REFERENCES, runs=r"(\w)-(\d)")
        assert found.to_markdown(columns=["p"]).startswith("| system | chrf | p |\n| --- | ---: | ---: |\n| a |")


class TestSegments:
    def test_there_is_a_row_for_each_segment_and_system(self, found):
        rows = found.segments()
        assert list(rows.columns) == [
            *("test_set", "segment", "domain", "system", "chrf_multi chrf", "ter ter"),
            *("source", "prediction", "references"),
        ]
        assert len(rows) == 6 * 3
        for number, row in enumerate(rows.itertuples(index=False)):
            segment, system = number // 3, list(SYSTEMS)[number % 3]
            assert row[1:4] == (segment + 1, ["news", "chat"][segment % 2], system)
            assert row[6:] == (SOURCES[segment], SYSTEMS[system][segment], [REFERENCES[segment]])
            assert row[4] == found.tables[0].segments[system][segment]
            assert row[5] == found.tables[1].segments[system][segment]

    def test_it_pivots_to_a_column_for_each_system(self, found):
        wide = found.segments().pivot(index="segment", columns="system", values="chrf_multi chrf")
        assert wide["good"].tolist() == found.tables[0].segments["good"]

    @pytest.mark.parametrize(("first", "is_rising"), [("chrf", True), ("ter", False)])
    def test_the_worst_by_the_first_score_are_first(self, first, is_rising):
        metrics = [first, *({"chrf", "ter"} - {first})]
        found = tercet.compare(SYSTEMS, metrics, references=REFERENCES, n_resamples=100)
        worst = found.segments(worst=5)
        title = worst.columns[3]
        assert title.endswith(first)
        expected = found.segments()[title].sort_values(ascending=is_rising)[:5]
        assert worst[title].tolist() == expected.tolist()

    def test_more_than_there_are_is_all(self, two):
        assert len(two.segments(worst=100)) == 12

    def test_a_segment_that_is_left_out_has_no_score_and_comes_last(self):
        scores = {"COMET": {"base": [0.5, None, 0.7, 0.8, 0.9, 1.0], "good": [0.6, 0.7, 0.8, 0.9, 1.0, 0.1]}}
        with pytest.warns(UserWarning, match="1 segment is not scored for every system"):
            found = tercet.compare(scores=scores, n_resamples=100)
        worst = found.segments(worst=12)
        assert worst["COMET COMET"].iloc[0] == 0.1
        assert pd.isna(worst["COMET COMET"].iloc[-1])
        # There are no texts to show.
        assert list(worst.columns) == ["test_set", "segment", "system", "COMET COMET"]

    def test_without_pandas_it_is_a_list_of_rows(self, two, monkeypatch):
        monkeypatch.setattr("tercet.comparison.shown.segment_rows.find_spec", lambda name: None)
        rows = two.segments(worst=1)
        assert type(rows) is list
        (row,) = rows
        number = row["segment"] - 1
        assert row["prediction"] == SYSTEMS[row["system"]][number]
        assert row["references"] == [REFERENCES[number]]

    @pytest.mark.parametrize("worst", [0, -1, 2.5, "20", True])
    def test_worst_is_a_number_of_rows(self, worst, two):
        with pytest.raises(OptionError, match="'worst' option of segments must be an integer of at least 1 or None"):
            two.segments(worst=worst)

    def test_segments_are_those_of_each_set(self, two):
        with pytest.raises(InputError, match=r"the segments are those of each comparison in \.comparisons"):
            tercet.overall([two, two]).segments()


class TestTheFigure:
    def names_of(self, figure):
        return [label.get_text() for label in figure.axes[0].get_yticklabels()]

    def legend_of(self, figure):
        return [text.get_text() for legend in figure.legends for text in legend.get_texts()]

    def test_systems_are_sorted_by_the_first_score(self, found):
        figure = found.plot()
        assert self.names_of(figure) == ["good", "base", "poor"]
        for axes, table in zip(figure.axes, found.tables, strict=True):
            heights = {float(line.get_xdata()[0]): float(line.get_ydata()[0]) for line in axes.get_lines()[1:]}
            by_system = {row.system: heights[row.value] for row in table.rows}
            assert by_system == {"good": 0, "base": -1, "poor": -2}

    def test_two_systems_stay_as_they_were_given(self, two):
        assert self.names_of(two.plot()) == ["base", "good"]

    def test_arrows_say_which_side_is_better(self, found):
        labels = [axes.get_xlabel() for axes in found.plot().axes]
        assert labels == ["chrF, 95 % interval\nbetter →", "TER, 95 % interval\n← better"]

    def test_a_legend_says_what_its_signs_are(self, found):
        assert self.legend_of(found.plot()) == ["the best", "significantly worse than the best", "the baseline, base"]

    @FEW_ITEMS
    def test_without_a_test_there_is_no_line_of_a_baseline(self):
        found = tercet.compare({"a": ["x y"], "b": ["x z"]}, "chrf", references=["x y"], test=None)
        assert self.legend_of(found.plot()) == ["the best"]
        assert [len(line.get_xdata()) for line in found.plot().axes[0].get_lines()] == [2, 1, 2, 1]

    def test_runs_are_drawn_as_their_systems(self):
        found = tercet.compare(RUNS, "chrf", references=REFERENCES, runs=r"(\w)-(\d)")
        assert self.names_of(found.plot()) == ["a", "b"]

    def test_hostile_names_are_text_in_the_legend_too(self):
        systems = {"$x^2$\n_": SYSTEMS["base"], "b": SYSTEMS["good"]}
        figure = tercet.compare(systems, "chrf", references=REFERENCES, n_resamples=100).plot()
        figure.savefig(io.BytesIO())
        assert self.legend_of(figure)[-1] == "the baseline, $x^2$ _"
