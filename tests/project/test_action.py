"""The action for continuous integration: its steps run in a shell, as a runner runs them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tercet
from conftest import ROOT
from gate_scenes import FAILING, PASSING

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, COMPARE = ACTION["runs"]["steps"]
REFERENCES = ["ein Hund bellt", "кошка спит", "two cats sleep here"] * 5

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="runners have bash")


@pytest.fixture
def run(tmp_path):
    for name, texts in {"main": REFERENCES, "change": ["ein Hund", "кошка", "two"] * 5}.items():
        rows = [
            {"prediction": text, "reference": reference} for text, reference in zip(texts, REFERENCES, strict=True)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def run(code=0, **values):
        inputs = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()} | values
        environment = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)
            for name, text in COMPARE["env"].items()
        }
        files = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        files["RUNNER_TEMP"] = str(tmp_path)
        result = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", COMPARE["run"]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(tercet.__file__).parents[1]), **files, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert result.returncode == code, result.stderr
        return result.stderr

    return run


@pytest.mark.long
def test_a_change_for_the_worse_fails_and_the_report_is_written(run, tmp_path):
    options = {"python": sys.executable, "files": "main.jsonl change.jsonl", "metrics": "chrf ter"}
    assert "failed: test set: 'change' against 'main': " in run(1, **options, **{"fail-if-worse": "chrf"})
    (report,) = re.findall(r"report=(.+)", (tmp_path / "github_output").read_text())
    assert "| change |" in Path(report).read_text(encoding="utf-8")
    assert "- failed: " in (tmp_path / "github_step_summary").read_text(encoding="utf-8")
    run(0, **options, **{"fail-if-worse": "ter=90 chrf=90"})
    run(0, **options, options="--baseline change --seed 7")
    (tmp_path / "my change.jsonl").write_bytes((tmp_path / "change.jsonl").read_bytes())
    options |= {"files": "main.jsonl\n'my change.jsonl'\n", "options": "--baseline 'my change'\n--alpha 0.1"}
    run(0, **options)
    assert "| my change |" in Path(report).read_text(encoding="utf-8")
    run(0, **options | {"files": "old=main.jsonl 'new text=my change.jsonl'", "options": "--baseline old"})
    assert "| new text |" in Path(report).read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize(("code", "scenes"), [(1, FAILING), (0, PASSING)])
def test_scenes_end_with_the_code_of_the_command(run, tmp_path, code, scenes):
    for scene in scenes.values():
        scene.write(tmp_path / "t.csv")
        gated = {"fail-if-worse": scene.gate, "max-missing": scene.most_missing}
        chosen = {"metrics": scene.metric, "options": "--system old --system new"}
        assert scene.said in run(code, python=sys.executable, files="t.csv", **chosen, **gated)


def test_the_action_installs_itself():
    assert INSTALL["run"] == '"$PYTHON" -m pip install "$GITHUB_ACTION_PATH"'
    assert set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"]))) == set(ACTION["inputs"])
    assert all(entry["description"] for entry in ACTION["inputs"].values())
