"""Kernels are compiled once for all copies of the same code, and anew where a line of it changes."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from spaces.build import build

SCORE = "import tercet; print(tercet.score('bleu_multi', ['a b c d é'] * 99, ['a b c d é'] * 99)['bleu'])"
IN_SPACE = """
import json, sys
sys.modules["tercet"] = None
import evaluate
print(evaluate.load(sys.argv[1]).compute(predictions=["a b c d é"] * 99, references=["a b c d é"] * 99)["bleu"])
"""


def run(code, cache, *arguments, source=ROOT / "src"):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        cwd=cache.parent,
    )
    assert done.stdout.endswith("1.0\n"), done.stderr
    return "compiling kernels" in done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Return a folder with what the package compiled."""
    folder = tmp_path_factory.mktemp("cache") / "kernels"
    folder.mkdir()
    assert run(SCORE, folder)
    return folder


def test_copies_of_the_same_code_compile_nothing(cache, tmp_path):
    assert not run(SCORE, cache)
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    assert not run(SCORE, cache, source=copied)


def test_a_space_compiles_nothing_that_the_package_has_compiled(cache, tmp_path):
    assert not run(IN_SPACE, cache, build("bleu_multi", tmp_path))


@pytest.mark.long
def test_a_change_in_a_part_of_another_file_is_seen(cache, tmp_path):
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    part = copied / "tercet/core/bit_kernels.py"
    part.write_text(part.read_text().replace("place of the lowest one", "place of the very lowest one"))
    assert run(SCORE, cache, source=copied)


@pytest.mark.long
@pytest.mark.parametrize("damage", ["empty", "cut", "a folder"])
def test_a_damaged_cache_costs_time_only(cache, tmp_path, damage):
    own = shutil.copytree(cache, tmp_path / "own")
    files = [path for path in own.rglob("*.nb*") if path.is_file()]
    assert files
    for path in files:
        if damage == "a folder":
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(b"" if damage == "empty" else path.read_bytes()[:-5])
    assert run(SCORE, own)


@pytest.mark.long
def test_without_the_folder_kernels_are_kept_beside_the_sources(tmp_path):
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "kernels").write_text("a file")
    assert run(SCORE, tmp_path / "kernels", source=copied)
    assert not run(SCORE, tmp_path / "kernels", source=copied)


@pytest.mark.long
def test_another_numba_keeps_its_own_cache(tmp_path):
    own = tmp_path / "kernels"
    own.mkdir()
    code = "import numba.core.caching as c; c.CompileResultCacheImpl = object; " + SCORE
    assert run(code, own)
    assert not run(code, own)
