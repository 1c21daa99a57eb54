"""The reports as people use them: contents and filters in a real browser, with and without script, and axe-core."""

from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe

import tercet
from conftest import ROOT
from samples import sample
from tercet.comparison.compare import compare
from tercet.pages.page import to_html
from tercet.trust.page import trust_html

TEXT_METRICS = ("bleu_multi", "chrf_multi", "ter", "rouge_nlws:rouge_types=rouge1", "bleu_rouge_f", "jaccard_sets")


def shortened(language, n):
    found = sample(language)
    systems = {name: texts[:n] for name, texts in found.systems.items()}
    return replace(found, systems=systems, references=found.references[:n], source=found.source[:n])


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of a test set, of a few segments by all metrics of texts, of two test sets, and of a correlation."""
    folder = tmp_path_factory.mktemp("reports")
    one = compare(shortened("en", 20), ["bleu", "chrf"], n_resamples=50)
    few = compare(shortened("en", 4), TEXT_METRICS, n_resamples=50)
    several = [
        compare(shortened(language, 6), ["bleu:tokenizer=unicode", "chrf"], n_resamples=50)
        for language in ("es", "zh")
    ]
    trust = tercet.correlate(
        ROOT / "examples" / "data" / "graded.tsv", ["bleu", "jaccard"], dimension="content", n_resamples=20,
        n_permutations=50,
    )  # fmt: skip
    pages = {"one": to_html([one]), "few": to_html([few]), "several": to_html(several), "trust": trust_html(trust)}
    for name, text in pages.items():
        (folder / name).with_suffix(".html").write_text(text, encoding="utf-8")
    return folder


def shown(browser, reports, name, **settings):
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **settings})
    page.goto((reports / f"{name}.html").as_uri())
    return page


LIGHT, DARK = ("light", 1280), ("dark", 390)


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        *[("few", *LIGHT), ("few", *DARK), ("several", *LIGHT), ("trust", *DARK)],
        *(pytest.param(*each, marks=pytest.mark.long) for each in [("several", *DARK), ("trust", *LIGHT)]),
        *(pytest.param(name, "light", 390, marks=pytest.mark.long) for name in ("few", "several", "trust")),
        *(pytest.param(name, "dark", 1280, marks=pytest.mark.long) for name in ("few", "several", "trust")),
    ],
)
def test_axe_finds_nothing(browser, reports, name, scheme, width):
    page = shown(browser, reports, name, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"][:3]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


@pytest.mark.parametrize("name", ["one", "several"])
def test_the_contents_lead_to_every_part(browser, reports, name):
    page = shown(browser, reports, name)
    links = page.locator("nav[aria-label=contents] a")
    names = links.all_text_contents()
    assert names[-4:] == ["Words", "N-grams", "Segments", "Signatures"]
    assert ("zh" in names) == (name == "several")
    headings = page.evaluate("""() => [...document.querySelectorAll("nav a")].map(link =>
        document.getElementById(link.getAttribute("href").slice(1)).textContent.trim().split("\\n")[0])""")
    for link, heading in zip(names, headings, strict=True):
        assert link.split()[0].lower() in heading.lower(), heading
    links.last.click()
    assert page.evaluate("location.hash") == f"#t{1 if name == 'one' else 2}-repeat"
    page.close()


def test_the_first_score_of_each_metric_is_open_and_the_others_closed(browser, reports):
    page = shown(browser, reports, "few")
    open_ = [each for each in page.locator("h4:visible").all_text_contents() if " " not in each]
    tables = page.locator("caption", has_text="of each system").all_text_contents()
    shown_tables = page.locator("table:visible > caption", has_text="of each system").all_text_contents()
    assert shown_tables == [f"{name} of each system" for name in
                            ("bleu", "chrf", "ter", "rouge1", "bleu_rouge_f", "jaccard")]  # fmt: skip
    assert len(tables) > len(shown_tables)
    assert "jaccard_micro" in open_
    page.close()


class Segments:
    """The list of segments on a page, with its filters."""

    def __init__(self, page, which=0):
        self.section = page.locator("details.segments").nth(which)
        self.section.locator("summary").click()

    def numbers(self):
        """Return the segments that can be seen."""
        headings = self.section.locator("article:visible h5").all_text_contents()
        return sorted(int(each.split()[-1]) for each in headings)

    def give(self, **values):
        for name, value in values.items():
            self.section.locator(f"[name={name}]").fill(value)

    @property
    def status(self):
        return self.section.get_by_role("status").text_content()


def words(texts):
    return round(sum(len(text.split()) for text in texts) / len(texts))


def test_segments_are_found_by_their_text_and_by_their_length(browser, reports):
    test_set = shortened("en", 20)
    page = shown(browser, reports, "one")
    segments = Segments(page)
    assert segments.numbers() == list(range(1, 21))
    assert segments.status == "20 of 20 segments shown."
    texts = [
        " ".join([*references, source, *(each[place] for each in test_set.systems.values())]).lower()
        for place, (references, source) in enumerate(zip(test_set.references, test_set.source, strict=True))
    ]
    expected = [place for place, text in enumerate(texts, 1) if "the c" in text]
    segments.give(text="  THE  C")
    assert 0 < len(expected) < 20
    assert segments.numbers() == expected
    assert segments.status == f"{len(expected)} of 20 segments shown."
    segments.give(text="", **{"from": "10", "to": "15"})
    inside = [place for place, each in enumerate(test_set.references, 1) if 10 <= words(each) <= 15]
    assert 0 < len(inside) < 20
    assert segments.numbers() == inside
    segments.give(text="the c")
    assert segments.numbers() == sorted({*inside} & {*expected})
    segments.give(text=".*(", **{"from": "", "to": ""})
    assert segments.numbers() == []
    assert segments.status == "0 of 20 segments shown."
    page.close()


def test_each_test_set_has_its_own_filters(browser, reports):
    page = shown(browser, reports, "several")
    first, second = Segments(page, 0), Segments(page, 1)
    second.give(text="北京")
    assert first.numbers() == list(range(1, 7))
    assert len(second.numbers()) < 6
    assert "characters of the reference" in second.section.locator("fieldset").text_content()
    page.close()


def test_without_script_everything_can_be_read_and_there_are_no_controls(browser, reports):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((reports / "one.html").as_uri())
    segments = Segments(page)
    assert segments.numbers() == list(range(1, 21))
    assert not page.locator("input").first.is_visible()
    context.close()


def test_a_page_shows_the_segments_that_differ_most_and_says_how_many():
    rows = [f"{number} apples are red today" for number in range(260)]
    poor = [" ".join(row.split()[: 1 + number % 5]) for number, row in enumerate(rows)]
    found = compare({"good": rows, "poor": poor}, ["chrf"], references=rows, n_resamples=20)
    page = to_html([found])
    assert "200 of 260 segments with a score" in page
    left_out = {number for number in range(1, 261) if page.count(f"<h5>Segment {number}</h5>") == 0}
    assert len(left_out) == 60
    assert {number % 5 for number in left_out} == {0, 4}  # those of which nothing or one word is missing
    assert len(page) < 600_000
