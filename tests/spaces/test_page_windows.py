"""The page of each Space in windows of all sizes and in the dark."""

import pytest
from playwright.sync_api import expect

from page_checks import CASES, PAGES, ROWS, has, has_its_bars, photograph, refuses
from tercet.core.option_docs import option_docs
from tercet.registry import metric_class

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


def test_a_phone_shows_it_all_without_moving_sideways(visit, metric):
    visitor = visit(metric, width=390)
    expect(visitor.find("#options .form")).to_be_hidden()
    visitor.give("w" * 300 + " a cat", "a cat " * 40)
    for tab in ("Card", "File", "Text"):
        visitor.open(tab)
        assert visitor.width() <= 390, f"{tab} before computing"
    visitor.compute()
    visitor.until(lambda: has(visitor.seen()["score"]))
    assert "print(result)" in visitor.program("text")
    visitor.find("#options").get_by_role("button", name="Options").click()
    expect(visitor.find("#options .form")).to_be_visible()
    assert visitor.width() <= 390
    visitor.find("#examples button").nth(PAGES[metric].pictured).click()
    visitor.until(lambda: has(visitor.seen()["score"]))
    photograph(visitor, f"{metric}-phone")


def test_a_phone_shows_files_without_moving_sideways(visit, table):
    visitor = visit("bleu_multi", width=390)
    visitor.upload(table)
    expect(visitor.find("#about-file")).to_have_text(f"{len(ROWS)} rows.")
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    has_its_bars(visitor)
    assert visitor.width() <= 390
    photograph(visitor, "bleu_multi-phone-file")


def test_a_wide_window_has_the_options_open(visit, metric):
    visitor = visit(metric)
    expect(visitor.find("#options .form")).to_be_visible()
    for option in option_docs(metric_class(metric)):
        if option.name in CASES[metric]["DEMO_OPTIONS"]:
            expect(visitor.find(f"#option-{option.name}")).to_contain_text(option.first_sentence)
    assert visitor.width() <= 1280
    visitor.find("#examples button").nth(PAGES[metric].pictured).click()
    visitor.until(lambda: has(visitor.seen()["score"]))
    photograph(visitor, f"{metric}-desktop", "#examples")


def test_a_dark_page_is_readable(visit, metric):
    visitor = visit(metric, dark=True)
    visitor.find("#examples button").nth(PAGES[metric].pictured).click()
    visitor.until(lambda: has(visitor.seen()["score"]))
    photograph(visitor, f"{metric}-dark")
    shown = ("#picture p[dir=auto] span", "#picture p b", "#picture summary")
    picture = [part for part in shown if visitor.find(part).count()]
    assert picture
    is_readable(visitor, "#options .info-text", "#result .tercet-score", "#result td", *picture)
    visitor.give("a cat " * 2_000, "a cat")
    visitor.compute()
    refuses(visitor, "12,000 characters")
    is_readable(visitor, "#result [role=alert]")


def test_a_dark_table_of_a_file_is_readable(visit, table):
    visitor = visit("bleu_multi", dark=True)
    visitor.upload(table)
    expect(visitor.find("#system input")).to_have_value("mt")
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    expect(visitor.find("#items [role=gridcell]").first).to_be_visible()
    is_readable(visitor, "#file-result td", "#items [role=gridcell]", "#about-file p")


def is_readable(visitor, *selectors):
    for selector in selectors:
        contrast, text = visitor.least_contrast(selector)
        assert contrast >= 4.5, f"{selector}: {text}"
