"""The page of a Space for those who do not see it, see little, or have no mouse: axe-core's rules, keys, contrast."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from page_checks import ROWS, has

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


def has_no_violation(visitor, where):
    """axe-core finds nothing: no rule is left out, and no part of the page."""
    expect(visitor.page.locator("p.loading")).to_have_count(0)  # gradio's own, of a part that is yet to come
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_timeout(250)  # until colours have faded to their last
    found = Axe().run(visitor.page).response["violations"]
    named = {each["id"]: [node["html"][:200] for node in each["nodes"][:3]] for each in found}
    assert named == {}, where


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)])
def test_breaks_no_rule_of_axe(visit, metric, table, dark, width):
    visitor = visit(metric, dark=dark, width=width)
    has_no_violation(visitor, "the page as it opens")
    visitor.compute()
    visitor.until(lambda: has(visitor.seen()["score"]))
    visitor.code()
    if width < 700:
        visitor.find("#options").get_by_role("button", name="Options").click()
        expect(visitor.find("#options .form")).to_be_visible()
    has_no_violation(visitor, "a text is scored")
    visitor.give("a cat " * 2_000, "a cat")
    visitor.compute()
    expect(visitor.find("#result [role=alert]")).to_be_visible()
    has_no_violation(visitor, "a text is refused")
    visitor.open("File")
    has_no_violation(visitor, "no file is chosen")
    visitor.upload(table)
    expect(visitor.find("#about-file")).to_contain_text(f"{len(ROWS)} rows.")
    has_no_violation(visitor, "a file is read")
    visitor.choose("#system", "mt")  # where there are no references, nobody knows which column it is
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    visitor.code("file")
    has_no_violation(visitor, "a file is scored")
    visitor.open("Card")
    has_no_violation(visitor, "the card")


@pytest.mark.parametrize(("dark", "width"), [(True, 1280), (False, 390)])
@pytest.mark.parametrize("metric", ["bleu_multi", "bertscore_idf"])  # a minute each; pictures differ
@pytest.mark.long
def test_breaks_no_rule_of_axe_in_the_other_light_either(visit, metric, table, dark, width):
    test_breaks_no_rule_of_axe(visit, metric, table, dark, width)


def test_keys_lead_from_the_texts_to_the_button_and_then_to_the_options(visit):
    visitor = visit("bleu_multi")
    visitor.find("#prediction textarea").focus()
    visitor.page.keyboard.press("Tab")
    expect(visitor.find("#references textarea")).to_be_focused()
    visitor.page.keyboard.press("Tab")
    expect(visitor.find("#compute")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    visitor.until(lambda: has(visitor.seen()["score"]))
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
    expect(visitor.find("#file-result [aria-live=polite] .tercet-score")).to_be_visible()
    visitor.open("Text")
    for text in ("a cat", "the cat"):  # another result in the place of the first
        visitor.give(text, "the cat")
        visitor.compute()
        visitor.until(lambda text=text: has(f"predictions = ['{text}']" in visitor.code()))
        expect(visitor.find("#result [aria-live=polite] .tercet-score")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_labels_can_be_read_and_boxes_without_a_tick_seen(visit, dark):
    visitor = visit("bleu_multi", dark=dark)
    labels = ("#options [data-testid=block-info]", "#prediction [data-testid=block-info]", "#options .info-text")
    for selector in labels:
        contrast, text = visitor.least_contrast(selector)
        assert contrast >= 4.5, text
    boxes = visitor.find("input[type=checkbox]:visible:not(:checked)")
    assert boxes.count()
    assert min(box.evaluate(BORDER) for box in boxes.all()) >= 3
