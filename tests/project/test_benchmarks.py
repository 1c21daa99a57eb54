"""The benchmarks run, and what they time is equal."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.long
@pytest.mark.parametrize(("script", "row", "least"), [
    ("run.py", r"required\)", 23),
    ("bertscore.py", r"required\)", 10),  # 14 where oneDNN is faster than MKL
    ("cosine.py", r"required\)", 4),
    ("correlation.py", r"required\)", 2),
    ("perplexity.py", r"\(required\)", 2),
    ("streams.py", r"\| (bleu_multi|rouge_nlws) \|", 6),
    ("sizes.py", r"\| (ROUGE 1\+2\+L|BLEU) \|", 14),
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
