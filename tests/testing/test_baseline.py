"""The fixture ``baseline`` in a run of pytest by itself: outputs are kept on request, and else compared with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tercet

CONFTEST = 'pytest_plugins = ["tercet.testing.baseline"]\n'
TEST = r"""
import os

import pytest

from tercet.testing import assert_not_worse

REFERENCES = ["ein Hund bellt", "кошка спит", "two cats sleep here"] * 5
OUTPUTS = REFERENCES if os.environ["MODEL"] == "good" else ["ein Hund", "кошка", "two"] * 5


@pytest.mark.parametrize("prompt", ["kurz/1", "kurz 1"])
def test_model(baseline, prompt):
    outputs = OUTPUTS[: int(os.environ.get("N", 15))]
    assert_not_worse(outputs, baseline(outputs), REFERENCES[: len(outputs)])


class TestTwice:
    def test_model(self, baseline):
        assert_not_worse(OUTPUTS, baseline(OUTPUTS), REFERENCES)
        other = [text[::-1] for text in OUTPUTS] + ["half \ud800"]
        assert baseline(other) == other
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_model.py").write_text(TEST, encoding="utf-8")

    def run(model, *options, code=0, **environment):
        source = str(Path(tercet.__file__).parents[1])
        result = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": source, "MODEL": model, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result.stdout

    return run


@pytest.mark.long
def test_outputs_are_kept_and_compared_with(run, tmp_path):
    assert "make it with pytest --update-baseline" in run("good", code=1)
    run("good", "--update-baseline")
    files = sorted((tmp_path / "baselines").iterdir())
    assert len(files) == 4
    first = next(path for path in files if "kurz" in path.name)
    lines = [json.loads(line)["prediction"] for line in first.read_text(encoding="utf-8").splitlines()]
    assert lines == ["ein Hund bellt", "кошка спит", "two cats sleep here"] * 5
    run("good")
    failed = run("bad", code=1)
    assert "AssertionError: The predictions against the baseline: " in failed
    assert "def assert_not_worse" not in failed  # the message is about the model, not about the assertion
    assert "has 15 outputs, and this run has 3" in run("good", code=1, N="3")
    run("bad", "--update-baseline")
    run("bad")
