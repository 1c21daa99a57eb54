"""``--open``: a page that was written is shown in the browser, and nothing else is."""

import os
import subprocess
import sys

import pytest

from commands import TERCET, command
from conftest import ROOT

EN = str(ROOT / "examples" / "data" / "en.tsv")
GRADED = str(ROOT / "examples" / "data" / "graded.tsv")


@pytest.mark.parametrize(
    "line",
    [f"compare {EN} -m bleu --n-resamples 20", f"score {EN}", f"explain bleu {EN}", f"correlate {GRADED} -m bleu"],
)
def test_the_browser_is_given_the_page(tmp_path, monkeypatch, line):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    command(*line.split(), "--out", tmp_path / "page é.html", "--open")
    assert opened == [(tmp_path / "page é.html").as_uri()]


def test_a_real_process_starts_the_browser_of_the_user(tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f'#!{sys.executable}\nimport sys\nopen("{tmp_path}/asked", "w").write(sys.argv[1])\n')
    browser.chmod(0o755)
    asked = [TERCET, "explain", "bleu", EN, "--out", "why.html", "--open"]
    subprocess.run(asked, cwd=tmp_path, env={**os.environ, "BROWSER": f"{browser} %s"}, check=True)
    assert (tmp_path / "asked").read_text() == (tmp_path / "why.html").as_uri()


def test_where_there_is_no_browser_the_file_is_there_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    run = command("explain", "bleu", EN, "--out", tmp_path / "why.html", "--open")
    assert f"no browser was found to show {tmp_path / 'why.html'}" in run.stderr
    assert (tmp_path / "why.html").stat().st_size


@pytest.mark.parametrize(
    ("line", "got"),
    [
        (f"compare {EN}", "the standard output"),
        (f"compare {EN} --out x.json", "'x.json', whose format is json"),
        (f"score {EN} --out x.xlsx", "'x.xlsx', whose format is xlsx"),
        (f"compare {EN} --out x.txt -f html", "'x.txt', whose format is html"),
        (f"explain bleu {EN} --out x", "'x', whose format is text"),
        (f"explain bleu {EN} -a nltk", "the standard output"),
        (f"correlate {GRADED}", "the standard output"),
        (f"compare {EN} --segment 3", "the standard output"),
    ],
)
def test_what_is_no_page_is_refused_before_anything_is_scored(tmp_path, line, got):
    run = command(*line.split(), "--open", code=2, cwd=tmp_path)
    said = " ".join(run.stderr.replace("│", " ").split())
    assert f"needs an HTML file: give one, as in --out report.html. Got {got}." in said
    assert not list(tmp_path.iterdir())
