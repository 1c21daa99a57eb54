"""The report of a correlation: the answer first, readable at any width, and nothing of the texts acts in it."""

import re

import numpy as np
import pytest

import tercet
from conftest import ROOT
from tercet.correlation.figures import FIGURES
from tercet.correlation.grades import GradeRow, Grades
from tercet.correlation.tables import answer_lines
from tercet.report.correlation import trust_html
from tercet.table_formats import pvalue_text

FEW = {"n_resamples": 20, "n_permutations": 200}
GRADED = ROOT / "examples" / "data" / "graded.tsv"
METRICS = ["bleu", "jaccard", "rouge:rouge_types=rouge1+rougeL,tokenizer=unicode", "ter"]

#: Words of headers that stand on several lines; a word may be split at a hyphen.
UNREADABLE = """() => {
    const boxes = (node, start, end) => {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, end);
        return new Set([...range.getClientRects()].map(each => Math.round(each.top)));
    };
    const found = [];
    for (const place of document.querySelectorAll("th")) {
        const nodes = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (nodes.nextNode()) {
            for (const word of nodes.currentNode.data.matchAll(/[^\\s_-]+/g)) {
                const lines = boxes(nodes.currentNode, word.index, word.index + word[0].length);
                if (lines.size > 1) found.push(word[0]);
            }
        }
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
    assert table.remarks[0].replace("item.acc_eq", FIGURES["item.acc_eq"].title) in page
    assert page == trust_html(found, command="tercet correlate")
    assert not re.findall(r"(?:src|href)=\"(?!data:,|#)", page)
    assert "<script" not in page


def test_the_overview_has_a_dot_of_each_metric_and_dimension_below_the_answers(shown, found):
    overview, titles = shown.locator("table.overview"), found.titles()
    ranks = {label: sum(table.ranking.index(label) for table in found.tables) for label in titles}
    labels = sorted(titles, key=ranks.__getitem__)
    assert overview.locator("tbody th").all_inner_texts() == [titles[label] for label in labels]
    assert overview.locator("thead a").all_inner_texts() == [table.dimension for table in found.tables]
    for label, row in zip(labels, overview.locator("tbody tr").all(), strict=True):
        for table, cell in zip(found.tables, row.locator("td").all(), strict=True):
            value = table.figures[label][table.rank_by].value
            assert cell.inner_text().replace("−", "-") == f"{value:.3f}"
            assert cell.locator("path").count() == 1
            worse = table.significance(table.ranking[0], label, 0.05)
            mark = "best" if label == table.ranking[0] else "hollow" if worse else "filled"
            assert cell.get_attribute("class") == f"figure {mark}"
    answer, note = shown.locator(".answer").last.bounding_box(), shown.locator("main > .note").last.bounding_box()
    assert answer["y"] + answer["height"] <= overview.bounding_box()["y"] < note["y"]


def test_four_dimensions_fit_on_a_telephone(browser, tmp_path):
    grades = ("coherence", "consistency", "fluency", "relevance")
    rng = np.random.default_rng(1)
    systems = {name: ["a cat", "it rains", "yes", "no"] for name in "ABC"}
    values = {name: {system: rng.integers(1, 6, 4).tolist() for system in systems} for name in grades}
    scores = {f"ROUGE-{name}": {system: rng.random(4).tolist() for system in systems} for name in ("Lsum", "SU4")}
    found = tercet.correlate(systems, [], values, references=["a cat"] * 4, scores=scores, **FEW)
    (tmp_path / "page.html").write_text(trust_html(found), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "page.html").as_uri())
    overview = page.get_by_role("group", name="overview")
    assert overview.evaluate("each => each.scrollWidth - each.clientWidth") == 0
    page.close()


def test_the_answers_of_all_dimensions_come_before_their_figures_and_lead_to_them(shown, found):
    answers = shown.locator(".answer").all_inner_texts()
    assert len(answers) == len(found.tables) == 2
    for text, table in zip(answers, found.tables, strict=True):
        lines = " ".join(answer_lines(found, table)).replace(table.rank_by, FIGURES[table.rank_by].title)
        assert text.split() == [*lines.split(), "Figures", "and", "tests:", table.dimension]
    first_figure = shown.locator("section table").first.bounding_box()["y"]
    assert all(box.bounding_box()["y"] < first_figure for box in shown.locator(".answer").all())
    shown.locator(".answer").get_by_role("link", name=found.tables[1].dimension).click()
    assert shown.locator("section:target h2").inner_text() == found.tables[1].dimension


def test_each_figure_of_each_metric_is_a_number_a_dot_and_an_interval_and_is_defined_once(shown, found):
    titles, names = found.titles(), {figure.title: name for name, figure in FIGURES.items()}
    for section, table in zip(shown.locator("main section:has(table)").all(), found.tables, strict=True):
        figures = section.locator("table").first
        heads = [head.replace("\N{NON-BREAKING HYPHEN}", "-") for head in figures.locator("a").all_inner_texts()]
        assert names[heads[0]] == table.rank_by
        for label, row in zip(table.ranking, figures.locator("tbody tr").all(), strict=True):
            assert row.locator("th").inner_text() == titles[label]
            for head, cell in zip(heads, row.locator("td.figure").all(), strict=True):
                figure = table.figures[label][names[head]]
                numbers = [f"{number:.3f}".replace("-", "−") for number in (figure.value, figure.low, figure.high)]
                assert cell.inner_text().split() == [numbers[0], numbers[1], "–", numbers[2]]
                assert cell.locator("path").count() == 1
        best = table.ranking[0]
        worse = ["hollow" if table.significance(best, label, 0.05) else "filled" for label in table.ranking]
        marks = figures.locator("td:nth-child(2)").evaluate_all("cells => cells.map(cell => cell.classList[1])")
        assert marks == ["best", *worse[1:]]
        defined = shown.locator("dt").all_inner_texts()
        assert sorted(defined) == sorted({*defined} & {*heads}) == sorted(heads)
        links = figures.locator("thead a").evaluate_all("links => links.map(link => link.hash.slice(1))")
        assert all(shown.locator(f"[id='{link}']").count() == 1 for link in links)


def test_prose_calls_figures_as_the_tables_do(found):
    page = trust_html(found)
    assert page.count("item.acc_eq") == page.count("f-item.acc_eq") + page.count("<code>item.acc_eq</code>")


def test_a_row_says_how_it_compares_with_the_columns_as_in_a_comparison(shown, found):
    for section, table in zip(shown.locator("main section:has(table)").all(), found.tables, strict=True):
        rows = section.get_by_role("group", name="tests between metrics").locator("tbody tr")
        for one, row in enumerate(table.ranking):
            cells = rows.nth(one).locator("td").all_inner_texts()
            for other, column in enumerate(table.ranking):
                mark = {"better": "▲ ", "worse": "▼ ", "": ""}[table.significance(row, column, 0.05)]
                p = pvalue_text(min(table.adjusted_p(row, column), table.adjusted_p(column, row)))
                expected = "–" if one == other else f"{mark}{p.lstrip('0')}"
                assert cells[other].replace("\N{NO-BREAK SPACE}", " ") == expected
    assert "▲" in "".join(shown.locator("td").all_inner_texts())


def test_on_a_telephone_nothing_is_wider_than_the_page_and_no_word_of_a_header_is_split(shown):
    shown.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width in (390, 320, 1280):
        shown.set_viewport_size({"width": width, "height": 844})
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        if width != 320:
            assert shown.evaluate(UNREADABLE) == []


def test_long_names_and_a_sheet_of_paper_leave_no_table_wider_than_the_page(browser, tmp_path):
    names = ("W" * 80, "م" * 40, "a metric of twenty words " * 4)
    rng = np.random.default_rng(1)
    systems = {name: ["a cat", "it rains", "yes", "no"] for name in "ABC"}
    grades = {"N" * 80: {system: rng.integers(1, 6, 4).tolist() for system in systems}}
    scores = {name: {system: rng.random(4).tolist() for system in systems} for name in names}
    found = tercet.correlate(systems, [], grades, references=["a cat"] * 4, scores=scores, **FEW)
    (tmp_path / "page.html").write_text(trust_html(found), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    wide = "() => [...document.querySelectorAll('.scroll')].map(each => each.scrollWidth - each.clientWidth)"
    assert max(page.evaluate(wide)) == 0
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 between its margins
    page.emulate_media(media="print")
    assert max(page.evaluate(wide)) == 0
    page.close()


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


def test_plots_and_worst_outputs_are_of_the_grades_that_the_figures_are_of():
    # Rater x, who graded the first two items alone, says 100 where y says 5.
    rows = []
    for system, grades in (("A", [5, 4, 2, 1]), ("B", [3, 5, 1, 2])):
        rows += [GradeRow("form", "y", system, item, grade) for item, grade in enumerate(grades)]
        rows += [GradeRow("form", "x", system, item, 20 * grade) for item, grade in enumerate(grades[:2])]
    grades = Grades.of_rows(rows, ["A", "B"], 4)
    scores = {"x": {"A": [4, 3, 2, 1], "B": [3, 4, 1, 2]}}
    texts = {"A": ["a"] * 4, "B": ["b"] * 4}
    for standardize, title in ((False, "grade"), (True, "z-score of the grade")):
        given = {"references": ["a"] * 4, "scores": scores, "standardize": standardize}
        page = trust_html(tercet.correlate(texts, [], grades, **given, **FEW))
        human = grades.mean("form", standardize=standardize)
        described = re.findall(r"Mean grade and mean score of each system: ([-\d.]+) and", page)
        assert described == [f"{human[0].mean():.2f}"]
        for system, item in np.ndindex(human.shape):
            shown = re.search(
                rf"Item {item + 1}, <bdi>{'AB'[system]}</bdi></h4>.*?<p>{title} (\S+) ", page, re.DOTALL
            )
            assert shown is None or shown[1] == f"{human[system, item]:.2f}"
        assert page.count(f"<p>{title} ") == 6


def test_many_outputs_are_counted_in_hexagons():
    rng = np.random.default_rng(1)
    grades, scores = ({name: rng.normal(size=300).tolist() for name in "AB"} for _ in range(2))
    given = {"references": ["a"] * 300, "scores": {"x": scores}, "rank_by": "pooled.pearson"}
    found = tercet.correlate({name: ["a"] * 300 for name in "AB"}, [], grades, **given, **FEW)
    assert len(trust_html(found)) < 200_000
