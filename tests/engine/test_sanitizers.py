"""The tests of the engine once more, with gcc's sanitizers in it: they end the process where memory is misused."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_engine
from conftest import ROOT

pytestmark = [
    pytest.mark.long,
    pytest.mark.builds,
    pytest.mark.skipif(sys.platform != "linux" or not shutil.which("gcc"), reason="asks for gcc on Linux"),
]

#: Copies of nothing from nowhere are no mistake: newer standards of C define them.
SANITIZERS = [
    "-fsanitize=address,undefined", "-fno-sanitize=nonnull-attribute", "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer", "-g1", "-O1",
]  # fmt: skip

#: Mistakes that a test below makes, for it to be seen that they are noticed.
MISTAKES = """

def _beyond(const int64_t[::1] numbers):
    return (&numbers[0])[numbers.shape[0]]


def _too_far(int64_t places):
    cdef int one = 1
    return one << places
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Run Python where the package has an engine with sanitizers."""
    folder = tmp_path_factory.mktemp("sanitized")
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    package = Path(shutil.copytree(ROOT / "src" / "tercet", folder / "tercet", ignore=ignored))
    with (package / "engine" / "_engine.pyx").open("a") as source:
        source.write(MISTAKES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_engine, "FOLDER", package / "engine")
        build_engine.put_in_place(build_engine.compiled(tmp_path_factory.mktemp("build"), *SANITIZERS))
    asked = [["gcc", f"-print-file-name={name}"] for name in ("libasan.so", "libstdc++.so")]
    found = [subprocess.run(each, capture_output=True, text=True, check=True).stdout.strip() for each in asked]
    names = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what is behind the end
        "TERCET_ENGINE": "required",
        "LD_PRELOAD": " ".join(found),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaks at its end
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "HYPOTHESIS_PROFILE": "quick",
    }

    def run(*words):
        return subprocess.run([sys.executable, *words], cwd=ROOT, env=names, capture_output=True, text=True)

    return run


@pytest.mark.parametrize(("mistake", "report"), [
    ("_beyond(__import__('numpy').zeros(400, 'int64'))", "AddressSanitizer: heap-buffer-overflow"),
    ("_too_far(70)", "runtime error: shift exponent 70"),
])  # fmt: skip
def test_a_mistake_is_noticed(python, mistake, report):
    done = python("-c", f"from tercet.engine import _engine; print(_engine.{mistake})")
    assert done.returncode != 0
    assert report in done.stderr


def test_no_test_of_the_engine_makes_one(python):
    # -s: a report ends the process, and what pytest had captured of it would be lost
    done = python("-m", "pytest", "-q", "-s", "-x", "-m", "not long", "tests/engine")
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
