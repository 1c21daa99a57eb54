"""The page of `tercet explain --out x.html`: systems as rows, the best first, in any window, without a script."""

import re
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from samples import sample
from tercet.comparison.one_segment.explained_segment import explain_segment
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.report.explained import to_html
from tercet.test_sets.test_set import TestSet

EN = sample("en")
LONG, ARABIC = "a.very.long.name-" * 5, "نظام الترجمة"
OUTSIDE = """() => [...document.querySelectorAll("main *")].filter(each => !each.closest("details > div"))
    .filter(each => each.getBoundingClientRect().right > innerWidth + 1).map(each => each.outerHTML.slice(0, 200))"""
OVERLAPS = """() => [...document.querySelectorAll(".systems > tbody > tr > *")].flatMap((one, i, all) => all
    .slice(i + 1)
    .filter(other => {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    }).map(other => [one.textContent, other.textContent]))"""


def page_of(*metrics, test_set=EN, segment=None):
    return to_html([explain_segment(test_set, parse_metric(metric), segment) for metric in metrics])


@pytest.fixture
def shown(browser, tmp_path):
    contexts = []

    def show(text, **settings):
        path = tmp_path / "why.html"
        path.write_text(text, encoding="utf-8")
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


def many(n_systems):
    texts = [[f"the cat {'sat ' * (number % 7)}on mat {number}"] for number in range(n_systems)]
    systems = {f"{LONG}{number}": text for number, text in enumerate(texts)} | {ARABIC: ["القط على السجادة"]}
    return TestSet("x" * 80, systems, [["the cat sat on the mat " * 30]], ["source " * 40])


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut(shown, width, scheme):
    page = shown(
        page_of("bleu", "ter", "chrf", "rouge"), color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert [each["id"] for each in Axe().run(page).response["violations"]] == []
    assert (page.evaluate(OUTSIDE), page.evaluate(OVERLAPS)) == ([], [])


@pytest.mark.parametrize("width", [1280, 390])
def test_many_systems_with_long_and_arabic_names_keep_their_places(shown, width):
    page = shown(page_of("bleu", test_set=many(40)), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert (page.evaluate(OUTSIDE), page.evaluate(OVERLAPS)) == ([], [])


def test_systems_are_rows_the_best_first_with_their_matches(shown):
    found = explain_segment(EN, parse_metric("bleu"), 3)
    page = shown(to_html([found]))
    rows = page.locator(".systems > tbody > tr")
    assert rows.locator("> th").all_inner_texts() == found.order
    scores = [f"{found.scores[name]['bleu']:.2f}" for name in found.order]
    assert rows.locator(".score").all_inner_texts() == scores
    assert rows.locator(".text").all_inner_texts() == [EN.systems[name][2] for name in found.order]
    assert page.locator("dd").all_inner_texts() == [EN.source[2], *EN.references[2]]
    assert rows.nth(0).locator(".text [class^=m]").count()


def test_the_segment_is_named_with_the_reason_it_was_chosen():
    page = page_of("bleu")
    assert "which tells the systems apart best by BLEU: no two score the same; the scores of any two are " in page
    assert "--segment" not in page
    assert "apart best" not in page_of("bleu", segment=3)
    assert "Segment 3 of 44." in page_of("bleu", segment=3)


def test_the_legend_says_what_n_grams_are_of():
    assert ">4 characters or more</span>" in page_of("chrf", segment=3)
    assert ">4-gram</span> (n-gram: n words, or tokens of another kind, in a row)" in page_of("bleu", segment=3)


def test_the_legend_stays_where_the_last_system_is_not_explained():
    found = explain_segment(EN, parse_metric("bleu"), 3)
    last = found.order[-1]
    found = replace(found, explanations={**found.explanations, last: "слишком длинный"})
    assert "In colour, what an output shares with a reference: " in to_html([found])


def test_texts_and_names_are_no_markup():
    odd = "<script>alert(1)</script>"
    page = page_of("bleu", "chrf", test_set=TestSet(odd, {odd: [odd], "b": [""]}, [[odd, "{{ 7 * 7 }}"]], [odd]))
    assert "<script" not in page
    assert "{{ 7 * 7 }}" in page


def test_a_segment_with_many_references_shows_some(shown):
    test_set = replace(EN, references=[[f"reference of a segment {number}" for number in range(20)]] * 44)
    page = shown(page_of("bleu", test_set=test_set, segment=1))
    assert page.get_by_text("and 12 more references").is_visible()


def test_the_explanations_of_many_systems_are_packed_and_shown_when_they_are_opened(shown):
    text = page_of("bleu", test_set=many(100))
    assert len(text) < 1_000_000
    page = shown(text)
    boxes = page.locator(".why")
    assert boxes.count() == 101
    assert "clipped matches" in boxes.first.text_content()
    assert boxes.last.text_content() == ""
    page.locator("summary").last.click()
    expect(boxes.last.locator("caption").first).to_have_text("clipped matches")
    last = page.locator(".systems > tbody > tr").last
    assert last.locator(".text").text_content() in boxes.last.text_content().replace("  ", " ")
    assert page.locator("noscript").count() == 1
    assert "<script>" not in page_of("bleu")


def summaries(*metrics, test_set, segment=1):
    return re.findall(
        r"<details><summary>([^<]*)</summary><div class=\"why", page_of(*metrics, test_set=test_set, segment=segment)
    )


PAIR = TestSet("x", {"same": ["the cat sat"], "other": ["the dog sat down"]}, [["the cat sat"]], None)


def test_a_summary_says_in_words_what_a_score_is_made_of():
    # 11 characters without blanks are 9: of orders 1 to 6 these are 9 + 8 + 7 + 6 + 5 + 4 n-grams.
    same, other = summaries("chrf", test_set=PAIR)
    assert same == "n-grams of characters that match: 39 of 39 in the prediction, of 39 in the reference"
    assert other.endswith("of 39 in the reference")
    # By words: 2 of 10 n-grams of the prediction match (the, sat), of 6 of the reference.
    assert summaries("google_bleu", test_set=PAIR) == [
        "precision 100.00; recall 100.00",
        "precision 20.00; recall 33.33",
    ]
    assert not [
        text for metric in ("bleu", "rouge", "ter") for text in summaries(metric, test_set=PAIR) if "numbers" in text
    ]


def test_a_brevity_penalty_of_one_is_no_score():
    for metric in ("bleu", "bleu:scale=1"):
        assert all(text.startswith("brevity penalty 1.0000; ") for text in summaries(metric, test_set=PAIR))


def test_precision_and_recall_are_said_once():
    (same, _) = summaries("rouge:rouge_types=rouge1", test_set=PAIR)
    assert re.findall(r"(precision|recall) 100\.00", same) == ["precision", "recall"]
    assert not re.search(r"\bF 100", same)


def test_boxes_within_boxes_do_not_scroll_and_paper_keeps_colours(shown):
    page = shown(page_of("bleu", test_set=PAIR, segment=1))
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    unreached = """() => [...document.querySelectorAll(".why, .why *")]
        .filter(box => ["auto", "scroll"].includes(getComputedStyle(box).overflowX) && box.tabIndex < 0).length"""
    assert page.evaluate(unreached) == 0
    page.emulate_media(media="print")
    colours = page.evaluate(
        "() => [...document.querySelectorAll('.text .m3, .text .m2')].map(e => getComputedStyle(e).printColorAdjust)"
    )
    assert set(colours) == {"exact"}
