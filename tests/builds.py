"""The package as it is built: once a run for all tests of it, and when tests of building can be left out.

``python tests/builds.py`` notes that all of them passed, as the last line of `make test-all FULL=1`.
"""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # which pytest brings along there

ROOT = Path(__file__).resolve().parents[1]

#: What an engine, a wheel and an archive of the sources are made by and of.
INPUTS = ["src/tercet/engine", "build_engine.py", "pyproject.toml"]
#: Tools whose settings are in pyproject.toml, and that build nothing.
CHECKING = ("mypy", "pytest", "ruff")

#: The digest of these when tests of building last passed, and the commit that was checked out.
TESTED = Path(__file__).with_name("builds_tested.txt")


def digest() -> str:
    """Return a digest of the names and contents of all inputs that are sources."""
    known = sha256()
    for path in sorted(path for name in INPUTS for path in (ROOT / name, *(ROOT / name).glob("*"))):
        if path.suffix in (".py", ".pyx", ".pxi", ".h", ".toml"):
            known.update(f"{path.relative_to(ROOT)}\0".encode() + read_by_builds(path) + b"\0")
    return known.hexdigest()


def read_by_builds(path: Path) -> bytes:
    """Return what a build reads of an input: of pyproject.toml not the settings of tools that check."""
    if path.suffix != ".toml":
        return path.read_bytes()
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    for tool in CHECKING:
        settings["tool"].pop(tool, None)
    return json.dumps(settings, sort_keys=True).encode()


def built_alike() -> str | None:
    """Return the commit with which tests of building passed, if what is built is the same now."""
    if not TESTED.is_file():
        return None
    tested, _, commit = TESTED.read_text(encoding="utf-8").strip().partition(" ")
    return commit if tested == digest() else None


def build(source, folder, *what, **environment) -> None:
    """Build from a checkout or an archive of sources."""
    command = [sys.executable, "-m", "uv", "build", "--python", sys.executable, *what]
    command += ["--out-dir", str(folder), str(source)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="with tests of builds, though what is built is as tested")


def pytest_collection_modifyitems(config, items):
    builds = {item for item in items if item.get_closest_marker("builds")}
    if builds and not config.option.full and built_alike():
        items[:] = [item for item in items if item not in builds]
        config.hook.pytest_deselected(items=[*builds])


def pytest_terminal_summary(terminalreporter, config):
    """Say what was not run, with which commit it passed, and how to run it."""
    if config.option.markexpr == "" and not config.option.full and (tested := built_alike()):
        terminalreporter.write_line(
            f"Not run: sanitizers, wheels without a compiler and for other Pythons. They passed at {tested}, and "
            f"{', '.join(INPUTS)} have not changed since. To run them: make test-all FULL=1"
        )


@pytest.fixture(scope="session")
def dist(tmp_path_factory, worker_id):
    """The folder of an archive of the sources, and of the wheel that is made of it: built once for all processes."""
    run = tmp_path_factory.getbasetemp()
    folder = (run if worker_id == "master" else run.parent) / "dist"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            new = tmp_path_factory.mktemp("dist")
            build(ROOT, new, TERCET_ENGINE="required")
            new.rename(folder)
    return folder


@pytest.fixture(scope="session")
def archive(dist):
    (path,) = dist.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    return path


if __name__ == "__main__":
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    TESTED.write_text(f"{digest()} {commit.strip()}\n", encoding="utf-8")
