"""A Space's folder: everything that its module needs, nothing else, and the same scores without the package."""

import json
import os
import re
import subprocess
import sys

import pytest
import yaml
from evaluate import loading

import tercet
from conftest import ROOT, close, needed
from spaces.build import build
from tercet import OptionError
from tercet.api import SCORERS
from texts import LATIN, all_pairs

#: What a Space has besides the core and its module.
PAGE = ("widget", "widget_controls", "widget_guard", "widget_results", "widget_scoring")
OWN = {"app", "cases", *PAGE}

PREDICTIONS, REFERENCES = all_pairs(LATIN)


WITHOUT_THE_PACKAGE = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "tercet":
            raise ImportError("the package is not here")
sys.meta_path.insert(0, Refuse())
import evaluate
folder, given = sys.argv[1], json.loads(sys.argv[2])
print(json.dumps(evaluate.load(folder).compute(**given)))
"""


@pytest.fixture(scope="module", params=SCORERS)
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def folder(metric, tmp_path_factory):
    return build(metric, tmp_path_factory.mktemp("spaces"))


def test_the_core_is_copied_byte_by_byte(metric, folder):
    files = {path.stem for path in folder.glob("*.py")} - OWN - {metric}
    scorer = SCORERS[metric][0]
    assert {scorer, f"{scorer}_explain", "module", "api", "errors", "tables", "tmx"} <= files
    for name in files:
        assert (folder / f"{name}.py").read_bytes() == (ROOT / "src" / "tercet" / f"{name}.py").read_bytes()
    assert (folder / "cases.py").read_bytes() == (ROOT / "metrics" / metric / "cases.py").read_bytes()


def test_the_card_is_the_metric_s_with_the_tested_versions(metric, folder):
    built, own = folder / "README.md", ROOT / "metrics" / metric / "README.md"
    added = [line for line in built.read_text().splitlines() if line not in own.read_text().splitlines()]
    assert added == ["sdk_version: 6.31.0", 'python_version: "3.11"']
    head = yaml.safe_load(built.read_text().split("---")[1])
    assert (head["sdk"], head["sdk_version"], head["app_file"]) == ("gradio", "6.31.0", "app.py")


def test_the_three_pages_are_one(folder):
    for name in PAGE:
        text = (ROOT / "spaces" / f"{name}.py").read_text()
        built = (folder / f"{name}.py").read_text()
        assert built == text.replace("from tercet.", "from .").replace("from spaces.", "from .")


def test_no_other_scorer_is_carried_along(metric, folder):
    others = {file for other, (file, _) in SCORERS.items() if other != metric}
    assert not others & {path.stem for path in folder.glob("*.py")}


def test_the_module_names_every_file_as_evaluate_s_loader_needs(metric, folder):
    found = loading.get_imports(str(folder / f"{metric}.py"))
    internal = {name for kind, name, *_ in found if kind == "internal"}
    page = {"cells", "decoding", "delimited", "jsonl", "limits", "roles", "tables", "tmx"}
    assert internal == {path.stem for path in folder.glob("*.py")} - OWN - {metric} - page
    assert not re.search(r"^(from|import) tercet", (folder / f"{metric}.py").read_text(), flags=re.MULTILINE)


def test_the_requirements_name_tested_versions_and_not_the_package(metric, folder):
    lines = (folder / "requirements.txt").read_text().splitlines()
    assert {"evaluate==0.4.6", "gradio==6.31.0", "numpy==2.4.6"} <= set(lines)
    assert not [line for line in lines if "==" not in line]
    assert not [line for line in lines if line.startswith("tercet")]


def test_it_scores_the_same_where_the_package_cannot_be_imported(metric, folder, tmp_path):
    given = {"predictions": PREDICTIONS, "references": REFERENCES, "confidence_level": 0.9, **needed(metric)}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_PACKAGE, str(folder), json.dumps(given)],
        cwd=tmp_path, env={**os.environ, "HF_HOME": str(tmp_path)}, stdout=subprocess.PIPE, timeout=120, check=True,
    )  # fmt: skip
    expected = tercet.score(metric, given.pop("predictions"), given.pop("references"), **given)
    assert close(metric, json.loads(run.stdout), expected)


def test_a_metric_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(OptionError, match="Did you mean 'bleu_multi'"):
        build("bleu_mutli", tmp_path)
    run = subprocess.run(
        [sys.executable, "-m", "spaces.build", "blue"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("error: There is no metric 'blue'")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    kept = tmp_path / "bleu_multi" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(OptionError, match="holds something else than a Space"):
        build("bleu_multi", tmp_path)
    with pytest.raises(OptionError, match="holds something else than a Space"):
        build("bleu_multi", ROOT / "metrics")
    assert kept.read_text() == "mine"
    kept.unlink()
    assert build("bleu_multi", tmp_path) == build("bleu_multi", tmp_path)
