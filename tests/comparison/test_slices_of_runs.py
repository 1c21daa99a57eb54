"""Slices of systems with several runs: means over runs in each slice, tested as those of the whole test set are."""

import json
import re

import numpy as np
import pytest
import scipy.stats

import tercet
from commands import command
from comparison.test_runs import NAMES, OUTPUTS, REFERENCES, SYSTEMS
from comparison.test_slices import section_of as slices_of
from own_metric import WordErrors
from tercet.comparison.runs.means import as_systems
from tercet.comparison.shown.tables import in_format, sheets_of
from tercet.comparison.shown.terminal import to_text
from tercet.statistics.holm import holm

DOMAINS = ["news" if number % 3 else "chat" for number in range(60)]
RUNS = r"(base|tuned)-(\d)"


def compared(systems=SYSTEMS, metric="chrf", by=None, runs=RUNS, **options):
    by = {"domain": DOMAINS} if by is None else by
    return tercet.compare(systems, metric, references=REFERENCES, by=by, runs=runs, **options)


def numbers_of(scores, runs, labels, **options):
    return tercet.compare(scores={"x": scores}, by={"part": labels}, runs=runs, **options)


def cells_of(comparison):
    return [cell for row in slices_of(comparison).value for cell in row["systems"]]


#: What a slice and a test set of its segments alone both have.
FIGURES = ("value", "low", "high", "difference", "difference_low", "difference_high", "pvalue")


def assert_same(cells, whole):
    """Expect the figures of a comparison's systems over their runs, to the bit."""
    means = as_systems(whole).tables[0]
    for cell, row in zip(cells, means.rows, strict=True):
        assert [cell[name] for name in FIGURES] == [getattr(row, name) for name in FIGURES]
    (of_runs,) = (section for section in whole.tables[0].sections if section.key == "runs")
    for cell, row in zip(cells, of_runs.value["systems"], strict=True):
        for name in ("system", "runs", "spread", "t", "freedom"):
            assert cell[name] == row[name]


@pytest.mark.parametrize("metric", ["chrf", "bleu", "ter"])
def test_a_slice_has_the_figures_of_a_test_set_of_its_segments(metric):
    for row in slices_of(compared(metric=metric)).value:
        inside = [number for number, label in enumerate(DOMAINS) if label == row["slice"]]
        alone = tercet.compare(
            {name: [texts[number] for number in inside] for name, texts in SYSTEMS.items()}, metric,
            references=[REFERENCES[number] for number in inside], runs=RUNS,
        )  # fmt: skip
        assert row["n_segments"] == len(inside)
        assert_same(row["systems"], alone)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "tuned-2"},
        {"cluster": [number // 4 for number in range(60)]},
        {"interval": "BCa", "confidence_level": 0.8, "seed": 7},
        # One run of base, whose spread is taken to be that of the three of tuned.
        {"systems": {name: SYSTEMS[name] for name in NAMES[2:]}},
    ],
    ids=["two", "baseline", "clusters", "settings", "lone"],
)
def test_one_slice_is_the_whole_to_the_bit(options):
    with pytest.warns(UserWarning, match="the slice is the whole"):
        comparison = compared(by={"domain": ["news"] * 60}, **options)
    assert_same(cells_of(comparison), comparison)
    means = as_systems(comparison).tables[0]
    assert [cell["adjusted_pvalue"] for cell in cells_of(comparison)] == [row.adjusted_pvalue for row in means.rows]


def test_where_segments_do_not_vary_it_is_the_t_test_of_the_runs():
    """Scores that are the same for all segments of a slice leave the spread between runs alone: Welch's t."""
    rng = np.random.default_rng(5)
    labels = ["a", "b", "c"] * 10
    of_runs = rng.normal(size=(7, 3)).round(3)
    names = ["base-1", "base-2", "base-3", "new-1", "new-2", "new-3", "new-4"]
    scores = {
        name: [dict(zip("abc", levels, strict=True))[label] for label in labels]
        for name, levels in zip(names, of_runs.tolist(), strict=True)
    }
    found = slices_of(numbers_of(scores, r"(\w+)-(\d)", labels)).value
    pvalues = []
    for row, levels in zip(found, of_runs.T, strict=True):
        base, new = row["systems"]
        expected = scipy.stats.ttest_ind(levels[3:], levels[:3], equal_var=False)
        assert (new["t"], new["pvalue"]) == pytest.approx((expected.statistic, expected.pvalue))
        assert new["freedom"] == pytest.approx(expected.df)
        bounds = expected.confidence_interval(0.95)
        assert (new["difference_low"], new["difference_high"]) == pytest.approx((bounds.low, bounds.high))
        assert (base["value"], new["value"]) == pytest.approx((levels[:3].mean(), levels[3:].mean()))
        pvalues.append(new["pvalue"])
    assert [row["systems"][1]["adjusted_pvalue"] for row in found] == holm(pvalues)


def test_of_several_systems_p_is_adjusted_for_slices_and_systems():
    systems = SYSTEMS | {"große-1": OUTPUTS[1], "große-2": OUTPUTS[2]}
    comparison = compared(systems, runs=r"(\w+)-(\d)", baseline="tuned")
    section = slices_of(comparison)
    cells = [cell for cell in cells_of(comparison) if cell["pvalue"] is not None]
    assert [cell["system"] for cell in cells] == ["base", "große"] * 2
    assert [cell["adjusted_pvalue"] for cell in cells] == holm([cell["pvalue"] for cell in cells])
    # A row for each system of each slice, and none for an output.
    assert [(row[0], row[2]) for row in section.table.rows] == [
        (domain, system) for domain in ("chat", "news") for system in ("base", "tuned", "große")
    ]
    assert section.lines()[-1] == "adj. p: against the baseline, adjusted for 4 tests by Holm's method."
    assert not any(name in line for name in systems for line in section.lines())


def test_sentences_and_columns_are_of_systems():
    section = slices_of(compared())
    assert [column.title for column in section.table.columns] == [
        "domain", "segments", "base", "tuned", "difference", "adj. p",
    ]  # fmt: skip
    assert section.lines()[0].startswith("tuned: no proven difference in ")


def titles_in(text):
    """Return the titles of tables and the first words on runs, in the order in which they are read."""
    return re.findall(r"^(?:test set: .*?|Slices by .*?|One run each)(?=:| *$)", text, flags=re.MULTILINE)


@pytest.mark.parametrize("plain", [True, False])
def test_each_table_stands_below_the_heading_of_its_score(plain):
    text = to_text([compared(metric=["bleu", "chrf"])], 120, plain=plain)
    assert titles_in(text) == [
        "test set: BLEU, systems over their runs",
        "Slices by domain",
        "test set: BLEU, each output",
        "test set: chrF, systems over their runs",
        "Slices by domain",
        "test set: chrF, each output",
    ]


def test_with_one_run_each_all_stands_below_the_heading():
    systems = {name: SYSTEMS[name] for name in NAMES[2:4]}
    text = to_text([compared(systems, ["bleu", "chrf"])], 120)
    assert titles_in(text) == [
        "test set: BLEU", "One run each", "Slices by domain", "test set: chrF", "One run each", "Slices by domain",
    ]  # fmt: skip


def test_names_of_any_script_are_shown_as_they_are():
    named = dict(zip(["базова-1", "базова-2", "基礎-1", "基礎-2", "أساس-1", "أساس-2"], OUTPUTS, strict=True))
    labels = ["новини" if number % 2 else "[b]聊天<i>" for number in range(60)]
    comparison = compared(named, by={"тема": labels}, runs=r"(\w+)-(\d)")
    assert [cell["system"] for cell in cells_of(comparison)] == ["базова", "基礎", "أساس"] * 2
    page, text = comparison.to_html(), to_text([comparison])
    assert "聊天<i>" not in page
    for name in ("базова", "基礎", "أساس", "новини", "[b]聊天<i>"):
        assert name in text


def test_a_slice_of_one_segment_is_not_tested_and_said():
    section = slices_of(compared(by={"kind": ["rare"] + ["common"] * 59}))
    rare, common = (row["systems"][1] for row in section.value)
    nothing = ("low", "high", "difference_low", "difference_high", "pvalue", "adjusted_pvalue", "t", "freedom")
    assert {rare[name] for name in nothing} == {None}
    assert rare["spread"] > 0
    assert common["adjusted_pvalue"] == common["pvalue"]
    assert "; not tested in rare (" in section.lines()[0]
    assert section.lines()[1:] == ["No system is tested in rare, as there is one segment."]


def test_an_unknown_spread_is_not_tested_and_said():
    """One system with two runs does not tell the spread of the others."""
    systems = {name: SYSTEMS[name] for name in ("base-1", "tuned-1", "tuned-2")}
    section = slices_of(compared(systems, runs=r"(tuned)-(\d)"))
    assert {cell["pvalue"] for row in section.value for cell in row["systems"]} == {None}
    assert section.lines()[1:] == ["No system is tested in any slice, as the spread between runs is unknown."]


def test_which_systems_are_not_tested_is_said():
    # The whole of a varies over runs; b is equal to itself in both, and to the baseline but for a constant.
    labels = ["easy"] * 10 + ["hard"] * 10
    rng = np.random.default_rng(1)
    level = rng.normal(size=20).round(2)
    scores = {
        "base-1": level, "base-2": level, "a-1": rng.normal(size=20), "a-2": rng.normal(size=20),
        "b-1": level + 1, "b-2": level + 1,
    }  # fmt: skip
    section = slices_of(numbers_of({name: list(numbers) for name, numbers in scores.items()}, r"(\w+)-(\d)", labels))
    lines = section.lines()
    assert "b is not tested in any slice, as the difference varies neither over segments nor over runs." in lines
    assert lines[-1] == "adj. p: against the baseline, adjusted for 2 tests by Holm's method."


def test_segments_without_a_number_are_left_out_of_slices():
    rng = np.random.default_rng(2)
    labels = ["a", "b", "c"] * 10
    scores = {name: rng.normal(size=30).tolist() for name in NAMES}
    for number, label in enumerate(labels):
        if label == "c" or number == 0:
            scores["tuned-2"][number] = None
    with pytest.warns(UserWarning, match="not scored for every system"):
        section = slices_of(numbers_of(scores, RUNS, labels))
    assert [(row["slice"], row["n_segments"]) for row in section.value] == [("a", 9), ("b", 10)]
    assert "No segment is scored for all systems in c." in section.lines()


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*empty:UserWarning")
def test_a_slice_without_a_score_is_not_tested():
    # No edits over no words.
    systems = {name: [*texts[:20], *[""] * 10] for name, texts in SYSTEMS.items()}
    labels = ["full"] * 20 + ["empty"] * 10
    comparison = tercet.compare(
        systems, WordErrors(), references=[*REFERENCES[:20], *[""] * 10], by={"kind": labels}, runs=RUNS
    )
    section = slices_of(comparison)
    full, empty = (row["systems"][1] for row in section.value)
    assert np.isnan(empty["value"])
    assert (empty["pvalue"], empty["adjusted_pvalue"], empty["t"]) == (None, None, None)
    assert full["adjusted_pvalue"] == full["pvalue"] > 0
    assert section.lines()[1:] == ["No system is tested in empty, as a score is NaN."]
    assert "NaN" in to_text([comparison])
    assert "NaN" in comparison.to_html()


def test_clusters_are_the_units_of_slices_of_runs():
    def copies(texts):
        return [text for text in texts for _ in range(3)]

    comparison = tercet.compare(
        {name: copies(texts) for name, texts in SYSTEMS.items()}, "chrf", references=copies(REFERENCES),
        by={"domain": copies(DOMAINS)}, cluster=copies(range(60)), runs=RUNS,
    )  # fmt: skip
    for row, copied in zip(slices_of(compared()).value, slices_of(comparison).value, strict=True):
        assert (copied["n_units"], copied["n_segments"]) == (row["n_units"], 3 * row["n_segments"])
        for cell, other in zip(row["systems"], copied["systems"], strict=True):
            assert other.pop("runs") == pytest.approx(cell.pop("runs"))
            assert other == pytest.approx(cell)


def test_scores_of_0_and_1_stay_within_what_they_can_be():
    answers = {name: [1] * 29 + [number % 2] for number, name in enumerate(NAMES)}
    comparison = tercet.compare(scores={"acc": answers}, by={"half": ["a"] * 15 + ["b"] * 15}, runs=RUNS)
    first, second = slices_of(comparison).value
    assert [(cell["low"], cell["high"], cell["spread"]) for cell in first["systems"]] == [(100, 100, 0)] * 2
    # Nothing differs there.
    assert first["systems"][1]["pvalue"] == 1
    assert all(cell["high"] == 100 for cell in second["systems"])


def test_one_run_each_is_sliced_as_without_runs():
    systems = {"base-1": OUTPUTS[0], "tuned-1": OUTPUTS[4]}
    without = tercet.compare(systems, "chrf", references=REFERENCES, by={"domain": DOMAINS})
    assert slices_of(compared(systems)).value == slices_of(without).value


def test_without_by_runs_are_as_they_were():
    (table,) = compared(by={}).to_dict()["tables"]
    assert "slices" not in table
    assert table["runs"] == compared().to_dict()["tables"][0]["runs"]


# Files.


def write_table(path, systems=SYSTEMS, references=REFERENCES, domains=DOMAINS):
    lines = ["\t".join([*systems, "ref", "domain"])]
    lines += map("\t".join, zip(*systems.values(), references, domains, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_format_shows_slices_of_systems(tmp_path):
    path = write_table(tmp_path / "set.tsv")
    comparison = compared()
    section = slices_of(comparison)

    def shown(form):
        return command("compare", path, "-m", "chrf", "--runs", RUNS, "--by", "domain", "-f", form).stdout

    (table,) = json.loads(shown("json"))["test_sets"][0]["tables"]
    assert table["slices"] == section.value
    value = f"{section.value[1]['systems'][1]['value']:.2f}"
    for form in ("text", "markdown", "latex", "html"):
        text = shown(form)
        assert "Slices by domain" in text
        assert value in text
        assert "adjusted for 2 tests by Holm" in " ".join(text.split())
    # In a terminal, slices of systems stand above single outputs.
    text = shown("text")
    assert text.index("Slices by domain") < text.index("tuned-2  ")
    (sheet,) = (sheet for sheet in sheets_of([comparison]) if sheet.title == "Slices")
    assert [column.title for column in sheet.columns][3:7] == ["domain", "segments", "base", "tuned"]
    assert "<bdi>tuned</bdi>: no proven difference in" in comparison.to_html()
    # No further name of what is public.
    assert in_format([comparison], "tsv") == in_format([compared(by={})], "tsv")


def test_several_test_sets_have_slices_each_and_one_verdict(tmp_path):
    first = write_table(tmp_path / "first.tsv")
    half = {name: texts[:40] for name, texts in SYSTEMS.items()}
    second = write_table(tmp_path / "second.tsv", half, REFERENCES[:40], ["law", "news"] * 20)
    arguments = ("compare", first, second, "-m", "chrf", "--runs", RUNS)
    made = json.loads(command(*arguments, "--by", "domain", "-f", "json").stdout)
    slices = [part["tables"][0]["slices"] for part in made["test_sets"]]
    assert [[row["slice"] for row in rows] for rows in slices] == [["chat", "news"], ["law", "news"]]
    assert slices[0] == slices_of(compared()).value
    # Over all sets, nothing is sliced.
    without = json.loads(command(*arguments, "-f", "json").stdout)
    assert made["overall"] == without["overall"]
    assert [row["system"] for row in made["overall"]["tables"][0]["runs"]["systems"]] == ["base", "tuned"]
    text = command(*arguments, "--by", "domain").stdout
    assert text.count("Slices by domain") == 2


def test_text_files_are_sliced_by_length(tmp_path):
    for name, texts in {**SYSTEMS, "ref": REFERENCES}.items():
        folder = tmp_path if name == "ref" else tmp_path / "sys"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n")
    files = [tmp_path / "sys" / f"{name}.txt" for name in NAMES]
    text = command(
        "compare", *files, "-r", tmp_path / "ref.txt", "-m", "chrf", "--runs", r"(\w+)-(\d)", "--by", "length"
    ).stdout  # fmt: skip
    assert "Slices by length of the reference" in text
    assert "tuned: no proven difference in" in " ".join(text.split())


@pytest.mark.long
def test_one_of_twenty_families_of_slices_of_runs_has_a_false_alarm():
    """Two systems of the same quality with three runs each, which vary, as do segments by system."""
    rng, labels = np.random.default_rng(3), ["a"] * 60 + ["b"] * 40 + ["c"] * 20
    n_alarms = 0
    for _ in range(300):
        items = rng.normal(size=120)
        scores = {}
        for system in "AB":
            own = items + 0.5 * rng.normal(size=120)
            for run in "123":
                noise = 0.1 * rng.normal() + 0.7 * rng.normal(size=120)
                scores[f"{system}-{run}"] = (own + noise).tolist()
        rows = slices_of(numbers_of(scores, r"(\w)-(\d)", labels)).value
        n_alarms += min(row["systems"][1]["adjusted_pvalue"] for row in rows) < 0.05
    assert 0.02 <= n_alarms / 300 <= 0.08
