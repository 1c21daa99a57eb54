"""Texts that would run or load something on a page that took them for anything but texts."""

import ast
import csv
import io
import json

import pytest
from playwright.sync_api import expect

from page_checks import as_jsonl, equal, given_in, has, photograph, refuses, scored, scored_alone, shows
from suite import UNLIKE

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


#: Texts that would run, load, hide or turn something in a page that took them for anything but texts.
HOSTILE = [
    '<img class=hostile src="ELSEWHERE/x" onerror="alert(1)">',
    "<script class=hostile>alert(2)</script>",
    "<svg class=hostile onload=alert(3)><style class=hostile>* {display: none}</style></svg>",
    '<iframe class=hostile src="javascript:alert(4)"></iframe><base class=hostile href="ELSEWHERE/">',
    '<a class=hostile href="javascript:alert(5)" onmouseover="alert(6)">x</a>',
    '<form class=hostile action="ELSEWHERE"><input class=hostile autofocus onfocus=alert(7)>',
    "</textarea></script></style></pre><b class=hostile>out</b>",
    "![picture](ELSEWHERE/y) [link](javascript:alert(8)) <ELSEWHERE/z> ELSEWHERE/auto",
    "$\\href{javascript:alert(9)}{x}$ {{constructor.constructor('alert(10)')()}} ${alert(11)} <%= 12 %>",
    "\u202eold eht\u202c \u2066isolated \u200fright",
    '"\'`> onclick=alert(13) x=" &lt;b class=hostile&gt; &amp;',
    '=HYPERLINK("ELSEWHERE")',
]


def has_run_nothing(visitor, asked):
    """No element came of a hostile text, none ran (a dialog is an error of the visitor's), none was loaded."""
    assert visitor.page.evaluate("document.querySelectorAll('.hostile').length") == 0
    assert visitor.page.evaluate("[...document.links].filter(a => /^javascript/i.test(a.protocol)).length") == 0
    expect(visitor.find("#compute, #compute-file").locator("visible=true")).to_have_count(1)
    assert asked == []


@pytest.fixture
def hostile(stranger):
    address, asked = stranger
    return [text.replace("ELSEWHERE", address) for text in HOSTILE], asked


def _predictions(visitor):
    """Return the predictions of the code shown; it fails while that is being drawn."""
    try:
        return ast.literal_eval(given_in(visitor.program(), "predictions"))
    except (SyntaxError, StopIteration) as error:
        raise AssertionError("the code is half drawn") from error


class TestHostileTexts:
    @pytest.mark.parametrize("metric", UNLIKE)
    def test_stand_on_the_page_as_they_are(self, visit, metric, hostile):
        texts, asked = hostile
        visitor = visit(metric)
        for text in texts if metric == "bleu_multi" else [" ".join(texts[:5])]:
            visitor.give(text, f"{text}\na cat {text}")
            visitor.compute()
            shows(visitor, scored_alone(metric, text, [text, f"a cat {text}"]))
            # Where every text has the same score, nothing above has waited for this one.
            visitor.until(lambda text=text: equal(_predictions(visitor), [text]))
            has_run_nothing(visitor, asked)
        # What is shown are tokens: white space left out, they are the text.
        shown = "".join(visitor.find("#picture").inner_text().split()).casefold()
        assert ("hyperlink" if metric == "bleu_multi" else "onmouseover") in shown

    @pytest.mark.long
    def test_stand_in_the_table_of_a_file_as_they_are(self, visit, hostile, tmp_path):
        texts, asked = hostile
        texts = [*texts, "\0 nothing \0"]
        header = ["".join(texts[place].split()) for place in (0, 1, 7)]
        path = tmp_path / f"{texts[0].replace('/', '')}{texts[1].replace('/', '')}.jsonl"
        path.write_text(as_jsonl(header, [(text, text, f"a {text}") for text in texts]), encoding="utf-8")
        visitor = visit("bleu_multi")
        visitor.upload(path)
        said = f"{len(texts)} rows. No columns were recognized by name."
        expect(visitor.find("#about-file")).to_contain_text(said)
        expect(visitor.find("#file-input")).to_contain_text("<img class=hostile src=")
        visitor.choose("#system", [header[0]])
        visitor.choose("#reference-columns", header[1:])
        visitor.compute_file()
        references = [[text, f"a {text}"] for text in texts]
        expected = scored("bleu_multi", texts, references, confidence_level=0.95, segments=True)
        shows(visitor, expected, "file")
        has_run_nothing(visitor, asked)
        grid = visitor.find("#items [role=grid]")
        for number, text in enumerate(texts[:3], 2):
            cells = grid.locator(f"[role=row][aria-rowindex='{number}'] [role=gridcell]")
            expect(cells.nth(-2)).to_have_text(text)
            expect(cells.nth(-1)).to_have_text(f"{text} | a {text}")
        rows = list(csv.DictReader(io.StringIO(visitor.download("#download-tsv")), delimiter="\t"))
        assert [row["prediction"] for row in rows] == [" ".join(text.split()) for text in texts]
        assert json.loads(visitor.download("#download-json"))["signature"] == expected["signature"]
        code = visitor.program("file")
        assert given_in(code, "predictions") == f"table[{header[0]!r}].tolist()"
        assert all(f"table[{name!r}]" in given_in(code, "references") for name in header[1:])
        photograph(visitor, "bleu_multi-hostile")
        has_run_nothing(visitor, asked)
        visitor.choose("#system", header[:2])
        visitor.choose("#reference-columns", header[2:])
        visitor.compute_file()
        visitor.until(lambda: equal({row[0] for row in visitor.seen("file")["systems"]}, set(header[:2])))
        outputs = visitor.find("#segments .example").first.locator(".output b")
        visitor.until(lambda: equal(outputs.all_inner_texts(), header[:2]))
        has_run_nothing(visitor, asked)

    @pytest.mark.long
    def test_stand_in_messages_as_they_are(self, visit, hostile, tmp_path):
        texts, asked = hostile
        visitor = visit("bleu_multi")
        for text in texts:
            visitor.set({"smooth_value": text})
            visitor.give("a", "a")
            visitor.compute()
            refuses(visitor, "must be a")
            expect(visitor.find("#result [role=alert]")).to_contain_text(repr(text)[:40])
        # Of a file's name gradio keeps what can stand in a name anywhere.
        bad = {texts[1].replace("/", ""): ("", "script class=hostile"), "bad": (json.dumps(texts[0]), texts[0][:40])}
        for name, (text, message) in bad.items():
            path = tmp_path / f"{name}.jsonl"
            path.write_text(text)
            visitor.upload(path)
            expect(visitor.find("#about-file").get_by_role("alert")).to_contain_text(message)
            has_run_nothing(visitor, asked)

    @pytest.mark.long
    def test_stand_in_names_of_scores_as_they_are(self, visit, hostile, tmp_path):
        _, asked = hostile
        name = "<b/class/hostile><script>alert(1)</script>![x](javascript)"
        path = tmp_path / "own.tsv"
        path.write_text("mt\tref\na cat\ta cat\na dog\ta cat\n")
        visitor = visit("bleu_multi")
        visitor.set({"weights": f"{name} = 0.5, 0.5"})
        visitor.give("a cat", "a cat")
        visitor.compute()
        shows(visitor, scored_alone("bleu_multi", "a cat", ["a cat"], weights={name: [0.5, 0.5]}))
        visitor.upload(path)
        visitor.until(lambda: equal(visitor.chosen("#system"), ["mt"]))
        visitor.compute_file()
        more = {"weights": {name: [0.5, 0.5]}, "confidence_level": 0.95, "segments": True}
        shows(visitor, scored("bleu_multi", ["a cat", "a dog"], [["a cat"], ["a cat"]], **more), "file")
        headers = visitor.find("#items [role=grid]").get_by_role("columnheader")
        visitor.until(lambda: has(f"BLEU {name}" in [text.strip() for text in headers.all_inner_texts()]))
        has_run_nothing(visitor, asked)
