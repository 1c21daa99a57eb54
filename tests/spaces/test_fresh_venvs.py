"""Each Space in a virtual environment with its requirements.txt and nothing else: ``make test-spaces``.

These take minutes, most of them for installing, and are left out of the other tests by their marker.
"""

import importlib.util
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from hub import Hub
from language_models import smollm2
from spaces.build import build
from tercet.registry import METRICS
from texts import MINILM

pytestmark = pytest.mark.fresh_venv

USER = Path(__file__).with_name("fresh_user.py")


#: All of a metric's tests in one process, which makes its environment once.
EACH = [pytest.param(metric, marks=pytest.mark.xdist_group(metric)) for metric in METRICS]


@pytest.fixture(scope="module", params=EACH)
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def folder(metric, tmp_path_factory):
    return build(metric, tmp_path_factory.mktemp("spaces"))


@pytest.fixture(scope="module")
def python(folder, tmp_path_factory):
    """The interpreter of an environment made from the Space's requirements alone."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=120)
    python = venv / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--requirement", str(folder / "requirements.txt")], check=True, timeout=1800)
    return python


@pytest.fixture(scope="module")
def found(folder, python, tmp_path_factory):
    """What the metric and the page give there; encoders come from a Hub on the loopback interface."""
    smollm2()  # which the cases of perplexity_lm name
    with socket.socket() as free, Hub(tmp_path_factory.mktemp("hub")) as hub:
        hub.add_model("sentence-transformers/all-MiniLM-L6-v2", Path(MINILM))
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        free.close()
        run = subprocess.run(
            [str(python), str(USER), str(folder), port],
            cwd=tmp_path_factory.mktemp("elsewhere"),
            env=hub.environment(tmp_path_factory.mktemp("home")),
            stdout=subprocess.PIPE, text=True, check=True, timeout=600,
        )  # fmt: skip
    return json.loads(run.stdout.splitlines()[-1])


def cases_of(metric):
    spec = importlib.util.spec_from_file_location(f"cases_of_{metric}", ROOT / "metrics" / metric / "cases.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


@pytest.mark.parametrize("way", ["loaded", "answered"])
def test_every_case_has_its_score(metric, found, way):
    cases = cases_of(metric)
    assert len(found[way]) == len(cases)
    for case, result in zip(cases, found[way], strict=True):
        for key, value in case["expected"].items():
            assert result[key] == pytest.approx(value, abs=max(case["tolerance"], 1e-12)), (case["description"], key)


def test_the_page_gives_what_the_metric_gives(found):
    for loaded, answered in zip(found["loaded"], found["answered"], strict=True):
        assert loaded.keys() == answered.keys()
        assert loaded["signature"] == answered["signature"]
