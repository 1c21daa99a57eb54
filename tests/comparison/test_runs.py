"""Systems with several runs: compared by their means, over segments and runs."""

import csv
import json
import math
import re

import numpy as np
import pytest
import scipy.stats

import tercet
from commands import command
from tercet.comparison.runs.means import as_systems
from tercet.comparison.runs.of_systems import members
from tercet.comparison.shown.tables import sheets_of
from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.errors import OptionError, for_command_line
from tercet.names_as_shown import said
from tercet.table_formats import pvalue_text

WORDS = ["the", "cat", "sat", "on", "a", "mat", "rained", "north", "all", "day", "while", "took", "train"]
NAMES = ["base-1", "base-2", "base-3", "tuned-1", "tuned-2", "tuned-3"]


def texts_of(seed, error_rates, n_segments=60):
    """Return references, and outputs in which so many words of each output are wrong, some in all outputs of all."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, 12)) for _ in range(n_segments)]
    outputs = [
        [" ".join("x" if rng.random() < rate else word for word in text.split()) for text in references]
        for rate in error_rates
    ]
    return references, outputs


REFERENCES, OUTPUTS = texts_of(0, [0.34, 0.24, 0.28, 0.30, 0.19, 0.24])
SYSTEMS = dict(zip(NAMES, OUTPUTS, strict=True))


def section_of(comparison):
    [section] = [part for part in comparison.tables[0].sections if part.key == "runs"]
    return section


def compared(systems=SYSTEMS, runs=r"(base|tuned)-(\d)", metric="chrf", **options):
    return tercet.compare(systems, metric, references=REFERENCES, runs=runs, **options)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (r"tuned-(\d)", {"base-1": ["base-1"], "tuned": ["tuned-1", "tuned-2"], "large": ["large"]}),
        (r"(.+)-(\d)", {"base": ["base-1"], "tuned": ["tuned-1", "tuned-2"], "large": ["large"]}),
        (r"(?:base|tuned)(-\d)", {"base": ["base-1"], "tuned": ["tuned-1", "tuned-2"], "large": ["large"]}),
        ({"B": ["tuned-1", "tuned-2"]}, {"base-1": ["base-1"], "B": ["tuned-1", "tuned-2"], "large": ["large"]}),
    ],
)
def test_the_runs_of_a_system_by_a_pattern_or_a_mapping(runs, expected):
    assert members(["base-1", "tuned-1", "tuned-2", "large"], runs) == expected


def test_the_table_of_two_systems_has_no_ranks_and_one_p_that_is_not_adjusted():
    def titles(comparison):
        return [column.title for column in section_of(comparison).table.columns]

    of_each = ["system", "runs", "chrf", "spread", "95 %", "difference", "±"]
    assert titles(compared()) == [*of_each, "p"]
    assert titles(compared({**SYSTEMS, "old": OUTPUTS[0]})) == [*of_each, "adj. p", "rank"]


def test_the_run_may_stand_anywhere_in_a_name():
    assert list(members(["seed1/tuned", "seed2/tuned"], r"seed(\d)/(?:tuned)")) == ["seed/tuned"]
    assert list(members(["1.tuned", "2.tuned"], r"(\d).tuned")) == ["tuned"]
    assert list(members(["de seed 1 tuned", "de seed 2 tuned"], r"(\w+) seed (\d) tuned")) == ["de"]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (r"tuned-\d", "has no group that is the run"),
        (r"tunde-(\d)", "matches no system: 'tuned-1', 'tuned-2' and 'tuned'."),
        (r"(tuned", "must be a regular expression"),
        (7, "must be a regular expression"),
        (r"tuned-(\d)", "'tuned' is the name of a system and of an output"),
        (r"(tuned-\d)", "without its run, 'tuned-1' has no name"),
        ({"A": ["tuned-3"]}, "there is no system 'tuned-3'"),
        ({"A": ["tuned-1"], "B": ["tuned-1"]}, "'tuned-1' is named twice"),
        ({"A": []}, "'A' has no outputs. Name them, or leave it out."),
        ({"A": "tuned-1"}, "must name the outputs of each system"),
    ],
)
def test_runs_that_cannot_be_read(runs, message):
    with pytest.raises(OptionError) as error:
        members(["tuned-1", "tuned-2", "tuned"], runs)
    assert message in str(error.value)
    assert str(error.value).startswith("runs=")
    with for_command_line(), pytest.raises(OptionError, match=r"^--runs"):
        members(["tuned-1", "tuned-2", "tuned"], runs)


def test_scores_are_means_of_runs_and_the_spread_is_theirs():
    comparison = compared()
    values = {row.system: row.value for row in comparison.tables[0].rows}
    base, tuned = section_of(comparison).value["systems"]
    assert base["runs"] == {name: values[name] for name in NAMES[:3]}
    assert tuned["value"] == pytest.approx(np.mean([values[name] for name in NAMES[3:]]))
    assert tuned["spread"] == pytest.approx(np.std([values[name] for name in NAMES[3:]], ddof=1))
    assert tuned["difference"] == pytest.approx(tuned["value"] - base["value"])
    assert tuned["low"] < tuned["value"] < tuned["high"]
    # outputs themselves are not tested
    assert comparison.test is None
    assert all(row.pvalue is None for row in comparison.tables[0].rows)


def said_of(comparison):
    """Return the verdict as one text."""
    return " ".join(map(said, verdict_of(comparison, {name: name for name in comparison.test_set.systems})))


def test_the_uncertainty_of_runs_makes_p_larger_than_that_of_segments_alone():
    """Welch's t over the six scores alone is the bound when there are very many segments."""
    base, tuned = section_of(compared()).value["systems"]
    of_runs = scipy.stats.ttest_ind(list(tuned["runs"].values()), list(base["runs"].values()), equal_var=False)
    assert tuned["pvalue"] > of_runs.pvalue
    of_segments = tercet.compare({"base": OUTPUTS[0], "tuned": OUTPUTS[4]}, "chrf", references=REFERENCES)
    assert of_segments.tables[0].rows[1].pvalue < 0.05 < tuned["pvalue"]
    assert section_of(compared()).lines() == [
        "Runs: base is base-1, base-2 and base-3; tuned is tuned-1, tuned-2 and tuned-3.",
    ]
    assert said_of(compared()) == (
        f"tuned has the best chrF: {tuned['value']:.2f}, {tuned['difference']:.2f} points above base. "
        f"The test finds no significant difference between tuned and base (p {tuned['pvalue']:.3f}; alpha 0.05), "
        "which does not show that there is none. "
        "Scores are means over 3 runs each; differences are tested by Welch's t over segments and runs."
    )


def test_a_clear_difference_is_said():
    _, outputs = texts_of(0, [0.30, 0.31, 0.05, 0.06])
    systems = dict(zip(("base-1", "base-2", "tuned-1", "tuned-2"), outputs, strict=True))
    assert " above base. The difference is significant (p 0.00" in said_of(compared(systems))
    of_errors = said_of(compared(systems, metric="ter", baseline="tuned"))
    assert of_errors.startswith("tuned has the best TER (lower is better): ")
    assert " below base. The difference is significant (p 0.00" in of_errors


def test_the_baseline_is_a_system_or_one_of_its_runs():
    for baseline in ("tuned", "tuned-2"):
        value = section_of(compared(baseline=baseline)).value
        assert value["baseline"] == "tuned"
        assert [row["difference"] is None for row in value["systems"]] == [False, True]


def test_one_run_each_is_compared_as_without_runs_and_said():
    systems = {"base-1": OUTPUTS[0], "tuned-1": OUTPUTS[4]}
    comparison = compared(systems)
    without = tercet.compare(systems, "chrf", references=REFERENCES)
    assert comparison.tables[0].rows == without.tables[0].rows
    assert section_of(comparison).lines() == ["One run each: the spread between runs is not in these p-values."]
    assert [part.key for part in comparison.tables[0].sections][1:] == [
        part.key for part in without.tables[0].sections
    ]


def test_one_run_against_several_takes_their_spread():
    systems = {name: SYSTEMS[name] for name in ("base-1", "tuned-1", "tuned-2", "tuned-3")}
    section = section_of(compared(systems, r"(tuned)-(\d)"))
    assert section.value["pooled"]
    assert section.lines()[-2] == ("base-1 has one run: its spread is taken to be that of the other systems' runs.")
    base, tuned = section.value["systems"]
    assert base["spread"] is None
    assert tuned["pvalue"] > 0.05


def test_one_run_against_two_is_not_tested():
    systems = {name: SYSTEMS[name] for name in ("base-1", "tuned-1", "tuned-2")}
    section = section_of(compared(systems, r"(tuned)-(\d)"))
    assert [row["pvalue"] for row in section.value["systems"]] == [None, None]
    assert section.lines() == [
        "tuned against base-1: not tested, as the spread between runs is unknown.",
        "base-1 has one run: a test needs 3 runs of one system, or 2 runs of two systems.",
        "Runs: tuned is tuned-1 and tuned-2.",
    ]
    assert [(row["rank"], row["group"]) for row in section.value["systems"]] == [(None, None)] * 2


def test_ranks_are_of_the_systems_that_were_tested():
    _, outputs = texts_of(0, [0.30, 0.30, 0.05, 0.05, 0.05])
    systems = dict(zip(("a-1", "b-1", "c-1", "c-2"), outputs, strict=False))
    section = section_of(compared(systems, r"(\w)-(\d)"))
    assert [row["rank"] for row in section.value["systems"]] == [None] * 3
    assert [row[-1] for row in section.table.rows] == [""] * 3


def test_many_runs_and_systems_are_named_in_part():
    names = [f"{system}-{run}" for system in "abcdef" for run in range(6 if system == "a" else 2)]
    systems = dict.fromkeys(names, OUTPUTS[0])
    assert section_of(compared(systems, r"(\w)-(\d)")).lines()[-1] == (
        "Runs: a is a-0, a-1, a-2, a-3 and 2 more; b is b-0 and b-1; c is c-0 and c-1; d is d-0 and d-1; "
        "and so on for 2 more."
    )


def test_what_does_not_vary_is_not_tested():
    texts = {"a-1": ["the cat"] * 9, "a-2": ["the cat"] * 9, "b-1": ["the mat"] * 9, "b-2": ["the mat"] * 9}
    comparison = tercet.compare(texts, "chrf", references=["the cat sat"] * 9, runs=r"(\w)-(\d)")
    section = section_of(comparison)
    assert "not tested, as the difference varies neither over segments nor over runs." in section.lines()[0]
    assert [row["rank"] for row in section.value["systems"]] == [None, None]
    rows = as_systems(comparison).tables[0].rows
    assert [(row.best, row.as_good) for row in rows] == [(True, True), (False, None)]


def test_where_no_run_matches_anything_no_system_is_best():
    texts = {name: ["a dog"] * 9 for name in ("a-1", "a-2", "b-1", "b-2")}
    comparison = tercet.compare(texts, "rouge", references=["it rained"] * 9, runs=r"(\w)-(\d)")
    rows = as_systems(comparison).tables[0].rows
    assert [(row.best, row.as_good) for row in rows] == [(False, None)] * 2


@pytest.mark.parametrize("names", [["a_b-1", "a-b-1"], ["a-b-1", "a-b_c-1", "a_b-c-1"]])
def test_a_pattern_that_merges_systems_is_refused(names):
    with pytest.raises(OptionError, match=r"would both be runs of 'a-b.*but their groups differ"):
        members(names, r"(?:(.+)_)?(.+)-(\d)")


def test_several_systems_are_adjusted_and_ranked():
    _, outputs = texts_of(0, [0.30, 0.31, 0.05, 0.06, 0.05, 0.07])
    systems = dict(zip(("a-1", "a-2", "b-1", "b-2", "c-1", "c-2"), outputs, strict=True))
    section = section_of(compared(systems, r"(\w)-(\d)"))
    rows = section.value["systems"]
    assert [row["rank"] for row in rows] == [[3, 3], [1, 2], [1, 2]]
    assert [row["group"] for row in rows] == [2, 1, 1]
    assert all(row["adjusted_pvalue"] >= row["pvalue"] for row in rows[1:])
    assert [column.title for column in section.table.columns][-2:] == ["adj. p", "rank"]


def test_copies_of_segments_in_clusters_change_nothing():
    def copies(texts):
        return [text for text in texts for _ in range(3)]

    once = section_of(compared()).value
    copied = tercet.compare(
        {name: copies(texts) for name, texts in SYSTEMS.items()}, "chrf", references=copies(REFERENCES),
        runs=r"(base|tuned)-(\d)", cluster=copies(range(60)),
    )  # fmt: skip
    assert "tested by Welch's t over clusters and runs." in said_of(copied)
    for one, other in zip(once["systems"], section_of(copied).value["systems"], strict=True):
        assert other.pop("runs") == pytest.approx(one.pop("runs"))
        assert (other.pop("rank"), other) == (one.pop("rank"), pytest.approx(one))


def test_one_segment_is_not_tested():
    systems = {name: texts[:1] for name, texts in SYSTEMS.items()}
    section = section_of(tercet.compare(systems, "chrf", references=REFERENCES[:1], runs=r"(base|tuned)-(\d)"))
    assert section.value["systems"][1]["pvalue"] is None
    assert math.isnan(section.value["systems"][1]["low"])
    assert "not tested, as there is one segment." in section.lines()[0]
    assert [(row["rank"], row["group"]) for row in section.value["systems"]] == [(None, None)] * 2
    # As in every table, there is no interval where none is known.
    titles = [column.title for column in section.table.columns]
    assert [cells[titles.index("95 %")] for cells in section.table.rows] == ["", ""]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_an_interval_stays_within_what_a_score_can_be(better):
    answers = {
        "a-1": [1] * 58 + [0] * 2,
        "a-2": [1] * 40 + [0] * 20,
        "b-1": [0] * 59 + [1],
        "b-2": [0] * 45 + [1] * 15,
    }
    accuracy = tercet.Column("acc", better=better)
    rows = section_of(tercet.compare(scores={accuracy: answers}, runs=r"([ab])-(\d)")).value["systems"]
    assert (rows[0]["high"], rows[1]["low"]) == (100, 0)
    # Of other numbers nobody knows where they end.
    numbers = {name: [2.0 * value for value in values] for name, values in answers.items()}
    rows = section_of(tercet.compare(scores={"x": numbers}, runs=r"([ab])-(\d)")).value["systems"]
    assert rows[0]["high"] > 2
    assert rows[1]["low"] < 0


def test_a_rate_has_no_greatest_value():
    systems = {"a-1": ["a b c"] * 30, "a-2": ["a b c d e f"] * 15 + ["a x"] * 15}
    rows = section_of(
        tercet.compare({**systems, "b": ["a"] * 30}, "wer", references=["a b c"] * 30, runs=r"(a)-(\d)")
    ).value["systems"]
    assert rows[0]["low"] == 0
    assert rows[0]["high"] > 100


def test_the_test_of_outputs_is_refused():
    with pytest.raises(OptionError, match="Welch's t"):
        compared(test="bootstrap")


@pytest.fixture(name="table_of_runs")
def fixture_table_of_runs(tmp_path):
    path = tmp_path / "runs.tsv"
    lines = ["\t".join([*NAMES, "ref"]), *map("\t".join, zip(*OUTPUTS, REFERENCES, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_format_shows_the_table_of_runs(table_of_runs):
    def shown(form):
        return command("compare", table_of_runs, "-m", "chrf", "--runs", r"(base|tuned)-(\d)", "-f", form).stdout

    section = section_of(compared())
    [table] = json.loads(shown("json"))["test_sets"][0]["tables"]
    assert table["runs"] == section.value
    (outputs,) = section.lines()
    for form in ("text", "markdown", "latex", "html"):
        text = shown(form)
        assert "systems over their runs" in text.lower()
        assert f"{section.value['systems'][1]['value']:.2f}" in text
        assert "which does not show that there is none" in " ".join(text.split())
        assert "Runs: base is base-1" in re.sub("<.*?>", "", text).replace("&nbsp;", " ")
    assert said_of(compared()) in " ".join(shown("text").split())
    assert outputs in " ".join(shown("text").split())
    assert "Welch's t" in shown("text")


def test_systems_are_judged_and_single_outputs_are_not(table_of_runs, tmp_path):
    comparison = compared()
    assert not any(row.best for table in comparison.tables for row in table.rows)
    assert "the best" not in comparison.legend()
    page = tmp_path / "page.html"
    command("compare", table_of_runs, "-m", "chrf", "--runs", r"(base|tuned)-(\d)", "-o", page)
    text = re.sub("<.*?>", "", page.read_text(encoding="utf-8").partition("<main>")[2])
    value = section_of(comparison).value
    base, tuned = (system["value"] for system in value["systems"])
    start = f"tuned has the best chrF: {tuned:.2f}, {tuned - base:.2f} points above base."
    p = pvalue_text(value["systems"][1]["adjusted_pvalue"])
    assert " ".join(text.split()).startswith(f"runs {start}")
    assert f"between tuned and base (p {p}; alpha 0.05), which does not show that there is none." in text
    assert "Scores are means over" in text
    first_screen, _, of_outputs = text.partition("Each run")
    assert "2 systems" in " ".join(first_screen.split())
    assert "base-1" not in first_screen
    assert "base-1" in of_outputs
    command("compare", table_of_runs, "-m", "chrf", "-m", "ter", "--runs", r"(base|tuned)-(\d)", "-o", page)
    top = page.read_text(encoding="utf-8").partition("<h3")[0]
    top = re.sub("<.*?>", "", top)
    assert "tuned is best in both metrics." in top
    assert "base-1" not in top.partition("Each run")[0]


def test_sheets_of_several_scores_have_one_header():
    comparison = tercet.compare(SYSTEMS, ["chrf", "ter"], references=REFERENCES, runs=r"(base|tuned)-(\d)")
    (sheet,) = (sheet for sheet in sheets_of([comparison]) if sheet.title == "Runs")
    titles = [column.title for column in sheet.columns]
    assert titles[:6] == ["test_set", "metric", "score", "system", "runs", "value"]
    assert [row[2] for row in sheet.rows] == ["chrf", "chrf", "ter", "ter"]


class TestRowsForPrograms:
    def test_systems_come_first_with_their_test_and_then_the_outputs(self):
        comparison = compared()
        records = comparison.records()
        assert [(record["row"], record["system"]) for record in records] == [
            ("system", "base"), ("system", "tuned"), *(("output", name) for name in NAMES),
        ]  # fmt: skip
        base, tuned = section_of(comparison).value["systems"]
        names = ("value", "low", "high", "difference", "pvalue", "adjusted_pvalue")
        for record, system in zip(records, (base, tuned), strict=False):
            assert {name: record[name] for name in names} == {name: system[name] for name in names}
        assert records[0]["difference"] is None
        assert records[1]["difference_low"] == pytest.approx(tuned["difference"] - tuned["margin"])
        assert {record["interval"] for record in records[:2]} == {"Student"}
        assert records[1]["best"]
        assert not any(record["best"] for record in records[2:])

    def test_ranks_are_of_systems(self):
        _, outputs = texts_of(0, [0.60, 0.62, 0.30, 0.31, 0.05, 0.06])
        systems = dict(zip(("a-1", "a-2", "b-1", "b-2", "c-1", "c-2"), outputs, strict=True))
        records = compared(systems, r"(\w)-(\d)").records()
        assert [record["rank_low"] for record in records] == [3, 2, 1, *[None] * 6]

    def test_without_runs_every_row_is_of_a_system(self):
        systems = {name: SYSTEMS[name] for name in NAMES[2:4]}
        for runs in (None, r"(base|tuned)-(\d)"):
            assert [record["row"] for record in compared(systems, runs).records()] == ["system"] * 2

    def test_every_format_for_programs_has_them(self, table_of_runs):
        arguments = ("compare", table_of_runs, "-m", "chrf", "--runs", r"(base|tuned)-(\d)", "-f")
        expected = [(record["row"], record["system"], record["value"]) for record in compared().records()]
        for form, separator in (("tsv", "\t"), ("csv", ",")):
            rows = csv.DictReader(command(*arguments, form).stdout.splitlines(), delimiter=separator)
            assert [(row["row"], row["system"], float(row["value"])) for row in rows] == expected
        frame = compared().to_dataframe()
        assert list(frame[["row", "system", "value"]].itertuples(index=False, name=None)) == expected

    def test_pairs_of_a_workbook_are_of_systems(self):
        (pairs,) = (sheet for sheet in sheets_of([compared()]) if sheet.title == "Pairs")
        assert [tuple(row[4:6]) for row in pairs.rows] == [("base", "tuned")]

    def test_over_test_sets_too(self):
        over_all = tercet.overall([compared(), compared()])
        assert [record["row"] for record in over_all.records()] == ["system"] * 2 + ["output"] * 6


class TestWhichTestRan:
    def test_its_name_is_in_words_and_in_json(self):
        comparison = compared()
        assert repr(comparison).endswith("; Welch's t over units and runs against 'base'>")
        found = comparison.to_dict()
        assert (found["test"], found["adjust"], found["baseline"]) == ("Welch", "holm", "base")

    def test_where_the_spread_is_unknown_there_is_none(self):
        systems = {name: SYSTEMS[name] for name in ("base-1", "tuned-1", "tuned-2")}
        comparison = compared(systems, r"(tuned)-(\d)")
        assert repr(comparison).endswith("; no test>")
        assert comparison.to_dict()["test"] is None


def test_two_segments_are_tested():
    systems = {name: texts[:2] for name, texts in SYSTEMS.items()}
    section = section_of(tercet.compare(systems, "chrf", references=REFERENCES[:2], runs=r"(base|tuned)-(\d)"))
    row = section.value["systems"][1]
    assert 0 < row["pvalue"] < 1
    assert row["low"] < row["value"] < row["high"]


def test_outputs_may_be_those_of_an_iterator():
    texts = {name: ["a cat sat", "it rains"] for name in ("a-1", "a-2", "b")}
    options = {"references": ["a cat sat", "it rained"], "by": {"domain": ["news", "chat"]}}
    comparison = tercet.compare(texts, "chrf", runs={"a": iter(["a-1", "a-2"])}, **options)
    assert comparison.runs == {"a": ["a-1", "a-2"], "b": ["b"]}


def test_a_pattern_of_bytes_is_refused():
    texts = {name: ["a cat sat"] for name in ("a-1", "a-2")}
    with pytest.raises(OptionError, match=r"^runs= must be a regular expression such as .* Got b'\(a\)-"):
        tercet.compare(texts, "chrf", references=["a cat sat"], runs=rb"(a)-(\d+)")


def test_the_test_of_runs_is_named_as_an_option_is():
    texts = {name: ["a cat sat", "it rains"] for name in ("a-1", "a-2", "b")}
    options = {"references": ["a cat sat", "it rained"], "runs": {"a": ["a-1", "a-2"]}, "test": "bootstrap"}
    with pytest.raises(OptionError, match=r"not by the bootstrap: leave out test=\.$"):
        tercet.compare(texts, "chrf", **options)
    with for_command_line(), pytest.raises(OptionError, match=r": leave out --test\.$"):
        tercet.compare(texts, "chrf", **options)
