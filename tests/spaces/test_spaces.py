"""A Space's folder: five files, and with a wheel six."""

import subprocess
import sys
from functools import cache
from hashlib import sha256
from zipfile import ZipFile

import pytest
import yaml

from conftest import ROOT
from spaces.build import build
from suite import SUITE
from tercet import OptionError, __version__

WHEEL = f"tercet-{__version__}-cp311-cp311-linux_x86_64.whl"


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Build the folder of a metric's Space, once."""
    return cache(lambda metric: build(metric, tmp_path_factory.mktemp("spaces")))


@pytest.mark.parametrize("metric", SUITE)
def test_a_space_is_five_files_that_name_the_package(folder_of, metric):
    folder = folder_of(metric)
    files = {"app.py", f"{metric}.py", "README.md", "requirements.txt", "cases.py"}
    assert {path.name for path in folder.iterdir()} == files
    assert (folder / "cases.py").read_bytes() == (ROOT / "metrics" / metric / "cases.py").read_bytes()
    more = SUITE[metric].extras
    assert (folder / "requirements.txt").read_text() == f"tercet[{more}hub]=={__version__}\n"
    assert f'pip install "tercet[{more}evaluate]=={__version__}"' in (folder / f"{metric}.py").read_text()


@pytest.mark.parametrize("metric", SUITE)
def test_the_card_names_the_tested_versions(folder_of, metric):
    built, own = folder_of(metric) / "README.md", ROOT / "metrics" / metric / "README.md"
    added = [line for line in built.read_text().splitlines() if line not in own.read_text().splitlines()]
    assert added == ["sdk_version: 6.31.0", 'python_version: "3.11"']
    head = yaml.safe_load(built.read_text().split("---")[1])
    assert (head["sdk"], head["sdk_version"], head["app_file"]) == ("gradio", "6.31.0", "app.py")


class TestWheel:
    @pytest.fixture
    def wheel(self, tmp_path):
        path = tmp_path / WHEEL
        with ZipFile(path, "w") as archive:
            archive.writestr("tercet/__init__.py", "")
        return path

    def test_lies_in_the_space_and_is_named_by_its_address_there(self, wheel, tmp_path):
        folder = build("ter", tmp_path / "out", wheel=wheel, space="org/ter", endpoint="http://hub")
        assert (folder / WHEEL).read_bytes() == wheel.read_bytes()
        digest = sha256(wheel.read_bytes()).hexdigest()
        address = f"http://hub/spaces/org/ter/resolve/main/{WHEEL}#sha256={digest}"
        assert (folder / "requirements.txt").read_text() == f"tercet[hub] @ {address}\n"
        assert f'pip install "tercet[evaluate] @ {address}"' in (folder / "ter.py").read_text()

    @pytest.mark.parametrize(
        ("name", "space", "message"),
        [
            (WHEEL, "", "A wheel has its address in a Space: name it, as in my-org/bleu_multi. Got ''"),
            (WHEEL, "ter", "Got 'ter'"),
            ("tercet-0.0.1-py3-none-any.whl", "org/ter", f"Expected a wheel of tercet {__version__}"),
            (
                WHEEL.replace("linux", "macosx"),
                "org/ter",
                r"A Space runs Python 3.11 on Linux \(x86_64\), and",
            ),
            (
                WHEEL.replace("cp311", "cp312"),
                "org/ter",
                "or for every system with TERCET_ENGINE=plain",
            ),
        ],
    )
    def test_of_another_version_or_without_a_space_is_refused(self, wheel, name, space, message, tmp_path):
        with pytest.raises(OptionError, match=message):
            build("ter", tmp_path / "out", wheel=wheel.rename(wheel.with_name(name)), space=space)
        assert not (tmp_path / "out").exists()

    def test_that_is_none_and_a_space_without_one_are_refused(self, tmp_path):
        (tmp_path / WHEEL).write_bytes(b"no archive")
        for path in (tmp_path / WHEEL, tmp_path / "absent.whl"):
            with pytest.raises(OptionError, match=f"Expected a wheel of tercet {__version__}, as"):
                build("ter", tmp_path / "out", wheel=path, space="org/ter")
        with pytest.raises(OptionError, match="give --wheel too"):
            build("ter", tmp_path / "out", space="org/ter")


def test_the_command_says_what_it_built_and_where(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "spaces.build", "ter", "--out", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert run.stdout == f"Built {tmp_path}/ter: README.md, app.py, cases.py, requirements.txt, ter.py\n"


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
    (kept.parent / "app.py").write_text("print('mine')")
    with pytest.raises(OptionError, match="holds something other than a built Space"):
        build("bleu_multi", tmp_path)
    (kept.parent / "app.py").unlink()
    assert build("bleu_multi", tmp_path) == build("bleu_multi", tmp_path)
