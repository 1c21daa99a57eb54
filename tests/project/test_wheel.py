"""What a user gets: the built package, used outside of a checkout as the README and the Quickstart say."""

import os
import re
import subprocess
import sys

import pytest
import tomllib
from readme_renderer.markdown import render

from conftest import ROOT

DOCUMENTS = ["README.md", "docs/quickstart.md"]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]

#: Runs the examples of a document as they stand.
EXAMPLES = """
import doctest, re, sys, tercet
assert tercet.__file__.startswith(sys.argv[2]), tercet.__file__
text = "\\n".join(re.findall(r"```python\\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), flags=re.DOTALL))
test = doctest.DocTestParser().get_doctest(text, {}, "document", None, 0)
assert test.examples
sys.exit(doctest.DocTestRunner().run(test).failed)
"""


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    run([*pip, str(ROOT)])
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the package and its command, and the environment of a process that has no other."""
    folder = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)])
    names = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PATH": os.pathsep.join([str(folder / "bin"), os.environ["PATH"]]),
    }
    return folder, names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_run_outside_of_a_checkout(document, installed, tmp_path):
    folder, names = installed
    run([sys.executable, "-c", EXAMPLES, str(ROOT / document), str(folder)], cwd=tmp_path, env=names)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_run_outside_of_a_checkout_and_write_a_report(document, installed, tmp_path):
    text = (ROOT / document).read_text(encoding="utf-8")
    (commands,) = (block for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL) if "sample.csv" in block)
    run(["bash", "-euc", commands], cwd=tmp_path, env=installed[1])
    report = re.sub(r"<[^>]*>", "", (tmp_path / "report.html").read_text(encoding="utf-8"))
    for shown in ("baseline", "tuned", "We met her brother at the train station."):
        assert shown in report


def test_the_index_can_show_the_readme(wheel):
    run([sys.executable, "-m", "twine", "check", "--strict", str(wheel)])
    page = render((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "<table>" in page
    assert 'src="docs/report.png"' in page


def test_the_site_and_the_package_name_the_same_addresses():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"\nsite_url: {URLS['Documentation']}\n" in settings
    assert f"\n  repository: {URLS['Repository']}  #" in settings
