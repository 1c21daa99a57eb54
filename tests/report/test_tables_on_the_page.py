"""The tables of a report as readers use them: copied, compared with another system, sorted and searched."""

import re
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tercet
from commands import command
from conftest import ROOT
from samples import sample
from tercet.comparison.runs.means import as_systems
from tercet.comparison.shown.tables import in_format
from tercet.report.comparison import to_html
from tercet.table_formats import pvalue_text

SPANISH = ROOT / "examples" / "data" / "es.tsv"
WORDS = ("река", "несёт", "старые", "boats", "past", "静かな", "村", "while", "los", "niños", "saludan")


def many_systems(n, *, seed=5):
    """Return texts of `n` systems, each of which loses more words than the one before, and their references."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(5, 20, 30)]
    systems = {
        f"system {chr(ord('A') + number % 26)}{number}": [
            " ".join(word for word in text.split() if rng.random() > 0.02 + number / 60) for text in references
        ]
        for number in range(n)
    }
    return systems, references


def shortened(language, n):
    found = sample(language)
    cut = {name: texts[:n] for name, texts in found.systems.items()}
    return replace(found, systems=cut, references=found.references[:n], source=found.source[:n])


EN = shortened("en", 20)


@pytest.fixture
def opened(browser, tmp_path):
    """Open the report of comparisons in a window that may read and write the clipboard."""
    contexts = []

    def open_page(*comparisons, before="", **settings):
        path = tmp_path / "report.html"
        path.write_text(to_html(list(comparisons)), encoding="utf-8")
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings}))
        contexts[-1].grant_permissions(["clipboard-read", "clipboard-write"])
        page = contexts[-1].new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda line: page.errors.append(line.text) if line.type == "error" else None)
        if before:
            page.add_init_script(before)
        page.goto(path.as_uri())
        if settings.get("java_script_enabled", True):
            expect(page.locator(".copy").first).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def copied(page, button, section="#t1"):
    """Click on a button of a section, and return what the clipboard has then."""
    box = page.locator(f"{section} .copy")
    box.get_by_role("button", name=button).click()
    expect(box.get_by_role("status")).to_have_text("Copied.")
    return clipboard(page)


# Copies


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_what_is_copied_is_what_the_command_writes(opened, form):
    metrics = ["-m", "chrf", "-m", "ter"]
    written = command("compare", SPANISH, *metrics, "-f", form).stdout
    (test_set,) = tercet.read_test_sets([SPANISH])
    page = opened(tercet.compare(test_set, ["chrf", "ter"]))
    text = copied(page, {"markdown": "Markdown", "latex": "LaTeX"}[form])
    assert text.strip() == written.strip()
    assert text.count("\n") > 5
    assert page.errors == []


def test_the_sentence_is_copied_with_the_names_as_they_are(opened):
    systems = {"<b>один": EN.systems["baseline"], "大模型 & co": EN.systems["large"]}
    page = opened(tercet.compare(systems, "chrf", references=EN.references, n_resamples=50))
    text = copied(page, "the sentence")
    assert re.match(r"大模型 & co has the best chrF: \d\d\.\d\d, \d+\.\d\d points above <b>один\.", text)


def test_each_test_set_and_what_holds_over_all_has_its_own_copies(opened):
    sets = [tercet.compare(shortened(language, 8), "chrf", n_resamples=50) for language in ("es", "zh")]
    over_all = tercet.overall(sets)
    page = opened(*sets, over_all)
    for section, comparison in (("#t1", sets[0]), ("#t2", sets[1]), ("#overall", over_all)):
        assert copied(page, "Markdown", section) == in_format([comparison], "markdown")


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
NO_COPY = f"{NO_CLIPBOARD} document.execCommand = () => false;"


def test_pages_without_a_clipboard_copy_in_the_older_way(opened):
    comparison = tercet.compare(EN, "chrf", n_resamples=50)
    page = opened(comparison, before=NO_CLIPBOARD)
    box = page.locator(".copy")
    box.get_by_role("button", name="LaTeX").click()
    expect(box.get_by_role("status")).to_have_text("Copied.")
    other = page.context.new_page()
    other.set_content("<textarea></textarea>")
    other.locator("textarea").focus()
    other.keyboard.press("Control+V")
    assert other.locator("textarea").input_value() == in_format([comparison], "latex")
    assert page.locator("textarea").count() == 0


def test_where_nothing_can_be_copied_the_text_is_shown_and_selected(opened):
    comparison = tercet.compare(EN, "chrf", n_resamples=50)
    page = opened(comparison, before=NO_COPY)
    for form, button in (("markdown", "Markdown"), ("latex", "LaTeX")):
        page.locator(".copy").get_by_role("button", name=button).click()
        expect(page.locator(".copy").get_by_role("status")).to_contain_text("copy the text below")
        assert page.locator("textarea").input_value() == in_format([comparison], form)
        assert page.evaluate("getSelection().toString().length") == len(in_format([comparison], form))


# Another baseline


def shown(table):
    """Return what a row shows of each system: of each score the difference, its mark and p.

    Of one score, its interval and counts follow.
    """
    cells = """row => {
        const text = name => [...row.querySelectorAll(name)].map(part => part.textContent);
        const boxes = [...row.querySelectorAll(".tests")];
        const numbers = boxes.map(box => box.querySelector("span:not(.drawn)").textContent);
        const marks = text(".sign"), pvalues = text(".p");
        const scores = numbers.flatMap((number, place) => [number, marks[place], pvalues[place]]);
        return [row.querySelector("th bdi").textContent, ...scores, ...text("small.of"), ...text(".counts")];
    }"""
    rows = table.locator("tbody tr").evaluate_all(f"rows => rows.map({cells})")
    return {name: texts for name, *texts in rows}


def rows_against(comparison):
    """Return what a table of one score shows without its intervals and counts: of each system difference, mark, p."""
    (table,) = comparison.tables
    expected = {}
    for row in table.rows:
        if row.difference is None:
            expected[row.system] = ["", "", ""]
            continue
        mark = ""
        if row.adjusted_pvalue < comparison.alpha:
            mark = "▲" if (row.difference > 0) == table.higher_is_better else "▼"
        difference = f"{row.difference:+.2f}".replace("-", "−")
        expected[row.system] = [difference, mark, pvalue_text(row.adjusted_pvalue)]
    return expected


@pytest.mark.parametrize("metric", ["chrf", "ter", "bleu"])
@pytest.mark.parametrize("interval", ["expanded", "BCa"])
def test_a_row_that_is_clicked_is_the_baseline_of_all(opened, metric, interval):
    """Differences, marks and p are those of a comparison with that baseline.

    So are the interval and the counts of the first baseline, which are known the other way round; others are not.
    """
    settings = {"n_resamples": 500, "interval": interval}
    first, *others = EN.systems
    page = opened(tercet.compare(EN, metric, baseline=first, **settings))
    table = page.locator(".scores").first
    before = shown(table), table.screenshot()
    for other in others:
        table.locator("tbody tr", has_text=other).click()
        asked = tercet.compare(EN, metric, baseline=other, **settings)
        found = shown(table)
        assert {name: texts[:3] for name, texts in found.items()} == rows_against(asked)
        (of_first,) = (row for row in asked.tables[0].rows if row.system == first)
        counts = f"{of_first.wins}/{of_first.ties}/{of_first.losses}"
        assert found[first][3:] == [of_first.interval_of_difference.replace("-", "−"), counts]
        assert all(texts[3:] == ["", ""] for name, texts in found.items() if name != first)
        assert table.locator(".tag").count() == 1
        assert table.locator("tr", has=page.locator(".tag")).locator("th bdi").text_content() == other
        assert page.locator(".facts .against").text_content() == other
        said = page.locator(".tools [role=status]").first
        assert said.text_content().startswith(f"Compared with {other}. ")
    page.locator(".tools button").first.click()
    page.mouse.move(0, 0)
    assert (shown(table), table.screenshot()) == before
    assert page.locator(".facts .against").text_content() == first
    assert page.errors == []


def test_tables_of_several_scores_change_together(opened):
    metrics = ["chrf", "ter", "bleu"]
    page = opened(tercet.compare(EN, metrics, n_resamples=200))
    tables = page.locator(".scores")
    tables.first.get_by_role("radio", name="large is the baseline").check()
    asked = [rows_against(tercet.compare(EN, metric, baseline="large", n_resamples=200)) for metric in metrics]
    summary = shown(tables.first)
    for name, texts in summary.items():
        assert texts == [text for each in asked for text in each[name]]
    of_ter = page.locator(".scores", has=page.locator("caption", has_text="TER of each system"))
    assert {name: texts[:3] for name, texts in shown(of_ter).items()} == asked[1]


def test_dashed_lines_stand_at_the_score_of_the_baseline(opened):
    page = opened(tercet.compare(EN, ["chrf", "ter"], n_resamples=50))
    table = page.locator(".scores").first
    places = """rows => rows.map(row => [...row.querySelectorAll("td.score .bar")].map(bar =>
        [bar.querySelector(".base").getAttribute("x1"), bar.querySelector("svg").getAttribute("x")]))"""
    for name in ("large", "tuned", "baseline"):
        table.get_by_role("radio", name=f"{name} is the baseline").check()
        row = table.locator("tbody tr", has_text=re.compile(f"{name}"))
        own = row.filter(has=page.locator(".tag")).evaluate_all(places)[0]
        for others in table.locator("tbody tr").evaluate_all(places):
            assert [line for line, _ in others] == [dot for _, dot in own]


def test_the_baseline_is_chosen_with_keys(opened):
    page = opened(tercet.compare(EN, "chrf", n_resamples=50))
    table = page.locator(".scores").first
    table.get_by_role("radio", name="baseline is the baseline").focus()
    page.keyboard.press("ArrowUp")
    assert table.locator("tr", has=page.locator(".tag")).locator("th bdi").text_content() == "tuned"
    assert table.get_by_role("radio", name="tuned is the baseline").is_checked()
    page.locator(".tools button").first.focus()
    page.keyboard.press("Enter")
    assert table.get_by_role("radio", name="baseline is the baseline").is_checked()


def test_scores_of_zero_and_one_have_their_exact_p_and_halves_are_rounded_as_elsewhere(opened):
    """800 segments: differences such as 12.125 lie between two numbers of two decimals."""
    rng = np.random.default_rng(3)
    right = {name: (rng.random(800) < share).astype(float) for name, share in (("a", 0.5), ("b", 0.61), ("c", 0.62))}
    comparisons = {name: tercet.compare(scores={"accuracy": right}, baseline=name) for name in right}
    page = opened(comparisons["a"])
    assert page.locator(".telling").count() == 0  # there are no texts
    table = page.locator(".scores").first
    for name in ("b", "c"):
        table.get_by_role("radio", name=f"{name} is the baseline").check()
        assert {each: texts[:3] for each, texts in shown(table).items()} == rows_against(comparisons[name])


def test_runs_are_compared_by_the_means_of_their_systems(opened):
    systems, references = many_systems(6)
    names = [f"{system}-{run}" for system in ("base", "tuned", "large") for run in (1, 2)]
    texts = dict(zip(names, systems.values(), strict=True))
    runs = {system: [f"{system}-1", f"{system}-2"] for system in ("base", "tuned", "large")}
    page = opened(tercet.compare(texts, "chrf", references=references, runs=runs))
    table = page.locator(".scores").first
    table.get_by_role("radio", name="tuned is the baseline").check()
    asked = tercet.compare(texts, "chrf", references=references, runs=runs, baseline="tuned-1")
    means = as_systems(asked)
    assert shown(table) == rows_against(means)
    assert page.errors == []


def test_without_a_test_nothing_is_chosen(opened):
    page = opened(tercet.compare(EN, "chrf", test=None))
    assert page.locator("input[type=radio]").count() == 0
    assert copied(page, "Markdown") == in_format([tercet.compare(EN, "chrf", test=None)], "markdown")
    assert page.errors == []


# Order and search


@pytest.fixture
def many(opened):
    systems, references = many_systems(24)
    comparison = tercet.compare(systems, ["chrf", "ter"], references=references, n_resamples=50)
    return opened(comparison), comparison


def order(table):
    return table.locator("tbody tr:visible th bdi").all_text_contents()


def test_tables_of_many_systems_are_sorted_by_their_heads(many):
    page, comparison = many
    table = page.locator(".scores").first
    chrf, ter = ({row.system: row.value for row in each.rows} for each in comparison.tables)
    best_first = order(table)
    for head, value, sign, direction in (
        ("TER", ter, 1, "ascending"),
        ("TER", ter, -1, "descending"),
        ("chrF", chrf, -1, "descending"),
        ("chrF", chrf, 1, "ascending"),
    ):
        button = table.locator("thead").get_by_role("button", name=head)
        button.click()
        values = [sign * value[name] for name in order(table)]
        assert values == sorted(values)
        assert table.locator("th[aria-sort]").get_attribute("aria-sort") == direction
    table.locator("thead").get_by_role("button", name="system").click()
    assert order(table) == sorted(comparison.test_set.systems, key=lambda name: (name[:8], int(name[8:])))
    table.locator("thead").get_by_role("button", name="chrF").click()
    assert order(table) == best_first
    assert "sorted" not in table.get_attribute("class")


def test_systems_are_found_by_a_part_of_their_name(many):
    page, _ = many
    table = page.locator(".scores").first
    page.locator(".tools").first.get_by_role("searchbox").fill("SYSTEM b")
    assert order(table) == ["system B1"]
    assert "1 of 24 systems" in page.locator(".tools").first.text_content()
    page.locator(".tools").first.get_by_role("searchbox").fill("")
    assert len(order(table)) == 24


def test_few_systems_need_neither_order_nor_search(opened):
    systems, references = many_systems(20)
    page = opened(tercet.compare(systems, "chrf", references=references, n_resamples=50))
    assert page.locator("thead button").count() == 0
    assert page.locator(".tools input[type=search]").count() == 0


def test_without_script_all_rows_are_there_and_no_controls(opened):
    systems, references = many_systems(24)
    page = opened(tercet.compare(systems, "chrf", references=references, n_resamples=50), java_script_enabled=False)
    assert len(order(page.locator(".scores").first)) == 24
    for selector in (".copy", ".tools", "thead button", "input[type=radio]"):
        assert page.locator(selector).locator("visible=true").count() == 0


# What is drawn


@pytest.mark.parametrize("metric", ["chrf", "ter"])
def test_better_scores_and_differences_are_further_right(opened, metric):
    page = opened(tercet.compare(EN, metric, n_resamples=50))
    table = page.locator(".scores").first
    for selector in ("td.score:not(.tests) .bar svg", "td.tests .bar svg"):
        places = [
            float(each.strip("%"))
            for each in table.locator(selector).evaluate_all("all => all.map(each => each.getAttribute('x'))")
        ]
        assert len(places) > 1
        assert places == sorted(places, reverse=True)  # the best is first
    ticks = table.locator("thead .axis").first.locator("span").all()
    ticks.sort(key=lambda tick: tick.bounding_box()["x"])
    numbers = [float(tick.text_content().replace("−", "-")) for tick in ticks]
    assert numbers == sorted(numbers, reverse=metric == "ter")
    assert ("drawn further right" in page.locator("main").text_content()) == (metric == "ter")


@pytest.mark.parametrize("metric", ["chrf", "ter"])
def test_the_segment_beside_the_verdict_is_where_the_best_gains_most_over_the_baseline(opened, metric):
    page = opened(tercet.compare(EN, metric, n_resamples=50))
    (table,) = tercet.compare(EN, metric, test=None).tables
    sign = 1 if table.higher_is_better else -1
    gains = sign * np.subtract(table.segments["large"], table.segments["baseline"])
    number = int(gains.argmax())
    box = page.locator(".telling")
    assert box.locator("b bdi").all_text_contents() == ["large", "baseline", "large", "baseline"]
    expected = [EN.references[number][0], EN.systems["large"][number], EN.systems["baseline"][number]]
    assert box.locator(".text").all_text_contents() == expected
    scores = [f"{table.segments[name][number]:.2f}" for name in ("large", "baseline")]
    assert box.locator(".number").all_text_contents() == scores
    box.get_by_role("link").click()
    expect(page.locator("details.segments article h5")).to_have_text(f"Segment {number + 1}")


def test_where_no_system_is_better_no_segment_stands_beside_the_verdict(opened):
    texts = {"one": ["a cat", "a dog"], "other": ["a cat", "a dog"]}
    page = opened(tercet.compare(texts, "chrf", references=["a cat", "the dog"], n_resamples=50))
    assert page.locator(".telling").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (768, "light"), (1280, "light")])
def test_axe_finds_nothing_in_a_page_that_was_used(opened, width, scheme):
    systems, references = many_systems(22)
    comparison = tercet.compare(systems, ["chrf", "ter"], references=references, n_resamples=50)
    page = opened(comparison, before=NO_COPY, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.locator(".copy").get_by_role("button", name="Markdown").click()
    expect(page.locator("textarea")).to_be_visible()
    page.locator(".scores").first.locator("tbody tr").nth(3).locator("th").click()
    page.locator(".tools").first.get_by_role("searchbox").fill("1")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"][:3]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.errors == []
