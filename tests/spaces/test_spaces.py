"""A Space's folder: everything that its module needs, nothing else, and the same scores without the package."""

import ast
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
from tercet.api import known_arguments
from tercet.registry import METRICS
from texts import LATIN, all_pairs

#: What a Space has besides the core and its module.
PAGE = (
    *("widget", "widget_answers", "widget_code", "widget_controls", "widget_file", "widget_guard", "widget_jobs"),
    *("widget_limits", "widget_look", "widget_notes", "widget_results", "widget_scoring", "widget_text"),
)
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


@pytest.fixture(scope="module", params=METRICS)
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def folder(metric, tmp_path_factory):
    return build(metric, tmp_path_factory.mktemp("spaces"))


def differing_lines(built, source):
    """Return the pairs of lines in which a file of a Space and the file of the project differ."""
    lines = zip(built.read_text().splitlines(), source.read_text().splitlines(), strict=True)
    return [(one, other) for one, other in lines if one != other]


def is_import(pair):
    return pair[0].startswith("from .") and pair[1].startswith(("from .", "from tercet.", "from spaces."))


def test_the_files_of_the_package_are_identical_but_for_imports(metric, folder):
    source = ROOT / "src" / "tercet"
    named = {"_".join(path.relative_to(source).with_suffix("").parts): path for path in source.rglob("*.py")}
    files = {path.stem for path in folder.glob("*.py")} - OWN - {metric, "registry", "engine_chosen"}
    room = METRICS[metric].room
    assert {f"{room}_scorer", f"{room}_explain", "modules_suite_module", "api", "errors", "files_tmx"} <= files
    for name in files:
        assert all(map(is_import, differing_lines(folder / f"{name}.py", named[name]))), name
    assert (folder / "cases.py").read_bytes() == (ROOT / "metrics" / metric / "cases.py").read_bytes()


def test_every_import_finds_its_file_beside_it(folder):
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level == 1, path.name
                assert (folder / f"{node.module}.py").exists(), (path.name, node.module)


def test_its_registry_knows_its_metric_and_what_the_others_take(metric, folder):
    named = {}
    for node in ast.parse((folder / "registry.py").read_text()).body:
        if isinstance(node, ast.Assign):
            named[node.targets[0].id] = ast.literal_eval(node.value)
    assert named["METRICS"] == {metric: tuple(METRICS[metric])}
    assert named["ARGUMENTS_ELSEWHERE"] == {other: known_arguments(other) for other in METRICS if other != metric}


def test_the_card_is_the_metric_s_with_the_tested_versions(metric, folder):
    built, own = folder / "README.md", ROOT / "metrics" / metric / "README.md"
    added = [line for line in built.read_text().splitlines() if line not in own.read_text().splitlines()]
    assert added == ["sdk_version: 6.31.0", 'python_version: "3.11"']
    head = yaml.safe_load(built.read_text().split("---")[1])
    assert (head["sdk"], head["sdk_version"], head["app_file"]) == ("gradio", "6.31.0", "app.py")


def test_the_three_pages_are_one(folder):
    for name in PAGE:
        assert all(map(is_import, differing_lines(folder / f"{name}.py", ROOT / "spaces" / f"{name}.py"))), name


def test_no_other_metric_is_carried_along(metric, folder):
    rooms = [entry.room for entry in METRICS.values()]
    for path in folder.glob("*_*.py"):
        of_metrics = [room for room in rooms if path.stem.startswith(f"{room}_") and path.stem not in METRICS]
        assert max(of_metrics, key=len, default=METRICS[metric].room) == METRICS[metric].room, path


def test_the_module_names_every_file_as_evaluate_s_loader_needs(metric, folder):
    found = loading.get_imports(str(folder / f"{metric}.py"))
    internal = {name for kind, name, *_ in found if kind == "internal"}
    files = {path.stem for path in folder.glob("*.py")} - OWN - {metric}
    assert internal == {name for name in files if not name.startswith("files_")} | (internal & {"files_writing"})
    assert not re.search(r"^(from|import) tercet", (folder / f"{metric}.py").read_text(), flags=re.MULTILINE)


def test_the_requirements_name_tested_versions_and_not_the_package(metric, folder):
    lines = (folder / "requirements.txt").read_text().splitlines()
    assert {"evaluate==0.4.6", "gradio==6.31.0", "numpy==2.4.6"} <= set(lines)
    assert not [line for line in lines if "==" not in line]
    assert not [line for line in lines if line.startswith("tercet")]


@pytest.mark.long
def test_it_scores_the_same_where_the_package_cannot_be_imported(metric, folder, tmp_path):
    given = {"predictions": PREDICTIONS, "references": REFERENCES, "confidence_level": 0.9, **needed(metric)}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_PACKAGE, str(folder), json.dumps(given)],
        cwd=tmp_path, env={**os.environ, "HF_HOME": str(tmp_path)}, stdout=subprocess.PIPE, timeout=120, check=True,
    )  # fmt: skip
    expected = tercet.score(metric, given.pop("predictions"), given.pop("references"), **given)
    assert close(metric, json.loads(run.stdout), expected)


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
