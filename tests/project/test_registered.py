"""A metric of the suite has what belongs to one: module, card, examples, tests, benchmark, rows in the docs."""

import re
import runpy

import pytest

from commands import command
from conftest import ROOT
from suite import SUITE
from tercet.registry import METRICS


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_suite_is_that_of_the_tests():
    assert set(METRICS) == set(SUITE)


@pytest.mark.parametrize("metric", SUITE)
def test_a_metric_has_what_belongs_to_one(metric):
    folder, short = ROOT / "metrics" / metric, SUITE[metric].short
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files == {f"{metric}.py", "README.md", "cases.py"}
    assert runpy.run_path(str(folder / "cases.py"))["CASES"]
    assert list((ROOT / "tests" / short).glob("test_*.py"))
    assert text("README.md").count(f"| [`{metric}`](metrics/{metric}/README.md) | ") == 1
    assert text("docs/metrics/index.md").count(f"| [`{metric}`](../../metrics/{metric}/README.md) | ") == 1
    assert metric in text("examples/demo.py")
    assert metric in text("CHANGELOG.md")
    assert metric in text("benchmarks/RESULTS.md")
    assert short in re.split("[ ,:]+", command("--help").stdout)
