"""The benchmarks run, and what they time is equal."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.long
@pytest.mark.parametrize(("script", "row", "least"), [
    ("run.py", r"required\)", 23),
    ("bertscore.py", r"required\)", 10),
    ("cosine.py", r"required\)", 4),
    ("correlation.py", r"required\)", 2),
    ("perplexity.py", r"\(required\)", 2),
    ("streams.py", r"\| (bleu_multi|rouge_nlws) \|", 4),
    ("sizes.py", r"\| [\d,]+ x [\d,]+ \| [\d.,]+ (us|ms|s) \|", 70),
])  # fmt: skip
def test_every_row_runs_and_is_equal_on_few_texts(script, row, least):
    command = [sys.executable, f"benchmarks/{script}", "--small"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert len(re.findall(row, run.stdout)) >= least


def test_a_benchmark_replaces_its_own_section_of_the_results_only(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from results import write_section

    path = tmp_path / "RESULTS.md"
    write_section("One", "first\n\n## Part\n\nof one", path)
    write_section("Two", "second", path)
    write_section("One", "third", path)
    assert path.read_text() == "# One\n\nthird\n\n# Two\n\nsecond\n"


def test_what_stands_around_the_results_of_a_benchmark_stays(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from results import write_between

    path = tmp_path / "speed.md"
    path.write_text("before\n<!-- sizes -->\nold\n<!-- end of sizes -->\nafter\n")
    for text in ("first", "## Second"):
        write_between("sizes", text, path)
        assert path.read_text() == f"before\n<!-- sizes -->\n\n{text}\n\n<!-- end of sizes -->\nafter\n"
    assert (ROOT / "docs" / "speed.md").read_text().count("bench-sizes -->") == 2


def test_the_tables_say_where_a_peer_is_ahead(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from ahead import Cell, few_pairs, where_a_peer_is_ahead, who_is_ahead

    def cell(work, pairs, **ratios):
        peers = {name.replace("_", ", "): [ratio, 9 * ratio, ratio] for name, ratio in ratios.items()}
        return Cell(work, pairs, 25, "", 50 * pairs, 2e-6 * pairs, peers)

    ahead = cell("BLEU", 1, slow=20, fast=1.5)
    behind = cell("BLEU", 10_000, slow=0.997, fast=0.254)
    itself = cell("BLEU from lists", 1, tercet_lists=0.5)
    assert where_a_peer_is_ahead([ahead, itself]) == "In no cell of the last run."
    head = ["| work | pairs x words | peer | ratio |", "| --- | --- | --- | --- |"]
    rows = ["| BLEU | 10,000 x 25 | fast | 0.25 |", "| BLEU | 10,000 x 25 | slow | 0.99 |"]
    assert where_a_peer_is_ahead([ahead, behind, itself]).splitlines() == [*head, *rows]
    assert who_is_ahead([behind, ahead, itself, cell("TER", 1, other=12.3)]).splitlines() == [
        "| work | 1 x 25 | 10,000 x 25 |",
        "| --- | --- | --- |",
        "| BLEU | fast 1.50 | **fast 0.25** |",
        "| TER | other 12 |  |",
    ]
    few = few_pairs([ahead, cell("BLEU", 2), behind, cell("tercet.score: BLEU", 1)])
    assert few.splitlines()[2] == "| BLEU | 2.0 | 4.0 |  | 2.0 | 2.0 |"
