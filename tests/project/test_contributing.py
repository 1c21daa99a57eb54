"""The fourth metric of CONTRIBUTING.md is real: built from the page, it scores, compares and loads."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

BLOCK = re.compile(r"^`([\w/.]+)`(?:: a line in `(\w+)`)?\n\n```python\n(.*?)```", re.MULTILINE | re.DOTALL)

USE = """
import json, sys
import tercet
from tercet import read_test_sets, compare

predictions, references = ["A cat", "a dog", "a bird"], [["a cat", "the cat"], ["a dog"], ["an owl"]]
result = tercet.score("exact_match", predictions, references, lowercase=True, confidence_level=0.95, segments=True)
module = tercet.load("exact_match")
module.add_batch(predictions=predictions, references=references)
(test_set,) = read_test_sets([sys.argv[1]])
(table,) = compare(test_set, ["exact_match"], n_resamples=99).tables
print(json.dumps({
    "result": result, "signature": result.signature, "module": module.compute(),
    "both": tercet.compute_metrics.__name__, "rows": [[row.system, row.value, row.pvalue] for row in table.rows],
    "why": tercet.explain("exact_match", "a dog", ["a dog", "a cat"]),
}))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the package and of the metrics, with the fourth metric in it."""
    folder = tmp_path_factory.mktemp("house")
    for part in ("src/tercet", "metrics"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(blocks) == 6
    for path, name, text in blocks:
        target = folder / path
        if name:
            before = target.read_text()
            start = before.index("{\n", before.index(f"{name}:")) + 2
            text = before[:start] + text + before[start:]
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
    return folder


def test_is_as_short_as_the_page_says():
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    lines = [line for _, _, text in blocks for line in text.splitlines() if line.strip()]
    code = [line for line in lines if not line.startswith(("from ", "import ")) and '"""' not in line]
    assert len(code) <= 60


@pytest.mark.long
def test_the_fourth_metric_scores_compares_and_loads(house, tmp_path):
    table = tmp_path / "in.tsv"
    table.write_text("A\tB\tref\na cat\ta cat\ta cat\na cow\ta dog\ta dog\n")
    run = subprocess.run(
        [sys.executable, "-c", USE, str(table)], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(house / "src"), "HF_HOME": str(tmp_path)}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said["result"]["exact_match"] == pytest.approx(2 / 3)
    assert said["result"]["segments"] == {"exact_match": [1.0, 1.0, 0.0]}
    assert said["result"]["intervals"]["exact_match"] == [0.0, 1.0]
    assert said["signature"].startswith("exact_match|case:lc|")
    assert said["module"] == {"exact_match": pytest.approx(1 / 3)}
    assert [row[:2] for row in said["rows"]] == [["A", 50.0], ["B", 100.0]]
    assert said["why"] == ["a dog"]
