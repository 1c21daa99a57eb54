"""What the package says of itself: where it runs, where its home is, whom to cite."""

import re
import subprocess
import sys
from importlib.metadata import metadata

import pytest
import yaml

import tercet
from conftest import ROOT

PACKAGE = metadata("tercet")
CLASSIFIERS = PACKAGE.get_all("Classifier")
HOMES = dict(line.split(", ") for line in PACKAGE.get_all("Project-URL"))
VERSIONS = [line.rpartition(" ")[2] for line in CLASSIFIERS if re.search(r":: 3\.\d+$", line)]
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def bare(title):
    """Return the letters of a title: BibTeX has braces, and accents in its own way."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\.|[{}]", "", title).lower())


def test_says_where_it_runs():
    assert PACKAGE["Requires-Python"] == f">={VERSIONS[0]}"
    assert [f"3.{minor}" for minor in range(10, 10 + len(VERSIONS))] == VERSIONS
    assert {"Typing :: Typed", "Operating System :: Microsoft :: Windows"} <= set(CLASSIFIERS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What one answer of the index teaches for the next, and no more: the index is asked."""
    return str(tmp_path_factory.mktemp("uv"))


@pytest.mark.fresh_venv
@pytest.mark.xdist_group("index")
@pytest.mark.parametrize("system", ["linux", "windows", "macos"])
@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_its_requirements_can_be_had_without_a_compiler(version, system, cache):
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--cache-dir", cache, "--only-binary", ":all:"]
    where = ["--python-version", version, "--python-platform", system, str(ROOT / "pyproject.toml")]
    found = subprocess.run([*command, *where], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "pyarrow==" in found.stdout


def test_no_extra_has_the_name_of_a_package_of_the_hub():
    assert not {"spaces", "hf", "huggingface_hub"} & set(PACKAGE.get_all("Provides-Extra"))


class TestCitation:
    def test_is_of_this_version_and_home(self):
        assert CITED["version"] == tercet.__version__
        assert CITED["repository-code"] == HOMES["Repository"]
        assert CITED["url"] == HOMES["Documentation"]

    @pytest.mark.parametrize("card", sorted(ROOT.glob("metrics/*/README.md")), ids=lambda card: card.parent.name)
    def test_has_the_papers_of_each_metric(self, card):
        papers = {bare(each["title"]): str(each["year"]) for each in CITED["references"]}
        entries = re.findall(r'    title = "(.*)",\n(?:.*\n)*?    year = "(\d+)"', card.read_text())
        assert entries
        for title, year in entries:
            assert papers.get(bare(title)) == year, title
