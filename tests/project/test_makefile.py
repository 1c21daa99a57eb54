"""Each target of the Makefile says what it does and how long that takes before it goes silent."""

import os
import re
import subprocess
import time

import pytest

from conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)[1].replace("\\", "").split()
#: Stamps of what the targets install.
STAMPS = sorted(set(re.findall(r"^\$\(VENV\)/(\.[\w-]+):", MAKEFILE, re.MULTILINE)))


def make(*arguments):
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}
    run = subprocess.run(["make", *arguments], cwd=ROOT, env=alone, capture_output=True, text=True, timeout=60)
    return run.stdout


def helped():
    return dict(line.split(": ", 1) for line in make("--silent", "help").splitlines())


def test_help_has_every_target_with_its_time():
    assert list(helped()) == re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
    assert sorted(helped()) == sorted(TARGETS)
    for name in set(TARGETS) - {"help", "clean"}:
        assert re.search(r"\d+ (seconds|minutes)|half a minute|a minute|tens of minutes", helped()[name]), name


@pytest.mark.parametrize("name", [each for each in TARGETS if each not in ("help", "clean", "test-harnesses")])
def test_a_target_says_first_what_it_does(name, tmp_path):
    now = time.time()
    for stamp in STAMPS:  # as if all was installed a moment ago, at once
        (tmp_path / stamp).touch()
        os.utime(tmp_path / stamp, (now, now))
    printed = make(f"VENV={tmp_path}", "RUN=true", name)  # nothing is installed, and nothing is run
    assert f"{name}: {helped()[name]}\n" in printed
    first = printed.splitlines()[0]
    assert first.partition(": ")[0] in (name, "lint")  # which some do first
    assert helped()[first.partition(": ")[0]] == first.partition(": ")[2]


def test_what_installs_says_first_what_it_downloads_and_how_long_that_takes():
    recipes = re.findall(r"^(\S*/\.\S+):.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert len(recipes) == len(STAMPS) + 1  # and the harnesses
    for name, recipe in recipes:
        said = " ".join(re.findall(r'^\t@echo "(.*)"$', recipe, re.MULTILINE))
        assert recipe.startswith("\t@echo "), name
        assert re.search(r"minute|second", said), name
        assert ("download" in said) == ("$(INSTALL" in recipe), name
