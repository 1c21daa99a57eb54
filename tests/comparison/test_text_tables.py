"""The tables of a terminal: all scores first, in as many tables as the width asks for, and nothing cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from own_metric import Words
from samples import sample
from tercet import Column, compare
from tercet.base.options import option
from tercet.comparison.shown import terminal
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.names_as_shown import one_cell

SETS = list(map(sample, ("en", "es")))


@pytest.fixture(scope="module")
def found():
    metrics = ["bleu", "chrf", "ter", "rouge:rouge_types=rouge1+rouge2+rougeL,output=all"]
    return [compare(each, metrics, n_resamples=20) for each in SETS]


def summary(text):
    """Return the cells of the tables before the details, by system and head."""
    cells, head = {}, []
    for line in text.split("\nen: BLEU")[0].splitlines():
        words = re.split(r" {2,}", line.strip())
        if "system" in words:
            head, name = words[words.index("system") + 1 :], None
        elif len(words) > len(head) and head and not words[0].startswith("─"):
            *named, system = words[: -len(head)]
            name = named[0] if named else name
            cells |= {(name, system, score): cell for score, cell in zip(head, words[-len(head) :], strict=True)}
    return cells


def test_all_scores_come_first_with_their_marks(found):
    expected = {
        (each.test_set.name, row.system, table.name if table.higher_is_better else f"{table.name} ↓"):
            f"{row.value:.2f}{'*' if row.best else '†' if row.as_good else ''}"
        for each in found for table in each.tables for row in table.rows
    }  # fmt: skip
    for width in [45, 60, 80, 120, 200]:
        text = to_text(found, width=width, wraps=True)
        assert summary(text[text.index("All scores") :]) == expected
        head = text.split("\nen: BLEU")[0]
        assert max(map(cell_len, head.splitlines())) <= max(width, 46)


def test_one_score_needs_no_summary_and_one_test_set_is_in_its_title(found):
    assert "All scores" not in to_text([compare(SETS[0], ["bleu"], test=None)], width=100)
    assert "\n\nAll scores of en " in to_text(found[:1], width=100)
    assert to_text(found, width=200).count("All scores") == 1 < to_text(found, width=60).count("All scores")


def test_what_names_share_is_sought_once_and_not_in_each_row(found, monkeypatch):
    """It looks at all names: 1,000 systems have a million."""
    asked = []
    monkeypatch.setattr(terminal, "short_names", lambda names: asked.append(names) or {name: name for name in names})
    to_text(found)
    assert len(asked) == len(found)


def test_the_legend_stands_once_where_it_is_the_same():
    same = [compare(each, ["bleu", "ter"], test=None) for each in SETS]
    assert to_text(same).count("*: the best") == 1
    other = [same[0], compare(SETS[1], ["bleu", "ter"], n_resamples=9)]
    lines = [line for line in to_text(other).splitlines() if "*: the best" in line]
    assert [line.split(":")[0] for line in lines] == ["en", "es"]


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40).filter(
    lambda name: name.strip()
)


@settings(max_examples=40)
@given(st.lists(names, min_size=1, max_size=4, unique=True), st.integers(30, 150))
def test_any_name_fits_and_every_value_is_there(systems, width):
    texts = {name: ["a cat sat on a mat", f"a dog {'too ' * number}"] for number, name in enumerate(systems)}
    comparison = compare(texts, ["chrf", "ter"], references=["a cat sat on the mat", "a dog"], test=None)
    head = to_text([comparison], width=width, wraps=True).split("\ntest set: ")[0]
    assert max(map(cell_len, head.splitlines())) <= max(width, 60)
    assert all(f"{row.value:.2f}" in head for table in comparison.tables for row in table.rows)


class ByModel(Words):
    """Words, as if a model counted them."""

    name, title = "by_model", "Words"

    model: str = option(default="", doc="The path of a model.", check=str)


def test_long_paths_are_shortened_in_headings_where_they_stay_different():
    for path, other in pairwise(["/data/one/model", "some/other/best", "third/of/best"]):
        found = compare(SETS[0], [ByModel(model=path), ByModel(model=other)], test=None)
        shown = ["…/model", "…/best"] if path.endswith("model") else [path, other]
        assert list(found.metric_labels().values()) == [f"by_model:model={each}" for each in shown]
        assert list(found.options().values()) == [f"model={each}" for each in shown]
        assert f"en:Words(model={shown[0]})" in "".join(to_text([found]).split())


@pytest.mark.parametrize("path", ["model", "a/model", "hf://owner/name/model", "a/b/"])
def test_what_is_no_long_path_stays_as_it_is(path):
    assert list(compare(SETS[0], ByModel(model=path), test=None).options().values()) == [f"model={path}"]


def test_headings_have_options_as_the_command_takes_them():
    options = "rouge_types=rouge1+rougeL,use_stemmer=true"
    found = compare(SETS[0], f"rouge:{options}", test=None)
    assert f"en:ROUGE-1({options})" in "".join(to_text([found]).split())


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_colon_in_the_name_of_a_column_begins_no_options(better):
    numbers = {"base": [0.5, 0.25, 0.125], "tuned": [0.5, 0.5, 0.75]}
    found = compare(scores={Column("COMET:22", better=better): numbers}, test=None)
    shown = "(better=lower)" if better == "lower" else ""
    assert f"testset:COMET:22{shown}system" in "".join(re.sub(r"[^\w:()=]", "", to_text([found])).split())


WMT = [f"newstest2017.{name}.en-de" for name in ("uedin-nmt.4722", "LMU-nmt-reranked.4934", "online-A.0", "xmu.4910")]


def called(names, **settings):
    rows = [f"row {row} of a text that is long enough for each order of {row}" for row in "abcdefghijkl"]
    texts = {name: [" ".join(row.split()[: 14 - number]) for row in rows] for number, name in enumerate(names)}
    resamples = {} if "test" in settings else {"n_resamples": 200}
    return compare(texts, ["bleu", "chrf"], references=rows, **resamples, **settings)


def test_the_verdict_comes_first_and_names_are_those_of_the_report():
    text = to_text([called(WMT[::-1])], width=100)
    assert text.startswith("xmu.4910 is best in both metrics.")
    assert "newstest2017" not in text
    assert [name for name in re.findall(r"^  (\S+)  .*$", text, re.MULTILINE) if "." in name][:4] == [
        "xmu.4910", "online-A.0", "LMU-nmt-reranked.4934", "uedin-nmt.4722",
    ]  # fmt: skip
    assert "permutation test against xmu.4910," in text


def test_systems_are_sorted_by_the_first_score_with_or_without_a_test():
    for test in ("permutation", None):
        lines = to_text([called(["c", "a", "b"], test=test)]).splitlines()
        names = [words[0] for words in map(str.split, lines) if words[:1] and words[0] in ("a", "b", "c")]
        assert names[1:4] == ["c", "a", "b"]  # behind the verdict
    assert "a has the best" in to_text([compare({"b": ["x y"], "a": ["x y z"]}, "chrf", references=["x y z"])])


def test_a_line_is_broken_between_words_only_and_a_name_at_its_joints():
    names = [f"{number}-of-a-model_with-a-long-name.and-version" for number in range(3)]
    for width in (50, 100):
        text = to_text([called([*names, "b"])], width=width, wraps=True)
        pieces = {piece for name in names for piece in re.findall("[^-._]+[-._]?", name)}
        tables = text[text.index("All scores") : text.index("\nbleu_multi|")]
        assert all(len(line) <= width for line in tables.splitlines())
        for line in tables.splitlines():
            if "-" in line and not re.search("[;:]|[-–] ", line):
                assert not set(re.findall("[a-z]+[-._]", line)) - pieces
        words = {word for line in text.splitlines() for word in line.split()}
        assert {"significantly", "resamples,", "bootstrap", "adjusted"} <= words


def test_names_that_are_alike_where_messages_cut_them_are_compared():
    names = [f"{'long ' * 60}{number}" for number in range(2)]
    assert [row.system for row in called(names).tables[0].rows] == names


def test_plain_text_has_all_columns_whole_names_and_nothing_drawn():
    comparison = called([f"{'long ' * 20}{number}" for number in range(2)] + WMT)
    text = to_text([comparison], width=20, plain=True)
    assert text == to_text([comparison], width=500, plain=True)
    assert not re.search("[\x1b\u2500-\u257f]", text)
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert text.count("wins/ties/losses") == 2
    for table in comparison.tables:
        for row in table.rows:
            assert f"{one_cell(row.system)}" in text
    heads = [line for line in text.splitlines() if "wins/ties/losses" in line]
    assert re.split(" {2,}", heads[0].strip())[:4] == ["rank", "system", "bleu", "95 %"]


def test_markdown_has_the_sentences_of_a_terminal(found):
    for sets in (found[:1], found):
        document = in_format(sets, "markdown")
        for each in sets:
            assert to_text([each], width=400).splitlines()[0] in document
