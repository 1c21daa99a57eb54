"""The page of each Space in a real browser, as its visitors meet it: texts, files, options, mistakes, programs."""

import ast
import csv
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from PIL import Image

import tercet
from conftest import ROOT, SHARES
from language_models import SMOLLM2
from spaces.build import build
from tercet.core.option_docs import option_docs
from tercet.registry import METRICS, options_type
from texts import LATIN, MINILM, PAIRS, all_pairs

REQUIRED = bool(os.environ.get("TERCET_REQUIRE_BROWSER"))
if not REQUIRED:
    pytest.importorskip("playwright", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("Debian's chromium is not installed", allow_module_level=True)

from gradio_client import Client  # noqa: E402
from gradio_client.exceptions import AppError  # noqa: E402
from playwright.sync_api import expect, sync_playwright  # noqa: E402

from browser import CHROMIUM, Served, Visitor, chromium  # noqa: E402

#: Pictures of the pages, for whoever wants to look; the README shows some (see CONTRIBUTING.md).
SCREENSHOTS = ROOT / "build" / "screenshots"

#: What the page begins with, where the metric has no default.
BEGUN = {"bertscore_idf": {"model_type": MINILM, "num_layers": 5}, "perplexity_lm": {"model_id": SMOLLM2}}
#: How the menu calls that encoder.
SMALL = "all-MiniLM-L6-v2 (small; take layer 5)"
CASES = {metric: runpy.run_path(str(ROOT / "metrics" / metric / "cases.py")) for metric in METRICS}
#: The score in large letters.
PRIMARY = {"bleu_multi": "bleu", "rouge_nlws": "rouge1", "bertscore_idf": "mean_f1", "perplexity_lm": "perplexity"}
#: Entries of a result that are not in its table.
APART = {"signature", "segments", "intervals", "hashcode", "interpretation"}

PREDICTIONS, REFERENCES = all_pairs(LATIN)


@pytest.fixture(scope="module")
def browser():
    assert chromium(), "TERCET_REQUIRE_BROWSER is set, but there is no chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The page of a metric, by name: started when it is first asked for."""
    with ExitStack() as running:

        @cache
        def page_of(metric):
            work = tmp_path_factory.mktemp(metric)
            page = Served(build(metric, work / "spaces"), work)
            running.callback(page.stop)
            return page

        yield page_of


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def context(browser):
    """A browser's own memory, for windows of this width; each load of the page is a visitor to the server."""
    return cache(lambda width: browser.new_context(viewport={"width": width, "height": 900}, locale="en"))


@pytest.fixture
def visit(browser, context, served):
    """Somebody in front of a metric's page; nobody may meet an error, or have data sent to another machine."""
    with ExitStack() as leaving:
        visitors = []

        def enter(metric, *, width=1280, alone=False, **how):
            home = browser.new_context(locale="en") if alone else context(width)
            visitors.append(Visitor(home, served(metric), **how))
            leaving.callback((home if alone else visitors[-1].page).close)
            return visitors[-1]

        yield enter
        assert not [trouble for each in visitors for trouble in each.troubles() + each.served.troubles()]


@pytest.fixture
def stranger():
    """A machine that tells what it was asked for."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"mt\tref\na\tb\n")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def program(served):
    """A program that calls a metric's page; what it does may not end in a traceback there."""
    pages = []

    def connect(metric):
        pages.append(served(metric))
        return Client(pages[-1].address, verbose=False)

    yield connect
    assert not [trouble for page in pages for trouble in page.troubles()]


def scored(metric, predictions, references, **options):
    """What the metric says of these texts, with what the page begins with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows them as notes
        return tercet.score(metric, predictions, references, **{**BEGUN.get(metric, {}), **options}).to_dict(
            full=True
        )


def numbers(text):
    return [float(part) for part in text.split(", ")]


def near(value):
    """A number as the page shows it: four digits behind the point."""
    return pytest.approx(value if isinstance(value, list) else [value], rel=1e-5, abs=6e-5)


def shows(visitor, result, tab=""):
    """The page comes to show this result: large score, table, intervals, signature, and no message."""

    def check():
        seen = visitor.seen(tab)
        assert seen["message"] is None
        assert seen["signature"] == result["signature"]
        name, score = seen["score"].split()
        assert numbers(score) == near(result[name])
        rows = {row[0]: row[1:] for row in seen["rows"] if row[0] != "entry"}
        of_items = {name for name in result.get("segments") or {} if isinstance(result.get(name), list)}
        assert rows.keys() == {k for k, value in result.items() if not isinstance(value, dict)} - APART - of_items
        for name, (value, *interval) in rows.items():
            assert numbers(value) == near(result[name]), name
            bounds = (result.get("intervals") or {}).get(name)
            assert [numbers(bound)[0] for bound in " ".join(interval).split(" to ") if bound] == near(bounds or [])

    visitor.until(check)


def refuses(visitor, message, tab=""):
    """The page comes to show a message that a screen reader says at once, and nothing of a former result."""

    def check():
        seen = visitor.seen(tab)
        assert message in (seen["message"] or "")
        assert (seen["score"], seen["rows"]) == (None, [])

    visitor.until(check)
    left = ("signature", "picture", "figure") if not tab else ("file-signature", "distribution", "items")
    for name in left:
        expect(visitor.find(f"#{name}")).to_be_hidden()
    assert "Traceback" not in visitor.find("[role=tabpanel]:visible").inner_text()


def written(weights):
    return "; ".join(f"{name} = {', '.join(map(str, values))}" for name, values in weights.items())


# Texts and options


TWO_WEIGHTINGS = {"plain": [0.5, 0.5], "first": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("metric", "language", "options", "clicked"),
    [
        ("bleu_multi", "de", {"lowercase": True, "smooth_method": "floor", "smooth_value": 0.2}, {}),
        ("bleu_multi", "zh", {"tokenizer": "zh", "smooth_method": "exp", "scale": 100}, {}),
        ("bleu_multi", "ru", {"max_order": 2, "weights": TWO_WEIGHTINGS}, {"weights": written(TWO_WEIGHTINGS)}),
        ("rouge_nlws", "fr", {"rouge_types": ["rougeL", "rouge3", "rouge1"], "beta": 2, "output": "all"}, {}),
        ("rouge_nlws", "en", {"use_stemmer": True, "max_words": 5, "multi_ref": "average"}, {}),
        ("rouge_nlws", "th", {"tokenizer": "char"}, {}),
        ("bertscore_idf", "es", {"idf": False, "num_layers": 3}, {}),
        ("bertscore_idf", "he", {"multi_ref": "best_f", "scale": 100}, {}),
        ("perplexity_lm", "ru", {"add_start_token": False}, {}),
        ("perplexity_lm", "en", {"max_length": 9, "stride": 3}, {}),
    ],
)
def test_own_texts_are_scored_as_by_the_package_and_options_count(visit, metric, language, options, clicked):
    prediction, references = PAIRS[language][0]
    visitor = visit(metric)
    visitor.give(prediction, "\n".join(references))
    visitor.compute()
    plain = scored(metric, [prediction], [references])
    shows(visitor, plain)
    visitor.set({**options, **clicked})
    visitor.compute()
    chosen = scored(metric, [prediction], [references], **options)
    assert chosen["signature"] != plain["signature"]
    shows(visitor, chosen)


class TestPicture:
    @pytest.mark.parametrize("language", ["en", "el", "ja"])
    def test_bleu_colours_each_token_by_its_longest_n_gram(self, visit, language):
        prediction, references = PAIRS[language][0][0], [*PAIRS[language][0][1], "a reference of its own"]
        visitor = visit("bleu_multi")
        visitor.give(prediction, "\n".join(references))
        visitor.set({"tokenizer": "char"})
        visitor.compute()
        why = tercet.explain("bleu_multi", prediction, references, tokenizer="char")
        texts = [("prediction", why.prediction)]
        texts += [(f"reference {number}", words) for number, words in enumerate(why.references, 1)]
        levels = [(name, [(word.text, str(word.level)) for word in words]) for name, words in texts]
        assert len({level for _, tokens in levels for _, level in tokens}) > 2
        visitor.until(lambda: _equal(visitor.coloured(), levels))

    def test_rouge_colours_what_matches_type_by_type(self, visit):
        prediction, references = "the lazy old dog slept by the fire", ["a dog slept by a fire", "the old fire"]
        visitor = visit("rouge_nlws")
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        types = tercet.explain("rouge_nlws", prediction, references).types
        levels = [
            (name, [(word.text, str(word.level)) for word in words])
            for each in types
            for name, words in (("prediction", each.prediction_words), ("reference", each.reference_words))
        ]
        assert len(levels) == 14
        visitor.until(lambda: _equal(visitor.coloured(), levels))

    def test_bertscore_draws_lines_a_table_and_a_heat_map(self, visit):
        prediction, references = PAIRS["en"][1]
        visitor = visit("bertscore_idf")
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        options = {**BEGUN["bertscore_idf"], "idf": True, "corpus": references}
        why = tercet.explain("bertscore_idf", prediction, references, **options)
        sides = (("prediction", why.prediction_tokens), ("reference", why.reference_tokens))
        words = [(name, [token.text for token in tokens if not token.special]) for name, tokens in sides]
        visitor.until(lambda: _equal([(n, [t for t, _ in tokens]) for n, tokens in visitor.coloured()], words))
        picture = visitor.find("#picture")
        assert picture.locator("svg line").count() == sum(len(tokens) for _, tokens in sides)
        picture.get_by_text("all tokens").click()
        for table, (_, tokens) in zip(picture.locator("table").all(), sides, strict=True):
            cells = [row.split("\t") for row in table.locator("tr").all_inner_texts()[1:]]
            assert [row[0] for row in cells] == [token.text for token in tokens]
            assert [float(row[1]) for row in cells] == near([token.weight for token in tokens])
            assert [float(row[4]) for row in cells] == near([token.contribution for token in tokens])
        heat_map = visitor.find("#figure img")
        expect(heat_map).to_be_visible()
        assert heat_map.evaluate("image => image.naturalWidth") > 400


def _equal(found, expected):
    assert found == expected
    return found


def test_every_example_is_filled_in_and_computed_by_one_click(visit, metric):
    visitor = visit(metric)
    number = 0
    for case in CASES[metric]["CASES"]:
        lists = case.get("references", [[]] * len(case["predictions"]))
        for prediction, given in zip(case["predictions"], lists, strict=True):
            references = [given] if isinstance(given, str) else given
            visitor.find("#examples button").nth(number).click()
            number += 1
            shows(visitor, scored(metric, [prediction], [references], **case["options"]))
            expect(visitor.find("#prediction textarea")).to_have_value(prediction)
            if references:
                expect(visitor.find("#references textarea")).to_have_value("\n".join(references))
            if len(case["predictions"]) == 1:
                rows = {row[0]: row[1] for row in visitor.seen()["rows"]}
                for name, value in case["expected"].items():
                    tolerance = max(case["tolerance"], 5e-5) * 1.001
                    values = value if isinstance(value, list) else [value]
                    assert numbers(rows[name]) == pytest.approx(values, rel=0, abs=tolerance), case["description"]
    expect(visitor.find("#examples button")).to_have_count(number)


def test_the_code_shown_prints_the_same_elsewhere(visit, metric, tmp_path):
    prediction, references = PAIRS["fr"][0]
    chosen = {
        "bleu_multi": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rougeSU4"]}, "bertscore_idf": {"idf": False},
        "perplexity_lm": {"add_start_token": False},
    }[metric]  # fmt: skip
    visitor = visit(metric)
    visitor.give(prediction, "\n".join(references))
    visitor.set(chosen)
    visitor.compute()
    expected = scored(metric, [prediction], [references], **chosen)
    shows(visitor, expected)
    environment = visitor.served.environment | {"HF_HOME": str(tmp_path / "hf")}
    run = subprocess.run(
        [sys.executable, "-c", visitor.code()],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True,
    )  # fmt: skip
    call = ast.parse(run.stdout, mode="eval").body
    printed = ast.literal_eval(call.args[0])
    attributes = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    assert attributes["signature"] == expected["signature"]
    assert printed[next(iter(expected))] == pytest.approx(
        expected[next(iter(expected))], rel=SHARES.get(metric, 0.0), abs=2e-6
    )


class TestReferences:
    def test_stand_one_on_a_line(self, visit, metric):
        references = ["The ferry leaves at half past seven.", "At 7:30 the ferry departs.", "The boat leaves."]
        visitor = visit(metric)
        visitor.give("The ferry leaves at 7:30.", "\r\n".join(references) + "\n")
        visitor.compute()
        shows(visitor, scored(metric, ["The ferry leaves at 7:30."], [references]))
        assert "refs:3" in visitor.seen()["signature"]

    def test_of_several_lines_end_with_an_empty_line(self, visit):
        prediction = "The cat sat.\nIt rained all day.\nNobody came."
        references = ["It rained all day.\nThe cat sat on the mat.", "Nobody came.\nThe cat left."]
        visitor = visit("rouge_nlws")
        visitor.give(prediction, "\n\n".join(references))
        visitor.compute()
        expected = scored("rouge_nlws", [prediction], [references])
        assert expected["rougeLsum"] != expected["rougeL"]
        shows(visitor, expected)


# Files


def as_tsv(header, rows):
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


def as_csv(header, rows):
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def as_jsonl(header, rows):
    return "".join(json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)


def as_tmx(header, rows):
    def unit(row):
        texts = zip(header, row, strict=True)
        return "".join(f'<tuv xml:lang="{name}"><seg>{text}</seg></tuv>' for name, text in texts)

    units = "".join(f"<tu>{unit(row)}</tu>\n" for row in rows)
    head = '<header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="en"'
    return f'<?xml version="1.0"?>\n<tmx version="1.4">{head} datatype="plaintext"/><body>\n{units}</body></tmx>\n'


WRITERS = {"tsv": as_tsv, "csv": as_csv, "jsonl": as_jsonl, "tmx": as_tmx}

#: The line on which the first row begins: behind a head, where there is one.
FIRST_LINE = {"tsv": 2, "csv": 2, "jsonl": 1, "tmx": 3}

ROWS = [
    (prediction, references[0], references[-1], references[0].lower())
    for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True)
]


@pytest.mark.parametrize(
    ("metric", "end", "header", "guessed"),
    [
        ("bleu_multi", "tsv", ["online-A", "ref", "reference 2", "online-B"], ("online-A", ["ref", "reference 2"])),
        ("bleu_multi", "tmx", ["en-US", "de", "fr", "en-GB"], ("en-US", [])),
        ("rouge_nlws", "csv", ["generated", "highlights", "ref2", "pegasus"], ("generated", ["highlights", "ref2"])),
        ("bertscore_idf", "jsonl", ["mt", "ref", "ref2", "mt2"], ("mt", ["ref", "ref2"])),
    ],
)
def test_a_file_is_scored_with_intervals_a_plot_a_table_and_downloads(visit, tmp_path, metric, end, header, guessed):
    path = tmp_path / f"own.{end}"
    path.write_text(WRITERS[end](header, ROWS), encoding="utf-8", newline="")
    visitor = visit(metric)
    visitor.upload(path)
    expect(visitor.find("#about-file")).to_have_text(f"{len(ROWS)} rows")
    expect(visitor.find("#system input")).to_have_value(guessed[0])
    assert visitor.chosen("#reference-columns") == guessed[1]
    # The guess is changed by hand, to another system and fewer references, or to the first ones.
    visitor.choose("#system", header[3])
    visitor.choose("#reference-columns", [header[1]])
    visitor.compute_file()
    more = {"confidence_level": 0.95, "segments": True}
    changed = scored(metric, [row[3] for row in ROWS], [[row[1]] for row in ROWS], **more)
    shows(visitor, changed, "file")
    assert "95 % interval" in visitor.seen("file")["rows"][0]
    visitor.choose("#system", header[0])
    visitor.choose("#reference-columns", header[1:3])
    visitor.compute_file()
    expected = scored(metric, PREDICTIONS, [list(row[1:3]) for row in ROWS], **more)
    assert expected[PRIMARY[metric]] != changed[PRIMARY[metric]]
    shows(visitor, expected, "file")
    _has_its_bars(visitor)
    _has_its_table(visitor, expected["segments"], end)
    _has_its_downloads(visitor, metric, expected)
    code = visitor.code("file")
    assert f"# predictions: the column {header[0]!r}; references: {header[1]!r}, {header[2]!r}" in code
    call = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and node.keywords)
    assert {"confidence_level", "segments"} <= {each.arg for each in call.keywords}
    _photograph(visitor, f"{metric}-file-{end}")


def _has_its_bars(visitor):
    bars = visitor.find("#distribution .mark-rect path")
    visitor.until(lambda: _equal(bars.count(), 20))
    heights = [box["height"] for box in (bar.bounding_box() for bar in bars.all()) if box]
    assert sum(height > 1 for height in heights) > 1


def _has_its_table(visitor, segments, end):
    grid = visitor.find("#items [role=grid]")
    expect(grid).to_have_attribute("aria-rowcount", str(len(ROWS) + 1))
    row = grid.locator("[role=row][aria-rowindex='2'] [role=gridcell]")
    expect(row).to_have_count(3 + len(segments))
    line, *scores, prediction, references = [text.strip() for text in row.all_inner_texts()]
    assert [float(score) for score in scores] == near([values[0] for values in segments.values()])
    assert (prediction, references) == (PREDICTIONS[0], " | ".join(ROWS[0][1:3]))
    assert int(line) == FIRST_LINE[end]
    names = [text.strip() for text in grid.get_by_role("columnheader").all_inner_texts()]
    assert names == ["line", *segments, "prediction", "references"]


def _has_its_downloads(visitor, metric, expected):
    rows = list(csv.DictReader(io.StringIO(visitor.download("#download-tsv")), delimiter="\t"))
    assert [row["prediction"] for row in rows] == PREDICTIONS
    for name, values in expected["segments"].items():
        assert [float(row[name]) for row in rows] == pytest.approx(values, rel=SHARES.get(metric, 0.0), abs=2e-6)
    result = json.loads(visitor.download("#download-json"))
    assert result["signature"] == expected["signature"]
    assert result["segments"].keys() == expected["segments"].keys()
    assert result["intervals"][PRIMARY[metric]] == pytest.approx(
        expected["intervals"][PRIMARY[metric]], rel=SHARES.get(metric, 0.0), abs=2e-6
    )


def test_a_second_file_replaces_the_first(visit, tmp_path):
    first, second = tmp_path / "first.tsv", tmp_path / "second.jsonl"
    first.write_text("mt\tref\na cat\ta cat\na dog\ta cat\n")
    second.write_text(as_jsonl(["pegasus", "gold"], [("an old house", "an old house"), ("b c d", "b d")]))
    visitor = visit("rouge_nlws")
    visitor.upload(first)
    expect(visitor.find("#system input")).to_have_value("mt")
    visitor.compute_file()
    more = {"confidence_level": 0.95, "segments": True}
    shows(visitor, scored("rouge_nlws", ["a cat", "a dog"], [["a cat"], ["a cat"]], **more), "file")
    visitor.upload(second)
    expect(visitor.find("#system input")).to_have_value("pegasus")
    for result in ("#file-result .tercet", "#file-signature", "#items", "#distribution", "#download-tsv"):
        expect(visitor.find(result)).to_be_hidden()  # they are the first file's
    visitor.compute_file()
    expected = scored("rouge_nlws", ["an old house", "b c d"], [["an old house"], ["b d"]], **more)
    shows(visitor, expected, "file")


# Mistakes


class TestMistakes:
    def test_of_texts_are_told_and_forgotten(self, visit, metric):
        visitor = visit(metric)
        visitor.give("a cat", "a cat")
        visitor.compute()
        good = scored(metric, ["a cat"], [["a cat"]])
        shows(visitor, good)
        visitor.give("a cat", " \n\n ")
        visitor.compute()
        refuses(visitor, "There is no reference")
        visitor.give("a cat " * 2_000, "a cat")
        visitor.compute()
        refuses(visitor, "12,000 characters")
        visitor.give("a cat", "a cat")
        visitor.compute()
        shows(visitor, good)
        expect(visitor.find("#picture")).to_contain_text("cat")

    @pytest.mark.parametrize(
        ("metric", "mistakes"),
        [
            (
                "bleu_multi",
                [
                    ({"max_order": -1}, "'max_order' option of bleu_multi must be"),
                    ({"max_order": 2.5}, "a whole number from 1 to 20. Got 2.5"),
                    ({"max_order": ""}, "a whole number from 1 to 20. Got None"),
                    ({"smooth_value": "a lot"}, "must here be a number. Got 'a lot'"),
                    ({"weights": "0.5; 0.5"}, "option is written as numbers, 0.25"),
                    ({"weights": "1, 2, 3, 4, 5"}, "weights"),
                ],
            ),
            (
                "rouge_nlws",
                [
                    ({"beta": -3}, "'beta' option of rouge_nlws must be"),
                    ({"max_words": "many"}, "must here be a whole number. Got 'many'"),
                ],
            ),
            (
                "bertscore_idf",
                [
                    ({"num_layers": 99}, "99"),
                    ({"num_layers": "5; import os"}, "must here be a whole number"),
                    ({"model_type": "roberta-large (English)"}, "could not be loaded"),
                ],
            ),
        ],
    )
    def test_of_options_are_told_and_forgotten(self, visit, metric, mistakes):
        good = {"max_order": 4, "smooth_value": "", "weights": "", "beta": 1, "max_words": ""}
        good |= {"num_layers": 5, "model_type": SMALL}
        visitor = visit(metric)
        visitor.give("a cat sat", "the cat sat\na cat")
        expected = scored(metric, ["a cat sat"], [["the cat sat", "a cat"]])
        for bad, message in mistakes:
            visitor.compute()
            shows(visitor, expected)
            visitor.set(bad)
            visitor.compute()
            refuses(visitor, message)
            visitor.set({name: good[name] for name in bad})
        visitor.compute()
        shows(visitor, expected)

    def test_of_files_are_told_and_forgotten(self, visit, metric, tmp_path):
        most = CASES[metric]["DEMO_ITEMS"]
        bad = {
            "page.html": ("mt\tref\na\tb\n", "page.html: a file's format is taken from its extension"),
            "short.tsv": ("mt\tref\na\tb\nc\n", "short.tsv, line 3"),
            "broken.jsonl": ('{"mt": "a", "ref": "b"}\n{"mt": "c"\n', "broken.jsonl, line 2"),
            "empty.csv": ("", "empty.csv"),
            "long.tsv": ("mt\tref\n" + "a\tb\n" * (most + 1), f"{most + 1:,} rows; the page takes {most:,}"),
            "laughs.tmx": ('<!DOCTYPE t [<!ENTITY a "ha">]><tmx>&a;</tmx>', "laughs.tmx"),
        }
        good = tmp_path / "good.tsv"
        good.write_text("mt\tref\na cat\tthe cat\n")
        expected = scored(metric, ["a cat"], [["the cat"]], confidence_level=0.95, segments=True)
        visitor = visit(metric)
        visitor.open("File")
        visitor.compute_file()
        refuses(visitor, "Choose a file first", "file")
        visitor.upload(good)
        expect(visitor.find("#about-file")).to_have_text("1 rows")
        visitor.compute_file()
        shows(visitor, expected, "file")
        for name, (text, message) in bad.items():
            path = tmp_path / name
            path.write_text(text)
            visitor.upload(path)
            expect(visitor.find("#about-file").get_by_role("alert")).to_contain_text(message)
            for result in ("#file-result .tercet", "#file-signature", "#items", "#download-json"):
                expect(visitor.find(result)).to_be_hidden()
        visitor.upload(good)
        expect(visitor.find("#system input")).to_have_value("mt")
        visitor.choose("#reference-columns", [])
        visitor.compute_file()
        refuses(visitor, "at least one of references", "file")
        visitor.choose("#reference-columns", ["ref"])
        visitor.compute_file()
        shows(visitor, expected, "file")


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


class TestHostileTexts:
    def test_stand_on_the_page_as_they_are(self, visit, metric, hostile):
        texts, asked = hostile
        visitor = visit(metric)
        for text in texts:
            visitor.give(text, f"{text}\na cat {text}")
            visitor.compute()
            shows(visitor, scored(metric, [text], [[text, f"a cat {text}"]]))
            has_run_nothing(visitor, asked)
            assert ast.literal_eval(_argument(visitor.code(), "predictions")) == [text]
        # What is shown are tokens: white space left out, they are the text.
        shown = "".join(visitor.find("#picture").inner_text().split()).casefold()
        assert "hyperlink" in shown

    def test_stand_in_the_table_of_a_file_as_they_are(self, visit, metric, hostile, tmp_path):
        texts, asked = hostile
        texts = [*texts, "\0 nothing \0"]
        header = ["".join(texts[place].split()) for place in (0, 1, 7)]
        path = tmp_path / f"{texts[0].replace('/', '')}{texts[1].replace('/', '')}.jsonl"
        path.write_text(as_jsonl(header, [(text, text, f"a {text}") for text in texts]), encoding="utf-8")
        visitor = visit(metric)
        visitor.upload(path)
        expect(visitor.find("#about-file")).to_have_text(f"{len(texts)} rows")
        expect(visitor.find("#file-input")).to_contain_text("<img class=hostile src=")
        visitor.choose("#system", header[0])
        visitor.choose("#reference-columns", header[1:])
        visitor.compute_file()
        references = [[text, f"a {text}"] for text in texts]
        expected = scored(metric, texts, references, confidence_level=0.95, segments=True)
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
        code = visitor.code("file")
        assert code.startswith(f"# predictions: the column {header[0]!r}; references: {header[1]!r}, {header[2]!r}")
        _photograph(visitor, f"{metric}-hostile")
        has_run_nothing(visitor, asked)

    def test_stand_in_messages_as_they_are(self, visit, metric, hostile, tmp_path):
        texts, asked = hostile
        visitor = visit(metric)
        number = {
            "bleu_multi": "smooth_value",
            "rouge_nlws": "max_words",
            "bertscore_idf": "num_layers",
            "perplexity_lm": "stride",
        }[metric]
        for text in texts:
            visitor.set({number: text})
            visitor.give("a", "a")
            visitor.compute()
            refuses(visitor, "must here be a")
            expect(visitor.find("#result [role=alert]")).to_contain_text(repr(text)[:40])
        # Of a file's name gradio keeps what can stand in a name anywhere.
        bad = {texts[1].replace("/", ""): ("", "script class=hostile"), "bad": (json.dumps(texts[0]), texts[0][:40])}
        for name, (text, message) in bad.items():
            path = tmp_path / f"{name}.jsonl"
            path.write_text(text)
            visitor.upload(path)
            expect(visitor.find("#about-file").get_by_role("alert")).to_contain_text(message)
            has_run_nothing(visitor, asked)

    def test_stand_in_names_of_scores_as_they_are(self, visit, hostile, tmp_path):
        _, asked = hostile
        name = "<b/class/hostile><script>alert(1)</script>![x](javascript)"
        path = tmp_path / "own.tsv"
        path.write_text("mt\tref\na cat\ta cat\na dog\ta cat\n")
        visitor = visit("bleu_multi")
        visitor.set({"weights": f"{name} = 0.5, 0.5"})
        visitor.give("a cat", "a cat")
        visitor.compute()
        shows(visitor, scored("bleu_multi", ["a cat"], [["a cat"]], weights={name: [0.5, 0.5]}))
        visitor.upload(path)
        expect(visitor.find("#system input")).to_have_value("mt")
        visitor.compute_file()
        more = {"weights": {name: [0.5, 0.5]}, "confidence_level": 0.95, "segments": True}
        shows(visitor, scored("bleu_multi", ["a cat", "a dog"], [["a cat"], ["a cat"]], **more), "file")
        headers = visitor.find("#items [role=grid]").get_by_role("columnheader")
        visitor.until(lambda: _has(f"bleu_{name}" in [text.strip() for text in headers.all_inner_texts()]))
        has_run_nothing(visitor, asked)


def _argument(code, name):
    call = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and node.keywords)
    return ast.unparse(next(each.value for each in call.keywords if each.arg == name))


# Windows


#: The example that the pictures show.
PICTURED = {"bleu_multi": 0, "rouge_nlws": 6, "bertscore_idf": 0, "perplexity_lm": 0}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "test.tsv"
    path.write_text(as_tsv(["mt", "ref", "ref2", "mt2"], ROWS), encoding="utf-8")
    return path


def test_a_phone_shows_it_all_without_moving_sideways(visit, metric, table):
    visitor = visit(metric, width=390)
    expect(visitor.find("#options .form")).to_be_hidden()
    visitor.give("w" * 300 + " a cat", "a cat " * 40)
    for tab in ("Card", "File", "Text"):
        visitor.open(tab)
        assert visitor.width() <= 390, f"{tab} before computing"
    visitor.compute()
    visitor.until(lambda: _has(visitor.seen()["score"]))
    visitor.code()
    visitor.find("#options").get_by_role("button", name="Options").click()
    expect(visitor.find("#options .form")).to_be_visible()
    assert visitor.width() <= 390
    visitor.find("#examples button").nth(PICTURED[metric]).click()
    visitor.until(lambda: _has(visitor.seen()["score"]))
    _photograph(visitor, f"{metric}-phone")
    visitor.upload(table)
    expect(visitor.find("#about-file")).to_have_text(f"{len(ROWS)} rows")
    visitor.compute_file()
    visitor.until(lambda: _has(visitor.seen("file")["score"]))
    _has_its_bars(visitor)
    assert visitor.width() <= 390
    _photograph(visitor, f"{metric}-phone-file")


def _has(value):
    assert value
    return value


def test_a_wide_window_has_the_options_open(visit, metric):
    visitor = visit(metric)
    expect(visitor.find("#options .form")).to_be_visible()
    for option in option_docs(options_type(metric)):
        if option.name in CASES[metric]["DEMO_OPTIONS"]:
            expect(visitor.find(f"#option-{option.name}")).to_contain_text(option.first_sentence)
    assert visitor.width() <= 1280
    visitor.find("#examples button").nth(PICTURED[metric]).click()
    visitor.until(lambda: _has(visitor.seen()["score"]))
    _photograph(visitor, f"{metric}-desktop", "#examples")


def test_a_dark_page_is_readable(visit, metric, table):
    visitor = visit(metric, dark=True)
    visitor.find("#examples button").nth(PICTURED[metric]).click()
    visitor.until(lambda: _has(visitor.seen()["score"]))
    _photograph(visitor, f"{metric}-dark")
    parts = [
        "#options .info-text",
        "#result .tercet-score",
        "#result td",
        "#picture p[dir=auto] span",
        "#picture p b",
        "#picture summary",
    ]
    visitor.upload(table)
    expect(visitor.find("#system input")).to_have_value("mt")
    visitor.compute_file()
    visitor.until(lambda: _has(visitor.seen("file")["score"]))
    expect(visitor.find("#items [role=gridcell]").first).to_be_visible()
    for selector in [*parts, "#file-result td", "#items [role=gridcell]", "#about-file p"]:
        contrast, text = visitor.least_contrast(selector)
        assert contrast >= 4.5, f"{selector}: {text}"
    visitor.open("Text")
    visitor.give("a", "")
    visitor.compute()
    refuses(visitor, "There is no reference")
    assert visitor.least_contrast("#result [role=alert]")[0] >= 4.5


def _photograph(visitor, name, stop=None):
    """Keep a picture of the page, from its top to an element, or all of it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_load_state("networkidle")
    expect(visitor.page.get_by_text("processing |")).to_have_count(0)
    how = {"full_page": True, "animations": "disabled"}
    if stop:
        box = visitor.find(stop).bounding_box()
        how["clip"] = {"x": 0, "y": 0, "width": visitor.page.viewport_size["width"], "height": box["y"]}
    with Image.open(io.BytesIO(visitor.page.screenshot(**how))) as picture:
        picture.convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE).save(
            SCREENSHOTS / f"{name}.png", optimize=True
        )


# Programs


class TestPrograms:
    def test_get_what_the_package_returns(self, program, metric):
        options = {"bleu_multi": {"smooth_method": "exp", "weights": [0.5, 0.5]}, "rouge_nlws": {"output": "all"}}
        chosen = options.get(metric, {"max_length": 9} if metric == "perplexity_lm" else {"idf": False})
        given = {"predictions": PREDICTIONS, "references": REFERENCES}
        found = program(metric).predict(**given, options=chosen, api_name="/compute")
        expected = scored(metric, *given.values(), **chosen)
        assert found.keys() == expected.keys()
        assert found["signature"] == expected["signature"]
        assert found[PRIMARY[metric]] == pytest.approx(
            expected[PRIMARY[metric]], rel=SHARES.get(metric, 0.0), abs=2e-6
        )

    def test_get_what_the_page_begins_with_without_options(self, program, metric):
        found = program(metric).predict(PREDICTIONS, REFERENCES, api_name="/compute")
        assert found["signature"] == scored(metric, PREDICTIONS, REFERENCES)["signature"]

    def test_get_intervals_and_segments(self, program, metric):
        more = {"confidence_level": 0.9, "n_resamples": 200, "segments": True}
        found = program(metric).predict(PREDICTIONS, REFERENCES, more, api_name="/compute")
        expected = scored(metric, PREDICTIONS, REFERENCES, **more)
        assert found["signature"] == expected["signature"]
        assert found["intervals"].keys() == expected["intervals"].keys()
        for name, bounds in expected["intervals"].items():
            assert found["intervals"][name] == pytest.approx(bounds, rel=SHARES.get(metric, 0.0), abs=2e-6)
        for name, values in expected["segments"].items():
            assert found["segments"][name] == pytest.approx(values, rel=SHARES.get(metric, 0.0), abs=2e-6)

    def test_name_an_encoder_as_the_page_does(self, program):
        given = {"model_type": "all-MiniLM-L6-v2", "num_layers": 5}
        found = program("bertscore_idf").predict(["a cat"], [["the cat"]], given, api_name="/compute")
        assert found["signature"] == scored("bertscore_idf", ["a cat"], [["the cat"]])["signature"]
        with pytest.raises(AppError) as refusal:
            program("bertscore_idf").predict(["a"], [["a"]], {"model_type": "bert"}, api_name="/compute")
        assert "one of 'all-MiniLM-L6-v2', 'roberta-large', 'bert-base-multi" in str(refusal.value)
        assert MINILM not in str(refusal.value)

    def test_see_one_function(self, program, metric):
        found = program(metric).view_api(return_format="dict", print_info=False)
        assert (list(found["named_endpoints"]), found["unnamed_endpoints"]) == (["/compute"], {})
        names = [each["parameter_name"] for each in found["named_endpoints"]["/compute"]["parameters"]]
        assert names == ["predictions", "references", "options"]

    @pytest.mark.parametrize(
        ("metric", "options", "message"),
        [
            ("bleu_multi", {"tokenizer": "lambda text: text"}, "'tokenizer' option must here be one of"),
            ("bleu_multi", {"smooth_metod": "exp"}, "Did you mean 'smooth_method'?"),
            ("bleu_multi", {"n_jobs": 64}, "'n_jobs' cannot be chosen here"),
            ("bleu_multi", {"max_order": 10**400}, "a whole number from 1 to 20"),
            ("bleu_multi", {"weights": [[0.5], 0.5]}, "weights"),
            ("bleu_multi", {"weights": {"a": {"b": 1}}}, "weights"),
            ("bleu_multi", ["tokenizer"], "The options must be names with values"),
            ("bleu_multi", "tokenizer", "The options must be names with values"),
            ("rouge_nlws", {"rouge_types": [["rouge1"]]}, "a list of some of"),
            ("rouge_nlws", {"rouge_types": ["rougeX"]}, "rougeX"),
            ("rouge_nlws", {"tokenizer": {"a": 1}}, "'tokenizer' option must here be one of"),
            ("bertscore_idf", {"model_type": "/etc"}, "'model_type' option must here be one of"),
            ("bertscore_idf", {"model_type": "http://127.0.0.1/model"}, "'model_type' option must here be one of"),
            ("bertscore_idf", {"num_layers": "5; import os"}, "must here be a number"),
            ("bertscore_idf", {"idf": "/etc/passwd"}, "must here be True or False"),
        ],
    )
    def test_are_told_which_option_is_refused(self, program, metric, options, message):
        with pytest.raises(AppError, match=message.replace("?", r"\?")):
            program(metric).predict(["a"], [["a"]], options, api_name="/compute")

    @pytest.mark.parametrize(
        ("predictions", "references", "message"),
        [
            (["a"] * 30_000, [["a"]] * 30_000, "30,000 items are more than"),
            (["a", None], [["a"], ["b"]], "item 1 of predictions must be a string"),
            ([["a"]], [["a"]], "predictions"),
            (["a"], [[["a"]]], "references"),
            (["a"], [[None]], "references"),
            ("a", "a", "predictions"),
            (None, None, "predictions"),
            (["a"], [[]], "reference"),
            (["a"], [["b"], ["c"]], "2"),
        ],
    )
    def test_are_told_which_item_is_refused(self, program, metric, predictions, references, message):
        with pytest.raises(AppError, match=message):
            program(metric).predict(predictions, references, api_name="/compute")


def ask(page, path, body=None, **headers):
    """Ask the page as any program can, and return the status and the text of its answer."""
    if body is not None and not isinstance(body, (bytes, Iterator)):
        body = json.dumps(body).encode()
    header = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(f"{page.address}/gradio_api/{path}", body, header)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def ask_by_name(page, data, version=""):
    """Call the page's function as its documentation says."""
    body = dict(zip(["predictions", "references", "options"], data, strict=False)) if version else {"data": data}
    status, text = ask(page, f"call{version}/compute", body)
    return ask(page, f"call/compute/{json.loads(text)['event_id']}") if status == 200 else (status, text)


def send(page, function, data):
    """Call a function of the page as its browser does, and return the answer."""
    session = os.urandom(8).hex()
    status, text = ask(page, "queue/join", {"fn_index": function["id"], "data": data, "session_hash": session})
    assert status == 200, text
    with urllib.request.urlopen(f"{page.address}/gradio_api/queue/data?session_hash={session}", timeout=30) as stream:
        for line in stream:
            message = json.loads(line.removeprefix(b"data: ")) if line.strip() else {}
            if message.get("msg") == "process_completed":
                return message
    raise AssertionError("no answer")


def config_of(page):
    with urllib.request.urlopen(f"{page.address}/config", timeout=30) as answer:
        return json.load(answer)


def send_to_compute(page, data):
    function = next(each for each in config_of(page)["dependencies"] if each["api_name"] == "compute")
    return 200, json.dumps(send(page, function, data))


#: The ways by which a program may reach the function, and whether they are open.
WAYS = {
    "call": (ask_by_name, True),
    "call v2": (lambda page, data: ask_by_name(page, data, "/v2"), True),
    "queue": (send_to_compute, True),
    "run": (lambda page, data: ask(page, "run/compute", {"data": data}), False),
    "api": (lambda page, data: ask(page, "api/compute", {"data": data}), False),
}


def functions_of_files(page):
    """Return what the page calls for a new file, and for its score."""
    config = config_of(page)
    file = next(each["id"] for each in config["components"] if each["props"].get("elem_id") == "file-input")
    found = [each for each in config["dependencies"] if each["inputs"][:1] == [file]]
    assert len(found) == 2
    return sorted(found, key=lambda each: len(each["inputs"]))


class TestStrangersFiles:
    @pytest.mark.parametrize("key", ["path", "url"])
    def test_addresses_are_not_fetched(self, served, stranger, key):
        address, asked = stranger
        page = served("bleu_multi")
        for function in functions_of_files(page):
            others = [None] * (len(function["inputs"]) - 1)
            for scheme in (address, address.replace("http", "HTTP", 1)):
                answer = send(page, function, [a_file("a.tsv") | {key: scheme}, *others])
                assert "rows" not in json.dumps(answer["output"])
                assert not answer["success"]
        assert asked == []
        assert page.troubles() == []

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize(
        "data",
        [
            lambda file: [file, [["a"]], {}],
            lambda file: [[file], [["a"]], {}],
            lambda file: [["a"], [[file]], {}],
            lambda file: [["a"], [[[[{"a": [file]}]]]], {}],
            lambda file: [["a"], [["a"]], file],
            lambda file: [["a"], [["a"]], {"weights": {"a": [file]}}],
        ],
        ids=["predictions", "a prediction", "a reference", "deep", "options", "an option"],
    )
    def test_no_way_to_compute_takes_a_file_or_an_address(self, served, stranger, tmp_path, way, data):
        address, asked = stranger
        page = served("bleu_multi")
        (tmp_path / "own").write_text("a secret")
        call, is_open = WAYS[way]
        told = "or numbers, got a file or an address" if is_open else "does not accept direct HTTP POST requests"
        for path in (address, address.upper(), "file:///etc/passwd", "/etc/passwd", "app.py", str(tmp_path / "own")):
            for file in (a_file(path), a_file("a.tsv") | {"url": path}, a_file(path) | {"meta": []}):
                _, said = call(page, data(file))
                assert told in said
                assert not [leak for leak in ("root:", "secret", str(page.folder.parent)) if leak in said]
        assert asked == []
        assert ask_by_name(page, GOOD)[1].startswith("event: complete")
        assert page.troubles() == []

    def test_no_other_input_of_the_page_takes_one(self, served, stranger):
        address, asked = stranger
        page = served("bleu_multi")
        with_files = [each["id"] for each in functions_of_files(page)]
        functions = [each for each in config_of(page)["dependencies"] if each["inputs"]]
        assert len(functions) > len(with_files) + 2
        for function in functions:
            for place in range(function["id"] in with_files, len(function["inputs"])):
                data = [None] * len(function["inputs"])
                data[place] = {"value": a_file(address)}
                answer = send(page, function, data)
                assert not answer["success"]
                assert "got a file or an address" in answer["output"]["error"]
        assert asked == []
        assert page.troubles() == []

    def test_the_page_fetches_nothing_for_a_stranger(self, served, stranger):
        address, asked = stranger
        for path in ("file=", "file/", "proxy="):
            status, said = ask(served("bleu_multi"), f"{path}{address}")
            assert (status, json.loads(said)) == (403, {"detail": "This page does not fetch URLs."})
        assert asked == []

    def test_files_of_the_server_are_not_read(self, served):
        page = served("bleu_multi")
        for function in functions_of_files(page):
            others = [None] * (len(function["inputs"]) - 1)
            for path in ("/etc/passwd", str(page.folder / "app.py"), "app.py", "../log", "file:///etc/passwd"):
                answer = send(page, function, [a_file(path), *others])
                assert not answer["success"], path
                assert answer["output"]["error"] == "The values sent do not fit the controls of this page."
        for path in ("/etc/passwd", str(page.folder / "app.py"), "app.py"):
            assert ask(page, f"file={path}")[0] in (403, 404)
        assert page.troubles() == []


def a_file(path):
    """What a browser says of a file that it has sent before."""
    return {"path": path, "orig_name": "a.tsv", "meta": {"_type": "gradio.FileData"}}


# Bad requests

GOOD = [["a cat sat"], [["the cat sat", "a cat"]], {}]
A = [["a"], ["a"]]
#: Requests of programs that cannot be answered, and what is said of them.
REFUSED = {
    "nothing": ([], "predictions must be a list with one text per item, got None"),
    "no references": ([["a"]], "references must be a list with one text or one list of texts per item, got None"),
    "too much": ([*GOOD, 1], "Expected at most 3 values, got 4"),
    "None": ([None, [["a"]]], "predictions must be a list with one text per item, got None"),
    "number": ([7, [["a"]]], "predictions must be a list with one text per item, got 7 (int)"),
    "True": ([True, [["a"]]], "predictions must be a list with one text per item, got True (bool)"),
    "text": (["a", [["a"]]], "predictions must be a list with one text per item, got 'a' (str)"),
    "dict": ([{"a": 1}, [["a"]]], "predictions must be a list with one text per item, got {'a': 1} (dict)"),
    "None in predictions": ([["a", None], ["a", "b"]], "item 1 of predictions must be a string, got None"),
    "number in predictions": ([["a", 7], ["a", "b"]], "item 1 of predictions must be a string, got 7 (int)"),
    "NaN": ([[float("nan")], ["a"]], "item 0 of predictions must be a string, got nan (float)"),
    "Infinity": ([[float("inf")], ["a"]], "item 0 of predictions must be a string, got inf (float)"),
    "large number": ([[10**4000], ["a"]], "item 0 of predictions must be a string, got <int of about 4,001 digits>"),
    "list in predictions": ([["a", ["b"]], ["a", "b"]], "item 1 of predictions must be a string, got ['b'] (list)"),
    "dict in predictions": ([["a", {}], ["a", "b"]], "item 1 of predictions must be a string, got {} (dict)"),
    "half a character": ([["a", "\ud800"], ["a", "b"]], "item 1 of predictions is not valid Unicode text"),
    "half a character in references": ([["a"], [["\udfff"]]], "a reference of item 0 is not valid Unicode text"),
    "text as references": ([["a"], "a"], "references must be a list with one text or one list of texts per item"),
    "dict as references": ([["a"], {"a": 1}], "references must be a list with one text or one list of texts per"),
    "None in references": ([["a"], [["a", None]]], "item 1 of the references of item 0 must be a string, got None"),
    "list in references": ([["a"], [[["a"]]]], "item 0 of the references of item 0 must be a string, got ['a']"),
    "no reference": ([["a", "b"], [["a"], []]], "item 1 of references is empty"),
    "null as reference": ([["a", "b"], ["a", None]], "item 1 of references is empty"),
    "of both kinds": ([["a", "b"], [["a"], "b"]], "item 1 of references is a string, but an earlier one is a list"),
    "transposed": ([["a", "b", "c"], [["a", "b", "c"]] * 2], "look transposed: 2 lists of 3 texts"),
    "fewer references": ([["a", "b"], ["a"]], "one entry per item, got 2 predictions and 1 references"),
    "empty": ([[], []], "The corpus is empty"),
    "many items": ([["a"] * 30_000, ["a"] * 30_000], "30,000 items are more than"),
    "a long text": ([["a" * 30_000], ["a"]], "A text has 30,000 characters; this page takes texts of up to 20,000"),
    "list of options": ([*A, ["scale"]], "The options must be names with values. Got ['scale'] instead"),
    "empty list of options": ([*A, []], "The options must be names with values. Got [] instead"),
    "name of an option": ([*A, "scale"], "The options must be names with values. Got 'scale' instead"),
    "False as options": ([*A, False], "The options must be names with values. Got False instead"),
    "misspelt": ([*A, {"scael": 1}], "The option 'scael' cannot be chosen here. Did you mean 'scale'?"),
    "without name": ([*A, {"": 1}], "The option '' cannot be chosen here"),
    "half a name": ([*A, {"\ud800": 1}], r"The option '\ud800' cannot be chosen here"),
    "threads": ([*A, {"n_jobs": 256}], "The option 'n_jobs' cannot be chosen here"),
    "batches": ([*A, {"batch_size": 10**9}], "The option 'batch_size' cannot be chosen here"),
    "code": ([*A, {"stopwords": "__import__('os')"}], "The option 'stopwords' cannot be chosen here"),
    "text as number": ([*A, {"scale": "100"}], "The 'scale' option must here be one of 1, 100. Got '100'"),
    "True as number": ([*A, {"scale": True}], "The 'scale' option must here be one of 1, 100. Got True"),
    "list as number": ([*A, {"scale": [1]}], "The 'scale' option must here be one of 1, 100. Got [1]"),
    "number as flag": ([*A, {"segments": 1}], "The 'segments' option must here be True or False. Got 1"),
    "level": ([*A, {"confidence_level": 95}], "must be a number between 0 and 1, such as 0.95"),
    "level NaN": ([*A, {"confidence_level": float("nan")}], "must be a number between 0 and 1"),
    "many resamples": ([*A, {"n_resamples": 10**9}], "must here be a whole number up to 10,000. Got 1000000000"),
    "a large seed": (
        [*A, {"seed": 10**400}],
        "must here be a whole number up to 1,000,000,000. Got <int of about 401 digits>",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_bad_request_is_told_what_is_wrong(served, metric, kind):
    data, message = REFUSED[kind]
    page = served(metric)
    status, said = ask_by_name(page, data)
    assert (status, said.split("\n")[0]) == (200, "event: error")
    assert message in json.loads(said.split("data: ", 1)[1])["error"]
    assert "Traceback" not in said
    assert str(page.folder.parent) not in said
    assert ask_by_name(page, GOOD)[1].startswith("event: complete")
    assert page.troubles() == []


IN_PIECES = "a body of thirty pieces, whose length is not told"
UNKNOWN = {"data": [], "session_hash": "a"}


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("call/nope", {"data": []}, 400, "'/gradio_api/call/nope' takes no such request. Programs call 'compute'"),
        ("call/v2/nope", {}, 400, "takes no such request. Programs call 'compute' with predictions, references"),
        ("call/v2/compute", {"predictons": ["a"]}, 400, "call 'compute' with predictions, references and options"),
        ("queue/join", {**UNKNOWN, "fn_index": 9999}, 400, "takes no such request"),
        ("queue/join", {**UNKNOWN, "fn_index": 10**400}, 400, "takes no such request"),
        ("component_server", {**UNKNOWN, "component_id": 9999, "fn_name": "x"}, 400, "takes no such request"),
        ("nope", {"data": []}, 404, "Not Found"),
        ("queue/join", {**UNKNOWN, "session_hash": "a" * 101}, 400, "at most 100 characters, got 101"),
        ("call/compute", [1], 422, "valid dictionary"),
        ("call/compute", {"data": {"a": 1}}, 422, "valid list"),
        ("call/compute", b"", 422, "Field required"),
        ("call/compute", b"{", 400, "The body must be JSON: Expecting property name"),
        ("call/compute", b'{"data": ["\xff"]}', 400, "The body must be JSON: 'utf-8' codec can't decode byte 0xff"),
        ("call/compute", b'{"data": [' + b"1" * 5000 + b"]}", 400, "The body must be JSON: Exceeds the limit"),
        ("call/compute", b'{"data": ' + b"[" * 30 + b"]" * 30 + b"}", 400, "expected at most 16 levels"),
        ("call/compute", b"[" * 200_000 + b"]" * 200_000, 400, "nested too deeply: expected at most 16 levels"),
        ("call/compute", b'{"data": [' + b"[]," * 300_000 + b"1]}", 400, "more than 300,000 values"),
        ("call/compute", b'{"data": ["' + b"a" * (12 << 20) + b'"]}', 413, "larger than the limit of 10 MB"),
        ("queue/join", b" " * (40 << 20), 413, "larger than the limit of 10 MB: send less"),
        ("call/compute", IN_PIECES, 413, "larger than the limit of 10 MB"),
        ("upload", IN_PIECES, 413, "larger than the limit of 10 MB"),
        ("call/compute/none", None, 200, "404: Not Found"),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, str) else "",
)
def test_what_is_no_request_is_refused(served, path, body, status, message):
    page = served("bleu_multi")
    found, said = ask(page, path, body if body is not IN_PIECES else iter([b"a" * (1 << 20)] * 30))
    assert (found, message in said) == (status, True), said[:300]
    assert str(page.folder.parent) not in said
    assert ask_by_name(page, GOOD)[1].startswith("event: complete")
    assert page.troubles() == []


def test_requests_leave_nothing_behind(served):
    page = served("bleu_multi")
    held = []
    for number in range(70):
        _, said = ask_by_name(page, [["a" * (9 << 20), str(number)], ["a", "b"]])
        assert "A text has 9,437,184 characters" in said
        held.append(page.memory())
    assert held[-1] - held[-30] < 180  # these thirty are 270 MB; the first ones show how much is used at a time


def test_uploads_have_a_bound_alone_and_together(served):
    page = served("bleu_multi")
    frame = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a%d.tsv"\r\n\r\n%s\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    small, large = (frame % (1, b"a" * (size << 20)) + b"--x--\r\n" for size in (1, 12))
    many = b"".join(frame % (number, b"a" * (1 << 20)) for number in range(12)) + b"--x--\r\n"
    assert [ask(page, "upload", body, **kind)[0] for body in (small, large, many)] == [200, 413, 413]
    assert page.troubles() == []


# Several visitors


class TestSeveralVisitors:
    def test_get_their_own_results(self, visit, metric):
        first, second = visit(metric, alone=True), visit(metric, alone=True)
        first.give("a cat sat here", "a cat sat here today")
        second.give("an old dog lay there", "the old dog lay there\na dog")
        for _ in range(3):
            first.compute()
            second.compute()
            second.compute()
        shows(first, scored(metric, ["a cat sat here"], [["a cat sat here today"]]))
        shows(second, scored(metric, ["an old dog lay there"], [["the old dog lay there", "a dog"]]))

    def test_get_their_own_answers_as_programs(self, program, metric):
        texts = [("a " * number + "cat", [["a cat"] * (number % 3 + 1)]) for number in range(6)]
        found = {}

        def call(number, client):
            prediction, references = texts[number]
            found[number] = client.predict([prediction], references, api_name="/compute")

        threads = [threading.Thread(target=call, args=[number, program(metric)]) for number in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, (prediction, references) in enumerate(texts):
            expected = scored(metric, [prediction], references)
            assert found[number]["signature"] == expected["signature"]
            assert found[number][PRIMARY[metric]] == pytest.approx(
                expected[PRIMARY[metric]], rel=SHARES.get(metric, 0.0), abs=2e-6
            )

    def test_do_not_see_each_other_s_files(self, visit, tmp_path):
        path = tmp_path / "own.tsv"
        path.write_text("mt\tref\na secret cat\ta cat\n")
        owner = visit("bleu_multi", alone=True)
        owner.upload(path)
        expect(owner.find("#about-file")).to_have_text("1 rows")
        other = visit("bleu_multi", alone=True)
        other.open("File")
        other.compute_file()
        refuses(other, "Choose a file first", "file")
        assert "own.tsv" not in other.page.content()
        owner.compute_file()
        expected = scored("bleu_multi", ["a secret cat"], [["a cat"]], confidence_level=0.95, segments=True)
        shows(owner, expected, "file")
        assert "secret" not in other.page.content()
