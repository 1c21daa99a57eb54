"""The page of each Space in windows of all sizes and in the dark, for those who see little or have no mouse.

axe-core's rules, keys, contrast, and what a phone shows. Pages have the same parts; what differs are the picture and
the options of a metric, so each page is looked at once in the light and once on a dark phone, and two pages in all.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from page_checks import CASES, PICTURED, ROWS, has, has_its_bars, photograph
from suite import UNLIKE
from tercet.base.docs import option_docs
from tercet.registry import metric_class

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly

#: The colour of a box's border, of what is behind it, and the contrast of both (WCAG 2.1, 1.4.11).
BORDER = """box => {
    const parse = colour => colour.match(/[\\d.]+/g).map(Number);
    const behind = element => {
        const [r, g, b, a = 1] = parse(getComputedStyle(element).backgroundColor);
        return a ? [r, g, b] : behind(element.parentElement);
    };
    const light = rgb => rgb.slice(0, 3).map(part => part / 255)
        .map(part => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [.2126, .7152, .0722][i], 0);
    const [low, high] = [light(parse(getComputedStyle(box).borderTopColor)), light(behind(box.parentElement))].sort();
    return (high + .05) / (low + .05);
}"""


#: Colours have faded to their last; what turns without end does not count.
FADED = """() => document.getAnimations().every(each =>
    each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)"""


def has_no_violation(visitor, where, part=None):
    """axe-core finds nothing on the page, or in a part of it; no rule is left out."""
    expect(visitor.page.locator("p.loading")).to_have_count(0)  # gradio's own, of a part that is yet to come
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_function(FADED)
    found = Axe().run(visitor.page, context=part).response["violations"]
    named = {each["id"]: [node["html"][:200] for node in each["nodes"][:3]] for each in found}
    assert named == {}, where


def is_readable(visitor, *selectors):
    for selector in selectors:
        contrast, text = visitor.least_contrast(selector)
        assert contrast >= 4.5, f"{selector}: {text}"


def shows_its_example(visitor, metric):
    """The page comes to show the score and the picture of an example."""
    visitor.find("#examples button").nth(PICTURED.get(metric, 0)).click()
    visitor.until(lambda: has(visitor.seen()["score"]))


def test_a_wide_window_shows_the_picture_beside_the_score_and_the_options_say_what_they_do(visit, metric):
    visitor = visit(metric)
    visitor.open_options()
    for option in option_docs(metric_class(metric)):
        if option.name in CASES[metric]["DEMO_OPTIONS"]:
            expect(visitor.find(f"#option-{option.name}")).to_contain_text(option.first_sentence)
    assert visitor.width() <= 1280
    shows_its_example(visitor, metric)
    expect(visitor.find("#picture p").first).to_be_visible()

    def the_picture_is_beside_the_score():
        picture, score = (visitor.find(each).bounding_box() for each in ("#picture", "#result"))
        assert picture["x"] >= score["x"] + score["width"]
        assert picture["y"] == score["y"]
        assert picture["width"] > 600

    visitor.until(the_picture_is_beside_the_score)  # gradio may draw something above it between two looks
    visitor.find("#options").get_by_role("button", name="Options").first.click()
    photograph(visitor, f"{metric}-desktop", "#code-of-text")
    has_no_violation(visitor, "an example is scored")


def test_a_dark_phone_shows_it_all_without_moving_sideways_and_is_readable(visit, metric):
    visitor = visit(metric, width=390, dark=True)
    expect(visitor.find("#options .form")).to_be_hidden()
    visitor.give("w" * 300 + " a cat", "a cat " * 40)
    visitor.compute()
    visitor.until(lambda: has(visitor.seen()["score"]))
    visitor.open_options()
    assert visitor.width() <= 390
    shows_its_example(visitor, metric)
    # The picture of the text before has other boxes.
    expect(visitor.find("#picture")).not_to_contain_text("www")
    for box in visitor.find("#picture .scroll, #picture table").all():
        width, room, hint = box.evaluate(
            "e => [e.scrollWidth, e.clientWidth, getComputedStyle(e, '::before').content]"
        )
        assert ("scroll sideways" in hint) == (width > room)
    photograph(visitor, f"{metric}-phone")
    shown = ("#picture p[dir=auto] span", "#picture p b", "#picture summary", "#picture .heat td")
    picture = [part for part in shown if visitor.find(part).count()]
    assert picture
    is_readable(visitor, "#options .info-text", "#result .tercet-score", "#result td", *picture)
    for tab in ("Card", "File", "Text"):
        visitor.open(tab)
        assert visitor.width() <= 390, tab
    visitor.give("a cat " * 2_000, "a cat")
    visitor.compute()
    expect(visitor.find("#result [role=alert]")).to_be_visible()
    is_readable(visitor, "#result [role=alert]")


def test_a_phone_shows_the_result_or_the_message_once_the_button_was_pressed(visit, table):
    visitor = visit("bleu_multi", width=390)

    def is_in_view(part):
        def check():
            box = visitor.find(part).bounding_box()
            # Of what is long, its beginning.
            assert box["y"] >= -2, (part, box)
            assert box["y"] + min(box["height"], 200) <= 900, (part, box)

        visitor.until(check)

    visitor.give("a dog", "the cat")
    visitor.compute()
    is_in_view("#result .tercet-score")
    visitor.page.evaluate("scrollTo(0, 0)")
    visitor.open_options()
    visitor.give("a cat " * 2_000, "a cat")
    visitor.compute()
    is_in_view("#result [role=alert]")
    visitor.upload(table)
    expect(visitor.find("#about-file")).to_contain_text("rows")
    visitor.compute_file()
    is_in_view("#file-result .verdict")


def test_no_label_covers_where_a_file_is_dropped(visit):
    visitor = visit("bleu_multi", width=390)
    visitor.open("File")
    words = visitor.find("#file-input").get_by_text("Drop File Here")
    expect(words).to_be_visible()
    label = visitor.find("#file-input label").bounding_box()
    height_of_line = 21
    # The words stand in one box of three lines, with "or" in the middle one.
    middle = visitor.find("#file-input .or").bounding_box()
    assert label["y"] + label["height"] <= middle["y"] - height_of_line


@pytest.mark.parametrize(
    ("metric", "dark", "width"),
    [
        ("bleu_multi", True, 390),
        *(
            pytest.param(metric, *how, marks=pytest.mark.long)
            for metric in UNLIKE
            for how in [(False, 1280), (True, 1280), (False, 390)]
        ),
    ],
)
def test_breaks_no_rule_of_axe(visit, table, metric, dark, width):
    visitor = visit(metric, dark=dark, width=width)
    visitor.compute()
    visitor.until(lambda: has(visitor.seen()["score"]))
    visitor.code()
    visitor.open_options()
    has_no_violation(visitor, "a text is scored")
    visitor.give("a cat " * 2_000, "a cat")
    visitor.compute()
    expect(visitor.find("#result [role=alert]")).to_be_visible()
    has_no_violation(visitor, "a text is refused")
    visitor.open("File")
    visitor.upload(table)
    expect(visitor.find("#about-file")).to_contain_text(f"{len(ROWS)} rows.")
    visitor.choose("#system", ["mt"])
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    has_its_bars(visitor)
    visitor.code("file")
    has_no_violation(visitor, "a file is scored")
    expect(visitor.find("#items [role=gridcell]").first).to_be_visible()
    is_readable(visitor, "#file-result td", "#items [role=gridcell]", "#about-file p")
    for name in visitor.find("#items th:visible").all():  # on one line
        assert name.bounding_box()["height"] < 60
    assert visitor.width() <= width
    photograph(visitor, f"{metric}-file-{width}")
    visitor.choose("#system", ["mt", "mt2"])
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["systems"]))
    expect(visitor.find("#distribution")).to_be_hidden()
    expect(visitor.find("#segments .example").first).to_be_visible()
    has_no_violation(visitor, "systems are compared")
    is_readable(visitor, "#file-result :is(td, .note)", "#segments :is(.text, .text span, .soft, .number, label)")
    assert visitor.width() <= width
    visitor.open("Card")
    has_no_violation(visitor, "the card")


def test_keys_lead_from_the_texts_to_the_button_and_then_to_the_options(visit):
    visitor = visit("bleu_multi")
    visitor.find("#prediction textarea").focus()
    visitor.page.keyboard.press("Tab")
    expect(visitor.find("#references textarea")).to_be_focused()
    visitor.page.keyboard.press("Tab")
    expect(visitor.find("#compute")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    visitor.until(lambda: has(visitor.seen()["score"]))
    visitor.open_options()
    order = "[...document.querySelectorAll('#compute, #option-tokenizer')].map(each => each.id)"
    assert visitor.page.evaluate(order) == ["compute", "option-tokenizer"]


def test_results_and_messages_are_announced(visit, table):
    visitor = visit("bleu_multi")
    announced = [("Text", "#result"), ("File", "#file-result"), ("File", "#about-file")]
    for tab, place in announced:
        visitor.open(tab)
        expect(visitor.find(f"{place} [aria-live=polite]")).to_have_count(1)  # before there is anything to say
    visitor.upload(table)
    expect(visitor.find("#about-file [aria-live=polite]")).to_contain_text("rows")
    visitor.compute_file()
    expect(visitor.find("#file-result [aria-live=polite] .tercet-compared > .verdict")).to_be_visible()
    visitor.open("Text")
    for text in ("a cat", "the cat"):  # another result in the place of the first
        visitor.give(text, "the cat")
        visitor.compute()
        visitor.until(lambda text=text: has(f"predictions = ['{text}']" in visitor.code()))
        expect(visitor.find("#result [aria-live=polite] .tercet-score")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_labels_can_be_read_and_boxes_without_a_tick_seen(visit, dark):
    visitor = visit("bleu_multi", dark=dark)
    visitor.open_options()
    is_readable(
        visitor, "#options [data-testid=block-info]", "#prediction [data-testid=block-info]", "#options .info-text"
    )
    boxes = visitor.find("input[type=checkbox]:visible:not(:checked)")
    assert boxes.count()
    assert min(box.evaluate(BORDER) for box in boxes.all()) >= 3
