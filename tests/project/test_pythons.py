"""Wheels for the other Pythons of this machine, each installed in an environment of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

pytestmark = pytest.mark.fresh_venv

#: Says which engine there is, and prints the same scores from one thread and from eight at once.
SCORES = """
import sys, sysconfig, threading
from concurrent.futures import ThreadPoolExecutor
import tercet
from tercet.engine.chosen import engine
assert engine.__name__ == "tercet.engine._engine", engine
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
assert getattr(sys, "_is_gil_enabled", lambda: True)() != free, "an import brought the GIL back"
words = "the cat sat on a mat and Оно шло 我们走了 again".split()
texts = [" ".join(words[i * j % 11] for j in range(1, 3 + i % 40)) for i in range(1, 400)]
together = threading.Barrier(8)
def scores(wait=True):
    wait and together.wait()
    return [dict(tercet.score(metric, texts, texts[::-1])) for metric in ("bleu", "chrf", "ter", "rouge", "jaccard")]
alone = scores(False)
with ThreadPoolExecutor(8) as threads:
    assert all(found == alone for found in threads.map(lambda _: scores(), range(8)))
print(alone)
"""


def others():
    """Return the interpreters beside this one by version, as "3.10" or "3.14t": of the path, of pyenv and of uv."""
    kept = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")]
    kept += [Path.home() / ".local" / "share" / "uv" / "python"]
    found = {}
    for version in [f"3.{minor}{kind}" for minor in range(10, 15) for kind in ("", "t")]:
        paths = [path for folder in kept for path in sorted(folder.glob(f"*/bin/python{version}"))]
        for path in [*paths, *filter(None, [shutil.which(f"python{version}")])]:
            code = "import sys; print(*sys.version_info[:2], sep='.')"
            if subprocess.run([path, "-c", code], capture_output=True).stdout.decode().strip() == version.rstrip("t"):
                found.setdefault(version, str(path))
    found.pop(f"3.{sys.version_info.minor}", None)
    # Those between the oldest and the newest show nothing more; free-threaded ones do.
    usual = sorted((version for version in found if version[-1] != "t"), key=lambda version: int(version[2:]))
    return {each: path for each, path in found.items() if each in (*usual[:1], *usual[-1:]) or each[-1] == "t"}


OTHERS = others()


def run(*command, **environment):
    own = {**os.environ, "TERCET_ENGINE": "required", **environment}
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def expected():
    return run(sys.executable, "-c", SCORES).stdout


@pytest.mark.builds
@pytest.mark.parametrize("version", OTHERS)
def test_a_wheel_can_be_made_and_scores_the_same(version, expected, tmp_path):
    uv = [sys.executable, "-m", "uv"]
    run(*uv, "venv", "--quiet", "--python", OTHERS[version], str(tmp_path / "venv"))
    run(*uv, "build", "--quiet", "--wheel", "--python", OTHERS[version], "--out-dir", str(tmp_path), str(ROOT))
    (wheel,) = tmp_path.glob("*.whl")
    tag = version.replace(".", "")
    assert re.search(f"-cp{tag.rstrip('t')}-cp{tag}-", wheel.name)
    python = tmp_path / "venv" / "bin" / "python"
    run(*uv, "pip", "install", "--quiet", "--python", str(python), str(wheel))
    assert run(str(python), "-c", SCORES, PYTHONPATH="").stdout == expected


@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_a_release_has_a_wheel_for_every_python(system):
    command = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "cibuildwheel", "--print-build-identifiers"]
    machine = {"linux": "x86_64", "macos": "arm64", "windows": "AMD64"}[system]
    found = run(*command, "--platform", system, "--archs", machine, str(ROOT)).stdout.split()
    assert {name.partition("-")[0] for name in found} == {*(f"cp3{minor}" for minor in range(10, 15)), "cp314t"}
