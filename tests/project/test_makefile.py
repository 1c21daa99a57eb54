"""Each target of the Makefile says what it does and how long that takes before it goes silent."""

import os
import re
import shutil
import subprocess
import sys
import time
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import build_engine
from conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)[1].replace("\\", "").split()
#: Stamps of what the targets install, in whichever environment.
STAMPS = sorted(set(re.findall(r"^\S+/(\.[\w-]+):", MAKEFILE, re.MULTILINE)))


#: Variables of a make that runs these tests.
INHERITED = ("MAKELEVEL", "MAKEFLAGS", "MFLAGS", "FULL")


def make(*arguments):
    alone = {name: value for name, value in os.environ.items() if name not in INHERITED}
    run = subprocess.run(["make", *arguments], cwd=ROOT, env=alone, capture_output=True, text=True, timeout=60)
    return run.stdout


def helped():
    return dict(line.split(": ", 1) for line in make("--silent", "help").splitlines())


def test_help_has_every_target_with_its_time():
    assert list(helped()) == re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
    assert sorted(helped()) == sorted(TARGETS)
    for name in set(TARGETS) - {"help", "clean"}:
        assert re.search(r"\d+ (seconds|minutes)|half a minute|a minute|tens of minutes", helped()[name]), name


@pytest.mark.parametrize("name", [each for each in TARGETS if each not in ("help", "clean")])
def test_a_target_says_first_what_it_does(name, tmp_path):
    now = time.time()
    for stamp in STAMPS:  # as if all was installed a moment ago, at once
        (tmp_path / stamp).touch()
        os.utime(tmp_path / stamp, (now, now))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(shutil.which("true"))
    environments = [f"{variable}={tmp_path}" for variable in ("VENV", "ALL", "HARNESSES")]
    printed = make(*environments, name)  # nothing is installed, and nothing is run
    assert f"{name}: {helped()[name]}\n" in printed
    first = printed.splitlines()[0]
    assert first.partition(": ")[0] in (name, "lint")  # which some do first
    assert helped()[first.partition(": ")[0]] == first.partition(": ")[2]


def test_what_installs_says_first_what_it_downloads_and_how_long_that_takes():
    recipes = re.findall(r"^(\S*/\.\S+):.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert {name.rpartition("/")[2] for name, _ in recipes} == {*STAMPS}
    for name, recipe in recipes:
        said = " ".join(re.findall(r'^\t@echo "(.*)"$', recipe, re.MULTILINE))
        assert recipe.startswith("\t@echo "), name
        assert re.search(r"minute|second", said), name
        assert ("download" in said) == ("$(INSTALL" in recipe), name


def test_installing_shows_downloads_totals_and_errors_and_fails_where_it_fails(tmp_path):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "python"
    shown = [
        "Downloading torch-2.13.0.whl (190 MB)",
        "Resolved 56 packages in 2.33s",
        "ERROR: No matching distribution",
    ]
    hidden = [
        " + rich==15.0.0",
        " ~ rouge==1.0.1",
        "Collecting rich",
        "  Using cached rich.whl",
        "Downloading x.metadata",
    ]
    lines = [*shown, *hidden, "Successfully installed a-1 b-2"]
    program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines) + "exit 3\n")
    program.chmod(0o755)
    (tmp_path / ".venv-made").touch()
    printed = make(f"VENV={tmp_path}", f"{tmp_path}/.light-installed", "--silent").splitlines()
    assert [line for line in printed if not line.startswith("Installing")] == shown
    assert not (tmp_path / ".light-installed").exists()


def test_the_engine_is_compiled_again_where_a_source_is_newer_and_where_it_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(build_engine, "FOLDER", tmp_path)
    source, library = tmp_path / "token_edges.pxi", tmp_path / f"_engine{EXTENSION_SUFFIXES[0]}"
    source.touch()
    assert not build_engine.is_current()
    library.touch()
    newest = max(path.stat().st_mtime for path in (source, Path(build_engine.__file__)))
    for seconds, current in ((10, True), (-10, False)):
        os.utime(library, (newest + seconds, newest + seconds))
        assert build_engine.is_current() is current


@pytest.mark.needs("torch")
def test_what_make_test_skips_make_test_all_runs(tmp_path):
    def tests(*options):
        command = [sys.executable, "-m", "pytest", "-vv", "tests/core/test_errors.py", "-k", "shorten", *options]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        found = re.findall(r"::(\w+)\S* (PASSED|SKIPPED)", run.stdout)
        return run, {outcome: {name for name, each in found if each == outcome} for _, outcome in found}

    words, of_words = tests("--words", f"--times={tmp_path / 'times.json'}")
    assert of_words["SKIPPED"] == {"test_shorten_shows_a_tensor_on_one_line"}
    assert "Not run here: neural networks, slow tests. To run them: make test-all" in words.stdout
    _, of_all = tests(f"--after={tmp_path / 'times.json'}")
    assert of_all == {"PASSED": of_words["SKIPPED"]}
    (tmp_path / "times.json").write_text("{")
    for name in ("times.json", "absent.json"):
        wrong, _ = tests(f"--after={tmp_path / name}")
        assert "ERROR: --after needs what --times wrote in an earlier run: " in wrong.stderr + wrong.stdout
