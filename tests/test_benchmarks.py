"""The benchmark runs, and what it times is equal."""

import subprocess
import sys

from conftest import ROOT


def test_every_row_runs_and_is_equal_on_few_texts():
    run = subprocess.run(
        [sys.executable, "benchmarks/run.py", "--small"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("asked)") >= 17
