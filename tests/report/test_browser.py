"""The reports as people use them: contents and filters in a real browser, with and without script, and axe-core."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tercet
from conftest import ROOT
from samples import sample
from tercet.comparison.compare import compare
from tercet.report.comparison import to_html
from tercet.report.correlation import trust_html

TEXT_METRICS = ("bleu_multi", "chrf_multi", "ter", "rouge_nlws:rouge_types=rouge1", "bleu_rouge_f", "jaccard_sets")

SLICES = {"domain": ["news", "<i>chat"] * 10, "half": ["first"] * 10 + ["second"] * 10}


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
        "sliced": to_html([compare(shortened("en", 20), "chrf", n_resamples=50, by=SLICES)]),
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


#: Shown parts of tables that do not show all that is in them, and by how much.
CUT = """() => [...document.querySelectorAll("th, td, .scroll")]
    .filter(part => part.checkVisibility() && part.scrollWidth > part.clientWidth)
    .map(part => [part.className, part.ariaLabel || part.textContent, part.scrollWidth, part.clientWidth])"""

WORDS = ("the", "river", "carries", "old", "boats", "past", "quiet", "villages", "while", "children", "wave")


@pytest.fixture(scope="module")
def wide_report(tmp_path_factory):
    """A report with long numbers: ten scores of six systems, some with long names, on 3,000 segments."""
    rng = np.random.default_rng(7)
    references = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(4, 60, 3_000)]
    names = ("baseline", "tuned", "nllb-200-distilled-600M", "opus-mt-tc-big", "Größeres_Modell", "大模型")
    systems = {
        name: [" ".join(word for word in text.split() if rng.random() > 0.05 * (2 + place)) for text in references]
        for place, name in enumerate(names)
    }
    found = compare(systems, ["bleu", "chrf", "ter", "rouge"], references=references, n_resamples=20)
    path = tmp_path_factory.mktemp("wide") / "wide.html"
    path.write_text(to_html([found]), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 1440, 1920, 390])
def test_tables_have_the_width_they_need(browser, wide_report, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(wide_report.as_uri())
    page.evaluate("document.querySelectorAll('details:not(.segments)').forEach(each => each.open = true)")
    scores = page.locator("table", has=page.locator("caption", has_text="ROUGE-Lsum of each system"))
    assert re.fullmatch(r"\d{3,4}/\d+/\d+", scores.locator("tr:nth-child(2) td").last.text_content())
    cut = [part for part in page.evaluate(CUT) if width > 1000 or part[0] != "scroll"]  # a phone scrolls tables
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


#: Names of 80 letters, without and with blanks, of a script from right to left, and wide ones.
LONG_NAMES = ("x" * 80, "a name of several words " * 3 + "of eighty", "نظام ترجمة طويل جدا " * 4, "翻译系统" * 20)

#: What does not fit: boxes that need to be moved sideways, texts of cells that meet, and texts beyond the window.
LAYOUT = """() => {
    const seen = [...document.querySelectorAll("th, td, .drawn > *, .verdict, h1, h2, h3, h4, li")]
        .filter(part => part.checkVisibility() && part.getBoundingClientRect().width > 1);
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll(".scroll:has(.scores)")].filter(part => part.checkVisibility()
        && part.scrollWidth > part.clientWidth + 1).map(part => ["moved", part.ariaLabel]);
    const beyond = seen.filter(part => !part.closest(".scroll:not(:has(.scores))")
        && (part.getBoundingClientRect().right > width + 1 || part.getBoundingClientRect().left < -1))
        .map(part => ["beyond", part.textContent]);
    const meet = [...document.querySelectorAll(".scores tr")].filter(row => row.checkVisibility()).flatMap(row => {
        const parts = [...row.querySelectorAll("th bdi, .tag, .ranks, .drawn > span:first-of-type, .bar, .tests, .p")]
            .filter(part => part.getBoundingClientRect().width > 1 && part.checkVisibility());
        const after = (one, place) => parts.slice(place + 1).filter(other => !one.contains(other));
        return parts.flatMap((one, place) => after(one, place).filter(other =>
            [...one.getClientRects()].some(a => [...other.getClientRects()].some(b => a.left < b.right - 1
                && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2)))
            .map(other => ["meet", one.textContent, other.textContent]));
    });
    return [...wide, ...beyond, ...meet];
}"""


@pytest.fixture(scope="module")
def layouts(tmp_path_factory):
    """Reports whose tables are hard to lay out: of long names, of a hundred systems, and of many metrics."""
    rng = np.random.default_rng(11)
    references = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(4, 30, 40)]

    def systems(names):
        return {
            name: [
                " ".join(word for word in text.split() if rng.random() > 0.01 + place / 120) for text in references
            ]
            for place, name in enumerate(names)
        }

    many = systems([f"a-{place:02}-system.of.many" for place in range(100)])
    few = {"references": references, "n_resamples": 20}
    pages = {
        "long names": compare(systems(LONG_NAMES), ["bleu", "chrf", "ter"], **few),
        "one score": compare(systems(LONG_NAMES), ["ter"], **few),
        "hundred": compare(many, ["chrf"], **few),
        "sixteen": compare(dict(list(many.items())[:16]), ["bleu", "chrf", "ter"], **few),
        "two scores": compare(systems(LONG_NAMES), ["bleu", "chrf"], **few),
        "metrics": compare(systems(["one", "other", "third"]), TEXT_METRICS, **few),
    }
    folder = tmp_path_factory.mktemp("layouts")
    for name, comparison in pages.items():
        (folder / f"{name}.html").write_text(to_html([comparison]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["long names", "one score", "two scores", "hundred", "sixteen", "metrics"])
def test_nothing_meets_or_stands_beyond_the_window_at_any_width_in_the_dark_or_on_paper(browser, layouts, name):
    page = browser.new_page()
    for width, scheme, media in (
        (1680, "light", "screen"),
        (1280, "dark", "screen"),
        (390, "light", "screen"),
        (718, "light", "print"),  # A4 with margins of a centimetre
    ):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, media=media)
        page.goto((layouts / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width, (width, media)
        assert page.evaluate(LAYOUT) == [], (width, media)
        table = page.locator(".scores").first.bounding_box()
        if media == "screen":
            assert table["width"] == pytest.approx(page.locator(".contents").bounding_box()["width"], abs=1)
        if width == 390:  # a score, its interval, the difference and p are one line
            lines = page.locator(".scores").first.locator(".drawn")
            assert max(lines.evaluate_all("all => all.map(each => each.offsetHeight)")) < 30
        if name == "sixteen" and width == 1280:
            assert table["y"] + table["height"] < 800
    page.close()


def test_bars_keep_their_height_beside_a_long_name(browser, tmp_path):
    texts = {name: ["a cat", "a dog", "the"] * 4 for name in ("x" * 200, "short", *"abcd")}
    path = tmp_path / "long.html"
    path.write_text(
        to_html([compare(texts, "chrf", references=["the cat", "a dog", "a"] * 4, n_resamples=20)]), "utf-8"
    )
    page = browser.new_page()
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    rows, bars = (
        page.locator(f".histograms .bars{part}").evaluate_all("all => all.map(each => each.getBoundingClientRect())")
        for part in ("", " > svg:last-child")
    )
    assert max(row["height"] for row in rows) > 60
    assert [round(bar["height"]) for bar in bars] == [32] * 6
    assert [bar["bottom"] for bar in bars] == pytest.approx([row["bottom"] for row in rows], abs=0.5)
    page.close()


def test_histograms_are_as_high_as_their_names_need(browser, layouts):
    page = browser.new_page()
    page.goto((layouts / "hundred.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    rows = page.locator(".histograms .bars").evaluate_all("all => all.map(each => each.clientHeight)")
    assert len(rows) == 100
    assert 20 < min(rows) <= max(rows) < 40
    page.close()


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
        if "warning" in link:
            assert heading in page.locator(".warning").all_text_contents()
        else:
            assert link.split()[0].lower() in heading.lower(), heading
    links.last.click()
    assert page.evaluate("location.hash") == f"#t{1 if name == 'one' else 2}-repeat"


def test_one_table_is_open_and_the_numbers_of_each_score_are_folded(shown):
    page = shown("few")
    assert "Jaccard micro" in page.locator("h4").all_text_contents()
    tables, visible = (
        page.locator(f"{place}caption", has_text=re.compile("of each system|All scores")).all_text_contents()
        for place in ("", "table:visible > ")
    )
    assert visible == ["All scores of en"]
    assert len(tables) > 6
    page = shown("sliced")
    assert page.locator("table:visible > caption").first.text_content() == "chrF of each system"


class Segments:
    """The list of segments on a page, with its controls."""

    def __init__(self, page, which=0):
        self.section = page.locator("details.segments").nth(which)
        self.section.locator("summary").click()
        expect(self.section.locator(".filter")).to_be_visible()

    def numbers(self):
        """Return the segments of all pages of the list, in their order."""
        found = self._shown()
        while self.section.get_by_role("button", name="Next").is_visible() and self._turn("Next"):
            found += self._shown()
        while self.section.get_by_role("button", name="Back").is_visible() and self._turn("Back"):
            pass
        return found

    def _shown(self):
        headings = self.section.locator("article:visible h5").all_text_contents()
        return [int(re.match(r"Segment ([\d,]*\d)", each)[1].replace(",", "")) for each in headings]

    def _turn(self, button):
        button = self.section.get_by_role("button", name=button)
        if button.is_enabled():
            button.click()
            return True
        return False

    def found(self, **values):
        """Return the same, and what the page says of it, when this was chosen or filled in."""
        for name, value in values.items():
            box = self.section.locator(f"[name={name}]")
            if box.evaluate("each => each.tagName") == "SELECT":
                box.select_option(label=value)
            else:
                box.fill(value)
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
        ({"order": "segment number"}, list(range(1, 21))),
        ({"text": "  THE  C"}, with_text),
        ({"text": "", "from": "10", "to": "15"}, inside),
        ({"text": "the c"}, sorted({*inside} & {*with_text})),
        ({"text": ".*(", "from": "", "to": ""}, []),
    ):
        numbers, said = segments.found(**values)
        assert numbers == expected
        counted = f"1 to {min(10, len(expected))} of {len(expected)} segments."
        assert said == (counted if expected else "No segment matches.")


def test_segments_are_chosen_by_slices(shown):
    segments = Segments(shown("sliced"))
    for values, expected in (
        ({"order": "segment number", "slice0": "<i>chat"}, list(range(2, 21, 2))),
        ({"slice1": "second"}, list(range(12, 21, 2))),
        ({"slice0": "all"}, list(range(11, 21))),
    ):
        assert segments.found(**values)[0] == expected


def test_segments_are_sorted_and_chosen_by_system_score_and_difference(shown):
    test_set = shortened("en", 20)
    tables = {table.title: table for table in compare(test_set, ["bleu", "chrf"], test=None).tables}
    for title in ("chrF", "BLEU"):
        segments = Segments(shown("one"))
        scores = {name: np.array(own) for name, own in tables[title].segments.items()}
        spread = np.ptp(list(scores.values()), axis=0)
        gain = scores["tuned"] - scores["baseline"]

        def ordered(key, chosen=None, scores=scores):
            places = sorted(range(20), key=lambda place: (round(key[place], 2), place))
            return [place + 1 for place in places if chosen is None or chosen[place]]

        for values, expected in (
            ({"score": title, "order": "largest difference"},
             ordered(-spread)),
            ({"order": "worst score"}, ordered(np.min(list(scores.values()), axis=0))),
            ({"one": "large"}, ordered(np.minimum(scores["baseline"], scores["large"]))),
            ({"other": "none"}, ordered(scores["large"])),
            ({"order": "best score"}, ordered(-scores["large"])),
            ({"one": "tuned", "other": "baseline (baseline)", "order": "largest difference"},
             ordered(-abs(gain))),
            ({"way": "worse"}, ordered(-abs(gain), np.round(gain, 2) < 0)),
            ({"way": "better", "least": "10"}, ordered(-abs(gain), np.round(gain, 2) >= 10)),
        ):  # fmt: skip
            assert segments.found(**values)[0] == expected, (title, values)
    first = segments.section.locator("article").first
    assert first.locator(".who bdi").all_text_contents() == ["baseline", "tuned"]
    number = int(first.locator("h5").text_content().split()[-1])
    assert first.locator(".number").last.text_content() == (
        f"BLEU {scores['tuned'][number - 1]:.2f} (+{gain[number - 1]:.2f})"
    )


def test_losses_are_sorted_by_how_much_the_system_is_worse(shown):
    (table,) = compare(shortened("en", 20), "bleu", test=None).tables
    gain = np.subtract(table.segments["tuned"], table.segments["large"])
    segments = Segments(shown("one"))
    numbers, _ = segments.found(one="tuned", other="large", order="worst losses first")
    assert numbers == [place + 1 for place in sorted(range(20), key=lambda place: (round(gain[place], 4), place))]


def test_keys_move_through_the_segments_over_the_ends_of_the_list_and_into_the_search(shown):
    page = shown("one")
    segments = Segments(page)
    order = segments.found(order="segment number")[0]
    page.evaluate("document.activeElement.blur()")
    focused = "document.activeElement.querySelector('h5')?.textContent"
    for key, number in (
        ("j", 1),
        ("j", 2),
        ("k", 1),
        *(("j", number) for number in range(2, 12)),
        ("k", 10),
        ("k", 9),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused) == f"Segment {order[number - 1]}", key
    page.keyboard.press("/")
    page.keyboard.type("jk/")
    assert page.locator("[name=text]").input_value() == "jk/"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


def test_the_address_of_a_segment_leads_to_it_even_in_a_page_that_was_just_opened(shown, reports):
    page = shown("several")
    page.goto(f"{(reports / 'several.html').as_uri()}#t2-s4")
    page.reload()
    article = page.locator("details.segments").nth(1).locator("article")
    expect(article).to_have_count(1)
    assert article.locator("h5").text_content() == "Segment 4"
    assert not page.locator("details.segments").first.get_attribute("open")
    page.goto(f"{(reports / 'several.html').as_uri()}#t2-s5")
    expect(article.locator("h5")).to_have_text("Segment 5")
    for nowhere in ("#t2-s99999", "#t9-s1", "#t2-s"):
        page.goto(f"{(reports / 'several.html').as_uri()}{nowhere}")


def test_words_that_two_systems_do_not_share_are_marked(browser, tmp_path):
    """Blanks stay outside, punctuation is a word, and what is markup is text."""
    texts = {"one": ["the old cat sat.", "same <b>"], "other": ["the cat sat down!", "same <b>"]}
    found = compare(texts, "chrf", references=["the cat sat", "same"], n_resamples=20)
    path = tmp_path / "words.html"
    path.write_text(to_html([found]), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    segments = Segments(page)
    assert segments.section.locator("[name=marked]").is_disabled()
    segments.found(one="other", other="one (baseline)", marked="words that differ", order="segment number")
    assert segments.section.locator("del").all_text_contents() == ["old", "."]
    assert segments.section.locator("ins").all_text_contents() == ["down!"]
    shown_texts = segments.section.locator(".text").all_text_contents()
    assert shown_texts == [texts["one"][0], texts["other"][0], "same <b>", "same <b>"]
    page.close()


def test_cards_stand_as_the_rows_of_the_table_and_control_characters_are_seen_and_found(browser, tmp_path):
    texts = {"a": ["x y", "z"], "b": ["the\x07 cat\x1b[31m", "z \x9b"], "c": ["the cat sat", "z\x7f"]}
    found = compare(texts, "chrf", references=["the cat sat on\0 a mat", "z"], n_resamples=20)
    path = tmp_path / "bells.html"
    path.write_text(to_html([found]), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(path.as_uri())
    segments = Segments(page)
    segments.found(number="1")
    rows = page.locator(".scores").first.locator("tbody th bdi").all_inner_texts()
    assert segments.section.locator(".who bdi").all_inner_texts() == rows == ["c", "b", "a"]
    assert segments.section.locator(".text").all_text_contents() == ["the cat sat", "the␇ cat␛[31m", "x y"]
    assert segments.section.locator("dd").all_text_contents() == ["the cat sat on␀ a mat"]
    segments.found(number="2")
    assert segments.section.locator(".text").all_text_contents() == ["z␡", "z \ufffd", "z"]
    assert segments.found(number="", text="cat\x1b")[0] == [1]
    boxes = [box.bounding_box() for box in segments.section.locator(".filter :is(input, select):visible").all()]
    assert len({(box["x"], box["width"], box["height"]) for box in boxes}) == 1
    page.close()


def test_each_test_set_has_its_own_controls(shown):
    page = shown("several")
    first, second = Segments(page, 0), Segments(page, 1)
    assert len(second.found(text="北京")[0]) < 6
    assert sorted(first.numbers()) == list(range(1, 7))
    assert "characters of the reference" in second.section.locator("fieldset").text_content()


def test_without_script_all_but_the_list_can_be_read_and_it_says_so(shown):
    page = shown("one", java_script_enabled=False)
    assert page.locator("noscript").text_content().startswith("They need JavaScript.")
    assert page.locator("h4", has_text="Segments where systems differ most").first.is_visible()
    page.locator("details.segments summary").click()
    assert not page.locator("input").first.is_visible()


def test_all_segments_are_listed_and_those_that_differ_most_are_in_colour(browser, tmp_path):
    rows = [f"{number} apples are red today" for number in range(1_300)]
    poor = [" ".join(row.split()[: 1 + number % 5]) for number, row in enumerate(rows)]
    found = compare({"good": rows, "poor": poor}, ["chrf"], references=rows, n_resamples=20)
    path = tmp_path / "many.html"
    path.write_text(to_html([found]), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert "All 1,300 segments" in page.locator("body").text_content()
    assert "Matches of chrF are in colour in the 500 whose scores differ most" in page.locator("body").text_content()
    segments = Segments(page)
    (few, said), many = segments.found(text="1299 apples"), segments.found(text="")[1]
    assert (few, said, many) == ([1300], "1 to 1 of 1 segment.", "1 to 10 of 1,300 segments.")
    coloured = segments.section.locator("article").first
    assert coloured.locator(".text span").count() > 0
    assert "without colours" not in coloured.text_content()
    assert segments.found(one="poor", other="none", order="best score", text="4 apples are red")[0][0] == 5
    assert segments.section.locator("article h5").first.text_content() == "Segment 5, without colours"
    page.close()


def test_scores_are_unpacked_as_they_are(browser, tmp_path):
    found = compare({"one": ["a"] * 7, "other": ["b"] * 7}, "chrf", references=["a c"] * 7, n_resamples=20)
    scores = [None, -12.34567, 0.0, 99.99999, 12.3, 12.3, 1e9 + 0.25]
    (table,) = found.tables
    (tmp_path / "scores.html").write_text(
        to_html([replace(found, tables=[replace(table, segments={"one": scores, "other": scores[::-1]})])])
    )
    page = browser.new_page()
    page.goto((tmp_path / "scores.html").as_uri())
    unpacked = page.evaluate("async () => arranged(await unpack(document.querySelector('.packed'))).scores[0].values")
    rounded = [score if score is None else round(score, 4) for score in scores]
    assert unpacked == [list(pair) for pair in zip(rounded, rounded[::-1], strict=True)]
    page.close()


#: What of a table is outside of the page, or not shown in full by a box around it.
LOST = """tables => [...document.querySelectorAll(tables)]
    .flatMap(table => [...table.querySelectorAll("th, td, .tests, .p")])
    .filter(part => part.checkVisibility() && part.textContent.trim())
    .filter(part => part.getBoundingClientRect().width > 1)
    .filter(part => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map(part => part.textContent)"""
#: The width of A4 in pixels, without margins of 12 mm.
A4 = 703


def test_slices_stand_in_the_window_of_a_phone_with_difference_and_p(shown):
    page = shown("sliced", viewport={"width": 390, "height": 844})
    table = page.locator("table.part").first
    row = table.locator("tr", has_text="tuned").first
    for label in ("difference", "adj. p"):
        cell = row.locator(f"td[data-label='{label}']")
        box = cell.bounding_box()
        assert re.search(r"\d", cell.inner_text())
        assert cell.evaluate("e => getComputedStyle(e, '::before').content") == f'"{label} "'
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert page.evaluate(LOST, "table.part, table.scores") == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("name", ["one", "sliced", "several", "trust"])
def test_paper_loses_no_column_no_colour_and_prints_no_empty_box(shown, name):
    page = shown(name, viewport={"width": A4, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate(LOST, "table") == []
    scrolled = page.evaluate("[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).overflowX)")
    assert set(scrolled) == {"visible"}
    closed = page.locator("details:not([open])")
    for box in closed.all():
        if box.is_visible():
            assert box.locator("td").first.is_visible(), box.inner_text()
    if name != "trust":
        colours = page.evaluate(
            "[...document.querySelectorAll('.m1')].map(e => getComputedStyle(e).printColorAdjust)"
        )
        assert set(colours) == {"exact"}
        intervals = page.locator("table", has_text="won/tied/lost").first
        assert intervals.is_visible()


def test_numbers_of_a_page_have_one_minus_sign(shown):
    page = shown("few")
    page.evaluate("document.querySelectorAll('details:not(.segments)').forEach(each => each.open = true)")
    texts = page.locator("main").evaluate("e => [...e.querySelectorAll('td, .verdict')].map(each => each.innerText)")
    assert not [text for text in texts if re.search(r"(?:^|[\s(\[])-\d", text)]


def test_two_systems_show_the_texts_of_their_pair_by_the_first_metric_at_once(browser, tmp_path):
    systems = {"a": ["the cat sat", "it rains", "we go", "no"], "b": ["a cat sat", "it rained", "we went", "no"]}
    found = compare(systems, ["ter", "chrf"], references=["the cat sat", "it rained", "we go", "no"], n_resamples=20)
    path = tmp_path / "pair.html"
    path.write_text(to_html([found]), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    opened = page.locator(".unfolds > details[open]")
    expect(opened).to_have_count(1)
    expect(opened.locator(".output").first).to_be_visible()
    expect(page.locator(".note", has_text="Each score is drawn on its own scale.").first).to_be_visible()
    page.close()
