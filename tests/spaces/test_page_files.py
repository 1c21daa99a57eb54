"""Files on the page of a Space: what is guessed of them, scores, plots, tables, downloads."""

import csv
import io
import json
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from page_checks import (
    FIRST_LINE,
    PAGES,
    PREDICTIONS,
    ROWS,
    WRITERS,
    as_jsonl,
    has_its_bars,
    near,
    photograph,
    same,
    scored,
    shows,
)

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


@pytest.mark.parametrize(
    ("metric", "end", "header", "guessed"),
    [
        ("bleu_multi", "tmx", ["en-US", "de", "fr", "en-GB"], ("", [])),
        ("rouge_nlws", "csv", ["generated", "highlights", "ref2", "pegasus"], ("generated", ["highlights", "ref2"])),
        ("bertscore_idf", "jsonl", ["mt", "ref", "ref2", "mt2"], ("mt", ["ref", "ref2"])),
    ],
)
def test_a_file_is_scored_with_intervals_a_plot_a_table_and_downloads(visit, tmp_path, metric, end, header, guessed):
    path = tmp_path / f"own.{end}"
    path.write_text(WRITERS[end](header, ROWS), encoding="utf-8", newline="")
    visitor = visit(metric)
    visitor.upload(path)
    expect(visitor.find("#about-file")).to_contain_text(f"{len(ROWS)} rows.")
    if not guessed[0]:
        expect(visitor.find("#about-file")).to_contain_text("Each column is a language of the file. Choose the pred")
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
    assert expected[PAGES[metric].score] != changed[PAGES[metric].score]
    shows(visitor, expected, "file")
    has_its_bars(visitor)
    _has_its_table(visitor, expected["segments"], end)
    _has_its_downloads(visitor, metric, expected)
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
        assert [float(row[name]) for row in rows] == same(metric, values)
    result = json.loads(visitor.download("#download-json"))
    assert result["signature"] == expected["signature"]
    assert result["segments"].keys() == expected["segments"].keys()
    name = PAGES[metric].score
    assert result["intervals"][name] == same(metric, expected["intervals"][name])


def test_a_second_file_replaces_the_first(visit, tmp_path):
    first, second = tmp_path / "first.tsv", tmp_path / "second.jsonl"
    first.write_text("mt\tref\na cat\ta cat\na dog\ta cat\n")
    second.write_text(as_jsonl(["pegasus", "gold"], [("an old house", "an old house"), ("b c d", "b d")]))
    visitor = visit("bleu_multi")
    visitor.upload(first)
    expect(visitor.find("#system input")).to_have_value("mt")
    visitor.compute_file()
    more = {"confidence_level": 0.95, "segments": True}
    shows(visitor, scored("bleu_multi", ["a cat", "a dog"], [["a cat"], ["a cat"]], **more), "file")
    visitor.upload(second)
    expect(visitor.find("#system input")).to_have_value("pegasus")
    for result in ("#file-result .tercet", "#file-signature", "#items", "#distribution", "#download-tsv"):
        expect(visitor.find(result)).to_be_hidden()  # they are the first file's
    visitor.compute_file()
    expected = scored("bleu_multi", ["an old house", "b c d"], [["an old house"], ["b d"]], **more)
    shows(visitor, expected, "file")
