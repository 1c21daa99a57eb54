"""The report of a correlation: the answer first, readable at any width, and nothing of the texts acts in it."""

import re

import numpy as np
import pytest

import tercet
from conftest import ROOT
from tercet.correlation.coefficients import FIGURES
from tercet.correlation.result import answer_lines
from tercet.report.correlation import trust_html
from tercet.tables import pvalue_text

FEW = {"n_resamples": 20, "n_permutations": 200}
GRADED = ROOT / "examples" / "data" / "graded.tsv"
METRICS = ["bleu", "jaccard", "rouge:rouge_types=rouge1+rougeL,tokenizer=unicode", "ter"]

#: Words of headers that stand on several lines, and texts of axes that overlap; a word may be split at a hyphen.
UNREADABLE = """() => {
    const boxes = (node, start, end) => {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, end);
        return new Set([...range.getClientRects()].map(each => Math.round(each.top)));
    };
    const found = [];
    for (const place of document.querySelectorAll("th, .dots .title, .dots .axis span")) {
        const nodes = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (nodes.nextNode()) {
            for (const word of nodes.currentNode.data.matchAll(/[^\\s_-]+/g)) {
                const lines = boxes(nodes.currentNode, word.index, word.index + word[0].length);
                if (lines.size > 1) found.push(word[0]);
            }
        }
    }
    for (const chart of document.querySelectorAll(".dots")) {
        const labels = [...chart.querySelectorAll(".axis span")].map(each => [each.getBoundingClientRect(), each]);
        labels.sort((one, other) => one[0].left - other[0].left);
        labels.slice(1).forEach(([box, each], place) => {
            if (labels[place][0].right > box.left) found.push(`${labels[place][1].textContent} ${each.textContent}`);
        });
    }
    return found;
}"""


@pytest.fixture(scope="module")
def found():
    return tercet.correlate(GRADED, METRICS, **FEW)


@pytest.fixture(scope="module")
def shown(browser, found, tmp_path_factory):
    path = tmp_path_factory.mktemp("trust") / "page.html"
    path.write_text(trust_html(found), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    yield page
    page.close()


def test_it_shows_answer_figures_tests_plots_and_what_is_most_wrong():
    found = tercet.correlate(GRADED, ["bleu", "jaccard"], dimension="content", **FEW)
    page = trust_html(found, command="tercet correlate")
    (table,) = found.tables
    for figures in table.figures.values():
        assert f"{figures['item.acc_eq'].value:.3f}" in page
    assert (page.count('class="plot"'), page.count("<article>")) == (2, 6)
    assert "Krippendorff" in page
    assert table.remarks[0] in page
    assert page == trust_html(found, command="tercet correlate")
    assert not re.findall(r"(?:src|href)=\"(?!data:,|#)", page)
    assert "<script" not in page


def test_the_answers_of_all_dimensions_come_before_any_figure_and_lead_to_theirs(shown, found):
    answers = shown.locator(".answer").all_inner_texts()
    assert len(answers) == len(found.tables) == 2
    for text, table in zip(answers, found.tables, strict=True):
        assert text.split() == [
            *" ".join(answer_lines(found, table)).split(),
            "Figures",
            "and",
            "tests:",
            table.dimension,
        ]
    first_figure = shown.locator(".dots, table").first.bounding_box()["y"]
    assert all(box.bounding_box()["y"] < first_figure for box in shown.locator(".answer").all())
    shown.get_by_role("link", name=found.tables[1].dimension).click()
    assert shown.locator("section:target h2").inner_text() == found.tables[1].dimension


def test_each_figure_has_a_dot_with_its_interval_for_each_metric_and_is_defined_once(shown, found):
    titles = found.titles()
    for section, table in zip(shown.locator("main section:has(.dots)").all(), found.tables, strict=True):
        shown_figures = 0
        for chart in section.locator(".dots").all():
            for column in chart.get_attribute("aria-label").split("; "):
                title, _, rows = column.replace("\N{NON-BREAKING HYPHEN}", "-").partition(": ")
                (name,) = (name for name, figure in FIGURES.items() if figure.title == title)
                values = [(titles[label], table.figures[label][name]) for label in table.ranking]
                assert rows == ", ".join(
                    f"{called} {each.value:.4g} ({each.low:.4g} to {each.high:.4g})" for called, each in values
                )
                shown_figures += 1
        assert section.locator("thead").first.locator("th").count() == 2 + shown_figures
        marks = section.locator(".dots").first.locator("g").evaluate_all("all => all.map(each => each.classList[0])")
        best, *others = table.ranking
        worse = ["hollow" if table.significance(best, label, 0.05) else "filled" for label in others]
        assert marks[::2] == ["best", *worse]  # of the figure that was tested, the first of two
    defined = [text.partition(" (")[0] for text in shown.locator("figcaption p").all_inner_texts()]
    assert len(defined) == len({*defined}) == shown_figures


def test_a_row_says_how_it_compares_with_the_columns_as_in_a_comparison(shown, found):
    for section, table in zip(shown.locator("main section:has(.dots)").all(), found.tables, strict=True):
        rows = section.get_by_role("group", name="tests between metrics").locator("tbody tr")
        for one, row in enumerate(table.ranking):
            cells = rows.nth(one).locator("td").all_inner_texts()
            for other, column in enumerate(table.ranking):
                mark = {"better": "▲ ", "worse": "▼ ", "": ""}[table.significance(row, column, 0.05)]
                p = pvalue_text(min(table.adjusted_p(row, column), table.adjusted_p(column, row)))
                assert cells[other].replace("\N{NO-BREAK SPACE}", " ") == ("" if one == other else f"{mark}{p}")
    assert "▲" in "".join(shown.locator("td").all_inner_texts())


def test_on_a_telephone_nothing_is_wider_than_the_page_and_no_word_of_a_header_is_split(shown):
    shown.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width in (390, 320, 1280):
        shown.set_viewport_size({"width": width, "height": 844})
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        if width != 320:
            assert shown.evaluate(UNREADABLE) == []


def test_a_signature_stands_there_once(found):
    page = trust_html(found)
    assert [page.count(signature) for signature in found.signatures()] == [1] * 4


def test_names_and_texts_of_others_are_only_text():
    bad = "<script>alert(1)</script>"
    texts = {bad: [f"{bad} a cat", "it rains", "yes"], "B": ["a dog", "it rained", "no"]}
    grades = {"<b>form</b>": {bad: [5, 4, 3], "B": [1, 2, None]}}
    scores = {bad: {bad: [1, 2, 3], "B": [1, 1, 0]}}
    found = tercet.correlate(texts, [], grades, references=[bad, "it rains", "yes"], scores=scores, **FEW)
    for shown in (trust_html(found), found._repr_html_()):
        assert "<script" not in shown
        assert "<b>form" not in shown
        assert "&lt;script&gt;" in shown


def test_many_outputs_are_counted_in_hexagons():
    rng = np.random.default_rng(1)
    grades, scores = ({name: rng.normal(size=300).tolist() for name in "AB"} for _ in range(2))
    given = {"references": ["a"] * 300, "scores": {"x": scores}, "rank_by": "pooled.pearson"}
    found = tercet.correlate({name: ["a"] * 300 for name in "AB"}, [], grades, **given, **FEW)
    assert len(trust_html(found)) < 200_000
