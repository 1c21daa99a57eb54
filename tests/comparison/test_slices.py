"""Slices of a test set: scores and tests of each, adjusted over all of them."""

import json
import random
import re

import numpy as np
import pytest

import tercet
from commands import command
from own_metric import WordErrors
from tercet.comparison.shown.tables import in_format, sheets_of
from tercet.comparison.shown.terminal import to_text
from tercet.errors import InputError, OptionError
from tercet.statistics.holm import holm
from tercet.statistics.mcnemar import mcnemar

WORDS = ["the", "cat", "sat", "on", "a", "mat", "rained", "north", "all", "day", "while", "took", "train"]


def texts_of(error_rates, seed=0):
    """Return references, and outputs in which such a share of the words of each domain is wrong."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=rng.randint(4, 16))) for _ in DOMAINS]
    outputs = {
        system: [
            " ".join("x" if rng.random() < rates[domain] else word for word in text.split())
            for text, domain in zip(references, DOMAINS, strict=True)
        ]
        for system, rates in error_rates.items()
    }
    return references, outputs


DOMAINS = ["news" if number % 3 else "chat" for number in range(90)]
RATES = {
    "base": {"news": 0.35, "chat": 0.3},
    "tuned": {"news": 0.1, "chat": 0.3},
    "large": {"news": 0.3, "chat": 0.3},
}
REFERENCES, SYSTEMS = texts_of(RATES)
TWO = {name: SYSTEMS[name] for name in ("base", "tuned")}


def compared(systems=TWO, metric="chrf", by=None, **options):
    by = {"domain": DOMAINS} if by is None else by
    return tercet.compare(systems, metric, references=REFERENCES, by=by, **options)


def sections_of(comparison, table=0):
    return [section for section in comparison.tables[table].sections if section.key == "slices"]


def section_of(comparison, table=0):
    (section,) = sections_of(comparison, table)
    return section


def of_domain(texts, domain):
    return [text for text, label in zip(texts, DOMAINS, strict=True) if label == domain]


def test_a_slice_has_the_figures_of_a_test_set_of_its_segments():
    slices = section_of(compared()).value
    assert [(row["by"], row["slice"], row["n_segments"]) for row in slices] == [
        ("domain", "chat", 30), ("domain", "news", 60),
    ]  # fmt: skip
    for row in slices:
        systems = {name: of_domain(texts, row["slice"]) for name, texts in TWO.items()}
        alone = tercet.compare(systems, "chrf", references=of_domain(REFERENCES, row["slice"])).tables[0].rows
        for cell, expected in zip(row["systems"], alone, strict=True):
            assert [cell[name] for name in ("value", "low", "high", "difference")] == [
                expected.value, expected.low, expected.high, expected.difference,
            ]  # fmt: skip


@pytest.mark.parametrize("clusters", [None, [number // 4 for number in range(90)]], ids=["segments", "clusters"])
def test_one_toss_of_the_whole_test_set_exchanges_a_segment_or_cluster_in_all_slices(clusters):
    """A plain form: the texts are exchanged and the slices scored anew, draw by draw."""
    comparison = compared(SYSTEMS, n_resamples=60, seed=3, cluster=clusters)
    slices = section_of(comparison).value
    numbers = np.arange(90) if clusters is None else np.array(clusters)
    masks = np.random.default_rng(3).integers(2, size=(60, numbers.max() + 1), dtype=bool)
    base = SYSTEMS["base"]
    null, observed, found = [], [], []
    for row in slices:
        inside = [number for number, label in enumerate(DOMAINS) if label == row["slice"]]
        references = [REFERENCES[number] for number in inside]

        def apart(first, second, inside=inside, references=references):
            sides = ([side[number] for number in inside] for side in (first, second))
            first_score, second_score = (tercet.score("chrf", side, references)["chrf"] for side in sides)
            return abs(second_score - first_score)

        for cell in row["systems"][1:]:
            texts = SYSTEMS[cell["system"]]
            observed.append(apart(base, texts))
            draws = []
            for mask in masks:
                pairs = [pair[::-1] if mask[n] else pair for pair, n in zip(zip(base, texts), numbers)]  # noqa: B905
                draws.append(apart(*zip(*pairs, strict=True)))
            null.append(draws)
            found.append(cell)
    null, observed = np.array(null), np.array(observed)
    for cell, draws, size in zip(found, null, observed, strict=True):
        assert cell["pvalue"] == (np.sum(draws >= size - 1e-9) + 1) / 61
    scale = np.sqrt((null**2).mean(axis=1))
    greatest = 0.0
    order = np.argsort(-observed / scale, kind="stable")
    for step, number in enumerate(order):
        largest = (null / scale[:, None])[order[step:]].max(axis=0)
        greatest = max(greatest, (np.sum(largest >= observed[number] / scale[number] - 1e-9) + 1) / 61)
        assert found[number]["adjusted_pvalue"] == pytest.approx(greatest, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"test": "bootstrap"}, {"interval": "BCa"}, {"cluster": range(90)}])
def test_one_slice_is_the_whole_to_the_bit(options):
    with pytest.warns(UserWarning, match="all segments are 'news': the slice is the whole"):
        comparison = compared(by={"domain": ["news"] * 90}, **options)
    assert any("the slice is the whole" in warning for warning in comparison.warnings)
    (row,) = section_of(comparison).value
    for cell, whole in zip(row["systems"], comparison.tables[0].rows, strict=True):
        for name in ("value", "low", "high", "difference", "pvalue", "adjusted_pvalue"):
            assert cell[name] == getattr(whole, name)


def test_of_several_systems_p_is_adjusted_for_slices_and_systems():
    section = section_of(compared(SYSTEMS, baseline="tuned", adjust="holm"))
    cells = [cell for row in section.value for cell in row["systems"] if cell["pvalue"] is not None]
    assert [cell["adjusted_pvalue"] for cell in cells] == holm([cell["pvalue"] for cell in cells])
    assert [cell["system"] for cell in cells] == ["base", "large"] * 2
    assert section.lines()[0].startswith("base against tuned: significantly worse in news (-")
    assert section.lines()[-1] == "adj. p: against the baseline, adjusted for 4 tests by Holm's method."


def test_of_many_systems_the_best_is_spoken_of():
    systems = {f"s{number}": SYSTEMS["base"] for number in range(8)} | {"tuned": SYSTEMS["tuned"]}
    lines = section_of(compared(systems)).lines()
    assert [line.split(" against")[0] for line in lines[:-1]] == ["tuned"]


def test_sentences_name_what_is_significant_first():
    lines = section_of(compared()).lines()
    pattern = r"tuned: significantly better in news \(\+\d+\.\d\d\); no proven difference in chat \(-\d+\.\d\d\)\."
    assert re.fullmatch(pattern, lines[0])
    assert lines[1:] == [
        "adj. p: against the baseline, adjusted for 2 tests by the step-down maximum (Romano and Wolf 2005)."
    ]
    lower = section_of(compared(metric="ter")).lines()
    assert lower[0].startswith("tuned: significantly better in news (-")


def test_many_slices_are_counted():
    labels = [f"part {number % 9}" for number in range(90)]
    line = section_of(compared(by={"part": labels})).lines()[0]
    assert re.fullmatch(
        r"tuned: significantly better in \d of 9 slices, significantly worse in none; "
        r"differences from -[\d.]+ \(part \d\) to \+[\d.]+ \(part \d\)\.",
        line,
    )


def test_many_slices_of_few_segments_are_counted_as_too_few_unless_one_could_tell():
    def said(labels):
        pairs = len(labels) // 2
        scores = {"q": {"base": [0.1, 0.2] * pairs, "tuned": [0.3, 0.1] * pairs}}
        return section_of(tercet.compare(scores=scores, by={"part": labels})).lines()[0]

    small = [f"part {number // 2}" for number in range(18)]
    assert said(small).startswith("tuned: too few to tell in any of 9 slices")
    assert said([*small, *["large"] * 20]).startswith("tuned: no proven difference in any of 10 slices")


def test_many_slices_without_a_difference_are_the_same():
    scores = {"q": {"base": [0.1, 0.2] * 9, "tuned": [0.1, 0.2] * 9}}
    by = {"part": [f"part {number // 2}" for number in range(18)]}
    for test in (None, "permutation"):
        line = section_of(tercet.compare(scores=scores, by=by, test=test)).lines()[0]
        assert line == "tuned: the same in all 9 slices."


def test_few_segments_tell_nothing_in_a_slice():
    """Also by the bootstrap test, which would call them different."""
    better, worse = [0.1, 0.2], [0.5, 0.6]
    scores = {"q": {"base": [*better, *worse] * 2, "tuned": [*worse, *better] * 2}}
    for test in ("permutation", "bootstrap"):
        found = tercet.compare(scores=scores, by={"часть": list("aabbccdd")}, test=test, n_resamples=200)
        lines = section_of(found).lines()
        assert lines[0] == "tuned: too few to tell in a (+0.4000), b (-0.4000), c (+0.4000) and d (-0.4000)."
        assert "Too few segments for any difference to be significant: a, b, c and d." in lines


def test_differences_by_rounding_are_none():
    base = [0.1, 0.2, 0.3] * 10
    tuned = [0.3, 0.1 + 0.1, 0.1] * 10
    found = tercet.compare(scores={"q": {"base": base, "tuned": tuned}}, by={"k": ["u", "v"] * 15}, test=None)
    assert section_of(found).lines()[0] == "tuned: the same in u and v."
    assert [row["systems"][1]["difference"] for row in section_of(found).value] == [0, 0]


def test_equal_systems_are_the_same_in_every_slice():
    comparison = compared({"base": SYSTEMS["base"], "copy": SYSTEMS["base"]})
    section = section_of(comparison)
    assert section.lines()[0] == "copy: the same in chat and news."
    assert [row["systems"][1]["adjusted_pvalue"] for row in section.value] == [1, 1]


def test_better_in_every_slice_and_worse_over_all():
    # Of 10 words 9 and 1 are right, or 10 of 10 and 10 of 90.
    easy, hard = "a b c d e f g h i j", "k l m n o p q r s t"
    systems = {
        "base": ["a b c d e f g h i x", "k x x x x x x x x x"] * 10,
        "tuned": [easy, f"{hard} {'x ' * 80}"] * 10,
    }
    comparison = tercet.compare(
        systems, "bleu:max_order=1", references=[easy, hard] * 10, by={"level": ["easy", "hard"] * 10}
    )
    assert comparison.tables[0].rows[1].difference < 0
    assert "tuned is better in every slice, but worse over all" in section_of(comparison).lines()[1]
    assert not any("over all" in line for line in section_of(compared()).lines())


def test_scores_of_0_and_1_take_the_exact_test():
    rng = np.random.default_rng(3)
    base, tuned = rng.integers(0, 2, (2, 90)).tolist()
    comparison = tercet.compare(scores={"acc": {"base": base, "tuned": tuned}}, by={"domain": DOMAINS})
    for row in section_of(comparison).value:
        pairs = list(zip(of_domain(base, row["slice"]), of_domain(tuned, row["slice"]), strict=True))
        expected = mcnemar(pairs.count((1, 0)), pairs.count((0, 1)))
        assert row["systems"][1]["pvalue"] == expected
    # Wilson's interval
    assert all(cell["low"] > 0 for row in section_of(comparison).value for cell in row["systems"])


def test_segments_without_a_score_are_left_out_and_a_slice_without_any_is_said():
    numbers = [None if domain == "chat" else 0.5 + number / 100 for number, domain in enumerate(DOMAINS)]
    other = [0.1 * (number % 7) for number in range(90)]
    with pytest.warns(UserWarning, match="not scored for every system"):
        comparison = tercet.compare(scores={"COMET": {"base": other, "tuned": numbers}}, by={"domain": DOMAINS})
    section = section_of(comparison)
    assert [(row["slice"], row["n_segments"]) for row in section.value] == [("news", 60)]
    assert "No segment is scored for all systems in chat." in section.lines()


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*empty:UserWarning")
def test_a_slice_without_a_score_is_not_tested():
    # No edits over no words.
    references, labels = [*REFERENCES[:20], *[""] * 10], ["full"] * 20 + ["empty"] * 10
    systems = {name: [*texts[:20], *[""] * 10] for name, texts in TWO.items()}
    comparison = tercet.compare(systems, WordErrors(), references=references, by={"kind": labels})
    section = section_of(comparison)
    full, empty = (row["systems"][1] for row in section.value)
    assert np.isnan(empty["value"])
    assert (empty["pvalue"], empty["adjusted_pvalue"]) == (None, None)
    assert full["adjusted_pvalue"] == full["pvalue"]
    assert "empty" not in section.lines()[0]
    assert "NaN" in to_text([comparison])


def test_clusters_are_the_units_of_slices():
    def copies(texts):
        return [text for text in texts for _ in range(3)]

    once = section_of(compared()).value
    comparison = tercet.compare(
        {name: copies(texts) for name, texts in TWO.items()}, "chrf", references=copies(REFERENCES),
        by={"domain": copies(DOMAINS)}, cluster=copies(range(90)),
    )  # fmt: skip
    section = section_of(comparison)
    for copied, row in zip(section.value, once, strict=True):
        assert (copied["n_units"], copied["n_segments"]) == (row["n_units"], 3 * row["n_segments"])
        for cell, expected in zip(copied["systems"], row["systems"], strict=True):
            assert cell == pytest.approx(expected)
    assert [column.title for column in section.table.columns][:3] == ["domain", "segments", "clusters"]


def test_slices_that_can_show_nothing_are_named_once():
    labels = ["rare"] * 3 + ["common"] * 87
    lines = section_of(compared(by={"kind": labels})).lines()
    assert "Too few segments for any difference to be significant: rare." in lines
    few = compared(n_resamples=20, adjust="holm")
    assert "no p of 2 tests can be significant" in " ".join(section_of(few).lines())


def test_of_many_small_slices_the_first_are_named():
    lines = section_of(compared(by={"part": [str(number // 2) for number in range(90)]})).lines()
    assert "Too few segments for any difference to be significant: 0, 1, 2, 3, 4, 5 and 39 more." in lines


def test_without_a_test_there_are_scores_and_differences():
    section = section_of(compared(test=None))
    assert [column.title for column in section.table.columns][-1] == "difference"
    assert re.fullmatch(r"tuned: better in news \(\S+\); worse in chat \(\S+\)\.", section.lines()[0])
    alone = section_of(compared({"base": SYSTEMS["base"]}))
    assert [column.title for column in alone.table.columns] == ["domain", "segments", "base"]
    assert alone.sentences == []


def test_lengths_are_those_of_the_references_in_five_groups():
    section = section_of(compared(by=iter(["length"])))
    assert section.title == "Slices by length of the reference"
    assert sum(row["n_segments"] for row in section.value) == 90
    assert [row["slice"].split()[1] for row in section.value] == ["words"] * 5
    with pytest.raises(InputError, match="no references and no sources"):
        tercet.compare(TWO, "diversity", by="length")


@pytest.mark.parametrize("nothing", [[], (), {}, iter([])], ids=["list", "tuple", "mapping", "iterator"])
def test_what_names_nothing_slices_nothing(nothing):
    assert sections_of(compared(by=nothing)) == []


def test_several_kinds_are_adjusted_by_themselves():
    comparison = compared(by={"domain": DOMAINS, "half": ["first"] * 45 + ["second"] * 45})
    assert [section.title for section in sections_of(comparison)] == ["Slices by domain", "Slices by half"]
    (table,) = comparison.to_dict()["tables"]
    assert [row["by"] for row in table["slices"]] == ["domain"] * 2 + ["half"] * 2


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (3, "takes the name of a column"),
        ([3], "takes the name of a column"),
        ("domain", "has no column 'domain'"),
        ({"domain": DOMAINS[1:]}, "must have a label for each segment, got 89 labels for 90 segments"),
        ({"domain": "news"}, "expected labels by their name"),
        ({3: DOMAINS}, "expected labels by their name"),
        ({"domain": [*DOMAINS[1:], ["news"]]}, "label 90: expected a text or a number"),
        (
            {"domain": range(90)},
            "90 different values, such as '0': it looks like an id. Expected at most 50 slices.",
        ),
    ],
)
def test_what_is_no_slice_is_refused(by, message):
    with pytest.raises((InputError, OptionError), match=re.escape(message)):
        compared(by=by)


def test_there_are_fifty_slices_at_most():
    fifty = [f"страница {number % 50}" for number in range(90)]
    assert len(compared(by={"страница": fifty}, test=None).to_dict()["tables"][0]["slices"]) == 50
    with pytest.raises(InputError, match=r"^'страница' has 51 different values, .* Expected at most 50 slices"):
        compared(by={"страница": [*fifty[1:], "обложка"]}, test=None)


# Files.


@pytest.fixture(name="table")
def fixture_table(tmp_path):
    path = tmp_path / "set.tsv"
    ids = [f"{'wmt' if number % 2 else 'ted'}-{number}" for number in range(90)]
    topics = ["about the weather" if number % 2 else "" for number in range(90)]
    rows = zip(*TWO.values(), REFERENCES, DOMAINS, ids, topics, strict=True)
    lines = ["\t".join([*TWO, "ref", "domain", "id", "topic"]), *map("\t".join, rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path, by):
    (test_set,) = tercet.read_test_sets(path, by=by)
    return test_set


def test_columns_of_a_table_and_patterns(table):
    test_set = read(table, ["domain", r"id~^(\w+)-", "id~^wmt", "topic", "length"])
    assert list(test_set.slices) == ["domain", "id", "topic"]
    # A column of slices is no system.
    assert list(test_set.systems) == ["base", "tuned"]
    comparison = tercet.compare(test_set, "chrf", by=["domain", r"id~^(\w+)-", "id~^wmt", "topic", "length"])
    names = [[row["slice"] for row in section.value] for section in sections_of(comparison)]
    assert names[:4] == [
        ["chat", "news"], ["ted", "wmt"], ["matches", "does not match"], ["(none)", "about the weather"],
    ]  # fmt: skip


def test_columns_that_are_not_there_and_patterns_that_are_none(table):
    with pytest.raises(InputError, match=r"has no column 'domian'. Did you mean 'domain'\?"):
        read(table, "domian")
    with pytest.raises(OptionError, match="is no regular expression"):
        read(table, "id~(")
    many = r"90 different values, such as 'ted-0': it looks like an id. Expected at most 50 slices"
    with pytest.raises(InputError, match=rf"{many}; 'id~REGEX' slices by a part of the values\."):
        tercet.compare(read(table, "id"), "chrf", by="id")
    with pytest.raises(InputError, match=rf"{many}; let the group of the pattern match less\."):
        tercet.compare(read(table, "id~(.*)"), "chrf", by="id~(.*)")
    with pytest.raises(InputError, match=r"no column 'domain' for by=. .* read_test_sets\(..., by='domain'\)"):
        tercet.compare(read(table, "topic"), "chrf", by="domain")


def test_the_pattern_that_is_advised_works_for_a_column_with_a_tilde(table):
    table.write_text(table.read_text(encoding="utf-8").replace("id", "id~1", 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"; 'id~1~REGEX' slices by a part of the values\."):
        tercet.compare(read(table, "id~1"), "chrf", by="id~1")
    comparison = tercet.compare(read(table, r"id~1~^(\w+)-"), "chrf", by=r"id~1~^(\w+)-")
    assert [slices.names for slices in comparison.slices] == [["ted", "wmt"]]


def test_every_format_shows_slices(table, tmp_path):
    def shown(form, *options):
        return command(
            "compare", table, "-m", "chrf", "--by", "domain", "--by", "length", "-f", form, *options
        ).stdout

    comparison = tercet.compare(read(table, ["domain", "topic"]), "chrf", by=["domain", "length"])
    domains, lengths = sections_of(comparison)
    (made,) = json.loads(shown("json"))["test_sets"][0]["tables"]
    assert made["slices"] == domains.value + lengths.value
    for form in ("text", "markdown", "latex", "html"):
        text = shown(form)
        assert {part for part in ("domain", "news", "better in", "4–6 words") if part not in text} == set()
    assert 'name="slice1"' in shown("html")
    sheets = {sheet.title: sheet for sheet in sheets_of([comparison])}
    assert [column.title for column in sheets["Slices"].columns][3:5] == ["domain", "segments"]
    assert sheets["Slices 2"].n_rows == 5
    command("compare", table, "-m", "chrf", "--by", "domain", "-o", tmp_path / "out.xlsx")


def test_columns_of_logs(tmp_path):
    for run, answers in {"A": [1, 0, 1, 1], "B": [0, 0, 1, 0]}.items():
        (tmp_path / run).mkdir()
        samples = [
            {
                "doc_id": number, "doc": {"subject": "law" if number < 2 else "math"}, "target": "yes",
                "arguments": [["q", {"until": ["."]}]], "resps": [["yes"]], "filtered_resps": ["yes"],
                "filter": "none", "metrics": ["acc"], "acc": answer,
            }
            for number, answer in enumerate(answers)
        ]  # fmt: skip
        path = tmp_path / run / "samples_toy_2026-01-01T00-00-00.000000.jsonl"
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    made = command(
        "compare", tmp_path / "A", tmp_path / "B", "--scores", "acc", "--by", "doc.subject", "-f", "json"
    )  # fmt: skip
    (table,) = json.loads(made.stdout)["test_sets"][0]["tables"]
    assert [(row["slice"], [cell["value"] for cell in row["systems"]]) for row in table["slices"]] == [
        ("law", [50, 0]), ("math", [100, 50]),
    ]  # fmt: skip


def test_texts_without_columns_have_lengths(tmp_path):
    for name, texts in {**TWO, "ref": REFERENCES}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    files = [tmp_path / "base.txt", tmp_path / "tuned.txt"]
    arguments = ("compare", *files, "-r", tmp_path / "ref.txt", "-m", "chrf", "--by")
    assert "Slices by length of the reference" in command(*arguments, "length").stdout
    assert "'domain' is the name of a column" in command(*arguments, "domain", code=2).stderr


def test_names_of_slices_are_shown_as_they_are():
    labels = ["<b>&|$x_{1}$\x1b[1m\u202e" if domain == "chat" else "[red]ニュース" for domain in DOMAINS]
    comparison = compared(by={"[b]<i>do\nmain": labels})
    page, text = comparison.to_html(), to_text([comparison])
    assert not re.search("<b>&|<i>do", page)
    assert not re.search("\x1b|\u202e", text)
    assert "[red]ニュース" in text
    halves = compared(by={"do\ud800main": ["\ud800", "b"] * 45})
    assert section_of(halves).title == "Slices by do\\ud800main"
    for form in ("json", "markdown", "latex"):
        assert in_format([halves], form).encode()


@pytest.mark.long
def test_one_of_twenty_families_of_slices_has_a_false_alarm():
    rng, labels = np.random.default_rng(11), ["a"] * 60 + ["b"] * 40 + ["c"] * 20
    n_alarms = 0
    for _ in range(300):
        items = rng.normal(size=120)
        base, tuned = (items + rng.normal(size=(2, 120))).tolist()
        comparison = tercet.compare(
            scores={"COMET": {"base": base, "tuned": tuned}}, by={"part": labels}, n_resamples=999
        )
        rows = section_of(comparison).value
        n_alarms += min(row["systems"][1]["adjusted_pvalue"] for row in rows) < 0.05
    assert 0.03 <= n_alarms / 300 <= 0.07


def test_a_system_that_is_called_like_the_score_keeps_its_name_in_the_sheet():
    systems = {"chrf": SYSTEMS["base"], "tuned": SYSTEMS["tuned"]}
    comparison = tercet.compare(systems, "chrf", references=REFERENCES, by={"domain": DOMAINS}, n_resamples=100)
    (sheet,) = (sheet for sheet in sheets_of([comparison]) if sheet.title == "Slices")
    assert [column.title for column in sheet.columns][3:7] == ["domain", "segments", "chrf", "tuned"]
