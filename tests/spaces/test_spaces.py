"""A Space's folder: everything that its module needs, nothing else, and the same scores without the package."""

import ast
import json
import os
import subprocess
import sys
from functools import cache

import pytest
import yaml

import tercet
from conftest import ROOT, close, needed
from spaces.build import build
from suite import SUITE
from tercet import OptionError
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)

#: Python reads this before anything else: the package cannot be imported.
WITHOUT_THE_PACKAGE = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "tercet":
            raise ImportError("the package is not here")
sys.meta_path.insert(0, Refuse())
import evaluate
folders, given = json.loads(sys.argv[1]), json.loads(sys.argv[2])
print(json.dumps({metric: evaluate.load(folder).compute(**given[metric]) for metric, folder in folders.items()}))
"""


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Build the folder of a metric's Space, once."""
    return cache(lambda metric: build(metric, tmp_path_factory.mktemp("spaces")))


@pytest.mark.long
def test_each_scores_the_same_where_the_package_cannot_be_imported(folder_of, tmp_path):
    texts = {"predictions": PREDICTIONS, "references": REFERENCES, "confidence_level": 0.9}
    given = {metric: {**texts, **needed(metric)} for metric in SUITE}
    paths = {metric: str(folder_of(metric)) for metric in SUITE}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_PACKAGE, json.dumps(paths), json.dumps(given)],
        cwd=tmp_path, env={**os.environ, "HF_HOME": str(tmp_path)}, stdout=subprocess.PIPE, timeout=300, check=True,
    )  # fmt: skip
    for metric, found in json.loads(run.stdout).items():
        assert close(metric, found, tercet.score(metric, **given[metric])), metric


@pytest.mark.costly
@pytest.mark.parametrize("metric", SUITE)
def test_the_files_of_a_folder_are_those_that_it_imports_and_of_no_other_metric(folder_of, metric):
    folder = folder_of(metric)
    others = {f"metrics_{known.short}_metric" for other, known in SUITE.items() if other != metric}
    files = {path.stem for path in folder.glob("*.py")}
    assert {metric, "app", "cases", "registry", f"metrics_{SUITE[metric].short}_metric", "widget"} <= files
    assert not files & others
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level == 1, path.name
                assert node.module in files, (path.name, node.module)
    assert (folder / "cases.py").read_bytes() == (ROOT / "metrics" / metric / "cases.py").read_bytes()


@pytest.mark.costly
@pytest.mark.parametrize("metric", SUITE)
def test_the_card_and_the_requirements_name_the_tested_versions(folder_of, metric):
    built, own = folder_of(metric) / "README.md", ROOT / "metrics" / metric / "README.md"
    added = [line for line in built.read_text().splitlines() if line not in own.read_text().splitlines()]
    assert added == ["sdk_version: 6.31.0", 'python_version: "3.11"']
    head = yaml.safe_load(built.read_text().split("---")[1])
    assert (head["sdk"], head["sdk_version"], head["app_file"]) == ("gradio", "6.31.0", "app.py")
    lines = (folder_of(metric) / "requirements.txt").read_text().splitlines()
    assert {"evaluate==0.4.6", "gradio==6.31.0", "numpy==2.4.6"} <= set(lines)
    assert not [line for line in lines if "==" not in line or line.startswith("tercet")]


ENGINE = """
import sys
if sys.argv[2] == "absent":
    sys.modules["tercet"] = None
import evaluate
metric = evaluate.load(sys.argv[1])
(chosen,) = (module for name, module in sys.modules.items() if name.endswith(".engine_chosen"))
print(chosen.engine.__name__.rpartition(".")[2], metric.compute(predictions=["a b c"], references=["a c"])["ter"])
"""


@pytest.mark.parametrize(("tercet", "engine"), [("installed", "_engine"), ("absent", "engine_plain")])
@pytest.mark.long
def test_it_takes_the_engine_of_the_package_and_warns_where_there_is_none(tercet, engine, tmp_path):
    names = {key: value for key, value in os.environ.items() if key != "TERCET_ENGINE"}
    run = subprocess.run(
        [sys.executable, "-c", ENGINE, build("ter", tmp_path), tercet],
        cwd=tmp_path, env={**names, "HF_HOME": str(tmp_path)}, capture_output=True, text=True, timeout=99, check=True,
    )  # fmt: skip
    assert run.stdout == f"{engine} 50.0\n"
    assert run.stderr.count("RuntimeWarning: With its compiled engine") == (tercet == "absent")


def test_a_metric_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(OptionError, match="Did you mean 'bleu_multi'"):
        build("bleu_mutli", tmp_path)
    run = subprocess.run(
        [sys.executable, "-m", "spaces.build", "blue"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert run.stderr.startswith("error: There is no metric 'blue'")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    kept = tmp_path / "bleu_multi" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(OptionError, match="holds something other than a built Space"):
        build("bleu_multi", tmp_path)
    with pytest.raises(OptionError, match="holds something other than a built Space"):
        build("bleu_multi", ROOT / "metrics")
    assert kept.read_text() == "mine"
    kept.unlink()
    assert build("bleu_multi", tmp_path) == build("bleu_multi", tmp_path)
