"""Build a metric's Hub Space: a folder that needs nothing of the project but what is in it.

``python -m spaces.build bleu_multi`` writes build/spaces/bleu_multi: the module, byte-identical copies of the core
files that it needs, the card, the requirements with the versions that were tested, and the cases.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from tercet.api import SCORERS
from tercet.errors import OptionError, did_you_mean

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "src" / "tercet"
OUT = ROOT / "build" / "spaces"

_CORE_IMPORT = re.compile(r"^from tercet\.(\w+) import ", re.MULTILINE)


def build(metric: str, out: Path = OUT) -> Path:
    """Write the folder of a metric's Space, new from the ground up.

    Parameters
    ----------
    metric : str
        A metric of the suite.
    out : Path
        The folder in which the Space's folder is made.

    Returns
    -------
    Path
        The Space's folder.

    Raises
    ------
    OptionError
        For a metric that the suite does not have.
    """
    if metric not in SCORERS:
        raise OptionError(f"There is no metric {metric!r}. {did_you_mean(metric, SCORERS)}")
    source, folder = ROOT / "metrics" / metric, out / metric
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = (source / f"{metric}.py").read_text()
    files = core_files(metric, text)
    (folder / f"{metric}.py").write_text(space_module(text, files))
    for name in files:
        shutil.copyfile(CORE / f"{name}.py", folder / f"{name}.py")
    for name in ("README.md", "cases.py"):
        shutil.copyfile(source / name, folder / name)
    (folder / "requirements.txt").write_text(tested_versions((source / "requirements.txt").read_text()))
    return folder


def core_files(metric: str, module: str) -> list[str]:
    """Return the files of the core that a module needs: its imports, its scorer, its explanation, and theirs."""
    scorer = SCORERS[metric][0]
    todo = [*_CORE_IMPORT.findall(module), scorer, f"{scorer}_explain"]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _relative_imports((CORE / f"{name}.py").read_text())
    return sorted(found)


def _relative_imports(text: str) -> list[str]:
    nodes = ast.walk(ast.parse(text))
    return [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module]


def space_module(text: str, files: list[str]) -> str:
    """Return a module's text with the core beside it, every file of it named: evaluate copies what a module names."""
    imported = _CORE_IMPORT.findall(text)
    last = max(match.end() for match in re.finditer(r"^from tercet\..*\n", text, re.MULTILINE))
    named = "".join(f"from .{name} import __name__ as _{name}\n" for name in files if name not in imported)
    return _CORE_IMPORT.sub(r"from .\1 import ", text[:last] + named + text[last:])


def tested_versions(requirements: str) -> str:
    """Return requirements without the project's own package, and with the versions that constraints.txt names."""
    pins = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    lines = []
    for line in requirements.splitlines():
        name = re.match(r"[\w-]+", line)
        if name and name[0] != "tercet":
            lines.append(f"{name[0]}=={pins[name[0]]}" if name[0] in pins else line)
    return "\n".join(lines) + "\n"


def main(
    metric: Annotated[str, typer.Argument(help=f"One of {', '.join(SCORERS)}.")],
    out: Annotated[Path, typer.Option(help="Folder in which the Space's folder is made.")] = OUT,
) -> None:
    """Build a metric's Hub Space."""
    try:
        typer.echo(build(metric, out))
    except OptionError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    typer.run(main)
