"""What is in the built package, and which engine it has with a compiler and without; test_release.py uses it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import pytest
from readme_renderer.markdown import render

from builds import build
from commands import EXAMPLES
from conftest import ROOT

pytestmark = pytest.mark.long  # wheels take long to make

#: No compiler.
FALSE = shutil.which("false")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def put(wheel, folder):
    """Return the environment of a process that finds the package of a wheel, and no other, in this folder."""
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)])
    names = {key: value for key, value in os.environ.items() if key != "TERCET_ENGINE"}
    return {**names, "PYTHONPATH": str(folder), "PATH": os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the package and its command, and the environment of a process that has no other."""
    folder = tmp_path_factory.mktemp("installed")
    return folder, put(wheel, folder)


def test_the_index_can_show_the_readme_and_the_site_has_the_same_addresses(wheel, archive):
    page = render((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "<table>" in page
    assert 'src="docs/report_answer.png"' in page
    urls = pytest.importorskip("tomllib").loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"\nsite_url: {urls['Documentation']}\n" in settings
    assert f"\n  repository: {urls['Repository']}  #" in settings


def test_all_files_of_the_package_but_the_sources_of_the_engine_are_in_the_wheel(wheel):
    """Also those that are no modules: templates, styles, scripts, dictionaries."""
    folder = ROOT / "src"
    # gradio writes stubs beside its components.
    left_out = {".pyx", ".pxi", ".h", ".c", ".so", ".pyd", ".pyc", ".pyi"}
    files = {str(path.relative_to(folder)) for path in folder.rglob("tercet/**/*.*") if path.suffix not in left_out}
    assert files <= {*ZipFile(wheel).namelist()}
    assert {f"tercet/huggingface/space/{name}" for name in ("page.css", "by_keys.js", "in_view.js")} <= files


PAGES = [
    *("coming-from", "use/notebook", "use/trainer"),  # examples in Python
    *("use/many-systems", "use/spreadsheets", "use/mbr", "which-metric"),  # and commands, which read test sets
]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_gives_what_it_shows_with_the_wheel_alone_outside_of_a_checkout(name, installed, tmp_path):
    folder, environment = installed
    environment = {**environment, "COLUMNS": "100"}
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    shown = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)\n```", text, flags=re.DOTALL)
    if shown or "examples/data" in text:  # the page says how to get what its examples read
        assert "python -m tercet.examples" in text
        run([sys.executable, "-m", "tercet.examples"], cwd=tmp_path, env=environment)
        with pytest.raises(AssertionError, match="There is a folder examples here already: nothing was copied"):
            run([sys.executable, "-m", "tercet.examples"], cwd=tmp_path, env=environment)
    done = run([sys.executable, "-c", EXAMPLES, str(ROOT / "docs" / f"{name}.md")], cwd=tmp_path, env=environment)
    assert done.stdout.startswith(str(folder))
    for command, expected in shown:
        printed = run([folder / "bin" / "tercet", *shlex.split(command)[1:]], cwd=tmp_path, env=environment).stdout
        assert [line.rstrip() for line in printed.rstrip().splitlines()] == expected.splitlines()


#: Examples that need no network, cluster or browser, with what they are given.
PROGRAMS = [
    ("compare_systems.py",), ("datasets_score.py",), ("demo.py", "--light"), ("duckdb_score.py",), ("mbr.py",),
    ("merge_across_processes.py",), ("polars_score.py",),
]  # fmt: skip
#: All warnings are errors; those of packages that the examples use are not the suite's.
STRICT = ("-X", "dev", "-W", "error", *(f"-Wignore::{name}" for name in ("DeprecationWarning", "FutureWarning")))


@pytest.mark.parametrize("program", PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_an_example_runs_with_the_wheel_alone_in_an_empty_folder(program, installed, tmp_path):
    _, environment = installed
    run([sys.executable, "-m", "tercet.examples"], cwd=tmp_path, env=environment)
    assert {path.name for path in tmp_path.iterdir()} == {"examples"}
    name, *arguments = program
    done = run([sys.executable, *STRICT, f"examples/{name}", *arguments], cwd=tmp_path, env=environment)
    assert done.stdout
    assert "Warning" not in done.stderr


#: Scores by every function of the engine that a usual call needs, and says which engine that was.
SCORES = """
import tercet
texts = ["the cat sat on a mat", "Оно идёт, 我们走了 again"], ["the cat sat on the mat", "Оно шло, 我们走 again"]
metrics = tercet.Bleu(), tercet.Chrf(), tercet.Ter(), tercet.Rouge(tokenizer="unicode")
print(*[repr(dict(tercet.score(metric, *texts))) for metric in metrics], sep="\\n")
from tercet.engine.chosen import engine
print(engine.__name__, "after", tercet.__file__)
"""


def scored(environment, folder, *flags):
    """Return the scores, the engine that gave them, and what was said, of a user's program."""
    (folder / "mine.py").write_text(SCORES)
    done = run([sys.executable, *flags, "mine.py"], env=environment, cwd=folder)
    *scores, engine = done.stdout.splitlines()
    return scores, engine, done.stderr


@pytest.fixture(scope="module")
def without(archive, tmp_path_factory):
    """The environment of a process with the package as it is where there is no compiler."""
    folder = tmp_path_factory.mktemp("plain")
    build(archive, folder, "--wheel", CC=FALSE, TERCET_ENGINE="")
    (wheel,) = folder.glob("*-none-any.whl")
    return put(wheel, folder / "installed")


@pytest.mark.builds
class TestEngine:
    def test_is_in_the_wheel_of_this_python_and_its_sources_are_not(self, wheel, archive, installed, tmp_path):
        inside = [name for name in ZipFile(wheel).namelist() if name.startswith("tercet/engine/")]
        assert {Path(name).suffix for name in inside} == {".py", Path(EXTENSION_SUFFIXES[0]).suffix}
        tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
        assert f"-{tag}-{tag}" in wheel.name
        with tarfile.open(archive) as sources:
            assert {Path(name).suffix for name in sources.getnames() if "/engine/" in name} >= {".pyx", ".pxi", ".h"}
            assert not [name for name in sources.getnames() if name.endswith((".so", ".pyd"))]
        folder, environment = installed
        _, engine, said = scored(environment, tmp_path)
        assert engine.startswith(f"tercet.engine._engine after {folder}")
        assert said == ""

    def test_is_plain_without_a_compiler_and_warns_once_at_the_line_of_the_user(self, installed, without, tmp_path):
        expected, _, _ = scored(installed[1], tmp_path)
        found, engine, said = scored(without, tmp_path)
        assert found == expected
        assert engine.startswith("tercet.engine.plain after")
        warned, line = said.splitlines()
        assert re.match(
            r".*mine.py:\d: RuntimeWarning: tercet runs without its compiled engine: .* pip install", warned
        )
        assert line.strip() in SCORES
        strict = ("-W", "error::RuntimeWarning")
        with pytest.raises(AssertionError, match="RuntimeWarning: tercet runs without its compiled engine"):
            scored(without, tmp_path, *strict)
        assert scored(without, tmp_path, *strict, "-W", "ignore:tercet runs without")[0] == expected
        assert scored({**without, "TERCET_ENGINE": "plain"}, tmp_path, *strict)[0] == expected

    def test_required_is_an_error_where_there_is_none(self, archive, without, tmp_path):
        with pytest.raises(AssertionError, match=rf"CompileError.*'{FALSE}'"):
            build(archive, tmp_path, "--wheel", CC=FALSE, TERCET_ENGINE="required")
        with pytest.raises(AssertionError, match="ImportError: cannot import name '_engine'"):
            scored({**without, "TERCET_ENGINE": "required"}, tmp_path)
        with pytest.raises(AssertionError, match="TERCET_ENGINE must be 'plain' or 'required', got 'Plain'"):
            scored({**without, "TERCET_ENGINE": "Plain"}, tmp_path)
