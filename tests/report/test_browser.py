"""The reports as people use them: contents and filters in a real browser, with and without script, and axe-core."""

from dataclasses import replace
from itertools import product

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
    cut = {name: texts[:n] for name, texts in found.systems.items()}
    return replace(found, systems=cut, references=found.references[:n], source=found.source[:n])


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of a test set, of a few segments by all metrics of texts, of two test sets, and of a correlation."""
    folder = tmp_path_factory.mktemp("reports")
    both = [shortened(language, 6) for language in ("es", "zh")]
    few = {"n_resamples": 20, "n_permutations": 50}
    graded = ROOT / "examples" / "data" / "graded.tsv"
    trust = tercet.correlate(graded, ["bleu", "jaccard"], **few)
    pages = {
        "one": to_html([compare(shortened("en", 20), ["bleu", "chrf"], n_resamples=50)]),
        "few": to_html([compare(shortened("en", 4), TEXT_METRICS, n_resamples=50)]),
        "several": to_html([compare(each, ["bleu:tokenizer=unicode", "chrf"], n_resamples=50) for each in both]),
        "trust": trust_html(trust),
    }
    for name, text in pages.items():
        (folder / name).with_suffix(".html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def shown(browser, reports):
    """Show a report in a window of a browser."""
    contexts = []

    def show(name, **settings):
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings}))
        page = contexts[-1].new_page()
        page.goto((reports / f"{name}.html").as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


LIGHT, DARK = ("light", 1280), ("dark", 390)


QUICK = [("few", *LIGHT), ("few", *DARK), ("several", *LIGHT), ("trust", *DARK)]
WINDOWS = product(("few", "several", "trust"), ("light", "dark"), (1280, 390))


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [each if each in QUICK else pytest.param(*each, marks=pytest.mark.long) for each in WINDOWS],
)
def test_axe_finds_nothing(shown, name, scheme, width):
    page = shown(name, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"][:3]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["one", "several"])
def test_the_contents_lead_to_every_part(shown, name):
    page = shown(name)
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


def test_the_first_score_of_each_metric_is_open_and_the_others_closed(shown):
    page = shown("few")
    assert "jaccard_micro" in page.locator("h4:visible").all_text_contents()
    tables, visible = (
        page.locator(f"{place}caption", has_text="of each system").all_text_contents()
        for place in ("", "table:visible > ")
    )
    first = ("bleu", "chrf", "ter", "rouge1", "bleu_rouge_f", "jaccard")
    assert visible == [f"{name} of each system" for name in first]
    assert len(tables) > len(visible)


class Segments:
    """The list of segments on a page, with its filters."""

    def __init__(self, page, which=0):
        self.section = page.locator("details.segments").nth(which)
        self.section.locator("summary").click()

    def numbers(self):
        """Return the segments that can be seen."""
        headings = self.section.locator("article:visible h5").all_text_contents()
        return sorted(int(each.split()[-1]) for each in headings)

    def found(self, **values):
        """Return the same, and what the page says of it, when this was filled in."""
        for name, value in values.items():
            self.section.locator(f"[name={name}]").fill(value)
        return self.numbers(), self.section.get_by_role("status").text_content()


def words(texts):
    return round(sum(len(text.split()) for text in texts) / len(texts))


def test_segments_are_found_by_their_text_and_by_their_length(shown):
    test_set = shortened("en", 20)
    segments = Segments(shown("one"))
    rows = zip(test_set.references, test_set.source, *test_set.systems.values(), strict=True)
    texts = [" ".join([*references, *others]).lower() for references, *others in rows]
    with_text = [place for place, text in enumerate(texts, 1) if "the c" in text]
    inside = [place for place, each in enumerate(test_set.references, 1) if 10 <= words(each) <= 15]
    assert 0 < len(with_text) < 20
    assert 0 < len(inside) < 20
    for values, expected in (
        ({}, list(range(1, 21))),
        ({"text": "  THE  C"}, with_text),
        ({"text": "", "from": "10", "to": "15"}, inside),
        ({"text": "the c"}, sorted({*inside} & {*with_text})),
        ({"text": ".*(", "from": "", "to": ""}, []),
    ):
        assert segments.found(**values) == (expected, f"{len(expected)} of 20 segments shown.")


def test_each_test_set_has_its_own_filters(shown):
    page = shown("several")
    first, second = Segments(page, 0), Segments(page, 1)
    assert len(second.found(text="北京")[0]) < 6
    assert first.numbers() == list(range(1, 7))
    assert "characters of the reference" in second.section.locator("fieldset").text_content()


def test_without_script_everything_can_be_read_and_there_are_no_controls(shown):
    page = shown("one", java_script_enabled=False)
    assert Segments(page).numbers() == list(range(1, 21))
    assert not page.locator("input").first.is_visible()


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
