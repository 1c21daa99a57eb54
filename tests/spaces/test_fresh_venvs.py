"""A Space as the Hub runs it, in a virtual environment made from its requirements.txt.

The Space is published with a wheel of this checkout to a Hub on the loopback interface, and pip gets the wheel from
there. One metric without further packages goes the way, and one with a network; the rest have the same files.
"""

import json
import runpy
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub import constants

from conftest import ROOT
from hub import Hub
from spaces.build import build
from spaces.publish import client, compare, upload
from suite import SUITE
from texts import MINILM

pytestmark = pytest.mark.fresh_venv

USER = Path(__file__).with_name("fresh_user.py")


@pytest.fixture(scope="module", params=["ter", "bertscore_idf"])
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    with Hub(tmp_path_factory.mktemp("hub")) as hub:
        hub.add_model("sentence-transformers/all-MiniLM-L6-v2", Path(MINILM))
        yield hub


@pytest.fixture(scope="module")
def published(metric, hub, wheel, tmp_path_factory):
    """The folder of a Space that is on the Hub with its wheel."""
    work = tmp_path_factory.mktemp("space")
    folder = build(metric, work, wheel=wheel, space=f"org/{metric}", endpoint=hub.url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        api = client(hub.url, "hf_writer")
        upload(api, compare(api, f"org/{metric}", folder))
    return folder


@pytest.fixture(scope="module")
def found(published, metric, hub, tmp_path_factory):
    """What the metric, by path and by name, and the page give there; encoders come from the Hub too."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=120)
    python, versions = str(venv / "bin" / "python"), ["--constraint", str(ROOT / "constraints.txt")]
    if SUITE[metric].loads_model:  # by pip, whose settings may know of a small build for this machine
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, *versions, "torch==2.13.0"], check=True, timeout=1800)
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*uv, *versions, "--requirement", str(published / "requirements.txt")], check=True, timeout=1800)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run = subprocess.run(
        [python, str(USER), str(published), f"org/{metric}", port],
        cwd=tmp_path_factory.mktemp("elsewhere"), env=hub.environment(tmp_path_factory.mktemp("home")),
        stdout=subprocess.PIPE, text=True, check=True, timeout=600,
    )  # fmt: skip
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("way", ["loaded", "by name", "answered"])
def test_every_case_has_its_score(metric, found, way):
    cases = runpy.run_path(str(ROOT / "metrics" / metric / "cases.py"))["CASES"]
    assert len(found[way]) == len(cases)
    for case, result in zip(cases, found[way], strict=True):
        for key, value in case["expected"].items():
            assert result[key] == pytest.approx(value, abs=max(case["tolerance"], 1e-12)), (case["description"], key)


def test_the_page_gives_what_the_metric_gives(found):
    for loaded, answered in zip(found["loaded"], found["answered"], strict=True):
        assert loaded.keys() == answered.keys()
        assert loaded["signature"] == answered["signature"]
