"""The site of the documentation, built as `make docs` builds it, in a real browser that opens it from its folder."""

import re
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tercet
from conftest import ROOT
from tercet.registry import METRICS

pytestmark = pytest.mark.long  # `make docs` is quicker, and finds wrong links and names

#: The theme has several navigations with one name, as it draws one for wide and one for narrow windows.
THEME = {"rules": {"landmark-unique": {"enabled": False}}}
SCREENSHOTS = ROOT / "build" / "screenshots"
ALSO_PUBLIC = {
    "GenerationCallback",
    "preprocess_logits_for_metrics",
    "TercetError",
    "InputError",
    "OptionError",
    "MergeError",
    "GatheringError",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; a broken link or an unknown name fails the build."""
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder


class Reader:
    """Somebody with a window of a browser in front of the site, without a network."""

    def __init__(self, browser, site, *, width=1280, dark=False):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        self.site, self.page = site, self.context.new_page()
        self.requests, self.errors = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, name):
        self.page.goto(f"{self.site.as_uri()}/{name}.html")
        expect(self.page.locator("h1")).to_be_visible()

    def elsewhere(self):
        """Return what was asked of any other place than the site's folder."""
        return [url for url in self.requests if not url.startswith((self.site.as_uri(), "data:"))]


@pytest.fixture
def reader(browser, site):
    reader = Reader(browser, site)
    yield reader
    reader.context.close()


def names(site):
    return sorted(str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html"))


def test_has_a_page_for_each_metric_and_no_page_asks_for_anything_elsewhere(site, reader):
    pages = names(site)
    for metric in [*METRICS, "paired_significance"]:
        assert f"metrics/{metric}" in pages
        assert (
            f'<td><a href="{metric}.html"><code>{metric}</code></a></td>' in (site / "metrics/index.html").read_text()
        )
    for name in pages:
        if name != "404":  # whose addresses are those of a server
            reader.open(name)
    assert len(reader.requests) > len(pages)
    assert reader.elsewhere() == []
    assert reader.errors == []


def test_search_finds_a_page(reader):
    reader.open("index")
    reader.page.get_by_role("textbox", name="Search").fill("brevity")
    found = reader.page.locator(".md-search-result__link").first
    expect(found).to_be_visible(timeout=20_000)
    titles = reader.page.locator(".md-search-result__item h1").all_text_contents()
    assert "bleu_multi" in titles
    assert reader.elsewhere() == []
    found.click()
    expect(reader.page.locator("article")).to_contain_text("brevity", ignore_case=True)


@pytest.mark.parametrize(
    ("name", "shown", "copied"),
    [
        ("index", ">>> import tercet", r'import tercet\npredictions = \[.*\nround\(result\["bleu"\], 1\)'),
        ("use/many-systems", "$ tercet compare", "tercet compare examples/data/es.tsv .* --metric ter"),
        ("use/mbr", "$ tercet mbr", "tercet mbr examples/data/candidates.jsonl --metric chrf"),
    ],
)
def test_copied_code_has_neither_prompts_nor_output(reader, name, shown, copied):
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.open(name)
    block = reader.page.locator(".highlight", has_text=shown).first
    assert len(block.inner_text().splitlines()) > len(copied.split(r"\n"))
    block.hover()
    block.get_by_role("button", name="Copy").click()
    reader.page.wait_for_function(
        "async pattern => new RegExp(`^(?:${pattern})$`, 's').test((await navigator.clipboard.readText()).trim())",
        arg=copied,
    )


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screen_has_a_result_a_picture_and_three_doors(browser, site, width, height):
    reader = Reader(browser, site, width=width)
    reader.open("index")
    first = reader.page.locator(".first-screen")
    doors, parts = first.locator("li > a"), [first.get_by_text("35.0"), first.locator("img:visible")]
    assert [each.get_attribute("href") for each in doors.all()] == [
        "quickstart.html", "use/command-line.html", "use/drop-in.html",
    ]  # fmt: skip
    for part in [*parts, *doors.all()]:
        box = part.bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
    reader.context.close()


def test_the_picture_of_the_home_page_follows_dark_mode(browser, site):
    for dark in (False, True):
        reader = Reader(browser, site, dark=dark)
        reader.open("index")
        picture = reader.page.locator(".first-screen img:visible")
        assert picture.get_attribute("src") == f"report_answer{'_dark' * dark}.png"
        reader.page.locator("[for=__palette_0], [for=__palette_1]").locator("visible=true").click()
        assert picture.get_attribute("src") == f"report_answer{'_dark' * (not dark)}.png"
        reader.context.close()


def test_the_text_of_a_picture_can_be_read_on_a_phone(browser, site):
    """A picture is one made for a phone, or is scrolled; of a window of 1280 pixels at least 60 % of the size."""
    reader, seen = Reader(browser, site, width=390), set()
    for name in ("index", "use/output", "use/notebook", "use/spaces", "which-metric", "speed"):
        reader.open(name)
        for picture in reader.page.locator("article img:visible").all():
            picture.scroll_into_view_if_needed()
            file = picture.evaluate("async image => { await image.decode(); return image.currentSrc }").split("/")[-1]
            made_for = 390 if "_phone" in file else min(picture.evaluate("image => image.naturalWidth"), 1280)
            assert picture.bounding_box()["width"] >= 0.6 * made_for, file
            with reader.context.expect_page() as opened:  # a tap shows the file itself
                picture.locator("xpath=ancestor::a").click(modifiers=["Control"])
            assert opened.value.url.endswith(picture.get_attribute("src").split("/")[-1])
            opened.value.close()
            seen.add(file)
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390, name
    reader.context.close()
    assert {"report_answer_phone.png", "report_phone.png", "trust_phone.png", "space_ter.png"} <= seen


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        (1280, False),
        (390, True),
    ],
)
def test_pages_fit_their_window_and_have_no_barriers(browser, site, width, dark):
    reader = Reader(browser, site, width=width, dark=dark)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in ("index", "use/command-line", "metrics/ter", "api/metrics", "api/compare", "speed"):
        reader.open(name)
        reader.page.screenshot(
            path=SCREENSHOTS / f"docs-{name.replace('/', '-')}-{width}-{'dark' if dark else 'light'}.png"
        )
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width, name
        for each in Axe().run(reader.page, options=THEME).response["violations"]:
            found.setdefault(each["id"], []).append((name, each["nodes"][0]["html"][:200]))
    reader.context.close()
    assert found == {}


def test_the_reference_has_every_public_name(site):
    text = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    documented = set(re.findall(r'class="doc doc-heading"[^>]*>\s*tercet\.(\w+)', text))
    assert documented - {"streaming", "testing"} == set(tercet.__all__) - {"__version__", "errors"} | ALSO_PUBLIC
