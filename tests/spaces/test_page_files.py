"""Files on the page of a Space: what is guessed of them, scores, plots, tables, downloads, mistakes."""

import ast
import csv
import io
import json
import re
import subprocess
import sys
import warnings

import pytest
from playwright.sync_api import expect

import tercet
from page_checks import (
    CASES,
    FIRST_LINE,
    PREDICTIONS,
    ROWS,
    WRITERS,
    as_jsonl,
    as_tmx,
    as_tsv,
    equal,
    has,
    has_its_bars,
    near,
    photograph,
    refuses,
    same,
    scored,
    shows,
    title_of,
)
from suite import SUITE
from tercet.errors import InputError
from tercet.huggingface.space.file_comparison import compare_file
from tercet.huggingface.space.limits import MOST_SYSTEMS
from tercet.huggingface.space.scoring import Demo

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly

#: What is asked for of a file.
ASKED = {"confidence_level": 0.95, "segments": True}


@pytest.mark.parametrize(
    ("metric", "end", "header", "guessed"),
    [
        ("bleu_multi", "tmx", ["en-US", "de", "fr", "en-GB"], ([], [])),
        (
            "rouge_nlws",
            "csv",
            ["generated", "highlights", "ref2", "pegasus"],
            (["generated", "pegasus"], ["highlights", "ref2"]),
        ),
        ("bertscore_idf", "jsonl", ["mt", "ref", "ref2", "mt2"], (["mt", "mt2"], ["ref", "ref2"])),
    ],
)
def test_a_file_is_scored_with_intervals_a_plot_a_table_and_downloads(visit, tmp_path, metric, end, header, guessed):
    path = tmp_path / f"own.{end}"
    path.write_text(WRITERS[end](header, ROWS), encoding="utf-8", newline="")
    visitor = visit(metric)
    visitor.upload(path)
    expect(visitor.find("#about-file")).to_contain_text(f"{len(ROWS)} rows.")
    visitor.until(lambda: equal((visitor.chosen("#system"), visitor.chosen("#reference-columns")), guessed))
    # The guess is changed by hand, to another system and fewer references, or to the first ones.
    visitor.choose("#system", [header[3]])
    visitor.choose("#reference-columns", [header[1]])
    visitor.compute_file()
    changed = scored(metric, [row[3] for row in ROWS], [[row[1]] for row in ROWS], **ASKED)
    shows(visitor, changed, "file")
    visitor.choose("#system", [header[0]])
    visitor.choose("#reference-columns", header[1:3])
    visitor.compute_file()
    expected = scored(metric, PREDICTIONS, [list(row[1:3]) for row in ROWS], **ASKED)
    assert expected[SUITE[metric].primary] != changed[SUITE[metric].primary]
    shows(visitor, expected, "file")
    has_its_bars(visitor)
    _has_its_table(visitor, expected["segments"], end)
    _has_its_downloads(visitor, metric, expected)
    if end == "csv":  # once, as it loads the Space in a process of its own
        assert _run(visitor, path) == expected["signature"]
    photograph(visitor, f"{metric}-file-{end}")


def _run(visitor, path):
    """The signature that the program shown prints, where the visitor's file lies."""
    program = visitor.program("file").replace("print(result)", "print(result.signature)")
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=path.parent, env=visitor.served.environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True,
    )  # fmt: skip
    return run.stdout.strip()


def _has_its_table(visitor, segments, end):
    grid = visitor.find("#items [role=grid]")
    expect(grid).to_have_attribute("aria-rowcount", str(len(ROWS) + 1))
    row = grid.locator("[role=row][aria-rowindex='2'] [role=gridcell]")
    assert row.first.bounding_box()["height"] < 130
    expect(row).to_have_count(3 + len(segments))
    line, *scores, prediction, references = [text.strip() for text in row.all_inner_texts()]
    assert [float(score) for score in scores] == near([values[0] for values in segments.values()], digits=2)
    assert all(re.fullmatch(r"-?\d+\.\d\d", score) for score in scores)
    assert row.nth(1).locator("*").last.evaluate("e => getComputedStyle(e).textAlign") in ("right", "end")
    assert (prediction, references) == (PREDICTIONS[0], " | ".join(ROWS[0][1:3]))
    assert int(line) == FIRST_LINE[end]
    names = [text.strip() for text in grid.get_by_role("columnheader").all_inner_texts()]
    assert names == ["line", *map(title_of, segments), "prediction", "references"]


def _has_its_downloads(visitor, metric, expected):
    rows = list(csv.DictReader(io.StringIO(visitor.download("#download-tsv")), delimiter="\t"))
    assert [row["prediction"] for row in rows] == PREDICTIONS
    for name, values in expected["segments"].items():
        assert [float(row[name]) for row in rows] == same(metric, values)
    result = json.loads(visitor.download("#download-json"))
    assert result["signature"] == expected["signature"]
    assert result["segments"].keys() == expected["segments"].keys()
    name = SUITE[metric].primary
    assert result["intervals"][name] == same(metric, expected["intervals"][name])


#: What a program prints of its result in the place of a table.
AS_NUMBERS = """print([
    (row.system, row.value, row.low, row.high, row.adjusted_pvalue) for table in result.tables for row in table.rows
])"""


def _shows_systems(visitor, ordered, expected):
    """Assert that the page has these rows in this order, with the numbers of the comparison that is expected."""
    visitor.until(lambda: equal([row[0] for row in visitor.seen("file")["systems"]], [row.system for row in ordered]))
    # Where all are as good as the best, one sentence says so.
    tells = any(not row.as_good and not row.best for each in expected.tables for row in each.rows)
    for found, row in zip(visitor.seen("file")["systems"], ordered, strict=True):
        value, interval, difference, p = (text.replace("−", "-") for text in found[1:])
        mark = "†" if tells and row.as_good and not row.best else ""
        assert (float(value.removesuffix(mark)), value.endswith("†")) == (
            pytest.approx(row.value, abs=6e-3),
            bool(mark),
        )
        assert [float(bound) for bound in interval.split(" – ")] == pytest.approx([row.low, row.high], abs=6e-3)
        if row.difference is None:
            assert (difference.strip(), p) == ("", "")
        else:
            assert float(difference.split()[0]) == pytest.approx(row.difference, abs=6e-3)
            assert float(p) == pytest.approx(row.adjusted_pvalue, abs=6e-3)


def _has_a_program_that_compares_alike(visitor, metric, folder, expected):
    """Assert that the program of the page, run beside the file, comes to the comparison that is expected."""
    run = subprocess.run(
        [sys.executable, "-c", visitor.program("file").replace("print(result.to_dataframe())", AS_NUMBERS)],
        cwd=folder, env=visitor.served.environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True,
    )  # fmt: skip
    for found, row in zip(
        ast.literal_eval(run.stdout), [row for table in expected.tables for row in table.rows], strict=True
    ):
        assert found[0] == row.system
        in_percent = pytest.approx((row.value, row.low, row.high), rel=SUITE[metric].relative, abs=2e-4)
        assert found[1:4] == in_percent
        assert found[4] == (row.adjusted_pvalue if row.difference is None else same(metric, row.adjusted_pvalue))


@pytest.mark.parametrize("metric", ["bleu_multi", "bertscore_idf", "ter"])
def test_systems_of_a_file_are_compared(visit, tmp_path, metric):
    path = tmp_path / "news.tsv"
    names = ["online-A", "lower", "half"]
    rows = [(ref, text, text.lower(), " ".join(text.split()[::2])) for text, ref, _, _ in ROWS]
    path.write_text(as_tsv(["ref", *names], rows), encoding="utf-8")
    visitor = visit(metric)
    visitor.upload(path)
    visitor.until(lambda: equal(visitor.chosen("#system"), names))
    visitor.compute_file()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scorer = tercet.scorer(metric, **SUITE[metric].begun)
        systems = {name: [row[column] for row in rows] for column, name in enumerate(names, 1)}
        expected = tercet.compare(systems, scorer, references=[[row[0]] for row in rows])
    table = next(each for each in expected.tables if each.name == SUITE[metric].primary)
    ordered = sorted(table.rows, key=lambda row: -row.value if table.higher_is_better else row.value)
    _shows_systems(visitor, ordered, expected)
    best = visitor.find(
        "#file-result .tercet-compared > .scroll tr:has(.score:not(.tests) b) th bdi"
    ).all_inner_texts()
    assert best == [row.system for row in ordered if row.best]
    assert f" the best {table.title}" in visitor.seen("file")["verdict"]
    drawn = visitor.find("#file-result .tercet-compared > .scroll td:not(.tests) .bar > g")
    expect(drawn).to_have_count(3)
    _has_scores_of_systems(visitor, table)
    result = json.loads(visitor.download("#download-json"))
    assert [each["system"] for each in result["tables"][0]["systems"]] == list(systems)
    assert result["n_segments"] == len(rows)
    _has_a_program_that_compares_alike(visitor, metric, path.parent, expected)
    visitor.find("#make-report").click()
    expect(visitor.find("#download-report")).to_be_visible()
    report = visitor.download("#download-report")
    assert report.startswith("<!DOCTYPE html>")
    assert all(f"<bdi>{name}</bdi>" in report for name in systems)
    photograph(visitor, f"{metric}-systems")
    _lists_its_segments(visitor, table)
    visitor.choose("#system", ["half"])  # one system is scored as ever
    visitor.compute_file()
    shows(visitor, scored(metric, systems["half"], [[row[0]] for row in rows], **ASKED), "file")
    has_its_bars(visitor)
    for gone in ("#make-report", "#download-report", "#segments"):
        expect(visitor.find(gone)).to_be_hidden()


def test_why_there_is_no_report_is_said(visit, tmp_path):
    path = tmp_path / "news.tsv"
    path.write_text(as_tsv(["ref", "a", "b"], [(ref, text, text.lower()) for text, ref, _, _ in ROWS]), "utf-8")
    visitor = visit("bleu_multi")
    visitor.upload(path)
    visitor.until(lambda: equal(visitor.chosen("#system"), ["a", "b"]))
    visitor.compute_file()
    expect(visitor.find("#make-report")).to_be_visible()
    visitor.choose("#reference-columns", ["a"])
    visitor.find("#make-report").click()
    expect(visitor.find("#report-trouble")).to_contain_text("The column 'a' is chosen for the predictions and as a")


def test_a_phone_shows_difference_and_p_of_each_system_and_no_button_covers_words(visit, tmp_path):
    path = tmp_path / "news.tsv"
    names = ["ref", "newstest.online-with-a-long-name.4900.en-de", "newstest.another.4901.en-de"]
    path.write_text(as_tsv(names, [(ref, text, text.lower()) for text, ref, _, _ in ROWS]), encoding="utf-8")
    visitor = visit("bleu_multi", width=390)
    visitor.upload(path)
    expect(visitor.find("#about-file")).to_contain_text("rows.")
    visitor.choose("#system", names[1:])
    visitor.choose("#reference-columns", ["ref"])
    label = visitor.find("#file-input label").first.bounding_box()
    clear = visitor.find("#file-input").get_by_role("button", name="Clear").bounding_box()
    assert label["x"] + label["width"] <= clear["x"]
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["systems"]))
    for row in visitor.find("#file-result .tercet-compared > .scroll tbody tr").all():
        cells = row.locator("th, td")
        boxes = [cell.bounding_box() for cell in cells.all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
        assert ("baseline" in row.inner_text()) == (row.locator(".p").inner_text() == "")
    table = visitor.find("#file-result .tercet-compared > .scroll")
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
    expect(visitor.find("#segments .output b").first).to_have_text("online-with-a-long-name.4900")
    for part in visitor.find("#segments :is(.output, dd, label, select, input)").all():
        box = part.bounding_box()
        assert box is None or (box["x"] >= 0 and box["x"] + box["width"] <= 390)


def _has_scores_of_systems(visitor, table):
    """The page gives away a column of scores for each system."""
    name = dict(zip(table.scorer.score_names, table.scorer.segment_names, strict=True))[table.name]
    rows = list(csv.DictReader(io.StringIO(visitor.download("#download-tsv")), delimiter="\t"))
    for system, values in table.segments.items():
        assert [float(row[f"{name} {system}"]) for row in rows] == pytest.approx(values, rel=1e-4, abs=1e-4)
    assert [row["prediction online-A"] for row in rows] == PREDICTIONS


def _lists_its_segments(visitor, table):
    """The page lists all segments as the report does."""
    expect(visitor.find("#items")).to_be_hidden()
    box = visitor.find("#segments")
    expect(box.get_by_role("status")).to_contain_text(f"of {len(ROWS)} segments.")
    box.get_by_label("sort by").select_option("segment number")
    first = box.locator(".example").first
    expect(first.locator("h5")).to_contain_text("Segment 1")
    expect(first.locator("dd")).to_have_text(ROWS[0][1])
    ordered = [table.rows[place].system for place in table.order]
    for system, output in zip(ordered, first.locator(".output").all(), strict=True):
        expect(output.locator("b")).to_have_text(system)
        expect(output.locator(".number")).to_have_text(f"{table.title} {table.segments[system][0]:.2f}")
    box.get_by_label("text", exact=True).fill("no such text")
    expect(box.get_by_role("status")).to_have_text("No segment matches.")
    box.locator("summary").focus()
    visitor.page.keyboard.press("/")
    expect(box.get_by_label("text", exact=True)).to_be_focused()


def test_systems_times_rows_are_what_a_file_costs(tmp_path):
    demo = Demo("bleu_multi", CASES["bleu_multi"], "bleu_multi")
    most = demo.most_items
    path = tmp_path / "many.tsv"
    path.write_text("ref\ta\tb\tc\n" + "x\tx\ty\tz\n" * (most // 2))
    table, roles = demo.read_file(str(path))
    assert roles.systems == ("a", "b", "c")
    assert demo.sure_systems(table, roles) == ["a", "b"]  # three would be too many
    with pytest.raises(InputError, match=f"{3 * (most // 2):,} items are more than the {most:,} that this page"):
        compare_file(demo, str(path), ["a", "b", "c"], ["ref"], {}, [])
    names = [f"s{number}" for number in range(MOST_SYSTEMS + 1)]
    path.write_text("\t".join(["ref", *names]) + "\n" + "\t".join(["x"] * (len(names) + 1)) + "\n")
    table, roles = demo.read_file(str(path))
    assert demo.sure_systems(table, roles) == names[:-1]
    with pytest.raises(InputError, match=f"{len(names)} systems are more than the {MOST_SYSTEMS} that this page"):
        compare_file(demo, str(path), names, ["ref"], {}, [])


def test_a_second_file_replaces_the_first_and_no_other_visitor_sees_it(visit, tmp_path):
    first, second = tmp_path / "first.tsv", tmp_path / "second.jsonl"
    first.write_text("mt\tref\nthe cat\tthe cat\n")  # a corpus, though of one text
    second.write_text(as_jsonl(["pegasus", "gold"], [("an old house", "an old house"), ("b c d", "b d")]))
    owner = visit("bleu_multi", alone=True)
    owner.upload(first)
    owner.until(lambda: equal(owner.chosen("#system"), ["mt"]))
    other = visit("bleu_multi", alone=True)
    other.open("File")
    other.compute_file()
    refuses(other, "Choose a file first", "file")
    assert "first.tsv" not in other.page.content()
    owner.compute_file()
    shows(owner, scored("bleu_multi", ["the cat"], [["the cat"]], **ASKED), "file")
    owner.upload(second)
    owner.until(lambda: equal(owner.chosen("#system"), ["pegasus"]))
    for result in ("#file-result .tercet", "#file-signature", "#items", "#distribution", "#download-tsv"):
        expect(owner.find(result)).to_be_hidden()  # they are the first file's
    owner.compute_file()
    expected = scored("bleu_multi", ["an old house", "b c d"], [["an old house"], ["b d"]], **ASKED)
    shows(owner, expected, "file")


def test_a_band_is_for_a_test_set(visit, tmp_path):
    visitor = visit("bleu_multi")
    for n_rows in (99, 100):
        path = tmp_path / f"{n_rows}.tsv"
        path.write_text("mt\tref\n" + "a cat sat on the mat\ta cat sat on the mat\n" * n_rows)
        visitor.upload(path)
        expect(visitor.find("#about-file")).to_have_text(f"{n_rows} rows.")
        visitor.compute_file()
        visitor.until(lambda: has(visitor.seen("file")["score"]))
        text = visitor.find("#file-result").inner_text()
        assert ("Roughly, over 60: quality often better than human." in text) == (n_rows == 100)


def test_columns_of_a_translation_memory_are_left_to_the_visitor(visit, tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text(as_tmx(["en", "de", "de"], [("A cat.", "Eine Katze.", "Die Katze.")]), encoding="utf-8")
    visitor = visit("bleu_multi")
    visitor.upload(path)
    expect(visitor.find("#about-file")).to_have_text(
        "1 row. Each column is a language of the file. Choose the predictions, and references in the same language."
    )
    assert visitor.chosen("#system") == []
    visitor.compute_file()
    refuses(visitor, "Choose the column of the predictions", "file")
    visitor.choose("#system", ["de 2"])
    visitor.choose("#reference-columns", ["de"])
    visitor.compute_file()
    shows(visitor, scored("bleu_multi", ["Die Katze."], [["Eine Katze."]], **ASKED), "file")


def test_mistakes_are_told_and_forgotten(visit, tmp_path):
    most = CASES["bleu_multi"]["DEMO_ITEMS"]
    bad = {
        "page.html": ("mt\tref\na\tb\n", "page.html: a file's format is taken from its extension"),
        "table.parquet": ("PAR1", "Files of this kind are not accepted here; give one of TSV, CSV,"),
        "short.tsv": ("mt\tref\na\tb\nc\n", "short.tsv, line 3"),
        "broken.jsonl": ('{"mt": "a", "ref": "b"}\n{"mt": "c"\n', "broken.jsonl, line 2"),
        "long.tsv": ("mt\tref\n" + "a\tb\n" * (most + 1), f"{most + 1:,} rows; the page takes {most:,}"),
        "laughs.tmx": ('<!DOCTYPE t [<!ENTITY a "ha">]><tmx>&a;</tmx>', "laughs.tmx"),
    }
    good = tmp_path / "good.tsv"
    good.write_text("mt\tref\na cat\tthe cat\n")
    expected = scored("bleu_multi", ["a cat"], [["the cat"]], **ASKED)
    visitor = visit("bleu_multi")
    visitor.upload(good)
    expect(visitor.find("#about-file")).to_have_text("1 row.")
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
    visitor.until(lambda: equal(visitor.chosen("#system"), ["mt"]))
    for columns, message in (
        ([], "at least one of references"),
        (["mt"], "The column 'mt' is chosen for the predictions and as a reference"),
    ):
        visitor.choose("#reference-columns", columns)
        visitor.compute_file()
        refuses(visitor, message, "file")
    visitor.choose("#reference-columns", ["ref"])
    visitor.compute_file()
    shows(visitor, expected, "file")


def test_columns_of_a_file_that_was_cleared_are_no_choice(visit, tmp_path):
    good, bad = tmp_path / "good.tsv", tmp_path / "short.tsv"
    good.write_text("mt\tref\na cat\tthe cat\n")
    bad.write_text("mt\tref\na\tb\nc\n")
    visitor = visit("bleu_multi")
    visitor.upload(good)
    visitor.until(lambda: equal(visitor.chosen("#system"), ["mt"]))
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    visitor.find("#file-input").get_by_role("button", name="Clear").click()
    visitor.compute_file()
    refuses(visitor, "Choose a file first", "file")
    visitor.upload(bad)
    expect(visitor.find("#about-file").get_by_role("alert")).to_contain_text("short.tsv, line 3")
    for _ in range(2):
        visitor.compute_file()
        refuses(visitor, "short.tsv, line 3", "file")
        expect(visitor.page.get_by_text("is not in the list of choices")).to_have_count(0)
