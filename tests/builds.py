"""The package as it is built: once a run for all tests of it, and when tests of building can be left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]

#: What an engine, a wheel and an archive of the sources are made by and of.
INPUTS = ["src/tercet/engine", "build_engine.py", "pyproject.toml"]

#: The commit with which `make test-all FULL=1` last passed.
COMMIT = Path(__file__).with_name("full_run.txt")


def git(*words) -> subprocess.CompletedProcess:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)


def built_alike() -> str | None:
    """Return a commit or tag of which all builds were tested, if what they are made of is the same now."""
    tag = git("describe", "--tags", "--abbrev=0").stdout.strip()
    commit = COMMIT.read_text(encoding="utf-8").strip() if COMMIT.is_file() else ""
    for tested in filter(None, (commit, tag)):
        if git("diff", "--quiet", tested, "--", *INPUTS).returncode == 0:
            return tested
    return None


def build(source, folder, *what, **environment) -> None:
    """Build from a checkout or an archive of sources."""
    command = [sys.executable, "-m", "uv", "build", "--python", sys.executable, *what]
    command += ["--out-dir", str(folder), str(source)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="with tests of builds, though what is built is as tested")


def pytest_collection_modifyitems(config, items):
    builds = [item for item in items if item.get_closest_marker("builds")]
    if builds and not config.option.full and built_alike():
        items[:] = [item for item in items if item not in set(builds)]
        config.hook.pytest_deselected(items=builds)


def pytest_terminal_summary(terminalreporter, config):
    """Say what was not covered, with which commit it was, and how to run it."""
    if config.option.markexpr == "" and not config.option.full and (tested := built_alike()):
        terminalreporter.write_line(
            f"Not covered here: sanitizers, wheels for other Pythons and without a compiler. They passed with"
            f" {tested}: {', '.join(INPUTS)} are still the same. `make test-all FULL=1` runs them."
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
