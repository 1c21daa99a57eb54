"""The report of a correlation: it holds what was found, and nothing of the texts acts in it."""

import re

import numpy as np

import tercet
from conftest import ROOT
from tercet.trust.page import trust_html

FEW = {"n_resamples": 20, "n_permutations": 50}


def test_it_shows_ranking_tests_plots_and_what_is_most_wrong():
    graded = ROOT / "examples" / "data" / "graded.tsv"
    found = tercet.correlate(graded, ["bleu", "jaccard"], dimension="content", **FEW)
    page = trust_html(found, command="tercet correlate")
    (table,) = found.tables
    for figures in table.figures.values():
        assert f"{figures['item.acc_eq'].value:.3f}" in page
    assert (page.count("<svg"), page.count("<article>")) == (2, 6)
    assert "Krippendorff" in page
    assert table.remarks[0].split("'")[0] in page
    assert page == trust_html(found, command="tercet correlate")
    assert not re.findall(r"(?:src|href)=\"(?!data:,|#)", page)
    assert "<script" not in page


def test_names_and_texts_of_others_are_only_text():
    bad = "<script>alert(1)</script>"
    texts = {bad: [f"{bad} a cat", "it rains", "yes"], "B": ["a dog", "it rained", "no"]}
    grades = {"<b>form</b>": {bad: [5, 4, 3], "B": [1, 2, None]}}
    scores = {bad: {bad: [1, 2, 3], "B": [1, 1, 0]}}
    found = tercet.correlate(texts, [], grades, references=[bad, "it rains", "yes"], scores=scores, **FEW)
    page = trust_html(found)
    assert "<script" not in page
    assert "<b>form" not in page
    assert "&lt;script&gt;" in page


def test_many_outputs_are_counted_in_hexagons():
    rng = np.random.default_rng(1)
    grades, scores = ({name: rng.normal(size=300).tolist() for name in "AB"} for _ in range(2))
    given = {"references": ["a"] * 300, "scores": {"x": scores}, "rank_by": "pooled.pearson"}
    found = tercet.correlate({name: ["a"] * 300 for name in "AB"}, [], grades, **given, **FEW)
    assert len(trust_html(found)) < 200_000
