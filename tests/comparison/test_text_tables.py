"""The tables of a terminal: all scores first, in as many tables as the width asks for, and nothing cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from samples import sample
from tercet import compare
from tercet.comparison.tables import to_text

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
        text = to_text(found, width=width)
        assert summary(text) == expected
        head = text.split("\nen: BLEU")[0]
        assert max(map(cell_len, head.splitlines())) <= max(width, 46)


def test_one_score_needs_no_summary_and_one_test_set_is_in_its_title(found):
    assert "All scores" not in to_text([compare(SETS[0], ["bleu"], test=None)], width=100)
    assert to_text(found[:1], width=100).startswith("All scores of en ")
    assert to_text(found, width=200).count("All scores") == 1 < to_text(found, width=60).count("All scores")


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
    head = to_text([comparison], width=width).split("\ntest set: ")[0]
    assert max(map(cell_len, head.splitlines())) <= max(width, 60)
    assert all(f"{row.value:.2f}" in head for table in comparison.tables for row in table.rows)


def test_long_paths_are_shortened_in_headings_where_they_stay_different(tmp_path):
    paths = [tmp_path / "one" / "model", tmp_path / "other" / "model", tmp_path / "third"]
    comparison = compare(SETS[0], ["bleu", "bleu:scale=1"], test=None)
    tables = comparison.tables
    for path, other in pairwise(paths):
        for table, at in zip(tables, (path, other), strict=True):
            object.__setattr__(table, "metric", f"bertscore_idf:model_type={at},idf=false")
        labels = list(comparison.metric_labels().values())
        if path.name != other.name:
            assert labels == [f"bertscore_idf:model_type=…/{each.name},idf=false" for each in (path, other)]
        else:
            assert labels == [table.metric for table in tables]
    assert f"en:BLEU({labels[0].partition(':')[2]})" in "".join(to_text([comparison]).split())
